// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/import/onnx_trees.h"

#include <bit>
#include <cstring>
#include <span>

#include "core/protobuf.h"
#include "fernwood/core/error.h"

namespace fernwood::records {

namespace {

using OnnxBytes = std::span<const std::uint8_t>;

// Numbers of fields in onnx.proto.
namespace model_field {
constexpr std::uint32_t kProducer = 2, kProducerVersion = 3, kGraph = 7;
}
namespace graph_field {
constexpr std::uint32_t kNode = 1, kInitializer = 5, kInput = 11;
}
namespace node_field {
constexpr std::uint32_t kInput = 1, kOutput = 2, kType = 4, kAttribute = 5, kDomain = 7;
}
namespace attribute_field {
constexpr std::uint32_t kName = 1, kReal = 2, kWhole = 3, kText = 4, kTensor = 5, kReals = 7, kWholes = 8, kTexts = 9;
}
namespace tensor_field {
constexpr std::uint32_t kType = 2, kReals = 4, kWhole32 = 5, kWhole64 = 7, kName = 8, kRaw = 9, kDoubles = 10,
                        kLocation = 14;
}
// Of an input: name, type.tensor_type.shape.dim[1].dim_value.
namespace input_field {
constexpr std::uint32_t kName = 1, kType = 2, kTensorType = 1, kShape = 2, kDim = 1, kDimValue = 1;
}

// Types of the numbers of tensors.
constexpr std::uint64_t kFloat32 = 1, kUint8 = 2, kInt64 = 7, kFloat64 = 11;

/// Appends packed numbers, or a single one.
void add_wholes(const ProtoField& field, std::vector<std::int64_t>& to, const ErrorContext& place) {
  if (!field.has_bytes) return to.push_back(static_cast<std::int64_t>(field.value));
  ProtoReader packed(field.bytes, place);
  while (const auto number = packed.next_packed()) to.push_back(static_cast<std::int64_t>(*number));
}

/// Appends packed values of type `Number`, little endian.
template <typename Number, typename To>
void add_packed(OnnxBytes bytes, std::vector<To>& to) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    to.push_back(static_cast<To>(number));
  }
}

void add_floats(const ProtoField& field, std::vector<double>& to) {
  if (field.has_bytes) return add_packed<float>(field.bytes, to);
  to.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
}

void add_doubles(const ProtoField& field, std::vector<double>& to) {
  if (field.has_bytes) return add_packed<double>(field.bytes, to);
  to.push_back(std::bit_cast<double>(field.value));
}

/// @param name  Written: the tensor's name.
OnnxValue read_tensor(OnnxBytes bytes, std::string_view* name, const ErrorContext& place) {
  OnnxValue value;
  std::uint64_t type = 0;
  OnnxBytes raw;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case tensor_field::kType:
        type = field->value;
        break;
      case tensor_field::kName:
        *name = field->text();
        break;
      case tensor_field::kReals:
        add_floats(*field, value.reals);
        break;
      case tensor_field::kDoubles:
        add_doubles(*field, value.reals);
        break;
      case tensor_field::kWhole32:
      case tensor_field::kWhole64:
        add_wholes(*field, value.whole, place);
        break;
      case tensor_field::kRaw:
        raw = field->bytes;
        break;
      case tensor_field::kLocation:
        FW_CHECK(field->value == 0, Model,
                 place.file << " has numbers in another file; save the model with them, as by "
                            << "onnx.save(model, path, save_as_external_data=False)");
        break;
      default:
        break;
    }
  value.is_double = type == kFloat64;
  if (type == kFloat32) add_packed<float>(raw, value.reals);
  if (type == kFloat64) add_packed<double>(raw, value.reals);
  if (type == kUint8) add_packed<std::uint8_t>(raw, value.whole);
  if (type == kInt64) add_packed<std::int64_t>(raw, value.whole);
  return value;
}

