# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Tables of docs that scripts/bench writes from its newest figures. The text between

    <!-- scripts/bench: NAME -->
    <!-- scripts/bench: end -->

is the table NAME of TABLES."""

import json
import re
import statistics
import subprocess
from pathlib import Path

import bench_history  # beside this file

MARK = re.compile(r"(<!-- scripts/bench: (\w+) -->\n)(.*?)(<!-- scripts/bench: end -->)", re.S)
#: Names of presets in the pages.
PRESETS = {"fast": "`fast`", "balanced": "`balanced`, the default", "best": "`best`", "forest": "`forest`"}


class Figures:
    """Figures of one commit by their names. Repeated measurements of times are represented by their minimum, because
    other work on a shared machine only lengthens them, and other repeated values by their median."""

    def __init__(self, results):
        self.result = results[-1]
        found = {}
        for figure in (figure for result in results for figure in result["figures"] if figure["better"]):
            found.setdefault((figure["name"], figure["better"]), []).append(figure["value"])
        self.value = {name: min(values) if better == "less" else statistics.median(values) for (name, better), values in found.items()}

    def accuracy(self, name, smoothed=""):
        """Pixel / class, in %."""
        return " / ".join(f"{self.value[f'{name}: {what} accuracy{smoothed}']:.1f}" for what in ("pixel", "class"))

    def systems(self):
        """{system: its numbers of frames}, both in the order of measurement."""
        found = {}
        for name in self.value:
            if match := re.fullmatch(r"(.*), (\d+) frames: pixel accuracy", name):
                found.setdefault(match[1], []).append(int(match[2]))
        return {system: sorted(counts) for system, counts in found.items()}

    def frames(self):
        return max(count for counts in self.systems().values() for count in counts)


def newest(results, *, has):
    """Figures of the newest result with a name that contains `has`. @throws LookupError if none exists."""
    found = sorted((result for result in results if any(has in figure["name"] for figure in result["figures"])), key=lambda result: result["time"])
    if not found:
        raise LookupError(f"no figures are kept whose names have \"{has}\"; scripts/bench --help tells how they are measured")
    last = found[-1]
    return Figures([result for result in found if all(result[key] == last[key] for key in ("commit", "machine", "device", "data"))])


def rows(head, *body):
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *body)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:], ""])


def seconds(value):
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def boosting_table(results):
    """Presets unsmoothed and smoothed, and their training times."""
    figures = newest(results, has="labelling, two threads")
    lines = [["`--preset`", "unsmoothed", "smoothed", "growing", "a frame, smoothed", "on two threads of its host"]]
    for preset, label in PRESETS.items():
        name = f"{preset}, {figures.frames()} frames"
        times = [figures.value[f"{name}: labelling{where}"] for where in ("", ", two threads")]
        lines.append([label, figures.accuracy(name), figures.accuracy(name, ", smoothed"), f"{seconds(figures.value[f'{name}: growing'])} s",
                      f"{times[0]:.2f} ms", f"{times[1]:.0f} ms"])
    return rows(*lines)


def headline_table(results, *, of_annex=False):
    """The newest headline figures of each machine and device, for frames or for tables and streams."""
    last = {}
    for result in sorted(results, key=lambda result: result["time"]):
        wanted = [figure for figure in result["figures"] if figure["name"].startswith(("table: ", "stream: ")) == of_annex]
        if wanted and any(figure["name"] == "start of the program" for figure in result["figures"]):
            last[json.dumps([result["machine"], result["device"]])] = {**result, "figures": wanted}
    return bench_history.table(list(last.values())) + "\n"


def tables_table(results):
    return headline_table(results, of_annex=True)


TABLES = {"headline": headline_table, "tables": tables_table, "boosting": boosting_table}


def filled(text, results):
    """The page with its tables replaced. @throws KeyError for a name that is not in TABLES."""
    return MARK.sub(lambda mark: mark[1] + TABLES[mark[2]](results) + mark[4], text)


def fill(root, results, *, is_written):
    """Names of the pages whose tables are not those of the newest figures; rewrites the pages if is_written."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True, text=True)
    stale = []
    for page in listed.stdout.split():
        path = Path(root) / page
        text = path.read_text(encoding="utf-8")
        if (new := filled(text, results)) != text:
            stale.append(f"{page}: its tables are not those of the newest figures; scripts/bench --write writes them")
            if is_written:
                path.write_text(new, encoding="utf-8")
    return stale
