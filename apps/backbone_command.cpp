// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct BackboneImport {
  fs::path weights, out;
  DatasetArguments dataset;  ///< Frames on which limits are measured; no folder: they follow from the weights.
  backbone::ImportOptions options;
  int threads = 0;

  void add_to(CLI::App& command) {
    command
        .add_option(
            "weights,--weights", weights,
            "Network of MobileNetV2's family as ONNX (.onnx); python -m fernwood.backbones also reads weights of "
            "an EfficientNet-Lite from PyTorch (.pth, .pt)")
        ->option_text("FILE");
    command.add_option("--out", out, "Backbone file to write")->required()->option_text("FILE");
    dataset.add_to(command);
    command.get_option("--data")->required(false)->description(
        "Folder of frames to measure the limits of activations on; a hundred are enough");
    add_table(command, options);
    add_threads_option(command, threads);
  }
  void finish() {
    FW_CHECK(!weights.empty(), Usage, "the file of weights is missing; write fernwood backbone import FILE --out FILE");
  }
  CommandFiles files() const {
    return {.reads = {{"--weights", weights}, {"--data", dataset.data}}, .writes = {{"--out", out}}};
  }
};

void run(const BackboneImport& arguments) {
  ThreadPool pool(arguments.threads);
  std::vector<image::Frame> frames;
  if (!arguments.dataset.data.empty()) {
    const dataset::Dataset dataset = arguments.dataset.open(false, "train");
    ProgressBar bar;
    frames.resize(dataset.size());
    for (std::size_t i = 0; i < dataset.size(); ++i) frames[i] = dataset.read_frame(i);
  }
  backbone::import_backbone(arguments.weights, {}, frames, arguments.options, arguments.out, pool);
  const auto made = backbone::load_backbone(fs::absolute(arguments.out));  // not the name of an installed one
  print() << arguments.out << ": " << made->name() << ", " << format_count(made->num_weights())
          << " weights of 8 bits, " << made->num_maps() << " feature maps, limits "
          << (frames.empty() ? "by the statistics of its weights"
                             : "measured on " + format_count(frames.size()) + " frames")
          << "\nnext    fernwood train --data DIR --backbone " << shell_word(arguments.out) << " --out FILE\n";
}

struct BackboneDescription {
  std::string file;  ///< Name or path.
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("file,--file", file, "Name of an installed backbone, or backbone file")
        ->option_text("NAME|FILE");
    add_json_flag(command, json);
  }
};

void run(const BackboneDescription& arguments) {
  FW_CHECK(!arguments.file.empty(), Usage,
           "the backbone is missing; write fernwood backbone describe lite0, or the path of a file");
  const auto backbone = backbone::load_backbone(arguments.file);
  const double full = backbone->num_macs(480, 640);
  const double half = backbone::load_backbone(arguments.file, 2)->num_macs(480, 640);
  if (arguments.json) {
    std::cout << json_result(nlohmann::ordered_json{{"schema_version", 1},
                                                    {"name", backbone->name()},
                                                    {"source", backbone->source()},
                                                    {"licence", backbone->licence()},
                                                    {"checksum", backbone->checksum()},
                                                    {"weights", backbone->num_weights()},
                                                    {"maps", backbone->num_maps()},
                                                    {"macs_640x480", {{"full", full}, {"half", half}}}});
    return;
  }
  print() << "name       " << backbone->name() << "\nsource     " << backbone->source() << "\nlicence    "
          << backbone->licence() << "\nchecksum   " << backbone->checksum() << "\nweights    "
          << format_count(backbone->num_weights()) << "\nmaps       " << backbone->num_maps() << "\nwork       "
          << format_text("%.2f GMAC for a frame of 640 x 480, %.2f at half resolution", full * 1e-9, half * 1e-9)
          << "\n";
}

struct BackboneBench {
  std::string file;  ///< Name or path.
  dataset::FrameSize size = {.rows = 480, .cols = 640};
  train::TrainOptions train;  ///< Contains the requested reduction.
  int threads = 0;

  void add_to(CLI::App& command) {
    command.add_option("file,--file", file, "Name of an installed backbone, or backbone file")
        ->option_text("NAME|FILE");
    add_size_option(command, "size", size, "Width x height of a frame in pixels");
    add_rows(command, train, {"backbone-reduction"});
    add_threads_option(command, threads);
  }
};

void run(const BackboneBench& arguments) {
  FW_CHECK(!arguments.file.empty(), Usage,
           "the backbone is missing; write fernwood backbone bench lite0, or the path of a file");
  check_size("size", arguments.size);
  const auto backbone = backbone::load_backbone(arguments.file, arguments.train.backbone_reduction);
  ThreadPool pool(arguments.threads);
  const auto [rows, cols] = arguments.size;
  const double macs = backbone->num_macs(rows, cols);
  std::cout << "ms for a frame, " << pool.num_threads() << " threads\n";
  for (const backbone::KernelTime& time : backbone::time_kernels(*backbone, rows, cols, pool))
    std::cout << format_text("%-18s %8.2f   %6.1f GMAC/s\n", time.instruction_set.c_str(), 1e3 * time.seconds,
                             macs / time.seconds * 1e-9);
}

}  // namespace

void add_backbone_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("backbone", "Import, describe and time pretrained networks whose maps are channels");
  command->require_subcommand(1);
  add_command<BackboneImport>(
      *command, {.name = "import",
                 .summary = "Turn the weights of a network into a backbone file",
                 .example = "fernwood backbone import mobilenet.onnx --data rooms/train --out mobilenet.backbone",
                 .dependents = {{{"--ignored-colors", "--max-frames"}, {"--data"}}},
                 .finish = &BackboneImport::finish,
                 .files = &BackboneImport::files,
                 .run = run});
  add_command<BackboneDescription>(*command, {.name = "describe",
                                              .summary = "Describe a backbone",
                                              .example = "fernwood backbone describe lite0",
                                              .run = run});
  add_command<BackboneBench>(*command, {.name = "bench",
                                        .summary = "Time a backbone with the loops of each instruction set",
                                        .example = "fernwood backbone bench lite0 --threads 2",
                                        .run = run});
}

}  // namespace fernwood::apps
