// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/check_text.h"

#include <nlohmann/json.hpp>

#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace {

using Json = nlohmann::json;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string hex_color(image::Rgb color) { return format_text("#%02x%02x%02x", color.r, color.g, color.b); }

const char* name_of(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

std::string sources(const DatasetReport& report) {
  std::string text;
  for (const auto& [there, name] :
       {std::pair{report.has_color, "colour"}, {report.has_depth, "depth"}, {report.has_truth, "ground truth"}})
    if (there) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string class_rows(const DatasetReport& report) {
  if (report.classes.empty()) return "";
  std::string text = format_text("\n%-20s %-8s %9s %9s\n", "class", "color", "pixels %", "frames");
  for (const auto& row : report.classes)
    text += format_text("%-20.20s %-8s %9.1f %9zu\n", row.info.name.c_str(), hex_color(row.info.color).c_str(),
                        percent(row.num_pixels, report.truth_pixels()), row.num_frames);
  text += format_text("%-20s %-8s %9.1f\n", "void", "", percent(report.void_pixels, report.truth_pixels()));
  if (report.unknown_pixels > 0)
    text +=
        format_text("%-20s %-8s %9.1f\n", "unknown colours", "", percent(report.unknown_pixels, report.truth_pixels()));
  return text;
}

}  // namespace

std::string check_table(const DatasetReport& report) {
  std::string text = "data set  " + report.folder.string() + "\n";
  text += format_text("frames    %zu with %s\n", report.frames.size(), sources(report).c_str());
  for (const auto& size : report.sizes)
    text += format_text("size      %zu x %zu: %zu frames\n", size.width, size.height, size.num_frames);
  if (report.has_depth)
    text += format_text("depth     %.2f to %.2f m, median %.2f m; %.1f %% missing, at worst %.1f %% in %s\n",
                        report.depth.min_m, report.depth.max_m, report.depth.median_m, 100 * report.depth.missing_share,
                        100 * report.depth.worst_missing_share, report.depth.worst_frame.c_str());
  text += class_rows(report) + "\n";
  for (const DatasetProblem& problem : report.problems)
    text += std::string(name_of(problem.severity)) + ": " + problem.message + "\n";
  return text + format_text("%zu errors, %zu warnings\n", report.num_errors(), report.num_warnings());
}

std::string check_json(const DatasetReport& report) {
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
  for (const auto& size : report.sizes)
    json["sizes"].push_back({{"width", size.width}, {"height", size.height}, {"frames", size.num_frames}});
  for (const auto& row : report.classes)
    json["classes"].push_back({{"name", row.info.name},
                               {"color", hex_color(row.info.color)},
                               {"pixels", row.num_pixels},
                               {"frames", row.num_frames}});
  for (const auto& unknown : report.unknown_colors)
    json["unknown_colors"].push_back({{"color", hex_color(unknown.color)},
                                      {"pixels", unknown.num_pixels},
                                      {"frames", unknown.num_frames},
                                      {"first_file", unknown.first_file.string()}});
  for (const DatasetProblem& problem : report.problems)
    json["problems"].push_back({{"severity", name_of(problem.severity)}, {"message", problem.message}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fernwood::dataset
