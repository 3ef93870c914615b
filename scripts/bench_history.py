# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Comparison, table and drawing of the figures that scripts/bench has stored."""

from html import escape

#: Relative change below which nothing is reported, whatever the spread.
NEGLIGIBLE = 0.05


def number(value):
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def tolerance(*figures):
    """The change that the spreads of both explain."""
    return max(NEGLIGIBLE * abs(figures[0]["value"]), 2 * sum(figure["spread"] for figure in figures))


def judge(old, new):
    """ "same", "better" or "worse", or "other" for a value that must not change but did."""
    if new["better"] is None:
        return "same" if old["value"] == new["value"] else "other"
    change = new["value"] - old["value"]
    # Accuracies have no spread: a tenth of a percentage point counts.
    if abs(change) <= (0.1 if new["unit"] == "%" else tolerance(old, new)):
        return "same"
    return "better" if (change < 0) == (new["better"] == "less") else "worse"


def compare(old, new):
    """Lines about the changes, and whether a figure became worse."""
    known = {figure["name"]: figure for figure in old["figures"]}
    lines, worse = [f"compared with {old['commit']} of {old['time']}:"], False
    if old["machine"] != new["machine"]:
        lines.append(f"  the machine is not quite the same: {old['machine']}")
    for figure in new["figures"]:
        before = known.pop(figure["name"], None)
        verdict = judge(before, figure) if before else "new"
        worse = worse or verdict == "worse"
        if verdict in ("better", "worse", "other"):
            lines.append(f"  {verdict:7}{figure['name']}: {number(before['value'])} -> {number(figure['value'])} {figure['unit']}")
    lines += [f"  gone   {name}" for name in known]
    return lines + (["  no figure changed by more than its spread"] if len(lines) == 1 else []), worse


def place_of(result):
    """The processor, and the GPU if it was measured."""
    machine = result["machine"]
    return ", ".join([machine["processor"], f"{machine['cores']} cores", *(machine.get("gpus", [])[:1] if result["device"] != "cpu" else [])])


def table(results):
    """A Markdown table: a column for each result, a row for each figure."""
    if not results:
        return "no figures are kept yet"
    names = list(dict.fromkeys((figure["name"], figure["unit"]) for result in results for figure in result["figures"] if figure["better"]))
    heads = [f"{place_of(result)} ({result['commit']}, {result['time'][:10]})" for result in results]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "---|" * len(results)]
    for name, unit in names:
        values = [next((figure for figure in result["figures"] if figure["name"] == name), None) for result in results]
        lines.append(f"| {name} | " + " | ".join(f"{number(value['value'])} {unit}" if value else "" for value in values) + " |")
    return "\n".join(lines)


WIDTH, HEIGHT, COLUMNS, MARGIN = 260, 120, 3, 34


def series(results, name):
    return [(i, figure) for i, result in enumerate(results) for figure in result["figures"] if figure["name"] == name]


def panel(points, count, left, top):
    """One figure over the runs: its median, with its spread as a bar."""
    low = min(figure["value"] - figure["spread"] for _, figure in points)
    high = max(figure["value"] + figure["spread"] for _, figure in points)
    low, high = (low, high) if high > low else (low - 1, high + 1)

    def at(i, value):
        x = left + MARGIN + (WIDTH - 2 * MARGIN) * (i / (count - 1) if count > 1 else 0.5)
        return x, top + HEIGHT - 24 - (HEIGHT - 56) * (value - low) / (high - low)

    figure = points[-1][1]
    parts = [f'<text x="{left + 8}" y="{top + 16}" class="name">{escape(figure["name"])}</text>',
             f'<text x="{left + WIDTH - 8}" y="{top + 16}" class="value">{number(figure["value"])} {escape(figure["unit"])}</text>']
    for i, one in points:
        (x, upper), (_, lower) = at(i, one["value"] + one["spread"]), at(i, one["value"] - one["spread"])
        parts.append(f'<line x1="{x:.1f}" y1="{upper:.1f}" x2="{x:.1f}" y2="{lower:.1f}" class="spread"/>')
    line = " ".join("{:.1f},{:.1f}".format(*at(i, one["value"])) for i, one in points)
    parts.append(f'<polyline points="{line}"/>')
    parts += ['<circle cx="{:.1f}" cy="{:.1f}" r="2.5"/>'.format(*at(i, one["value"])) for i, one in points]
    parts.append(f'<text x="{left + 8}" y="{top + HEIGHT - 6}" class="axis">{number(low)} to {number(high)}, less is better</text>'
                 if figure["better"] == "less" else
                 f'<text x="{left + 8}" y="{top + HEIGHT - 6}" class="axis">{number(low)} to {number(high)}, more is better</text>')
    return parts


def draw(results):
    """SVG: a small chart for each figure, over the runs in their order."""
    names = list(dict.fromkeys(figure["name"] for result in results for figure in result["figures"] if figure["better"]))
    rows = -(-len(names) // COLUMNS)
    title = f"{place_of(results[-1])}: {results[0]['commit']} to {results[-1]['commit']}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * WIDTH}" height="{rows * HEIGHT + 28}" role="img" '
             f'aria-label="{escape(title, quote=True)}">',
             "<style>text{font:11px sans-serif;fill:#444}.name{font-weight:bold}.value{text-anchor:end}.axis{font-size:9px;fill:#777}"
             "polyline{fill:none;stroke:#2b6cb0;stroke-width:1.5}circle{fill:#2b6cb0}.spread{stroke:#9dbbdc;stroke-width:4}</style>",
             f'<rect width="100%" height="100%" fill="#fff"/><text x="8" y="18" class="name">{escape(title)}</text>']
    for i, name in enumerate(names):
        parts += panel(series(results, name), len(results), i % COLUMNS * WIDTH, 28 + i // COLUMNS * HEIGHT)
    return "\n".join([*parts, "</svg>", ""])
