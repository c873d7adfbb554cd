"""Topics of the Web Tracks."""

import gzip
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wikisearch.errors import InputError
from wikisearch.exchange.topics import read_topics

pytestmark = pytest.mark.spark

XML = """<?xml version="1.0"?>
<!DOCTYPE webtrack2010 [ <!ELEMENT webtrack2010 (topic)*> ]>
<webtrack2010>
<!-- a comment -->
<topic number="051" type="faceted">
  <query>horse  hooves</query>
  <description>
    Find information about horse hooves &amp; their care.
  </description>
  <subtopic number="1" type="inf">One</subtopic>
  <subtopic number="2" type="nav">Two</subtopic>
</topic>
<topic number="52"><query>avp</query></topic>
</webtrack2010>
"""


def test_xml_and_lines(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.xml.gz").write_bytes(gzip.compress(XML.encode()))
    (tmp_path / "b.txt").write_text("\ufeff51:horse hooves\r\n\n# comment\nwt09-2: a:b \n", encoding="utf-8")
    assert [tuple(row) for row in read_topics(spark, str(tmp_path / "*")).collect()] == [
        ("051", "horse hooves", "faceted", "Find information about horse hooves & their care.", 2),
        ("52", "avp", None, None, 0),
        ("51", "horse hooves", None, None, None),
        ("wt09-2", "a:b", None, None, None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a><b></a>", "is not well-formed XML"),
        ("<top>\n<num> Number: 301\n<title> x\n</top>", "is not well-formed XML"),
        ("<a><b/></a>", "there is no <topic> in its <a>"),
        ("<a><topic number='1'><query> </query></topic></a>", "<topic> 1 has no query"),
        ("<a><topic><query>x</query></topic></a>", "<topic> 1 has no number"),
        ("51:a\n52 b\n", "', line 2: '52 b' is not 'number:query'"),
        ("51:a\n52:\n", "', line 2: '52:' is not 'number:query'"),
        ("51:a\n51:b\n", "topic '51' stands there a second time"),
    ],
)
def test_what_is_no_topic(spark: SparkSession, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "topics"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_topics(spark, str(path))
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.shared
def test_the_web_tracks_topics(spark: SparkSession, shared: Path) -> None:
    topics = read_topics(spark, str(shared / "data/trec_web/topics")).toPandas()
    assert sorted(topics["query_id"].astype(int)) == list(range(51, 201))
    assert topics["text"].str.split().str.len().max() == 10
    assert set(topics["type"]) == {"faceted", "ambiguous"}
    assert topics["num_subtopics"].sum() == 218 + 168 + 195
    assert not topics["description"].isna().any()
