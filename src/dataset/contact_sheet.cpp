// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// What a data-set check found, as one page to look at and to pass on.

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <sstream>

#include "dataset/class_colors.h"
#include "dataset/dataset_folder.h"
#include "dataset/image_file.h"
#include "dataset/thumbnail.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/html.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/check.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kThumbnailWidth = 200, kMaxProblemsShown = 200;

std::string fixed(double value, int num_digits, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f%s", num_digits, value, unit);
  return text;
}

std::string swatch(image::Rgb color) { return html_swatch(to_hex(color)); }

/// A thumbnail, or a box that says that the file is missing or damaged.
template <typename Picture>
std::string thumbnail(const std::filesystem::path& path, const char* kind, bool mixes_colors, const Picture& picture) {
  if (path.empty()) return std::string("<div class=\"none\">no ") + kind + "</div>";
  try {
    const Array2<image::Rgb> small =
        mixes_colors ? shrink_picture(picture(path), kThumbnailWidth) : shrink_labels(picture(path), kThumbnailWidth);
    const std::string alt = path.filename().string();
    return mixes_colors ? html_image(encode_jpeg(small, 80), "image/jpeg", alt)
                        : html_image(encode_png(small), "image/png", alt);
  } catch (const Error&) {
    return std::string("<div class=\"none\">") + kind + " cannot be read</div>";
  }
}

std::string frame_figure(const FrameFiles& files, const DatasetReport& report) {
  std::string html = "<figure><div class=\"row\">";
  if (report.has_color)
    html += thumbnail(files.color, "colour", true, [](const auto& path) { return read_color(path); });
  if (report.has_depth)
    html += thumbnail(files.depth, "depth", true, [&](const auto& path) {
      return colorize_depth(read_depth(path, report.config.depth_scale_to_mm, report.config.depth_missing));
    });
  if (report.has_truth)
    html += thumbnail(files.truth, "truth", false, [](const auto& path) { return read_truth(path); });
  return html + "</div><figcaption>" + html_escape(files.name) + "</figcaption></figure>\n";
}

std::string fact(const std::string& value, const std::string& name) {
  return "<div><b>" + html_escape(value) + "</b>" + html_escape(name) + "</div>";
}

std::string facts(const DatasetReport& report) {
  const auto of_truth = [&](std::uint64_t pixels) {
    const std::uint64_t all = report.truth_pixels();
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(pixels) / static_cast<double>(all);
  };
  std::string html = "<div class=\"facts\">" + fact(std::to_string(report.frames.size()), "frames");
  html += fact(std::to_string(report.classes.size()), "classes");
  if (report.has_truth) html += fact(fixed(of_truth(report.void_pixels), 1, " %"), "void");
  if (report.has_depth) {
    html += fact(fixed(100 * report.depth.missing_share, 1, " %"), "of depth unknown");
    html += fact(fixed(report.depth.median_m, 2, " m"), "median depth");
  }
  html += fact(std::to_string(report.num_errors()), "errors");
  return html + fact(std::to_string(report.num_warnings()), "warnings") + "</div>\n";
}

std::string problem_list(const DatasetReport& report) {
  if (report.problems.empty()) return "<p class=\"good\">No problems found.</p>\n";
  std::string html = "<ul class=\"problems\">\n";
  for (std::size_t i = 0; i < report.problems.size() && i < kMaxProblemsShown; ++i) {
    const DatasetProblem& problem = report.problems[i];
    const char* name = problem.severity == Severity::kError ? "error" : "warning";
    html += std::string("<li class=\"") + name + "\"><b>" + name + "</b> " + html_escape(problem.message) + "</li>\n";
  }
  if (report.problems.size() > kMaxProblemsShown)
    html += "<li>and " + std::to_string(report.problems.size() - kMaxProblemsShown) + " more</li>\n";
  return html + "</ul>\n";
}

std::string class_row(const std::string& name, std::uint64_t num_pixels, std::uint64_t all, std::uint64_t most,
                      const std::string& num_frames) {
  const auto share = [&](std::uint64_t of) {
    return of == 0 ? 0.0 : 100.0 * static_cast<double>(num_pixels) / static_cast<double>(of);
  };
  return "<tr><td>" + name + "</td><td class=\"num\">" + std::to_string(num_pixels) + "</td><td class=\"num\">" +
         fixed(share(all), 2, " %") +
         "</td><td><span class=\"bar\"><i style=\"width:" + fixed(std::min(100.0, share(most)), 1, "%") +
         "\"></i></span></td><td class=\"num\">" + num_frames + "</td></tr>\n";
}

