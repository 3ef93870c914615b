// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Frames in the memory of the device that labels them, and labels that stay in its memory.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "dataset/test_files.h"
#include "fernwood/core/device.h"
#include "fernwood/predict/predictor.h"
#include "forest/noise_stages.h"
#include "predict/places.h"
#include "predict/plain_prediction.h"
#include "test_folder.h"

namespace fernwood::predict {
namespace {

constexpr PredictRequest kProbabilities{.probabilities = true, .per_tree = false};

/// An image in the memory of a device. @param gap_bytes  Bytes between the end of a row and the start of the next one.
template <typename Pixel>
DeviceMemory image_there(Device device, const Array2<Pixel>& image, std::size_t gap_bytes) {
  const std::size_t row_bytes = image.cols() * sizeof(Pixel), pitch = row_bytes + gap_bytes;
  std::vector<std::uint8_t> bytes(image.rows() * pitch, 0xa5);
  for (std::size_t row = 0; row < image.rows(); ++row)
    std::memcpy(bytes.data() + row * pitch, image.row(row), row_bytes);
  DeviceMemory memory(device, bytes.size());
  memory.write(bytes.data(), bytes.size());
  return memory;
}

/// A frame in the memory of a device.
struct FrameThere {
  DeviceMemory color, depth;
  image::FrameImages frame;

  FrameThere(Device device, const image::Frame& of, std::size_t gap_bytes = 0) : frame(of) {
    color = image_there(device, of.color, gap_bytes);
    depth = image_there(device, of.depth_mm, gap_bytes);
    frame.color = static_cast<const image::Rgb*>(color.data());
    frame.depth_mm = static_cast<const std::uint16_t*>(depth.data());
    if (gap_bytes == 0) return;
    frame.color_pitch_bytes = of.cols() * sizeof(image::Rgb) + gap_bytes;
    frame.depth_pitch_bytes = of.cols() * sizeof(std::uint16_t) + gap_bytes;
  }

  void take_metres(const image::Frame& of, std::size_t gap_bytes) {
    Array2<float> depth_m(of.rows(), of.cols());
    for (std::size_t i = 0; i < depth_m.size(); ++i)
      depth_m.data()[i] = static_cast<float>(of.depth_mm.data()[i]) / 1000;
    depth = image_there(color.device(), depth_m, gap_bytes);
    frame.depth_mm = nullptr;
    frame.depth_m = static_cast<const float*>(depth.data());
    frame.depth_pitch_bytes = gap_bytes > 0 ? of.cols() * sizeof(float) + gap_bytes : 0;
  }
};

/// Device memory for a prediction, filled with other values.
class PredictionThere {
 public:
  PredictionThere(Device device, std::size_t rows, std::size_t cols, std::size_t num_classes, std::size_t gap_bytes = 0)
      : cols_(cols),
        labels_(image_there(device, image::LabelImage(rows, cols, 4711), gap_bytes)),
        probabilities_(image_there(device, Array2<float>(num_classes, rows * cols, -1.0f), 0)),
        read_{image::LabelImage(rows, cols), {num_classes, Array2<float>(rows, cols)}, {}} {
    target.labels = static_cast<std::uint16_t*>(labels_.data());
    if (gap_bytes > 0) target.labels_pitch_bytes = cols * sizeof(std::uint16_t) + gap_bytes;
    target.probabilities = static_cast<float*>(probabilities_.data());
  }

  /// Copies the prediction to the host. The work on it must be complete.
  const Prediction& read() {
    std::vector<std::uint8_t> bytes(labels_.size_bytes());
    labels_.read(bytes.data(), bytes.size());
    const std::size_t rows = read_.labels.rows(), pitch = bytes.size() / rows, row_bytes = 2 * cols_;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint8_t* const begin = bytes.data() + row * pitch;
      std::memcpy(read_.labels.row(row), begin, row_bytes);
      for (std::size_t i = row_bytes; i < pitch; ++i) EXPECT_EQ(begin[i], 0xa5) << "between rows";
    }
    std::vector<float> numbers(probabilities_.size_bytes() / sizeof(float));
    probabilities_.read(numbers.data(), probabilities_.size_bytes());
    const float* plane = numbers.data();
    for (Array2<float>& probabilities : read_.probabilities) {
      std::copy_n(plane, probabilities.size(), probabilities.data());
      plane += probabilities.size();
    }
    return read_;
  }

  PredictionTarget target;

 private:
  std::size_t cols_;
  DeviceMemory labels_, probabilities_;
  Prediction read_;
};

class PredictOnDevice : public PlaceTest {
 protected:
  Device device() const { return choose_device(GetParam().device).device; }

