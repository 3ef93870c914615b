// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backbone/run_network.h"
#include "backbone/small_network.h"
#include "core/model_mutator.h"
#include "core/model_parts.h"
#include "dataset/test_files.h"
#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood::backbone {
namespace {

std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    decode_network(bytes, "b.backbone");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
    return error.what();
  }
  return "";
}

TEST(BackboneFile, GivesBackTheNetworkAndTheSameBytes) {
  const Network network = noise_network(1);
  const std::vector<std::uint8_t> bytes = encode_network(network, "b");
  const Network read = decode_network(bytes, "b");
  EXPECT_TRUE(read == network);
  EXPECT_EQ(encode_network(read, "b"), bytes);
}

TEST(BackboneFile, EveryChangedByteIsRefusedInASentence) {
  const std::vector<std::uint8_t> bytes = encode_network(noise_network(1, {{16, 8, 3, 1, false, true}}), "b");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::uint8_t> damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_NE(refusal(damaged), "") << "byte " << i;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size << " bytes";
}

TEST(BackboneFile, LiesOfTheHeaderAreRefusedByTheirField) {
  const std::vector<std::uint8_t> bytes = encode_network(noise_network(1), "b");
  for (const auto& [field, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"/blocks/0/expanded", "8192"},
                                                                  {"/blocks/0/in", "4"},
                                                                  {"/blocks/1/in", "3"},
                                                                  {"/blocks/0/depthwise/kernel", "9"},
                                                                  {"/blocks/0/depthwise/stride", "0"},
                                                                  {"/blocks/0/residual", "true"},
                                                                  {"/blocks/2/map", "1"},
                                                                  {"/input_zero", "256"},
                                                                  {"/blocks", "[]"},
                                                                  {"/name", "7"},
                                                                  {"/format", "\"fernwood forest\""},
                                                                  {"/requires", "[\"attention\"]"}}) {
    ModelParts parts(bytes);
    nlohmann::json header = parts.json();
    header[nlohmann::json::json_pointer(field)] = nlohmann::json::parse(value);
    parts.header = header.dump();
    testdata::expect_sentence(refusal(parts.bytes()));
  }
}

TEST(BackboneFile, NetworksThatCannotBeRunAreNotWritten) {
  void (*const changes[])(Network&) = {[](Network& n) { n.blocks[1].expand.weights[3] = -128; },
                                       [](Network& n) { n.blocks[2].residual[1] = -1; },
                                       [](Network& n) { n.blocks[1].project.rescaling[0].shift = 23; },
                                       [](Network& n) { n.blocks[1].project.rescaling[0].shift = 0; },
                                       [](Network& n) { n.blocks[1].project.rescaling[0].first_shift = 25; },
                                       [](Network& n) { n.blocks[1].project.rescaling[0].multiplier = 0; },
                                       [](Network& n) { n.blocks[0].depthwise.rescaling[0].bias = (1 << 30) + 1; },
                                       [](Network& n) {
                                         for (Block& block : n.blocks) block.is_map = false;
                                       },
                                       [](Network& n) { n.blocks[2].depthwise.before = 3; }};
  for (const auto& change : changes) {
    Network network = noise_network(1);
    change(network);
    testdata::expect_refused(ErrorKind::kModel, [&] { encode_network(network, "b"); });
  }
}

TEST(BackboneFile, SignedDamageIsRefusedOrRuns) {
  const std::vector<std::uint8_t> bytes = encode_network(noise_network(1), "b");
  const Picture picture = reduced_picture(forest::noise_frame(9, 11, 1), 1);
  int read = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::vector<std::uint8_t> damaged = Mutator(seed).mutate(bytes);
    try {
      const Network network = decode_network(damaged, "b");
      NetworkRunner(network).run(picture, 1, nullptr);
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
    }
  }
  EXPECT_LT(read, 300);
}

TEST(Backbone, TellsItsMapsAndWhatItIs) {
  const auto backbone = noise_backbone(1, 2);
  EXPECT_EQ(backbone->num_maps(), 64);
  EXPECT_EQ(backbone->map_name(0), "map 0 of stride 8");
  EXPECT_EQ(backbone->map_name(23), "map 23 of stride 8");
  EXPECT_EQ(backbone->map_name(24), "map 0 of stride 16");
  EXPECT_NE(backbone->checksum(), noise_backbone(1, 1)->checksum());
  EXPECT_NE(backbone->checksum(), noise_backbone(2, 2)->checksum());
  EXPECT_EQ(backbone->checksum(), noise_backbone(1, 2)->checksum());
  EXPECT_THROW(noise_backbone(1, 3), Error);
  // 20 x 12 pixels at half resolution: the stem has 5 x 3 output cells, with 27 inputs and 16 outputs each.
  const double stem = 15 * 27 * 16, depthwise = 15 * 9 * 16, project = 15 * 16 * 8;
  const auto first = read_backbone(encode_network(noise_network(1, {{16, 8, 3, 1, false, true}}), "b"), "b", 2);
  EXPECT_EQ(first->num_macs(12, 20), stem + depthwise + project);
}

TEST(Backbone, AFrameWithoutColourIsADataError) {
  image::Frame frame;
  frame.depth_mm = Array2<std::uint16_t>(4, 4, 1000);
  testdata::expect_refused(ErrorKind::kData, [&] { noise_backbone(1)->find_maps(frame, nullptr); });
}

TEST(FindBackbone, FindsAnInstalledOneByItsNameAndAnyOtherByItsPath) {
  const dataset::TestFolder folder;
  const std::filesystem::path file = write_backbone(1, folder.path());
  ::setenv("FERNWOOD_BACKBONES", folder.path().c_str(), 1);
  EXPECT_EQ(find_backbone("small"), file);
  EXPECT_EQ(load_backbone("small")->bytes(), load_backbone(file)->bytes());
  const std::vector<std::string> names = backbone_names();
  EXPECT_EQ(std::ranges::count(names, "small"), 1);
  for (const char* const path : {"./small", "small.backbone", "small.onnx", "a/small"})
    EXPECT_EQ(find_backbone(path), path);
  for (const char* const name : {"smal", ""}) try {
      find_backbone(name);
      ADD_FAILURE() << name;
    } catch (const Error& refused) {
      EXPECT_EQ(refused.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(refused.what()).find("small"), std::string::npos) << "names those that are there";
    }
  ::unsetenv("FERNWOOD_BACKBONES");
  EXPECT_THROW(find_backbone("small"), Error);
}

}  // namespace
}  // namespace fernwood::backbone
