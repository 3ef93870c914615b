// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
//
// Labels one frame and writes the classes as a picture: label_frame MODEL COLOR DEPTH OUT
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: label_frame MODEL COLOR DEPTH OUT\n";
    return 2;
  }
  try {
    const fernwood::forest::Forest forest = fernwood::forest::load_forest(argv[1]);
    const auto predictor = fernwood::predict::make_predictor(forest);

    fernwood::image::Frame frame;
    frame.color = fernwood::dataset::read_color(argv[2]);
    frame.depth_mm = fernwood::dataset::read_depth(argv[3]);
    const fernwood::predict::Prediction prediction = predictor->predict(frame);
    fernwood::dataset::write_labels(argv[4], prediction.labels, forest.classes);
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
