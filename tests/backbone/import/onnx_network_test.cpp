// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backbone/import/onnx_files.h"
#include "backbone/import/small_state.h"
#include "backbone/network.h"
#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::backbone {
namespace {

using Bytes = std::vector<std::uint8_t>;

FloatNetwork small_network(std::uint32_t seed = 1) { return efficientnet_lite(small_state(seed), kPlace); }

FloatNetwork read_back(const Bytes& file, ColorNormalization normalization = ColorNormalization::kLite) {
  return onnx_network(read_onnx(file, kPlace), normalization, kPlace);
}

void expect_same(const FloatLayer& found, const FloatLayer& wanted, const std::string& where) {
  EXPECT_EQ(found.in, wanted.in) << where;
  EXPECT_EQ(found.out, wanted.out) << where;
  EXPECT_EQ(found.kernel, wanted.kernel) << where;
  EXPECT_EQ(found.stride, wanted.stride) << where;
  EXPECT_EQ(found.before, wanted.before) << where;
  EXPECT_EQ(found.weights, wanted.weights) << where;
  EXPECT_EQ(found.bias, wanted.bias) << where;
}

void expect_same(const FloatNetwork& found, const FloatNetwork& wanted) {
  ASSERT_EQ(found.blocks.size(), wanted.blocks.size());
  for (std::size_t b = 0; b < wanted.blocks.size(); ++b) {
    const FloatBlock &got = found.blocks[b], &want = wanted.blocks[b];
    const std::string where = "block " + std::to_string(b);
    expect_same(got.expand, want.expand, where + " expands");
    expect_same(got.depthwise, want.depthwise, where + " filters");
    expect_same(got.project, want.project, where + " projects");
    EXPECT_EQ(got.residual, want.residual) << where;
    EXPECT_EQ(got.is_map, want.is_map) << where;
  }
}

TEST(OnnxNetwork, IsTheOneThatWasWritten) {
  for (const std::uint32_t seed : {1u, 2u}) expect_same(read_back(onnx_of(small_network(seed))), small_network(seed));
}

TEST(OnnxNetwork, ExportersWriteTheSameInOtherWays) {
  const FloatNetwork network = small_network();
  const FloatLayer& layer = network.blocks[2].depthwise;  // 5 pixels at stride 2, of which one lies before the middle
  const auto convolution = [&](OnnxWriter& onnx, const std::string& from,
                               std::vector<OnnxWriter::Attribute> attributes) {
    attributes.push_back({"group", {layer.out}});
    attributes.push_back({"strides", {2, 2}});
    onnx.node("Conv", {from, "b2.depthwise.w", "b2.depthwise.b"}, "b2.depthwise", attributes);
  };
  const std::function<bool(OnnxWriter&, const std::string&, const std::string&)> changes[] = {
      [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
        if (output != "b2.depthwise") return false;
        onnx.tensor("pads", {8}, {0, 0, 1, 1, 0, 0, 2, 2}).node("Pad", {from, "pads", "zero"}, "padded");
        onnx.node("Identity", {"padded"}, "same");
        convolution(onnx, "same", {});
        return true;
      },
      [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
        if (output != "b2.depthwise") return false;
        onnx.node("Pad", {from}, "padded", {{"pads", {0, 0, 1, 1, 0, 0, 2, 2}}});
        convolution(onnx, "padded", {});
        return true;
      },
      [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
        if (output != "b2.depthwise") return false;
        convolution(onnx, from, {{"auto_pad", {}, {}, "SAME_UPPER"}});
        return true;
      },
      [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
        if (output != "b4.expand.clip") return false;
        onnx.node("Clip", {from}, output, {{"min", {}, 0.0f}, {"max", {}, 6.0f}});
        return true;
      }};
  for (const auto& change : changes) expect_same(read_back(onnx_of(network, change)), network);
}

TEST(OnnxNetwork, BatchNormalizationIsFoldedAndTellsLimits) {
  FloatNetwork wanted = small_network();
  FloatLayer& layer = wanted.blocks[4].project;
  const auto channels = static_cast<std::size_t>(layer.out);
  const std::vector<float> scale(channels, 2), offset(channels, 0.25f), mean(channels, -1), variance(channels, 3.75f);
  const Bytes file = onnx_of(wanted, [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
    if (output != "b4.project") return false;
    const std::vector<std::int64_t> shape = {layer.out};
    onnx.tensor("s", shape, scale).tensor("o", shape, offset).tensor("m", shape, mean).tensor("v", shape, variance);
    onnx.node("Conv", {from, "b4.project.w", "b4.project.b"}, "raw");
    onnx.node("BatchNormalization", {"raw", "s", "o", "m", "v"}, output, {{"epsilon", {}, 0.25f}});
    return true;
  });
  for (float& weight : layer.weights) weight *= 1.0f;  // 2 / sqrt(3.75 + 0.25)
  for (float& bias : layer.bias) bias = 0.25f + (bias + 1) * 1.0f;
  const FloatNetwork found = read_back(file);
  expect_same(found, wanted);
  EXPECT_EQ(found.blocks[4].project.mean, offset);
  EXPECT_EQ(found.blocks[4].project.deviation, scale);
}

TEST(OnnxNetwork, ColoursOfImageNetBecomeThoseOfABackbone) {
  const FloatNetwork trained = small_network();
  const FloatNetwork found = read_back(onnx_of(trained), ColorNormalization::kImageNet);
  const FloatLayer &by_mean = trained.blocks[0].expand, &by_127 = found.blocks[0].expand;
  const double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
  forest::Noise noise(4);
  for (int patch = 0; patch < 20; ++patch) {
    std::array<int, 27> colors;
    for (int& color : colors) color = noise.between(0, 255);
    for (std::size_t c = 0; c < static_cast<std::size_t>(by_mean.out); ++c) {
      double wanted = static_cast<double>(by_mean.bias[c]), sum = static_cast<double>(by_127.bias[c]);
      for (std::size_t i = 0; i < colors.size(); ++i) {
        wanted +=
            static_cast<double>(by_mean.weights[c * 27 + i]) * (colors[i] / 255.0 - mean[i % 3]) / deviation[i % 3];
        sum += static_cast<double>(by_127.weights[c * 27 + i]) * (colors[i] - 127.0) / 128;
      }
      EXPECT_NEAR(sum, wanted, 1e-4);
    }
  }
}

TEST(OnnxNetwork, NodesThatNoBackboneHasAreNamed) {
  struct Case {
    std::string output, op;
    std::vector<std::string> inputs;
    std::vector<OnnxWriter::Attribute> attributes;
  };
  const std::vector<OnnxWriter::Attribute> wide = {{"group", {48}}, {"pads", {1, 1, 1, 1}}};
  const auto with = [](std::vector<OnnxWriter::Attribute> list, OnnxWriter::Attribute one) {
    list.push_back(std::move(one));
    return list;
  };
  for (const Case& c :
       std::vector<Case>{{"b1.expand.clip", "Relu", {}, {}},
                         {"b1.expand.clip", "HardSwish", {}, {}},
                         {"b1.expand.clip", "Clip", {"six", "six"}, {}},
                         {"b1.expand.clip", "Clip", {}, {}},
                         {"b1.expand", "Conv", {"b2.project.w"}, {}},
                         {"b1.expand", "Conv", {"b9.w"}, {}},
                         {"b1.depthwise", "Conv", {"b1.depthwise.w"}, with(wide, {"dilations", {2, 2}})},
                         {"b1.depthwise", "Conv", {"b1.depthwise.w"}, with(wide, {"strides", {3, 3}})},
                         {"b1.depthwise", "Conv", {"b1.depthwise.w"}, {{"group", {24}}}},
                         {"b1.depthwise", "Conv", {"b1.depthwise.w"}, {{"group", {48}}, {"pads", {0, 1, 0, 1}}}},
                         {"b1.project", "MaxPool", {}, {}},
                         {"b0.expand", "Sub", {"zero"}, {}}}) {
    const Bytes file =
        onnx_of(small_network(), [&](OnnxWriter& onnx, const std::string& output, const std::string& from) {
          if (output != c.output) return false;
          std::vector<std::string> inputs = {from};
          inputs.insert(inputs.end(), c.inputs.begin(), c.inputs.end());
          onnx.node(c.op, inputs, output, c.attributes);
          return true;
        });
    testdata::expect_refused(ErrorKind::kData, [&] { read_back(file); });
  }
}

TEST(OnnxFile, WhatIsNoneOrDamagedIsRefused) {
  const Bytes file = onnx_of(small_network());
  testdata::expect_refused(ErrorKind::kData, [&] { read_onnx(Bytes{8, 8}, kPlace); });
  for (std::size_t size = 0; size < file.size(); size += size < 400 ? 1 : 997) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(read_back(cut), Error) << size;
  }
  OnnxWriter outside;
  testdata::expect_refused(ErrorKind::kData, [&] {
    read_onnx(outside.tensor("w", {3}, {1, 2}).node("Conv", {"x", "w"}, "y").file(), kPlace);
  });
  const std::string tensor = ProtoWriter().whole(1, 2).whole(2, 1).bytes(8, "w").whole(14, 1).text();
  const std::string text = ProtoWriter().bytes(7, ProtoWriter().bytes(5, tensor).text()).text();
  testdata::expect_refused(ErrorKind::kData, [&] { read_onnx(Bytes(text.begin(), text.end()), kPlace); });
}

TEST(ImportBackbone, OnnxFilesNeedFramesUnlessTheyHaveStatistics) {
  const dataset::TestFolder folder;
  const std::filesystem::path weights = folder.write("w.onnx", onnx_of(small_network())), out = folder / "o.backbone";
  ThreadPool pool(2);
  testdata::expect_refused(ErrorKind::kData, [&] { import_backbone(weights, {}, {}, {}, out, pool); });
  ImportOptions options;
  options.name = "mine";
  import_backbone(weights, {}, {forest::noise_frame(64, 96, 1)}, options, out, pool);
  const auto made = load_backbone(out);
  EXPECT_EQ(made->name(), "mine");
  EXPECT_EQ(made->num_maps(), 40 + 56);
}

}  // namespace
}  // namespace fernwood::backbone
