"""Paths, patterns, folders and URIs."""

from wikisearch.files.paths import filesystem_of


def test_s3_has_the_name_that_hadoop_gives_it() -> None:
    for scheme in ("s3", "s3a", "S3N"):
        filesystem, inner = filesystem_of(f"{scheme}://lamps/a.bz2?region=xx-north-1")
        assert (filesystem.type_name, inner) == ("s3", "lamps/a.bz2")
