"""Topics of the TREC Web Tracks (2009-2014): XML, or one `number:query` a line."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from wikisearch.errors import InputError
from wikisearch.exchange.lines import TextFile, find_text_files
from wikisearch.files.chunks import Split, chunks
from wikisearch.files.paths import open_file

_TOPICS = "topics"  # what messages call the files
_SCHEMA = T.StructType(
    [
        T.StructField("query_id", T.StringType(), False),
        T.StructField("text", T.StringType(), False),
        T.StructField("type", T.StringType(), True),
        T.StructField("description", T.StringType(), True),
        T.StructField("num_subtopics", T.IntegerType(), True),
    ]
)

_Topic = tuple[str, str, str | None, str | None, int | None]


def read_topics(spark: SparkSession, patterns: str | Sequence[str]) -> DataFrame:
    """The topics of files, in their order; they are read on the driver, which takes a moment for hundreds.

    Args:
        spark: the session.
        patterns: paths, patterns and folders, see `find_text_files`.

    Returns:
        query_id STRING; text STRING, the query; type STRING (faceted, ambiguous, ...), description STRING and
        num_subtopics INT, NULL where a file gives only queries. Unique by query_id.

    Raises:
        InputError: a file cannot be read or is none of topics, or a topic stands there twice.
    """
    files = find_text_files([patterns] if isinstance(patterns, str) else patterns, _TOPICS)
    found: dict[str, _Topic] = {}
    for file in files:
        for topic in _topics(file):
            if topic[0] in found:
                raise InputError(f"{_TOPICS} '{file.path}': topic '{topic[0]}' stands there a second time")
            found[topic[0]] = topic
    return spark.createDataFrame(list(found.values()), _SCHEMA)


def _topics(file: TextFile) -> Iterator[_Topic]:
    data = _content(file)
    is_xml = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return _of_xml(file.path, data) if is_xml else _of_lines(file.path, data)


def _content(file: TextFile) -> bytes:
    parts = []
    with open_file(file.path, _TOPICS) as handle:
        for chunk in chunks(handle, Split(file.path, file.format, 0, file.num_bytes)):
            parts.append(chunk.data)
            if chunk.fault is not None:
                raise InputError(f"{_TOPICS} '{file.path}': {chunk.fault}; get the file again")
    return b"".join(parts)


def _of_xml(path: str, data: bytes) -> Iterator[_Topic]:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(f"{_TOPICS} '{path}': is not well-formed XML ({error})") from error
    topics = root.findall("topic")
    if not topics:
        raise InputError(f"{_TOPICS} '{path}': there is no <topic> in its <{root.tag}>")
    for place, topic in enumerate(topics, 1):
        number, query = topic.get("number", "").strip(), _text(topic, "query")
        if not number or not query:
            raise InputError(f"{_TOPICS} '{path}': <topic> {place} has no {'query' if number else 'number'}")
        yield number, query, topic.get("type"), _text(topic, "description"), len(topic.findall("subtopic"))


def _text(topic: ElementTree.Element, name: str) -> str | None:
    return " ".join(topic.findtext(name, "").split()) or None


def _of_lines(path: str, data: bytes) -> Iterator[_Topic]:
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        query_id, colon, text = line.partition(":")
        if not colon or not query_id.strip() or not text.strip():
            raise InputError(f"{_TOPICS} '{path}', line {number}: {line[:80]!r} is not 'number:query'")
        yield query_id.strip(), " ".join(text.split()), None, None, None
