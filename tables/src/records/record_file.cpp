// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/records/record_file.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "core/model_container.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/records/record_bytes.h"
#include "records/columns_header.h"
#include "records/record_arrays.h"

namespace fernwood::records {

using nlohmann::json;

namespace {

constexpr std::uint64_t kMaxForestNodes = 0x7fffffff;  // links to children are int32
constexpr const char* kNumbersFeature = "leaf_numbers";
constexpr const char* kClassRuleFeature = "class_rule";
constexpr const char* kThresholdFeature = "class_threshold";
constexpr const char* kWideFeature = "wide_thresholds";
constexpr const char* kLinearFeature = "linear leaves";
constexpr std::string_view kUnderstood[] = {kColumnsFeature, kTablesFeature,    kExactSetsFeature, kLinearFeature,
                                            kNumbersFeature, kClassRuleFeature, kThresholdFeature, kWideFeature};

/// The contents of a header.
struct RecordHeader {
  RecordForest forest;  ///< Without its trees.
  std::vector<RecordTreeSize> trees;
  std::vector<std::uint64_t> num_words;  ///< [set]
  std::vector<TableSize> table_sizes;    ///< [table]
  std::uint64_t num_terms = 0;           ///< Of all linear leaves.
  RecordArrays arrays;
};

/// Concatenates one part of each tree.
template <typename T, typename Part>
std::vector<T> all_of(const RecordForest& forest, Part RecordTree::*part) {
  std::vector<T> all;
  std::size_t size = 0;
  for (const RecordTree& tree : forest.trees) size += (tree.*part).size();
  all.reserve(size);
  for (const RecordTree& tree : forest.trees) all.insert(all.end(), (tree.*part).begin(), (tree.*part).end());
  return all;
}

Link decode_link(const JsonField& field) {
  for (const Link link : kLinks)
    if (to_string(link) == field.text()) return link;
  field.fail("a link such as mean, logistic, softmax or identity");
}

ClassRule decode_class_rule(const JsonField& field) {
  for (const ClassRule rule : kClassRules)
    if (to_string(rule) == field.text()) return rule;
  field.fail("probability, sum or sum_from_zero");
}

/// @param sizes  With the flags set; its counts are added up here.
RecordArrays decode_arrays(const JsonField& arrays, const RecordHeader& header, ArraySizes sizes) {
  const auto add = [&](std::uint64_t& sum, std::uint64_t count) {
    sum += count;
    if (sum > kMaxModelBytes / 2 / sizeof(double)) arrays.fail("smaller");
  };
  sizes.terms = header.num_terms;
  for (const std::uint64_t of_set : header.num_words) add(sizes.words, of_set);
  for (const TableSize& table : header.table_sizes) {
    add(sizes.keys, table.num_keys);
    add(sizes.table_values, table.num_values());
  }
  for (const RecordTreeSize& tree : header.trees) {
    sizes.nodes += tree.num_nodes;
    sizes.leaves += tree.num_leaves;
    add(sizes.values, tree.num_leaves * tree.width);
    if (tree.is_linear) sizes.linear += tree.num_leaves;
  }
  RecordArrays result = place_record_arrays(header.forest, sizes);
  const std::vector<ModelArray*> listed = RecordArrays::list(result);
  arrays.size(listed.size(), listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) decode_array(arrays.at(i), *listed[i]);
  return result;
}

json encode_float_sums(const FloatSums& sums) {
  json encoded = {{"precision", sums.is_single ? "float32" : "float64"},
                  {"base", sums.base},
                  {"divisor", sums.divisor},
                  {"scale", sums.scale},
                  {"bias", sums.bias}};
  if (!sums.divisors.empty()) encoded["divisors"] = sums.divisors;
  return encoded;
}

FloatSums decode_float_sums(const JsonField& field) {
  const std::string& precision = field.at("precision").text();
  if (precision != "float32" && precision != "float64") field.at("precision").fail("float32 or float64");
  return {.is_single = precision == "float32",
          .base = field.at("base").numbers(1, kMaxClasses),
          .divisor = field.at("divisor").number(),
          .scale = field.at("scale").number(),
          .bias = field.at("bias").numbers(0, kMaxClasses),
          .divisors = field.has("divisors") ? field.at("divisors").numbers(1, kMaxHeaderBytes) : std::vector<double>()};
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
  // Fields that forests of classes trained here do not need are omitted.
  if (!forest.targets.empty()) header["targets"] = forest.targets;
  if (forest.slope != 1) header["slope"] = forest.slope;
  if (forest.float_sums) header["float_sums"] = encode_float_sums(*forest.float_sums);
  if (forest.trees_per_iteration != 1) header["trees_per_iteration"] = forest.trees_per_iteration;
  if (arrays.covers) header["covers"] = true;
  std::vector<std::string_view> required;
  if (!forest.columns.empty()) {
    header["columns"] = encode_columns(forest.columns);
    required.push_back(kColumnsFeature);
    if (!forest.columns.text_attributes.empty()) required.push_back(kTablesFeature);
    if (have_exact_sets(forest.columns)) required.push_back(kExactSetsFeature);
  }
  if (arrays.linear_constants) {
    header["linear"] = {{"zero", forest.linear_zero}, {"num_terms", arrays.linear_coefficients->shape[0]}};
    required.push_back(kLinearFeature);
  }
  const auto require = [&](bool is_present, const char* feature, const json& value) {
    if (!is_present) return;
    header[feature] = value;
    required.push_back(feature);
  };
  require(forest.class_rule != ClassRule::kProbability, kClassRuleFeature, to_string(forest.class_rule));
  require(forest.class_threshold != 0, kThresholdFeature, forest.class_threshold);
  require(arrays.leaf_numbers.has_value(), kNumbersFeature, true);
  require(arrays.wide_thresholds.has_value(), kWideFeature, true);
  for (const ModelArray* array : RecordArrays::list(arrays)) header["arrays"].push_back(encode_array(*array));
  for (const RecordTree& tree : forest.trees) {
    header["trees"].push_back({{"num_nodes", tree.nodes.size()},
                               {"num_leaves", tree.num_leaves()},
                               {"first_output", tree.first_output},
                               {"width", tree.width()}});
    if (!tree.linear_leaves.empty()) header["trees"].back()["linear"] = true;
  }
  return encode_header(std::move(header), required, kRecordModel, place);
}

/// @throws Error(kModel) naming the field that breaks a rule.
RecordHeader decode_record_header(std::string_view text, const ErrorContext& place) {
  const json document = parse_header(text, place);
  const JsonField root(document, "", place);
  check_format(root, kRecordModel, kUnderstood, place);
  RecordHeader header;
  RecordForest& forest = header.forest;
  forest.classes = root.at("classes").texts(0, kMaxClasses);
  if (root.has("targets")) forest.targets = root.at("targets").texts(0, kMaxClasses);
  forest.attributes = root.at("attributes").texts(1, kMaxAttributes);
  forest.link = decode_link(root.at("link"));
  forest.fraction_bits = static_cast<int>(root.at("fraction_bits").whole(0, 30));
  const JsonField base = root.at("base"), trees = root.at("trees");
  const std::size_t num_whole = forest.has_classes() ? forest.num_outputs() : 0;
  base.size(num_whole, num_whole);
  for (std::size_t k = 0; k < num_whole; ++k) forest.base.push_back(base.at(k).integer());
  if (root.has("slope")) forest.slope = root.at("slope").number();
  if (root.has(kClassRuleFeature)) forest.class_rule = decode_class_rule(root.at(kClassRuleFeature));
  if (root.has(kThresholdFeature)) forest.class_threshold = root.at(kThresholdFeature).number();
  if (root.has("float_sums")) forest.float_sums = decode_float_sums(root.at("float_sums"));
  if (root.has("columns")) {
    ColumnsHeader columns = decode_columns(root.at("columns"));
    forest.columns = std::move(columns.rules);
    header.num_words = std::move(columns.num_words);
    header.table_sizes = std::move(columns.table_sizes);
  }
  forest.options_json = root.at("options").object();
  forest.provenance_json = root.at("provenance").object();
  if (root.has("linear")) {
    forest.linear_zero = float_in(root.at("linear").at("zero"));
    header.num_terms = root.at("linear").at("num_terms").whole(0, kMaxModelBytes / (2 * sizeof(double)));
  }
  const std::size_t num_trees = trees.size(0, kMaxHeaderBytes);
  for (std::size_t t = 0; t < num_trees; ++t) {
    const JsonField tree = trees.at(t);
    const std::uint64_t num_nodes = tree.at("num_nodes").whole(1, kMaxForestNodes);
    header.trees.push_back({num_nodes, tree.at("num_leaves").whole(1, num_nodes),
                            tree.at("first_output").whole(0, kMaxClasses), tree.at("width").whole(1, kMaxClasses),
                            tree.has("linear") && tree.at("linear").flag()});
  }
  const bool is_linear = std::ranges::any_of(header.trees, &RecordTreeSize::is_linear);
  if (root.has("linear") != is_linear) trees.fail(is_linear ? "without linear ones" : "with linear ones");
  if (root.has("trees_per_iteration"))
    forest.trees_per_iteration = static_cast<std::uint32_t>(root.at("trees_per_iteration").whole(0, kMaxHeaderBytes));
  const auto is_there = [&](const char* array) { return root.has(array) && root.at(array).flag(); };
  header.arrays = decode_arrays(
      root.at("arrays"), header,
      {.has_covers = is_there("covers"), .has_numbers = is_there(kNumbersFeature), .is_wide = is_there(kWideFeature)});
  return header;
}

/// Reads the elements of an array, part by part.
class Parts {
 public:
  explicit Parts(std::span<const std::uint8_t> bytes) : next_(bytes.data()) {}

