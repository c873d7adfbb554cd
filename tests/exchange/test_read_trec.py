"""TREC files of other tools: what is read, what is a fault, and what lenient reading makes of faults."""

import gzip
import math
from pathlib import Path

import pytest
import pytrec_eval
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, UsageError
from wikisearch.exchange.lines import read_lines
from wikisearch.exchange.trec import (
    read_qrels,
    read_qrels_lines,
    read_run,
    read_run_lines,
    stem,
)
from wikisearch.exchange.trec_lines import explain_qrels, explain_run, qrels_records, run_records
from wikisearch.schemas import TABLES

pytestmark = pytest.mark.spark


def rows_of(df: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in df.collect())


def scores(df: DataFrame) -> dict[tuple[str, str, str], float]:
    return {(row["system"], row["query_id"], row["doc_id"]): row["score"] for row in df.collect()}


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_reading_what_other_tools_write(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "odd.run.gz"
    text = (
        "\ufeff1\tQ0\tb\t7\t1e-3\tone\r\n"  # byte order mark, tabs, CRLF, a rank that is wrong
        "\r\n"
        "# a comment\n"
        " \t \n"
        "  1   Q0 a   1  .5  one\n"
        "1 Q0 c#1 1 -Inf one and a remark\n"
        "1\t Q0 \td 1\t0x10  one \t\n"
        "01 whatever a x +3. two"  # neither second column nor rank is read; no end of line
    )
    path.write_bytes(gzip.compress(text.encode()))
    for lenient in (False, True):
        found = read_run(spark, str(path), split="test", lenient=lenient)
        assert found.columns == TABLES["runs"].column_names
        assert rows_of(found) == [
            ("one", "1", "a", 2, 0.5, "test"),
            ("one", "1", "b", 3, 0.001, "test"),
            ("one", "1", "c#1", 4, -math.inf, "test"),
            ("one", "1", "d", 1, 16.0, "test"),
            ("two", "01", "a", 1, 3.0, "test"),
        ]


def test_names_of_systems(spark: SparkSession, tmp_path: Path) -> None:
    one = write(tmp_path, "bm25.k1=0.9.run", "1 Q0 a 1 1.0 tag\n")
    two = write(tmp_path, "other.txt", "1 Q0 a 1 2.0 tag\n1 Q0 b 1 1.0 gat\n")
    both = [one, two]
    assert {key[0] for key in scores(read_run_lines(spark, two, split="s"))} == {"tag", "gat"}
    assert {key[0] for key in scores(read_run_lines(spark, two, split="s", system="mine"))} == {"mine"}
    found = read_run_lines(spark, both, split="s", by_file=True)
    assert scores(found) == {
        ("bm25.k1=0.9", "1", "a"): 1.0,
        ("other", "1", "a"): 2.0,
        ("other", "1", "b"): 1.0,
    }
    ordered = found.orderBy("position").select("file", "position.file", "doc_id").collect()
    assert [tuple(row) for row in ordered] == [(one, 0, "a"), (two, 1, "a"), (two, 1, "b")]
    (tmp_path / "more").mkdir()
    again = write(tmp_path / "more", "other.run", "")
    with pytest.raises(InputError, match=f"run '{again}': would be system 'other', as '{two}' is; rename"):
        read_run_lines(spark, [*both, again], split="s", by_file=True)
    with pytest.raises(UsageError, match="not both"):
        read_run_lines(spark, both, split="s", system="mine", by_file=True)


def test_the_stem_of_a_file() -> None:
    names = {"a.run.gz": "a", "x/b.txt": "b", "c.run.txt": "c.run", "d.zst": "d", ".run": ".run", "v1.2": "v1.2"}
    assert {name: stem(name) for name in names} == names


RUN_FAULTS = {
    # line: (reason, what lenient reading makes of it: system and score; None: left out)
    "1 Q0 a 1 1.0": ("it has 5 columns, not the 6 of 'query Q0 document rank score tag'", ("x", 1.0)),
    "1 Q0 a 1.0": ("it has 4 columns, not the 6 of 'query Q0 document rank score tag'", None),
    "1": ("it has 1 column, not the 6 of 'query Q0 document rank score tag'", None),
    "1 Q0 a 1 abc t": ("the score 'abc' is not a number", ("t", 0.0)),
    "1 Q0 a 1 1,5 t": ("the score '1,5' is not a number", ("t", 1.0)),
    "1 Q0 a 1 1.0d t": ("the score '1.0d' is not a number", ("t", 1.0)),
    "1 Q0 a 1 - t": ("the score '-' is not a number", ("t", 0.0)),
    "1 Q0 a 1 NaN t": ("the score 'NaN' is NaN: it has no place in an order", None),
    " # no comment": ("it has 3 columns, not the 6 of 'query Q0 document rank score tag'", None),
}


def test_faults_of_runs(spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = [line.replace(" a ", f" a{number} ") for number, line in enumerate(RUN_FAULTS)]
    path = write(tmp_path, "x.run", "\n".join(["# comment", "1 Q0 b 1 2.0 t", "", *lines, "1 Q0 c 1 0.5 t"]))
    records = run_records(read_lines(spark, [path], "run")).where("fault IS NOT NULL").orderBy("position")
    explained = [explain_run(row["fault"], row["value"]) for row in records.collect()]
    assert explained == [reason for reason, _ in RUN_FAULTS.values()]
    with pytest.raises(InputError) as caught:
        read_run(spark, path, split="s")
    assert str(caught.value) == (
        f"run '{path}', line 4: {explained[0]} (and 8 more faulty lines); correct the file, or read it leniently"
    )
    unchecked = read_run_lines(spark, path, split="s", check=False)
    assert unchecked.where("fault IS NOT NULL").count() == len(lines)
    expected = {("t", "1", "b"): 2.0, ("t", "1", "c"): 0.5}
    for number, (_, made) in enumerate(RUN_FAULTS.values()):
        if made is not None:
            expected[made[0], "1", f"a{number}"] = made[1]
    assert scores(read_run_lines(spark, path, split="s", lenient=True)) == expected
    assert [record.getMessage() for record in caplog.records] == [
        "run: 3 lines have too few columns and are left out",
        "run: 1 lines have five columns: the file's name stands for the tag",
        "run: 4 lines have a score that is not a number: what it begins with is taken, or 0",
        "run: 1 lines have the score NaN and are left out",
    ]


def test_the_first_faulty_line_of_several_files(spark: SparkSession, tmp_path: Path) -> None:
    good = "1 Q0 b 1 2.0 t\n"
    paths = [
        write(tmp_path, "z.run", good * 3),
        write(tmp_path, "b.run", good * 16 + "1 Q0 a 1 abc t\n" + good + "1 Q0\n"),
        write(tmp_path, "a.run", "1\n1 Q0 a 1 nan t\n"),
    ]
    with pytest.raises(InputError) as caught:
        read_run_lines(spark, paths, split="s")
    assert str(caught.value) == (
        f"run '{paths[1]}', line 17: the score 'abc' is not a number (and 3 more faulty lines); "
        "correct the file, or read it leniently"
    )


def test_line_numbers_in_a_file_that_many_tasks_read(spark: SparkSession, tmp_path: Path) -> None:
    texts = [f"{number // 100} Q0 d{number} 1 {number}.5 t" for number in range(5000)]
    texts[3210] = "1 Q0 d 1 x t"
    texts[4000] = "1"
    path = write(tmp_path, "big.run", "\n".join(texts))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    try:
        with pytest.raises(
            InputError, match=r"line 3211: the score 'x' is not a number \(and 1 more faulty line\);"
        ):
            read_run_lines(spark, path, split="s")
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_of_duplicates_the_last_line_wins_leniently(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = "1 Q0 a 1 3.0 t\n1 Q0 a 2 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 2 9.0 t\n1 Q0 a 2 7.0 u\n"
    one, two = write(tmp_path, "b.run", text), write(tmp_path, "a.run", "1 Q0 b 1 5.0 t\n")
    found = read_run_lines(spark, [one, two], split="s", lenient=True)
    assert found.columns == ["system", "query_id", "doc_id", "score", "split", "file", "position"]
    assert scores(found) == {
        ("t", "1", "a"): 2.0,
        ("t", "1", "b"): 5.0,
        ("t", "2", "a"): 9.0,
        ("u", "1", "a"): 7.0,
    }
    assert "run: 2 lines are left out: a later one is of the same document and query" in caplog.text
    # A strict reader passes them on: the evaluation finds them.
    assert read_run_lines(spark, [one, two], split="s").count() == 6


def test_qrels(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, "qrels", "\ufeff1  0  a  2\r\n\n# 1 0 b 1\n001\t0\ta\t-2\n  1 0 b +1 \n1 0 c#1 0")
    for lenient in (False, True):
        found = read_qrels(spark, path, split="test", lenient=lenient)
        assert found.columns == TABLES["qrels"].column_names
        assert rows_of(found) == [
            ("001", "a", -2, "test"),
            ("1", "a", 2, "test"),
            ("1", "b", 1, "test"),
            ("1", "c#1", 0, "test"),
        ]
    with_places = read_qrels_lines(spark, path, split="test").orderBy("position").collect()
    assert [row["doc_id"] for row in with_places] == ["a", "a", "b", "c#1"]
    assert {row["file"] for row in with_places} == {path}


QRELS_FAULTS = {
    # line: (reason, grade that lenient reading makes of it; None: left out)
    "1 0 a": ("it has 3 columns, not the 4 of 'query 0 document grade'", None),
    "1 0 a 1 x": ("it has 5 columns, not the 4 of 'query 0 document grade'", 1),
    "1 0 a x": ("the grade 'x' is not a whole number", 0),
    "1 0 a 1.5": ("the grade '1.5' is not a whole number", 1),
    "1 0 a 99999999999": ("the grade '99999999999' is not a whole number of 32 bits", 2147483647),
}


def test_faults_of_qrels(spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = [line.replace(" a", f" a{number}") for number, line in enumerate(QRELS_FAULTS)]
    path = write(tmp_path, "qrels", "\n".join(["1 0 b 2", *lines]))
    records = qrels_records(read_lines(spark, [path], "qrels")).where("fault IS NOT NULL").orderBy("position")
    explained = [explain_qrels(row["fault"], row["value"]) for row in records.collect()]
    assert explained == [reason for reason, _ in QRELS_FAULTS.values()]
    with pytest.raises(InputError) as caught:
        read_qrels(spark, path, split="s")
    assert str(caught.value) == (
        f"qrels '{path}', line 2: {explained[0]} (and 4 more faulty lines); correct the file, or read it leniently"
    )
    found = read_qrels(spark, path, split="s", lenient=True).collect()
    grades = {f"a{number}": grade for number, (_, grade) in enumerate(QRELS_FAULTS.values()) if grade is not None}
    assert {row["doc_id"]: row["relevance"] for row in found} == {"b": 2} | grades
    assert [record.getMessage() for record in caplog.records] == [
        "qrels: 1 lines have too few columns and are left out",
        "qrels: 1 lines have more than four columns: the others are not looked at",
        "qrels: 3 lines have a grade that is not a whole number: what it begins with is taken, or 0",
    ]


def test_judgements_of_subtopics(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, "qrels", "1 0 b 1\n51 1 a 1\n51 2 a 3\n51 3 a 0\n51 2 b -2\n")
    for lenient in (False, True):
        with pytest.raises(InputError) as caught:
            read_qrels(spark, path, split="s", lenient=lenient)
        assert str(caught.value) == (
            f"qrels '{path}': document 'a' is judged several times for query '51', with '1' and '3' in the second "
            "column: these are judgements of subtopics (diversity qrels); give those of whole topics, or set "
            "subtopics to collapse, which takes the highest grade"
        )
        found = read_qrels(spark, path, split="s", lenient=lenient, subtopics="collapse")
        assert rows_of(found) == [("1", "b", 1, "s"), ("51", "a", 3, "s"), ("51", "b", -2, "s")]
    with pytest.raises(UsageError, match="subtopics 'max': unknown; say refuse or collapse"):
        read_qrels(spark, path, split="s", subtopics="max")


def test_a_second_column_that_varies_or_a_judgement_that_is_repeated_is_no_subtopic(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(tmp_path, "qrels", "1 0 a 1\n1 Q0 b 1\n1 0 a 2\n")
    assert read_qrels(spark, path, split="s").count() == 3
    assert rows_of(read_qrels(spark, path, split="s", lenient=True)) == [("1", "a", 2, "s"), ("1", "b", 1, "s")]


@pytest.mark.shared
def test_real_files_are_read_as_pytrec_eval_reads_them(spark: SparkSession, shared: Path) -> None:
    web = shared / "data" / "trec_web"
    run = web / "runs" / "indri-2012-ql-catb-filtered.run.gz"
    with gzip.open(run, "rt", encoding="utf-8") as file:
        wanted = pytrec_eval.parse_run(file)
    found: dict[str, dict[str, float]] = {}
    for (_, query, doc), score in scores(read_run_lines(spark, str(run), split="s")).items():
        found.setdefault(query, {})[doc] = score
    assert found == wanted
    qrels = web / "qrels" / "qrels.web.151-200.txt"
    with qrels.open(encoding="utf-8") as file:
        judged = pytrec_eval.parse_qrel(file)
    grades: dict[str, dict[str, int]] = {}
    for query, doc, grade, _ in rows_of(read_qrels(spark, str(qrels), split="s")):
        grades.setdefault(str(query), {})[str(doc)] = int(str(grade))
    assert grades == judged


def test_a_file_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run '.*none': no such file"):
        read_run(spark, str(tmp_path / "none"), split="test")
