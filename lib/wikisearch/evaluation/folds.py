"""Folds of queries for cross-validation: how they are drawn, how they rotate, and the mean over them.

A fold takes the place of a split: `metrics` then has a mean for each fold, the pooled one over all queries
(split `all`), and the mean of the folds' means, which is what LETOR publishes.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wikisearch.errors import InputError
from wikisearch.evaluation.evaluate import ALL_SPLITS
from wikisearch.frames import conform

MEAN_OF_FOLDS = "mean_of_folds"


@dataclass(frozen=True)
class Rotation:
    """One turn of a cross-validation: the folds to train, to choose parameters, and to test with."""

    number: int
    training: tuple[str, ...]
    validation: tuple[str, ...]
    test: str


def draw_folds(query_ids: Iterable[str], num_folds: int, seed: int) -> dict[str, str]:
    """The fold of each query, `1` to `num_folds`, drawn at random in sizes that differ by one at most.

    Queries are put in the order of the sha256 of seed and id, and dealt out in turn: the folds depend on the
    set of queries and the seed alone.

    Args:
        query_ids: each once.
        num_folds: at least 2.
        seed: another one draws other folds.

    Raises:
        InputError: there are fewer queries than folds, or fewer than two folds are asked for.
    """
    queries = set(query_ids)
    if not 2 <= num_folds <= len(queries):
        raise InputError(f"{num_folds} folds of {len(queries)} queries: there must be 2 at least, a query in each")

    def key(query_id: str) -> bytes:
        return hashlib.sha256(f"{seed} {query_id}".encode()).digest()

    return {query_id: str(place % num_folds + 1) for place, query_id in enumerate(sorted(queries, key=key))}


def rotations(folds: Sequence[str], num_validation: int = 1) -> Iterator[Rotation]:
    """Every turn of a cross-validation, in which each fold is the test fold once.

    With five folds and one of validation these are LETOR's Fold1 to Fold5: S1 S2 S3 | S4 | S5, then
    S2 S3 S4 | S5 | S1 (Qin, Liu, Xu & Li, LETOR, Information Retrieval 13(4), 2010, section 3.3).

    Args:
        folds: at least two more than `num_validation`.
        num_validation: folds to choose parameters with, 0 for none.

    Raises:
        InputError: there are too few folds.
    """
    num_training = len(folds) - num_validation - 1
    if num_validation < 0 or num_training < 1:
        raise InputError(f"{len(folds)} folds: too few for {num_validation} of validation, 1 of test and training")
    for number in range(len(folds)):
        turned = [*folds[number:], *folds[:number]]
        yield Rotation(
            number + 1, tuple(turned[:num_training]), tuple(turned[num_training:-1]), turned[-1]
        )


def with_folds(table: DataFrame, folds: Mapping[str, str]) -> DataFrame:
    """A table of queries with each query's fold as its split (acts, to check them).

    Args:
        table: query_id, split, and others; `qrels`, say.
        folds: the fold of each query.

    Raises:
        InputError: a query has no fold; the first one is named.
    """
    names = table.sparkSession.createDataFrame(list(folds.items()), "query_id string, fold string")
    joined = table.join(F.broadcast(names), on="query_id", how="left")
    missing = joined.where(F.col("fold").isNull()).agg(
        F.min("query_id").alias("first"), F.count_distinct("query_id").alias("num")
    ).collect()[0]
    if missing["num"]:
        raise InputError(f"folds: query '{missing['first']}' has no fold, nor have {missing['num'] - 1} others")
    return joined.withColumn("split", F.col("fold")).select(*table.columns)


def mean_of_folds(metrics: DataFrame) -> DataFrame:
    """Rows of `metrics` with split `mean_of_folds`: the mean of the means of all splits but `all`.

    Each fold counts the same, however many queries it has; num_queries and the other counts are sums.

    Args:
        metrics: table of `schemas`, whose splits are folds.
    """
    # As decimals, which add up to the same in any order.
    total = F.sum(F.col("mean").cast("decimal(38, 18)"))
    counts = [name for name in metrics.columns if name.startswith("num_queries")]
    means = (
        metrics.where(F.col("split") != ALL_SPLITS)
        .groupBy("system", "family", "measure", "query_set")
        .agg(
            (total.cast("double") / F.count(F.lit(1))).alias("mean"),
            *[F.sum(name).alias(name) for name in counts],
        )
        .withColumn("split", F.lit(MEAN_OF_FOLDS))
    )
    return conform(means, "metrics")
