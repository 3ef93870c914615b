// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Small ONNX files with one tree operator, written field by field as in onnx.proto.

#include <string>
#include <string_view>
#include <vector>

#include "core/protobuf.h"

namespace fernwood::records {

/// Builds an operator; setting an attribute again replaces it.
class OnnxTreeWriter {
 public:
  explicit OnnxTreeWriter(std::string type) : type_(std::move(type)) {}

  OnnxTreeWriter& wholes(const std::string& name, const std::vector<std::int64_t>& values, bool packed = false) {
    ProtoWriter message;
    if (packed) {
      std::string bytes;
      for (const std::int64_t value : values) bytes += static_cast<char>(value);  // values up to 127 take one byte
      message.bytes(8, bytes);
    } else {
      for (const std::int64_t value : values) message.whole(8, static_cast<std::uint64_t>(value));
    }
    return set(name, message);
  }
  OnnxTreeWriter& whole(const std::string& name, std::int64_t value) {
    ProtoWriter message;
    return set(name, message.whole(3, static_cast<std::uint64_t>(value)));
  }
  OnnxTreeWriter& reals(const std::string& name, const std::vector<float>& values) {
    ProtoWriter message;
    for (const float value : values) message.real(7, value);
    return set(name, message);
  }
  OnnxTreeWriter& texts(const std::string& name, const std::vector<std::string>& values) {
    ProtoWriter message;
    for (const std::string& value : values) message.bytes(9, value);
    return set(name, message);
  }
  OnnxTreeWriter& text(const std::string& name, const std::string& value) {
    ProtoWriter message;
    return set(name, message.bytes(4, value));
  }
  /// 64-bit numbers as a tensor, in fields or as raw bytes.
  OnnxTreeWriter& doubles(const std::string& name, const std::vector<double>& values, bool raw = false) {
    ProtoWriter tensor;
    tensor.whole(1, values.size()).whole(2, 11);
    if (raw) tensor.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
    if (!raw)
      for (const double value : values) tensor.real64(10, value);
    ProtoWriter message;
    return set(name, message.bytes(5, tensor.text()));
  }
  OnnxTreeWriter& bytes(const std::string& name, const std::vector<std::uint8_t>& values) {
    ProtoWriter tensor, message;
    tensor.whole(1, values.size()).whole(2, 2).bytes(9, std::string(values.begin(), values.end()));
    return set(name, message.bytes(5, tensor.text()));
  }
  OnnxTreeWriter& remove(const std::string& name) {
    std::erase_if(attributes_, [&](const auto& attribute) { return attribute.first == name; });
    return *this;
  }

  /// Bytes of the file. @param others  Further operators, each of which reads the output of the previous one.
  std::string file(const std::vector<std::string>& others = {}, std::uint64_t num_columns = 2) const {
    ProtoWriter graph, shape, rows, columns, tensor, type, input, model;
    ProtoWriter operation;
    operation.bytes(1, "X").bytes(2, "out").bytes(4, type_).bytes(7, "ai.onnx.ml");
    for (const auto& [name, message] : attributes_) operation.bytes(5, message);
    graph.bytes(1, operation.text());
    for (const std::string& other : others) {
      ProtoWriter behind;
      graph.bytes(1, behind.bytes(1, "out").bytes(2, "last").bytes(4, other).text());
    }
    columns.whole(1, num_columns);
    shape.bytes(1, rows.text()).bytes(1, columns.text());
    tensor.whole(1, 1).bytes(2, shape.text());
    type.bytes(1, tensor.text());
    graph.bytes(11, input.bytes(1, "X").bytes(2, type.text()).text());
    return model.whole(1, 8).bytes(2, "writer").bytes(3, "1.2").bytes(7, graph.text()).text();
  }

 private:
  OnnxTreeWriter& set(const std::string& name, const ProtoWriter& value) {
    remove(name);
    ProtoWriter message;
    attributes_.emplace_back(name, message.bytes(1, name).text() + value.text());
    return *this;
  }

  std::string type_;
  std::vector<std::pair<std::string, std::string>> attributes_;  ///< Name and encoded message.
};

/// Adds two trees: value 0 <= 0.5 leads to value 1 <= -1 (leaves 1 and 2), else to leaf 3. The second tree is a leaf.
/// @param kind  "target" or "class". @param ids  Targets or classes of the leaves, with the values 1, 2, 4 and 0.25.
inline OnnxTreeWriter onnx_trees(const std::string& type, const std::string& kind,
                                 const std::vector<std::int64_t>& ids) {
  OnnxTreeWriter writer(type);
  writer.wholes("nodes_treeids", {7, 7, 7, 7, 7, 9}).wholes("nodes_nodeids", {0, 1, 2, 3, 4, 0});
  writer.wholes("nodes_featureids", {0, 1, 0, 0, 0, 0}).reals("nodes_values", {0.5f, -1, 0, 0, 0, 0});
  writer.texts("nodes_modes", {"BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF", "LEAF"});
  writer.wholes("nodes_truenodeids", {1, 2, 0, 0, 0, 0}, true).wholes("nodes_falsenodeids", {4, 3, 0, 0, 0, 0});
  writer.wholes("nodes_missing_value_tracks_true", {1, 0, 0, 0, 0, 0});
  writer.wholes(kind + "_treeids", {7, 7, 7, 9}).wholes(kind + "_nodeids", {2, 3, 4, 0});
  return writer.wholes(kind + "_ids", ids).reals(kind + "_weights", {1, 2, 4, 0.25f});
}
inline OnnxTreeWriter onnx_regressor() {
  return onnx_trees("TreeEnsembleRegressor", "target", {0, 0, 0, 0}).whole("n_targets", 1);
}
/// The same with the arrays of version 5, except that the second tree is a test with two equal leaves.
inline OnnxTreeWriter onnx_arrays() {
  OnnxTreeWriter writer("TreeEnsemble");
  writer.wholes("nodes_featureids", {1, 0, 0}).doubles("nodes_splits", {-1, 0.5, 0}).bytes("nodes_modes", {0, 0, 0});
  writer.wholes("nodes_truenodeids", {0, 0, 3}).wholes("nodes_trueleafs", {1, 0, 1});
  writer.wholes("nodes_falsenodeids", {1, 2, 3}).wholes("nodes_falseleafs", {1, 1, 1});
  writer.wholes("nodes_missing_value_tracks_true", {0, 1, 0}).wholes("tree_roots", {1, 2}).whole("n_targets", 1);
  return writer.wholes("leaf_targetids", {0, 0, 0, 0}).doubles("leaf_weights", {1, 2, 4, 0.25});
}
inline OnnxTreeWriter onnx_classifier(const std::vector<std::int64_t>& ids) {
  return onnx_trees("TreeEnsembleClassifier", "class", ids).texts("classlabels_strings", {"no", "yes"});
}

}  // namespace fernwood::records
