// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "backbone/import/float_network.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

constexpr std::size_t kMaxReadBlocks = 64;
/// Default epsilon of batch normalisation.
constexpr float kUsualEpsilon = 1e-5f;

/// Mean and deviation of ImageNet's colours in the range 0 to 1, by channel.
constexpr std::array kImageNetMean = {0.485f, 0.456f, 0.406f}, kImageNetDeviation = {0.229f, 0.224f, 0.225f};

/// A convolution with the operations after it, up to the next one.
struct FoundLayer {
  FloatLayer layer;
  bool clips = false, is_depthwise = false;
  std::string output;  ///< Its output tensor.
};

class GraphReader {
 public:
  GraphReader(const OnnxGraph& graph, const ErrorContext& place) : graph_(graph), place_(place) {
    for (const OnnxNode& node : graph.nodes)
      for (const std::string& input : node.inputs) readers_[input].push_back(&node);
  }

  /// The layer that reads a tensor; empty if something else does.
  std::optional<FoundLayer> layer_of(const std::string& tensor) const {
    int padded = 0;
    const OnnxNode* node = reader_of(tensor, {"Conv", "Pad", "Identity"});
    std::string from = tensor;
    for (std::size_t steps = 0; node != nullptr && node->op != "Conv" && steps < kMaxSkipped; ++steps) {
      if (node->op == "Pad") padded += padding_of(*node);
      from = node->outputs.empty() ? "" : node->outputs[0];
      node = reader_of(from, {"Conv", "Pad", "Identity"});
    }
    if (node == nullptr || node->op != "Conv") return std::nullopt;
    FoundLayer found;
    found.layer = convolution(*node, padded, found.is_depthwise);
    found.output = output_of(*node);
    if (const OnnxNode* normalization = reader_of(found.output, {"BatchNormalization"})) {
      fold(*normalization, found.layer);
      found.output = output_of(*normalization);
    }
    if (const OnnxNode* clip = reader_of(found.output, {"Clip"})) {
      check_clip(*clip);
      found.clips = true;
      found.output = output_of(*clip);
    } else if (const OnnxNode* other = activation_of(found.output)) {
      fail(*other, "is not ReLU6, a Clip from 0 to 6");
    }
    return found;
  }

