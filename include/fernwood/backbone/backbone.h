// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/image/feature_maps.h"

namespace fernwood::backbone {

struct Network;
class NetworkRunner;

/// A frozen convolutional network whose feature maps are channels. Its arithmetic is of whole numbers alone: 8-bit
/// activations, 32-bit sums and one rounding rule, so that maps have the same bytes on every processor and GPU.
class Backbone final : public image::MapSource {
 public:
  /// @param reduction  1, 2 or 4: the network sees frames reduced by it each way, which takes the square of it less
  /// time.
  Backbone(std::shared_ptr<const Network> network, std::vector<std::uint8_t> bytes, int reduction);
  ~Backbone() override;

  std::string name() const override;
  std::string checksum() const override;
  int num_maps() const override;
  std::string map_name(int map) const override;
  image::FeatureMaps find_maps(const image::FrameImages& frame, ThreadPool* pool) const override;
  std::shared_ptr<image::GpuMapFinder> on_gpu() const override;

  int reduction() const override { return reduction_; }
  std::string source() const;   ///< Where its weights come from.
  std::string licence() const;  ///< Of its weights.
  std::size_t num_weights() const;
  /// Multiply-accumulate operations (MACs) for a frame.
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

/// Reductions that there are.
inline constexpr int kReductions[] = {1, 2, 4};

/// @param name  Of the file, for messages. @throws Error(kModel) in one sentence for a damaged, foreign or newer file.
std::shared_ptr<const Backbone> read_backbone(std::vector<std::uint8_t> bytes, const std::string& name, int reduction);
/// Reads a backbone file. @throws Error(kModel) as read_backbone() does; Error(kRuntime) when it cannot be read.
std::shared_ptr<const Backbone> load_backbone(const std::filesystem::path& path, int reduction = 1);

/// What a network takes with the loops of one instruction set.
struct KernelTime {
  std::string instruction_set;  ///< "avx512 with VNNI"
  double seconds;               ///< The shortest of several runs: others were disturbed.
};
/// Times a backbone on a frame of random colours, with the loops of each instruction set that this processor has,
/// slowest first. @throws Error(kRuntime) should two of them give different maps.
std::vector<KernelTime> time_kernels(const Backbone& backbone, std::size_t rows, std::size_t cols, ThreadPool& pool);

/// How a network was shown pictures when it was trained.
enum class ColorNormalization {
  kLite,     ///< (c - 127) / 128, as EfficientNet-Lite.
  kImageNet  ///< (c / 255 - mean) / deviation of ImageNet's red, green and blue, as torchvision's networks.
};

inline constexpr std::array kColorNormalizations = {ColorNormalization::kLite, ColorNormalization::kImageNet};
const char* to_string(ColorNormalization normalization);  ///< lite, imagenet

/// How weights become a backbone.
struct ImportOptions {
  std::string name = "lite0";
  std::string source;   ///< Empty: the file's name and checksum.
  std::string licence;  ///< Empty: "not stated".
  int reduction = 2;    ///< At which pictures are seen when limits are measured.
  ColorNormalization normalization = ColorNormalization::kLite;  ///< Of an ONNX file's network.

  static OptionTable<ImportOptions> table();  ///< But for reduction.
};

/// Turns weights into a backbone file: of an EfficientNet-Lite, as a state_dict() that torch.save() wrote, or of
/// another network of MobileNetV2's family as an ONNX file. Batch normalisation is folded into convolutions, weights
/// and activations are rounded to 8 bits.
/// @param frames  With colour; the limits of activations are measured on them. None: by what batch normalisation says,
///                which ONNX files mostly have folded away.
/// @throws Error(kData) for other files; Error(kRuntime) when one cannot be read or written.
void import_backbone(const std::filesystem::path& weights, const std::vector<image::Frame>& frames,
                     const ImportOptions& options, const std::filesystem::path& output, ThreadPool& pool);

}  // namespace fernwood::backbone