void read_attribute(OnnxBytes bytes, OnnxOperator& owner, const ErrorContext& place) {
  std::string_view name, unused;
  OnnxValue value;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case attribute_field::kName:
        name = field->text();
        break;
      case attribute_field::kReal:
      case attribute_field::kReals:
        add_floats(*field, value.reals);
        break;
      case attribute_field::kWhole:
      case attribute_field::kWholes:
        add_wholes(*field, value.whole, place);
        break;
      case attribute_field::kText:
      case attribute_field::kTexts:
        value.texts.push_back(field->text());
        break;
      case attribute_field::kTensor:
        value = read_tensor(field->bytes, &unused, place);
        break;
      default:
        break;
    }
  owner.attributes[name] = std::move(value);
}

OnnxOperator read_operator(OnnxBytes bytes, const ErrorContext& place) {
  OnnxOperator read;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case node_field::kInput:
        read.inputs.push_back(field->text());
        break;
      case node_field::kOutput:
        read.outputs.push_back(field->text());
        break;
      case node_field::kType:
        read.type = field->text();
        break;
      case node_field::kDomain:
        read.domain = field->text();
        break;
      case node_field::kAttribute:
        read_attribute(field->bytes, read, place);
        break;
      default:
        break;
    }
  return read;
}

/// The message in the last field with a number; empty where there is none.
OnnxBytes message_in(OnnxBytes bytes, std::uint32_t number, const ErrorContext& place) {
  OnnxBytes found;
  for (ProtoReader fields(bytes, place); const auto field = fields.next();)
    if (field->number == number) found = field->bytes;
  return found;
}

/// The number of columns of an input of two dimensions.
std::optional<std::uint64_t> read_columns(OnnxBytes input, const ErrorContext& place) {
  OnnxBytes shape = message_in(input, input_field::kType, place);
  shape = message_in(message_in(shape, input_field::kTensorType, place), input_field::kShape, place);
  std::vector<std::uint64_t> sizes;
  for (ProtoReader fields(shape, place); const auto dim = fields.next();) {
    if (dim->number != input_field::kDim) continue;
    sizes.push_back(0);
    for (ProtoReader parts(dim->bytes, place); const auto part = parts.next();)
      if (part->number == input_field::kDimValue && !part->has_bytes) sizes.back() = part->value;
  }
  if (sizes.size() != 2 || sizes[1] == 0) return std::nullopt;
  return sizes[1];
}

void read_graph(OnnxBytes bytes, OnnxModel& model, const ErrorContext& place) {
  for (ProtoReader fields(bytes, place); const auto field = fields.next();) switch (field->number) {
      case graph_field::kNode:
        model.operators.push_back(read_operator(field->bytes, place));
        break;
      case graph_field::kInitializer: {
        std::string_view name;
        OnnxValue value = read_tensor(field->bytes, &name, place);
        model.constants[name] = std::move(value);
        break;
      }
      case graph_field::kInput: {
        std::string_view name;
        for (ProtoReader parts(field->bytes, place); const auto part = parts.next();)
          if (part->number == input_field::kName) name = part->text();
        model.inputs[name] = read_columns(field->bytes, place);
        break;
      }
      default:
        break;
    }
}

}  // namespace

bool is_onnx(std::string_view bytes) {
  constexpr char kVersionKey = 0x08, kLaterVersions = 0x20;
  return bytes.size() > 2 && bytes[0] == kVersionKey && bytes[1] > 0 && bytes[1] < kLaterVersions;
}

OnnxModel read_onnx_model(std::string_view bytes, const ErrorContext& place) {
  OnnxModel model;
  const OnnxBytes message(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::string version;
  for (ProtoReader fields(message, place); const auto field = fields.next();) switch (field->number) {
      case model_field::kProducer:
        model.producer = field->text();
        break;
      case model_field::kProducerVersion:
        version = field->text();
        break;
      case model_field::kGraph:
        read_graph(field->bytes, model, place);
        break;
      default:
        break;
    }
  if (!version.empty()) model.producer += " " + version;
  return model;
}

}  // namespace fernwood::records