std::string class_table(const DatasetReport& report) {
  if (!report.has_truth) return "<p class=\"soft\">There is no ground truth.</p>\n";
  const std::uint64_t all = report.truth_pixels();
  std::uint64_t most = std::max<std::uint64_t>(report.void_pixels, report.unknown_pixels);
  for (const DatasetReport::ClassCount& count : report.classes) most = std::max(most, count.num_pixels);
  std::string html =
      "<div class=\"scroll\"><table><tr><th>class</th><th class=\"num\">pixels</th><th "
      "class=\"num\">share</th><th></th>"
      "<th class=\"num\">frames</th></tr>\n";
  for (const DatasetReport::ClassCount& count : report.classes)
    html += class_row(swatch(count.info.color) + html_escape(count.info.name), count.num_pixels, all, most,
                      std::to_string(count.num_frames));
  html += class_row("<span class=\"soft\">void</span>", report.void_pixels, all, most, "");
  for (std::size_t i = 0; i < report.unknown_colors.size() && i < 20; ++i) {
    const DatasetReport::UnknownColor& unknown = report.unknown_colors[i];
    html += class_row(swatch(unknown.color) + "<span class=\"bad\">unknown</span> " + to_string(unknown.color),
                      unknown.num_pixels, all, most, std::to_string(unknown.num_frames));
  }
  return html + "</table></div>\n";
}

std::string image_table(const DatasetReport& report) {
  std::string html = "<div class=\"scroll\"><table>\n";
  const auto row = [&](const std::string& name, const std::string& value) {
    html += "<tr><th>" + name + "</th><td>" + html_escape(value) + "</td></tr>\n";
  };
  const auto yes_no = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  row("colour", yes_no(report.has_color));
  row("depth", yes_no(report.has_depth));
  row("ground truth", yes_no(report.has_truth));
  std::string sizes;
  for (std::size_t i = 0; i < report.sizes.size() && i < 10; ++i)
    sizes += (i > 0 ? ", " : "") + size_text(report.sizes[i].width, report.sizes[i].height) + " (" +
             std::to_string(report.sizes[i].num_frames) + " frames)";
  row("sizes", sizes + (report.sizes.size() > 10 ? ", ..." : ""));
  if (report.has_depth) {
    const DatasetReport::Depth& depth = report.depth;
    row("depth range",
        fixed(depth.min_m, 2, " m to ") + fixed(depth.max_m, 2, " m, median ") + fixed(depth.median_m, 2, " m"));
    row("unknown depth", fixed(100 * depth.missing_share, 1, " % on average") +
                             (depth.worst_frame.empty() ? ""
                                                        : ", most in " + depth.worst_frame + ": " +
                                                              fixed(100 * depth.worst_missing_share, 1, " %")));
  }
  return html + "</table></div>\n";
}

}  // namespace

void write_contact_sheet(const std::filesystem::path& path, const DatasetReport& report, ThreadPool& pool,
                         std::size_t max_frames) {
  const std::vector<FrameFiles> shown =
      max_frames == 0 ? std::vector<FrameFiles>{} : take_evenly(report.frames, max_frames);
  std::vector<std::string> figures(shown.size());
  pool.for_each(shown.size(), [&](std::size_t i, int) { figures[i] = frame_figure(shown[i], report); });

  const std::string title = "Data set " + report.folder.filename().string();
  std::string body = "<h1>" + html_escape(title) + "</h1>\n<p class=\"soft\">" + html_escape(report.folder.string()) +
                     "</p>\n" + facts(report) + "<h2>Problems</h2>\n" + problem_list(report) + "<h2>Classes</h2>\n" +
                     class_table(report) + "<h2>Images</h2>\n" + image_table(report) + "<h2>Frames</h2>\n" +
                     "<p class=\"soft\">" + std::to_string(shown.size()) + " of " +
                     std::to_string(report.frames.size()) +
                     " frames. Depth: red is near, blue is far, black is unknown.</p>\n<div class=\"sheet wide\">\n";
  for (const std::string& figure : figures) body += figure;
  const std::string page = html_page(title, body + "</div>");
  write_file_atomically(path, [&](std::ostream& out) { out << page; });
}

}  // namespace fernwood::dataset
