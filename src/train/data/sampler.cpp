// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/data/sampler.h"

#include <algorithm>
#include <numeric>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/image/context.h"

namespace fernwood::train {

namespace {

/// Sample counts have 31 bits.
constexpr std::size_t kMaxSamples = 0x7fffffff;

/// Chooses `wanted` of the indices below `available`: one from each of `wanted` runs of equal length. Ascending.
class RankDraws {
 public:
  RankDraws(std::uint64_t available, std::uint64_t wanted, std::uint64_t seed, std::uint32_t tree, std::uint32_t frame,
            std::uint32_t group)
      : available_(available),
        wanted_(std::min(available, wanted)),
        seed_(seed),
        tree_(tree),
        frame_(frame),
        group_(group) {
    advance();
  }
  /// Whether the pixel of this index is chosen; must be called in ascending order. Then `draw()` is its random number.
  bool chooses(std::uint64_t rank) {
    if (done_ || rank != rank_) return false;
    chosen_ = draw_;
    ++index_;
    advance();
    return true;
  }
  const Draw& chosen() const { return chosen_; }

 private:
  void advance() {
    done_ = index_ >= wanted_;
    if (done_) return;
    const std::uint64_t begin = index_ * available_ / wanted_, end = (index_ + 1) * available_ / wanted_;
    draw_ = draw(seed_, RngStream::kSample, tree_, frame_, static_cast<std::uint32_t>(index_), group_);
    rank_ = begin + draw_.below(0, static_cast<std::uint32_t>(end - begin));
  }

  std::uint64_t available_, wanted_, seed_, index_ = 0, rank_ = 0;
  std::uint32_t tree_, frame_, group_;
  bool done_ = false;
  Draw draw_{}, chosen_{};
};

/// Order along the Z-curve, in which the bits of y and x alternate, y first: the highest differing bit decides.
bool before_in_z_order(const DrawnPixel& a, const DrawnPixel& b) {
  const int differing_x = a.x ^ b.x, differing_y = a.y ^ b.y;
  const bool x_decides = differing_y < differing_x && differing_y < (differing_x ^ differing_y);
  return x_decides ? a.x < b.x : a.y < b.y;
}

std::vector<std::uint64_t> count_labels(const image::LabelImage& labels, std::size_t num_classes) {
  std::vector<std::uint64_t> counts(num_classes, 0);
  for (const std::uint16_t label : labels)
    if (label < num_classes) ++counts[label];
  return counts;
}

/// Groups for drawing: one for all classes, or one for each class.
std::vector<RankDraws> plan_draws(const std::vector<std::uint64_t>& counts, const TrainOptions& options,
                                  std::uint32_t tree, std::uint32_t frame_index) {
  std::vector<RankDraws> groups;
  const auto wanted = static_cast<std::uint64_t>(options.samples_per_frame);
  if (options.sampling == Sampling::kPixels) {
    const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    groups.emplace_back(total, wanted, options.seed, tree, frame_index, 0);
    return groups;
  }
  const auto present =
      static_cast<std::uint64_t>(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; }));
  std::uint64_t position = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::uint64_t share = 0;
    if (counts[c] > 0) {
      share = (position + 1) * wanted / present - position * wanted / present;
      ++position;
    }
    groups.emplace_back(counts[c], share, options.seed, tree, frame_index, static_cast<std::uint32_t>(c));
  }
  return groups;
}

}  // namespace

SampleSet SampleSet::picked(const std::vector<std::uint32_t>& positions) const {
  SampleSet out;
  out.frame_starts.push_back(0);
  std::size_t next = 0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const std::size_t before = out.size();
    for (; next < positions.size() && positions[next] < frame_starts[f + 1]; ++next)
      out.append(sites[positions[next]], labels[positions[next]]);
    if (out.size() == before) continue;
    out.frames.push_back(frames[f]);
    out.frame_starts.push_back(static_cast<std::uint32_t>(out.size()));
  }
  return out;
}

