# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""How far long work is: a bar on a terminal and in a notebook, or a function of the caller's."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Union

BAR_WIDTH = 30

_log = logging.getLogger("fernwood")


class Progress(NamedTuple):
    """What long work tells of itself, about ten times a second."""

    phase: str  #: What goes on: "growing".
    detail: str  #: More words, as "tree 3 of 80, level 4, 120 nodes"; may be empty.
    done: float  #: Share of the phase's work, from 0 to 1.


ProgressOption = Union[bool, None, Callable[[Progress], None]]


class _Bar:
    """A line that is written over. Phases are told apart, and each has its own time left."""

    def __init__(self, stream) -> None:
        self._stream = stream
        self._phase: str | None = None
        self._began = 0.0
        self._width = 0  # of what is shown

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.phase != self._phase:
            self._phase, self._began = progress.phase, now
        full = round(BAR_WIDTH * min(1.0, progress.done))
        passed = now - self._began
        left = f" {passed / progress.done - passed:.0f} s left" if progress.done > 0.02 and passed > 2 else ""
        words = f"{progress.phase} [{'#' * full}{' ' * (BAR_WIDTH - full)}] {100 * progress.done:3.0f} %{left}"
        line = f"{words}  {progress.detail}"[: shutil.get_terminal_size().columns - 1]
        self._write_over(line)

    def clear(self) -> None:
        self._write_over("")
        if self._phase is not None:
            self._stream.write("\r")
            self._stream.flush()

    def _write_over(self, line: str) -> None:
        """Spaces, for a notebook does not know how a terminal erases."""
        if self._phase is not None:
            self._stream.write("\r" + line.ljust(self._width))
            self._stream.flush()
        self._width = len(line)


class _Lines:
    """A line in the log when a phase begins."""

    def __init__(self) -> None:
        self._phase: str | None = None

    def __call__(self, progress: Progress) -> None:
        if progress.phase != self._phase:
            self._phase = progress.phase
            _log.info("%s", " ".join(filter(None, (progress.phase, progress.detail))))


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


@contextmanager
def told(progress: ProgressOption) -> Iterator[Callable[[str, str, float], None] | None]:
    """A function ``tell(phase, detail, done)`` for the module _fernwood, or None where nobody listens.

    Parameters
    ----------
    progress
        A function is called with each `Progress`; what it raises ends the work. True shows a bar on standard error,
        False nothing, None a bar where standard error is a terminal or a notebook's, and else what the logger
        "fernwood" lets through at the level INFO.
    """
    stream = sys.stderr
    shows_bar = progress is True or (progress is None and stream is not None and (stream.isatty() or _in_notebook()))
    bar = _Bar(stream) if shows_bar and stream is not None else None
    listener = progress if callable(progress) else bar
    if listener is None and progress is None and _log.isEnabledFor(logging.INFO):
        listener = _Lines()
    try:
        yield None if listener is None else lambda *step: listener(Progress(*step))
    finally:
        if bar is not None:
            bar.clear()
