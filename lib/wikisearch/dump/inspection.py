"""What a dump holds and what would be rejected of it, by one reading from start to end, without Spark."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from wikisearch.dump.files import DumpFile, find_dump_files
from wikisearch.dump.params import DumpParams
from wikisearch.dump.reader import FAULT, PAGE, REJECT, RecordReader, Row, plan_tasks
from wikisearch.dump.siteinfo import SiteInfo, site_of_files

_PAGE_FIELDS = ("page_id", "namespace", "title", "revision_id", "revised_at", "model", "redirect_title")
_REJECT_FIELDS = ("source", "page_id", "title", "reason", "excerpt")
_ALL = 1 << 62  # a limit that no dump has: one task reads all files
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class Inspection:
    """What one reading of a dump counted.

    Args:
        num_shown: how many pages and how many rejects are kept.
    """

    num_shown: int
    counts: Counter[str] = field(default_factory=Counter)
    namespaces: Counter[int] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    pages: list[Row] = field(default_factory=list)
    rejects: list[Row] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Takes in one record of `RecordReader`."""
        if row["kind"] == PAGE:
            self._add_page(row)
        elif row["kind"] == REJECT:
            self.reasons[str(row["reason"])] += 1
            if len(self.rejects) < self.num_shown:
                self.rejects.append({name: row.get(name) for name in _REJECT_FIELDS})
        elif row["kind"] == FAULT:
            self.faults.append(f"dump '{row['source']}': {row['excerpt']}")
        else:
            for name in ("num_page_starts", "num_older_revisions"):
                self.counts[name] += int(str(row[name]))
            self.counts[f"open {row['source']}"] += int(str(row["num_open_roots"]))

    def _add_page(self, row: Row) -> None:
        self.counts["num_pages"] += 1
        self.counts["num_redirects"] += row["redirect_title"] is not None
        self.counts["num_without_text"] += row["wikitext"] is None
        self.namespaces[int(str(row["namespace"]))] += 1
        self.models[str(row["model"])] += 1
        if len(self.pages) < self.num_shown:
            shown = {name: row[name] for name in _PAGE_FIELDS}
            time, text = row["revised_at"], row["wikitext"]
            if isinstance(time, int):
                shown["revised_at"] = (_EPOCH + timedelta(microseconds=time)).isoformat()
            shown["num_chars"] = None if text is None else len(str(text))
            self.pages.append(shown)


def inspect_dump(params: DumpParams, num_shown: int) -> dict[str, object]:
    """What the files of a dump say of their wiki, their first pages, counts, and what would be rejected.

    Args:
        params: which files; `limit` and `max_page_bytes` are followed.
        num_shown: how many pages and how many rejects are listed.

    Returns:
        JSON-able. `faults` are damaged places and ends that are missing: with one, parse_dump refuses the dump
        unless it is told --allow-truncated. Pages that occur twice are not looked for.

    Raises:
        InputError: a file is no dump, or is of another wiki than the rest.
    """
    files = find_dump_files(params.dump)
    info = site_of_files(files)
    tasks = plan_tasks(files, params.split_bytes, params.plain_split_bytes, params.limit or _ALL)
    reader = RecordReader(tuple(tasks), info.site, params.max_page_bytes, params.limit)
    found = Inspection(num_shown)
    for row in reader.rows(0):
        found.add(row)
    is_limited = found.counts["num_pages"] == params.limit
    if not is_limited:
        found.faults += _open_ends(files, found.counts)
    return _told(files, info, found, is_limited=is_limited)


def _open_ends(files: Iterable[DumpFile], counts: Counter[str]) -> list[str]:
    return [
        f"dump '{file.path}': is cut off: it ends before </mediawiki>"
        for file in files
        if counts[f"open {file.path}"] > 0
    ]


def _told(
    files: Sequence[DumpFile], info: SiteInfo, found: Inspection, *, is_limited: bool
) -> dict[str, object]:
    names = ("num_page_starts", "num_pages", "num_redirects", "num_without_text", "num_older_revisions")
    return {
        "files": [{"path": f.path, "format": f.format, "num_bytes": f.num_bytes} for f in files],
        "site": {name: value for name, value in vars(info).items() if name not in ("namespaces", "has_sections")},
        "namespaces": {
            str(key): {"name": info.namespaces.get(key), "num_pages": found.namespaces[key]}
            for key in sorted({*info.namespaces, *found.namespaces})
        },
        "is_read_to_its_end": not is_limited,
        "counts": {name: found.counts[name] for name in names} | {"num_rejects": sum(found.reasons.values())},
        "pages_by_model": dict(found.models.most_common()),
        "first_pages": found.pages,
        "rejects_by_reason": dict(sorted(found.reasons.items())),
        "first_rejects": found.rejects,
        "faults": found.faults,
    }
