// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <cstring>
#include <optional>

#include "core/model_container.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/records/record_bytes.h"
#include "records/columns_header.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

constexpr std::uint64_t kMaxNodes = 0x7fffffff;  // children are found by an int32
constexpr std::string_view kUnderstood[] = {kColumnsFeature};

/// Sizes of one tree's parts of the arrays.
struct RecordTreeSize {
  std::uint64_t num_nodes, num_leaves, first_output, width;
};

/// The arrays of a file, of all trees, one tree after another.
struct RecordArrays {
  ModelArray nodes;
  std::optional<ModelArray> leaf_values, float_values, covers, set_words;

  /// Those that are there, in their order.
  template <typename Arrays>
  static auto list(Arrays& arrays) {
    std::vector<decltype(&arrays.nodes)> listed = {&arrays.nodes};
    for (auto* each : {&arrays.leaf_values, &arrays.float_values, &arrays.covers, &arrays.set_words})
      if (*each) listed.push_back(&**each);
    return listed;
  }
};

/// What a header says.
struct RecordHeader {
  RecordForest forest;  ///< Its trees are still missing.
  std::vector<RecordTreeSize> trees;
  std::vector<std::uint64_t> num_words;  ///< [set]
  RecordArrays arrays;
};

/// The elements of all trees' parts in one array.
template <typename T, typename PartOf>
std::vector<T> all_of(const RecordForest& forest, const PartOf& part_of) {
  std::vector<T> all;
  std::size_t size = 0;
  for (const RecordTree& tree : forest.trees) size += part_of(tree).size();
  all.reserve(size);
  for (const RecordTree& tree : forest.trees) all.insert(all.end(), part_of(tree).begin(), part_of(tree).end());
  return all;
}

Link decode_link(const JsonField& field) {
  for (const Link link : kLinks)
    if (to_string(link) == field.text()) return link;
  field.fail("a link such as mean, logistic, softmax or identity");
}

/// Where they lie; without checksums.
/// @param has_covers  Else what is there follows from the forest.
RecordArrays place_record_arrays(const RecordForest& forest, std::uint64_t num_nodes, std::uint64_t num_values,
                                 std::uint64_t num_words, bool has_covers) {
  RecordArrays arrays;
  arrays.nodes = {"nodes", "record_node", {num_nodes}, 0, num_nodes * sizeof(RecordNode), ""};
  std::uint64_t end = arrays.nodes.end();
  const auto place = [&](const char* name, const char* type, std::uint64_t count, std::size_t element_bytes) {
    const ModelArray array = {name, type, {count}, aligned(end), count * element_bytes, ""};
    end = array.end();
    return array;
  };
  if (forest.has_classes()) arrays.leaf_values = place("leaf_values", "int32", num_values, sizeof(std::int32_t));
  if (forest.float_sums) arrays.float_values = place("float_values", "float64", num_values, sizeof(double));
  if (has_covers) arrays.covers = place("covers", "float64", num_nodes, sizeof(double));
  if (num_words > 0) arrays.set_words = place("set_words", "uint64", num_words, sizeof(std::uint64_t));
  return arrays;
}

RecordArrays decode_arrays(const JsonField& arrays, const RecordHeader& header, bool has_covers) {
  std::uint64_t num_nodes = 0, num_values = 0, num_words = 0;
  for (const std::uint64_t of_set : header.num_words) num_words += of_set;
  if (num_words * sizeof(std::uint64_t) > kMaxModelBytes / 2) arrays.fail("smaller");
  for (const RecordTreeSize& tree : header.trees) {
    num_nodes += tree.num_nodes;
    num_values += tree.num_leaves * tree.width;
    if (num_values * sizeof(double) > kMaxModelBytes / 2) arrays.fail("smaller");
  }
  RecordArrays result = place_record_arrays(header.forest, num_nodes, num_values, num_words, has_covers);
  const std::vector<ModelArray*> listed = RecordArrays::list(result);
  arrays.size(listed.size(), listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) decode_array(arrays.at(i), *listed[i]);
  return result;
}

json encode_float_sums(const FloatSums& sums) {
  return {{"precision", sums.is_single ? "float32" : "float64"},
          {"base", sums.base},
          {"divisor", sums.divisor},
          {"scale", sums.scale},
          {"bias", sums.bias}};
}

FloatSums decode_float_sums(const JsonField& field) {
  const std::string& precision = field.at("precision").text();
  if (precision != "float32" && precision != "float64") field.at("precision").fail("float32 or float64");
  return {precision == "float32", field.at("base").numbers(1, kMostClasses), field.at("divisor").number(),
          field.at("scale").number(), field.at("bias").numbers(0, kMostClasses)};
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
                 {"arrays", json::array()}};
  // What forests of classes that were trained here do not have is not mentioned.
  if (!forest.targets.empty()) header["targets"] = forest.targets;
  if (forest.slope != 1) header["slope"] = forest.slope;
  if (forest.float_sums) header["float_sums"] = encode_float_sums(*forest.float_sums);
  if (arrays.covers) header["covers"] = true;
  std::vector<std::string_view> required;
  if (!forest.columns.empty()) {
    header["columns"] = encode_columns(forest.columns);
    required.push_back(kColumnsFeature);
  }
  for (const ModelArray* array : RecordArrays::list(arrays)) header["arrays"].push_back(encode_array(*array));
  for (const RecordTree& tree : forest.trees)
    header["trees"].push_back({{"num_nodes", tree.nodes.size()},
                               {"num_leaves", tree.num_leaves()},
                               {"first_output", tree.first_output},
                               {"width", tree.width()}});
  return encode_header(std::move(header), required, kRecordModel, place);
}

