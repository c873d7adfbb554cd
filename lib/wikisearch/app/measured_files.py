"""Evaluation of files without a root: TREC runs and qrels, LETOR lists with predictions."""

from dataclasses import dataclass, field, replace
from functools import partial, reduce

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from wikisearch.errors import InputError, UsageError
from wikisearch.evaluation.evaluate import ALL_SPLITS, EvaluateParams, Evaluation, evaluate
from wikisearch.evaluation.folds import mean_of_folds, with_folds
from wikisearch.exchange.folds import read_folds
from wikisearch.exchange.letor import letor_qrels, letor_run, read_letor, read_predictions
from wikisearch.exchange.trec import COLLAPSE, REFUSE, read_qrels, read_run_lines, stem, systems_of_files


@dataclass(frozen=True)
class MeasuredFilesParams:
    """The files that are evaluated where there is no root."""

    qrels: tuple[str, ...] = field(
        default=(),
        metadata={"help": "judgements in TREC's form: files, globs or folders; plain, or as bz2, gz, xz or zst"},
    )
    run: tuple[str, ...] = field(
        default=(), metadata={"help": "run files in TREC's form; each is a system, which has the file's name"}
    )
    by_tag: bool = field(default=False, metadata={"help": "name systems by the last column of their lines"})
    letor: tuple[str, ...] = field(
        default=(), metadata={"help": "LETOR files (label qid:… features # docid = …) in place of qrels"}
    )
    features: tuple[int, ...] = field(
        default=(), metadata={"help": "features of the LETOR files to evaluate, each as a system"}
    )
    predictions: tuple[str, ...] = field(
        default=(),
        metadata={"help": "files of one score a line, in the order of the LETOR files' lines; each is a system"},
    )
    lenient: bool = field(
        default=False,
        metadata={"help": "count faulty lines and go on, making of them what trec_eval would, where it would"},
    )
    collapse_subtopics: bool = field(
        default=False, metadata={"help": "take the highest grade of a document's subtopics (diversity qrels)"}
    )
    folds: str | None = field(
        default=None, metadata={"help": "file of query and fold: means by fold, pooled, and over the folds"}
    )

    @property
    def names_files(self) -> bool:
        """Whether there are files to evaluate."""
        return bool(self.qrels or self.run or self.letor or self.features or self.predictions)


def check_no_files(params: MeasuredFilesParams) -> None:
    """Raises UsageError if files are given where the tables of a root are evaluated."""
    if params.names_files or params.folds is not None:
        raise UsageError("files are evaluated without a root: leave out --root, or the files")


def check_measured_files(params: MeasuredFilesParams) -> None:
    """Raises unless the files that are given are those of one kind, with something to evaluate.

    Raises:
        UsageError: of what is missing, or too much.
    """
    if params.letor:
        if params.qrels or params.run:
            raise UsageError("--letor: its labels are the judgements; leave out --qrels and --run")
        if not params.features and not params.predictions:
            raise UsageError("--letor: say what ranks its documents, by --features 25 or --predictions FILE")
    elif params.features or params.predictions:
        raise UsageError("--features and --predictions belong to LETOR files: name them with --letor")
    elif not (params.qrels and params.run):
        raise UsageError("give --root and --snapshot, or files: --qrels FILE --run FILE..., or --letor FILE...")


def evaluate_files(spark: SparkSession, files: MeasuredFilesParams, params: EvaluateParams) -> Evaluation:
    """`evaluate` of files; every query is of split `all`, or of the split that is its fold.

    It acts: it checks every line, and what `evaluate` does.

    Args:
        spark: the session.
        files: what to read.
        params: measures, systems and query sets.

    Raises:
        UsageError: files are missing or do not go together.
        InputError: a file cannot be read or has a faulty line, and as in `evaluate`.
    """
    check_measured_files(files)
    evaluation = (_evaluate_letor if files.letor else _evaluate_trec)(spark, files, params)
    if files.folds is None:
        return evaluation
    metrics = evaluation.metrics
    return replace(evaluation, metrics=metrics.unionByName(mean_of_folds(metrics)))


def _by_fold(qrels: DataFrame, files: MeasuredFilesParams) -> DataFrame:
    return qrels if files.folds is None else with_folds(qrels, read_folds(files.folds))


def _evaluate_letor(spark: SparkSession, files: MeasuredFilesParams, params: EvaluateParams) -> Evaluation:
    letor = read_letor(spark, files.letor)
    runs = [letor_run(letor, feature, split=ALL_SPLITS) for feature in files.features]
    runs += [
        read_predictions(spark, path, letor, split=ALL_SPLITS, system=stem(path)) for path in files.predictions
    ]
    qrels = _by_fold(letor_qrels(letor, split=ALL_SPLITS), files)
    return evaluate(reduce(DataFrame.unionByName, runs), qrels, params)


def _evaluate_trec(spark: SparkSession, files: MeasuredFilesParams, params: EvaluateParams) -> Evaluation:
    """Of runs and qrels; faulty lines of runs are counted while the lists are ranked, not in a pass before."""
    systems = () if files.by_tag else systems_of_files(files.run)
    read = partial(read_run_lines, spark, files.run, split=ALL_SPLITS, by_file=not files.by_tag)
    subtopics = COLLAPSE if files.collapse_subtopics else REFUSE
    qrels = _by_fold(
        read_qrels(spark, files.qrels, split=ALL_SPLITS, lenient=files.lenient, subtopics=subtopics), files
    )
    if files.lenient:
        return evaluate(read(lenient=True), qrels, params, systems)
    seen = Observation()
    lines = read(check=False).observe(seen, F.count("fault").alias("num_faulty"))
    try:
        evaluation = evaluate(lines.drop("fault"), qrels, params, systems)
    except InputError:
        read(check=True)  # a faulty line is the better reason
        raise
    if seen.get["num_faulty"]:
        evaluation.lists.unpersist()
        read(check=True)
    return evaluation
