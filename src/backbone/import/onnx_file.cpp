// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/float_network.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/half.h"
#include "core/protobuf.h"
#include "core/saturated.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kMaxOfShape = 8;

// Field numbers of onnx.proto3.
namespace model {
constexpr std::uint32_t kGraph = 7;
}
namespace graph {
constexpr std::uint32_t kNode = 1, kInitializer = 5, kInput = 11;
}
namespace node {
constexpr std::uint32_t kInput = 1, kOutput = 2, kName = 3, kOp = 4, kAttribute = 5;
}
namespace attribute {
constexpr std::uint32_t kName = 1, kFloat = 2, kInt = 3, kString = 4, kTensor = 5, kInts = 8;
}
namespace tensor {
constexpr std::uint32_t kDims = 1, kType = 2, kFloats = 4, kInts = 5, kLongs = 7, kName = 8, kRaw = 9, kDoubles = 10,
                        kLocation = 14;
}
constexpr std::uint32_t kNameOfInput = 1;

// Data types of tensors.
constexpr std::uint64_t kFloat = 1, kInt32 = 6, kInt64 = 7, kHalf = 10, kDouble = 11;

void add_whole(const ProtoField& field, std::vector<std::int64_t>& to, const ErrorContext& place) {
  if (!field.has_bytes) return to.push_back(static_cast<std::int64_t>(field.value));
  ProtoReader packed(field.bytes, place);
  while (const auto number = packed.next_packed()) to.push_back(static_cast<std::int64_t>(*number));
}

template <typename Number, typename Convert>
void add_fixed(Bytes bytes, std::vector<float>& to, const Convert& convert) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    to.push_back(convert(number));
  }
}
constexpr auto kAsFloat = [](auto number) { return static_cast<float>(number); };

/// Reads numbers from the bytes of a tensor, little-endian.
void add_raw(Bytes bytes, std::uint64_t type, std::vector<float>& to) {
  if (type == kFloat) return add_fixed<float>(bytes, to, kAsFloat);
  if (type == kDouble) return add_fixed<double>(bytes, to, kAsFloat);
  if (type == kHalf) return add_fixed<std::uint16_t>(bytes, to, from_half);
  if (type == kInt64) return add_fixed<std::int64_t>(bytes, to, kAsFloat);
  if (type == kInt32) add_fixed<std::int32_t>(bytes, to, kAsFloat);
}

struct NamedTensor {
  std::string name;
  Tensor tensor;
  bool is_known = true;  ///< Its type is supported.
};

NamedTensor read_tensor(Bytes bytes, const ErrorContext& place) {
  NamedTensor named;
  std::uint64_t type = 0;
  Bytes raw;
  std::vector<std::int64_t> whole;
  std::vector<float>& values = named.tensor.values;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case tensor::kDims:
        add_whole(*field, named.tensor.shape, place);
        break;
      case tensor::kType:
        type = field->value;
        break;
      case tensor::kName:
        named.name = field->text();
        break;
      case tensor::kRaw:
        raw = field->bytes;
        break;
      case tensor::kFloats:
        if (field->has_bytes)
          add_fixed<float>(field->bytes, values, kAsFloat);
        else
          values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(field->value)));
        break;
      case tensor::kDoubles:
        add_fixed<double>(field->bytes, values, kAsFloat);
        break;
      case tensor::kInts:
      case tensor::kLongs:
        add_whole(*field, whole, place);
        break;
      case tensor::kLocation:
        FW_CHECK(field->value == 0, Data,
                 place.file << ": its weights lie in another file; save the model with them, as by "
                               "onnx.save(model, path, save_as_external_data=False)");
        break;
      default:
        break;
    }
  add_raw(raw, type, values);
  for (const std::int64_t number : whole)
    values.push_back(type == kHalf ? from_half(static_cast<std::uint16_t>(number)) : static_cast<float>(number));
  constexpr std::uint64_t kTypes[] = {kFloat, kInt32, kInt64, kHalf, kDouble};
  named.is_known = std::ranges::find(kTypes, type) != std::end(kTypes);
  if (!named.is_known) return named;
  std::uint64_t count = 1;
  for (const std::int64_t size : named.tensor.shape)  // one below 0 is too large
    count = saturated_product(count, static_cast<std::uint64_t>(size));
  FW_CHECK(named.tensor.shape.size() <= kMaxOfShape && count == values.size(), Data,
           place.file << ": the array \"" << named.name << "\" has " << values.size()
                      << " numbers, which its shape does not say" << place.remedy);
  return named;
}

/// @param value  Set for the node "Constant".
void read_attribute(Bytes bytes, const ErrorContext& place, OnnxNode& node, std::optional<Tensor>& value) {
  std::string name;
  std::vector<std::int64_t> whole;
  std::optional<float> real;
  std::optional<std::string> text;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case attribute::kName:
        name = field->text();
        break;
      case attribute::kFloat:
        real = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
        break;
      case attribute::kInt:
      case attribute::kInts:
        add_whole(*field, whole, place);
        break;
      case attribute::kString:
        text = field->text();
        break;
      case attribute::kTensor:
        if (NamedTensor named = read_tensor(field->bytes, place); named.is_known) value = std::move(named.tensor);
        break;
      default:
        break;
    }
  if (!whole.empty()) node.whole[name] = std::move(whole);
  if (real) node.real[name] = *real;
  if (text) node.text[name] = *text;
}

OnnxNode read_node(Bytes bytes, const ErrorContext& place, StateDict& tensors) {
  OnnxNode read;
  std::optional<Tensor> value;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case node::kInput:
        read.inputs.emplace_back(field->text());
        break;
      case node::kOutput:
        read.outputs.emplace_back(field->text());
        break;
      case node::kName:
        read.name = field->text();
        break;
      case node::kOp:
        read.op = field->text();
        break;
      case node::kAttribute:
        read_attribute(field->bytes, place, read, value);
        break;
      default:
        break;
    }
  if (read.op == "Constant" && read.outputs.size() == 1 && value) tensors[read.outputs[0]] = std::move(*value);
  return read;
}

OnnxGraph read_graph(Bytes bytes, const ErrorContext& place) {
  OnnxGraph found;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case graph::kNode:
        found.nodes.push_back(read_node(field->bytes, place, found.tensors));
        break;
      case graph::kInitializer:
        if (NamedTensor named = read_tensor(field->bytes, place); named.is_known)
          found.tensors[named.name] = std::move(named.tensor);
        break;
      case graph::kInput:
        for (ProtoReader of_input(field->bytes, place); const auto part = of_input.next();)
          if (part->number == kNameOfInput) found.inputs.emplace_back(part->text());
        break;
      default:
        break;
    }
  std::erase_if(found.inputs, [&](const std::string& name) { return found.tensors.contains(name); });
  return found;
}

}  // namespace

OnnxGraph read_onnx(Bytes bytes, const ErrorContext& place) {
  OnnxGraph found;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();)
    if (field->number == model::kGraph) found = read_graph(field->bytes, place);
  FW_CHECK(!found.nodes.empty(), Data, place.file << " is not an ONNX file, or a damaged one" << place.remedy);
  return found;
}

}  // namespace fernwood::backbone
