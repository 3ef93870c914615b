// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Recordings of the TUM RGB-D benchmark (Sturm et al., IROS 2012): rgb.txt and depth.txt list images with the seconds
// at which they were taken; each kind has a clock of its own, so that images must be associated.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "dataset/file_source.h"
#include "fernwood/core/error.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr double kDepthStepsPerMm = 5;  // 5000 steps are a metre
constexpr double kMaxDifferenceS = 0.02;

struct TimedFile {
  double time_s = 0;
  fs::path path;
};

/// Lines of "seconds path"; those that begin with # are comments.
std::vector<TimedFile> read_list(const fs::path& folder, const char* name) {
  const fs::path path = folder / name;
  std::ifstream file(path);
  FW_CHECK(
      file, Data,
      path.string() << ": cannot be read; a TUM recording has rgb.txt and depth.txt with a line of seconds and path "
                       "for each image");
  std::vector<TimedFile> list;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    std::istringstream words(line);
    TimedFile timed;
    std::string relative;
    FW_CHECK(words >> timed.time_s >> relative, Data,
             path.string() << ": line " << number << " is \"" << line
                           << "\"; it must have the seconds and the path of an image");
    timed.path = folder / relative;
    list.push_back(std::move(timed));
  }
  std::ranges::stable_sort(list, {}, &TimedFile::time_s);
  return list;
}

struct Pair {
  double difference_s = 0;
  std::size_t color = 0, depth = 0;
};

/// Pairs that are near enough, nearest first.
std::vector<Pair> near_pairs(const std::vector<TimedFile>& colors, const std::vector<TimedFile>& depths) {
  std::vector<Pair> pairs;
  for (std::size_t c = 0; c < colors.size(); ++c) {
    auto d = std::ranges::lower_bound(depths, colors[c].time_s - kMaxDifferenceS, {}, &TimedFile::time_s);
    for (; d != depths.end() && d->time_s < colors[c].time_s + kMaxDifferenceS; ++d)
      pairs.push_back({std::abs(d->time_s - colors[c].time_s), c, static_cast<std::size_t>(d - depths.begin())});
  }
  std::ranges::stable_sort(pairs, {}, &Pair::difference_s);
  return pairs;
}

}  // namespace

Recording list_tum_recording(const fs::path& folder) {
  const std::vector<TimedFile> colors = read_list(folder, "rgb.txt"), depths = read_list(folder, "depth.txt");
  Recording recording{folder, {}, 1 / kDepthStepsPerMm, 0};
  std::vector<bool> color_taken(colors.size()), depth_taken(depths.size());
  for (const Pair& pair : near_pairs(colors, depths)) {
    if (color_taken[pair.color] || depth_taken[pair.depth]) continue;
    color_taken[pair.color] = depth_taken[pair.depth] = true;
    const TimedFile& color = colors[pair.color];
    recording.frames.push_back({color.path.stem().string(), color.time_s, color.path, depths[pair.depth].path});
  }
  FW_CHECK(!recording.frames.empty(), Data,
           folder.string() << ": none of the " << colors.size() << " images of rgb.txt was taken within "
                           << kMaxDifferenceS << " s of one of the " << depths.size()
                           << " of depth.txt; check the lists");
  std::ranges::sort(recording.frames, {}, &RecordedFrame::time_s);
  read_camera_of(recording);
  return recording;
}

}  // namespace fernwood::dataset
