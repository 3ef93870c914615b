// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "backbone/import/float_network.h"
#include "backbone/import/small_state.h"
#include "backbone/network.h"
#include "dataset/test_files.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "forest/noise.h"
#include "sentences.h"

namespace fernwood::backbone {
namespace {

Picture picture(std::uint32_t seed) { return reduced_picture(forest::noise_frame(96, 128, seed), 1); }

/// Root mean squared error of the maps against the floating-point network, relative to its outputs' standard deviation.
double relative_error(const FloatNetwork& network, const std::vector<float>& limits, const Network& whole,
                      const Picture& picture) {
  const std::vector<std::vector<float>> outputs = run_float(network, picture);
  const image::FeatureMaps maps = NetworkRunner(whole).run(picture, 1, nullptr);
  double errors = 0, sum = 0, squares = 0, count = 0;
  std::size_t value = 0, level = 0;
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    if (!network.blocks[b].is_map) continue;
    const image::MapLevel& of = maps.levels[level++];
    const auto cells = static_cast<std::size_t>(of.rows * of.cols);
    const auto channels = static_cast<std::size_t>(network.blocks[b].project.out);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t cell = 0; cell < cells; ++cell, ++value) {
        const double exact = outputs[b][cell * channels + c];
        const double found = maps.values[value] / 128.0 * static_cast<double>(limits[b]) / 127;
        errors += (exact - found) * (exact - found);
        sum += exact, squares += exact * exact, ++count;
      }
  }
  EXPECT_EQ(value, maps.values.size());
  return std::sqrt(errors / count) / std::sqrt(squares / count - sum / count * (sum / count));
}

TEST(EfficientNetLite, HasTheStridesAndMapsOfItsStages) {
  const FloatNetwork network = efficientnet_lite(small_state(1), kPlace);
  ASSERT_EQ(network.blocks.size(), 9u);
  std::vector<int> strides;
  std::vector<bool> residuals, maps;
  for (const FloatBlock& block : network.blocks) {
    strides.push_back(block.depthwise.stride);
    residuals.push_back(block.residual);
    maps.push_back(block.is_map);
  }
  EXPECT_EQ(strides, (std::vector<int>{1, 2, 2, 1, 2, 1, 2, 1, 1}));
  EXPECT_EQ(residuals, (std::vector<bool>{false, false, false, true, false, false, false, false, true}));
  EXPECT_EQ(maps, (std::vector<bool>{false, false, false, false, false, true, false, false, true}));
  EXPECT_EQ(network.blocks[2].depthwise.before, 1);  // 5 pixels at stride 2: TensorFlow's padding
  EXPECT_EQ(network.blocks[1].depthwise.before, 0);
}

TEST(EfficientNetLite, NormalisationIsFoldedIntoConvolutions) {
  const StateDict state = small_state(1);
  const FloatNetwork network = efficientnet_lite(state, kPlace);
  const FloatLayer& layer = network.blocks[3].project;
  const auto of = [&](const char* name, std::size_t i) { return state.at(std::string("_blocks.3.") + name).values[i]; };
  const std::size_t c = 5, k = 7;
  const float scale = of("_bn2.weight", c) / std::sqrt(of("_bn2.running_var", c) + 1e-3f);
  EXPECT_FLOAT_EQ(layer.weights[c * 48 + k], of("_project_conv.weight", c * 48 + k) * scale);
  EXPECT_FLOAT_EQ(layer.bias[c], of("_bn2.bias", c) - of("_bn2.running_mean", c) * scale);
}

TEST(EfficientNetLite, LayersThatDoNotFitEachOtherAreRefused) {
  const auto refused = [](const std::string& convolution, const std::string& normalization, std::int64_t out,
                          std::int64_t in, std::int64_t side) {
    StateDict state = small_state(1);
    const auto set = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
      const std::int64_t count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
      state[name] = {shape, std::vector<float>(static_cast<std::size_t>(count), 1.0f)};
    };
    set(convolution + ".weight", {out, in, side, side});
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) set(normalization + part, {out});
    testdata::expect_refused(kPlace.kind, [&] { efficientnet_lite(state, kPlace); });
  };
  refused("_conv_stem", "_bn0", 16, 4, 3);
  refused("_blocks.1._depthwise_conv", "_blocks.1._bn1", 64, 1, 3);
  refused("_blocks.1._expand_conv", "_blocks.1._bn0", 48, 16, 1);
  refused("_blocks.1._project_conv", "_blocks.1._bn2", 16, 64, 1);
}

