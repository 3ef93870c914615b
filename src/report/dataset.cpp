// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/description.h"

#include <algorithm>
#include <system_error>

#include "core/result_json.h"
#include "core/text_table.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/confusion.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/report/evaluation.h"
#include "page/page.h"
#include "report/pictures.h"

namespace fernwood::report {

using namespace page;

using dataset::DatasetProblem, dataset::DatasetReport, dataset::FrameFiles, dataset::to_hex;
namespace fs = std::filesystem;

namespace {

std::string sources(const DatasetReport& report) {
  std::vector<std::string> names;
  for (const auto& [there, name] : {std::pair{report.has_color, "colour"},
                                    {report.has_depth, "depth"},
                                    {report.has_maps, "feature maps"},
                                    {report.has_truth, "ground truth"},
                                    {report.has_instances, "instances"}})
    if (there) names.emplace_back(name);
  return join(names);
}

/// Whether any depth was read; if all of it is unknown, the missing share is 1.
bool is_read(const DatasetReport::Depth& depth) { return depth.max_m > 0 || depth.missing_share > 0; }

std::string depth_text(const DatasetReport::Depth& depth) {
  if (!is_read(depth)) return "none could be read";
  if (depth.max_m == 0) return "all unknown";
  const std::string worst = format_text(", at worst %.1f %% in ", 100 * depth.worst_missing_share) + depth.worst_frame;
  return format_text("%.2f to %.2f m, median %.2f m; %.1f %% missing", depth.min_m, depth.max_m, depth.median_m,
                     100 * depth.missing_share) +
         (depth.worst_frame.empty() ? "" : worst);
}

/// Names and values, for the table and the page. @param most_sizes  Maximum number of frame sizes to list.
std::vector<std::pair<std::string, std::string>> image_facts(const DatasetReport& report, std::size_t most_sizes) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"frames", std::to_string(report.frames.size()) + " with " + sources(report)}};
  for (std::size_t i = 0; i < std::min(report.sizes.size(), most_sizes); ++i) {
    const DatasetReport::SizeCount& size = report.sizes[i];
    rows.emplace_back("size", format_text("%zu x %zu: %zu frames", size.width, size.height, size.num_frames));
  }
  if (report.sizes.size() > most_sizes)
    rows.emplace_back("size", "and " + std::to_string(report.sizes.size() - most_sizes) + " others");
  if (report.has_depth) rows.emplace_back("depth", depth_text(report.depth));
  return rows;
}

std::string class_rows(const DatasetReport& report) {
  if (report.classes.empty()) return "";
  TextTable table({left("class", 20), left("color", 8), right("pixels %", 9), right("frames", 9)});
  const auto pixels = [&](std::uint64_t count) { return percent(fernwood::ratio(count, report.truth_pixels())); };
  for (const DatasetReport::ClassCount& row : report.classes)
    table.row({row.info.name, to_hex(row.info.color), pixels(row.num_pixels), std::to_string(row.num_frames)});
  table.row({"void", "", pixels(report.void_pixels)});
  if (report.unknown_pixels > 0) table.row({"unknown colours", "", pixels(report.unknown_pixels)});
  return "\n" + table.text();
}

constexpr std::size_t kThumbnailWidth = 200, kMaxProblemsShown = 200, kMaxSizesShown = 10, kMaxUnknownShown = 20;

template <typename Read>
std::string thumbnail(const std::filesystem::path& path, const std::string& kind, const Read& read) {
  const auto none = [&](const std::string& why) { return "<div class=\"none\">" + why + "</div>"; };
  if (path.empty()) return none("no " + kind);
  try {
    return read(path, path.filename().string());
  } catch (const Error&) {
    return none(kind + " cannot be read");
  }
}

std::string frame_figure(const FrameFiles& files, const DatasetReport& report) {
  std::string html = "<figure><div class=\"row\">";
  if (report.has_color)
    html += thumbnail(files.color, "colour", [](const auto& path, const std::string& alt) {
      return photo(dataset::shrink_picture(dataset::read_color(path), kThumbnailWidth), alt);
    });
  if (report.has_depth)
    html += thumbnail(files.depth, "depth", [&](const auto& path, const std::string& alt) {
      const auto depth_mm = dataset::read_depth(path, report.config.depth_scale_to_mm, report.config.depth_missing);
      return photo(dataset::shrink_picture(dataset::colorize_depth(depth_mm), kThumbnailWidth), alt);
    });
  if (report.has_truth)
    html += thumbnail(files.truth, "truth", [&](const auto& path, const std::string& alt) {
      return flat_picture(dataset::shrink_labels(dataset::read_truth(path, report.config), kThumbnailWidth), alt);
    });
  return html + "</div><figcaption>" + escape(files.name) + "</figcaption></figure>\n";
}

std::vector<Fact> facts_of(const DatasetReport& report) {
  std::vector<Fact> facts = {{std::to_string(report.frames.size()), "frames"},
                             {std::to_string(report.classes.size()), "classes"}};
  if (report.has_truth)
    facts.emplace_back(percent_sign(fernwood::ratio(report.void_pixels, report.truth_pixels())), "void");
  if (report.has_depth && is_read(report.depth)) {
    facts.emplace_back(percent_sign(report.depth.missing_share), "of depth unknown");
    facts.emplace_back(fixed(report.depth.median_m, 2) + " m", "median depth");
  }
  facts.emplace_back(std::to_string(report.num_errors()), "errors");
  facts.emplace_back(std::to_string(report.num_warnings()), "warnings");
  return facts;
}

