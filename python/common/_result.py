# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""The base class of results: the program's JSON, shown as a table, a plot or a page."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Union

from . import _native
from ._arguments import checked
from ._optional import require

PAGE_HEIGHT = 600


class Result:
    """Base class of results. ``str()`` is the table that the program prints, ``data`` the output of its ``--json``.

    The keys of ``data`` are also attributes: ``result.pixel_accuracy``. The pages in docs/ explain them.
    """

    #: Key of the list whose entries are the rows of `to_frame`.
    _rows = ""

    def __init__(self, native: _native.Report) -> None:
        self._native = native

    @cached_property
    def data(self) -> dict[str, Any]:
        """The output of the program's ``--json``."""
        return json.loads(self._native.json())

    @property
    def json(self) -> str:
        """`data` as JSON text."""
        return self._native.json()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.data:
            raise AttributeError(f"{type(self).__name__} has no {name}; it has {', '.join(self.data)}")
        return self.data[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    def __str__(self) -> str:
        return self._native.table()

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__}: {self._words()}>"

    def _words(self) -> str:
        """The main facts, in one line."""
        return ", ".join(self.data)

    def _repr_html_(self) -> str:
        import html

        page = self._native.page()
        if page is None:
            return f"<pre>{html.escape(str(self))}</pre>"
        return (
            f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: {PAGE_HEIGHT}px; border: 0"></iframe>'
        )

    @checked
    def save_page(self, path: Union[str, os.PathLike]) -> None:
        """Writes the program's page, an HTML file that opens offline; a plain table for results without a page."""
        page = self._native.page()
        _native.write_text(
            os.fspath(path), page if page is not None else f"<!doctype html><meta charset=utf-8>{self._repr_html_()}"
        )

    def to_frame(self):
        """The rows as a pandas.DataFrame."""
        return self._frame_of(self.data[self._rows])

    @staticmethod
    def _frame_of(rows: list[dict[str, Any]]):
        return require("pandas", "to_frame()").json_normalize(rows)

    def plot(self, ax=None):
        """Plots the result with matplotlib. `ax`: axes to draw on; None: new axes. Returns the axes."""
        if ax is None:
            ax = require("matplotlib.pyplot", "plot()").subplots(layout="constrained")[1]
        self._draw(ax)
        return ax

    def _draw(self, ax) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no picture; see to_frame()")
