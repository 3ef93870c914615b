// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/check_summary.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "dataset/check/alignment_check.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/frame_reader.h"
#include "dataset/index_labels.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

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
  report->has_instances = any_has(&FrameFiles::instances);
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
        report->folder.string() + ": the frames " + names + " hold the same image; remove all but one");
  }
}

void summarize_alignment(const std::vector<FrameFindings>& findings, DatasetReport* report) {
  std::vector<EdgeAgreement> agreements;
  for (const FrameFindings& frame : findings)
    if (frame.agreement.cell_px > 0) agreements.push_back(frame.agreement);
  if (const std::optional<Misalignment> found = find_misalignment(agreements))
    add(report, Severity::kWarning,
        report->folder.string() + ": " + to_string(*found) +
            ", so features take what they know of a pixel from next to it; " +
            (report->config.cameras ? "check camera, depth_camera and depth_to_color in dataset.toml"
                                    : "set the two cameras in dataset.toml (depth_camera, depth_to_color), or register "
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

namespace {

constexpr std::size_t kGradientRows = 16, kGradientCols = 16;

/// Mean brightness of a part of an image, in 1/1000 of a grey level (0 to 255).
int brightness(const Array2<image::Rgb>& picture, std::size_t part_row, std::size_t part_col) {
  const auto begin = [](std::size_t part, std::size_t size, std::size_t count) { return part * size / count; };
  const std::size_t top = begin(part_row, picture.rows(), kGradientRows),
                    bottom = begin(part_row + 1, picture.rows(), kGradientRows);
  const std::size_t left = begin(part_col, picture.cols(), kGradientCols + 1),
                    right = begin(part_col + 1, picture.cols(), kGradientCols + 1);
  std::uint64_t sum = 0;
  for (std::size_t row = top; row < bottom; ++row)
    for (std::size_t col = left; col < right; ++col) {
      const image::Rgb pixel = picture(row, col);
      sum += 299u * pixel.r + 587u * pixel.g + 114u * pixel.b;  // JPEG's luma
    }
  return static_cast<int>(sum / ((bottom - top) * (right - left)));
}

Fingerprint fingerprint_of(const FrameFiles& files) {
  Fingerprint found;
  const bool has_color = !files.color.empty();
  try {
    const std::vector<std::uint8_t> bytes = read_file(has_color ? files.color : files.depth);
    found.file = checksum(bytes.data(), bytes.size());
    if (has_color) add_pixels(read_color(files.color), &found);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData && error.kind() != ErrorKind::kRuntime) throw;
  }
  return found;
}

}  // namespace

void add_pixels(const Array2<image::Rgb>& picture, Fingerprint* of) {
  constexpr int kClearStep = 2000;  // two grey levels: more than compression changes the mean of a part
  of->pixels = checksum(picture.data(), picture.size() * sizeof(image::Rgb));
  if (picture.cols() <= kGradientCols || picture.rows() < kGradientRows) return;
  std::size_t num_clear = 0;
  for (std::size_t row = 0; row < kGradientRows; ++row) {
    int before = brightness(picture, row, 0);
    for (std::size_t col = 0; col < kGradientCols; ++col) {
      const int next = brightness(picture, row, col + 1);
      const std::size_t bit = row * kGradientCols + col;
      if (next > before) of->gradients[bit / 64] |= std::uint64_t{1} << bit % 64;
      if (std::abs(next - before) >= kClearStep) ++num_clear;
      before = next;
    }
  }
  of->has_gradients = num_clear >= kGradientRows * kGradientCols / 2;
}

bool is_same_picture(const Fingerprint& a, const Fingerprint& b) {
  // JPEG of quality 60 changes at most 5 bits in 110 images, and the two most similar rooms of 430 and 110 differ by
  // 66.
  constexpr int kMaxChanged = 16;
  if (a.file != 0 && a.file == b.file) return true;
  if (a.pixels == 0 || b.pixels == 0) return false;
  if (a.pixels == b.pixels) return true;
  if (!a.has_gradients || !b.has_gradients) return false;
  int num_changed = 0;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) num_changed += std::popcount(a.gradients[i] ^ b.gradients[i]);
  return num_changed <= kMaxChanged;
}

std::vector<fs::path> other_splits(const fs::path& folder) {
  static constexpr std::array<std::string_view, 4> kSplits = {"test", "train", "val", "validation"};
  const fs::path whole = full_path(folder);
  const std::string own = whole.filename().string();
  std::vector<fs::path> others;
  if (std::ranges::find(kSplits, own) == kSplits.end()) return others;
  for (const std::string_view name : kSplits) {
    std::error_code unreadable;
    if (name != own && fs::is_directory(whole.parent_path() / name, unreadable))
      others.push_back(whole.parent_path() / name);
  }
  return others;
}

std::string shared_pictures_note(const fs::path& folder, const std::vector<FrameFiles>& names,
                                 const std::vector<Fingerprint>& pictures, const fs::path& other, ThreadPool& pool) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<FrameFiles> frames;
  try {
    frames = list_folder(other).frames;
  } catch (const Error&) {
    return "";
  }
  std::vector<Fingerprint> others(frames.size());
  pool.for_each(frames.size(), [&](std::size_t i, int) { others[i] = fingerprint_of(frames[i]); });
  // For each image in `pictures`, the first image in `others` that equals it.
  std::vector<std::size_t> first(pictures.size());
  pool.for_each(pictures.size(), [&](std::size_t i, int) {
    const auto same =
        std::ranges::find_if(others, [&](const Fingerprint& o) { return is_same_picture(pictures[i], o); });
    first[i] = static_cast<std::size_t>(same - others.begin());
  });
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] < others.size()) shared.push_back(i);
  if (shared.empty()) return "";
  const std::string split = other.filename().string();
  std::string pairs = join(std::span(shared).first(std::min(shared.size(), kMaxNamed)), ", ",
                           [&](std::size_t i) { return names[i].name + " is " + frames[first[i]].name; });
  if (shared.size() > kMaxNamed) pairs += " ...";
  return folder.string() + ": " + std::to_string(shared.size()) + " of the " + std::to_string(pictures.size()) +
         (shared.size() == 1 ? " images is in " : " images are in ") + split + ", too (" + pairs + " of " + split +
         "), so results there are better than those on new images; remove them from one of the two, or split the "
         "frames again with fernwood dataset split and a groups.txt that has images of one place in one group";
}

}  // namespace fernwood::dataset
