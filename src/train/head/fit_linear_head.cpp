// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/head/fit_linear_head.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "core/draw.h"
#include "core/messages.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "train/head/head_kernels.h"

namespace fernwood::train {

FW_ISA_TABLES(HeadKernels, head_kernels_table)

const HeadKernels& head_kernels(Isa isa) { return head_kernels_table_of(isa); }

namespace {

constexpr std::size_t kMaxOfAFrame = 300, kMinOfAFrame = 30, kMaxPixels = 60000, kMaxValues = std::size_t{1} << 26;
constexpr double kFramesOfDoubt = 30;
/// Relative increase of the diagonal, so that maps with equal values do not make the matrix singular.
constexpr double kMinPenalty = 1e-6;
/// Weight of a class of mean frequency; kMaxClassWeight is the upper limit for every class.
constexpr double kMeanWeight = 16;
constexpr int kMaxClassWeight = 255;
/// Values have 12 bits, so that sums of products stay below 2^53: 2 * 11 bits, 8 of weights, 23 of pixels.
constexpr int kDroppedBits = 4;

/// Appends the values of all maps at a pixel, in 12 bits.
void sample(const image::MapsView& maps, std::int32_t num_maps, std::int32_t x, std::int32_t y,
            std::vector<std::int16_t>& values) {
  for (std::int32_t l = 0; l < maps.num_levels; ++l) {
    const std::int32_t end = l + 1 < maps.num_levels ? maps.levels[l + 1].first_map : num_maps;
    const image::MapPixel pixel(maps.levels[l], x, y);
    for (std::int32_t map = maps.levels[l].first_map; map < end; ++map) {
      // Equals the value that features read: the conversion in map_value() does not round any bit kept here.
      const float value = pixel.value(image::cells_of(maps, maps.levels[l], map)) / (1 << kDroppedBits);
      values.push_back(
          static_cast<std::int16_t>(std::clamp(static_cast<std::int32_t>(std::floor(value + 0.5f)), -2047, 2047)));
    }
  }
}

/// [class] Whole numbers near the cube root of the class's rarity; 0 for a class without pixels.
std::vector<int> rarity_weights(const std::vector<std::uint64_t>& class_pixels) {
  double all = 0;
  for (const std::uint64_t count : class_pixels) all += static_cast<double>(count);
  const double mean = all / static_cast<double>(class_pixels.size());
  std::vector<int> weights;
  for (const std::uint64_t count : class_pixels) {
    int weight = 0;
    // Compared instead of computed: the roots of different libraries differ in their last bits.
    const auto cubed = [](double value) { return value * value * value; };
    while (count > 0 && weight < kMaxClassWeight &&
           (weight == 0 || cubed(weight + 0.5) * static_cast<double>(count) <= cubed(kMeanWeight) * mean))
      ++weight;
    weights.push_back(weight);
  }
  return weights;
}

/// Weighted sums over pixels; all values are whole numbers.
struct HeadSums {
  std::vector<double> products;  ///< [map][map] Upper triangle with the diagonal.
  std::vector<double> of_class;  ///< [class][map + 1] The last entry is the weight of the class's pixels.
  double num_frames = 0;
};

/// Rows of products computed at a time, and pixels added to them before the next rows.
constexpr std::size_t kRowsAtATime = 16, kPixelsAtATime = 64;

/// Adds the products of rows [first, end) of the matrix.
void add_products(const HeadSamples& samples, const std::vector<int>& weights, std::size_t num_maps, std::size_t first,
                  std::size_t end, std::vector<double>& products) {
  static const HeadKernels& kernels = head_kernels(available_isas().back());
  const std::size_t width = num_maps - first;
  std::vector<double> values(kPixelsAtATime * width);
  std::vector<double> factor(kPixelsAtATime);
  for (std::size_t begin = 0; begin < samples.labels.size(); begin += kPixelsAtATime) {
    const std::size_t count = std::min(kPixelsAtATime, samples.labels.size() - begin);
    for (std::size_t p = 0; p < kPixelsAtATime; ++p) {
      const bool is_there = p < count;
      factor[p] = is_there ? weights[samples.labels[begin + p]] : 0;
      const std::int16_t* from = samples.values.data() + (is_there ? begin + p : begin) * num_maps + first;
      std::copy_n(from, width, values.data() + p * width);
    }
    for (std::size_t i = first; i < end; ++i)
      kernels.add_products(values.data() + (i - first), width, factor.data(), kPixelsAtATime,
                           products.data() + i * num_maps + i, num_maps - i);
  }
}

HeadSums sum_samples(const std::vector<HeadSamples>& of_frames, const std::vector<int>& weights, std::size_t num_maps,
                     ThreadPool& pool) {
  HeadSums sums{std::vector<double>(num_maps * num_maps), std::vector<double>(weights.size() * (num_maps + 1)), 0};
  for (const HeadSamples& samples : of_frames) {
    sums.num_frames += samples.labels.empty() ? 0 : 1;
    for (std::size_t p = 0; p < samples.labels.size(); ++p) {
      const double weight = weights[samples.labels[p]];
      double* of_class = sums.of_class.data() + samples.labels[p] * (num_maps + 1);
      const std::int16_t* values = samples.values.data() + p * num_maps;
      for (std::size_t map = 0; map < num_maps; ++map) of_class[map] += weight * values[map];
      of_class[num_maps] += weight;
    }
  }
  const std::size_t num_tasks = (num_maps + kRowsAtATime - 1) / kRowsAtATime;
  pool.for_each(num_tasks, [&](std::size_t task, int) {
    const std::size_t first = task * kRowsAtATime, end = std::min(first + kRowsAtATime, num_maps);
    for (const HeadSamples& samples : of_frames) add_products(samples, weights, num_maps, first, end, sums.products);
  });
  return sums;
}

/// Sums over all processes.
HeadSums join_sums(HeadSums mine, Communicator* ranks) {
  if (!ranks) return mine;
  HeadSums all{std::vector<double>(mine.products.size()), std::vector<double>(mine.of_class.size()), 0};
  const auto join = [&](std::span<const double> own, std::span<double> sum) {
    for (const std::vector<double>& of_rank : gather_equal(std::vector<double>(own.begin(), own.end()), *ranks))
      std::ranges::transform(sum, of_rank, sum.begin(), std::plus<>());
  };
  join(mine.products, all.products);
  join(mine.of_class, all.of_class);
  join({&mine.num_frames, 1}, {&all.num_frames, 1});
  return all;
}

struct RealHead {
  std::vector<double> weights;  ///< [class][map]
  std::vector<double> bias;     ///< [class]
};

RealHead solve_head(const HeadSums& sums, std::size_t num_classes, std::size_t num_maps) {
  std::vector<double> total(num_maps + 1, 0.0);
  for (std::size_t c = 0; c < num_classes; ++c)
    for (std::size_t map = 0; map <= num_maps; ++map) total[map] += sums.of_class[c * (num_maps + 1) + map];
  const double weight = total[num_maps];
  const double penalty = 1 + kFramesOfDoubt / std::max(1.0, sums.num_frames) + kMinPenalty;
  std::vector<double> matrix(num_maps * num_maps);
  for (std::size_t i = 0; i < num_maps; ++i)
    for (std::size_t j = i; j < num_maps; ++j)
      matrix[j * num_maps + i] = sums.products[i * num_maps + j] - total[i] * total[j] / weight;
  for (std::size_t i = 0; i < num_maps; ++i) {
    double& diagonal = matrix[i * num_maps + i];
    diagonal = diagonal > 0 ? diagonal * penalty : 1;  // a constant map
  }
  RealHead head{std::vector<double>(num_classes * num_maps), {}};
  for (std::size_t c = 0; c < num_classes; ++c) {
    const double* of_class = sums.of_class.data() + c * (num_maps + 1);
    const double share = of_class[num_maps] / weight;
    for (std::size_t map = 0; map < num_maps; ++map)
      head.weights[c * num_maps + map] = of_class[map] - total[map] * share;
    head.bias.push_back(share);
  }
  solve_positive(matrix, num_maps, head.weights);
  for (std::size_t c = 0; c < num_classes; ++c)
    for (std::size_t map = 0; map < num_maps; ++map)
      head.bias[c] -= head.weights[c * num_maps + map] * (total[map] / weight);
  return head;
}

/// Rounds to whole numbers. @param real  For 12-bit values.
image::LinearHead rounded(const RealHead& real, const std::vector<std::string>& classes, int num_maps) {
  image::LinearHead head;
  head.classes = classes;
  head.num_maps = num_maps;
  double most = 0;
  const double steps = image::kPartialOne / static_cast<double>(1 << kDroppedBits);
  for (const double weight : real.weights) most = std::max(most, std::abs(weight) * steps);
  while (head.shift < image::kMaxHeadShift && most > 0 && std::ldexp(most, head.shift + 1) < image::kMaxHeadWeight)
    ++head.shift;
  const auto whole = [](double value, double limit) {
    return static_cast<std::int32_t>(std::clamp(std::floor(value + 0.5), -limit, limit));
  };
  for (const double weight : real.weights)
    head.weights.push_back(whole(std::ldexp(weight * steps, head.shift), image::kMaxHeadWeight));
  for (const double bias : real.bias) head.bias.push_back(whole(bias * image::kPartialOne, image::kMaxPartial));
  return head;
}

/// Scalar product, summed in a fixed order.
double dot(const double* a, const double* b, std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void solve_positive(std::vector<double>& matrix, std::size_t size, std::vector<double>& right) {
  const auto row = [&](std::size_t i) { return matrix.data() + i * size; };
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = row(i)[j] - dot(row(i), row(j), j);
      row(i)[j] = i == j ? std::sqrt(rest) : rest / row(j)[j];
    }
  for (std::size_t column = 0; column < right.size(); column += size) {
    double* x = right.data() + column;
    for (std::size_t i = 0; i < size; ++i) x[i] = (x[i] - dot(row(i), x, i)) / row(i)[i];
    for (std::size_t i = size; i-- > 0;) {
      x[i] /= row(i)[i];
      for (std::size_t k = 0; k < i; ++k) x[k] -= row(i)[k] * x[i];
    }
  }
}

LinearHeadFit::LinearHeadFit(const dataset::Dataset& dataset, const image::Preparation& preparation,
                             std::vector<std::string> classes, std::uint64_t seed)
    : dataset_(dataset),
      preparation_(preparation),
      classes_(std::move(classes)),
      seed_(seed),
      samples_(dataset.size()) {
  const int num_maps = preparation.num_maps();
  if (num_maps == 0 || num_maps > kMaxFittedMaps || classes_.size() > image::kMaxScores) return;
  most_ = std::min(std::clamp(kMaxPixels / dataset.size(), kMinOfAFrame, kMaxOfAFrame),
                   std::max<std::size_t>(1, kMaxValues / (dataset.size() * static_cast<std::size_t>(num_maps))));
}

image::FeatureMaps LinearHeadFit::add(std::size_t index, const dataset::LabelledFrame& read) {
  if (most_ == 0) return {};
  const DefaultFloats floats;
  std::vector<std::uint32_t> known;
  for (std::size_t i = 0; i < read.labels.size(); ++i)
    if (read.labels.data()[i] != image::kVoid) known.push_back(static_cast<std::uint32_t>(i));
  if (known.empty()) return {};
  const auto kept = dataset_.kept_frame(index, preparation_);
  image::FeatureMaps maps = kept ? image::FeatureMaps() : image::find_maps(read.frame, preparation_, nullptr);
  const image::MapsView view = kept ? kept->view().maps : maps.view();
  const auto cols = static_cast<std::uint32_t>(read.labels.cols());
  HeadSamples& samples = samples_[index];
  for (std::uint32_t i = 0; i < std::min(most_, known.size()); ++i) {
    const std::uint32_t chosen = draw(seed_, RngStream::kHead, 0, 0, static_cast<std::uint32_t>(index), i)
                                     .below(0, static_cast<std::uint32_t>(known.size()));
    const std::uint32_t pixel = known[chosen];
    const auto x = static_cast<std::int32_t>(pixel % cols), y = static_cast<std::int32_t>(pixel / cols);
    sample(view, preparation_.num_maps(), x, y, samples.values);
    samples.labels.push_back(read.labels.data()[pixel]);
  }
  return maps;
}

std::shared_ptr<const image::LinearHead> LinearHeadFit::fit(const std::vector<std::uint64_t>& class_pixels,
                                                            ThreadPool& pool, Communicator* ranks) const {
  const DefaultFloats floats;
  const auto present = std::ranges::count_if(class_pixels, [](std::uint64_t count) { return count > 0; });
  if (present < 2 || most_ == 0) return nullptr;
  const auto num_maps = static_cast<std::size_t>(preparation_.num_maps());
  const HeadSums sums = join_sums(sum_samples(samples_, rarity_weights(class_pixels), num_maps, pool), ranks);
  return std::make_shared<const image::LinearHead>(
      rounded(solve_head(sums, classes_.size(), num_maps), classes_, preparation_.num_maps()));
}

}  // namespace fernwood::train
