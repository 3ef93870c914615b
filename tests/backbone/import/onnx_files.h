// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small ONNX files for tests, written field by field according to onnx.proto3.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backbone/import/float_network.h"
#include "core/protobuf.h"

namespace fernwood::backbone {

/// Builds an ONNX graph.
class OnnxWriter {
 public:
  static constexpr std::uint64_t kFloat = 1, kInt64 = 7, kHalf = 10;

  /// Adds a constant. @param raw  Store the values as bytes, else one field per value.
  OnnxWriter& tensor(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& values,
                     bool raw = true) {
    ProtoWriter message;
    for (const std::int64_t size : shape) message.whole(1, static_cast<std::uint64_t>(size));
    message.whole(2, kFloat);
    if (!raw)
      for (const float value : values) message.real(4, value);
    message.bytes(8, name);
    if (raw) message.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    graph_.bytes(5, message.text());
    return *this;
  }
  struct Attribute {
    std::string name;
    std::vector<std::int64_t> whole = {};
    std::optional<float> real = {};
    std::string text = {};
  };
  OnnxWriter& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                   const std::vector<Attribute>& attributes = {}) {
    ProtoWriter message;
    for (const std::string& input : inputs) message.bytes(1, input);
    message.bytes(2, output).bytes(3, "the " + output).bytes(4, op);
    for (const Attribute& attribute : attributes) {
      ProtoWriter of;
      of.bytes(1, attribute.name);
      if (attribute.real) of.real(2, *attribute.real);
      if (!attribute.text.empty()) of.bytes(4, attribute.text);
      for (const std::int64_t number : attribute.whole) of.whole(8, static_cast<std::uint64_t>(number));
      message.bytes(5, of.text());
    }
    graph_.bytes(1, message.text());
    return *this;
  }
  OnnxWriter& input(const std::string& name) {
    graph_.bytes(11, ProtoWriter().bytes(1, name).text());
    return *this;
  }
  std::vector<std::uint8_t> file() const {
    const std::string text = ProtoWriter().whole(1, 8).bytes(7, graph_.text()).text();
    return {text.begin(), text.end()};
  }

 private:
  ProtoWriter graph_;
};

/// The network as an exporter writes it. @param change  Called with the writer, the output and the first input of each
/// node; returns true if it wrote another node in its place.
inline std::vector<std::uint8_t> onnx_of(
    const FloatNetwork& network,
    const std::function<bool(OnnxWriter&, const std::string&, const std::string&)>& change = {}) {
  OnnxWriter onnx;
  onnx.input("picture").tensor("zero", {}, {0}).tensor("six", {}, {6});
  std::string at = "picture";
  const auto put = [&](const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                       const std::vector<OnnxWriter::Attribute>& attributes) {
    if (!change || !change(onnx, output, inputs[0])) onnx.node(op, inputs, output, attributes);
    at = output;
  };
  const auto add = [&](const std::string& name, const FloatLayer& layer, bool depthwise, bool clips) {
    const int taps = layer.kernel * layer.kernel;
    std::vector<float> weights(layer.weights.size());
    for (int o = 0; o < layer.out; ++o)
      for (int i = 0; i < layer.in; ++i)
        for (int t = 0; t < taps; ++t)
          weights[static_cast<std::size_t>((o * layer.in + i) * taps + t)] =
              layer.weights[static_cast<std::size_t>((o * taps + t) * layer.in + i)];
    onnx.tensor(name + ".w", {layer.out, layer.in, layer.kernel, layer.kernel}, weights);
    onnx.tensor(name + ".b", {layer.out}, layer.bias, name.size() % 2 == 0);
    const std::int64_t before = layer.before, after = std::max(0, layer.kernel - layer.stride - layer.before);
    put("Conv", {at, name + ".w", name + ".b"}, name,
        {{"group", {depthwise ? layer.out : 1}},
         {"kernel_shape", {layer.kernel, layer.kernel}},
         {"pads", {before, before, after, after}},
         {"strides", {layer.stride, layer.stride}}});
    if (clips) put("Clip", {at, "zero", "six"}, name + ".clip", {});
  };
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    const std::string name = "b" + std::to_string(b), before = at;
    const FloatBlock& block = network.blocks[b];
    add(name + ".expand", block.expand, false, true);
    add(name + ".depthwise", block.depthwise, true, true);
    add(name + ".project", block.project, false, false);
    if (block.residual) put("Add", {at, before}, name + ".sum", {});
  }
  const auto wide = static_cast<std::size_t>(network.blocks.back().project.out);
  onnx.tensor("head.w", {7, static_cast<std::int64_t>(wide), 1, 1}, std::vector<float>(7 * wide, 1));
  onnx.node("Conv", {at, "head.w"}, "head").node("Clip", {"head", "zero", "six"}, "head.clip");
  onnx.node("GlobalAveragePool", {"head.clip"}, "answer");
  return onnx.file();
}

}  // namespace fernwood::backbone
