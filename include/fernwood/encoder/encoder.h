// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "fernwood/core/option_table.h"
#include "fernwood/image/frame.h"

namespace fernwood::encoder {

/// What identifies an encoder; a model stores that of its supplied maps.
struct EncoderInfo {
  std::string name;      ///< For messages: of a file or a function.
  std::string checksum;  ///< Of its file and options; empty: not known, as for a function in Python.
  /// How to open it again, a JSON object with the arguments of Python's fernwood.encoders.from_onnx(); "{}": only its
  /// owner can.
  std::string options_json = "{}";

  std::string text() const { return name + (checksum.empty() ? "" : " of checksum " + checksum); }
  bool operator==(const EncoderInfo&) const = default;
};

/// Computes the maps supplied with frames (image::SuppliedMaps). Usually a large network in floating point, run by
/// another library: other machines may give slightly different maps.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual const EncoderInfo& info() const = 0;
  /// The maps of a frame, rounded to half precision, so that computed and stored maps are the same. May be called by
  /// several threads at once.
  /// @throws Error(kData) for a frame that it cannot encode, and for maps that are finer than the frame.
  image::SuppliedMaps encode(const image::Frame& frame) const;

 protected:
  virtual image::SuppliedMaps compute(const image::Frame& frame) const = 0;
};

/// An encoder in an ONNX file.
struct EncoderOptions {
  std::string encoder;                ///< "FILE.onnx", or with tensors "FILE.onnx:TENSOR,TENSOR"; empty: none.
  int encoder_size = 0;               ///< Longer side of the network's input, in pixels; 0: chosen by the encoder.
  std::string encoder_normalization;  ///< Scaling of colours; empty: imagenet.

  static OptionTable<EncoderOptions> table();
};

/// Starts a Python interpreter that runs an ONNX file; it ends with the returned object.
/// @param options_json  As EncoderInfo::options_json. @param python  Empty: that in the environment variable
///                      FERNWOOD_PYTHON, which the command of the Python package sets, otherwise python3.
/// @throws Error(kRuntime) if there is no interpreter with the package, Error(kData) with the encoder's own sentence.
std::shared_ptr<const Encoder> start_encoder(const std::string& options_json, const std::string& python = {});
std::shared_ptr<const Encoder> start_encoder(const EncoderOptions& options);

/// Size of the folder of kept maps; the maps not used for the longest time are removed.
inline constexpr std::uintmax_t kMaxKeptBytes = std::uintmax_t{4} << 30;

/// An encoder whose maps are kept in files, so that a frame is encoded once. Returns `encoder` if that has no checksum
/// or there is no folder.
/// @param folder  Empty: "maps" in cache_folder().
std::shared_ptr<const Encoder> keep_maps(std::shared_ptr<const Encoder> encoder, std::filesystem::path folder = {},
                                         std::uintmax_t max_bytes = kMaxKeptBytes);

}  // namespace fernwood::encoder
