import os
import stat
from pathlib import Path

import pytest

from wikisearch.app.files import output_folder, write_text_atomically
from wikisearch.errors import InputError, UsageError


def test_text_is_written_as_it_is_in_folders_that_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.txt"
    write_text_atomically(path, "é\r\nß\n")
    assert path.read_bytes() == "é\r\nß\n".encode()
    write_text_atomically(path, "second")
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == ["a.txt"]


def test_others_may_read_it_as_far_as_the_umask_lets_them(tmp_path: Path) -> None:
    write_text_atomically(tmp_path / "a.txt", "text")
    (tmp_path / "plain.txt").touch()
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.txt", "plain.txt")}
    assert len(modes) == 1


def test_what_fails_leaves_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    write_text_atomically(path, "old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InputError, match=r"a\.txt: cannot be written: No space left on device"):
        write_text_atomically(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_file_in_place_of_a_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        write_text_atomically(tmp_path / "file" / "a.txt", "text")


def test_the_folder_is_the_named_one_else_in_the_root() -> None:
    assert output_folder("out", "/data/root", "report") == Path("out")
    assert output_folder(None, "/data/root", "report") == Path("/data/root/report")
    assert output_folder("out", "s3a://bucket/root", "report") == Path("out")
    with pytest.raises(UsageError, match="name one with --output"):
        output_folder(None, "s3a://bucket/root", "report")
