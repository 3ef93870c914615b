// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/dataset_folder.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/report/description.h"
#include "fernwood/report/format.h"
#include "report/json.h"
#include "report/text_table.h"

namespace fernwood::report {

using dataset::DatasetProblem, dataset::DatasetReport, dataset::to_hex;

namespace {

std::string sources(const DatasetReport& report) {
  std::vector<std::string> names;
  for (const auto& [there, name] :
       {std::pair{report.has_color, "colour"}, {report.has_depth, "depth"}, {report.has_truth, "ground truth"}})
    if (there) names.emplace_back(name);
  return join(names);
}

std::string depth_text(const DatasetReport::Depth& depth) {
  return format_text("%.2f to %.2f m, median %.2f m; %.1f %% missing, at worst %.1f %% in %s", depth.min_m, depth.max_m,
                     depth.median_m, 100 * depth.missing_share, 100 * depth.worst_missing_share,
                     depth.worst_frame.c_str());
}

std::string class_rows(const DatasetReport& report) {
  if (report.classes.empty()) return "";
  TextTable table({left("class", 20), left("color", 8), right("pixels %", 9), right("frames", 9)});
  const auto pixels = [&](std::uint64_t count) { return percent(forest::ratio(count, report.truth_pixels())); };
  for (const DatasetReport::ClassCount& row : report.classes)
    table.row({row.info.name, to_hex(row.info.color), pixels(row.num_pixels), std::to_string(row.num_frames)});
  table.row({"void", "", pixels(report.void_pixels)});
  if (report.unknown_pixels > 0) table.row({"unknown colours", "", pixels(report.unknown_pixels)});
  return "\n" + table.text();
}

}  // namespace

std::string dataset_table(const DatasetReport& report) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"data set", report.folder.string()},
      {"frames", std::to_string(report.frames.size()) + " with " + sources(report)}};
  for (const DatasetReport::SizeCount& size : report.sizes)
    rows.emplace_back("size", format_text("%zu x %zu: %zu frames", size.width, size.height, size.num_frames));
  if (report.has_depth) rows.emplace_back("depth", depth_text(report.depth));
  std::string text = facts(rows, 10) + class_rows(report) + "\n";
  for (const DatasetProblem& problem : report.problems)
    text += to_string(problem.severity) + ": " + problem.message + "\n";
  return text + format_text("%zu errors, %zu warnings\n", report.num_errors(), report.num_warnings());
}

std::string dataset_json(const DatasetReport& report) {
  Json json = {{"schema_version", 1},
               {"folder", report.folder.string()},
               {"frames", report.frames.size()},
               {"has_color", report.has_color},
               {"has_depth", report.has_depth},
               {"has_truth", report.has_truth},
               {"void_pixels", report.void_pixels},
               {"unknown_pixels", report.unknown_pixels},
               {"depth",
                {{"min_m", report.depth.min_m},
                 {"median_m", report.depth.median_m},
                 {"max_m", report.depth.max_m},
                 {"missing_share", report.depth.missing_share},
                 {"worst_missing_share", report.depth.worst_missing_share},
                 {"worst_frame", report.depth.worst_frame}}},
               {"sizes", Json::array()},
               {"classes", Json::array()},
               {"unknown_colors", Json::array()},
               {"problems", Json::array()}};
  for (const DatasetReport::SizeCount& size : report.sizes)
    json["sizes"].push_back({{"width", size.width}, {"height", size.height}, {"frames", size.num_frames}});
  for (const DatasetReport::ClassCount& row : report.classes)
    json["classes"].push_back({{"name", row.info.name},
                               {"color", to_hex(row.info.color)},
                               {"pixels", row.num_pixels},
                               {"frames", row.num_frames}});
  for (const DatasetReport::UnknownColor& unknown : report.unknown_colors)
    json["unknown_colors"].push_back({{"color", to_hex(unknown.color)},
                                      {"pixels", unknown.num_pixels},
                                      {"frames", unknown.num_frames},
                                      {"first_file", unknown.first_file.string()}});
  for (const DatasetProblem& problem : report.problems)
    json["problems"].push_back({{"severity", to_string(problem.severity)}, {"message", problem.message}});
  return dump(json);
}

}  // namespace fernwood::report
