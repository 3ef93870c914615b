// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backbone/run_network.h"
#include "core/json_field.h"
#include "fernwood/backbone/backbone.h"

namespace fernwood::backbone {

/// A node of a graph: an operation on tensors.
struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<std::int64_t>> whole;  ///< Attributes: whole numbers,
  std::map<std::string, float> real;                       ///< real numbers,
  std::map<std::string, std::string> text;                 ///< and strings.
};

/// The graph of an ONNX file, as far as convolutional networks need it.
struct OnnxGraph {
  std::vector<OnnxNode> nodes;      ///< In the file's order, in which tensors are computed before they are read.
  StateDict tensors;                ///< Its constants, of floats and of whole numbers.
  std::vector<std::string> inputs;  ///< Without constants.
};

/// Reads the bytes of an ONNX file (github.com/onnx/onnx, onnx.proto3): graphs whose constants are stored in the file.
/// @throws Error(place.kind) in one sentence for anything else, and for a damaged file.
OnnxGraph read_onnx(std::span<const std::uint8_t> bytes, const ErrorContext& place);

/// A convolution with its batch normalisation folded into it.
struct FloatLayer {
  int in = 0, out = 0;  ///< For a depthwise one `in` is 1.
  int kernel = 1, stride = 1, before = 0;
  std::vector<float> weights;          ///< [out][kernel][kernel][in]
  std::vector<float> bias;             ///< [out]
  std::vector<float> mean, deviation;  ///< [out] Of its outputs, according to batch normalisation.
};

struct FloatBlock {
  FloatLayer expand, depthwise, project;
  bool residual = false, is_map = false;
};

/// A network before quantisation.
struct FloatNetwork {
  std::string name;  ///< If its shape is known.
  std::vector<FloatBlock> blocks;
  float input_zero = 127, input_scale = 1.0f / 128;  ///< A colour c becomes the input (c - input_zero) * input_scale.
};

/// Weights in the order of FloatLayer. @param weights  [out][in][kernel][kernel], as other libraries have them.
std::vector<float> with_inputs_last(const FloatLayer& layer, const std::vector<float>& weights);

/// @throws Error(kData) naming the first block whose layers do not fit each other, the block before or a backbone.
void check_layers(const FloatNetwork& network, const ErrorContext& place);

/// The outputs of all blocks for an image, [block][rows][cols][out]; the same bits on every processor.
std::vector<std::vector<float>> run_float(const FloatNetwork& network, const Picture& picture);

/// An EfficientNet-Lite (0 to 4) from its state dictionary, with the layer names of the package
/// efficientnet_lite_pytorch. Strides are those of the stages of EfficientNet (Tan and Le 2019, table 1), which begin
/// where the number of channels changes. The last outputs of strides 16 and 32 are maps. Its name is "lite0" to
/// "lite4", or empty for other numbers of blocks and channels.
/// @throws Error(kData) naming an array that is missing or has the wrong shape.
FloatNetwork efficientnet_lite(const StateDict& state, const ErrorContext& place);

/// A network from an ONNX file: a stem and blocks of MobileNetV2's family, up to the classification head. Its last
/// outputs of strides 16 and 32 are maps.
/// @throws Error(kData) naming a node that backbones do not have.
FloatNetwork onnx_network(const OnnxGraph& graph, ColorNormalization normalization, const ErrorContext& place);

/// The magnitude of each block's outputs that 127 represents. @param pictures  Images to measure it on: the maximum of
/// their quantiles; if empty: from the means and deviations of batch normalisation.
std::vector<float> output_limits(const FloatNetwork& network, const std::vector<Picture>& pictures, ThreadPool& pool);

/// @param limits  [block] From output_limits(). @throws Error(kData) for weights that are not numbers.
Network quantize(const FloatNetwork& network, const std::vector<float>& limits, const ErrorContext& place);

}  // namespace fernwood::backbone
