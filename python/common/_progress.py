# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Progress of long work: a bar on standard error, or a callback."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Union

from .errors import UsageError

BAR_WIDTH = 30

_log = logging.getLogger(__package__)


class Progress(NamedTuple):
    """Progress of long work, reported about ten times per second."""

    phase: str  #: The current phase: "growing".
    detail: str  #: Details, such as "tree 3 of 80, level 4, 120 nodes"; may be empty.
    done: float  #: Share of the phase's work, from 0 to 1.


ProgressOption = Union[bool, None, Callable[[Progress], None]]


class _Clock:
    """Estimates the time left in the current phase."""

    def __init__(self) -> None:
        self._phase: str | None = None
        self._began = 0.0

    def left(self, progress: Progress) -> str:
        """The text " 12 s left"; empty if not yet known."""
        now = time.monotonic()
        if progress.phase != self._phase:
            self._phase, self._began = progress.phase, now
        passed = now - self._began
        return f" {passed / progress.done - passed:.0f} s left" if progress.done > 0.02 and passed > 2 else ""


class _Bar:
    """A progress bar on a terminal or in a notebook's cell, a line that is overwritten."""

    def __init__(self, stream) -> None:
        self._stream = stream
        self._clock = _Clock()
        self._width = 0  # characters of the line shown

    def __call__(self, progress: Progress) -> None:
        full = round(BAR_WIDTH * min(1.0, progress.done))
        bar = f"[{'#' * full}{' ' * (BAR_WIDTH - full)}]"
        line = f"{progress.phase} {bar} {100 * progress.done:3.0f} %{self._clock.left(progress)}  {progress.detail}"
        self._write_over(line[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        if self._width > 0:
            self._write_over("")
            self._stream.write("\r")
            self._stream.flush()

    def _write_over(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)


class _Lines:
    """Writes a line to the log at the beginning of each phase."""

    def __init__(self) -> None:
        self._phase: str | None = None

    def __call__(self, progress: Progress) -> None:
        if progress.phase != self._phase:
            self._phase = progress.phase
            _log.info("%s", " ".join(filter(None, (progress.phase, progress.detail))))


def _in_notebook() -> bool:
    """Whether this process is a notebook's kernel, whose page overwrites lines, and not IPython in a terminal."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return running is not None and hasattr(running, "kernel")


def _bar_for(progress: ProgressOption) -> _Bar | None:
    if progress is not True and progress is not None:
        return None
    stream = sys.stderr
    shows = stream is not None and (progress is True or stream.isatty() or _in_notebook())
    return _Bar(stream) if shows else None


@contextmanager
def told(progress: ProgressOption) -> Iterator[Callable[[str, str, float], None] | None]:
    """A function ``tell(phase, detail, done)`` for the extension module, or None if progress is not reported.

    Parameters
    ----------
    progress
        A function is called with each `Progress`; its exceptions end the work. True shows a bar on
        standard error. False shows nothing. None shows a bar in a notebook and if
        standard error is a terminal, else the beginning of phases, if the package's logger is enabled for INFO.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise UsageError(f"progress is {progress!r}; pass True, False, None or a function")
    bar = _bar_for(progress)
    listener = progress if callable(progress) else bar
    if listener is None and progress is None and _log.isEnabledFor(logging.INFO):
        listener = _Lines()
    try:
        yield None if listener is None else lambda *step: listener(Progress(*step))
    finally:
        if bar is not None:
            bar.clear()
