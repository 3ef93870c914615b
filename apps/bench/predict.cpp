// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/bench/bench.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/prepared_frame.h"
#include "fernwood/predict/predictor.h"
#include "shell/command.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

constexpr std::size_t kMaxFrames = 20;
constexpr int kFramesInFlight = 3;

struct BenchPredictArguments {
  DatasetArguments dataset;
  predict::PredictOptions predict;
  std::filesystem::path model;
  BenchOptions bench;
  bool json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    dataset.add_to(command);
    add_table(command, bench);
    add_predict_options(command, predict);
    command.get_option("--layout")
        ->description("How frames and trees are read, see docs/reference/devices.md; all: every way in turn");
    add_json_flag(command, json);
  }
};

void measure_one_by_one(predict::Predictor& predictor, const std::vector<image::Frame>& frames, int repeat,
                        LayoutResult& result) {
  predictor.predict(frames[0], {true, false});  // warm-up: allocates memory, chooses kernels and a layout
  for (int i = 0; i < repeat; ++i) {
    throw_if_interrupted();
    const image::Frame& frame = frames[static_cast<std::size_t>(i) % frames.size()];
    result.latency.measure([&] { predictor.predict(frame); });
    if (const std::optional<predict::PredictTimes> times = predictor.last_times())
      for (std::size_t part = 0; part < result.on_gpu.size(); ++part)
        result.on_gpu[part].ms.push_back(1000 * (*times).*kGpuParts[part].second);
    result.probabilities.measure([&] { predictor.predict(frame, {true, false}); });
  }
}

void measure_stream(predict::LabelStream& stream, const std::vector<image::Frame>& frames,
                    const BenchPredictArguments& arguments, Device device, LayoutResult& result) {
  EnergyWatch watch(device);
  for (int i = 0; i < stream.capacity(); ++i) stream.push(frames[0]);  // warm-up: each slot allocates its memory
  while (stream.num_in_flight() > 0) stream.pop();
  watch.start();
  const double end = seconds_now() + arguments.bench.seconds;
  while (result.streamed < static_cast<std::size_t>(arguments.bench.repeat) || seconds_now() < end) {
    throw_if_interrupted();
    if (stream.is_full()) stream.pop();
    stream.push(frames[result.streamed++ % frames.size()]);
  }
  while (stream.num_in_flight() > 0) stream.pop();
  result.energy = watch.stop();
}

/// A frame in device memory.
class ResidentFrame {
 public:
  ResidentFrame(Device device, const image::Frame& frame)
      : color_(memory_of(device, frame.color)), depth_(memory_of(device, frame.depth_mm)), frame_(frame) {
    frame_.color = static_cast<const image::Rgb*>(color_.data());
    frame_.depth_mm = static_cast<const std::uint16_t*>(depth_.data());
  }
  const image::FrameImages& frame() const { return frame_; }

 private:
  template <typename Pixel>
  static DeviceMemory memory_of(Device device, const Array2<Pixel>& image) {
    if (image.empty()) return {};
    DeviceMemory memory(device, image.size() * sizeof(Pixel));
    memory.write(image.data(), memory.size_bytes());
    return memory;
  }

  DeviceMemory color_, depth_;
  image::FrameImages frame_;
};

/// Number of frames enqueued without waiting for any of them.
constexpr int kEnqueuedFrames = 100;

/// Measures frames in the memory of the device that labels them; labels stay there. First each frame with a wait for
/// it, then one enqueued behind another.
void measure_resident(predict::Predictor& predictor, const std::vector<image::Frame>& frames,
                      const BenchPredictArguments& arguments, LayoutResult& result) {
  const Device device = predictor.device();
  const DeviceStream stream(device);
  std::vector<ResidentFrame> there;
  for (const image::Frame& frame : frames)
    if (frame.rows() == frames[0].rows() && frame.cols() == frames[0].cols()) there.emplace_back(device, frame);
  const DeviceMemory labels(device, frames[0].rows() * frames[0].cols() * sizeof(std::uint16_t));
  const predict::PredictionTarget target{.labels = static_cast<std::uint16_t*>(labels.data())};
  std::size_t next = 0;
  const auto enqueue = [&] {
    predictor.predict_on_device(there[next++ % there.size()].frame(), target, stream.handle());
  };
  enqueue();  // warm-up: allocates memory, chooses kernels and a layout
  stream.synchronize();
  for (int i = 0; i < arguments.bench.repeat; ++i)
    result.resident.measure([&] {
      enqueue();
      stream.synchronize();
    });
  const std::size_t before = next;
  const double start = seconds_now();
  do {
    throw_if_interrupted();
    for (int i = 0; i < kEnqueuedFrames; ++i) enqueue();
    stream.synchronize();
  } while (seconds_now() < start + arguments.bench.seconds);
  result.resident_frames_per_second = static_cast<double>(next - before) / (seconds_now() - start);
}