/// @throws Error(kModel) naming the field that breaks a rule.
RecordHeader decode_record_header(std::string_view text, const ErrorContext& place) {
  const json document = parse_header(text, place);
  const JsonField root(document, "", place);
  check_format(root, kRecordModel, kUnderstood, place);
  RecordHeader header;
  RecordForest& forest = header.forest;
  forest.classes = root.at("classes").texts(0, kMostClasses);
  if (root.has("targets")) forest.targets = root.at("targets").texts(0, kMostClasses);
  forest.attributes = root.at("attributes").texts(1, kMostAttributes);
  forest.link = decode_link(root.at("link"));
  forest.fraction_bits = static_cast<int>(root.at("fraction_bits").whole(0, 30));
  const JsonField base = root.at("base"), trees = root.at("trees");
  const std::size_t num_whole = forest.has_classes() ? forest.num_outputs() : 0;
  base.size(num_whole, num_whole);
  for (std::size_t k = 0; k < num_whole; ++k) forest.base.push_back(base.at(k).integer());
  if (root.has("slope")) forest.slope = root.at("slope").number();
  if (root.has("float_sums")) forest.float_sums = decode_float_sums(root.at("float_sums"));
  if (root.has("columns")) {
    ColumnsHeader columns = decode_columns(root.at("columns"));
    forest.columns = std::move(columns.rules);
    header.num_words = std::move(columns.num_words);
  }
  forest.options_json = root.at("options").object();
  forest.provenance_json = root.at("provenance").object();
  const std::size_t num_trees = trees.size(0, kMaxHeaderBytes);
  for (std::size_t t = 0; t < num_trees; ++t) {
    const JsonField tree = trees.at(t);
    const std::uint64_t num_nodes = tree.at("num_nodes").whole(1, kMaxNodes);
    header.trees.push_back({num_nodes, tree.at("num_leaves").whole(1, num_nodes),
                            tree.at("first_output").whole(0, kMostClasses), tree.at("width").whole(1, kMostClasses)});
  }
  const bool has_covers = root.has("covers") && root.at("covers").flag();
  header.arrays = decode_arrays(root.at("arrays"), header, has_covers);
  return header;
}

/// The elements of an array, part after part.
class Parts {
 public:
  explicit Parts(std::span<const std::uint8_t> bytes) : next_(bytes.data()) {}

  /// @param out  Room for so many elements.
  template <typename T>
  void copy(T* out, std::size_t count) {
    if (count == 0) return;
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
  const auto nodes = all_of<RecordNode>(
      forest, [](const RecordTree& tree) -> auto& { return tree.nodes; });
  const auto whole = all_of<std::int32_t>(
      forest, [](const RecordTree& tree) -> auto& { return tree.leaf_values; });
  const auto values = all_of<double>(
      forest, [](const RecordTree& tree) -> auto& { return tree.float_values; });
  const auto covers = all_of<double>(
      forest, [](const RecordTree& tree) -> auto& { return tree.covers; });
  std::vector<std::uint64_t> words;
  for (const CategorySet& set : forest.columns.sets) words.insert(words.end(), set.words.begin(), set.words.end());
  const std::size_t num_values = forest.has_classes() ? whole.size() : values.size();
  RecordArrays arrays = place_record_arrays(forest, nodes.size(), num_values, words.size(), !covers.empty());
  std::vector<ArraySource> sources;
  const auto take = [&](ModelArray& array, const void* data) {
    sign(array, data);
    sources.push_back({&array, data});
  };
  take(arrays.nodes, nodes.data());
  if (arrays.leaf_values) take(*arrays.leaf_values, whole.data());
  if (arrays.float_values) take(*arrays.float_values, values.data());
  if (arrays.covers) take(*arrays.covers, covers.data());
  if (arrays.set_words) take(*arrays.set_words, words.data());
  const std::string header = encode_record_header(forest, arrays, place);
  decode_record_header(header, place);  // what a reader would refuse is not written
  write_container(out, header, sources);
}

RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name) {
  const DefaultFloats floats;
  const ErrorContext place = loading(name);
  const std::string_view text = header_text(bytes, kRecordModel.maker, place);
  RecordHeader header = decode_record_header(text, place);
  const RecordArrays& sizes = header.arrays;
  ArrayReader arrays(bytes, text.size(), RecordArrays::list(sizes).back()->end(), place);
  Parts nodes(arrays.next(sizes.nodes));
  const auto next = [&](const std::optional<ModelArray>& array) {
    return Parts(array ? arrays.next(*array) : std::span<const std::uint8_t>());
  };
  Parts whole = next(sizes.leaf_values), values = next(sizes.float_values), covers = next(sizes.covers),
        words = next(sizes.set_words);
  RecordForest forest = std::move(header.forest);
  for (const RecordTreeSize& size : header.trees) {
    RecordTree& tree = forest.trees.emplace_back();
    tree.nodes.resize(size.num_nodes);
    nodes.copy(tree.nodes.data(), tree.nodes.size());
    tree.first_output = static_cast<std::uint32_t>(size.first_output);
    if (sizes.leaf_values) tree.leaf_values = Array2<std::int32_t>(size.num_leaves, size.width);
    if (sizes.float_values) tree.float_values = Array2<double>(size.num_leaves, size.width);
    if (sizes.covers) tree.covers.resize(size.num_nodes);
    whole.copy(tree.leaf_values.data(), tree.leaf_values.size());
    values.copy(tree.float_values.data(), tree.float_values.size());
    covers.copy(tree.covers.data(), tree.covers.size());
  }
  for (std::size_t i = 0; i < header.num_words.size(); ++i) {
    std::vector<std::uint64_t>& of_set = forest.columns.sets[i].words;
    of_set.resize(header.num_words[i]);
    words.copy(of_set.data(), of_set.size());
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