  /// Checks that a frame on the device has the same prediction as one on the host has on the CPU, for rows with and
  /// without gaps.
  void expect_same_there(const forest::Forest& forest, PredictOptions options, const image::Frame& frame) {
    options.device = "cpu";
    const Prediction wanted = make_predictor(forest, options)->predict(frame, kProbabilities);
    options.device = GetParam().device;
    options.layout = GetParam().layout;
    const std::unique_ptr<Predictor> predictor = make_predictor(forest, options);
    EXPECT_EQ(predictor->device(), device());
    const DeviceStream stream(device());
    for (const std::size_t gap_bytes : {0u, 6u}) {
      SCOPED_TRACE(testing::Message() << gap_bytes << " bytes between rows");
      const FrameThere there(device(), frame, gap_bytes);
      PredictionThere found(device(), frame.rows(), frame.cols(), forest.classes.size(), gap_bytes);
      predictor->predict_on_device(there.frame, found.target, stream.handle());
      stream.synchronize();
      expect_same(found.read(), wanted);
    }
    expect_same(predictor->predict(frame, kProbabilities), wanted);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, PredictOnDevice, testing::ValuesIn(every_place()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(PredictOnDevice, LabelsAreThoseOfFramesOnTheHost) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{{37, 53}, {1, 1}, {16, 16}, {1, 70}})
    expect_same_there(forest, {}, forest::noise_frame(rows, cols, 2));
  expect_same_there(forest, {}, forest::noise_frame(37, 53, 3, 0));  // all depths are known, which is not checked
}

TEST_P(PredictOnDevice, ReadsEveryChannel) {
  const std::vector<std::string> channels = {"lab",     "rgb",    "gradient", "depth", "height",
                                             "upright", "facing", "behind",   "above"};
  for (const image::DepthFilling filling : {image::DepthFilling::kNone, image::DepthFilling::kSimple}) {
    forest::Forest forest = forest::noise_forest(5, 3, channels, 4);
    forest.preparation.depth_filling = filling;
    image::Frame frame = forest::noise_frame(43, 58, 5);
    frame.camera = image::kKinect;
    frame.up = {0.1f, -1.0f, 0.2f};
    expect_same_there(forest, {}, frame);
    frame.depth_mm = Array2<std::uint16_t>(43, 58);  // all depths are unknown
    expect_same_there(forest, {}, frame);
  }
}

TEST_P(PredictOnDevice, SmoothsAndAsksCellsAlone) {
  const image::Frame frame = forest::noise_frame(45, 61, 4);
  for (const forest::Forest& forest :
       {forest::noise_forest(4, 3, {"lab"}, 1), forest::noise_boosted(40, 9, {"lab", "depth"}, 2)}) {
    for (const bool interpolate : {false, true}) expect_same_there(forest, {.interpolate = interpolate}, frame);
    expect_same_there(forest, {.smoothing = {.extent_px = 20}}, frame);  // smoothing reads depth, {"lab"} does not
    expect_same_there(forest, {.smoothing = {.extent_px = 5}, .interpolate = false}, frame);
  }
}

TEST_P(PredictOnDevice, StagesFollowOneAnother) {
  const image::Frame frame = forest::noise_frame(37, 53, 6);
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 4, 3}, {"lab", "depth", "height"}, 5);
  expect_same_there(forest, {}, frame);
  expect_same_there(forest, {.smoothing = {.extent_px = 9}}, frame);
}

TEST_P(PredictOnDevice, LabelsByFerns) {
  expect_same_there(forest::noise_ferns(4, {3, 0, 7, 12}, {"lab", "depth"}, 1), {}, forest::noise_frame(37, 53, 2));
  expect_same_there(forest::noise_staged_ferns(3, {{4, 2}, {5}}, {"lab", "depth"}, 1), {},
                    forest::noise_frame(37, 53, 2));
}

/// A depth camera of 40 x 30 pixels beside a colour camera of 53 x 37, both with distortion.
image::CameraPair beside() {
  image::CameraPair cameras;
  cameras.depth = {40, 30, 30, 30, 19.5f, 14.5f};
  cameras.color = {53, 37, 45, 45, 26, 18};
  cameras.depth_distortion = {0.1f, -0.05f};
  cameras.color_distortion = {-0.05f, 0.02f, 0.001f, -0.002f, 0.01f};
  cameras.translation_m = {0.02f, -0.005f, 0.001f};
  return cameras;
}

