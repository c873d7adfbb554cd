"""One system's lists, and the judgements beside them, as files for trec_eval and its kin."""

from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame

from wikisearch.errors import UsageError
from wikisearch.exchange.files import check_output
from wikisearch.exchange.write_trec import write_qrels, write_run


@dataclass(frozen=True)
class ExportRunParams:
    """Parameters of `export_run`."""

    system: str = field(metadata={"help": "whose ranked lists, as in the runs table (bm25)"})
    output: str = field(metadata={"help": "local file to write the run to, in TREC's format"})
    qrels_output: str | None = field(
        default=None, metadata={"help": "local file to write the judgements to, in TREC's format"}
    )
    split: str | None = field(
        default=None, metadata={"help": "training, validation or test: its queries only; all if not given"}
    )
    overwrite: bool = field(default=False, metadata={"help": "replace files that are there"})

    def __post_init__(self) -> None:
        if self.qrels_output is not None and Path(self.qrels_output) == Path(self.output):
            raise UsageError(f"--output and --qrels-output are both {self.output}; name two files")


def export_run(runs: DataFrame, qrels: DataFrame, params: ExportRunParams) -> dict[str, int]:
    """Writes the files and returns the number of lines of each, by its path (acts).

    Args:
        runs: table `runs`.
        qrels: table `qrels`; read only if the parameters ask for its file.
        params: what and where to.

    Raises:
        InputError: a file cannot be written, or a table has no rows for it.
    """
    if params.qrels_output is not None:
        check_output(params.qrels_output, overwrite=params.overwrite)
    num_lines = {
        params.output: write_run(
            runs, params.output, params.system, split=params.split, overwrite=params.overwrite
        )
    }
    if params.qrels_output is not None:
        num_lines[params.qrels_output] = write_qrels(
            qrels, params.qrels_output, split=params.split, overwrite=params.overwrite
        )
    return num_lines
