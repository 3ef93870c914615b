// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <utility>

#include "apps/bench/bench.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "fernwood/image/prepared_frame.h"
#include "fernwood/predict/predictor.h"
#include "shell/command.h"
#include "shell/console.h"
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

constexpr std::pair<const char*, double predict::PredictTimes::*> kGpuParts[] = {
    {"upload", &predict::PredictTimes::upload},
    {"prepare", &predict::PredictTimes::prepare},
    {"label", &predict::PredictTimes::label},
    {"download", &predict::PredictTimes::download}};

struct LayoutResult {
  std::string layout, problem;       ///< The problem: why the layout cannot be used.
  Times latency, probabilities;      ///< From frames in host memory to labels in host memory.
  std::array<Times, 4> on_gpu = {};  ///< In the order of kGpuParts; empty on the CPU.
  std::size_t streamed = 0;          ///< Number of streamed frames, to which the energy refers.
  Energy energy;
  /// From frames to labels in device memory, if requested: one frame at a time, and enqueued one behind another.
  Times resident;
  double resident_frames_per_second = 0;

  double frames_per_second() const { return static_cast<double>(streamed) / energy.seconds; }
};

struct BenchPredictResult {
  Device device;
  std::string device_note;  ///< Why "auto" chose the CPU; else empty.
  int threads = 0;
  std::string gather = {};  ///< Gather implementation of the CPU; empty on a GPU.
  int smooth_px = 0;        ///< 0: labels were not smoothed.
  std::size_t num_trees = 0, rows = 0, cols = 0;
  std::string model_checksum;
  Times decode, prepare;  ///< `prepare` is measured on the CPU only.
  std::vector<LayoutResult> layouts;
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
  const dataset::Dataset dataset = encoded_for(forest, arguments.model, {}, arguments.dataset.open(false, "test"));
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

std::string device_text(const BenchPredictResult& result) {
  if (!result.device.is_cpu()) return to_string(result.device) + ", " + gpu_name(result.device);
  return "cpu, " + std::to_string(result.threads) + (result.threads == 1 ? " thread" : " threads") + ", " + "gather " +
         result.gather;
}

/// Millijoules per frame; "-" without a counter.
std::string per_frame(const std::optional<double>& joules, const LayoutResult& result) {
  return joules ? format_text("%.2f", 1000 * *joules / static_cast<double>(result.streamed)) : "-";
}

std::string host_lines(const BenchPredictResult& result) {
  std::string text;
  for (const auto& [what, times] :
       {std::pair{"decode, one thread", &result.decode}, {"prepare, one thread", &result.prepare}})
    if (!times->ms.empty())
      text += format_text("%-20s %8.2f ms  (median; from %.2f to %.2f, %zu times)\n", what, times->median(),
                          times->least(), times->most(), times->ms.size());
  return text;
}

std::string host_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s %9s %9s %9s %14s %10s %9s %9s\n", "layout", "latency", "from", "to",
                                 "probabilities", "frames/s", "GPU mJ", "CPU mJ");
  for (const LayoutResult& layout : result.layouts) {
    if (layout.problem.empty())
      text += format_text(
          "%-10s %9.3f %9.3f %9.3f %14.3f %10.1f %9s %9s\n", layout.layout.c_str(), layout.latency.median(),
          layout.latency.least(), layout.latency.most(), layout.probabilities.median(), layout.frames_per_second(),
          per_frame(layout.energy.gpu_joules, layout).c_str(), per_frame(layout.energy.cpu_joules, layout).c_str());
    else
      text += format_text("%-10s ", layout.layout.c_str()) + layout.problem + "\n";
  }
  return text;
}

std::string gpu_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s", "on the GPU");
  for (const auto& [name, part] : kGpuParts) text += format_text(" %9s", name);
  text += "\n";
  for (const LayoutResult& layout : result.layouts) {
    if (!layout.problem.empty()) continue;
    text += format_text("%-10s", layout.layout.c_str());
    for (const Times& times : layout.on_gpu) text += format_text(" %9.3f", times.median());
    text += "\n";
  }
  return text;
}

