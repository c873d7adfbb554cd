"""The split of each query, from a hash of its page id.

u = (first 32 bits of SHA-256 of the text "seed:page_id") / 2^32, in [0, 1); u below the test share is test,
below test share + validation share validation, else training. No other query has a say in it, and neither
row order nor partitions do: the same in every run, and from one dump to the next (a page keeps its id, also
when it is renamed), so a query never moves from test to training.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from wikisearch.collection.params import CollectionParams

TRAINING, VALIDATION, TEST = "training", "validation", "test"
SPLITS = (TRAINING, VALIDATION, TEST)


def split_of(page_id: Column, params: CollectionParams) -> Column:
    """STRING, the split of the query that is made from a page.

    Args:
        page_id: BIGINT.
        params: seed, `validation_share`, `test_share`.
    """
    seeded = F.concat_ws(":", F.lit(str(params.seed)), page_id.cast("string"))
    u = F.conv(F.substring(F.sha2(seeded, 256), 1, 8), 16, 10).cast("bigint") / F.lit(2**32)
    return (
        F.when(u < params.test_share, TEST)
        .when(u < params.test_share + params.validation_share, VALIDATION)
        .otherwise(TRAINING)
    )
