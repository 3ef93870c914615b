// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/check.h"

#include <algorithm>
#include <mutex>

#include "dataset/check/alignment_check.h"
#include "dataset/check/check_summary.h"
#include "dataset/check/unread_files.h"
#include "dataset/dataset_folder.h"
#include "dataset/files/image_file.h"
#include "dataset/files/image_metadata.h"
#include "dataset/frame_reader.h"
#include "dataset/index_labels.h"
#include "dataset/taught_truth.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

/// Additional checks, made where they are worth the time.
struct FurtherLooks {
  bool alignment = false, fingerprint = false;
};

class FrameCheck {
 public:
  FrameCheck(const FrameFiles& files, const DatasetConfig& config, FurtherLooks further)
      : files_(files), config_(config), further_(further) {}

  /// @param depth_counts  [65536] pixels of each value as stored; updated.
  FrameFindings run(std::vector<std::uint64_t>* depth_counts) {
    attempt([&] { hash_bytes(); });
    attempt([&] { check_color(); });
    attempt([&] { check_depth(depth_counts); });
    attempt([&] { check_truth(); });
    attempt([&] { check_instances(); });
    attempt([&] { check_up(); });
    attempt([&] { check_maps(); });
    return std::move(findings_);
  }

 private:
  /// Converts an exception into a problem, so that the following checks still run.
  template <typename Check>
  void attempt(const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      const DatasetProblem problem{Severity::kError, error.sentence()};
      const std::vector<DatasetProblem>& known = findings_.problems;
      if (std::find(known.begin(), known.end(), problem) == known.end()) findings_.problems.push_back(problem);
    }
  }

  void hash_bytes() {
    const fs::path& path = files_.color.empty() ? files_.depth : files_.color;
    if (path.empty()) return;
    const std::vector<std::uint8_t> bytes = read_file(path);
    findings_.fingerprint.file = checksum(bytes.data(), bytes.size());
  }

  template <typename T>
  void compare_size(const fs::path& path, const Array2<T>& image) {
    if (size_from_.empty()) {
      size_from_ = path;
      findings_.width = image.cols();
      findings_.height = image.rows();
    }
    check_same_size(path, image.cols(), image.rows(), size_from_, findings_.width, findings_.height);
  }

  void check_color() {
    if (files_.color.empty()) return;
    Array2<image::Rgb> color = read_color(files_.color);
    compare_size(files_.color, color);
    if (further_.fingerprint) add_pixels(color, &findings_.fingerprint);
    if (further_.alignment) color_ = std::move(color);
  }

  void check_depth(std::vector<std::uint64_t>* depth_counts) {
    if (files_.depth.empty()) return;
    StoredDepth stored = read_stored_depth(files_.depth, config_.depth_scale_to_mm);
    Array2<std::uint16_t>& depth = stored.steps;
    for (const std::uint16_t value : depth) ++(*depth_counts)[value];
    scale_depth(stored.step_mm, config_.depth_missing, &depth);
    const auto num_missing = static_cast<std::size_t>(std::ranges::count(depth, 0));
    findings_.has_depth = true;
    findings_.missing_share = static_cast<double>(num_missing) / static_cast<double>(depth.size());
    if (num_missing == depth.size())
      findings_.problems.push_back(
          {Severity::kWarning, files_.depth.string() +
                                   ": every depth is unknown, so region features see nothing of the frame; remove the "
                                   "frame or record it again"});
    if (!size_from_.empty())
      depth = depth_for_color(std::move(depth), {findings_.height, findings_.width}, config_, files_.depth, size_from_);
    compare_size(files_.depth, depth);
    if (!color_.empty()) findings_.agreement = edge_agreement(color_, depth);
  }

  void check_truth() {
    if (files_.truth.empty()) return;
    const Array2<image::Rgb> truth = read_truth(files_.truth, config_);
    std::vector<ColorCount> colors = count_colors(truth, config_.labels != LabelEncoding::kIndex);
    check_few_colors(colors, files_.truth);
    findings_.truth_colors = std::move(colors);
    compare_size(files_.truth, truth);
  }

  void check_instances() {
    if (!files_.instances.empty()) compare_size(files_.instances, read_instances(files_.instances));
  }

  void check_up() {
    if (!files_.up.empty()) read_up_file(files_.up);
  }

  void check_maps() {
    if (files_.maps.empty()) return;
    const image::SuppliedMaps maps = read_maps(files_.maps);
    findings_.num_maps = maps.num_maps;
    if (!size_from_.empty()) check_fits(files_.maps, maps, findings_.height, findings_.width);
  }

  const FrameFiles& files_;
  const DatasetConfig& config_;
  FurtherLooks further_;
  FrameFindings findings_;
  fs::path size_from_;
  Array2<image::Rgb> color_;  // only if alignment is checked
};

/// Whether a frame is one of `num_taken` that are evenly spread, as take_evenly() selects them.
bool is_taken(std::size_t frame, std::size_t num_frames, std::size_t num_taken) {
  if (num_taken >= num_frames) return true;
  return (frame * num_taken + num_frames - 1) / num_frames * num_frames / num_taken == frame;
}

constexpr std::size_t kNumDepths = 65536;