TEST(EfficientNetLite, WhatIsMissingOrOtherIsNamed) {
  const auto expect_refused = [](const auto& change) {
    StateDict state = small_state(1);
    change(state);
    testdata::expect_refused(ErrorKind::kData, [&] { efficientnet_lite(state, kPlace); });
  };
  expect_refused([](StateDict& s) { s.erase("_blocks.2._bn1.bias"); });
  expect_refused([](StateDict& s) { s["_bn0.weight"].shape = {15}; });
  expect_refused([](StateDict& s) { s.clear(); });
  expect_refused([](StateDict& s) { s.erase("_blocks.6._depthwise_conv.weight"); });
  expect_refused([](StateDict& s) { s["_blocks.1._se_reduce.weight"] = {}; });
}

TEST(Quantize, MapsAreNearThoseOfFloatingPoint) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const FloatNetwork network = efficientnet_lite(small_state(seed), kPlace);
    ThreadPool pool(2);
    const std::vector<float> measured = output_limits(network, {picture(5), picture(6)}, pool);
    const Network whole = quantize(network, measured, kPlace);
    check_network(whole, kPlace);
    EXPECT_LT(relative_error(network, measured, whole, picture(7)), 0.2);
    const std::vector<float> assumed = output_limits(network, {}, pool);
    for (std::size_t b = 0; b < assumed.size(); ++b) EXPECT_GT(assumed[b], 0);
  }
}

TEST(Quantize, LimitsDoNotDependOnThreads) {
  const FloatNetwork network = efficientnet_lite(small_state(1), kPlace);
  ThreadPool one(1), many(4);
  const std::vector<Picture> pictures = {picture(1), picture(2), picture(3)};
  EXPECT_EQ(output_limits(network, pictures, one), output_limits(network, pictures, many));
}

TEST(Quantize, WeightsThatAreNoNumbersAreRefused) {
  StateDict state = small_state(1);
  state["_conv_stem.weight"].values[3] = std::nanf("");
  const FloatNetwork network = efficientnet_lite(state, kPlace);
  EXPECT_THROW(quantize(network, std::vector<float>(network.blocks.size(), 1), kPlace), Error);
}

TEST(ImportBackbone, WritesTheSameFileAgainAndSaysWhereItCameFrom) {
  const dataset::TestFolder folder;
  const StateDict state = small_state(4);
  const std::filesystem::path weights = folder.write("w.pth", std::string("PK"));
  const std::vector<image::Frame> frames = {forest::noise_frame(64, 64, 1), forest::noise_frame(64, 96, 2)};
  ThreadPool one(1), many(3);
  import_backbone(weights, state, frames, {}, folder / "a.backbone", one);
  import_backbone(weights, state, frames, {}, folder / "b.backbone", many);
  const auto a = load_backbone(folder / "a.backbone");
  EXPECT_EQ(a->bytes(), load_backbone(folder / "b.backbone")->bytes());
  EXPECT_NE(a->source().find("w.pth, XXH3 "), std::string::npos);
  EXPECT_EQ(a->licence(), "not stated");
  EXPECT_EQ(a->name(), "w") << "of no network that is known by its shape";
  EXPECT_EQ(a->num_maps(), 40 + 56);
  ImportOptions of_onnx;
  of_onnx.normalization = ColorNormalization::kImageNet;
  testdata::expect_refused(ErrorKind::kUsage,
                           [&] { import_backbone(weights, state, frames, of_onnx, folder / "c.backbone", one); });
  testdata::expect_refused(ErrorKind::kData,
                           [&] { import_backbone(weights, {}, frames, {}, folder / "c.backbone", one); });
}

}  // namespace
}  // namespace fernwood::backbone
