// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "page/page.h"

#include <algorithm>
#include <cmath>

#include "core/base64.h"
#include "fernwood/core/text.h"

namespace fernwood::page {

namespace {

// Embedded in every page, so that a report is one file that opens anywhere.
constexpr const char* kStyleSheet = R"(
:root { color-scheme: light dark; --ink: #1d2329; --soft: #5c6670; --line: #d9dee3; --page: #fbfbfa; --card: #ffffff;
  --accent: #2f6f4f; --bad: #a4262c; --warn: #8a5a00; --bad-page: #fdeeee; --warn-page: #fff6e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa4ad; --line: #343b42; --page: #14181b;
  --card: #1c2226; --accent: #7cc4a0; --bad: #ff9a9a; --warn: #f0c060; --bad-page: #351d1f; --warn-page: #332a14; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 75rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .6rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
p { margin: .4rem 0; }
.soft, figcaption { color: var(--soft); }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.good { color: var(--accent); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
@media print { body { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } }

/* tables, bars within them, tables of colours */
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: middle; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td:first-child { white-space: nowrap; }
td.num, th.num { text-align: right; white-space: nowrap; }
tr.group td { padding-top: 1rem; font-weight: 600; }
.swatch { display: inline-block; width: .95em; height: .95em; border-radius: 3px; border: 1px solid var(--line);
  vertical-align: -.12em; margin-right: .5em; }
.bar { display: inline-block; width: 10rem; height: .7rem; border-radius: 3px; background: var(--line);
  overflow: hidden; }
.bar > i { display: block; height: 100%; background: var(--accent); }
.value { display: inline-block; min-width: 4rem; text-align: right; }
.difference { display: inline-block; position: relative; width: 10rem; height: .7rem; vertical-align: -.05rem;
  background: linear-gradient(var(--soft), var(--soft)) center / 1px 100% no-repeat; }
.difference i { position: absolute; top: 0; height: 100%; border-radius: 2px; }
.difference .more { left: 50%; background: var(--accent); }
.difference .less { right: 50%; background: var(--bad); }
.stack { display: flex; width: 100%; min-width: 12rem; height: .9rem; border-radius: 3px; overflow: hidden;
  background: var(--line); }
.stack > i { display: block; height: 100%; }
.heat th, .heat td { border: 0; }
.heat tbody td { min-width: 2.7rem; padding: .35rem .3rem; text-align: center; border: 1px solid var(--line); }
.heat thead th { padding: .3rem 0; text-align: center; vertical-align: bottom; }
.heat .name { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); max-height: 9rem;
  line-height: 1.5; overflow: hidden; text-overflow: ellipsis; }
.heat .name .swatch { margin: 0 0 .4em 0; }
.heat tbody td.right { outline: 2px solid var(--soft); outline-offset: -2px; }
.heat td a { display: block; margin: -.35rem -.3rem; padding: .35rem .3rem; color: inherit; text-decoration: none; }
.heat.many td a { margin: 0; padding: 0; }
.confused { display: none; max-width: 33rem; margin: .6rem 0; }
.confused:target { display: block; }
.confused img, .small img { width: 100%; image-rendering: pixelated; }
.heat.many tbody td { min-width: 1.1rem; height: 1.1rem; padding: 0; }
.heat.many th { font-size: .75rem; line-height: 1.2; padding-top: 0; padding-bottom: 0; }

/* facts and problems */
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.facts > div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem;
  min-width: 8rem; }
.facts b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.problems { list-style: none; margin: 0; padding: 0; }
.problems li { margin: .3rem 0; padding: .4rem .8rem; border-left: 4px solid; border-radius: 4px;
  overflow-wrap: anywhere; }
.problems .error { border-color: var(--bad); background: var(--bad-page); }
.problems .warning { border-color: var(--warn); background: var(--warn-page); }

/* pictures */
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(32rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
body > figure { margin-bottom: 1rem; }
figure .row { display: flex; gap: .4rem; }
figure .row > * { flex: 1 1 0; min-width: 0; }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 45%), 1fr)); gap: .5rem; }
.small figure:target { outline: 3px solid var(--accent); }
figure .none { display: grid; place-items: center; background: var(--line); color: var(--soft); border-radius: 4px;
  aspect-ratio: 4 / 3; font-size: .8rem; text-align: center; }
figcaption { font-size: .85rem; padding-top: .35rem; overflow-wrap: anywhere; }
img { display: block; max-width: 100%; height: auto; border-radius: 4px; }

