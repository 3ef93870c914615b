// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "dataset/dataset_folder.h"
#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/forest/accuracy.h"
#include "fernwood/report/description.h"
#include "fernwood/report/format.h"
#include "report/page.h"
#include "report/thumbnail.h"

namespace fernwood::report {

using dataset::DatasetProblem, dataset::DatasetReport, dataset::FrameFiles;

namespace {

constexpr std::size_t kThumbnailWidth = 200, kMaxProblemsShown = 200, kMaxSizesShown = 10, kMaxUnknownShown = 20;

std::string meters(double depth_m) { return fixed(depth_m, 2) + " m"; }

/// A thumbnail, or a box that says that the file is missing or damaged.
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
      return photo(shrink_picture(dataset::read_color(path), kThumbnailWidth), alt);
    });
  if (report.has_depth)
    html += thumbnail(files.depth, "depth", [&](const auto& path, const std::string& alt) {
      const auto depth_mm = dataset::read_depth(path, report.config.depth_scale_to_mm, report.config.depth_missing);
      return photo(shrink_picture(dataset::colorize_depth(depth_mm), kThumbnailWidth), alt);
    });
  if (report.has_truth)
    html += thumbnail(files.truth, "truth", [](const auto& path, const std::string& alt) {
      return flat_picture(shrink_labels(dataset::read_truth(path), kThumbnailWidth), alt);
    });
  return html + "</div><figcaption>" + escape(files.name) + "</figcaption></figure>\n";
}

std::vector<Fact> facts_of(const DatasetReport& report) {
  std::vector<Fact> facts = {{std::to_string(report.frames.size()), "frames"},
                             {std::to_string(report.classes.size()), "classes"}};
  if (report.has_truth)
    facts.emplace_back(percent_sign(forest::ratio(report.void_pixels, report.truth_pixels())), "void");
  if (report.has_depth) {
    facts.emplace_back(percent_sign(report.depth.missing_share), "of depth unknown");
    facts.emplace_back(meters(report.depth.median_m), "median depth");
  }
  facts.emplace_back(std::to_string(report.num_errors()), "errors");
  facts.emplace_back(std::to_string(report.num_warnings()), "warnings");
  return facts;
}

std::string problem_list(const DatasetReport& report) {
  if (report.problems.empty()) return "<p class=\"good\">No problems found.</p>\n";
  std::string html = "<ul class=\"problems\">\n";
  for (std::size_t i = 0; i < std::min(report.problems.size(), kMaxProblemsShown); ++i) {
    const std::string name = to_string(report.problems[i].severity);
    html += "<li class=\"" + name + "\"><b>" + name + "</b> " + escape(report.problems[i].message) + "</li>\n";
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
    table.row({name, std::to_string(num_pixels), percent(forest::ratio(num_pixels, report.truth_pixels()), 2) + " %",
               bar(forest::ratio(num_pixels, most)), num_frames});
  };
  for (const DatasetReport::ClassCount& count : report.classes)
    row(class_label(count.info), count.num_pixels, std::to_string(count.num_frames));
  row("<span class=\"soft\">void</span>", report.void_pixels, "");
  for (std::size_t i = 0; i < std::min(report.unknown_colors.size(), kMaxUnknownShown); ++i) {
    const DatasetReport::UnknownColor& unknown = report.unknown_colors[i];
    row(swatch(dataset::to_hex(unknown.color)) + "<span class=\"bad\">unknown</span> " +
            dataset::to_string(unknown.color),
        unknown.num_pixels, std::to_string(unknown.num_frames));
  }
  return table.html();
}

std::string image_table(const DatasetReport& report) {
  HtmlTable table(std::vector<HtmlColumn>{{"", "soft"}, {""}});
  const auto yes_no = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  table.row({"colour", yes_no(report.has_color)});
  table.row({"depth", yes_no(report.has_depth)});
  table.row({"ground truth", yes_no(report.has_truth)});
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < std::min(report.sizes.size(), kMaxSizesShown); ++i)
    sizes.push_back(dataset::size_text(report.sizes[i].width, report.sizes[i].height) + " (" +
                    counted(report.sizes[i].num_frames, "frame") + ")");
  if (report.sizes.size() > kMaxSizesShown) sizes.push_back("...");
  table.row({"sizes", join(sizes)});
  if (report.has_depth) {
    const DatasetReport::Depth& depth = report.depth;
    table.row(
        {"depth range", meters(depth.min_m) + " to " + meters(depth.max_m) + ", median " + meters(depth.median_m)});
    const std::string worst = ", most in " + escape(depth.worst_frame) + ": " + percent_sign(depth.worst_missing_share);
    table.row({"unknown depth",
               percent_sign(depth.missing_share) + " on average" + (depth.worst_frame.empty() ? "" : worst)});
  }
  return table.html();
}

}  // namespace

std::string dataset_page(const DatasetReport& report, ThreadPool& pool, std::size_t max_frames) {
  const std::vector<FrameFiles> shown =
      max_frames == 0 ? std::vector<FrameFiles>{} : dataset::take_evenly(report.frames, max_frames);
  std::vector<std::string> figures(shown.size());
  pool.for_each(shown.size(), [&](std::size_t i, int) { figures[i] = frame_figure(shown[i], report); });
  return page({"Data set " + report.folder.filename().string(), "", escape(report.folder.string()), facts_of(report)},
              section("Problems", "", problem_list(report)) + section("Classes", "", class_table(report)) +
                  section("Images", "", image_table(report)) +
                  section("Frames",
                          std::to_string(shown.size()) + " of " + std::to_string(report.frames.size()) +
                              " frames. Depth: red is near, blue is far, black is unknown.",
                          "<div class=\"sheet\">\n" + join(figures, "") + "</div>"));
}

}  // namespace fernwood::report
