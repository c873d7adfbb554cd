"""What the reading of a dump can be told."""

from dataclasses import dataclass, field

from wikisearch.errors import UsageError

_MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class DumpParams:
    """Parameters of `read_dump`."""

    dump: tuple[str, ...] = field(
        metadata={
            "help": "dump files of one wiki: paths, patterns (quoted) or URIs; XML, plain or as bz2, gz, xz or zst"
        }
    )
    allow_truncated: bool = field(
        default=False, metadata={"help": "use what can be read of a dump that is cut off or damaged"}
    )
    max_reject_share: float = field(
        default=0.01, metadata={"help": "share of pages that may be unreadable, in [0, 1]; more fails the job"}
    )
    limit: int | None = field(
        default=None, metadata={"help": "read only the first N pages, one task, for a quick look"}
    )
    split_bytes: int = field(default=8 * _MEBIBYTE, metadata={"help": "bytes of a bz2 file that one task reads"})
    plain_split_bytes: int = field(
        default=64 * _MEBIBYTE, metadata={"help": "bytes of a plain XML file that one task reads"}
    )
    max_page_bytes: int = field(
        default=64 * _MEBIBYTE,
        metadata={"help": "longest page (of a history dump: revision) that is read; longer ones are rejected"},
    )

    def __post_init__(self) -> None:
        if not self.dump:
            raise UsageError("--dump: give at least one dump file")
        if not 0 <= self.max_reject_share <= 1:
            raise UsageError(f"--max-reject-share {self.max_reject_share}: must be in [0, 1]")
        for name in ("limit", "split_bytes", "plain_split_bytes", "max_page_bytes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name.replace('_', '-')} {value}: must be at least 1")
