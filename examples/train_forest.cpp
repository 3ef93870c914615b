// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
//
// Trains a forest on a folder of labelled frames: train_forest DATA MODEL
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: train_forest DATA MODEL\n";
    return 2;
  }
  try {
    const fernwood::dataset::Dataset dataset = fernwood::dataset::Dataset::open(argv[1], {}, "train");
    fernwood::train::TrainOptions options;
    options.trees = 2;
    options.samples_per_frame = 500;
    options.features = 500;

    fernwood::train::TrainHooks hooks;
    hooks.level_done = [](const fernwood::train::LevelReport& level) {
      std::cout << "tree " << level.tree + 1 << ", level " << level.level + 1 << ": " << level.nodes << " nodes\n";
    };
    fernwood::forest::save_forest(fernwood::train::train_forest(dataset, options, {}, hooks), argv[2]);
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
