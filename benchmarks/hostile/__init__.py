"""A trial of hostile input: tables, altered model files, command lines, threads, killed streams.

``python -m benchmarks.hostile --tables N --files N --commands N --threads N --streams N --seed S``
draws cases and reports findings: anything but a finite prediction or an error that the
documentation names. Hangs, memory beyond a bound, changed input files and tracebacks are findings,
too. The exit code is 1 if there is any. A case is drawn from the seed and its number alone, so
``--only NUMBER`` repeats one. With ``--record FOLDER`` an interrupted trial goes on where it was,
after the cases that had findings.
"""
