"""Snippets: the best window, found by trying every window."""

from hypothesis import given
from hypothesis import strategies as st

from wikisearch.text.snippets import highlighted, snippet

TEXTS = st.lists(st.sampled_from(["oil", "lamp", "sea", "x", "y", "z"]), max_size=40)


def _value(window: list[str], terms: set[str]) -> tuple[int, int]:
    found = [word for word in window if word in terms]
    return len(set(found)), len(found)


@given(TEXTS, st.sets(st.sampled_from(["oil", "lamp", "sea"])), st.integers(1, 12))
def test_no_window_is_better(words: list[str], terms: set[str], num_words: int) -> None:
    shown = snippet(" ".join(words), terms, str.split, num_words).replace("…", "").split()
    windows = [words[start : start + num_words] for start in range(len(words))] or [[]]
    assert _value(shown, terms) == max(_value(window, terms) for window in windows)
    assert len(shown) == min(num_words, len(words))


@given(st.text(), st.integers(1, 5))
def test_takes_any_text(text: str, num_words: int) -> None:
    assert "\n" not in snippet(text, ["a"], str.split, num_words)


def test_the_words_that_match_stand_in_the_middle() -> None:
    text = " ".join(str(number) for number in range(100))
    assert snippet(text, ["50"], str.split, 5) == "… 48 49 50 51 52 …"
    assert snippet(text, ["0"], str.split, 5) == "0 1 2 3 4 …"
    assert snippet(text, ["99"], str.split, 5) == "… 95 96 97 98 99"
    assert snippet(text, ["none"], str.split, 5) == "0 1 2 3 4 …"


def test_a_long_run_is_shown_in_part_and_without_new_blanks() -> None:
    run = "x" * 24
    text = f"{run * 3} oil\n{run * 2}"
    assert snippet(text, ["oil"], str.split, 30) == f"{run * 3} oil {run * 2}"
    assert snippet(text, ["oil"], str.split, 3) == f"… {run} oil {run} …"


def test_highlights_keep_the_line() -> None:
    assert highlighted("  oil\tlamp ", ["lamp"], str.split, "[", "]") == "  oil\t[lamp] "
