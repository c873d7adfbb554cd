"""Nothing as large as the corpus is brought to the driver: who brings rows there is listed, with what they are."""

from test_architecture import MODULES, calls, place, tree_of

BRINGING = {"collect", "toLocalIterator", "toPandas", "tail"}
# Module: why what it brings is small, whatever the wiki's size.
SMALL = {
    "app/class_archive.py": "what it made itself, a few rows",
    "app/context.py": "the one row of sites",
    "app/fold_files.py": "ids of judged queries, which become one file",
    "app/measure_outputs.py": "values of queries that are written as they come, a partition at a time",
    "app/search.py": "the terms of one question, and its best documents",
    "app/store.py": "the entries of snapshots and a table's newest version",
    "collection/statistics.py": "one row of counts",
    "dump/articles.py": "counts by class",
    "dump/pages.py": "counts by file and by reason",
    "evaluation/checks.py": "what is wrong in one query's judgements and run, and counts by system",
    "evaluation/comparisons.py": "names of systems and measures, some quantiles",
    "evaluation/evaluate.py": "means by measure, names of systems",
    "evaluation/folds.py": "one row of counts",
    "exchange/faults.py": "counts of faulty lines, and the first one",
    "exchange/letor.py": "counts, one row for each block of the files that are read",
    "exchange/tables.py": "lines of one file that are written as they come, a partition at a time",
    "exchange/trec.py": "one row of counts",
    "exchange/write_trec.py": "lines of one file that are written as they come; names of systems",
    "graph/links.py": "counts by outcome",
    "graph/pagerank.py": "sums",
    "report/gather.py": "counts, shares and the first of ordered lists",
    "report/histograms.py": "counts by bin",
    "retrieval/lexical.py": "the number of shards",
}


def test_rows_on_the_driver_are_few() -> None:
    found = {place(path): calls(tree_of(path), BRINGING) for path in MODULES}
    bringing = {name for name, places in found.items() if places}
    assert bringing == set(SMALL), "a module that brings rows to the driver says here why they are few"
    assert not [name for name, places in found.items() if any(p.startswith("toPandas") for p in places)]
