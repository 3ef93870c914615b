// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/state_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "backbone/import/pickle.h"
#include "backbone/import/stored_zip.h"
#include "core/half.h"
#include "core/saturated.h"
#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

using Kind = PickleValue::Kind;
using Bytes = std::span<const std::uint8_t>;

constexpr std::string_view kRebuild = "torch._utils _rebuild_tensor_v2", kParameter = "torch._utils _rebuild_parameter";
constexpr std::int64_t kLegacyMagic = static_cast<std::int64_t>(0xa86a20f9469cfc6cu);  // its lowest 64 bits
constexpr std::size_t kMostDimensions = 8;
constexpr std::uint8_t kFirstOfPickles = 0x80;

/// A number type of storages.
struct NumberType {
  std::string_view function;
  std::size_t size_bytes;
  float (*read)(const std::uint8_t* bytes);
};

template <typename Number>
float read_number(const std::uint8_t* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(number));
  return static_cast<float>(number);
}

float read_half(const std::uint8_t* bytes) {
  std::uint16_t half;
  std::memcpy(&half, bytes, sizeof(half));
  return from_half(half);
}

float read_bfloat(const std::uint8_t* bytes) {
  std::uint16_t upper;
  std::memcpy(&upper, bytes, sizeof(upper));
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
}

constexpr NumberType kNumberTypes[] = {{"torch FloatStorage", 4, read_number<float>},
                                       {"torch DoubleStorage", 8, read_number<double>},
                                       {"torch HalfStorage", 2, read_half},
                                       {"torch BFloat16Storage", 2, read_bfloat},
                                       {"torch LongStorage", 8, read_number<std::int64_t>},
                                       {"torch IntStorage", 4, read_number<std::int32_t>}};

const NumberType* number_type(std::string_view function) {
  const auto* found = std::ranges::find(kNumberTypes, function, &NumberType::function);
  return found == std::end(kNumberTypes) ? nullptr : found;
}

bool allows(std::string_view function) {
  return function == "collections OrderedDict" || function == kRebuild || function == kParameter ||
         number_type(function) != nullptr;
}

/// A block of numbers that tensors refer to.
struct Storage {
  const NumberType* type;
  std::uint64_t count;
  Bytes bytes = {};
};

/// Reads one state dictionary.
class StateReader {
 public:
  StateReader(std::size_t file_bytes, const ErrorContext& place) : file_bytes_(file_bytes), place_(place) {}

  /// Finds the tensors of a dictionary and their storages.
  void find_tensors(const PickleValue& root);
  std::map<std::string, Storage>& storages() { return storages_; }
  StateDict read() const;

 private:
  struct Part {
    std::string storage;
    std::uint64_t offset;
    std::vector<std::int64_t> shape, strides;
  };
  void require(bool holds, const std::string& tensor) const {
    FW_CHECK(holds, Data, place_.file << ": what it says of \"" << tensor << "\" is damaged" << place_.remedy);
  }
  std::vector<std::int64_t> sizes_of(const PickleValue& value, const std::string& tensor) const;
  void add_tensor(const std::string& name, const PickleValue& value);

  const std::size_t file_bytes_;
  const ErrorContext& place_;
  std::map<std::string, Storage> storages_;
  std::map<std::string, Part> parts_;
};

std::vector<std::int64_t> StateReader::sizes_of(const PickleValue& value, const std::string& tensor) const {
  require(value.kind == Kind::kTuple && value.items.size() <= kMostDimensions, tensor);
  std::vector<std::int64_t> sizes;
  for (const PickleValue* item : value.items) {
    require(
        item->kind == Kind::kNumber && item->number >= 0 && item->number <= std::numeric_limits<std::int32_t>::max(),
        tensor);
    sizes.push_back(item->number);
  }
  return sizes;
}

void StateReader::add_tensor(const std::string& name, const PickleValue& value) {
  if (value.kind != Kind::kCall) return;  // a number or a string beside the weights
  const auto& arguments = value.items[0]->items;
  if (value.text == kParameter && !arguments.empty() && arguments[0]->text == kRebuild)
    return add_tensor(name, *arguments[0]);
  if (value.text != kRebuild) return;
  require(arguments.size() >= 4 && arguments[0]->kind == Kind::kStored && arguments[1]->kind == Kind::kNumber &&
              arguments[1]->number >= 0,
          name);
  const auto& stored = arguments[0]->items[0]->items;
  require(stored.size() >= 5 && stored[1]->kind == Kind::kFunction && stored[2]->kind == Kind::kText &&
              stored[4]->kind == Kind::kNumber && stored[4]->number >= 0,
          name);
  const NumberType* type = number_type(stored[1]->text);
  require(type != nullptr, name);
  const Storage storage = {type, static_cast<std::uint64_t>(stored[4]->number)};
  const auto [place, is_new] = storages_.emplace(stored[2]->text, storage);
  require(is_new || (place->second.type == type && place->second.count == storage.count), name);
  Part part = {stored[2]->text, static_cast<std::uint64_t>(arguments[1]->number), sizes_of(*arguments[2], name),
               sizes_of(*arguments[3], name)};
  require(part.shape.size() == part.strides.size(), name);
  FW_CHECK(parts_.emplace(name, std::move(part)).second, Data,
           place_.file << ": has \"" << name << "\" twice" << place_.remedy);
}