std::string problem_list(const DatasetReport& report, const SentenceWords& worded) {
  if (report.problems.empty()) return "<p class=\"good\">No problems found.</p>\n";
  std::string html = "<ul class=\"problems\">\n";
  for (std::size_t i = 0; i < std::min(report.problems.size(), kMaxProblemsShown); ++i) {
    const std::string name = to_string(report.problems[i].severity);
    html += "<li class=\"" + name + "\"><b>" + name + "</b> " + escape(worded(report.problems[i].message)) + "</li>\n";
  }
  if (report.problems.size() > kMaxProblemsShown)
    html += "<li>and " + std::to_string(report.problems.size() - kMaxProblemsShown) + " more</li>\n";
  return html + "</ul>\n";
}

std::string class_table(const DatasetReport& report) {
  if (!report.has_truth) return paragraph("There is no ground truth.");
  std::uint64_t most = std::max<std::uint64_t>(report.void_pixels, report.unknown_pixels);
  for (const DatasetReport::ClassCount& count : report.classes) most = std::max(most, count.num_pixels);
  HtmlTable table({{"class"}, number_column("pixels"), number_column("share"), {""}, number_column("frames")});
  const auto row = [&](const std::string& name, std::uint64_t num_pixels, const std::string& num_frames) {
    table.row({name, std::to_string(num_pixels), percent(fernwood::ratio(num_pixels, report.truth_pixels()), 2) + " %",
               bar(fernwood::ratio(num_pixels, most)), num_frames});
  };
  for (const DatasetReport::ClassCount& count : report.classes)
    row(class_label(count.info), count.num_pixels, std::to_string(count.num_frames));
  row("<span class=\"soft\">void</span>", report.void_pixels, "");
  for (std::size_t i = 0; i < std::min(report.unknown_colors.size(), kMaxUnknownShown); ++i) {
    const DatasetReport::UnknownColor& unknown = report.unknown_colors[i];
    row(swatch(to_hex(unknown.color)) + "<span class=\"bad\">unknown</span> " + dataset::to_string(unknown.color),
        unknown.num_pixels, std::to_string(unknown.num_frames));
  }
  return table.html();
}

}  // namespace

std::string dataset_table(const DatasetReport& report, const SentenceWords& worded) {
  std::string text = facts({{"data set", report.folder.string()}}, 10) +
                     facts(image_facts(report, report.sizes.size()), 10) + class_rows(report) + "\n";
  for (const DatasetProblem& problem : report.problems)
    text += to_string(problem.severity) + ": " + worded(problem.message) + "\n";
  return text + counted(report.num_errors(), "error") + ", " + counted(report.num_warnings(), "warning") + "\n";
}

std::string dataset_json(const DatasetReport& report, const SentenceWords& worded) {
  Json json = {{"schema_version", 1},
               {"folder", report.folder.string()},
               {"frames", report.frames.size()},
               {"has_color", report.has_color},
               {"has_depth", report.has_depth},
               {"has_maps", report.has_maps},
               {"has_truth", report.has_truth},
               {"has_instances", report.has_instances},
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
    json["problems"].push_back({{"severity", to_string(problem.severity)}, {"message", worded(problem.message)}});
  return dump(json);
}

std::string dataset_page(const DatasetReport& report, ThreadPool& pool, std::size_t max_frames,
                         const SentenceWords& worded) {
  const std::vector<FrameFiles> shown =
      max_frames == 0 ? std::vector<FrameFiles>{} : dataset::take_evenly(report.frames, max_frames);
  std::vector<std::string> figures(shown.size());
  pool.for_each(shown.size(), [&](std::size_t i, int) { figures[i] = frame_figure(shown[i], report); });
  HtmlTable images(std::vector<HtmlColumn>{{"", "soft"}, {""}});
  for (const auto& [name, value] : image_facts(report, kMaxSizesShown)) images.row({name, escape(value)});
  return html_page({"Data set " + full_path(report.folder).filename().string(), "", escape(report.folder.string()),
                    facts_of(report)},
                   section("Problems", "", problem_list(report, worded)) + section("Classes", "", class_table(report)) +
                       section("Images", "", images.html()) +
                       section("Frames",
                               std::to_string(shown.size()) + " of " + std::to_string(report.frames.size()) +
                                   " frames. Depth: red is near, blue is far, black is unknown.",
                               "<div class=\"sheet\">\n" + join(figures, "") + "</div>"));
}

namespace {

/// Whether a folder, or one in it, has a frame named as in a data set.
bool has_named_frames(const fs::path& folder) {
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (dataset::parse_frame_file_name(entry->path().filename().string())) return true;
  return false;
}

}  // namespace

bool is_read_with(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored) || !fs::exists(file, ignored)) return false;
  const fs::path place = place_of(file), above = place_of(folder);
  if (place == above.parent_path() / "dataset.toml") return true;
  // A data set has images, arrays, and lists of frames or classes; in the folders of other programs any file may be
  // read.
  const std::string extension = dataset::lower_case(place.extension().string());
  const bool is_of_dataset = dataset::is_pixel_extension(extension) || extension == ".txt" || extension == ".toml";
  return is_kept_in(file, folder) && (is_of_dataset || !has_named_frames(above));
}

}  // namespace fernwood::report
