// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sstream>

#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/train/train.h"
#include "forest/model_parts.h"
#include "forest/noise.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

namespace {

/// Two tiny frames.
const dataset::Dataset& tiny_dataset() {
  static const dataset::Dataset opened = [] {
    const std::filesystem::path folder = scratch_folder() / "frames";
    std::filesystem::create_directories(folder);
    for (const std::uint32_t number : {1u, 2u}) {
      const std::string name = std::to_string(number);
      const image::Frame frame = forest::noise_frame(12, 16, number);
      Array2<image::Rgb> truth(12, 16);
      for (std::size_t i = 0; i < truth.size(); ++i)
        truth.data()[i] = frame.color.data()[i].r < 128 ? image::Rgb{7, 54, 66} : image::Rgb{181, 137, 0};
      dataset::write_png(folder / (name + "_colors.png"), frame.color);
      dataset::write_png16(folder / (name + "_depth.png"), frame.depth_mm);
      dataset::write_png(folder / (name + "_ground_truth.png"), truth);
    }
    return dataset::Dataset::open(folder);
  }();
  return opened;
}

train::TrainOptions tiny_training() {
  train::TrainOptions options = train::defaults_of(forest::ForestKind::kForest);
  options.trees = 2;
  options.samples_per_frame = 60;
  options.features = 4;
  options.thresholds = 3;
  options.max_depth = 3;
  options.min_samples = 4;
  options.max_offset = 20;
  options.max_half_extent = 3;
  options.mirror_augmentation = false;
  return options;
}

const train::TrainResources kOneThread = {.device = "cpu", .threads = 1};

}  // namespace

int fuzz_train_checkpoint(const std::uint8_t* data, std::size_t size) {
  const dataset::Dataset& frames = tiny_dataset();
  train::TrainHooks hooks;
  hooks.checkpoint = scratch_folder() / "checkpoint";
  hooks.resume = true;
  write_bytes(hooks.checkpoint, data, size);
  reads([&] {
    const forest::Forest forest = train::train_forest(frames, tiny_training(), kOneThread, hooks);
    std::ostringstream written;
    forest::write_forest(forest, "model", written);
  });
  return 0;
}

std::vector<Bytes> train_checkpoint_seeds() {
  std::vector<Bytes> seeds;
  for (const int levels : {1, 2, 4, 100}) {
    std::stop_source stop;
    train::TrainHooks hooks;
    hooks.checkpoint = scratch_folder() / "seed_checkpoint";
    hooks.stop = stop.get_token();
    hooks.level_done = [&, done = 0](const train::LevelReport&) mutable {
      if (++done == levels) stop.request_stop();
    };
    reads([&] { train::train_forest(tiny_dataset(), tiny_training(), kOneThread, hooks); });
    seeds.push_back(read_file(hooks.checkpoint));
  }
  return seeds;
}

}  // namespace fernwood::fuzz
