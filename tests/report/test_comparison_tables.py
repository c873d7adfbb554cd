from dataclasses import replace

import pytest

from wikisearch.errors import InputError, UsageError
from wikisearch.report.comparison_tables import (
    ComparisonTableParams,
    latex_table,
    mark,
    markdown_table,
)
from wikisearch.report.facts import Comparison

BETTER = Comparison(
    baseline="bm25",
    system="a_b",
    family="trec_eval",
    measure="nDCG@10",
    split="test",
    num_queries=50,
    mean=0.51236,
    baseline_mean=0.5,
    difference=0.01236,
    confidence=0.95,
    interval_low=0.004,
    interval_high=0.02,
    effect_size=0.3,
    num_wins=30,
    num_ties=5,
    num_losses=15,
    test="t-test",
    p_value=0.001,
    p_bonferroni=0.02,
    p_holm=0.005,
    correction_family="all",
    num_comparisons=20,
)
WORSE = replace(
    BETTER, measure="AP", mean=0.29999, difference=-0.2, baseline_mean=0.49999, p_value=None, p_holm=1.0
)


def test_marks_go_by_the_correction_that_is_asked_for() -> None:
    assert mark(BETTER, ComparisonTableParams()) == "++"
    assert mark(BETTER, ComparisonTableParams(correction="bonferroni")) == "+"
    assert mark(BETTER, ComparisonTableParams(levels=(0.001,))) == ""
    assert mark(replace(BETTER, difference=-0.1), ComparisonTableParams()) == "--"
    assert mark(WORSE, ComparisonTableParams(correction="none")) == ""  # an undefined p-value
    # No query that both have values of.
    assert mark(replace(WORSE, mean=None, baseline_mean=None, difference=None), ComparisonTableParams()) == ""


def test_latex_in_wikirs_layout_with_rounded_values() -> None:
    worse = replace(WORSE, p_bonferroni=0.001)
    params = ComparisonTableParams(style="wikir", correction="bonferroni")
    comment, *rows = latex_table([BETTER, worse], params)
    assert comment.startswith("% Means over 50 queries (split test; measures of trec_eval). ")
    assert comment.endswith(" Columns: nDCG@10, AP.")
    assert rows == [
        r"bm25 & 0.5000 & 0.5000 \\",
        r"a\_b & 0.5124\textsuperscript{\textbf{+}} & 0.3000\textsuperscript{\textbf{-\,-}} \\",
    ]


def test_latex_as_a_whole_table() -> None:
    lines = latex_table([BETTER, WORSE], ComparisonTableParams())
    assert lines == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Means over 50 queries (split test; measures of trec\_eval). Marks: two-sided paired t-test "
        r"against bm25, Holm's correction over m = 20 comparisons (every system and measure); "
        r"+ p $<$ 0.05 and ++ p $<$ 0.01 (better; - for worse).}",
        r"\begin{tabular}{lll}",
        r"\toprule",
        r"System & nDCG@10 & AP \\",
        r"\midrule",
        r"bm25 & 0.5000 & 0.5000 \\",
        r"a\_b & 0.5124\textsuperscript{++} & 0.3000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_markdown() -> None:
    other = replace(BETTER, family="gdeval", system="x|y")
    lines = markdown_table([BETTER, other], ComparisonTableParams(correction="none"))
    assert lines[:5] == [
        r"| system | nDCG@10 (trec\_eval) | nDCG@10 (gdeval) |",
        "|---|---:|---:|",
        "| bm25 | 0.5000 | 0.5000 |",
        r"| a\_b | 0.5124++ | – |",
        r"| x\|y | – | 0.5124++ |",
    ]
    assert "not corrected for the 2 comparisons shown" in lines[-1]


def test_of_several_tests_the_first_is_shown() -> None:
    other = replace(BETTER, test="wilcoxon", mean=0.9)
    assert latex_table([BETTER, other], ComparisonTableParams()) == latex_table([BETTER], ComparisonTableParams())


def test_nothing_to_show_is_an_error() -> None:
    with pytest.raises(InputError, match="no rows"):
        markdown_table([], ComparisonTableParams())


@pytest.mark.parametrize(
    "wrong", [{"style": "html"}, {"correction": "sidak"}, {"levels": ()}, {"levels": (0.05, 1.0)}]
)
def test_unknown_parameters(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ComparisonTableParams(**wrong)  # type: ignore[arg-type]
