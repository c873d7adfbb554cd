from pathlib import Path

import make_sample


def test_committed_dump_is_what_the_script_makes() -> None:
    committed = Path(make_sample.__file__).with_name(make_sample.FILE_NAME).read_text(encoding="utf-8")
    assert committed == make_sample.dump_xml(), "run tests/sample/make_sample.py"
