// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/image/feature_maps.h"

namespace fernwood::backbone {

struct Network;
class NetworkRunner;

/// A frozen convolutional network whose feature maps are channels. It uses only integer arithmetic: 8-bit activations,
/// 32-bit sums and one rounding rule, so that the maps have the same bytes on every processor and GPU.
class Backbone final : public image::MapSource {
 public:
  /// @param bytes      Content of the backbone file.
  /// @param reduction  1, 2 or 4: factor by which frames are reduced in each direction; the time decreases with its
  ///                   square.
  Backbone(std::shared_ptr<const Network> network, std::vector<std::uint8_t> bytes, int reduction);
  ~Backbone() override;

  std::string name() const override;
  std::string checksum() const override;
  int num_maps() const override;
  std::string map_name(int map) const override;
  image::FeatureMaps find_maps(const image::FrameImages& frame, ThreadPool* pool) const override;
  std::shared_ptr<image::GpuMapFinder> on_gpu() const override;

  int reduction() const override { return reduction_; }
  std::string source() const;   ///< Origin of its weights.
  std::string licence() const;  ///< Licence of its weights.
  std::size_t num_weights() const;
  /// Number of multiply-accumulate operations (MACs) for a frame.
  double num_macs(std::size_t rows, std::size_t cols) const;
  const std::vector<std::uint8_t>& bytes() const override { return bytes_; }
  const Network& network() const { return *network_; }

 private:
  std::shared_ptr<const Network> network_;
  std::vector<std::uint8_t> bytes_;
  int reduction_;
  std::string checksum_;
  std::unique_ptr<NetworkRunner> runner_;
};

/// Supported reductions.
inline constexpr int kReductions[] = {1, 2, 4};

/// Creates a backbone from the content of its file.
/// @param name  Name of the file, for messages. @throws Error(kModel) in one sentence for a damaged, foreign or newer
///              file.
std::shared_ptr<const Backbone> read_backbone(std::vector<std::uint8_t> bytes, const std::string& name, int reduction);
/// Reads the file of find_backbone(). @throws Error(kModel) as read_backbone(); Error(kRuntime) if it cannot be read.
std::shared_ptr<const Backbone> load_backbone(const std::string& name_or_path, int reduction = 1);

/// The backbone that trainings read by default: EfficientNet-Lite0, trained on ImageNet.
inline constexpr const char* kDefaultBackbone = "lite0";
/// Names of the backbones that are installed, NAME.backbone in a folder of part_folders("backbones"), sorted.
std::vector<std::string> backbone_names();
/// The file of a backbone: a text without separator and extension is one of backbone_names(), any other is a path.
/// @throws Error(kUsage) for a name that is not installed.
std::filesystem::path find_backbone(const std::string& name_or_path);

/// Time of a network with the kernels of one instruction set.
struct KernelTime {
  std::string instruction_set;  ///< For example "avx512 with VNNI".
  double seconds;               ///< Minimum of several runs, because disturbances only slow a run down.
};
/// Times a backbone on a frame of random colours, with the kernels of each instruction set of this processor, slowest
/// first. @throws Error(kRuntime) if two of them give different maps.
std::vector<KernelTime> time_kernels(const Backbone& backbone, std::size_t rows, std::size_t cols, ThreadPool& pool);

/// Normalisation of colours with which a network was trained.
enum class ColorNormalization {
  kLite,     ///< (c - 127) / 128, as EfficientNet-Lite.
  kImageNet  ///< (c / 255 - mean) / deviation of ImageNet's red, green and blue, as torchvision's networks.
};

inline constexpr std::array kColorNormalizations = {ColorNormalization::kLite, ColorNormalization::kImageNet};
const char* to_string(ColorNormalization normalization);  ///< lite, imagenet

/// Options of the conversion of weights to a backbone.
struct ImportOptions {
  std::string name;     ///< Empty: "lite0" to "lite4" for an EfficientNet-Lite, otherwise the weights' file name.
  std::string source;   ///< Origin of the weights; empty: the file's name and checksum.
  std::string licence;  ///< Empty: "not stated".
  int reduction = 2;    ///< Reduction of the frames on which the limits of activations are measured.
  ColorNormalization normalization = ColorNormalization::kLite;  ///< For the network of an ONNX file.

  static OptionTable<ImportOptions> table();  ///< All options except reduction.
};

/// An array of weights.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< The last dimension varies fastest.
};
using StateDict = std::map<std::string, Tensor>;

/// Converts weights to a backbone file: those of an EfficientNet-Lite, or of another network of the MobileNetV2 family.
/// Batch normalisation is folded into convolutions; weights and activations are rounded to 8 bits.
/// @param state   The state_dict() of an EfficientNet-Lite, which Python has read from the file. Empty: an ONNX file.
/// @param frames  Frames with colour on which the limits of activations are measured. Empty: the limits follow from the
///                statistics of batch normalisation, which most ONNX files no longer contain.
/// @throws Error(kData) for other files; Error(kRuntime) if a file cannot be read or written.
void import_backbone(const std::filesystem::path& weights, const StateDict& state,
                     const std::vector<image::Frame>& frames, const ImportOptions& options,
                     const std::filesystem::path& output, ThreadPool& pool);

}  // namespace fernwood::backbone
