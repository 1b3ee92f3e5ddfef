"""Why we may lose where we do: suspicions, unless they say that something was measured."""

__all__ = ["CAUSES"]

#: Set → the suspected cause.
CAUSES: dict[str, str] = {
    "co2": "a yearly cycle in a weekly series: the length scale is that of the trend, "
    "and the cycle is left to the noise",
    "pol": "the target has eleven values (RMSE and CRPS are the lowest): quantiles of the trees "
    "fall together on them, and a density between equal quantiles is as high as one likes",
    "keggdirected": "the target has 347 values, eight of which are 45 % of the rows (RMSE and CRPS "
    "are the lowest): as for pol",
    "usps": "ten functions share 260 basis vectors of 256 columns; with 600, in ten times the "
    "seconds, the error of another split is that of the trees",
    "wine": "35 test rows: one of them is wrong",
    "breast_cancer": "55 test rows",
}
