// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check_frame.h"

#include <algorithm>

#include "dataset/camera_config.h"
#include "dataset/image_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

class FrameCheck {
 public:
  FrameCheck(const FrameFiles& files, const DatasetConfig& config) : files_(files), config_(config) {}

  FrameFindings run(std::vector<std::uint64_t>* depth_counts) {
    attempt([&] { look_at_bytes(); });
    attempt([&] { look_at_color(); });
    attempt([&] { look_at_depth(depth_counts); });
    attempt([&] { look_at_truth(); });
    attempt([&] { look_at_up(); });
    return std::move(findings_);
  }

 private:
  /// Turns a failure into a problem, so that the next look is taken.
  template <typename Look>
  void attempt(const Look& look) {
    try {
      look();
    } catch (const Error& error) {
      const DatasetProblem problem{Severity::kError, error.what()};
      const std::vector<DatasetProblem>& known = findings_.problems;
      if (std::find(known.begin(), known.end(), problem) == known.end()) findings_.problems.push_back(problem);
    }
  }

  void look_at_bytes() {
    const fs::path& path = files_.color.empty() ? files_.depth : files_.color;
    if (path.empty()) return;
    const std::vector<std::uint8_t> bytes = read_file(path);
    findings_.checksum = checksum(bytes.data(), bytes.size());
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

  void look_at_color() {
    if (!files_.color.empty()) compare_size(files_.color, read_color(files_.color));
  }

  void look_at_depth(std::vector<std::uint64_t>* depth_counts) {
    if (files_.depth.empty()) return;
    const Array2<std::uint16_t> depth = read_depth(files_.depth, config_.depth_scale_to_mm, config_.depth_missing);
    std::size_t num_missing = 0;
    for (const std::uint16_t depth_mm : depth) {
      num_missing += depth_mm == 0;
      ++(*depth_counts)[depth_mm];
    }
    findings_.has_depth = true;
    findings_.missing_share = static_cast<double>(num_missing) / static_cast<double>(depth.size());
    if (num_missing == depth.size())
      findings_.problems.push_back(
          {Severity::kWarning, files_.depth.string() +
                                   ": every depth is unknown, so region features see nothing of the frame; remove the "
                                   "frame or record it again"});
    compare_size(files_.depth, depth);
  }

  void look_at_truth() {
    if (files_.truth.empty()) return;
    const Array2<image::Rgb> truth = read_truth(files_.truth);
    std::vector<ColorCount> colors = count_colors(truth);
    check_few_colors(colors, files_.truth);
    findings_.truth_colors = std::move(colors);
    compare_size(files_.truth, truth);
  }

  void look_at_up() {
    if (!files_.up.empty()) read_up_file(files_.up);
  }

  const FrameFiles& files_;
  const DatasetConfig& config_;
  FrameFindings findings_;
  fs::path size_from_;
};

}  // namespace

FrameFindings check_frame(const FrameFiles& files, const DatasetConfig& config,
                          std::vector<std::uint64_t>* depth_counts) {
  return FrameCheck(files, config).run(depth_counts);
}

}  // namespace fernwood::dataset
