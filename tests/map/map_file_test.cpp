// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/full_disk.h"
#include "core/model_mutator.h"
#include "dataset/test_files.h"
#include "fernwood/core/file.h"
#include "map/mapped_room.h"
#include "map/voxel_formulas.h"
#include "sentences.h"

namespace fernwood::map {
namespace {

VoxelMap small_room(int num_frames = 2) {
  VoxelMap map({.voxel_m = 0.05}, wall_classes(), std::vector<float>{1, 0.5f, 1});
  ThreadPool pool(2);
  for (int i = 0; i < num_frames; ++i) {
    const image::RigidMotion pose = pose_of_frame(i);
    const image::Frame frame = room_frame(pose);
    map.integrate({frame, pose, wall_probabilities(frame)}, pool);
  }
  return map;
}

Bytes saved(const VoxelMap& map) {
  const dataset::TestFolder folder;
  save_map(map, folder / "room.map");
  return read_file(folder / "room.map");
}

std::string map_refusal(const Bytes& bytes) {
  try {
    read_map(bytes, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
    return error.what();
  }
  return "";
}

TEST(MapFile, AMapWithoutVoxelsIsReadBack) {
  const Bytes bytes = saved(small_room(0));
  EXPECT_EQ(saved(read_map(bytes, "f")), bytes);
}

TEST(MapFile, ComesBackAsItWas) {
  const VoxelMap map = small_room();
  const Bytes bytes = saved(map);
  const VoxelMap back = read_map(bytes, "f");
  EXPECT_EQ(saved(back), bytes);
  EXPECT_EQ(back.num_frames(), 2u);
  EXPECT_EQ(back.num_voxels(), map.num_voxels());
  EXPECT_EQ(back.options().voxel_m, 0.05);
  EXPECT_EQ(back.classes().names(), map.classes().names());
}

TEST(MapFile, KeepsStatedThings) {
  image::ClassMap classes = wall_classes();
  image::state_things({classes.classes[1].name}, classes.classes);
  EXPECT_EQ(read_map(saved(VoxelMap({.voxel_m = 0.05}, classes)), "f").classes().classes, classes.classes);
}

VoxelMap room_with_objects(int num_frames) {
  VoxelMap map = small_room(num_frames);
  objects::ObjectFinder finder(wall_classes(), {.things = {"side", "end"}});
  ThreadPool pool(1);
  for (int i = 0; i < num_frames; ++i) {
    const image::Frame frame = room_frame(pose_of_frame(i));
    image::FrameImages images(frame);
    images.pose = pose_of_frame(i);
    const predict::Prediction prediction = WallPredictor().predict(images, {});
    map.objects().update(finder.find(images, prediction.labels, prediction.probabilities, pool), images, 0.1 * i);
  }
  return map;
}

TEST(MapFile, KeepsObjects) {
  const VoxelMap map = room_with_objects(4);
  ASSERT_FALSE(map.objects().objects().empty());
  const Bytes bytes = saved(map);
  const VoxelMap back = read_map(bytes, "f");
  EXPECT_EQ(saved(back), bytes);
  ASSERT_EQ(back.objects().objects().size(), map.objects().objects().size());
  for (std::size_t i = 0; i < map.objects().objects().size(); ++i) {
    const objects::TrackedObject &was = map.objects().objects()[i], &is = back.objects().objects()[i];
    EXPECT_EQ(is.id, was.id);
    EXPECT_EQ(is.state, objects::ObjectState::kConfirmed);
    EXPECT_EQ(is.label, was.label);
    EXPECT_EQ(is.place, was.place);
    EXPECT_EQ(is.box.size, was.box.size);
    EXPECT_EQ(is.last, was.last);
  }
}

TEST(MapFile, RefusesImpossibleObjects) {
  const Bytes bytes = saved(room_with_objects(4));
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    ModelParts parts(bytes);
    nlohmann::json header = parts.json();
    header["objects"]["list"][0][key] = value;
    parts.header = header.dump();
    return map_refusal(parts.bytes());
  };
  EXPECT_THAT(refused("state", "lost"), testing::HasSubstr("tentative, confirmed, moved or gone"));
  EXPECT_THAT(refused("id", 0), testing::HasSubstr("objects.list[0].id"));
  EXPECT_THAT(refused("num_cells", 1), testing::HasSubstr("cells"));
  EXPECT_THAT(refused("scores", {-1, 0, 0}), testing::HasSubstr("sums of probabilities"));
}

TEST(MapFile, AContinuedMapIsThatOfOneGo) {
  VoxelMap map = read_map(saved(small_room(2)), "f");
  ThreadPool pool(2);
  for (int i = 2; i < 4; ++i) {
    const image::RigidMotion pose = pose_of_frame(i);
    const image::Frame frame = room_frame(pose);
    map.integrate({frame, pose, wall_probabilities(frame)}, pool);
  }
  EXPECT_EQ(saved(map), saved(small_room(4)));
}

TEST(MapFile, VoxelsKeepTheirSize) {
  VoxelMap map = small_room();
  MapOptions options = map.options();
  options.min_weight = 7;
  map.set_options(options);
  EXPECT_EQ(map.options().min_weight, 7);
  options.voxel_m = 0.02;
  EXPECT_THROW(map.set_options(options), Error);
}

TEST(MapFile, RefusesOtherFilesAndBudgets) {
  testdata::expect_sentence(map_refusal({}));
  testdata::expect_sentence(map_refusal(Bytes(100, 'x')));
  const VoxelMap map = small_room();
  testdata::expect_refused(ErrorKind::kResource, [&] { read_map(saved(map), "f", 1 << 16); });
}

/// A block needs far more memory than its key and mask in the file, so that empty blocks must not be accepted.
TEST(MapFile, ABlockWithoutAVoxelIsRefused) {
  ModelParts parts(saved(small_room(1)));
  const nlohmann::json mask = parts.json().at("arrays").at(2);
  ASSERT_EQ(mask.at("name"), "masks");
  const auto first = parts.data.begin() + mask.at("offset").get<std::ptrdiff_t>();
  std::fill_n(first, kBlockVoxels / 8, std::uint8_t{0});
  parts.sign_arrays();
  testdata::expect_sentence(map_refusal(parts.bytes()));
}

/// A file with one voxel in each block.
Bytes sparse_map(std::size_t num_classes, std::size_t num_blocks) {
  image::ClassMap classes;
  for (std::size_t c = 0; c < num_classes; ++c) classes.classes.push_back({"class " + std::to_string(c), {}});
  ModelParts parts(saved(VoxelMap({.voxel_m = 0.05}, classes)));
  nlohmann::json header = parts.json();
  const auto append = [&](std::size_t array, std::vector<std::size_t> shape, const auto& values) {
    parts.data.resize(aligned(parts.data.size()));
    const std::size_t size_bytes = values.size() * sizeof(values[0]);
    header["arrays"][array].update({{"shape", shape}, {"offset", parts.data.size()}, {"size_bytes", size_bytes}});
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(values.data());
    parts.data.insert(parts.data.end(), begin, begin + size_bytes);
  };
  const std::size_t num_masks = kBlockVoxels / 64, stride = kFirstClass + num_classes;
  std::vector<std::uint64_t> keys(num_blocks), masks(num_blocks * num_masks);
  std::vector<std::uint16_t> voxels(num_blocks * stride);
  for (std::size_t block = 0; block < num_blocks; ++block) {
    keys[block] = block;
    masks[block * num_masks] = 1;
    voxels[block * stride + kWeight] = 1;
  }
  append(1, {num_blocks}, keys);
  append(2, {num_blocks, num_masks}, masks);
  append(3, {num_blocks, stride}, voxels);
  parts.header = header.dump();
  parts.sign_arrays();
  return parts.bytes();
}

TEST(MapFile, OfOneVoxelInEachBlockIsReadAndSavedAgain) {
  const Bytes bytes = sparse_map(1000, 300);
  ASSERT_LT(bytes.size(), std::size_t{1} << 20);
  const VoxelMap map = read_map(bytes, "f");
  EXPECT_EQ(map.num_voxels(), 300u);
  EXPECT_GT(map.memory_bytes(), 256 * bytes.size());
  EXPECT_NO_THROW(saved(map));
}

TEST(MapFile, OfFewerVoxelsThanBlocksIsRefusedBeforeItsBlocksTakeMemory) {
  ModelParts parts(sparse_map(2, 5));
  nlohmann::json header = parts.json();
  header["arrays"][3]["shape"][0] = 4;
  parts.header = header.dump();
  testdata::expect_sentence(map_refusal(parts.bytes()));
}

TEST(MapFile, AFrameThatDoesNotKnowWhereUpIsSaysNothingOfIt) {
  VoxelMap map({.voxel_m = 0.05}, wall_classes());
  ThreadPool pool(1);
  for (const float bad : {0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    image::Frame frame = room_frame(pose_of_frame(0));
    frame.up = {bad, bad, bad};
    map.integrate({frame, pose_of_frame(0), wall_probabilities(frame)}, pool);
  }
  EXPECT_EQ(map.num_frames(), 3u);
  EXPECT_EQ(map.up().y, 0);
}

/// The file of small_room(1) with a different "up".
Bytes with_up(const nlohmann::json& up) {
  ModelParts parts(saved(small_room(1)));
  nlohmann::json header = parts.json();
  header["up"] = up;
  parts.header = header.dump();
  return parts.bytes();
}

TEST(MapFile, KnowsWhereUpWas) {
  const image::Vector3 up = small_room(2).up();
  EXPECT_LT(up.y, -5 * std::abs(up.x)) << "the camera is held upright, and the first is the origin";
  EXPECT_LT(up.y, -5 * std::abs(up.z));
  EXPECT_EQ(read_map(saved(small_room(2)), "f").up().y, up.y);
  EXPECT_EQ(read_map(with_up({0, -900, 12}), "f").up().z, 12);
  for (const nlohmann::json& lie : {nlohmann::json{0, 0}, {0, 0.5, 0}, {0, 1e300, 0}, {0, 1002, 0}, {0, "1", 0}})
    testdata::expect_sentence(map_refusal(with_up(lie)));
}

TEST(MapFile, LiesAboutSizesAreRefusedBeforeMemoryIsTaken) {
  const Bytes whole = saved(small_room(1));
  for (const std::uint64_t num_blocks : {std::uint64_t{1} << 31, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    ModelParts parts(whole);
    nlohmann::json header = parts.json();
    header["arrays"][1]["shape"][0] = num_blocks;
    parts.header = header.dump();
    EXPECT_NE(map_refusal(parts.bytes()), "") << num_blocks;
  }
}

TEST(MapFile, EveryCutAndEveryFlippedByteIsFound) {
  const Bytes whole = saved(small_room(1));
  const std::size_t step = whole.size() / 200 + 1;
  for (std::size_t size = 0; size < whole.size(); size += step)
    EXPECT_NE(map_refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  for (std::size_t at = 0; at < whole.size(); at += step) {
    Bytes damaged = whole;
    damaged[at] ^= 1;
    EXPECT_NE(map_refusal(damaged), "") << at;
  }
}

TEST(MapFile, DamageBehindChecksumsIsRefusedOrSafe) {
  const Bytes whole = saved(small_room(1));
  Mutator mutator(7);
  int num_read = 0;
  for (int i = 0; i < 300; ++i) {
    const Bytes bytes = mutator.mutate(whole);
    try {
      const VoxelMap map = read_map(bytes, "f");
      ++num_read;
      EXPECT_EQ(map.points().size(), map.num_voxels(map.options().min_weight));
      map.mesh();
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kModel || error.kind() == ErrorKind::kResource) << error.what();
    }
  }
  EXPECT_LT(num_read, 300);
}

TEST(MapFile, AFullDiskLeavesTheOldMap) {
  const dataset::TestFolder folder;
  save_map(small_room(1), folder / "room.map");
  const Bytes before = read_file(folder / "room.map");
  {
    const FullDisk disk(1 << 12);
    EXPECT_THROW(save_map(small_room(2), folder / "room.map"), Error);
  }
  EXPECT_EQ(read_file(folder / "room.map"), before);
}

}  // namespace
}  // namespace fernwood::map