  /// The sum of two tensors, or an empty name.
  std::string sum_of(const std::string& tensor, const std::string& other) const {
    const auto nodes = readers_.find(tensor);
    if (nodes == readers_.end()) return "";
    for (const OnnxNode* node : nodes->second)
      if (node->op == "Add" && std::ranges::count(node->inputs, other) == 1) return output_of(*node);
    return "";
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::kData, place_.file + ": " + problem +
                                      "; backbones are networks of MobileNetV2's family with ReLU6, without "
                                      "squeeze-and-excitation");
  }

 private:
  static constexpr std::size_t kMaxSkipped = 8;

  [[noreturn]] void fail(const OnnxNode& node, const std::string& problem) const {
    fail("the node \"" + node.name + "\" (" + node.op + ") " + problem);
  }

  const OnnxNode* reader_of(const std::string& tensor, std::initializer_list<std::string_view> ops) const {
    const auto nodes = readers_.find(tensor);
    if (nodes == readers_.end()) return nullptr;
    for (const OnnxNode* node : nodes->second)
      if (std::ranges::find(ops, node->op) != ops.end() && node->inputs[0] == tensor) return node;
    return nullptr;
  }

  const OnnxNode* activation_of(const std::string& tensor) const {
    return reader_of(tensor, {"Relu", "LeakyRelu", "PRelu", "Elu", "Selu", "Sigmoid", "HardSwish", "HardSigmoid",
                              "Tanh", "Mul", "Gelu", "Mish"});
  }

  std::string output_of(const OnnxNode& node) const {
    if (node.outputs.empty()) fail(node, "has no output");
    return node.outputs[0];
  }

  /// A constant input of a node; null if it has none.
  const Tensor* constant(const OnnxNode& node, std::size_t input) const {
    if (input >= node.inputs.size()) return nullptr;
    const auto found = graph_.tensors.find(node.inputs[input]);
    return found == graph_.tensors.end() ? nullptr : &found->second;
  }

  static std::vector<std::int64_t> whole_of(const OnnxNode& node, const std::string& name,
                                            std::vector<std::int64_t> otherwise) {
    const auto found = node.whole.find(name);
    return found == node.whole.end() ? std::move(otherwise) : found->second;
  }

  /// Rows of padding above an image; the columns to its left must be equal.
  int padding_of(const OnnxNode& node) const {
    std::vector<std::int64_t> pads = whole_of(node, "pads", {});
    if (const Tensor* given = constant(node, 1))
      for (const float pad : given->values) pads.push_back(static_cast<std::int64_t>(pad));
    if (pads.empty()) fail(node, "has padding that other nodes work out; export the model with its constants folded");
    if (pads.size() != 8 || pads[2] != pads[3] || pads[0] != 0 || pads[1] != 0 || pads[2] < 0 || pads[2] > 4)
      fail(node, "pads other than rows and columns alike");
    if (const Tensor* value = constant(node, 2);
        value != nullptr && std::ranges::any_of(value->values, [](float v) { return v != 0; }))
      fail(node, "pads with something else than 0");
    return static_cast<int>(pads[2]);
  }

  FloatLayer convolution(const OnnxNode& node, int padded, bool& is_depthwise) const {
    const Tensor* weights = constant(node, 1);
    if (weights == nullptr || weights->shape.size() != 4) fail(node, "has no constant weights of four dimensions");
    const std::vector<std::int64_t>& shape = weights->shape;
    const std::int64_t groups = whole_of(node, "group", {1})[0];
    is_depthwise = groups > 1;
    if (groups != 1 && (groups != shape[0] || shape[1] != 1))
      fail(node, "has groups that are neither one nor one a channel");
    if (shape[2] != shape[3] || (shape[2] != 1 && shape[2] != 3 && shape[2] != 5) || shape[0] < 1 || shape[1] < 1)
      fail(node, "has a kernel that is not square with a side of 1, 3 or 5");
    const std::vector<std::int64_t> strides = whole_of(node, "strides", {1, 1}),
                                    dilations = whole_of(node, "dilations", {1, 1});
    if (strides.size() != 2 || strides[0] != strides[1] || strides[0] < 1 || strides[0] > 2)
      fail(node, "has another stride than 1 or 2");
    if (std::ranges::any_of(dilations, [](std::int64_t d) { return d != 1; })) fail(node, "is dilated");
    FloatLayer layer;
    layer.out = static_cast<int>(shape[0]), layer.in = static_cast<int>(shape[1]),
    layer.kernel = static_cast<int>(shape[2]);
    layer.stride = static_cast<int>(strides[0]);
    layer.before = padded + pixels_before(node, layer.kernel, layer.stride);
    if (layer.before >= layer.kernel) fail(node, "pads more than its kernel reaches");
    layer.weights = with_inputs_last(layer, weights->values);
    const Tensor* bias = constant(node, 2);
    layer.bias = bias ? bias->values : std::vector<float>(static_cast<std::size_t>(layer.out), 0.0f);
    if (layer.bias.size() != static_cast<std::size_t>(layer.out))
      fail(node, "has another number of biases than channels");
    return layer;
  }

  int pixels_before(const OnnxNode& node, int kernel, int stride) const {
    const auto mode = node.text.find("auto_pad");
    if (mode != node.text.end() && mode->second == "SAME_UPPER") return std::max(0, kernel - stride) / 2;
    if (mode != node.text.end() && mode->second == "SAME_LOWER") return (std::max(0, kernel - stride) + 1) / 2;
    const std::vector<std::int64_t> pads = whole_of(node, "pads", {0, 0, 0, 0});
    if (pads.size() != 4 || pads[0] != pads[1] || pads[0] < 0 || pads[0] > 4)
      fail(node, "pads rows and columns differently");
    return static_cast<int>(pads[0]);
  }

  void fold(const OnnxNode& node, FloatLayer& layer) const {
    const auto channels = static_cast<std::size_t>(layer.out);
    std::array<const std::vector<float>*, 4> of{};  // scale, offset, mean, variance
    for (std::size_t i = 0; i < of.size(); ++i) {
      const Tensor* tensor = constant(node, i + 1);
      if (tensor == nullptr || tensor->values.size() != channels) fail(node, "has other constants than one a channel");
      of[i] = &tensor->values;
    }
    const auto given = node.real.find("epsilon");
    const float epsilon = given == node.real.end() ? kUsualEpsilon : given->second;
    const std::size_t of_channel = layer.weights.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
      const float scale = (*of[0])[c] / std::sqrt((*of[3])[c] + epsilon);
      for (std::size_t i = 0; i < of_channel; ++i) layer.weights[c * of_channel + i] *= scale;
      layer.bias[c] = (*of[1])[c] + (layer.bias[c] - (*of[2])[c]) * scale;
      layer.mean.push_back((*of[1])[c]);
      layer.deviation.push_back(std::abs((*of[0])[c]));
    }
  }

  void check_clip(const OnnxNode& node) const {
    const auto limit = [&](const char* name, std::size_t input) -> std::optional<float> {
      const Tensor* tensor = constant(node, input);
      if (tensor != nullptr && tensor->values.size() == 1) return tensor->values[0];
      const auto found = node.real.find(name);
      return found == node.real.end() ? std::nullopt : std::optional(found->second);
    };
    if (limit("min", 1) != 0.0f || limit("max", 2) != 6.0f) fail(node, "clips to something else than 0 to 6");
  }

  const OnnxGraph& graph_;
  const ErrorContext& place_;
  std::map<std::string, std::vector<const OnnxNode*>> readers_;  // [tensor]
};