TEST_P(PredictOnDevice, DepthMayComeFromAnotherCamera) {
  for (const std::vector<std::string>& channels : {std::vector<std::string>{"lab", "depth", "height"}, {"lab"}}) {
    const forest::Forest forest = forest::noise_forest(4, 3, channels, 1);
    image::Frame frame = forest::noise_frame(37, 53, 2);
    frame.camera = beside().color;
    const Array2<std::uint16_t> taken = forest::noise_frame(30, 40, 3).depth_mm;
    const auto aligner = image::aligner_for(beside(), 40, 30, 53, 37);
    frame.depth_mm = aligner->align(taken);
    PredictOptions options = GetParam().options();
    options.smoothing.extent_px = 5;  // smoothing always reads depth
    PredictOptions on_cpu = options;
    on_cpu.device = "cpu", on_cpu.layout = "auto";
    const Prediction wanted = make_predictor(forest, on_cpu)->predict(frame, kProbabilities);
    const std::unique_ptr<Predictor> predictor = make_predictor(forest, options);

    image::FrameImages apart(frame);
    apart.depth_mm = taken.data();
    apart.aligner = aligner;
    expect_same(predictor->predict(apart, kProbabilities), wanted);

    const DeviceStream stream(device());
    for (const std::size_t gap_bytes : {0u, 6u}) {
      const FrameThere there(device(), frame);
      image::FrameImages apart_there = there.frame;
      const DeviceMemory depth = image_there(device(), taken, gap_bytes);
      apart_there.depth_mm = static_cast<const std::uint16_t*>(depth.data());
      apart_there.depth_pitch_bytes = gap_bytes > 0 ? 80 + gap_bytes : 0;
      apart_there.aligner = aligner;
      PredictionThere found(device(), 37, 53, 4);
      predictor->predict_on_device(apart_there, found.target, stream.handle());
      predictor->predict_on_device(there.frame, found.target, stream.handle());  // registered depth in between
      predictor->predict_on_device(apart_there, found.target, stream.handle());
      stream.synchronize();
      expect_same(found.read(), wanted);
    }
    apart.aligner = image::aligner_for(beside(), 40, 30, 53, 36);
    EXPECT_THROW(predictor->predict(apart), Error);
  }
}

TEST_P(PredictOnDevice, DepthMayBeInMetres) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const image::Frame frame = forest::noise_frame(37, 53, 2);
  const Prediction wanted = make_predictor(forest, {.device = "cpu"})->predict(frame, kProbabilities);
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, GetParam().options());
  FrameThere there(device(), frame);
  for (const std::size_t gap_bytes : {0u, 8u}) {
    there.take_metres(frame, gap_bytes);
    PredictionThere found(device(), 37, 53, 4);
    const DeviceStream stream(device());
    predictor->predict_on_device(there.frame, found.target, stream.handle());
    stream.synchronize();
    expect_same(found.read(), wanted);
  }
}

TEST_P(PredictOnDevice, FramesMayFollowOneAnotherInOneStreamOrInSeveral) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  PredictOptions options = GetParam().options();
  options.smoothing.extent_px = 4;
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, options), other = make_predictor(forest, options);
  const DeviceStream first(device()), second(device());
  std::vector<FrameThere> frames;
  std::vector<PredictionThere> found;
  std::vector<Prediction> wanted;
  // Frames of the same size, of two alternating sizes, and in the default stream, without synchronisation in between.
  constexpr std::size_t kSizes[] = {40, 40, 40, 21, 40, 21, 21, 40, 40};
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    const image::Frame frame = forest::noise_frame(kSizes[i], 53, static_cast<std::uint32_t>(i));
    wanted.push_back(other->predict(frame, kProbabilities));
    frames.emplace_back(device(), frame, i % 4 == 3 ? 2 : 0);
    found.emplace_back(device(), frame.rows(), frame.cols(), 4);
  }
  for (std::size_t i = 0; i < frames.size(); ++i)
    predictor->predict_on_device(frames[i].frame, found[i].target,
                                 i == 8       ? nullptr
                                 : i % 3 == 1 ? second.handle()
                                              : first.handle());
  predictor->predict(forest::noise_frame(33, 44, 1));  // a host frame in between uses separate memory
  predictor->predict_on_device(frames[0].frame, found[0].target, first.handle());
  first.synchronize();  // the last frame follows all others
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "frame " << i);
    expect_same(found[i].read(), wanted[i]);
  }
}

