"""The numbers of this room, and what each trades."""

from typing import Final

#: Coordinates up to which neighbours are found by a k-d tree; beyond, brute force by products is
#: the faster one as a rule. Not measured on this code yet.
MOST_TREE_COORDINATES: Final = 8

#: Numbers of a batch of blocks that are held at a time: large enough for products, small enough
#: for the cache of a core times a few.
BATCH_VALUES: Final = 2**21

#: Whitened features of neighbours that a prediction holds at a time (half a gigabyte): whitening a
#: row costs m², so each neighbour is whitened once for as many predicted rows as fit.
FEATURE_VALUES: Final = 2**26
