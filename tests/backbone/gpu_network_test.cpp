// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "backbone/small_network.h"
#include "devices.h"
#include "image/prepare_steps.h"

namespace fernwood::backbone {
namespace {

class GpuNetworkOn : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, GpuNetworkOn, testing::ValuesIn(gpus()), name_of_device);

TEST_P(GpuNetworkOn, GivesTheMapsOfTheCpu) {
  std::vector<image::Frame> frames;
  for (const auto& [rows, cols] : {std::pair{37, 53}, {64, 48}, {8, 9}, {1, 1}, {5, 120}, {200, 300}})
    frames.push_back(forest::noise_frame(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), 3));
  // Consecutive frames of one size: their kernel launches are recorded and replayed as one.
  for (std::uint32_t seed = 4; seed < 8; ++seed) frames.push_back(forest::noise_frame(200, 300, seed));
  constexpr std::size_t kSupplied = 37;
  for (image::Frame& frame : frames) frame.maps = forest::noise_maps(kSupplied, frame.rows(), frame.cols(), 9);
  const std::vector<image::MapRange> ranges = forest::noise_ranges(kSupplied, 5);
  for (const int reduction : kReductions) {
    const auto backbone = noise_backbone(5, reduction);
    const auto head = forest::noise_head(5, backbone->num_maps() + static_cast<int>(kSupplied), 3);
    const image::Preparation how{
        image::ChannelLayout({"lab"}), image::DepthFilling::kNone, std::nullopt, backbone, ranges, head};
    const std::vector<image::HostPlanes> found = image::prepare_on(GetParam(), frames, how);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      image::FeatureMaps wanted = backbone->find_maps(frames[i], nullptr);
      image::add_supplied_maps(frames[i], ranges, backbone->num_maps(), wanted);
      image::add_scores(*head, wanted);
      const image::MapsView& got = found[i].layout.maps;
      ASSERT_EQ(static_cast<std::size_t>(got.num_levels), wanted.levels.size());
      ASSERT_EQ(found[i].map_values.size(), wanted.values.size());
      std::size_t next = 0;
      for (std::int32_t l = 0; l < got.num_levels; ++l) {
        const image::MapLevel& level = got.levels[l];
        const std::int32_t cells = level.rows * level.cols;
        for (std::int32_t map = 0; map < level.next_cell; ++map)
          for (std::int32_t cell = 0; cell < cells; ++cell)
            ASSERT_EQ(found[i].map_values[static_cast<std::size_t>(level.offset + cell * level.next_cell + map)],
                      wanted.values[next++])
                << "frame " << i << ", level " << l << ", map " << map << ", cell " << cell;
      }
    }
  }
}

}  // namespace
}  // namespace fernwood::backbone
