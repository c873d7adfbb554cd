"""Dump files → tables through Spark; lxml is the oracle."""

from pathlib import Path

import pytest
from dump_makers import compressed, digest, dump, head, oracle, page, random_pages, revision, write
from pyspark.sql import DataFrame, SparkSession

from wikisearch.dump.files import find_dump_files
from wikisearch.dump.pages import check_written, pages_from_records, parsed_dump, read_dump
from wikisearch.dump.params import DumpParams
from wikisearch.dump.siteinfo import site_of_files
from wikisearch.errors import InputError, UsageError, WikisearchError
from wikisearch.frames import conform

pytestmark = pytest.mark.spark


def _found(pages: DataFrame) -> list[tuple[int, str, str]]:
    rows = pages.select("page_id", "title", "wikitext").collect()
    return sorted((row["page_id"], row["title"], digest(row["wikitext"] or "")) for row in rows)


def _records(spark: SparkSession, params: DumpParams) -> DataFrame:
    files = find_dump_files(params.dump)
    return read_dump(spark, files, site_of_files(files).site, params)


def test_every_page_once(spark: SparkSession, tmp_path: Path) -> None:
    data = dump(*random_pages(11, 200, long_words=30_000))
    for how, num_splits in (("xml", 9), ("bz2", 4), ("multistream", 5), ("gz", 1)):
        path = write(tmp_path, "lamps", data, how)
        split_bytes = -(-Path(path).stat().st_size // num_splits)
        records = _records(spark, DumpParams(dump=(path,), split_bytes=split_bytes, plain_split_bytes=split_bytes))
        assert records.rdd.getNumPartitions() == num_splits
        found = _found(pages_from_records(records))
        assert len(found) == 200
        assert found == sorted(oracle(data))


def test_tables_conform_and_counts_add_up(spark: SparkSession, tmp_path: Path) -> None:
    bad = ["<page><title>No id</title></page>", "<page><id>3</id></page>", "<page><title>Cut"]
    data = dump(
        page(1, "Lamp", revision("old", 5, "2020-01-01T00:00:00Z"), revision("new", 6)),
        *bad,
        page(2, "Gone", revision(None)),
        dbname=None,
    )
    path = write(tmp_path, "xxwiki-20240601", data, "bz2")
    with parsed_dump(spark, DumpParams(dump=(path,), max_reject_share=0.6)) as parsed:
        site = conform(parsed.sites, "sites").collect()[0]
        pages = {row["page_id"]: row for row in conform(parsed.pages, "pages").collect()}
        rejects = conform(parsed.page_rejects, "page_rejects").orderBy("reason").collect()
        facts = parsed.facts
    assert (site["wiki"], site["dump_date"], site["namespaces"][14]) == ("xxwiki", "2024-06-01", "Category")
    assert site["source_files"][0]["path"] == path
    assert (pages[1]["wikitext"], pages[1]["revision_id"], pages[1]["source"]) == ("new", 6, path)
    assert str(pages[1]["revised_at"]) == "2024-05-01 00:00:00"
    assert pages[2]["wikitext"] is None
    assert [(row["reason"], row["page_id"], row["title"]) for row in rejects] == [
        ("no_page_id", None, "No id"),
        ("no_title", 3, None),
        ("truncated", None, None),
    ]
    assert facts == {
        "num_page_starts": 5,
        "num_pages": 2,
        "num_duplicates": 0,
        "num_older_revisions": 1,
        "num_rejects": 3,
        "num_faults": 0,
        "rejects_by_reason": {"no_page_id": 1, "no_title": 1, "truncated": 1},
    }


def test_the_newest_of_duplicates_wins_whatever_the_order_of_files(spark: SparkSession, tmp_path: Path) -> None:
    newer, older = revision("newer", 8, "2024-05-02T00:00:00Z"), revision("older", 7, "2024-05-01T00:00:00Z")
    one = write(
        tmp_path, "one", dump(page(1, "A", newer), page(2, "B", older), page(3, "C", older), page(3, "C", newer))
    )
    two = write(tmp_path, "two", dump(page(1, "A", older), page(2, "B", newer), page(4, "D", older)), "bz2")
    for paths in ((one, two), (two, one)):
        with parsed_dump(spark, DumpParams(dump=paths)) as parsed:
            rows = parsed.pages.orderBy("page_id").collect()
            assert [(row["page_id"], row["wikitext"]) for row in rows] == [
                (1, "newer"),
                (2, "newer"),
                (3, "newer"),
                (4, "older"),
            ]
            assert rows[0]["source"] == one
            assert parsed.facts["num_duplicates"] == 3


def test_a_dump_without_date_in_its_name_has_that_of_its_newest_revision(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(tmp_path, "lamps", dump(page(1, "A", revision("x", 1, "2011-02-03T23:59:59Z")), page(2, "B")))
    with parsed_dump(spark, DumpParams(dump=(path,))) as parsed:
        assert parsed.sites.collect()[0]["dump_date"] == "2011-02-03"


@pytest.mark.parametrize("how", ["xml", "bz2"])
def test_a_dump_that_is_cut_off_is_refused_unless_that_is_allowed(
    spark: SparkSession, tmp_path: Path, how: str
) -> None:
    pages = random_pages(5, 30)
    data = dump(*pages)
    cut = data[: data.index(b"<id>1025</id>") + 200]
    path = write(tmp_path, "cut", cut, how)
    with pytest.raises(InputError) as caught, parsed_dump(spark, DumpParams(dump=(path,))):
        pass
    message = str(caught.value)
    for word in (path, "cut off", "Lamp & 25".replace("&", "&amp;"), "25 whole pages", "--allow-truncated"):
        assert word in message
    with parsed_dump(spark, DumpParams(dump=(path,), allow_truncated=True)) as parsed:
        assert _found(parsed.pages) == sorted(oracle(data))[:25]
        assert [row["reason"] for row in parsed.page_rejects.collect()] == ["truncated"]


def test_a_dump_without_its_end_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, "open", (head() + page(1, "A", revision("x"))).encode())
    with (
        pytest.raises(InputError, match=r"ends before </mediawiki>, after 1 whole"),
        parsed_dump(spark, DumpParams(dump=(path,))),
    ):
        pass


def test_bz2_cut_inside_a_block_or_damaged_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    data = dump(*random_pages(3, 900))
    whole = compressed(data, "bz2")
    cut, damaged = tmp_path / "cut.xml.bz2", tmp_path / "damaged.xml.bz2"
    cut.write_bytes(whole[: len(whole) - 900])
    middle = len(whole) // 2
    damaged.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    wanted = set(oracle(data))
    for path, words in ((cut, "cut off"), (damaged, r"bzip2 block at byte \d+ is damaged")):
        params = DumpParams(dump=(str(path),), split_bytes=20_000)
        with pytest.raises(InputError, match=words), parsed_dump(spark, params):
            pass
        params = DumpParams(dump=(str(path),), split_bytes=20_000, allow_truncated=True)
        with parsed_dump(spark, params) as parsed:
            found = _found(parsed.pages)
            assert 300 < len(found) < 900
            assert set(found) < wanted


def test_too_many_rejects_an_empty_dump_and_another_wiki_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path, "bad", dump(page(1, "A", revision("x")), page("one", "B"), page(2, "C", more="<b>")))
    with (
        pytest.raises(InputError, match=r"2 of 3 pages .*bad_page_id 1, bad_xml 1.*--max-reject-share"),
        parsed_dump(spark, DumpParams(dump=(path,))),
    ):
        pass
    empty = write(tmp_path, "empty", dump())
    with pytest.raises(InputError, match="holds no page"), parsed_dump(spark, DumpParams(dump=(empty,))):
        pass
    with (
        pytest.raises(InputError, match="is of xxwiki, but the root holds yywiki"),
        parsed_dump(spark, DumpParams(dump=(path,)), "yywiki"),
    ):
        pass


