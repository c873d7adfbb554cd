"""Parameters of a job: one frozen dataclass = its flags = its section in a TOML file.

The order is: default in the dataclass < `--config` file < flag. Nothing is declared twice: flags, help texts
and known TOML keys are all read off the dataclass.
"""

import argparse
import dataclasses
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from wikisearch.errors import UsageError

P = TypeVar("P")

# Every section that a configuration file may have; a test holds it to the files in jobs/.
JOB_NAMES = (
    "ask",
    "build_collection",
    "build_index",
    "compare_systems",
    "compute_pagerank",
    "evaluate_runs",
    "export_run",
    "export_table",
    "extract_articles",
    "make_folds",
    "parse_dump",
    "refresh",
    "resolve_links",
    "retrieve",
    "write_report",
)


@dataclasses.dataclass(frozen=True)
class _Field:
    """One parameter: its name, the type of one value, whether it is a list, optional, required."""

    name: str
    type: type
    is_list: bool
    is_optional: bool
    is_required: bool
    default: object
    help: str

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


def _fields(params_type: type) -> list[_Field]:
    hints = typing.get_type_hints(params_type)
    fields = []
    for field in dataclasses.fields(params_type):
        hint, is_list, is_optional = hints[field.name], False, False
        if typing.get_origin(hint) in (types.UnionType, typing.Union):
            is_optional = True
            (hint,) = [part for part in typing.get_args(hint) if part is not types.NoneType]
        if typing.get_origin(hint) is tuple:
            is_list, hint = True, typing.get_args(hint)[0]
        is_required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        default = field.default if field.default is not dataclasses.MISSING else None
        fields.append(
            _Field(field.name, hint, is_list, is_optional, is_required, default, field.metadata.get("help", ""))
        )
    return fields


def _shown(value: object) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, tuple):
        return " ".join(str(part) for part in value)
    return str(value)


def add_flags(parser: argparse.ArgumentParser, params_type: type) -> None:
    """Adds one long flag a field, with its help and default; a flag that is not given leaves no trace."""
    group = parser.add_argument_group("parameters")
    for field in _fields(params_type):
        has_default = not field.is_required and "default:" not in field.help
        text = f"{field.help} (default: {_shown(field.default)})" if has_default else field.help
        options: dict[str, Any] = {"help": text.replace("%", "%%"), "default": argparse.SUPPRESS}
        if field.type is bool:
            options["action"] = argparse.BooleanOptionalAction
        else:
            options["type"] = field.type
            options["metavar"] = {int: "N", float: "X"}.get(field.type, "TEXT")
            if field.is_list:
                options["nargs"] = "+"
        group.add_argument(field.flag, **options)


def _checked(field: _Field, value: object, where: str) -> object:
    """The TOML value, if it has the field's type."""
    wanted = f"a list of {field.type.__name__}" if field.is_list else field.type.__name__
    values = value if field.is_list and isinstance(value, list) else [value]
    is_right = isinstance(value, list) == field.is_list
    for part in values:
        is_number = field.type is float and isinstance(part, int) and not isinstance(part, bool)
        is_right = is_right and (type(part) is field.type or is_number)
    if not is_right:
        raise UsageError(f"{where}: {field.name} must be {wanted}, found {value!r}")
    return tuple(values) if field.is_list else field.type(value)


def section_of(path: str, job: str) -> dict[str, Any]:
    """One job's section of a TOML file; empty where the file has none.

    Raises:
        UsageError: no such file, no TOML, or a section that is no job's.
    """
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--config {path}: cannot be read ({error.strerror}); name a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"--config {path}: is no TOML: {error}") from error
    for name, section in document.items():
        if name not in JOB_NAMES or not isinstance(section, dict):
            raise UsageError(
                f"--config {path}: [{name}] is no job's section; the sections are: {', '.join(JOB_NAMES)}"
            )
    return dict(document.get(job, {}))


def resolve(params_type: type[P], job: str, config: str | None, flags: Mapping[str, object]) -> P:
    """The job's parameters: defaults, overlaid with its section of the file, overlaid with its flags.

    Args:
        params_type: a frozen dataclass.
        job: the job's name, which is its section's name.
        config: path of a TOML file, or None.
        flags: values by field name, of those flags only that were given.

    Raises:
        UsageError: an unknown key (the known ones are listed), a value of another type or out of range, or
            a required parameter that is given nowhere.
    """
    fields = {field.name: field for field in _fields(params_type)}
    values: dict[str, object] = {}
    if config is not None:
        where = f"--config {config} [{job}]"
        for key, value in section_of(config, job).items():
            if key not in fields:
                known = ", ".join(fields) or "none"
                raise UsageError(f"{where}: unknown key '{key}'; the known ones are: {known}")
            values[key] = _checked(fields[key], value, where)
    for name, value in flags.items():
        values[name] = tuple(value) if isinstance(value, list) else value
    missing = [field.flag for field in fields.values() if field.is_required and field.name not in values]
    if missing:
        raise UsageError(f"{', '.join(missing)}: required, by flag or in the [{job}] section of --config")
    return params_type(**values)


def flags_from(params_type: type, values: Mapping[str, object]) -> Sequence[str]:
    """The command line that sets these values, in the order of the dataclass's fields."""
    words: list[str] = []
    for field in _fields(params_type):
        if field.name not in values:
            continue
        value = values[field.name]
        if isinstance(value, bool):
            words.append(field.flag if value else field.flag.replace("--", "--no-", 1))
        elif isinstance(value, (list, tuple)):
            words += [field.flag, *(str(part) for part in value)]
        else:
            words += [field.flag, str(value)]
    return words
