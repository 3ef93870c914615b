// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <cstring>

#include "core/model_container.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/records/record_bytes.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

constexpr std::uint64_t kMaxNodes = 0x7fffffff;  // children are found by an int32

/// Sizes of one tree's parts of the arrays.
struct RecordTreeSize {
  std::uint64_t num_nodes, num_leaves, first_output, width;
};

/// The two arrays of a file: nodes and leaf values of all trees, one tree after another.
struct RecordArrays {
  ModelArray nodes, leaf_values;
};

/// What a header says.
struct RecordHeader {
  RecordForest forest;  ///< Its trees are still missing.
  std::vector<RecordTreeSize> trees;
  RecordArrays arrays;
};

Link decode_link(const JsonField& field) {
  for (const Link link : kLinks)
    if (to_string(link) == field.text()) return link;
  field.fail("mean, logistic or softmax");
}

/// Where they lie; without checksums.
RecordArrays place_record_arrays(std::uint64_t num_nodes, std::uint64_t num_values) {
  const ModelArray nodes{"nodes", "record_node", {num_nodes}, 0, num_nodes * sizeof(RecordNode), ""};
  return {nodes, {"leaf_values", "int32", {num_values}, aligned(nodes.end()), num_values * sizeof(std::int32_t), ""}};
}

RecordArrays decode_arrays(const JsonField& arrays, const std::vector<RecordTreeSize>& trees) {
  std::uint64_t num_nodes = 0, num_values = 0;
  for (const RecordTreeSize& tree : trees) {
    num_nodes += tree.num_nodes;
    num_values += tree.num_leaves * tree.width;
    if (num_values * sizeof(std::int32_t) > kMaxModelBytes / 2) arrays.fail("smaller");
  }
  RecordArrays result = place_record_arrays(num_nodes, num_values);
  arrays.size(2, 2);
  decode_array(arrays.at(std::size_t{0}), result.nodes);
  decode_array(arrays.at(1), result.leaf_values);
  return result;
}

/// The canonical JSON header. @throws Error(kModel) for texts that are not UTF-8 or not JSON.
std::string encode_record_header(const RecordForest& forest, const RecordArrays& arrays, const ErrorContext& place) {
  json header = {{"classes", forest.classes},
                 {"attributes", forest.attributes},
                 {"link", to_string(forest.link)},
                 {"fraction_bits", forest.fraction_bits},
                 {"base", forest.base},
                 {"options", canonical_object(forest.options_json, "options_json", place)},
                 {"provenance", canonical_object(forest.provenance_json, "provenance_json", place)},
                 {"trees", json::array()},
                 {"arrays", {encode_array(arrays.nodes), encode_array(arrays.leaf_values)}}};
  for (const RecordTree& tree : forest.trees)
    header["trees"].push_back({{"num_nodes", tree.nodes.size()},
                               {"num_leaves", tree.num_leaves()},
                               {"first_output", tree.first_output},
                               {"width", tree.leaf_values.cols()}});
  return encode_header(std::move(header), {}, kRecordModel, place);
}

/// @throws Error(kModel) naming the field that breaks a rule.
RecordHeader decode_record_header(std::string_view text, const ErrorContext& place) {
  const json document = parse_header(text, place);
  const JsonField root(document, "", place);
  check_format(root, kRecordModel, {}, place);
  RecordHeader header;
  RecordForest& forest = header.forest;
  forest.classes = root.at("classes").texts(1, kMostClasses);
  forest.attributes = root.at("attributes").texts(1, kMostAttributes);
  forest.link = decode_link(root.at("link"));
  forest.fraction_bits = static_cast<int>(root.at("fraction_bits").whole(0, 30));
  const JsonField base = root.at("base"), trees = root.at("trees");
  base.size(forest.num_outputs(), forest.num_outputs());
  for (std::size_t k = 0; k < forest.num_outputs(); ++k) forest.base.push_back(base.at(k).integer());
  forest.options_json = root.at("options").object();
  forest.provenance_json = root.at("provenance").object();
  const std::size_t num_trees = trees.size(0, kMaxHeaderBytes);
  for (std::size_t t = 0; t < num_trees; ++t) {
    const JsonField tree = trees.at(t);
    const std::uint64_t num_nodes = tree.at("num_nodes").whole(1, kMaxNodes);
    header.trees.push_back({num_nodes, tree.at("num_leaves").whole(1, num_nodes),
                            tree.at("first_output").whole(0, kMostClasses), tree.at("width").whole(1, kMostClasses)});
  }
  header.arrays = decode_arrays(root.at("arrays"), header.trees);
  return header;
}

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
  const DefaultFloats floats;
  const ErrorContext place = saving(name);
  check_records(forest, name);
  std::vector<RecordNode> nodes;
  std::vector<std::int32_t> values;
  std::size_t num_values = 0;
  for (const RecordTree& tree : forest.trees) num_values += tree.leaf_values.size();
  values.reserve(num_values);
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
  const DefaultFloats floats;
  const ErrorContext place = loading(name);
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

void save_records(const RecordForest& forest, const std::filesystem::path& path, NamedBy named_by) {
  write_file_atomically(
      path, [&](std::ostream& out) { write_records(forest, path.string(), out); }, Durability::kPowerFailure, named_by);
}

RecordForest load_records(const std::filesystem::path& path) { return read_records(read_file(path), path.string()); }

}  // namespace fernwood::records