void StateReader::find_tensors(const PickleValue& root) {
  FW_CHECK(root.kind == Kind::kDict, Data,
           place_.file << ": is not a dictionary of weights; give a file that torch.save() wrote of a state_dict()");
  for (const auto& [key, value] : root.entries) {
    if (key->kind != Kind::kText) continue;
    if (key->text == "state_dict" && value->kind == Kind::kDict) {
      parts_.clear(), storages_.clear();
      for (const auto& [inner_key, inner] : value->entries)
        if (inner_key->kind == Kind::kText) add_tensor(inner_key->text, *inner);
      return;
    }
    add_tensor(key->text, *value);
  }
}

StateDict StateReader::read() const {
  StateDict tensors;
  std::uint64_t num_values = 0;
  for (const auto& [name, part] : parts_) {
    const Storage& storage = storages_.at(part.storage);
    std::uint64_t last = part.offset, count = 1;
    for (std::size_t d = 0; d < part.shape.size(); ++d) {
      const auto size = static_cast<std::uint64_t>(part.shape[d]), stride = static_cast<std::uint64_t>(part.strides[d]);
      count = saturated_product(count, size);
      last = saturated_sum(last, saturated_product(size - 1, stride));
    }
    // Tensors may share numbers, but a small file must not become a large dictionary.
    num_values = saturated_sum(num_values, count);
    const std::uint64_t stored_bytes = saturated_product(storage.count, storage.type->size_bytes);
    require(count == 0 || (last < storage.count && stored_bytes <= storage.bytes.size() && num_values <= file_bytes_),
            name);
    Tensor& tensor = tensors[name];
    tensor.shape = part.shape;
    tensor.values.resize(count);
    std::vector<std::int64_t> index(part.shape.size(), 0);
    for (float& value : tensor.values) {
      std::uint64_t at = part.offset;
      for (std::size_t d = 0; d < index.size(); ++d) at += static_cast<std::uint64_t>(index[d] * part.strides[d]);
      value = storage.type->read(storage.bytes.data() + at * storage.type->size_bytes);
      for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < part.shape[d]) break;
        index[d] = 0;
      }
    }
  }
  return tensors;
}

void check_byte_order(bool is_little_endian, const ErrorContext& place) {
  FW_CHECK(is_little_endian, Data,
           place.file << ": was written by a big-endian machine; write it again on a little-endian one");
}

StateDict read_archive(Bytes bytes, const ErrorContext& place) {
  const std::map<std::string, Bytes> files = read_stored_zip(bytes, place);
  constexpr std::string_view kPickle = "/data.pkl";
  const auto pickle = std::ranges::find_if(files, [&](const auto& file) { return file.first.ends_with(kPickle); });
  FW_CHECK(pickle != files.end(), Data,
           place.file << ": is an archive without data.pkl; give a file that torch.save() wrote of a state_dict()");
  const std::string folder = pickle->first.substr(0, pickle->first.size() - kPickle.size());
  if (const auto order = files.find(folder + "/byteorder"); order != files.end())
    check_byte_order(
        std::string_view(reinterpret_cast<const char*>(order->second.data()), order->second.size()) == "little", place);
  Unpickler unpickler(allows);
  ByteCursor cursor(pickle->second, place);
  StateReader reader(bytes.size(), place);
  reader.find_tensors(unpickler.next(cursor));
  for (auto& [key, storage] : reader.storages()) {
    const auto file = files.find(folder + "/data/" + key);
    FW_CHECK(file != files.end(), Data, place.file << ": has no numbers \"data/" << key << "\"" << place.remedy);
    storage.bytes = file->second;
  }
  return reader.read();
}

/// The legacy format, several pickles in sequence: a magic number, a version, system information, the dictionary, and
/// the names of storages in the order of their numbers, each of which is preceded by its count.
StateDict read_legacy(Bytes bytes, const ErrorContext& place) {
  FW_CHECK(!bytes.empty() && bytes[0] == kFirstOfPickles, Data,
           place.file << ": is not a file of torch.save(); give one that it wrote of a state_dict()");
  Unpickler unpickler(allows);
  ByteCursor cursor(bytes, place);
  const PickleValue& magic = unpickler.next(cursor);
  FW_CHECK(magic.kind == Kind::kNumber && magic.number == kLegacyMagic, Data,
           place.file << ": is not a file of torch.save(); give one that it wrote of a state_dict()");
  unpickler.next(cursor);
  for (const auto& [key, value] : unpickler.next(cursor).entries)
    if (key->text == "little_endian") check_byte_order(value->number != 0, place);
  StateReader reader(bytes.size(), place);
  reader.find_tensors(unpickler.next(cursor));
  for (const PickleValue* key : unpickler.next(cursor).items) {
    const auto storage = reader.storages().find(key->text);
    FW_CHECK(storage != reader.storages().end(), Data,
             place.file << ": has numbers \"" << key->text << "\" that belong to nothing" << place.remedy);
    FW_CHECK(
        cursor.number(8) == storage->second.count, Data,
        place.file << ": the count of the numbers \"" << key->text << "\" is not the one said before" << place.remedy);
    storage->second.bytes = cursor.take(saturated_product(storage->second.count, storage->second.type->size_bytes));
  }
  return reader.read();
}

}  // namespace

StateDict read_state(Bytes bytes, const ErrorContext& place) {
  return is_zip(bytes) ? read_archive(bytes, place) : read_legacy(bytes, place);
}

}  // namespace fernwood::backbone
