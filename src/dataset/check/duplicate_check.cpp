// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/check/check_summary.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "dataset/dataset_folder.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/image_io.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

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
         (shared.size() == 1 ? " pictures is in " : " pictures are in ") + split + ", too (" + pairs + " of " + split +
         "), so results there are better than those on new pictures; remove them from one of the two, or part the "
         "frames again with fernwood dataset split and a groups.txt that has pictures of one place in one group";
}

}  // namespace fernwood::dataset