/// Adapts a stem trained with other normalisation to a backbone's inputs, (c - 127) / 128. Beyond the border, the
/// original network had the mean of ImageNet's channels, and a backbone has 127: a difference of up to a fifth of a
/// deviation near the border.
void renormalize_stem(FloatLayer& stem, const FloatNetwork& network) {
  const auto taps = static_cast<std::size_t>(stem.kernel * stem.kernel);
  for (std::size_t o = 0; o < static_cast<std::size_t>(stem.out); ++o)
    for (std::size_t t = 0; t < taps; ++t)
      for (std::size_t i = 0; i < kImageNetMean.size(); ++i) {
        float& weight = stem.weights[(o * taps + t) * kImageNetMean.size() + i];
        const float deviation = 255 * kImageNetDeviation[i];
        stem.bias[o] += weight * (network.input_zero - 255 * kImageNetMean[i]) / deviation;
        weight /= deviation * network.input_scale;
      }
}

}  // namespace

FloatNetwork onnx_network(const OnnxGraph& graph, ColorNormalization normalization, const ErrorContext& place) {
  const GraphReader reader(graph, place);
  FloatNetwork network;
  FW_CHECK(!graph.inputs.empty(), Data, place.file << ": the graph has no input" << place.remedy);
  std::string at = graph.inputs[0];
  int stride = 1;
  while (network.blocks.size() < kMaxReadBlocks) {
    const bool is_first = network.blocks.empty();
    std::optional<FoundLayer> expand = reader.layer_of(at);
    std::optional<FoundLayer> depthwise = expand ? reader.layer_of(expand->output) : std::nullopt;
    // A wide layer without a depthwise one after it: the head.
    if (!is_first && (!expand || !depthwise || !depthwise->is_depthwise)) break;
    if (!expand) reader.fail("no convolution reads the image as it comes; leave out what prepares it");
    if (!depthwise || !depthwise->is_depthwise || expand->is_depthwise || !expand->clips || !depthwise->clips)
      reader.fail("the block " + std::to_string(network.blocks.size()) +
                  " does not begin with a convolution and one of each channel, both with ReLU6");
    std::optional<FoundLayer> project = reader.layer_of(depthwise->output);
    if (!project || project->is_depthwise || project->clips || project->layer.kernel != 1)
      reader.fail("the block " + std::to_string(network.blocks.size()) + " does not end with a linear projection");
    FloatBlock block = {std::move(expand->layer), std::move(depthwise->layer), std::move(project->layer)};
    if (is_first && block.expand.kernel != 3)
      reader.fail("the first convolution does not read three colours by a kernel of side 3");
    if (!is_first && block.expand.kernel != 1)
      reader.fail("the block " + std::to_string(network.blocks.size()) + " does not expand single pixels");
    const int of_block = block.expand.stride * block.depthwise.stride;
    std::string output = project->output;
    const std::string sum = reader.sum_of(output, at);
    if (!sum.empty()) {
      if (is_first || of_block != 1 || block.expand.in != block.project.out)
        reader.fail("the block " + std::to_string(network.blocks.size()) + " is added to another one's size");
      block.residual = true;
      output = sum;
    }
    if (of_block > 1 && stride == 16) network.blocks.back().is_map = true;
    stride *= of_block;
    network.blocks.push_back(std::move(block));
    at = output;
  }
  check_layers(network, place);
  FW_CHECK(stride == 32, Data,
           place.file << ": the blocks of the network reduce an image by " << stride
                      << ", and those of backbones by 32; pass a network of MobileNetV2's family");
  network.blocks.back().is_map = true;
  if (normalization == ColorNormalization::kImageNet) renormalize_stem(network.blocks.front().expand, network);
  return network;
}

}  // namespace fernwood::backbone
