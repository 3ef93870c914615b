// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <cstring>

#include "fernwood/core/file.h"
#include "records/record_bytes.h"
#include "records/record_header.h"

namespace fernwood::records {

namespace {

/// The elements of an array, part after part.
class Parts {
 public:
  explicit Parts(std::span<const std::uint8_t> bytes) : next_(bytes.data()) {}

  /// @param out  Room for so many elements.
  template <typename T>
  void copy(T* out, std::size_t count) {
    std::memcpy(out, next_, count * sizeof(T));
    next_ += count * sizeof(T);
  }

 private:
  const std::uint8_t* next_;
};

}  // namespace

void write_records(const RecordForest& forest, const std::string& name, std::ostream& out) {
  const ModelPlace place = saving(name);
  check_records(forest, name);
  std::vector<RecordNode> nodes;
  std::vector<std::int32_t> values;
  for (const RecordTree& tree : forest.trees) {
    nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
    values.insert(values.end(), tree.leaf_values.begin(), tree.leaf_values.end());
  }
  RecordArrays arrays = place_record_arrays(nodes.size(), values.size());
  sign(arrays.nodes, nodes.data());
  sign(arrays.leaf_values, values.data());
  const std::string header = encode_record_header(forest, arrays, place);
  decode_record_header(header, place);  // what a reader would refuse is not written
  write_container(out, header, {{&arrays.nodes, nodes.data()}, {&arrays.leaf_values, values.data()}});
}

RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name) {
  const ModelPlace place = loading(name);
  const std::string_view text = header_text(bytes, kRecordModel.maker, place);
  RecordHeader header = decode_record_header(text, place);
  ArrayReader arrays(bytes, text.size(), header.arrays.leaf_values.end(), place);
  Parts nodes(arrays.next(header.arrays.nodes)), values(arrays.next(header.arrays.leaf_values));
  RecordForest forest = std::move(header.forest);
  for (const RecordTreeSize& size : header.trees) {
    RecordTree& tree = forest.trees.emplace_back();
    tree.nodes.resize(size.num_nodes);
    tree.leaf_values = Array2<std::int32_t>(size.num_leaves, size.width);
    tree.first_output = static_cast<std::uint32_t>(size.first_output);
    nodes.copy(tree.nodes.data(), tree.nodes.size());
    values.copy(tree.leaf_values.data(), tree.leaf_values.size());
  }
  check_records(forest, name);
  return forest;
}

void save_records(const RecordForest& forest, const std::filesystem::path& path) {
  write_file_atomically(path, [&](std::ostream& out) { write_records(forest, path.string(), out); });
}

RecordForest load_records(const std::filesystem::path& path) { return read_records(read_file(path), path.string()); }

}  // namespace fernwood::records
