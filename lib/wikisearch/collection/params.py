"""The parameters of the test collection."""

from dataclasses import dataclass, field

from wikisearch.errors import UsageError


@dataclass(frozen=True)
class CollectionParams:
    """What becomes a document and a query, and how queries are dealt to splits."""

    min_words: int = field(
        default=200,  # Frej, Schwab, Chevallet 2020, "WIKIR", section 3
        metadata={"help": "whitespace-separated words that an article must have to become a document"},
    )
    min_relevant: int = field(
        default=5,  # the same
        metadata={"help": "other documents whose first sentence must link to an article to make it a query"},
    )
    seed: int = field(default=27355, metadata={"help": "seed of the hash that deals queries to splits"})
    validation_share: float = field(
        default=0.1, metadata={"help": "share of the queries for validation, in [0, 1]"}
    )
    test_share: float = field(default=0.1, metadata={"help": "share of the queries for the test, in [0, 1]"})

    def __post_init__(self) -> None:
        for name in ("min_words", "min_relevant"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, found {getattr(self, name)}")
        for name in ("validation_share", "test_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} must be between 0 and 1, found {getattr(self, name)}")
        if self.validation_share + self.test_share > 1:
            raise UsageError(
                f"validation_share ({self.validation_share}) and test_share ({self.test_share}) "
                "must sum to at most 1"
            )
