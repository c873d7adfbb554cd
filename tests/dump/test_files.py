import bz2
from pathlib import Path

import pytest
from dump_makers import compressed, dump, page, revision, write

from wikisearch.dump.files import file_states, find_dump_files
from wikisearch.dump.siteinfo import read_siteinfo, site_of_files
from wikisearch.errors import InputError

SMALL = dump(page(1, "Lamp", revision("x")))
HTML = b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>"


@pytest.mark.parametrize(
    ("how", "format_name"),
    [("xml", "xml"), ("bz2", "bzip2"), ("multistream", "bzip2"), ("gz", "gzip"), ("xz", "xz"), ("zst", "zstd")],
)
def test_the_format_is_that_of_the_first_bytes(tmp_path: Path, how: str, format_name: str) -> None:
    named = write(tmp_path, "lamps", SMALL, how)
    nameless = tmp_path / "lamps"
    nameless.write_bytes(compressed(SMALL, how))
    found = find_dump_files([named, str(nameless)])
    assert [(file.path, file.format) for file in found] == [(named, format_name), (str(nameless), format_name)]
    assert found[0].num_bytes == Path(named).stat().st_size
    assert found[0].modified_at.timestamp() == pytest.approx(Path(named).stat().st_mtime, abs=1e-3)
    assert file_states([named]) == {named: [found[0].num_bytes, found[0].modified_at.isoformat()]}


def test_patterns_and_uris_give_each_file_once_in_order(tmp_path: Path) -> None:
    paths = [write(tmp_path, name, SMALL) for name in ("b", "a", "c")]
    (tmp_path / "folder.xml").mkdir()
    found = find_dump_files([paths[2], str(tmp_path / "*.xml")])
    assert [file.path for file in found] == [paths[2], paths[1], paths[0]]
    found = find_dump_files([f"file://{tmp_path}/[ab].xml", f"file://{paths[2]}"])
    assert [file.path for file in found] == [f"file://{path}" for path in (paths[1], paths[0], paths[2])]
    assert read_siteinfo(found[0]).wiki == "xxwiki"


def test_uris_of_local_files_as_hadoop_and_browsers_write_them(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    path = write(folder, "a", SMALL)
    for prefix in ("file:", "file://", "file://localhost"):
        (file,) = find_dump_files([prefix + path.replace(" ", "%20")])
        assert read_siteinfo(file).wiki == "xxwiki", prefix
    (file,) = find_dump_files([f"file:{folder}/*.xml"])
    assert read_siteinfo(file).wiki == "xxwiki"


def test_a_name_that_says_something_else_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = {"a.xml.bz2": "xml", "b.xml": "bz2", "c.xml.bz2": "gz", "d.xml.7z": "zst", "e": "xz"}
    for name, how in names.items():
        path = tmp_path / name
        path.write_bytes(compressed(SMALL, how))
        caplog.clear()
        (file,) = find_dump_files([str(path)])
        assert read_siteinfo(file).wiki == "xxwiki"
        assert [record.levelname for record in caplog.records] == ["WARNING"] * (name != "e")
        if name != "e":
            assert f"{name}': is {file.format}, not " in caplog.text
        caplog.clear()
        assert list(file_states([str(path)])) == [str(path)]
        assert not caplog.records, "a plan asks often, and says nothing"


def test_the_index_of_a_multistream_dump_is_left_out_of_a_pattern(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dumps = [
        write(tmp_path, "xxwiki-pages-articles-multistream1.xml-p1p9", SMALL, "bz2"),
        write(tmp_path, "xxwiki-pages-articles-multistream", SMALL, "bz2"),
    ]
    indexes = []
    for name in ("xxwiki-pages-articles-multistream-index1.txt-p1p9.bz2", "xxwiki-multistream-index.txt.bz2"):
        path = tmp_path / name
        path.write_bytes(bz2.compress(b"616:1:Lamp\n616:2:Wick: oil\n"))
        indexes.append(str(path))
    found = find_dump_files([str(tmp_path / "*.bz2")])
    assert [file.path for file in found] == sorted(dumps)
    for path in indexes:
        assert f"dump '{path}': is left out: by its name an index" in caplog.text
        (file,) = find_dump_files([path])
        with pytest.raises(InputError, match="is the index of a multistream dump: give the dump itself"):
            read_siteinfo(file)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.xml.bz2", HTML, ["HTML"]),
        ("a.xml", b"", ["empty"]),
        ("a.xml", b"just some text", ["just some text"]),
        ("a.sql.gz", b"INSERT INTO page", ["table in SQL"]),
        ("a.xml.7z", b"7z\xbc\xaf\x27\x1c\0\4", ["7-Zip", "7z e -so a.xml.7z | bzip2"]),
        ("a.xml.lzma", b"\x5d\0\0\x80", ["xz -dc --format=lzma a.xml.lzma | bzip2"]),
        ("a.zip", b"PK\x03\x04\0", ["unzip -p a.zip"]),
        ("a-index.txt", b"616:10:Lamp\n", ["index of a multistream dump"]),
        ("a-page.sql", b"-- MySQL dump 10.19\n", ["table in SQL"]),
        ("a.json", b'[\n{"id": "Q1"}', ["JSON"]),
        ("a.tar", b"./" + bytes(255) + b"ustar", ["tar archive"]),
    ],
)
def test_what_is_no_dump_is_refused_by_name(tmp_path: Path, name: str, data: bytes, words: list[str]) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        find_dump_files([str(path)])
    message = str(caught.value)
    assert "\n" not in message
    for word in [str(path), *words]:
        assert word in message


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find_dump_files([str(tmp_path / "none.xml")])
    with pytest.raises(InputError, match="no such file"):
        find_dump_files([str(tmp_path / "*.bz2")])
    with pytest.raises(InputError, match=r"is a folder; give its files"):
        find_dump_files([str(tmp_path)])
    with pytest.raises(InputError, match="cannot be read"):
        find_dump_files(["nosuchscheme://x/y.bz2"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HTML, "HTML"),
        (b"<?xml version='1.0'?><rss><page/></rss>", "root is <rss>"),
        (b"<mediawiki><siteinfo></wrong>", "not well-formed"),
        (b"plain words", "plain words"),
    ],
)
def test_what_is_no_export_is_refused_when_it_is_unpacked(tmp_path: Path, data: bytes, words: str) -> None:
    for how in ("bz2", "gz"):
        (file,) = find_dump_files([write(tmp_path, "a", data, how)])
        with pytest.raises(InputError, match=words):
            read_siteinfo(file)


