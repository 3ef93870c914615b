// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "evaluate/report_html_parts.h"
#include "evaluate/stacked_bars.h"

namespace fernwood::evaluate {
namespace {

struct PairRow {
  std::string name, color;
  std::uint64_t splits = 0;
  std::vector<std::uint64_t> by_level;
};

/// As many pairs as there are colours, and the others together.
std::vector<PairRow> shown_pairs(const forest::ForestSummary& forest) {
  std::vector<PairRow> rows;
  const std::size_t num_shown = std::min(kNumSeriesColors, forest.channel_pairs.size());
  for (std::size_t i = 0; i < num_shown; ++i) {
    const forest::ChannelPairUse& pair = forest.channel_pairs[i];
    rows.push_back({forest::pair_name(pair.channel_a, pair.channel_b), series_color(i), pair.count, pair.by_level});
  }
  if (num_shown == forest.channel_pairs.size()) return rows;
  PairRow rest{"other (" + std::to_string(forest.channel_pairs.size() - num_shown) + ")", kRestColor, 0, {}};
  rest.by_level.resize(forest.splits_by_level.size());
  for (std::size_t i = num_shown; i < forest.channel_pairs.size(); ++i) {
    const forest::ChannelPairUse& pair = forest.channel_pairs[i];
    rest.splits += pair.count;
    for (std::size_t level = 0; level < pair.by_level.size(); ++level) rest.by_level[level] += pair.by_level[level];
  }
  rows.push_back(std::move(rest));
  return rows;
}

std::string chart(const std::vector<PairRow>& rows, const std::vector<std::uint64_t>& splits_by_level) {
  StackedBars bars{{}, "level", "%"};
  for (const PairRow& row : rows) {
    BarSeries& series = bars.series.emplace_back(BarSeries{row.name, row.color, {}});
    for (std::size_t level = 0; level < splits_by_level.size(); ++level)
      series.values.push_back(splits_by_level[level] > 0 ? 100 * share(row.by_level[level], splits_by_level[level])
                                                         : 0);
  }
  return stacked_bars_svg(bars);
}

std::string table(const std::vector<PairRow>& rows) {
  std::uint64_t all = 0;
  for (const PairRow& row : rows) all += row.splits;
  std::string html =
      "<div class=\"scroll\"><table><thead><tr><th>channels</th><th>share of splits</th><th class=\"num\">splits</th>"
      "</tr></thead>\n<tbody>\n";
  for (const PairRow& row : rows)
    html += "<tr><td>" + html_swatch(row.color) + html_escape(row.name) + "</td>" +
            bar_cell(share(row.splits, all), ";background:" + row.color) + number_cell(grouped(row.splits)) + "</tr>\n";
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string features_section(const EvaluationReport& report) {
  const std::string title = "<h2>Channels that splits read</h2>\n";
  const std::vector<PairRow> rows = shown_pairs(report.forest);
  if (rows.empty()) return title + "<p class=\"soft\">The model's trees have no splits.</p>\n";
  return title +
         "<p class=\"soft\">A split compares the means of two channels in two regions, or takes one region's mean "
         "alone. A bar is a level of all trees, its parts are the shares of the level's splits.</p>\n" +
         chart(rows, report.forest.splits_by_level) + table(rows);
}

}  // namespace fernwood::evaluate
