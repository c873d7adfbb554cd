"""What the tasks of all splits give together, without Spark; lxml is the oracle."""

import bz2
from pathlib import Path

import pyarrow as pa
import pytest
from dump_makers import STREAMED, SUFFIX, digest, dump, oracle, random_pages, write

from wikisearch.dump.files import find_dump_files
from wikisearch.dump.reader import PAGE, SPLIT, RecordReader, plan_tasks, sliced
from wikisearch.dump.siteinfo import site_of_files


def read_all(paths: list[str], num_splits: int) -> list[dict]:
    """Records of all tasks of some files, each cut into about so many splits."""
    files = find_dump_files(paths)
    split_bytes = max(1, -(-max(file.num_bytes for file in files) // num_splits))
    info = site_of_files(files)
    tasks = plan_tasks(files, split_bytes, split_bytes, None, has_sections=info.has_sections)
    reader = RecordReader(tuple(tasks), info.site, 1 << 26, None)
    return [row for number in range(len(tasks)) for row in reader.rows(number)]


def pages_of(records: list[dict]) -> list[tuple[int, str, str]]:
    return [(r["page_id"], r["title"], digest(r["wikitext"] or "")) for r in records if r["kind"] == PAGE]


@pytest.mark.parametrize("how", list(SUFFIX))
@pytest.mark.parametrize("num_splits", [1, 7, 90])
def test_every_page_once_in_order_for_any_split(tmp_path: Path, how: str, num_splits: int) -> None:
    data = dump(*random_pages(11, 300, long_words=30_000))
    records = read_all([write(tmp_path, "lamps", data, how)], num_splits)
    assert pages_of(records) == oracle(data)
    assert len(oracle(data)) == 300
    splits = [row for row in records if row["kind"] == SPLIT]
    assert len(splits) == (1 if how in STREAMED else num_splits)
    assert sum(row["num_page_starts"] for row in splits) == 300
    assert sum(row["num_open_roots"] for row in splits) == 0
    positions = [row["position"] for row in records]
    assert positions == sorted(set(positions))


def test_streams_that_are_cut_anywhere_in_a_tag(tmp_path: Path) -> None:
    data = dump(*random_pages(13, 12))
    path = tmp_path / "streams.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(data[at : at + 5]) for at in range(0, len(data), 5)))
    assert pages_of(read_all([str(path)], 9)) == oracle(data)


def test_batches_are_bounded_by_bytes() -> None:
    schema = pa.schema([("text", pa.string())])
    rows = [{"text": "x" * size} for size in (5 << 20, 1, 2, 3 << 20, 3 << 20, 1)]
    batches = list(sliced(iter(rows), schema, lambda row: len(row["text"])))
    assert [batch.num_rows for batch in batches] == [1, 4, 1]
    assert [row for batch in batches for row in batch.to_pylist()] == rows
    assert [batch.num_rows for batch in sliced(({} for _ in range(2500)), schema, lambda _: 0)] == [
        1000,
        1000,
        500,
    ]
