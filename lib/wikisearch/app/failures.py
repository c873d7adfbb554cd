"""How a command ends: its exit code, and one line that says why where it failed."""

import logging
import re
import sys
import traceback
from collections.abc import Callable

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from wikisearch.errors import UsageError, WikisearchError

DONE, FAILED, WRONG_USAGE = 0, 1, 2

# An error of ours that a Python worker raised, in the text of the exception that Spark makes of it.
_WORKER_ERROR = re.compile(r"^wikisearch\.errors\.\w+: (?P<message>.+)$", re.MULTILINE)


def run_and_report(name: str, work: Callable[[], None], *, is_debug: bool) -> int:
    """Runs a command's work and returns its exit code; a failure is told in one line on stderr.

    Args:
        name: the command, which begins the line.
        work: what to do.
        is_debug: whether to show stack traces.
    """
    try:
        work()
    except KeyboardInterrupt:
        code, line, trace = FAILED, "interrupted; nothing new was published", ""
    except Exception as error:
        code = WRONG_USAGE if isinstance(error, UsageError) else FAILED
        line = str(error) if isinstance(error, WikisearchError) else _one_line(error)
        trace = traceback.format_exc()
    else:
        return DONE
    if is_debug:
        sys.stderr.write(trace)
    # For a step's log file: the stack trace, then the same line.
    logging.getLogger("wikisearch").debug("%s", trace)
    logging.getLogger("wikisearch").debug("%s: error: %s", name, line)
    sys.stderr.write(f"{name}: error: {line}\n")
    return code


def _one_line(error: Exception) -> str:
    """An unforeseen error in one line; Spark's own run over hundreds."""
    text = str(error)
    ours = _WORKER_ERROR.search(text)
    if ours:
        return ours["message"].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    if isinstance(error, (PySparkException, Py4JJavaError)):
        # The last line of a worker's trace back is the error itself.
        ends = [line for line in lines if re.match(r"^[\w.]+(Error|Exception): ", line)]
        lines = ends[-1:] or lines
    return f"{type(error).__name__}: {lines[0][:300]}; run it again with --debug for the stack trace"
