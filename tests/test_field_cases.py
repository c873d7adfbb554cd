"""Every reported failure case of these areas is accounted for: by the test that covers it, or by a reason."""

import ast
import csv
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
AREAS = {"dump", "graph", "bm25", "spark", "refresh"}
ELSEWHERE = {
    "wikitext": "text/test_cases.py::test_reported_cases_have_the_right_outcome",
    "firstsent": "text/test_cases.py::test_reported_cases_have_the_right_outcome",
    "eval": "evaluation/test_evaluate_cases.py::test_cases",
}
# Case: tests that cover its kind, and for some the case itself.
COVERED: dict[str, tuple[str, ...]] = {
    "D01": ("dump/test_dump_cases.py::test_fields_of_pages", "dump/test_fields.py::test_text"),
    "D02": ("dump/test_dump_cases.py::test_fields_of_pages", "dump/test_fields.py::test_text"),
    "D03": (
        "dump/test_dump_cases.py::test_fields_of_pages",
        "dump/test_fields.py::test_only_the_main_slot_is_read",
    ),
    "D04": ("dump/test_dump_cases.py::test_old_dump_without_namespaces",),
    "D08": ("dump/test_dump_cases.py::test_fields_of_pages",),
    "D09": (
        "dump/test_dump_cases.py::test_a_cut_dump_gives_its_whole_pages_and_says_that_it_is_cut",
        "dump/test_dump_cases.py::test_a_bz2_cut_in_its_first_block_is_refused",
        "dump/test_dump_pages.py::test_a_dump_that_is_cut_off_is_refused_unless_that_is_allowed",
    ),
    "D10": ("dump/test_dump_cases.py::test_streams_and_bounds_of_splits",),
    "D11": (
        "dump/test_dump_cases.py::test_streams_and_bounds_of_splits",
        "dump/test_dump_oracle.py::test_any_dump_in_any_splits_is_what_lxml_reads",
    ),
    "D15": (
        "dump/test_dump_cases.py::test_what_is_no_dump_is_refused",
        "jobs/test_bad_input.py::test_bad_dumps_are_refused",
    ),
    "D16": (
        "dump/test_real_dumps.py::test_real_dumps",
        "dump/test_real_dumps.py::test_the_counts_that_were_reported",
    ),
    "D17": (
        "dump/test_dump_cases.py::test_a_misnamed_dump_is_read_and_its_name_is_told",
        "dump/test_dump_cases.py::test_what_is_no_dump_is_refused",
    ),
    "G01": ("graph/test_pagerank.py::test_reported_graphs",),
    "G02": ("graph/test_pagerank.py::test_reported_graphs",),
    "G05": ("graph/test_links.py::test_reported_redirect_shapes",),
    "G06": ("graph/test_pagerank.py::test_reported_graphs",),
    "G08": ("graph/test_graph_kinds.py::test_no_checkpoint_folder_is_needed_and_shuffled_rows_keep_their_ranks",),
    "G10": ("graph/test_graph_kinds.py::test_no_checkpoint_folder_is_needed_and_shuffled_rows_keep_their_ranks",),
    # No SQL is read here: titles come from XML, in which they need other escapes, and an SQL file is refused.
    "G11": (
        "graph/test_graph_kinds.py::test_titles_that_a_careless_scanner_breaks_come_through",
        "graph/test_graph_kinds.py::test_a_table_in_sql_is_no_dump",
    ),
    "G13": ("graph/test_pagerank.py::test_reported_graphs",),
    "G15": ("graph/test_pagerank.py::test_hub_that_all_link_to",),
    "B01": ("retrieval/test_lexical.py::test_scores_and_empty_queries_of_the_shared_cases",),
    "B03": ("retrieval/test_lexical.py::test_scores_and_empty_queries_of_the_shared_cases",),
    "B05": ("retrieval/test_lexical.py::test_ties_of_the_shared_case",),
    "B06": ("retrieval/test_segments.py::test_lengths_of_the_shared_case",),
    "B07": ("text/test_tokens.py::test_scripts_of_the_shared_case",),
    "B10": ("retrieval/test_lexical.py::test_partitions_shards_and_blocks_change_no_bit",),
    "S01": ("dump/test_articles.py::test_articles_are_what_the_rules_say",),
    "S03": ("dump/test_batches.py::test_a_page_is_the_same_whatever_batch_it_is_in",),
    "S04": (
        "dump/test_batches.py::test_a_page_is_the_same_whatever_batch_it_is_in",
        "dump/test_batches.py::test_no_page_at_all",
    ),
    "S07": ("submit/test_environment.py::test_another_python_on_the_workers_is_told_in_the_first_stage",),
    "S09": (
        "submit/test_environment.py::test_the_zip_holds_no_native_code_and_reads_its_data_from_any_folder",
        "submit/test_submit.py::test_a_standalone_cluster_from_parse_to_metrics",
    ),
    "S10": ("app/test_store.py::test_a_table_may_be_made_of_itself",),
    "S12": ("jobs/test_partitions.py::test_many_partitions_make_the_tables_that_one_makes",),
    "S13": ("collection/test_collection.py::test_splits",),
    "S15": ("submit/test_environment.py::test_scratch_lies_where_the_setting_says_and_nothing_is_left",),
    "S16": (
        "dump/test_batches.py::test_line_ends_of_every_kind_stay_in_their_page",
        "exchange/test_exchange_tables.py::test_one_file_of_json_lines",
        "exchange/test_exchange_tables.py::test_one_file_with_separators",
    ),
    "S20": (
        "dump/test_batches.py::test_long_pages_among_short_ones_stay_small_in_memory",
        "dump/test_reader.py::test_batches_are_bounded_by_bytes",
    ),
    "S21": ("test_driver.py::test_rows_on_the_driver_are_few", "soak/test_enwik8.py::test_memory_stays_small"),
    "R01": (
        "jobs/test_refresh_from_old.py::test_edges_and_documents_of_the_reported_refreshes",
        "jobs/test_refresh_from_old.py::test_a_refresh_from_old_tables_equals_one_from_none",
    ),
    "R03": (
        "jobs/test_refresh_from_old.py::test_edges_and_documents_of_the_reported_refreshes",
        "jobs/test_refresh_from_old.py::test_a_refresh_from_old_tables_equals_one_from_none",
    ),
    "R04": ("jobs/test_refresh_from_old.py::test_a_refresh_from_old_tables_equals_one_from_none",),
    "R06": (
        "jobs/test_refresh_from_old.py::test_edges_and_documents_of_the_reported_refreshes",
        "jobs/test_refresh_from_old.py::test_a_refresh_from_old_tables_equals_one_from_none",
    ),
}
# Case: why no test can cover it.
NOT_COVERED = {
    "S06": "no job ships a trained model to workers yet; who adds one replaces this line by its test",
}


def _functions(path: str) -> set[str]:
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.shared
def test_every_case_of_the_index_is_accounted_for(shared: Path) -> None:
    with (shared / "cases/INDEX.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    listed = {row["id"] for row in rows if row["area"] in AREAS}
    assert len(listed) > 40
    assert listed == COVERED.keys() | NOT_COVERED.keys()
    assert not COVERED.keys() & NOT_COVERED.keys()
    assert {row["area"] for row in rows} - AREAS - ELSEWHERE.keys() <= {"wikir"}


@pytest.mark.parametrize(
    "test", sorted({test for tests in [*COVERED.values(), ELSEWHERE.values()] for test in tests})
)
def test_the_tests_that_cover_cases_exist(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in _functions(path)
