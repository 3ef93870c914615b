// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/run_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backbone/small_network.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "sentences.h"

namespace fernwood::backbone {
namespace {

/// Activations [row][col][channel] for the reference implementation, which accesses each value separately.
struct Plain {
  std::int32_t rows, cols, channels;
  std::vector<int> values;
  int outside;  ///< Value outside the border.

  int at(std::int32_t y, std::int32_t x, int c) const {
    if (y < 0 || y >= rows || x < 0 || x >= cols) return outside;
    return values[static_cast<std::size_t>((y * cols + x) * channels + c)];
  }
};

/// Rescaling in numbers that cannot overflow: halves are rounded up, intermediate values saturate at 16 bits.
int plain_rescale(std::int64_t sum, const Rescaling& by, int zero) {
  const auto shifted = [](std::int64_t value, int shift) {
    const double exact = static_cast<double>(value) / static_cast<double>(std::int64_t{1} << shift);
    return static_cast<std::int64_t>(std::floor(exact + 0.5));
  };
  const std::int64_t cut = std::clamp<std::int64_t>(shifted(sum + by.bias, by.first_shift), -32768, 32767);
  return static_cast<int>(std::clamp<std::int64_t>(zero + shifted(cut * by.multiplier, by.shift), 0, 255));
}

Plain plain_dense(const Dense& layer, const Plain& in, int zero, const std::vector<std::int32_t>& residual,
                  const Plain* input) {
  Plain out = {strided(in.rows, layer.stride), strided(in.cols, layer.stride), layer.out, {}, 0};
  for (std::int32_t y = 0; y < out.rows; ++y)
    for (std::int32_t x = 0; x < out.cols; ++x)
      for (int c = 0; c < layer.out; ++c) {
        std::int64_t sum = 0;
        std::size_t weight = static_cast<std::size_t>(c * layer.num_inputs());
        for (int i = 0; i < layer.kernel; ++i)
          for (int j = 0; j < layer.kernel; ++j)
            for (int k = 0; k < layer.in; ++k)
              sum += layer.weights[weight++] *
                     in.at(y * layer.stride - layer.before + i, x * layer.stride - layer.before + j, k);
        if (!residual.empty()) sum += std::int64_t{residual[static_cast<std::size_t>(c)]} * input->at(y, x, c);
        out.values.push_back(plain_rescale(sum, layer.rescaling[static_cast<std::size_t>(c)], zero));
      }
  return out;
}

Plain plain_depthwise(const Depthwise& layer, const Plain& in) {
  Plain out = {strided(in.rows, layer.stride), strided(in.cols, layer.stride), layer.channels, {}, 0};
  for (std::int32_t y = 0; y < out.rows; ++y)
    for (std::int32_t x = 0; x < out.cols; ++x)
      for (int c = 0; c < layer.channels; ++c) {
        std::int64_t sum = 0;
        std::size_t weight = static_cast<std::size_t>(c * layer.kernel * layer.kernel);
        for (int i = 0; i < layer.kernel; ++i)
          for (int j = 0; j < layer.kernel; ++j)
            sum += layer.weights[weight++] *
                   in.at(y * layer.stride - layer.before + i, x * layer.stride - layer.before + j, c);
        out.values.push_back(plain_rescale(sum, layer.rescaling[static_cast<std::size_t>(c)], 0));
      }
  return out;
}

/// Maps of a network by its definition, [map][rows][cols].
std::vector<std::int16_t> plain_maps(const Network& network, const Picture& picture) {
  Plain in = {picture.rows, picture.cols, 3, {picture.colors.begin(), picture.colors.end()}, network.input_zero};
  std::vector<std::int16_t> maps;
  for (const Block& block : network.blocks) {
    const Plain filtered = plain_depthwise(block.depthwise, plain_dense(block.expand, in, 0, {}, nullptr));
    const Plain out = plain_dense(block.project, filtered, kLinearZero, block.residual, &in);
    if (block.is_map)
      for (int c = 0; c < out.channels; ++c)
        for (std::int32_t y = 0; y < out.rows; ++y)
          for (std::int32_t x = 0; x < out.cols; ++x)
            maps.push_back(static_cast<std::int16_t>((out.at(y, x, c) - 128) * 128));
    in = out;
  }
  return maps;
}

Picture picture_of(std::size_t rows, std::size_t cols, std::uint32_t seed, int reduction = 1) {
  return reduced_picture(forest::noise_frame(rows, cols, seed), reduction);
}

/// Share of values that differ from the preceding one; constant maps would hide errors of the network.
double share_of_changes(const std::vector<std::int16_t>& values) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < values.size(); ++i) changes += values[i] != values[i - 1];
  return static_cast<double>(changes) / static_cast<double>(values.size());
}

TEST(RunNetwork, GivesTheMapsOfItsDefinitionWithEveryInstructionSetAndNumberOfThreads) {
  for (const auto& [rows, cols] : {std::pair{37, 53}, {64, 48}, {8, 9}, {1, 1}, {5, 120}}) {
    const auto seed = static_cast<std::uint32_t>(rows);
    const Network network = noise_network(seed);
    const Picture picture = picture_of(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), seed);
    const std::vector<std::int16_t> wanted = plain_maps(network, picture);
    if (rows > 20) {
      EXPECT_GT(share_of_changes(wanted), 0.5);
    }
    for (const KernelSet& set : kernel_sets()) {
      const NetworkRunner runner(network, *set.kernels);
      EXPECT_EQ(runner.run(picture, 1, nullptr).values, wanted) << set.name;
      for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        EXPECT_EQ(runner.run(picture, 1, &pool).values, wanted) << set.name << ", " << threads << " threads";
      }
    }
  }
}