  /// @param out  Room for `count` elements.
  template <typename T>
  void copy(T* out, std::size_t count) {
    if (count == 0) return;
    std::memcpy(out, next_, count * sizeof(T));
    next_ += count * sizeof(T);
  }

 private:
  const std::uint8_t* next_;
};

/// The arrays of a file, in its order; those of linear leaves follow.
struct RecordParts {
  RecordParts(const RecordArrays& sizes, ArrayReader& arrays)
      : nodes(arrays.next(sizes.nodes)),
        whole(next(sizes.leaf_values, arrays)),
        values(next(sizes.float_values, arrays)),
        covers(next(sizes.covers, arrays)),
        words(next(sizes.set_words, arrays)),
        keys(next(sizes.table_keys, arrays)),
        table_values(next(sizes.table_values, arrays)),
        numbers(next(sizes.leaf_numbers, arrays)),
        wide(next(sizes.wide_thresholds, arrays)) {}

  Parts nodes, whole, values, covers, words, keys, table_values, numbers, wide;

 private:
  static Parts next(const std::optional<ModelArray>& array, ArrayReader& arrays) {
    return Parts(array ? arrays.next(*array) : std::span<const std::uint8_t>());
  }
};

RecordTree read_record_tree(const RecordTreeSize& size, const RecordArrays& sizes, RecordParts& parts) {
  RecordTree tree;
  tree.nodes.resize(size.num_nodes);
  parts.nodes.copy(tree.nodes.data(), tree.nodes.size());
  tree.first_output = static_cast<std::uint32_t>(size.first_output);
  if (sizes.leaf_values) tree.leaf_values = Array2<std::int32_t>(size.num_leaves, size.width);
  if (sizes.float_values) tree.float_values = Array2<double>(size.num_leaves, size.width);
  if (sizes.covers) tree.covers.resize(size.num_nodes);
  if (sizes.leaf_numbers) tree.leaf_numbers.resize(size.num_leaves);
  if (sizes.wide_thresholds) tree.wide_thresholds.resize(size.num_nodes);
  parts.whole.copy(tree.leaf_values.data(), tree.leaf_values.size());
  parts.values.copy(tree.float_values.data(), tree.float_values.size());
  parts.covers.copy(tree.covers.data(), tree.covers.size());
  parts.numbers.copy(tree.leaf_numbers.data(), tree.leaf_numbers.size());
  parts.wide.copy(tree.wide_thresholds.data(), tree.wide_thresholds.size());
  return tree;
}

LinearArrays read_linear(const RecordArrays& sizes, ArrayReader& arrays) {
  LinearArrays linear;
  const auto read = [&](const ModelArray& array, auto& out) {
    out.resize(array.shape[0]);
    Parts(arrays.next(array)).copy(out.data(), out.size());
  };
  read(*sizes.linear_constants, linear.constants);
  read(*sizes.linear_terms, linear.num_terms);
  read(*sizes.linear_attributes, linear.attributes);
  read(*sizes.linear_coefficients, linear.coefficients);
  return linear;
}

/// @param columns  Its sets and tables are filled.
void read_column_data(const RecordHeader& header, RecordParts& parts, ColumnRules& columns) {
  for (std::size_t i = 0; i < header.num_words.size(); ++i) {
    std::vector<std::uint64_t>& of_set = columns.sets[i].words;
    of_set.resize(header.num_words[i]);
    parts.words.copy(of_set.data(), of_set.size());
  }
  for (std::size_t i = 0; i < header.table_sizes.size(); ++i) {
    CategoryTable& table = columns.tables[i];
    const TableSize& size = header.table_sizes[i];
    table.keys.resize(size.num_keys);
    parts.keys.copy(table.keys.data(), table.keys.size());
    table.values = Array2<float>(size.num_keys + 1, size.num_columns);
    parts.table_values.copy(table.values.data(), table.values.size());
  }
}

/// The content of the arrays of a forest.
struct RecordContent {
  explicit RecordContent(const RecordForest& forest);
  ArraySizes sizes(const RecordForest& forest) const;
  /// The arrays with their content, in the order of the file. @param arrays  Are signed.
  std::vector<ArraySource> sign_all(RecordArrays& arrays) const;

