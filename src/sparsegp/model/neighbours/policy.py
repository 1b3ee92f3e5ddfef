"""The numbers of this room, and what each trades."""

from typing import Final

#: Coordinates up to which neighbours are found by a k-d tree, and the number that shares the
#: variance, up to which a tree serves more of them. On eight sets it then takes a quarter to the
#: same time as brute force by products; with 6.6 of 32 coordinates four times as long.
MOST_TREE_COORDINATES: Final = 8
MOST_SHARED_COORDINATES: Final = 5.0

#: Coordinates are clipped here: squares of them are finite in single precision.
FURTHEST: Final = 1e17

#: Numbers of a batch of blocks that are held at a time: large enough for products, small enough
#: for the cache of a core times a few.
BATCH_VALUES: Final = 2**21
#: On a device a batch fills its cores: a quarter of a gigabyte.
BATCH_VALUES_ON_DEVICE: Final = 2**25

#: Squared distances that a search on a device holds at a time (a gigabyte), and how much of the
#: largest coordinates' square they may differ by rounding alone.
DISTANCES_ON_DEVICE: Final = 2**27
ROUNDING_OF_DISTANCES: Final = 1e-12

#: Whitened features of neighbours that a prediction holds at a time (half a gigabyte): whitening a
#: row costs m², so each neighbour is whitened once for as many predicted rows as fit.
FEATURE_VALUES: Final = 2**26
#: The same on a device: four gigabytes.
FEATURE_VALUES_ON_DEVICE: Final = 2**29