def test_a_bz2_file_that_ends_in_its_first_block_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.bz2"
    path.write_bytes(bz2.compress(SMALL)[:60])
    (file,) = find_dump_files([str(path)])
    with pytest.raises(InputError, match="downloaded whole"):
        read_siteinfo(file)


def test_siteinfo(tmp_path: Path) -> None:
    new = write(tmp_path, "xxwiki-20240601-pages", dump(version="0.11", dbname="xxwiki"), "bz2")
    old = write(tmp_path, "xxwiki-20060303-pages", dump(version="0.3", dbname=None), "gz")
    files = find_dump_files([old, new])
    info = read_siteinfo(files[0])
    assert (info.wiki, info.language, info.dump_date, info.schema_version) == ("xxwiki", "en", "2006-03-03", "0.3")
    assert (info.generator, info.case_rule) == ("MediaWiki 1.0", "first-letter")
    assert info.namespaces[14] == "Category"
    assert info.namespaces[0] == ""
    assert info.site.is_case_sensitive is False
    assert site_of_files(files).dump_date == "2024-06-01"


def test_an_excerpt_without_siteinfo_has_the_usual_namespaces(tmp_path: Path) -> None:
    path = write(tmp_path, "a", b'\xef\xbb\xbf<mediawiki version="0.10" xml:lang="de"><page></page></mediawiki>')
    info = read_siteinfo(find_dump_files([path])[0])
    assert (info.wiki, info.language, info.namespaces[10]) == ("dewiki", "de", "Template")


def test_sections_among_the_pages_are_noticed_and_those_before_them_do_no_harm(tmp_path: Path) -> None:
    head, rest = dump(page(1, "A", revision("x")), page(2, "B")).split(b"<page>", 1)
    for number, (data, has_sections) in enumerate(
        [
            (head + b"<page>" + rest, False),
            (b"<!-- a licence -->" + head + b"<page>" + rest, False),
            (head + b"<page>" + rest.replace(b"</page>", b"</page><!-- one -->", 1), True),
            (head + b"<page>" + rest.replace(b">x<", b"><![CDATA[x]]><", 1), True),
        ]
    ):
        (file,) = find_dump_files([write(tmp_path, f"sections{number}", data, "bz2")])
        assert read_siteinfo(file).has_sections is has_sections, number


def test_files_of_two_wikis_are_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path, name, dump(dbname=name)) for name in ("xxwiki", "yywiki")]
    with pytest.raises(InputError, match=r"yywiki.xml': is of yywiki.*xxwiki"):
        site_of_files(find_dump_files(paths))