void SampleSet::set_frames(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& starts) {
  frame_starts = {0};
  for (std::size_t f = 0; f < all.size(); ++f) {
    if (starts[f] == starts[f + 1]) continue;
    frames.push_back(all[f]);
    frame_starts.push_back(starts[f + 1]);
  }
}

std::vector<DrawnPixel> draw_pixels(const image::LabelImage& labels, const TrainOptions& options, std::uint32_t tree,
                                    std::uint32_t frame_index, std::size_t num_classes) {
  std::vector<RankDraws> groups = plan_draws(count_labels(labels, num_classes), options, tree, frame_index);
  std::vector<std::uint64_t> rank(groups.size(), 0);
  std::vector<DrawnPixel> pixels;
  pixels.reserve(static_cast<std::size_t>(options.samples_per_frame));
  for (std::size_t y = 0; y < labels.rows(); ++y) {
    const std::uint16_t* row = labels.row(y);
    for (std::size_t x = 0; x < labels.cols(); ++x) {
      if (row[x] >= num_classes) continue;
      const std::size_t group = groups.size() > 1 ? row[x] : 0;
      if (!groups[group].chooses(rank[group]++)) continue;
      const bool mirrored = options.mirror_augmentation && (groups[group].chosen().word[1] & 1u);
      pixels.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), row[x], mirrored});
    }
  }
  std::sort(pixels.begin(), pixels.end(), before_in_z_order);
  return pixels;
}

std::vector<DrawnPixel> context_pixels(const image::LabelImage& labels) {
  const auto rows = static_cast<std::int32_t>(labels.rows()), cols = static_cast<std::int32_t>(labels.cols());
  std::vector<DrawnPixel> pixels;
  for (std::int32_t row = 0; row < image::context_cells(rows); ++row)
    for (std::int32_t col = 0; col < image::context_cells(cols); ++col)
      pixels.push_back({static_cast<std::uint16_t>(image::context_pixel(col, cols)),
                        static_cast<std::uint16_t>(image::context_pixel(row, rows)), 0, false});
  return pixels;
}

bool sees_all_frames(std::size_t num_frames, const TrainOptions& options) {
  return options.frames_per_tree == 0 || static_cast<std::size_t>(options.frames_per_tree) >= num_frames;
}

std::vector<std::uint32_t> all_frames(std::size_t num_frames) {
  std::vector<std::uint32_t> frames(num_frames);
  std::iota(frames.begin(), frames.end(), 0u);
  return frames;
}

std::vector<std::uint32_t> draw_frames(std::vector<std::uint32_t> frames, const TrainOptions& options,
                                       std::uint32_t tree) {
  if (sees_all_frames(frames.size(), options)) return frames;
  const auto key = [&](std::uint32_t frame) {
    return std::pair(draw(options.seed, RngStream::kFrames, tree, 0, frame).word[0], frame);
  };
  std::sort(frames.begin(), frames.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  frames.resize(static_cast<std::size_t>(options.frames_per_tree));
  std::sort(frames.begin(), frames.end());
  return frames;
}

void check_num_samples(std::size_t num_samples) {
  FW_CHECK(num_samples <= kMaxSamples, Resource,
           "a tree would have " << num_samples << " samples, at most " << kMaxSamples << " are possible; lower "
                                << named_option("samples-per-frame") << " or " << named_option("frames-per-tree"));
}

SampleSet join_samples(const std::vector<std::uint32_t>& frames, const std::vector<FrameSamples>& of_frame) {
  std::size_t total = 0;
  for (const FrameSamples& samples : of_frame) total += samples.labels.size();
  check_num_samples(total);
  SampleSet all;
  all.sites.reserve(total);
  all.labels.reserve(total);
  all.frames = frames;
  all.frame_starts.push_back(0);
  for (const FrameSamples& samples : of_frame) {
    all.sites.insert(all.sites.end(), samples.sites.begin(), samples.sites.end());
    all.labels.insert(all.labels.end(), samples.labels.begin(), samples.labels.end());
    all.frame_starts.push_back(static_cast<std::uint32_t>(all.size()));
  }
  return all;
}

}  // namespace fernwood::train
