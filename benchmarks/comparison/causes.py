"""Why we may lose where we do: suspicions, unless they say that something was measured."""

__all__ = ["CAUSES"]

#: Set → the suspected cause.
CAUSES: dict[str, str] = {
    "co2": "a yearly cycle in a weekly series: the length scale is that of the trend, "
    "and the cycle is left to the noise",
    "wine": "35 test rows: one of them is wrong",
    "breast_cancer": "55 test rows",
}
