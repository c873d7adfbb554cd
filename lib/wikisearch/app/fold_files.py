"""What the job `make_folds` does: queries in, a file of folds out."""

import logging
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.evaluate import ALL_SPLITS
from wikisearch.evaluation.folds import draw_folds
from wikisearch.exchange.files import check_output
from wikisearch.exchange.folds import write_folds
from wikisearch.exchange.letor import read_letor
from wikisearch.exchange.trec import read_qrels, stem

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class MakeFoldsParams:
    """Parameters of `make_folds`."""

    output: str = field(metadata={"help": "local file to write: a query, a tab and its fold on each line"})
    qrels: tuple[str, ...] = field(default=(), metadata={"help": "qrels files, where there is no root"})
    letor: tuple[str, ...] = field(
        default=(),
        metadata={"help": "LETOR files that are folds already (S1.txt ... S5.txt), in place of drawn ones"},
    )
    num_folds: int = field(default=5, metadata={"help": "how many folds"})
    seed: int = field(default=42, metadata={"help": "another one draws other folds"})
    overwrite: bool = field(default=False, metadata={"help": "replace a file that is there"})


def make_folds(qrels: DataFrame, params: MakeFoldsParams) -> None:
    """Draws folds of the queries of qrels and writes them (acts: collects the ids of the queries).

    Args:
        qrels: query_id.
        params: how many, and where to.

    Raises:
        InputError: there are too few queries, or the file cannot be written.
    """
    check_output(params.output, overwrite=params.overwrite)
    queries = [row["query_id"] for row in qrels.select("query_id").distinct().collect()]
    folds = draw_folds(queries, params.num_folds, params.seed)
    remark = f"folds of {len(queries)} queries, seed {params.seed}"
    write_folds(folds, params.output, remark, overwrite=params.overwrite)
    _LOG.info("%s: %d %s", params.output, params.num_folds, remark)


def folds_of_files(spark: SparkSession, params: MakeFoldsParams) -> None:
    """The same of the queries of qrels files; or the folds that LETOR's files are.

    Raises:
        UsageError: no file is named, or both kinds are.
        InputError: a file cannot be read, a query stands in several LETOR files, and as in `make_folds`.
    """
    if bool(params.qrels) == bool(params.letor):
        raise UsageError("give --root, or files of one kind: --qrels FILE... or --letor FILE...")
    if params.qrels:
        make_folds(read_qrels(spark, params.qrels, split=ALL_SPLITS), params)
        return
    check_output(params.output, overwrite=params.overwrite)
    folds: dict[str, str] = {}
    for row in read_letor(spark, params.letor).select("query_id", "file").distinct().collect():
        if row["query_id"] in folds:
            raise InputError(f"letor: query '{row['query_id']}' stands in several files: these are no folds")
        folds[row["query_id"]] = stem(row["file"])
    write_folds(folds, params.output, "folds as LETOR's files have them", overwrite=params.overwrite)
