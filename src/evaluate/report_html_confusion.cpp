// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "evaluate/report_html_parts.h"

namespace fernwood::evaluate {
namespace {

constexpr std::size_t kMaxNumberedClasses = 20;  // beyond it, cells of the matrix show colour and a tooltip only

std::string matrix_cell(double share, bool right, bool numbered, const std::string& tooltip) {
  const std::string shown = std::isnan(share) ? "–" : percent(share);
  std::string style;
  if (!std::isnan(share)) {
    // The square root lets the few percent that matter be seen.
    const std::string strength = fixed(0.9 * std::sqrt(share), 3);
    style = std::string(" style=\"background:rgba(") + (right ? "47,125,79," : "196,78,40,") + strength + ")" +
            (share > 0.4 ? ";color:#fff" : "") + "\"";
  }
  return std::string("<td") + (right ? " class=\"right\"" : "") + style + " title=\"" + html_escape(tooltip) + ": " +
         shown + " %\">" + (numbered ? shown : "") + "</td>";
}

}  // namespace

std::string confusion_section(const EvaluationReport& report) {
  const Array2<double> shares = row_shares(report.confusion);
  const std::vector<image::ClassInfo>& classes = report.classes.classes;
  const bool numbered = classes.size() <= kMaxNumberedClasses;
  const auto name = [&](std::size_t p) { return p < classes.size() ? classes[p].name : std::string("void"); };
  std::string out =
      "<h2>Confusion</h2>\n<p class=\"soft\">Rows are the truth, columns the prediction. A cell is the share, in "
      "percent, of its row's pixels that were given its column's class; void is left out of the truth.</p>\n"
      "<div class=\"scroll\"><table class=\"heat" +
      std::string(numbered ? "" : " many") + "\"><thead><tr><th></th>";
  for (std::size_t p = 0; p < shares.cols(); ++p)
    out += "<th title=\"" + html_escape(name(p)) + "\"><span class=\"name\">" +
           (p < classes.size() ? swatch(classes[p]) : "") + html_escape(name(p)) + "</span></th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t t = 0; t < shares.rows(); ++t) {
    out += "<tr><th>" + swatch(classes[t]) + html_escape(classes[t].name) + "</th>";
    for (std::size_t p = 0; p < shares.cols(); ++p)
      out += matrix_cell(shares(t, p), t == p, numbered, classes[t].name + " as " + name(p));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace fernwood::evaluate
