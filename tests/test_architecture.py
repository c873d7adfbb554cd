"""The house's rules that neither ruff nor import-linter can check, by the syntax trees of all modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LIB = REPOSITORY / "lib" / "wikisearch"
JOBS = REPOSITORY / "jobs"
MODULES = sorted([*LIB.rglob("*.py"), *JOBS.glob("*.py")])

MAX_LINES_OF_JOB = 90
SPARK_READERS_AND_WRITERS = {"read", "write", "readStream", "writeStream"}
TABLE_CALLS = {"saveAsTable", "insertInto", "writeTo", "createOrReplaceTempView", "sql"}
FILE_CALLS = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def place(path: Path) -> str:
    """`app/store.py`, `jobs/ask.py`: how the tests name a module."""
    return str(path.relative_to(LIB if LIB in path.parents else REPOSITORY))


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module, and every name out of one, that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called_name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def calls(tree: ast.Module, names: set[str]) -> list[str]:
    """Names among those wanted that a module calls, as functions or methods, with their lines."""
    return [
        f"{called_name(node)} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called_name(node) in names
    ]


def spark_io(tree: ast.Module) -> list[str]:
    """Uses of Spark's readers and writers: `spark.read`, `df.write` are attributes that nobody calls."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [
        f"{node.attr} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in SPARK_READERS_AND_WRITERS
        and isinstance(node.ctx, ast.Load)
        and id(node) not in called
    ]
    return found + calls(tree, TABLE_CALLS)


def test_the_checks_see_what_they_look_for() -> None:
    lines = ("a = spark.read.parquet(p)", "df.write.save(p)", "context.read('x')", "file.write(t)", "p.open()")
    tree = ast.parse("\n".join(lines))
    assert spark_io(tree) == ["read in line 1", "write in line 2"]
    assert calls(tree, FILE_CALLS) == ["open in line 5"]
    assert len(MODULES) > 50


@pytest.mark.parametrize("path", sorted(JOBS.glob("*.py")), ids=place)
def test_jobs_hold_no_logic(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) < MAX_LINES_OF_JOB
    names = set(imported(tree_of(path)))
    assert not [name for name in names if name.startswith(("pyspark", "delta", "graphframes", "jobs"))]
    assert not names & {job.stem for job in JOBS.glob("*.py")}, "jobs do not import each other"
    for name in names:
        assert name.split(".")[0] in ("wikisearch", "sys", "collections", "dataclasses", "pathlib"), name


def test_tables_are_read_and_written_by_the_store_alone() -> None:
    for path in MODULES:
        tree, where = tree_of(path), place(path)
        if where == "app/store.py":
            assert spark_io(tree)
            continue
        assert not [name for name in imported(tree) if name.split(".")[0] == "delta"], where
        # Files of other tools, whose paths a user gives: lines of text, exports.
        if not where.startswith("exchange/"):
            assert not spark_io(tree), where


def test_files_are_opened_by_four_packages_alone() -> None:
    for path in MODULES:
        tree, where = tree_of(path), place(path)
        if where.startswith(("files/", "dump/", "exchange/", "app/")):
            continue
        found = calls(tree, FILE_CALLS)
        if found and where.startswith("text/"):
            # Data files that are part of the package, wherever it was imported from, a zip too.
            names = set(imported(tree))
            assert names & {"importlib.resources", "importlib.resources.files"}, where
            assert not names & {"os", "io", "pathlib", "pathlib.Path"}, where
            found = [name for name in found if not name.startswith("read_text")]
        assert not found, where


def test_nothing_prints_and_one_module_makes_sessions() -> None:
    for path in MODULES:
        tree, where = tree_of(path), place(path)
        assert not calls(tree, {"print"}), where
        if where == "app/session.py":
            continue
        attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        assert "builder" not in attributes, where
        assert "getOrCreate" not in attributes, where


def test_functions_have_one_spelling() -> None:
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module == "pyspark.sql.functions":
                raise AssertionError(f"{place(path)}: import functions as F")
            if isinstance(node, ast.ImportFrom) and node.module == "pyspark.sql":
                aliases = {alias.name: alias.asname for alias in node.names}
                assert aliases.get("functions", "F") == "F", place(path)
                assert aliases.get("types", "T") == "T", place(path)


def test_module_level_state_is_not_assigned_by_functions() -> None:
    for path in MODULES:
        assert not [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Global)], place(path)


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python before 3.11.5 matches `(…)*+` wrong where the group gives up in the middle (gh-106052)."""
    literals = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
    found = [
        (place(path), node.value)
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and literals.search(node.value)
    ]
    assert not found
