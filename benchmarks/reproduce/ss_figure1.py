"""SS figure 1: the predictive loss beside the losses of boosting, and what it bounds.

    python -m benchmarks.reproduce.ss_figure1 [--sets NAME ...] [--partitions N] [--max-basis M]
                                              [--out FILE]

Losses of a margin z = y·f: exponential exp(−z), binomial log₂(1 + exp(−2z)), and −log₂ Φ(z), plain
and with a variance of 0.5 (moderation), by the library's own probit. Beside the curves, on every
set the error of the training rows under the bound of eq. 6: the mean predictive loss over log 2.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

import numpy as np

from benchmarks.datasets import CLASS_SETS, class_partition
from benchmarks.reproduce.class_experiment import METHODS, adapt_classes, score_classes
from benchmarks.reproduce.experiment import Record
from benchmarks.reproduce.records import Job, reproduce, standard_options
from sparsegp.likelihoods import Probit

MARGINS = np.linspace(-2.0, 2.0, 81)
VARIANCE = 0.5  # of the moderated loss, as in the figure
MAX_BASIS = 40
PARTITIONS = 1


def curves() -> Iterator[Record]:
    probit, ones = Probit(), np.ones_like(MARGINS)
    losses = {
        "exponential": np.exp(-MARGINS),
        "binomial": np.log2(1.0 + np.exp(-2.0 * MARGINS)),
        "probit": -probit.log_probability(ones, MARGINS, 0.0 * ones) / np.log(2.0),
        "moderated": -probit.log_probability(ones, MARGINS, VARIANCE * ones) / np.log(2.0),
    }
    for loss, values in losses.items():
        yield {"method": loss, "margin_curve": MARGINS, "loss_curve": values}


def run(name: str, k: int, max_basis: int) -> Iterator[Record]:
    train, _ = class_partition(name, k)
    fit = adapt_classes(METHODS["adaptive2"], train, max_basis, 0, k)
    scores = score_classes(fit.model, train)
    limit = 100.0 * scores["nlp"] / np.log(2.0)
    yield {"method": "bound", "error": scores["error"], "bound_on_error": limit}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "ss_figure1", CLASS_SETS, PARTITIONS, CLASS_SETS)
    parser.add_argument("--max-basis", type=int, default=MAX_BASIS)
    options = parser.parse_args(arguments)
    jobs = [Job({"figure": 1}, curves)]
    jobs += [
        Job({"set": name, "partition": k}, bound(run, name, k, options.max_basis))
        for k in range(options.partitions)
        for name in options.sets
    ]
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
