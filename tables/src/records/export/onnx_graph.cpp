// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/export/onnx_graph.h"

#include "fernwood/core/machine.h"

namespace fernwood::records {

namespace {

// onnxruntime supports these versions since 1.20 (2024), which introduced ai.onnx.ml 5 with trees in 64 bits.
constexpr std::uint64_t kIrVersion = 10, kOperators = 21, kTreeOperators = 5;

std::string onnx_value(const std::string& name, OnnxType type, std::size_t num_columns) {
  ProtoWriter shape;
  shape.bytes(1, ProtoWriter().bytes(2, "records").text());
  if (num_columns > 0) shape.bytes(1, ProtoWriter().whole(1, num_columns).text());
  const ProtoWriter tensor = ProtoWriter().whole(1, static_cast<std::uint64_t>(type)).bytes(2, shape.text());
  return ProtoWriter().bytes(1, name).bytes(2, ProtoWriter().bytes(1, tensor.text()).text()).text();
}

}  // namespace

OperatorAttributes& OperatorAttributes::add(std::string_view name, Kind kind, const ProtoWriter& value) {
  messages_.push_back(ProtoWriter().bytes(1, name).text() + value.text() + ProtoWriter().whole(20, kind).text());
  return *this;
}

OperatorAttributes& OperatorAttributes::whole(std::string_view name, std::int64_t value) {
  return add(name, kWhole, ProtoWriter().whole(3, static_cast<std::uint64_t>(value)));
}

OperatorAttributes& OperatorAttributes::wholes(std::string_view name, const std::vector<std::int64_t>& values) {
  return add(name, kWholes, ProtoWriter().packed(8, values));
}

OnnxGraph::Name OnnxGraph::input(const std::string& name, OnnxType type, std::size_t num_columns) {
  outside_.bytes(11, onnx_value(name, type, num_columns));
  return name;
}

void OnnxGraph::output(const Name& value, const std::string& name, OnnxType type, std::size_t num_columns) {
  graph_.bytes(1, ProtoWriter().bytes(1, value).bytes(2, name).bytes(4, "Identity").text());
  outside_.bytes(12, onnx_value(name, type, num_columns));
}

OnnxGraph::Name OnnxGraph::add(std::string_view operation, const std::vector<Name>& inputs,
                               const OperatorAttributes& attributes, std::string_view domain) {
  const Name name = next_name();
  ProtoWriter node;
  for (const Name& input : inputs) node.bytes(1, input);
  node.bytes(2, name).bytes(3, name).bytes(4, operation);
  for (const std::string& attribute : attributes.messages()) node.bytes(5, attribute);
  if (!domain.empty()) node.bytes(7, domain);
  graph_.bytes(1, node.text());
  return name;
}

std::string OnnxGraph::file(const std::vector<std::pair<std::string, std::string>>& notes) const {
  const std::string graph = graph_.text() + ProtoWriter().bytes(2, "forest").text() + outside_.text();
  ProtoWriter model;
  model.whole(1, kIrVersion).bytes(2, "fernwood").bytes(3, build_info().version).bytes(7, graph);
  model.bytes(8, ProtoWriter().bytes(1, "").whole(2, kOperators).text());
  model.bytes(8, ProtoWriter().bytes(1, "ai.onnx.ml").whole(2, kTreeOperators).text());
  for (const auto& [key, value] : notes) model.bytes(14, ProtoWriter().bytes(1, key).bytes(2, value).text());
  return model.text();
}

}  // namespace fernwood::records
