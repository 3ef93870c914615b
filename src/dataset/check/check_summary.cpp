// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/check_summary.h"

#include <algorithm>
#include <numeric>

#include "dataset/check/alignment_check.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_reader.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::dataset {

namespace {

constexpr std::uint64_t kFewPixels = 100;
constexpr std::size_t kMaxUnknownListed = 20;

void add(DatasetReport* report, Severity severity, const OptionSentence& message) {
  report->problems.push_back({severity, message});
}

image::Rgb unpacked(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb)};
}

/// The classes used to check the ground truth; problems with their description are added to the report.
image::ClassMap classes_of(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors,
                           DatasetReport* report) {
  std::vector<ColorCount> found;
  for (const auto& [rgb, use] : uses) found.push_back(use.count);
  DatasetConfig config = report->config;
  try {
    if (config.classes.empty()) check_few_colors(found, report->folder);
    image::ClassMap map = make_class_map(config, ignored_colors, found);
    if (!config.classes.empty()) return map;
    for (const std::string& warning : discovery_warnings(map, found, report->folder))
      add(report, Severity::kWarning, warning);
    if (const BlendFinding blends = judge_blends(found); blends.is_error)
      add(report, Severity::kError, report->folder.string() + ": " + blends.sentence);
    return map;
  } catch (const Error& error) {
    add(report, Severity::kError, error.sentence());
  }
  config.background.clear();
  found.resize(std::min(found.size(), kMaxDiscoveredColors));
  return make_class_map(config, ignored_colors, found);
}

/// How to ignore a class that is there by mistake, to continue a sentence. The colours of numbers that dataset.toml
/// does not list are unknown to the user.
OptionSentence remedy_of_stray(const image::ClassInfo& info, const DatasetConfig& config) {
  if (config.labels == LabelEncoding::kIndex && config.classes.empty())
    return "the number is a stray one, ignore it: list it in ignore_index of dataset.toml, together with every "
           "other number that is void";
  return "the colour is a stray one, ignore it with " + named_option("ignored-colors", to_option(info.color));
}

void judge_classes(DatasetReport* report) {
  for (const DatasetReport::ClassCount& count : report->classes) {
    const std::string name = report->folder.string() + ": the class " + count.info.name;
    if (count.num_pixels == 0)
      add(report, Severity::kWarning,
          name + " of dataset.toml has no pixel; it cannot be learned: remove it or add frames that show it");
    else if (count.num_pixels < kFewPixels)
      add(report, Severity::kWarning,
          name + " " + to_string(count.info.color) + " has only " + std::to_string(count.num_pixels) + " pixels; if " +
              remedy_of_stray(count.info, report->config));
  }
}

void judge_unknown_colors(DatasetReport* report) {
  const std::vector<DatasetReport::UnknownColor>& unknown = report->unknown_colors;
  for (std::size_t i = 0; i < unknown.size() && i < kMaxUnknownListed; ++i)
    add(report, Severity::kError,
        unknown[i].first_file.string() + ": the colour " + to_string(unknown[i].color) + " is not a class (" +
            std::to_string(unknown[i].num_pixels) + " pixels in " + std::to_string(unknown[i].num_frames) +
            " frames, this is the first); list it in dataset.toml before training, or ignore it with " +
            named_option("ignored-colors", to_option(unknown[i].color)));
  if (unknown.size() > kMaxUnknownListed)
    add(report, Severity::kError,
        report->folder.string() + ": " + std::to_string(unknown.size() - kMaxUnknownListed) +
            " more colours belong to no class; check that the ground truth was not smoothed or stored as JPEG");
}