LayoutResult measure_layout(const forest::Forest& forest, const std::vector<image::Frame>& frames,
                            const BenchPredictArguments& arguments, const predict::PredictOptions& options,
                            Device device) {
  LayoutResult result;
  {
    const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, options);
    measure_one_by_one(*predictor, frames, arguments.bench.repeat, result);
    result.layout = predictor->layout();
    if (arguments.bench.resident) measure_resident(*predictor, frames, arguments, result);
  }
  measure_stream(*predict::make_label_stream(forest, options, kFramesInFlight), frames, arguments, device, result);
  return result;
}

/// Measures every requested layout; for "all", layouts that do not fit into memory report a problem.
std::vector<LayoutResult> measure_layouts(const forest::Forest& forest, const std::vector<image::Frame>& frames,
                                          const BenchPredictArguments& arguments, Device device) {
  predict::PredictOptions options = arguments.predict;
  if (options.layout != "all") return {measure_layout(forest, frames, arguments, options, device)};
  std::vector<LayoutResult> results;
  for (const std::string& layout : predict::predict_layouts(device)) {
    options.layout = layout;
    try {
      results.push_back(measure_layout(forest, frames, arguments, options, device));
    } catch (const Error& failure) {
      if (failure.kind() != ErrorKind::kUsage) throw;
      results.emplace_back();
      results.back().layout = layout;
      results.back().problem = failure.what();
    }
  }
  return results;
}

BenchPredictResult measure(const BenchPredictArguments& arguments) {
  const auto [device, device_note] = choose_device(arguments.predict.device);
  const forest::Forest forest = forest::load_forest(arguments.model);
  const dataset::Dataset dataset = arguments.dataset.open(false, "test");
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  std::vector<image::Frame> frames;
  for (std::size_t i = 0; i < std::min(dataset.size(), kMaxFrames); ++i) frames.push_back(dataset.read_frame(i));
  ThreadPool pool(arguments.predict.threads);
  BenchPredictResult result{.device = device,
                            .device_note = device_note.on_command_line(),
                            .threads = pool.num_threads(),
                            .gather = device.is_cpu() ? forest::gather_report().choice : "",
                            .smooth_px = arguments.predict.with_usual_smoothing().smoothing.extent(),
                            .num_trees = forest.labelling_trees().size(),
                            .rows = frames[0].rows(),
                            .cols = frames[0].cols(),
                            .model_checksum = model_checksum(arguments.model),
                            .decode = {},
                            .prepare = {},
                            .layouts = {}};
  for (int i = 0; i < arguments.bench.repeat; ++i) {
    throw_if_interrupted();
    const std::size_t at = static_cast<std::size_t>(i) % frames.size();
    result.decode.measure([&] { dataset.read_frame(at); });
    if (device.is_cpu()) result.prepare.measure([&] { image::PreparedFrame(frames[at], forest.preparation, &pool); });
  }
  result.layouts = measure_layouts(forest, frames, arguments, device);
  return result;
}

void run(const BenchPredictArguments& arguments) {
  arguments.bench.check();
  const BenchPredictResult result = measure(arguments);
  std::cout << (arguments.json ? bench_predict_json(result) : bench_predict_text(result));
}

}  // namespace

void add_bench_predict(CLI::App& bench) {
  add_command<BenchPredictArguments>(
      bench, {.name = "predict",
              .summary = "Time and energy of decoding, preparing and labelling a frame",
              .example = "fernwood bench predict --model rooms.fernwood --data rooms/test --layout all",
              .run = run});
}

}  // namespace fernwood::apps
