// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
//
// Trains a forest on a folder of labelled frames: train_forest DATA MODEL
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/forest/model_file.h"
#include "fernwood/train/train.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: train_forest DATA MODEL\n";
    return 2;
  }
  try {
    const fernwood::Dataset dataset = fernwood::Dataset::open(argv[1], {}, "train");
    fernwood::TrainOptions options;
    options.trees = 2;
    options.samples_per_frame = 500;
    options.features = 500;

    fernwood::TrainHooks hooks;
    hooks.level_done = [](const fernwood::LevelReport& level) {
      std::cout << "tree " << level.tree + 1 << ", level " << level.level + 1 << ": " << level.nodes << " nodes\n";
    };
    fernwood::save_forest(fernwood::train_forest(dataset, options, {}, hooks), argv[2]);
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
