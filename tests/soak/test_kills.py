"""Refreshes that are killed at random moments, on a part of a real dump.

Nothing half made is ever published, nothing goes on writing, and a rerun ends in the very tables of a refresh
that nobody disturbed. WIKISEARCH_SOAK_SEED repeats the moments of an earlier run, which prints its seed.
"""

import os
import random
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession

from tables import assert_same_tables
from wikisearch.app.store import Store
from wikisearch.errors import StoreError

from .conftest import Refresh, is_alive, tell, that_name

pytestmark = [pytest.mark.soak, pytest.mark.spark]

PAGES, PAGES_BEFORE = 400, 150
IN_PROCESS, BY_STEP = ("--in-process",), ()
SECONDS_TO_END = 30  # a JVM whose Python was killed takes up to 10 on a quiet machine


def limited(root: Path, dump: Path, mode: tuple[str, ...], snapshot: str = "new", pages: int = PAGES) -> Refresh:
    return Refresh(root, snapshot, dump, "--limit", str(pages), *mode)


def ended_well(refresh: Refresh) -> Refresh:
    assert refresh.wait() == 0, refresh.out + refresh.err
    assert "published" in refresh.out
    return refresh


@pytest.fixture(scope="module")
def undisturbed(enwik8: Path, tmp_path_factory: pytest.TempPathFactory) -> Refresh:
    """A refresh in one process."""
    return ended_well(limited(tmp_path_factory.mktemp("undisturbed") / "root", enwik8, IN_PROCESS))


@pytest.fixture(scope="module")
def by_step(enwik8: Path, tmp_path_factory: pytest.TempPathFactory) -> Refresh:
    """A refresh by one spark-submit a step, during which a second one wants the same root."""
    root = tmp_path_factory.mktemp("by_step") / "root"
    first = limited(root, enwik8, BY_STEP)
    first.wait_for_step(1)
    second = limited(root, enwik8, IN_PROCESS)
    assert second.wait(120) == 1, second.out + second.err
    assert first.is_running
    # spark-submit sends a Python job's stderr to its own stdout.
    line = second.out.strip().splitlines()[-1]
    assert line.startswith(f"refresh: error: root {root} is being written by process {first.driver().pid}; ")
    return ended_well(first)


@pytest.fixture(scope="module")
def earlier(enwik8: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a published snapshot of fewer pages."""
    root = tmp_path_factory.mktemp("earlier") / "root"
    return ended_well(limited(root, enwik8, IN_PROCESS, "old", PAGES_BEFORE)).root


@pytest.fixture(scope="module")
def rng() -> random.Random:
    seed = int(os.environ.get("WIKISEARCH_SOAK_SEED") or secrets.randbelow(10**6))
    tell(f"WIKISEARCH_SOAK_SEED={seed}")
    return random.Random(seed)


def test_a_second_refresh_is_turned_away_and_both_modes_agree(
    spark: SparkSession, undisturbed: Refresh, by_step: Refresh
) -> None:
    assert_same_tables(spark, str(undisturbed.root), str(by_step.root))
    for refresh, name in ((undisturbed, "in one process"), (by_step, "a process a step")):
        tell(f"{name}: {refresh.step_seconds()} s")


@dataclass(frozen=True)
class Kill:
    """What is killed, and when: within which shares of the plan's seconds."""

    mode: tuple[str, ...]
    victims: tuple[str, ...]
    after: float
    before: float
    has_earlier: bool


KILLS = (
    Kill(IN_PROCESS, ("driver",), 0.05, 0.3, has_earlier=False),
    Kill(BY_STEP, ("driver",), 0.3, 0.6, has_earlier=True),
    Kill(IN_PROCESS, ("jvm",), 0.6, 0.85, has_earlier=True),
    Kill(BY_STEP, ("jvm",), 0.2, 0.85, has_earlier=False),
)


def place_of(share: float, seconds: list[float]) -> tuple[int, float]:
    """The step that runs after a share of a plan's seconds, and the seconds that it has run by then.

    >>> place_of(0.5, [1.0, 4.0, 5.0])
    (1, 4.0)
    """
    left = share * sum(seconds)
    for number, each in enumerate(seconds):
        if left <= each:
            return number, left
        left -= each
    raise AssertionError(share)


def published(spark: SparkSession, root: Path) -> str | None:
    """The newest published snapshot of a root, which may not hold anything yet."""
    store = Store(spark, str(root))
    if any(entry.published_at is not None for entry in store.entries()):
        return store.newest_published()
    with pytest.raises(StoreError, match="holds no published snapshot"):
        store.newest_published()
    return None


def wait_for_silence(root: Path, family: list[psutil.Process]) -> float:
    """Waits until nothing of a killed refresh runs any more; returns the seconds it took."""
    started = time.monotonic()
    while alive := [each for each in family if is_alive(each)] + that_name(root):
        told = [(each.pid, each.name()) for each in alive if is_alive(each)]
        assert time.monotonic() - started < SECONDS_TO_END, told
        time.sleep(0.2)
    return time.monotonic() - started


@pytest.mark.parametrize(
    "kill", KILLS, ids=lambda kill: f"{'in' if kill.mode else 'by_step'}-{'+'.join(kill.victims)}"
)
def test_killed_and_run_again(
    kill: Kill,
    spark: SparkSession,
    enwik8: Path,
    undisturbed: Refresh,
    by_step: Refresh,
    earlier: Path,
    rng: random.Random,
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    if kill.has_earlier:
        shutil.copytree(earlier, root)
    like = undisturbed if kill.mode else by_step
    step, seconds = place_of(rng.uniform(kill.after, kill.before), like.step_seconds())
    refresh = limited(root, enwik8, kill.mode)
    refresh.wait_for_step(step)
    time.sleep(seconds)
    family = refresh.family()
    victims = [{"jvm": refresh.jvm, "driver": refresh.driver}[name]() for name in kill.victims]
    assert refresh.is_running, refresh.out
    for victim in victims:
        victim.kill()
    assert refresh.wait(SECONDS_TO_END) != 0
    assert published(spark, root) == ("old" if kill.has_earlier else None)
    silent = wait_for_silence(root, family)
    tell(f"killed in step {step} after {seconds:.1f} s; the last process ended {silent:.1f} s later")
    if kill.has_earlier:
        assert_same_tables(spark, str(earlier), str(root))

    # A snapshot is the same whichever way its steps were started.
    again = ended_well(limited(root, enwik8, IN_PROCESS))
    assert again.out.count(" fresh ") >= step
    assert published(spark, root) == "new"
    assert_same_tables(spark, str(undisturbed.root), str(root))
