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
    "diamonds": "cut, colour and clarity are grades with an order, which categories have not",
    "house8l": "the largest prices decide the RMSE; warp and noise follow densities",
    "house16h": "the largest prices decide the RMSE; warp and noise follow densities",
    "splice": "held-out rows chose sites; a regression on labels has a log loss .01 to .02 lower",
    "image": "nine of 462 test rows are wrong, four of LightGBM's",
    "digits": "one of 359 test rows",
    "titanic": "three of 440 test rows",
    "verbagg": "held-out rows chose sites, narrowly; a regression on labels has .255 and .499",
    "wine": "35 test rows: one of them is wrong",
    "breast_cancer": "55 test rows",
}
