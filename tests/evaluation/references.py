"""Reading the reference values of evaluation tools: names of measures, and files that are merged."""

import gzip
import re
from pathlib import Path

# What the references hold beside measures, and why no measure is compared with it.
NOT_COMPARED = {
    "num_q": "a count; compared by itself where it matters",
    "num_ret": "a count of documents, no measure",
    "num_rel": "a count of documents, no measure",
    "num_rel_ret": "a count of documents, no measure",
    "gm_map": "a geometric mean: means are arithmetic here",
    "iprec_at_recall_0.00": "compared with pytrec_eval on random lists",
}
_WHOLE = {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "ndcg": "nDCG"}
_CUT = {"P": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}


def our_name(name: str, level: int = 1) -> str:
    """The spelling of a measure that trec_eval calls `name`; raises KeyError for another name.

    Args:
        name: such as `map_cut_10`.
        level: trec_eval's option -l, of which nDCG takes no notice.
    """
    if name in _WHOLE:
        ours, cut = _WHOLE[name], ""
    else:
        stem, _, cutoff = name.rpartition("_")
        ours, cut = _CUT[stem], f"@{int(cutoff)}"
    return ours + (f"(rel={level})" if level > 1 and ours != "nDCG" else "") + cut


def unpacked(path: Path) -> bytes:
    """The content of a file that may lie there packed, with `.gz` behind its name."""
    return path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes())


def merged(paths: dict[str, Path], target: Path) -> str:
    """One file of several, without comments: each line's query gets the name of its file before it."""
    with target.open("wb") as file:
        for name, path in paths.items():
            said = re.sub(rb"(?m)^#.*\n", b"", unpacked(path))
            file.write(re.sub(rb"(?m)^([ \t]*)(?=\S)", rb"\1" + name.encode() + b"|", said).rstrip() + b"\n")
    return str(target)
