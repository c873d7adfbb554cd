import argparse
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wikisearch.app.config import JOB_NAMES, add_flags, flags_from, resolve
from wikisearch.app.job import Job
from wikisearch.errors import UsageError


@dataclass(frozen=True)
class Params:
    num_rounds: int = field(default=3, metadata={"help": "rounds, at most 100 %"})
    share: float = field(default=0.5, metadata={"help": "a share"})
    is_strict: bool = field(default=False, metadata={"help": "whether strict"})
    name: str | None = field(default=None, metadata={"help": "a name"})
    words: tuple[str, ...] = field(default=("a", "b"), metadata={"help": "words"})

    def __post_init__(self) -> None:
        if self.num_rounds < 1:
            raise UsageError(f"--num-rounds {self.num_rounds}: must be at least 1")


@dataclass(frozen=True)
class Required:
    dump: tuple[str, ...] = field(metadata={"help": "dump files"})


def toml(tmp_path: Path, text: str) -> str:
    path = tmp_path / "conf.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def parsed(params: type, words: list[str]) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    add_flags(parser, params)
    return vars(parser.parse_args(words))


def test_defaults_then_file_then_flags(tmp_path: Path) -> None:
    config = toml(tmp_path, '[retrieve]\nnum_rounds = 5\nshare = 1\nwords = ["x"]\n')
    assert resolve(Params, "retrieve", None, {}) == Params()
    assert resolve(Params, "retrieve", config, {}) == Params(5, 1.0, words=("x",))
    assert resolve(Params, "retrieve", config, {"num_rounds": 7}) == Params(7, 1.0, words=("x",))
    assert resolve(Params, "ask", config, {}) == Params(), "another job's section is not read"


def test_flags_round_trip() -> None:
    values = {"num_rounds": 9, "share": 0.25, "is_strict": True, "name": "n", "words": ("p", "q")}
    assert resolve(Params, "ask", None, parsed(Params, list(flags_from(Params, values)))) == Params(**values)
    assert flags_from(Params, {"is_strict": False}) == ["--no-is-strict"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[retrieve]\nnum_round = 5\n", "unknown key 'num_round'; the known ones are: num_rounds, share"),
        ("[retreive]\nnum_rounds = 5\n", "[retreive] is no job's section; the sections are: ask,"),
        ("[retrieve]\nnum_rounds = true\n", "num_rounds must be int, found True"),
        ('[retrieve]\nwords = "x"\n', "words must be a list of str, found 'x'"),
        ("[retrieve]\nnum_rounds = 0\n", "--num-rounds 0: must be at least 1"),
        ("[retrieve\n", "is no TOML"),
        ("num_rounds = 1\n", "[num_rounds] is no job's section"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, text: str, found: str) -> None:
    with pytest.raises(UsageError) as error:
        resolve(Params, "retrieve", toml(tmp_path, text), {})
    assert found in str(error.value)


def test_a_missing_file_or_parameter_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        resolve(Params, "retrieve", str(tmp_path / "none.toml"), {})
    with pytest.raises(UsageError, match=r"--dump: required, by flag or in the \[parse_dump\] section"):
        resolve(Required, "parse_dump", None, {})


def test_wrong_usage_ends_with_2_before_a_session_starts(capsys: pytest.CaptureFixture[str]) -> None:
    def body(context: object) -> None:
        raise AssertionError("must not run")

    job = Job("ask", "Ask.", (), (), Params, body)
    assert job.main(["--root", "r", "--num-round", "1"]) == 2
    assert job.main([]) == 2
    assert job.main(["--root", "r", "--num-rounds", "0"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "ask: error: --num-rounds 0: must be at least 1"
    assert job.main(["--help"]) == 0
    help_text = capsys.readouterr().out
    assert "rounds, at most 100 % (default: 3)" in help_text
    assert "--is-strict, --no-is-strict" in help_text
    assert "(default: a b)" in help_text


def test_the_sections_are_the_jobs() -> None:
    jobs = Path(__file__).parents[2] / "jobs"
    assert sorted(path.stem for path in jobs.glob("*.py")) == list(JOB_NAMES)