std::string resident_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s %9s %9s %9s %10s\n", "layout", "latency", "from", "to", "frames/s");
  for (const LayoutResult& layout : result.layouts)
    if (!layout.resident.ms.empty())
      text += format_text("%-10s %9.3f %9.3f %9.3f %10.1f\n", layout.layout.c_str(), layout.resident.median(),
                          layout.resident.least(), layout.resident.most(), layout.resident_frames_per_second);
  return text;
}

nlohmann::json to_json(const LayoutResult& result) {
  if (!result.problem.empty()) return {{"layout", result.layout}, {"problem", result.problem}};
  nlohmann::json json = {{"layout", result.layout},
                         {"latency_ms", result.latency.median()},
                         {"latency_least_ms", result.latency.least()},
                         {"latency_most_ms", result.latency.most()},
                         {"probabilities_ms", result.probabilities.median()},
                         {"frames_per_second", result.frames_per_second()},
                         {"streamed_frames", result.streamed},
                         {"energy", to_json(result.energy)},
                         {"gpu_ms", nullptr},
                         {"resident", nullptr}};
  if (!result.resident.ms.empty())
    json["resident"] = {{"latency_ms", result.resident.median()},
                        {"latency_least_ms", result.resident.least()},
                        {"latency_most_ms", result.resident.most()},
                        {"frames_per_second", result.resident_frames_per_second}};
  for (std::size_t part = 0; part < result.on_gpu.size(); ++part)
    if (!result.on_gpu[part].ms.empty()) json["gpu_ms"][kGpuParts[part].first] = result.on_gpu[part].median();
  return json;
}

std::string bench_predict_text(const BenchPredictResult& result) {
  std::string text = format_text("%zu %s, %zu x %zu pixels, ", result.num_trees,
                                 result.num_trees == 1 ? "tree" : "trees", result.cols, result.rows) +
                     device_text(result) + "\n" +
                     (result.device_note.empty() ? "" : "on the CPU: " + result.device_note + "\n") +
                     host_lines(result) +
                     "\nms from a frame in memory to labels in memory, medians; frames per second and mJ a frame of a "
                     "stream\n" +
                     host_table(result);
  if (!result.device.is_cpu()) text += "\nms by the GPU's clock, medians of frames one by one\n" + gpu_table(result);
  if (std::ranges::any_of(result.layouts, [](const LayoutResult& l) { return !l.resident.ms.empty(); }))
    text +=
        "\nms from a frame in the device's memory to labels there; frames per second of frames enqueued one behind "
        "another\n" +
        resident_table(result);
  const auto measured = std::ranges::find_if(result.layouts, [](const LayoutResult& l) { return l.problem.empty(); });
  return measured == result.layouts.end()
             ? text
             : text + "\n" + energy_text(measured->energy, "streaming " + measured->layout);
}

/// The keys are documented in docs/reference/training_report.md.
std::string bench_predict_json(const BenchPredictResult& result) {
  const std::string gpu = gpu_name(result.device);
  nlohmann::json json = {{"schema_version", 1},
                         {"benchmark", "predict"},
                         {"device", to_string(result.device)},
                         {"gpu", gpu.empty() ? nlohmann::json() : nlohmann::json{{"name", gpu}}},
                         {"threads", result.threads},
                         {"gather", result.gather.empty() ? nlohmann::json() : nlohmann::json(result.gather)},
                         {"smooth_px", result.smooth_px},
                         {"model", result.model_checksum},
                         {"trees", result.num_trees},
                         {"rows", result.rows},
                         {"cols", result.cols},
                         {"decode_ms", result.decode.median()},
                         {"prepare_ms", nullptr},
                         {"layouts", nlohmann::json::array()}};
  if (result.device.is_cpu()) json["prepare_ms"] = result.prepare.median();
  for (const LayoutResult& layout : result.layouts) json["layouts"].push_back(to_json(layout));
  return json_result(json);
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
