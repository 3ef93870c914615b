// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/encoder/encoder.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/half.h"
#include "core/json_text.h"
#include "fernwood/core/error.h"

namespace fernwood::encoder {

namespace {

constexpr std::array kEncoderRows = {
    option<&EncoderOptions::encoder>("encoder",
                                     "ONNX file of a network that computes maps supplied with frames, and the tensors "
                                     "to take; a number is a block of "
                                     "a transformer. For labelling, the default is that of the training")
        .takes("FILE.onnx[:TENSOR,...]"),
    option<&EncoderOptions::encoder_size>(
        "encoder-size", "Longer side of the input of {encoder}, in pixels; 0: 448, or that of the file")
        .in(from_to(0, 8192)),
    option<&EncoderOptions::encoder_normalization>("encoder-normalization",
                                                   "Scaling of colours for {encoder}: imagenet, clip, signed or unit")
        .default_means("imagenet")
        .takes("NAME"),
};

}  // namespace

OptionTable<EncoderOptions> EncoderOptions::table() { return kEncoderRows; }

image::SuppliedMaps Encoder::encode(const image::Frame& frame) const {
  image::SuppliedMaps maps = compute(frame);
  const std::string& name = info().name;
  FW_CHECK(
      maps.num_maps >= 1 && maps.num_maps <= image::kMaxMaps, Data,
      "the encoder " << name << " gives " << maps.num_maps << " maps; 1 to " << image::kMaxMaps << " are possible");
  FW_CHECK(maps.rows >= 1 && maps.cols >= 1 && maps.rows <= frame.rows() && maps.cols <= frame.cols(), Data,
           "the encoder " << name << " gives maps of " << maps.cols << " x " << maps.rows << " cells for a frame of "
                          << frame.cols() << " x " << frame.rows() << " pixels; use a smaller input size");
  for (float& value : maps.values) value = from_half(to_half(value));
  return maps;
}

std::shared_ptr<const Encoder> start_encoder(const EncoderOptions& options) {
  nlohmann::json arguments = {{"encoder", options.encoder}, {"size", options.encoder_size}};
  if (!options.encoder_normalization.empty()) arguments["normalization"] = options.encoder_normalization;
  return start_encoder(json_text(arguments));
}

}  // namespace fernwood::encoder