/// [mm] Number of pixels of each depth, from the counts of stored values.
std::vector<std::uint64_t> in_millimetres(const std::vector<std::uint64_t>& counts, double step_mm,
                                          const DatasetConfig& config) {
  Array2<std::uint16_t> depth_mm(1, counts.size());  // [0][value]
  std::iota(depth_mm.begin(), depth_mm.end(), std::uint16_t{0});
  scale_depth(step_mm, config.depth_missing, &depth_mm);
  std::vector<std::uint64_t> scaled(counts.size());
  for (std::size_t value = 0; value < counts.size(); ++value) scaled[depth_mm(0, value)] += counts[value];
  return scaled;
}

/// Minimum, median and maximum. @param counts  [mm]; 0 is unknown.
void summarize_known_depth(const std::vector<std::uint64_t>& counts, DatasetReport::Depth* depth) {
  const std::uint64_t num_known = std::accumulate(counts.begin() + 1, counts.end(), std::uint64_t{0});
  std::uint64_t num_below = 0;
  for (std::size_t depth_mm = 1; depth_mm < counts.size(); ++depth_mm) {
    if (counts[depth_mm] == 0) continue;
    const double depth_m = static_cast<double>(depth_mm) / 1000;
    if (num_below == 0) depth->min_m = depth_m;
    if (2 * num_below < num_known && 2 * (num_below + counts[depth_mm]) >= num_known) depth->median_m = depth_m;
    depth->max_m = depth_m;
    num_below += counts[depth_mm];
  }
}

}  // namespace

void summarize_partners(bool needs_truth, const UnreadFiles& unread, DatasetReport* report) {
  const auto any_has = [&](std::filesystem::path FrameFiles::*role) {
    return std::ranges::any_of(report->frames, [&](const FrameFiles& files) { return !(files.*role).empty(); });
  };
  report->has_color = any_has(&FrameFiles::color);
  report->has_depth = any_has(&FrameFiles::depth);
  report->has_maps = any_has(&FrameFiles::maps);
  report->has_truth = any_has(&FrameFiles::truth);
  if (needs_truth && !report->has_truth)
    add(report, Severity::kWarning,
        report->folder.string() +
            ": no frame has ground truth (<name>_ground_truth.png), so the frames can be "
            "labelled but neither trained on nor evaluated; add the files if that is wanted");
  for (const MissingPartner& missing : missing_partners(report->frames, needs_truth && report->has_truth))
    add(report, Severity::kError, sentence(report->folder, missing, unread.note_on(missing)));
}

void summarize_maps(const std::vector<FrameFindings>& findings, DatasetReport* report) {
  const auto first = std::ranges::find_if(findings, [](const FrameFindings& of) { return of.num_maps > 0; });
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].num_maps == 0) continue;
    try {
      check_as_many(report->frames[i].maps, findings[i].num_maps, first->num_maps);
    } catch (const Error& error) {
      add(report, Severity::kError, error.sentence());
    }
  }
}

void summarize_sizes(const std::vector<FrameFindings>& findings, DatasetReport* report) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  for (const FrameFindings& frame : findings)
    if (frame.width > 0) ++counts[{frame.width, frame.height}];
  for (const auto& [size, num_frames] : counts) report->sizes.push_back({size.first, size.second, num_frames});
  std::stable_sort(report->sizes.begin(), report->sizes.end(),
                   [](const auto& a, const auto& b) { return a.num_frames > b.num_frames; });
}

void summarize_depth(const std::vector<FrameFindings>& findings, const std::vector<std::uint64_t>& depth_counts,
                     DatasetReport* report) {
  DatasetReport::Depth& depth = report->depth;
  std::size_t num_read = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!findings[i].has_depth) continue;
    ++num_read;
    depth.missing_share += findings[i].missing_share;
    if (findings[i].missing_share <= depth.worst_missing_share) continue;
    depth.worst_missing_share = findings[i].missing_share;
    depth.worst_frame = report->frames[i].name;
  }
  if (num_read == 0) return;
  depth.missing_share /= static_cast<double>(num_read);
  const double step_mm = depth_step_mm(report->frames, report->config);
  summarize_known_depth(in_millimetres(depth_counts, step_mm, report->config), &depth);
  DepthHistogram histogram(DepthOrigin::kFolder, step_mm, report->config.depth_missing);
  histogram.add_counts(depth_counts);
  if (const std::string note = histogram.note(report->folder.string()); !note.empty())
    add(report, Severity::kWarning, note);
  else if (depth.missing_share > 0.5)
    add(report, Severity::kWarning,
        report->folder.string() + ": " + format_text("%.1f %%", 100 * depth.missing_share) +
            " of the depths are unknown, so most features see nothing; fill the depth or check depth_missing in "
            "dataset.toml");
}