/* charts */
.chart { display: block; width: 100%; min-width: 42rem; max-width: 70rem; height: auto; margin: .6rem 0;
  font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart text.name { fill: var(--ink); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.chart path { stroke: var(--line); }
.chart rect, .chart circle { stroke: var(--page); stroke-width: .7; }
.chart rect.bare { stroke: none; }
.chart rect.ground { stroke: none; fill: var(--line); fill-opacity: .4; }
.chart path.steps { fill: none; stroke: var(--soft); stroke-width: 1.3; }
.chart path.reach { stroke: var(--accent); stroke-width: 2; stroke-opacity: .55; }
.chart path.mark { stroke: var(--soft); stroke-dasharray: 2 3; }
.chart path.limit { stroke: var(--bad); stroke-dasharray: 5 4; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .75rem; }
.charts .chart { min-width: 0; margin: 0; }
summary { cursor: pointer; margin: .6rem 0; }

/* a pixel's tests: the first region and the second, in two colours that stay apart for colour-blind eyes, on a dark
   rim that keeps them visible on any picture */
.tag { display: inline-block; padding: 0 .4em; border-radius: 3px; color: #000; font-weight: 600; }
.tag.a { background: #ffb000; }
.tag.b { background: #4cc9ff; }
.frames { display: flex; flex-wrap: wrap; gap: .75rem; margin: .6rem 0; }
.frames > figure { flex: 1 1 20rem; min-width: 0; max-width: 44rem; }
details.tree { border-top: 1px solid var(--line); }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } .facts > div { min-width: 0; flex: 1 1 40%; }
  figure .row { flex-wrap: wrap; } figure .row > * { flex-basis: 45%; } }
.tests { width: 100%; }
.tests td { vertical-align: top; }
.tests td.close { width: 13rem; min-width: 9rem; }
.tests td.classes { width: 34%; }
.tests td.test { white-space: nowrap; }
.verdict { font-weight: 600; }
.seen { display: block; width: 100%; height: auto; background: var(--line); border-radius: 4px; }
.seen image, .seen use { image-rendering: pixelated; }
.seen rect, .seen path { fill: none; vector-effect: non-scaling-stroke; }
.seen .rim { stroke: #000; stroke-opacity: .65; stroke-width: 4px; }
.seen rect.a { stroke: #ffb000; stroke-width: 2px; }
.seen rect.b { stroke: #4cc9ff; stroke-width: 2px; }
.seen .out { stroke-dasharray: 4 3; }
.seen .here { stroke: #fff; stroke-width: 2px; }
.seen text { font-family: system-ui, sans-serif; font-weight: 600; paint-order: stroke; stroke: #000;
  stroke-width: .18em; }
.seen text.a { fill: #ffb000; }
.seen text.b { fill: #4cc9ff; }
)";

/// The attribute, or an empty text.
std::string class_attribute(const std::string& css_class) {
  return css_class.empty() ? "" : " class=\"" + css_class + "\"";
}

std::string facts_html(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string html = "<div class=\"facts\">\n";
  for (const auto& [value, meaning] : facts)
    html += "<div><b>" + escape(value) + "</b><span class=\"soft\">" + escape(meaning) + "</span></div>\n";
  return html + "</div>\n";
}

}  // namespace

std::string html_page(const PageHead& head, const std::string& body_html) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape(head.title) + "</title>\n<style>" + kStyleSheet + head.style + "</style>\n</head>\n<body>\n<h1>" +
         escape(head.heading.empty() ? head.title : head.heading) + "</h1>\n" +
         (head.subtitle_html.empty() ? "" : paragraph(head.subtitle_html)) + facts_html(head.facts) + body_html +
         "\n</body>\n</html>\n";
}

std::string section(const std::string& heading, const std::string& explanation_html, const std::string& html) {
  return "<h2>" + escape(heading) + "</h2>\n" + (explanation_html.empty() ? "" : paragraph(explanation_html)) + html;
}

std::string paragraph(const std::string& html) { return "<p class=\"soft\">" + html + "</p>\n"; }

std::string code(const std::string& text) { return "<code>" + escape(text) + "</code>"; }

std::string swatch(const std::string& color) {
  return "<span class=\"swatch\" style=\"background:" + color + "\"></span>";
}

std::string percent_sign(double share) { return std::isnan(share) ? "–" : percent(share) + " %"; }

std::string bar(double share, const std::string& color) {
  return "<span class=\"bar\"><i style=\"width:" + (std::isnan(share) ? "0" : percent(share)) + "%" +
         (color.empty() ? "" : ";background:" + color) + "\"></i></span>";
}

std::string bar_and_percent(double share, const std::string& color) {
  return bar(share, color) + "<span class=\"value\">" + percent_sign(share) + "</span>";
}

std::string data_address(std::span<const std::uint8_t> encoded, const std::string& mime) {
  return "data:" + mime + ";base64," + to_base64(encoded);
}

std::string image_element(std::span<const std::uint8_t> encoded, const std::string& mime, const std::string& alt) {
  return "<img alt=\"" + escape(alt) + "\" src=\"" + data_address(encoded, mime) + "\">";
}

HtmlTable::HtmlTable(std::vector<HtmlColumn> columns, const std::string& css_class)
    : columns_(std::move(columns)), html_("<div class=\"scroll\"><table" + class_attribute(css_class) + ">") {
  if (std::ranges::any_of(columns_, [](const HtmlColumn& column) { return !column.heading.empty(); })) {
    html_ += "<thead><tr>";
    for (const HtmlColumn& column : columns_)
      html_ += "<th" + class_attribute(column.css_class) + ">" + escape(column.heading) + "</th>";
    html_ += "</tr></thead>";
  }
  html_ += "\n<tbody>\n";
}

void HtmlTable::row(const std::vector<std::string>& cells_html, const std::string& css_class) {
  html_ += "<tr" + class_attribute(css_class) + ">";
  for (std::size_t i = 0; i < cells_html.size(); ++i) {
    const std::size_t span = i + 1 == cells_html.size() ? columns_.size() - i : 1;
    html_ += "<td" + class_attribute(columns_[i].css_class) +
             (span > 1 ? " colspan=\"" + std::to_string(span) + "\"" : "") + ">" + cells_html[i] + "</td>";
  }
  html_ += "</tr>\n";
}

std::string HtmlTable::html() const { return html_ + "</tbody></table></div>\n"; }

}  // namespace fernwood::page