TEST(RunNetwork, MultipliesByDotProductsWhereTheMachineIsSaidToHaveThem) {
  const std::vector<std::string> said = inspect_machine().instruction_sets;
  for (const char* name : {"baseline", "avx2", "avx512", "baseline with dot products"})
    EXPECT_EQ(std::ranges::count(kernel_sets(), name, &KernelSet::name), std::ranges::count(said, name)) << name;
}

TEST(RunNetwork, WeightsAndActivationsAtTheirLimitsAreExactEverywhere) {
  Network network = noise_network(3);
  for (Block& block : network.blocks) {
    for (std::vector<std::int8_t>* weights : {&block.expand.weights, &block.depthwise.weights, &block.project.weights})
      for (std::size_t i = 0; i < weights->size(); ++i)
        (*weights)[i] = static_cast<std::int8_t>(i % 5 == 0 ? -kMaxWeight : kMaxWeight);
    for (std::size_t c = 0; c < block.project.rescaling.size(); ++c)
      block.project.rescaling[c] = {c % 2 ? 2 * kMaxBias : -2 * kMaxBias, static_cast<std::int32_t>(c % 25), 32767, 22};
  }
  Picture picture = {20, 20, std::vector<std::uint8_t>(1200, 255)};
  const std::vector<std::int16_t> wanted = plain_maps(network, picture);
  for (const KernelSet& set : kernel_sets())
    EXPECT_EQ(NetworkRunner(network, *set.kernels).run(picture, 1, nullptr).values, wanted) << set.name;
}

TEST(RunNetwork, MayBeAskedByManyThreadsAtOnce) {
  const Network network = noise_network(7);
  const NetworkRunner runner(network);
  ThreadPool pool(4);
  std::vector<int> wrong(16, 0);
  std::vector<Picture> pictures;
  std::vector<std::vector<std::int16_t>> wanted;
  for (std::uint32_t i = 0; i < 16; ++i) {
    pictures.push_back(picture_of(20 + i, 40 - i, i));
    wanted.push_back(plain_maps(network, pictures.back()));
  }
  pool.for_each(16, [&](std::size_t i, int) { wrong[i] = runner.run(pictures[i], 1, &pool).values != wanted[i]; });
  EXPECT_EQ(wrong, std::vector<int>(16, 0));
}

TEST(TimeKernels, TellsEachInstructionSetOnce) {
  ThreadPool pool(2);
  const std::vector<KernelTime> times = time_kernels(*noise_backbone(1, 2), 48, 64, pool);
  ASSERT_EQ(times.size(), kernel_sets().size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i].instruction_set, kernel_sets()[i].name);
    EXPECT_GT(times[i].seconds, 0);
  }
}

TEST(ReducedPicture, HasTheMeanOfThePixelsThatThereAreHalvesUp) {
  image::Frame frame;
  frame.color = Array2<image::Rgb>(3, 3);
  for (std::size_t i = 0; i < 9; ++i) frame.color.data()[i] = {static_cast<std::uint8_t>(10 * i), 255, 1};
  const Picture half = reduced_picture(frame, 2);
  EXPECT_EQ(half.rows, 2);
  EXPECT_EQ(half.cols, 2);
  // Means of 0, 10, 30, 40: 20; of 20, 50: 35; of 60, 70: 65; and of 80.
  const std::vector<std::uint8_t> wanted = {20, 255, 1, 35, 255, 1, 65, 255, 1, 80, 255, 1};
  EXPECT_EQ(half.colors, wanted);
  frame.color(0, 0) = {1, 0, 0};  // a sum of 81: 20.25
  EXPECT_EQ(reduced_picture(frame, 2).colors[0], 20);
  frame.color(0, 0) = {2, 0, 0};  // 20.5
  EXPECT_EQ(reduced_picture(frame, 2).colors[0], 21);
}

TEST(CheckFrameSize, RefusesFramesWhoseActivationsAreMoreThanNumbersCount) {
  const Network network = noise_network(1, {{16, 8, 3, 1, false, true}});
  check_frame_size(network, 1, 480, 640);
  check_frame_size(network, 4, 65535, 65535);  // 2^26 cells with 16 channels
  EXPECT_THROW(check_frame_size(network, 1, 65535, 65535), Error);
  testdata::expect_refused(ErrorKind::kData, [&] { check_frame_size(network, 1, 40000, 30000); });
}

TEST(MapLevels, SayWhereCellsLieForOddSizesAndReductions) {
  const Network network = noise_network(1);
  const std::vector<image::MapLevel> levels = map_levels(network, 2, 19, 33);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].rows, 5);  // 19 pixels in cells of 4
  EXPECT_EQ(levels[0].cols, 9);
  EXPECT_EQ(levels[0].col_step, 65536u / 8);  // in frame pixels, at twice the resolution
  EXPECT_EQ(levels[1].rows, 3);
  EXPECT_EQ(levels[1].first_map, 24);
  EXPECT_EQ(levels[1].offset, 24 * 45);
  EXPECT_EQ(network.num_maps(), 64);
}

}  // namespace
}  // namespace fernwood::backbone