void summarize_classes(const ColorUses& uses, const std::vector<image::Rgb>& ignored_colors, DatasetReport* report) {
  if (!report->has_truth) return;
  const image::ClassMap map = classes_of(uses, ignored_colors, report);
  for (const image::ClassInfo& info : map.classes) report->classes.push_back({info, 0, 0});
  const ColorLookup lookup(map);
  for (const auto& [rgb, use] : uses) {
    const std::optional<std::uint16_t> label = lookup.find(unpacked(rgb));
    if (!label) {
      report->unknown_pixels += use.count.num_pixels;
      report->unknown_colors.push_back(
          {unpacked(rgb), use.count.num_pixels, use.num_frames, report->frames[use.first_frame].truth});
    } else if (*label == image::kVoid) {
      report->void_pixels += use.count.num_pixels;
    } else {
      report->classes[*label].num_pixels += use.count.num_pixels;
      report->classes[*label].num_frames += use.num_frames;
    }
  }
  std::stable_sort(report->unknown_colors.begin(), report->unknown_colors.end(),
                   [](const auto& a, const auto& b) { return a.num_pixels > b.num_pixels; });
  judge_classes(report);
  judge_unknown_colors(report);
  if (report->classes.empty() && !uses.empty())
    add(report, Severity::kError,
        report->folder.string() +
            ": the ground truth has no labelled pixel, all are void; label some pixels, for example in fernwood teach");
}

void summarize_duplicates(DatasetReport* report) {
  std::map<std::uint64_t, std::vector<std::size_t>> frames_of;
  for (std::size_t i = 0; i < report->frames.size(); ++i)
    if (report->checksums[i] != 0) frames_of[report->checksums[i]].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& [checksum, frames] : frames_of)
    if (frames.size() > 1) groups.push_back(frames);
  std::sort(groups.begin(), groups.end());
  for (const std::vector<std::size_t>& group : groups) {
    const std::string names = join(group, ", ", [&](std::size_t i) { return report->frames[i].name; });
    add(report, Severity::kWarning,
        report->folder.string() + ": the frames " + names + " hold the same picture; remove all but one");
  }
}

void summarize_alignment(const std::vector<FrameFindings>& findings, DatasetReport* report) {
  std::vector<EdgeAgreement> agreements;
  for (const FrameFindings& frame : findings)
    if (frame.agreement.cell_px > 0) agreements.push_back(frame.agreement);
  if (const std::optional<Misalignment> found = find_misalignment(agreements))
    add(report, Severity::kWarning,
        report->folder.string() + ": " + to_string(*found) +
            ", so features take what they know of a pixel from beside it; " +
            (report->config.cameras
                 ? "check camera, depth_camera and depth_to_color in dataset.toml"
                 : "give the two cameras in dataset.toml (depth_camera, depth_to_color), or register "
                   "depth to colour when recording"));
}

void summarize_shared_pictures(const std::vector<FrameFindings>& findings, ThreadPool& pool, DatasetReport* report) {
  std::vector<Fingerprint> pictures;
  for (const FrameFindings& frame : findings) pictures.push_back(frame.fingerprint);
  for (const std::filesystem::path& other : other_splits(report->folder))
    if (const std::string note = shared_pictures_note(report->folder, report->frames, pictures, other, pool);
        !note.empty())
      add(report, Severity::kWarning, note);
}

}  // namespace fernwood::dataset