def test_a_page_above_the_bound_is_rejected(spark: SparkSession, tmp_path: Path) -> None:
    data = dump(*random_pages(7, 120, long_words=30_000))
    for how in ("xml", "bz2"):
        path = write(tmp_path, "long", data, how)
        params = DumpParams(dump=(path,), max_page_bytes=20_000, plain_split_bytes=90_000, split_bytes=30_000)
        with parsed_dump(spark, params) as parsed:
            rejects = parsed.page_rejects.collect()
            assert [(row["reason"], row["page_id"]) for row in rejects] == [("too_large", 1060)]
            assert _found(parsed.pages) == [row for row in sorted(oracle(data)) if row[0] != 1060]


def test_a_history_dump_gives_the_newest_revision_of_each_page(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Each page is twenty times as long as a page may be, and its newest revision stands anywhere in it.
    def history(page_id: int, newest: int) -> str:
        texts = [f"{'newest' if n == newest else 'old'} {page_id} {'x' * 900}" for n in range(200)]
        dates = [f"{2024 if n == newest else 2004}-05-01T00:00:{n % 60:02}Z" for n in range(200)]
        return page(page_id, f"Lamp {page_id}", *map(revision, texts, range(1, 201), dates))

    data = dump(*(history(n, 37 * n % 200) for n in range(1, 9)))
    path = write(tmp_path, "xxwiki-pages-meta-history1", data, "bz2")
    params = DumpParams(dump=(path,), split_bytes=2_000, max_page_bytes=9_000)
    with parsed_dump(spark, params) as parsed:
        rows = parsed.pages.orderBy("page_id").collect()
        assert {row["page_id"]: row["revision_id"] for row in rows} == {n: 37 * n % 200 + 1 for n in range(1, 9)}
        assert {row["wikitext"][:6] for row in rows} == {"newest"}
        assert parsed.facts["num_older_revisions"] == 8 * 199
    assert "a history dump: the newest revision of each page is kept, 1,592 older ones are left out" in caplog.text


def test_part_files_and_recompressed_and_concatenated_ones_are_one_dump(
    spark: SparkSession, tmp_path: Path
) -> None:
    pages = random_pages(21, 90)
    parts = [dump(*pages[at : at + 15]) for at in range(0, 90, 15)]
    for number, how in enumerate(("bz2", "multistream", "zst", "xz")):  # whatever their names say
        path = tmp_path / f"xxwiki-20240601-pages-articles{number}.xml-p{number}1p{number}9.bz2"
        path.write_bytes(compressed(parts[number], how))
    joined = tmp_path / "xxwiki-20240601-pages-articles9.xml-p90p99.bz2"
    joined.write_bytes(compressed(parts[4], "bz2") + compressed(parts[5], "multistream"))
    with parsed_dump(spark, DumpParams(dump=(str(tmp_path / "*.bz2"),), split_bytes=700)) as parsed:
        assert _found(parsed.pages) == sorted(row for part in parts for row in oracle(part))
        assert len(parsed.sites.collect()[0]["source_files"]) == 5
        assert parsed.facts["num_page_starts"] == 90
    joined.write_bytes(joined.read_bytes()[:-60])
    with (
        pytest.raises(InputError, match=r"p90p99.bz2': is cut off"),
        parsed_dump(spark, DumpParams(dump=(str(joined),))),
    ):
        pass


def test_what_cannot_be_split_is_told(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = dump(page(1, "A", "<revision><text><![CDATA[<page>]]></text></revision>"), *random_pages(4, 40))
    for how, words in (("gz", "gzip data"), ("zst", "zstd data"), ("xml", "CDATA sections or comments")):
        path = write(tmp_path, "lamps", data, how)
        caplog.clear()
        with (
            caplog.at_level("INFO", "wikisearch"),
            parsed_dump(spark, DumpParams(dump=(path,), split_bytes=300, plain_split_bytes=300)) as parsed,
        ):
            assert _found(parsed.pages) == sorted(oracle(data))
        assert f"dump '{path}': {words} cannot be split: one task reads the file" in caplog.text


def test_a_dump_of_stubs_is_told(spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stub = "<revision><id>7</id><text bytes='9' id='7' /></revision>"
    path = write(tmp_path, "stub-articles", dump(page(1, "A", stub), page(2, "B", stub)), "gz")
    with parsed_dump(spark, DumpParams(dump=(path,))) as parsed:
        assert [row["wikitext"] for row in parsed.pages.collect()] == [None, None]
    assert "no page has a text, as in a dump of stubs" in caplog.text


def test_what_is_written_must_be_what_was_counted() -> None:
    facts: dict[str, object] = {
        "num_page_starts": 10, "num_pages": 6, "num_duplicates": 1, "num_rejects": 3, "num_faults": 2,
        "num_older_revisions": 0, "rejects_by_reason": {},
    }  # fmt: skip
    check_written(facts, 6, 5)
    for num_pages, num_rejects in ((5, 5), (6, 4), (7, 5), (5, 6)):
        with pytest.raises(WikisearchError, match=f"10 pages .* {num_pages} pages and {num_rejects} rej"):
            check_written(facts, num_pages, num_rejects)


def test_a_limit_takes_the_first_pages_and_reads_no_further(spark: SparkSession, tmp_path: Path) -> None:
    data = dump(*random_pages(9, 300))
    whole = compressed(data, "bz2")
    path = tmp_path / "lamps.xml.bz2"
    path.write_bytes(whole[:-40])  # what is not read cannot be missed
    missing = write(tmp_path, "second", dump(page(1, "A", revision("x"))))
    with parsed_dump(spark, DumpParams(dump=(str(path), missing), limit=20)) as parsed:
        assert _found(parsed.pages) == oracle(data)[:20]
        assert parsed.facts["num_page_starts"] == 20


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"dump": ()}, "--dump"),
        ({"max_reject_share": 1.5}, "--max-reject-share"),
        ({"limit": 0}, "--limit"),
        ({"split_bytes": 0}, "--split-bytes"),
    ],
)
def test_parameters_out_of_range(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        DumpParams(**{"dump": ("x",)} | wrong)
