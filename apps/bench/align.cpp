// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/bench/bench.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/text.h"
#include "fernwood/image/align_depth.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

struct BenchAlignArguments {
  dataset::FrameSize depth_size = {.rows = 480, .cols = 848}, color_size = {.rows = 720, .cols = 1280};
  train::TrainResources resources = {.device = "cpu"};
  BenchOptions bench = {.repeat = 100};
  bool json = false;

  void add_to(CLI::App& command) {
    add_size_option(command, "depth-size", depth_size, "Width x height of depth");
    add_size_option(command, "color-size", color_size, "Width x height of colour");
    add_device_options(command, resources);
    add_rows(command, bench, {"repeat"});
    add_json_flag(command, json);
  }
};

/// Two cameras similar to those of a RealSense D435i: fields of view of 87 and 69 degrees, 15 mm apart, colour with
/// lens distortion.
image::CameraPair usual_cameras(const dataset::FrameSize& depth, const dataset::FrameSize& color) {
  const auto camera = [](const dataset::FrameSize& size, float focal_per_col) {
    const auto rows = static_cast<int>(size.rows), cols = static_cast<int>(size.cols);
    const float focal = focal_per_col * static_cast<float>(cols);
    return image::Camera{
        cols, rows, focal, focal, 0.5f * static_cast<float>(cols - 1), 0.5f * static_cast<float>(rows - 1)};
  };
  image::CameraPair cameras;
  cameras.depth = camera(depth, 0.503f);
  cameras.color = camera(color, 0.711f);
  cameras.color_distortion = {-0.055f, 0.066f, 0.0005f, -0.0003f, -0.021f};
  cameras.translation_m = {0.015f, 0.0f, 0.0f};
  return cameras;
}

/// A floor that comes nearer, with boxes before it, and a tenth of the pixels unknown.
Array2<std::uint16_t> room_depth(std::size_t cols, std::size_t rows) {
  Array2<std::uint16_t> depth_mm(rows, cols);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t x = 0; x < cols; ++x) {
      const bool is_box = (x / 60 + y / 60) % 3 == 0;
      const std::size_t mm = 4000 - 2500 * y / rows - (is_box ? 600 + x % 60 : 0);
      depth_mm(y, x) = (7 * x + 13 * y) % 10 == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(mm);
    }
  return depth_mm;
}

void run(const BenchAlignArguments& arguments) {
  arguments.bench.check();
  check_size("depth-size", arguments.depth_size);
  check_size("color-size", arguments.color_size);
  const auto [depth_rows, depth_cols] = arguments.depth_size;
  const auto [color_rows, color_cols] = arguments.color_size;
  const image::DepthAligner aligner(usual_cameras(arguments.depth_size, arguments.color_size), depth_cols, depth_rows,
                                    color_cols, color_rows);
  const Array2<std::uint16_t> depth_mm = room_depth(depth_cols, depth_rows);
  ThreadPool pool(arguments.resources.threads);
  const Device device = choose_device(arguments.resources.device).device;
  const Array2<std::uint16_t> expected = aligner.align(depth_mm, &pool);
  Times times;
  if (device.is_cpu()) {
    for (int i = 0; i < arguments.bench.repeat; ++i) {
      throw_if_interrupted();
      times.measure([&] { aligner.align(depth_mm, &pool); });
    }
  } else {
    Array2<std::uint16_t> aligned;
    for (const double seconds :
         image::time_alignment_on_gpu(aligner, depth_mm, device.gpu, arguments.bench.repeat, &aligned))
      times.ms.push_back(1000 * seconds);
    FW_CHECK(aligned == expected, Device,
             to_string(device) << " aligns depth otherwise than the CPU; please report this with the GPU's name");
  }
  if (arguments.json) {
    std::cout << json_result(nlohmann::json({{"schema_version", 1},
                                             {"device", to_string(device)},
                                             {"gpu", gpu_name(device)},
                                             {"threads", pool.num_threads()},
                                             {"depth_size", {depth_cols, depth_rows}},
                                             {"color_size", {color_cols, color_rows}},
                                             {"median_ms", times.median()},
                                             {"least_ms", times.least()},
                                             {"most_ms", times.most()}}));
    return;
  }
  std::cout << "depth " << size_text(arguments.depth_size) << " aligned to " << size_text(arguments.color_size)
            << " on " << (device.is_cpu() ? std::to_string(pool.num_threads()) + " CPU threads" : gpu_name(device))
            << ": median " << format_text("%.3f ms, %.3f to %.3f", times.median(), times.least(), times.most()) << "\n";
}

}  // namespace

void add_bench_align(CLI::App& bench) {
  add_command<BenchAlignArguments>(bench, {.name = "align",
                                           .summary = "Time the alignment of depth to another camera",
                                           .example = "fernwood bench align --threads 2",
                                           .run = run});
}

}  // namespace fernwood::apps
