"""Plots as files, by a flag of the jobs that evaluate and compare."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wikisearch.errors import InputError, UsageError
from wikisearch.report.plots import Plot

SVG, PNG = "svg", "png"
_UNFIT = re.compile(r"[^\w.@()=,-]+")


@dataclass(frozen=True)
class PlotParams:
    """Plots beside the numbers."""

    plots: str | None = field(default=None, metadata={"help": "local folder to write plots to"})
    plot_format: str = field(default=SVG, metadata={"help": f"of the plots: {SVG} or {PNG}"})

    def __post_init__(self) -> None:
        if self.plot_format not in (SVG, PNG):
            raise UsageError(f"plot_format {self.plot_format}: must be {SVG} or {PNG}")


def write_plots(plots: Mapping[str, Plot], params: PlotParams) -> None:
    """Writes plots, each to a file of its name; files of that name are replaced.

    Args:
        plots: by name; what cannot stand in a file's name becomes `_`.
        params: where to, and in which form.

    Raises:
        InputError: the folder cannot be made, or a file not written.
    """
    if params.plots is None:
        return
    folder = Path(params.plots)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, plot in plots.items():
            data = plot.png() if params.plot_format == PNG else plot.svg().encode("utf-8")
            (folder / f"{_UNFIT.sub('_', name)}.{params.plot_format}").write_bytes(data)
    except OSError as error:
        raise InputError(f"plots {folder}: cannot be written: {error.strerror or error}") from error