  std::vector<RecordNode> nodes;
  std::vector<std::int32_t> whole, numbers;
  std::vector<double> values, covers, wide;
  std::vector<std::uint64_t> words, keys;
  std::vector<float> table_values;
  LinearArrays linear;
};

RecordContent::RecordContent(const RecordForest& forest)
    : nodes(all_of<RecordNode>(forest, &RecordTree::nodes)),
      whole(all_of<std::int32_t>(forest, &RecordTree::leaf_values)),
      numbers(all_of<std::int32_t>(forest, &RecordTree::leaf_numbers)),
      values(all_of<double>(forest, &RecordTree::float_values)),
      covers(all_of<double>(forest, &RecordTree::covers)),
      wide(all_of<double>(forest, &RecordTree::wide_thresholds)),
      linear(linear_arrays_of(forest)) {
  for (const CategorySet& set : forest.columns.sets) words.insert(words.end(), set.words.begin(), set.words.end());
  for (const CategoryTable& table : forest.columns.tables) {
    keys.insert(keys.end(), table.keys.begin(), table.keys.end());
    table_values.insert(table_values.end(), table.values.begin(), table.values.end());
  }
}

ArraySizes RecordContent::sizes(const RecordForest& forest) const {
  return {.nodes = nodes.size(),
          .leaves = numbers.size(),
          .values = forest.has_classes() ? whole.size() : values.size(),
          .words = words.size(),
          .keys = keys.size(),
          .table_values = table_values.size(),
          .linear = linear.constants.size(),
          .terms = linear.coefficients.size(),
          .has_covers = !covers.empty(),
          .has_numbers = !numbers.empty(),
          .is_wide = !wide.empty()};
}

std::vector<ArraySource> RecordContent::sign_all(RecordArrays& arrays) const {
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
  if (arrays.table_keys) take(*arrays.table_keys, keys.data());
  if (arrays.table_values) take(*arrays.table_values, table_values.data());
  if (arrays.leaf_numbers) take(*arrays.leaf_numbers, numbers.data());
  if (arrays.wide_thresholds) take(*arrays.wide_thresholds, wide.data());
  if (arrays.linear_constants) {
    take(*arrays.linear_constants, linear.constants.data());
    take(*arrays.linear_terms, linear.num_terms.data());
    take(*arrays.linear_attributes, linear.attributes.data());
    take(*arrays.linear_coefficients, linear.coefficients.data());
  }
  return sources;
}

}  // namespace

void write_records(const RecordForest& forest, const std::string& name, std::ostream& out) {
  const DefaultFloats floats;
  const ErrorContext place = saving(name);
  check_records(forest, name);
  const RecordContent content(forest);
  RecordArrays arrays = place_record_arrays(forest, content.sizes(forest));
  const std::vector<ArraySource> sources = content.sign_all(arrays);
  const std::string header = encode_record_header(forest, arrays, place);
  decode_record_header(header, place);  // a header that a reader would reject is not written
  write_container(out, header, sources);
}

RecordForest read_records(std::span<const std::uint8_t> bytes, const std::string& name) {
  const DefaultFloats floats;
  const ErrorContext place = loading(name);
  const std::string_view text = header_text(bytes, kRecordModel.maker, place);
  RecordHeader header = decode_record_header(text, place);
  const RecordArrays& sizes = header.arrays;
  std::uint64_t data_bytes = 0;  // empty arrays at the end are not aligned
  for (const ModelArray* array : RecordArrays::list(sizes))
    if (array->size_bytes > 0) data_bytes = array->end();
  ArrayReader arrays(bytes, text.size(), data_bytes, place);
  RecordParts parts(sizes, arrays);
  RecordForest forest = std::move(header.forest);
  for (const RecordTreeSize& size : header.trees) forest.trees.push_back(read_record_tree(size, sizes, parts));
  if (sizes.linear_constants) take_linear_leaves(header.trees, read_linear(sizes, arrays), forest, place);
  read_column_data(header, parts, forest.columns);
  check_records(forest, name);
  return forest;
}

void save_records(const RecordForest& forest, const std::filesystem::path& path, NamedBy named_by) {
  write_file_atomically(path, named_by, [&](std::ostream& out) { write_records(forest, path.string(), out); });
}

RecordForest load_records(const std::filesystem::path& path) { return read_records(read_file(path), path.string()); }

}  // namespace fernwood::records
