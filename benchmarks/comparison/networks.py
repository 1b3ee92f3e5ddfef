"""RealMLP and TabM of pytabkit, with its tuned defaults and its own validation rows."""

from collections.abc import Callable
from typing import Any

from benchmarks.comparison.encodings import as_numbers
from benchmarks.comparison.fitted import FittedModel, Task
from benchmarks.comparison.heads import Means, better_density

__all__ = ["network"]


def network(name: str) -> Callable[[Task], FittedModel]:
    """Return a fit of ``RealMLP_TD`` or ``TabM_D``; its density is normal with one variance."""

    def fit(task: Task) -> FittedModel:
        import pytabkit

        kind = getattr(pytabkit, f"{name}_{'Classifier' if task.labels else 'Regressor'}")
        ready = as_numbers(task.X, scaled=False)

        def model_of(of: Task) -> Any:
            model = kind(device="cpu", random_state=of.seed, n_threads=of.threads)
            return model.fit(ready(of.X), of.y)

        def point(of: Task) -> Means:
            model = model_of(of)
            return lambda X: model.predict(ready(X)).ravel()

        if task.labels:
            labels = model_of(task)
            return FittedModel(lambda X: labels.predict_proba(ready(X)), None)
        predict = point(task)
        return FittedModel(predict, lambda: better_density(task, point, None, ""))

    return fit
