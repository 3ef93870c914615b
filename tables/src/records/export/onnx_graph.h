// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/protobuf.h"

namespace fernwood::records {

/// Types of tensors, with their numbers in ONNX (onnx.proto, TensorProto.DataType).
enum class OnnxType { kFloat = 1, kByte = 2, kInt32 = 6, kInt64 = 7, kDouble = 11 };

template <typename T>
inline constexpr OnnxType kOnnxType = OnnxType::kFloat;
template <>
inline constexpr OnnxType kOnnxType<std::uint8_t> = OnnxType::kByte;
template <>
inline constexpr OnnxType kOnnxType<std::int32_t> = OnnxType::kInt32;
template <>
inline constexpr OnnxType kOnnxType<std::int64_t> = OnnxType::kInt64;
template <>
inline constexpr OnnxType kOnnxType<double> = OnnxType::kDouble;

/// A tensor in the encoding of ONNX.
template <typename T>
std::string onnx_tensor(const std::vector<T>& values, const std::vector<std::size_t>& shape,
                        std::string_view name = {}) {
  ProtoWriter tensor;
  for (const std::size_t size : shape) tensor.whole(1, size);
  tensor.whole(2, static_cast<std::uint64_t>(kOnnxType<T>));
  if (!name.empty()) tensor.bytes(8, name);
  return tensor.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}).text();
}

/// Attributes of an operator.
class OperatorAttributes {
 public:
  OperatorAttributes& whole(std::string_view name, std::int64_t value);
  OperatorAttributes& wholes(std::string_view name, const std::vector<std::int64_t>& values);
  template <typename T>
  OperatorAttributes& tensor(std::string_view name, const std::vector<T>& values) {
    return add(name, kTensor, ProtoWriter().bytes(5, onnx_tensor(values, {values.size()})));
  }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  enum Kind { kWhole = 2, kTensor = 4, kWholes = 7 };
  OperatorAttributes& add(std::string_view name, Kind kind, const ProtoWriter& value);

  std::vector<std::string> messages_;
};

/// Builds a graph of operators. Values are identified by name; each is the output of the operator that add() appended.
class OnnxGraph {
 public:
  using Name = std::string;

  /// Declares an input: a matrix with one row for each record.
  Name input(const std::string& name, OnnxType type, std::size_t num_columns);
  /// Declares an output. @param num_columns  0: one number for each record.
  void output(const Name& value, const std::string& name, OnnxType type, std::size_t num_columns);

  template <typename T>
  Name constant(const std::vector<T>& values, const std::vector<std::size_t>& shape) {
    const Name name = next_name();
    graph_.bytes(5, onnx_tensor(values, shape, name));
    return name;
  }
  /// A scalar, which broadcasts to every shape.
  template <typename T>
  Name constant(T value) {
    return constant(std::vector<T>{value}, {});
  }
  Name add(std::string_view operation, const std::vector<Name>& inputs, const OperatorAttributes& attributes = {},
           std::string_view domain = {});
  Name cast(const Name& value, OnnxType type) {
    return add("Cast", {value}, OperatorAttributes().whole("to", static_cast<std::int64_t>(type)));
  }

  /// The bytes of a model file. @param notes  Metadata: pairs of name and text.
  std::string file(const std::vector<std::pair<std::string, std::string>>& notes) const;

 private:
  Name next_name() { return "v" + std::to_string(count_++); }

  std::size_t count_ = 0;
  ProtoWriter graph_, outside_;  ///< Constants and operators; inputs and outputs.
};

}  // namespace fernwood::records
