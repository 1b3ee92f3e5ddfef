"""The parts of the choice of an active set, one row at a time.

``filtering`` is the model so far of one column of labels, in numbers for every row; ``draws``
says which rows are looked at in a step; ``steps`` says how far a row would move the model if it
were included; ``span`` keeps copies of active rows out; ``active_set``, beside this folder, is
the loop.
"""
