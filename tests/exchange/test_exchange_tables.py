"""Exports of tables: what is written is read back by the csv and json modules, pyarrow and Spark."""

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession

from wikisearch.errors import InputError, SchemaError, UsageError
from wikisearch.exchange.files import write_lines
from wikisearch.exchange.tables import ExportTableParams, export_table
from wikisearch.schemas import TABLES

# Texts that a careless writer breaks: separators, quotes, line ends, outer blanks, NULL beside empty.
ODD_TEXT = ' a "quoted"\ttab, comma\nline\r\nback\\slash\rcr\u2028ls\u2029ps\u0085nel\x0bvt\x0cff '
ARTICLES = [
    (2, 20, "B", ODD_TEXT, "", False, "article", ["x, y", 'z "q"'], [("T", "an anchor", 5, True)], "a.xml"),
    (1, None, "\N{GREEK SMALL LETTER ALPHA}", "", "s", True, "disambiguation", [], [], "a.xml"),
    (10, 7, "plain", "plain", "plain", False, "article", [], [], "b.xml"),
]


@pytest.fixture
def articles(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ARTICLES, TABLES["articles"].struct).repartition(3)


def params_of(path: Path, file_format: str, **more: bool) -> ExportTableParams:
    return ExportTableParams("articles", str(path), file_format, **more)


def records_of(path: Path, separator: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=separator))


def check_records(records: list[dict[str, str]]) -> None:
    """The articles, in order, as text."""
    assert [record["page_id"] for record in records] == ["1", "2", "10"]
    first, second, third = records
    assert list(first) == TABLES["articles"].column_names
    assert (first["revision_id"], first["title"], first["is_disambiguation"]) == (
        "",
        "\N{GREEK SMALL LETTER ALPHA}",
        "true",
    )
    assert second["text"] == ODD_TEXT
    assert third["text"] == "plain"
    assert json.loads(second["categories"]) == ["x, y", 'z "q"']
    assert json.loads(second["mentions"]) == [
        {"target_title": "T", "anchor": "an anchor", "position": 5, "is_in_first_sentence": True}
    ]
    assert json.loads(first["mentions"]) == []


@pytest.mark.spark
@pytest.mark.parametrize(("file_format", "separator"), [("csv", ","), ("tsv", "\t")])
def test_one_file_with_separators(articles: DataFrame, tmp_path: Path, file_format: str, separator: str) -> None:
    path = tmp_path / "out"
    export_table(articles, params_of(path, file_format))
    check_records(records_of(path, separator))
    # NULL is nothing, the empty text is quoted.
    begin = separator.join(["1", "", "\N{GREEK SMALL LETTER ALPHA}", '""', "s"])
    assert path.read_text(encoding="utf-8").splitlines()[1].startswith(begin)


@pytest.mark.spark
def test_one_file_of_json_lines(articles: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    export_table(articles, params_of(path, "jsonl"))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    assert [list(row) for row in rows] == [TABLES["articles"].column_names] * 3  # NULL has its key too
    assert [row["page_id"] for row in rows] == [1, 2, 10]
    assert rows[0]["revision_id"] is None
    assert rows[1]["text"] == ODD_TEXT
    assert rows[1]["mentions"][0]["position"] == 5


@pytest.mark.spark
def test_the_same_table_is_the_same_file(articles: DataFrame, tmp_path: Path) -> None:
    for num_partitions in (1, 7):
        export_table(articles.repartition(num_partitions), params_of(tmp_path / str(num_partitions), "tsv"))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "7").read_bytes()


@pytest.mark.spark
def test_folders_of_parts(spark: SparkSession, articles: DataFrame, tmp_path: Path) -> None:
    export_table(articles, params_of(tmp_path / "csv", "csv", as_directory=True))
    records = [record for part in (tmp_path / "csv").glob("part-*") for record in records_of(part, ",")]
    check_records(sorted(records, key=lambda record: int(record["page_id"])))
    export_table(articles, params_of(tmp_path / "jsonl", "jsonl", as_directory=True))
    read_back = spark.read.schema(TABLES["articles"].struct).json(str(tmp_path / "jsonl"))
    assert sorted(read_back.collect()) == sorted(articles.collect())
    export_table(articles, params_of(tmp_path / "parquet", "parquet"))
    found = pyarrow.parquet.read_table(tmp_path / "parquet").to_pylist()
    assert sorted(found, key=lambda row: row["page_id"])[1]["text"] == ODD_TEXT
    assert len(found) == 3


@pytest.mark.spark
def test_what_is_there_stays(articles: DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    for file_format in ("tsv", "parquet"):
        with pytest.raises(InputError, match="is there already; name another"):
            export_table(articles, params_of(path, file_format))
    with pytest.raises(InputError, match="is a file, which is no export's part"):
        export_table(articles, params_of(path, "parquet", overwrite=True))
    assert path.read_text() == "old"
    export_table(articles, params_of(path, "tsv", overwrite=True))
    assert len(records_of(path, "\t")) == 3
    # Spark empties a folder before it writes there: only one that it wrote may be named.
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter1.tex").write_text("dear")
    with pytest.raises(InputError, match=r"holds 'chapter1.tex', which is no export's part"):
        export_table(articles, params_of(folder, "csv", as_directory=True, overwrite=True))
    assert (folder / "chapter1.tex").read_text() == "dear"
    for _ in range(2):
        export_table(articles, params_of(tmp_path / "again", "parquet", overwrite=True))
    assert pyarrow.parquet.read_table(tmp_path / "again").num_rows == 3


@pytest.mark.spark
def test_another_table_than_was_named(articles: DataFrame, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="table 'links'"):
        export_table(articles, ExportTableParams("links", str(tmp_path / "out")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
def test_a_table_without_key_and_one_with_a_map(spark: SparkSession, tmp_path: Path) -> None:
    rejects = [("f", None, None, "bad_xml", "<x"), ("f", 3, "T", "bad_xml", "<x"), ("e", 9, "T", "no_title", "")]
    export_table(
        spark.createDataFrame(rejects, TABLES["page_rejects"].struct),
        ExportTableParams("page_rejects", str(tmp_path / "rejects"), "csv"),
    )
    assert (tmp_path / "rejects").read_text().splitlines()[1:] == [
        'e,9,T,no_title,""',
        "f,,,bad_xml,<x",
        "f,3,T,bad_xml,<x",
    ]
    given = {"namespaces": {0: ""}, "source_files": []}
    site = [given.get(c.name, None if c.nullable else "x") for c in TABLES["sites"].columns]
    export_table(
        spark.createDataFrame([site], TABLES["sites"].struct),
        ExportTableParams("sites", str(tmp_path / "sites"), "tsv"),
    )
    assert json.loads(records_of(tmp_path / "sites", "\t")[0]["namespaces"]) == {"0": ""}


def test_parameters_out_of_range() -> None:
    with pytest.raises(UsageError, match=r"--table link: no such table; the tables are: sites, .*links"):
        ExportTableParams("link", "out")
    with pytest.raises(UsageError, match="--format xlsx: unknown; the formats are: csv, tsv, jsonl, parquet"):
        ExportTableParams("links", "out", "xlsx")


def test_lines_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert write_lines(iter(["a", "\u00e9"]), str(path)) == 2
    assert path.read_bytes() == "a\n\u00e9\n".encode()

    def broken():
        yield "new"
        raise InputError("the second line is bad")

    with pytest.raises(InputError, match="the second line is bad"):
        write_lines(broken(), str(path), overwrite=True)
    assert path.read_bytes() == "a\n\u00e9\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["lines"]
