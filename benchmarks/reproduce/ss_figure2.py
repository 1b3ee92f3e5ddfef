"""SS figure 2: sites by moment matching against sites that minimise the predictive loss.

    python -m benchmarks.reproduce.ss_figure2 [--sets NAME ...] [--partitions N] [--rounds N]
                                              [--max-basis M] [--out FILE]

Error and NLP of training and test rows when the last active set is filled, adaptive sampling with
κ = 2. The curves are kept of partition 0, for the plot; the ends of all partitions are compared.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

from benchmarks.datasets import CLASS_SETS, DataSet, class_partition
from benchmarks.reproduce.class_experiment import METHODS, ROUNDS, adapt_classes, score_classes
from benchmarks.reproduce.experiment import Method, Record
from benchmarks.reproduce.records import Job, reproduce, standard_options
from sparsegp.estimators.classifier import SparseGPClassifier

__all__ = ["PLOTTED", "SETS"]

SETS = ("waveform", "image")
MAX_BASIS = 80
PARTITIONS = 10
PLOTTED = 0  # the partition whose curves are kept

SITES = ("moment_matching", "predictive_loss")


def run(name: str, k: int, max_basis: int, rounds: int) -> Iterator[Record]:
    parts = dict(zip(("train", "test"), class_partition(name, k), strict=True))
    for sites in SITES:
        method = Method(sites, {**METHODS["adaptive2"].settings, "sites": sites})
        fit = adapt_classes(method, parts["train"], max_basis, rounds, k)
        record = {"method": sites, "n_basis": fit.model.n_basis_, "seconds": fit.seconds}
        for part, data in parts.items():
            scores = score_classes(fit.model, data)
            record |= {f"{part}_{measure}": value for measure, value in scores.items()}
            if k == PLOTTED:
                record |= curves(fit.model, part, data)
        yield record


def curves(model: SparseGPClassifier, part: str, data: DataSet) -> Record:
    """Return error and NLP after each addition."""
    path = [score_classes(model.prefix(m + 1), data) for m in range(model.n_basis_)]
    return {f"{part}_{measure}_curve": [s[measure] for s in path] for measure in path[0]}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_figure2", SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--max-basis", type=int, default=MAX_BASIS)
    options = parser.parse_args(arguments)
    rounds = options.rounds
    jobs = (
        Job(
            {"set": name, "partition": k, "rounds": rounds},
            bound(run, name, k, options.max_basis, rounds),
        )
        for k in range(options.partitions)
        for name in options.sets
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