TEST_P(PredictOnDevice, ProbabilitiesAreGivenOnlyWhereThereIsRoom) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const image::Frame frame = forest::noise_frame(17, 23, 2);
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, GetParam().options());
  const FrameThere there(device(), frame);
  PredictionThere found(device(), 17, 23, 4);
  found.target.probabilities = nullptr;
  const DeviceStream stream(device());
  predictor->predict_on_device(there.frame, found.target, stream.handle());
  stream.synchronize();
  EXPECT_EQ(found.read().labels, predictor->predict(frame).labels);
  EXPECT_EQ(found.read().probabilities[0], Array2<float>(17, 23, -1.0f));
}

TEST_P(PredictOnDevice, WhatCannotBeIsRefusedAndTheNextFrameIsLabelled) {
  forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const image::Frame frame = forest::noise_frame(17, 23, 2);
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, GetParam().options());
  const FrameThere there(device(), frame);
  PredictionThere found(device(), 17, 23, 4);
  const auto refused = [&](ErrorKind kind, const auto& spoil) {
    image::FrameImages given = there.frame;
    PredictionTarget target = found.target;
    spoil(given, target);
    EXPECT_EQ(testdata::error_of([&] { predictor->predict_on_device(given, target); }).value().kind(), kind);
  };
  using Given = image::FrameImages;
  using Target = PredictionTarget;
  refused(ErrorKind::kData, [](Given& given, Target&) { given.depth_mm = nullptr; });
  refused(ErrorKind::kData, [](Given& given, Target&) { given.color_pitch_bytes = 68; });
  refused(ErrorKind::kData, [](Given&, Target& target) { target.labels = nullptr; });
  refused(ErrorKind::kData, [](Given&, Target& target) { target.labels_pitch_bytes = 44; });
  if (!device().is_cpu()) {
    refused(ErrorKind::kData, [](Given&, Target& target) { target.labels_pitch_bytes = 47; });
    refused(ErrorKind::kData, [](Given& given, Target&) { given.depth_pitch_bytes = 51; });
    const auto of_host = [&](Given& given, Target&) { given.color = frame.color.data(); };
    refused(ErrorKind::kDevice, of_host);
    image::LabelImage labels(17, 23);
    refused(ErrorKind::kDevice, [&](Given&, Target& target) { target.labels = labels.data(); });
    forest.preparation.depth_filling = image::DepthFilling::kColorized;
    const auto colorizing = make_predictor(forest, GetParam().options());
    EXPECT_EQ(testdata::error_of([&] { colorizing->predict_on_device(there.frame, found.target); }).value().kind(),
              ErrorKind::kUsage);
  }
  const DeviceStream stream(device());
  predictor->predict_on_device(there.frame, found.target, stream.handle());
  stream.synchronize();
  expect_same(found.read(), predictor->predict(frame, kProbabilities));
}

class PredictOnGpu : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, PredictOnGpu, testing::ValuesIn(gpus()), name_of_device);

TEST_P(PredictOnGpu, TakesNoMemoryAfterTheFirstFrameOfASize) {
  const forest::Forest forest = forest::noise_staged_forest(4, {2, 3}, {"lab", "depth", "above"}, 1);
  PredictOptions options{.device = to_string(GetParam())};
  options.smoothing.extent_px = 10;
  const std::unique_ptr<Predictor> predictor = make_predictor(forest, options);
  const FrameThere there(GetParam(), forest::noise_frame(37, 53, 2), 2);
  PredictionThere found(GetParam(), 37, 53, 4, 2);
  predictor->predict_on_device(there.frame, found.target);
  fail_gpu_allocation(1);
  for (int i = 0; i < 3; ++i) predictor->predict_on_device(there.frame, found.target);
  EXPECT_EQ(fail_gpu_allocation(0), 1u) << "memory was asked for";
}

TEST_P(PredictOnGpu, WorksAfterTheGpusMemoryRanOut) {
  const forest::Forest forest = forest::noise_forest(4, 3, {"lab", "depth"}, 1);
  const image::Frame frame = forest::noise_frame(37, 53, 2);
  const Prediction wanted = plain_prediction(forest, forest.labelling_trees(), frame);
  const FrameThere there(GetParam(), frame, 2);
  const DeviceStream stream(GetParam());
  for (std::size_t number = 1; number < 30; ++number) {
    const std::unique_ptr<Predictor> predictor = make_predictor(forest, {.device = to_string(GetParam())});
    PredictionThere found(GetParam(), 37, 53, 4, 2);
    fail_gpu_allocation(number);
    try {
      predictor->predict_on_device(there.frame, found.target, stream.handle());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kResource) << error.what();
    }
    fail_gpu_allocation(0);
    predictor->predict_on_device(there.frame, found.target, stream.handle());
    stream.synchronize();
    expect_same(found.read(), wanted);
  }
}

}  // namespace
}  // namespace fernwood::predict