DatasetReport begin_report(const fs::path& folder, const FolderListing& listing, const DatasetOptions& options) {
  DatasetReport report;
  report.folder = folder;
  report.frames = take_evenly(listing.frames, options.max_frames);
  report.checksums.resize(report.frames.size());
  try {
    report.config = read_folder_config(report.folder, listing.frames);
  } catch (const Error& error) {
    report.problems.push_back({Severity::kError, error.sentence()});
  }
  try {
    if (std::string assumed = settle_labels(report.folder, report.frames, &report.config); !assumed.empty())
      report.problems.push_back({Severity::kWarning, std::move(assumed)});
  } catch (const Error& error) {
    report.problems.push_back({Severity::kError, error.sentence()});
  }
  for (std::string& note : depth_notes(report.folder, report.frames.front(), report.config))
    report.problems.push_back({Severity::kWarning, std::move(note)});
  for (std::string& note : transparency_notes(report.folder, report.frames, report.config))
    report.problems.push_back({Severity::kWarning, std::move(note)});
  for (std::string& warning : camera_warnings(report.config, report.folder, report.frames.front()))
    report.problems.push_back({Severity::kWarning, std::move(warning)});
  return report;
}

/// Results over all frames, in whole numbers, so that the order of the frames does not matter.
struct Totals {
  std::vector<FrameFindings> findings;  // [frame]
  std::vector<std::uint64_t> depth_counts;
  ColorUses colors;
};

Totals check_frames(const DatasetReport& report, ThreadPool& pool, const ProgressCallback& progress) {
  const std::size_t num_frames = report.frames.size();
  const bool has_other_splits = !other_splits(report.folder).empty();
  Totals totals{std::vector<FrameFindings>(num_frames), std::vector<std::uint64_t>(kNumDepths), {}};
  std::vector<std::vector<std::uint64_t>> depth_counts(static_cast<std::size_t>(pool.num_threads()),
                                                       std::vector<std::uint64_t>(kNumDepths));
  std::mutex mutex;
  std::size_t num_done = 0;
  pool.for_each(num_frames, [&](std::size_t i, int worker) {
    FrameCheck check(report.frames[i], report.config, {is_taken(i, num_frames, kMaxAligned), has_other_splits});
    FrameFindings frame = check.run(&depth_counts[static_cast<std::size_t>(worker)]);
    const std::lock_guard lock(mutex);
    for (const ColorCount& count : frame.truth_colors) {
      ColorUse& use = totals.colors.try_emplace(packed(count.color), ColorUse{{count.color}, 0, i}).first->second;
      use.count += count;
      use.num_frames += 1;
      use.first_frame = std::min(use.first_frame, i);
    }
    frame.truth_colors = {};
    totals.findings[i] = std::move(frame);
    if (progress) progress(++num_done, num_frames);
  });
  for (const std::vector<std::uint64_t>& counts : depth_counts)
    for (std::size_t value = 0; value < kNumDepths; ++value) totals.depth_counts[value] += counts[value];
  return totals;
}

}  // namespace

std::string to_string(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

std::size_t DatasetReport::num_errors() const {
  return static_cast<std::size_t>(std::ranges::count(problems, Severity::kError, &DatasetProblem::severity));
}

std::uint64_t DatasetReport::truth_pixels() const {
  std::uint64_t sum = void_pixels + unknown_pixels;
  for (const ClassCount& count : classes) sum += count.num_pixels;
  return sum;
}

DatasetReport check_dataset(const fs::path& folder, const DatasetOptions& options, ThreadPool& pool,
                            const ProgressCallback& progress, const std::string& split_hint) {
  const DefaultFloats floats;
  const fs::path frame_folder = find_frame_folder(folder, split_hint);
  const FolderListing listing = list_folder(frame_folder);
  DatasetReport report = begin_report(frame_folder, listing, options);
  const UnreadFiles unread(frame_folder, listing, options.needs_truth);
  const Totals totals = check_frames(report, pool, progress);
  summarize_partners(options.needs_truth, unread, &report);
  if (std::string stale = truth_problem(frame_folder); options.needs_truth && !stale.empty())
    report.problems.push_back({Severity::kError, std::move(stale)});
  for (DatasetProblem& problem : unread.problems(folder, report.config)) report.problems.push_back(std::move(problem));
  std::vector<fs::path> pictures;
  for (const FrameFiles& files : report.frames) pictures.insert(pictures.end(), {files.color, files.truth});
  if (auto warning = orientation_warning(report.folder.string(), pictures))
    report.problems.push_back({Severity::kWarning, std::move(*warning)});
  for (std::size_t i = 0; i < totals.findings.size(); ++i) {
    report.checksums[i] = totals.findings[i].fingerprint.file;
    const std::vector<DatasetProblem>& problems = totals.findings[i].problems;
    report.problems.insert(report.problems.end(), problems.begin(), problems.end());
  }
  summarize_sizes(totals.findings, &report);
  summarize_maps(totals.findings, &report);
  summarize_depth(totals.findings, totals.depth_counts, &report);
  summarize_alignment(totals.findings, &report);
  summarize_classes(totals.colors, options.ignored_colors, &report);
  summarize_duplicates(&report);
  summarize_shared_pictures(totals.findings, pool, &report);
  std::stable_sort(report.problems.begin(), report.problems.end(),
                   [](const auto& a, const auto& b) { return a.severity > b.severity; });
  return report;
}

}  // namespace fernwood::dataset
