"""The numbers of this room, and what each trades."""

from typing import Final

#: Rows up to which neighbours are found by brute force, by products: on six sets of 3,800 to 7,400
#: rows it takes a thirteenth to the same time as a k-d tree.
MOST_ROWS_OF_BRUTE_FORCE: Final = 10_000
#: Coordinates up to which neighbours of more rows are found by a k-d tree, and the number that
#: shares the variance, up to which a tree serves more of them. On six sets of 13,000 to 36,000 rows
#: it takes a third to one and a half times as long; with 16 coordinates seven times.
MOST_TREE_COORDINATES: Final = 8
MOST_SHARED_COORDINATES: Final = 5.0
#: Rows from which a tree serves up to this number: with ten times the rows brute force takes ten
#: times as long, a tree two to three times. Of 200,000 rows a query with the slack of learning took
#: .3 ms in 11 coordinates of houseelectric (brute force 2.3), .6 in 10 and 4.2 in 16 random ones
#: (2.5, 3.3).
MANY_ROWS: Final = 100_000
MOST_SHARED_COORDINATES_OF_MANY: Final = 12.0

#: Distances of a block of brute force: a few megabytes, which stay in the cache. And the groups of
#: rows a neighbour whose least distances bound its own: more groups have fewer rows within the
#: bound, but more least distances.
DISTANCES_OF_BLOCK: Final = 2**19
GROUPS_A_NEIGHBOUR: Final = 8

#: Numbers of a batch of blocks that are held at a time: large enough for products, small enough
#: for the cache of a core times a few.
BATCH_VALUES: Final = 2**21
#: On a device a batch fills its cores: a quarter of a gigabyte.
BATCH_VALUES_ON_DEVICE: Final = 2**25

#: Squared distances that a search on a device holds at a time (a gigabyte), and how much of the
#: largest coordinates' square they may differ by rounding alone.
DISTANCES_ON_DEVICE: Final = 2**27
ROUNDING_OF_DISTANCES: Final = 1e-12
#: Rows up to which the host decides among rows that are equally far to rounding, so that a model on
#: a device is that of the host. Of more rows the device takes any of them: of 1.8 million the host
#: would need seconds for a tree, for every metric that is tried. Models of the host and of a device
#: are compared on tables of up to 36,000 rows.
MOST_ROWS_OF_TIES_ON_HOST: Final = 50_000

#: Whitened features of neighbours that a prediction holds at a time (half a gigabyte): whitening a
#: row costs m², so each neighbour is whitened once for as many predicted rows as fit.
FEATURE_VALUES: Final = 2**26
#: The same on a device: four gigabytes.
FEATURE_VALUES_ON_DEVICE: Final = 2**29
