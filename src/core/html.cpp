// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/html.h"

namespace fernwood {

namespace {

// Every page carries it whole, so that a report is one file that opens anywhere.
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
a { color: var(--accent); }
.soft, figcaption, caption { color: var(--soft); }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: middle; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td:first-child { white-space: nowrap; }
td.num, th.num { text-align: right; white-space: nowrap; }
.swatch { display: inline-block; width: .95em; height: .95em; border-radius: 3px; border: 1px solid var(--line);
  vertical-align: -.12em; margin-right: .5em; }
.bar { display: block; width: 12rem; height: .7rem; border-radius: 3px; background: var(--line); overflow: hidden; }
.bar > i { display: block; height: 100%; background: var(--accent); }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.facts > div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem 1rem;
  min-width: 8rem; }
.facts b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.problems { list-style: none; margin: 0; padding: 0; }
.problems li { margin: .3rem 0; padding: .4rem .8rem; border-left: 4px solid; border-radius: 4px;
  overflow-wrap: anywhere; }
.problems .error { border-color: var(--bad); background: var(--bad-page); }
.problems .warning { border-color: var(--warn); background: var(--warn-page); }
.good { color: var(--accent); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
.sheet.wide { grid-template-columns: repeat(auto-fill, minmax(32rem, 1fr)); }
figure { margin: 0; padding: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
figure .row { display: flex; gap: .4rem; }
figure .row > * { flex: 1 1 0; min-width: 0; }
figure .none { display: grid; place-items: center; background: var(--line); color: var(--soft); border-radius: 4px;
  aspect-ratio: 4 / 3; font-size: .8rem; text-align: center; }
figcaption { font-size: .85rem; padding-top: .35rem; overflow-wrap: anywhere; }
img { display: block; max-width: 100%; height: auto; border-radius: 4px; }
@media print { body { max-width: none; padding: 0; } figure, tr { break-inside: avoid; } }
)";

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t num_given = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < num_given ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= num_given ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string html_escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

std::string html_page(const std::string& title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         html_escape(title) + "</title>\n<style>" + kStyleSheet + "</style>\n</head>\n<body>\n" + body +
         "\n</body>\n</html>\n";
}

std::string html_swatch(const std::string& color) {
  return "<span class=\"swatch\" style=\"background:" + color + "\"></span>";
}

std::string data_address(std::span<const std::uint8_t> encoded, const std::string& mime) {
  return "data:" + html_escape(mime) + ";base64," + base64(encoded);
}

std::string html_image(std::span<const std::uint8_t> encoded, const std::string& mime, const std::string& alt) {
  return "<img alt=\"" + html_escape(alt) + "\" src=\"" + data_address(encoded, mime) + "\">";
}

}  // namespace fernwood
