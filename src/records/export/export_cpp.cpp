// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <map>
#include <ostream>
#include <string_view>
#include <type_traits>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/records/record_file.h"

namespace fernwood::records {

namespace {

constexpr const char* kTypes = R"(
namespace detail {

/// An inner node: records with a value up to the threshold continue at node `child`, others at `child + 1`; unknown values
/// (NaN) continue at `child` if nan_left is 1. In a leaf, ~child is the index of its values.
struct Node {
  float threshold;
  std::int32_t child;
  std::uint16_t attribute;
  std::uint16_t nan_left;
};

/// Each leaf of the tree adds `width` values to the sums, beginning at sum `first_output`.
struct Tree {
  std::int32_t root, first_output, width;
};

)";

/// Written only if the forest has column rules.
constexpr const char* kRuleTypes = R"(
/// Values of an attribute from low to high mean "unknown".
struct Missing {
  int attribute;
  float low, high;
};

/// A set of categories. A value's category is its whole part; bit c of the words is set if category c is in the set.
struct Set {
  int attribute;
  float first;  // smaller values are negative
  bool negative_in, large_in, unknown_in;  // whether negative, too large and unknown values are in the set
  bool is_whole, is_exact;  // a value with a fraction counts as unknown, or as negative
  std::uint32_t first_word, num_words;
};
)";

constexpr const char* kRuleReader = R"(
/// The value of an attribute; NaN if it is unknown.
inline float attribute_of(const float* record, int attribute) {
  const float value = record[attribute];
  bool unknown = false;
  for (const Missing& each : missing)
    unknown = unknown || (each.attribute == attribute && each.low <= value && value <= each.high);
  return unknown ? std::nanf("") : value;
}

inline bool is_in(const Set& set, float value) {
  if (value != value) return set.unknown_in;
  if (value < set.first) return set.negative_in;
  if (set.is_exact && std::trunc(value) != value) return set.negative_in;
  if (set.is_whole && std::trunc(value) != value) return set.unknown_in;
  if (value >= static_cast<float>(64.0 * set.num_words)) return set.large_in;
  const std::uint32_t category = static_cast<std::uint32_t>(value > 0 ? value : 0);
  return ((words[set.first_word + category / 64] >> (category % 64)) & 1) != 0;
}

/// The value that a node compares. Columns from num_attributes on belong to sets: 0 if the set contains the value, else 1.
inline float column_of(const float* record, int column) {
  if (column < num_attributes) return attribute_of(record, column);
  const Set& set = sets[column - num_attributes];
  return is_in(set, attribute_of(record, set.attribute)) ? 0.0f : 1.0f;
}
)";

constexpr const char* kPlainReader = R"(
inline float column_of(const float* record, int attribute) { return record[attribute]; }
)";

constexpr const char* kSums = R"(
}  // namespace detail

/// Adds up the leaf values of all trees, in the order of the trees. For classes the sums are integers in units of `unit`.
/// @param record  [num_attributes] Unknown values are NaN. @param sums  [num_outputs], written.
inline void sum_trees(const float* record, sum_type* sums) {
  for (int k = 0; k < num_outputs; ++k) sums[k] = detail::base[k];
  for (const detail::Tree& tree : detail::trees) {
    std::int32_t index = tree.root;
    while (detail::nodes[index].child >= 0) {
      const detail::Node& node = detail::nodes[index];
      const float value = detail::column_of(record, node.attribute);
      const bool left = value <= node.threshold || (node.nan_left != 0 && value != value);
      index = node.child + (left ? 0 : 1);
    }
    const sum_type* values = detail::values + ~detail::nodes[index].child;
    for (std::int32_t k = 0; k < tree.width; ++k) sums[tree.first_output + k] += values[k];
  }
)";

constexpr const char* kLogistic = R"(
/// The class of a record, an index of `classes`. @param record  [num_attributes] Unknown values are NaN.
inline int classify(const float* record) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  return sums[0] > 0 ? 1 : 0;
}

/// @param probabilities  [num_classes], written.
inline void classify(const float* record, float* probabilities) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  probabilities[1] = static_cast<float>(1.0 / (1.0 + std::exp(-sums[0] * unit)));
  probabilities[0] = 1.0f - probabilities[1];
}
)";

constexpr const char* kLargest = R"(
/// The class of a record, an index of `classes`: the one with the largest sum, the first of equal ones.
/// @param record  [num_attributes] Unknown values are NaN.
inline int classify(const float* record) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
  int best = 0;
  for (int k = 1; k < num_outputs; ++k)
    if (sums[k] > sums[best]) best = k;
  return best;
}

/// @param probabilities  [num_classes], written.
inline void classify(const float* record, float* probabilities) {
  std::int32_t sums[num_outputs];
  sum_trees(record, sums);
)";
constexpr const char* kSigmoids = R"(  for (int c = 0; c < num_classes; ++c)
    probabilities[c] = static_cast<float>(1.0 / (1.0 + std::exp(-sums[c] * unit)));
}
)";
constexpr const char* kWeights = "  double weights[num_classes], total = 0;\n";
constexpr const char* kMeanWeights = "  for (int c = 0; c < num_classes; ++c) weights[c] = sums[c];\n";
constexpr const char* kSoftmaxWeights = R"(  std::int32_t largest = sums[0];
  for (int c = 1; c < num_classes; ++c) largest = sums[c] > largest ? sums[c] : largest;
  for (int c = 0; c < num_classes; ++c) weights[c] = std::exp((static_cast<double>(sums[c]) - largest) * unit);
)";
constexpr const char* kShares = R"(  for (int c = 0; c < num_classes; ++c) total += weights[c];
  for (int c = 0; c < num_classes; ++c)
    probabilities[c] = static_cast<float>(total > 0 ? weights[c] / total : 1.0 / num_classes);
}
)";

constexpr const char* kPredict = R"(
/// Predicts the targets of a record. @param record  [num_attributes] Unknown values are NaN. @param predicted  [num_targets], written.
inline void predict(const float* record, sum_type* predicted) {
  sum_type sums[num_outputs];
  sum_trees(record, sums);
  for (int k = 0; k < num_targets; ++k) {
    const sum_type sum = sums[k];
    predicted[k] = )";

/// The expression that computes the result of predict_from_sums() from a sum.
std::string expression_of(Link link) {
  switch (link) {
    case Link::kExponential:
      return "std::exp(sum)";
    case Link::kSigmoid:
      return "1 / (1 + std::exp(-(slope * sum)))";
    case Link::kSoftplus:
      return "std::log1p(std::exp(sum))";
    case Link::kSignedSquare:
      return "std::copysign(sum * sum, sum)";
    case Link::kIsolation:
      return "std::exp2(-sum)";
    default:
      return "sum";
  }
}

/// A string literal; bytes other than printable ASCII in octal.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\')
      literal += format_text("\\%03o", static_cast<unsigned>(byte));
    else
      literal += c;
  }
  return literal + '"';
}

/// An exact literal of a number.
std::string literal(float value) {
  if (std::isinf(value)) return value > 0 ? "HUGE_VALF" : "-HUGE_VALF";
  return format_text("%af", static_cast<double>(value));
}
std::string literal(double value) { return format_text("%a", value); }
std::string literal(std::int32_t value) { return std::to_string(value); }

/// Writes the items of an array, several on a line.
template <typename Items, typename Write>
void write_array(std::ostream& out, const char* declaration, const Items& items, const Write& write) {
  constexpr std::size_t kInLine = 8;
  out << "inline constexpr " << declaration << "[] = {";
  std::size_t i = 0;
  for (const auto& item : items) {
    out << (i == 0 ? "\n    " : i % kInLine == 0 ? ",\n    " : ", ") << write(item);
    ++i;
  }
  out << "};\n";
}

/// The trees, with their nodes in one array and the values of their leaves in another, without duplicates.
/// @tparam Sum  Type in which values are added.
template <typename Sum>
struct Tables {
  struct Tree {
    std::int32_t root, first_output, width;
  };
  std::vector<Tree> trees;
  std::vector<RecordNode> nodes;
  std::vector<Sum> values;
};

/// Values of the leaves of a tree.
template <typename Sum>
const auto& values_of_leaves(const RecordTree& tree) {
  if constexpr (std::is_same_v<Sum, std::int32_t>)
    return tree.leaf_values;
  else
    return tree.float_values;
}

/// @throws Error(kResource) when the indices in the header's code cannot address all elements.
template <typename Sum>
Tables<Sum> make_tables(const RecordForest& forest) {
  constexpr std::size_t kMost = 0x7fffffff;
  Tables<Sum> tables;
  std::map<std::vector<Sum>, std::size_t> place_of;
  for (const RecordTree& tree : forest.trees) {
    const auto& leaf_values = values_of_leaves<Sum>(tree);
    const std::size_t root = tables.nodes.size(), width = leaf_values.cols();
    tables.trees.push_back({static_cast<std::int32_t>(root), static_cast<std::int32_t>(tree.first_output),
                            static_cast<std::int32_t>(width)});
    for (RecordNode node : tree.nodes) {
      if (node.is_leaf()) {
        const auto* row = leaf_values.row(static_cast<std::size_t>(node.leaf_index()));
        const auto [found, added] = place_of.try_emplace(std::vector<Sum>(row, row + width), tables.values.size());
        if (added) tables.values.insert(tables.values.end(), found->first.begin(), found->first.end());
        node.child = ~static_cast<std::int32_t>(found->second);
      } else {
        node.child += static_cast<std::int32_t>(root);
      }
      tables.nodes.push_back(node);
    }
    FW_CHECK(tables.nodes.size() <= kMost && tables.values.size() <= kMost, Resource,
             "the forest is too large for a header: it has more than " << kMost << " nodes or values of leaves");
  }
  return tables;
}

/// Reserved words (C++20, [lex.key]), std and main, surrounded by blanks.
constexpr std::string_view kWordsOfCpp =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if "
    "inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast requires return short signed sizeof static static_assert static_cast std "
    "struct switch template this thread_local throw true try typedef typeid typename union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq ";

void check_namespace(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool good = !name.empty() && is_letter(name[0]) && kWordsOfCpp.find(" " + name + " ") == std::string_view::npos;
  for (const char c : name) good = good && (is_letter(c) || is_digit(c) || c == '_');
  require_option(good, "namespace", in_quotes(name), "give letters, digits and _ that may name a namespace of C++");
}

/// Writes the code that reads columns. A C++ array cannot be empty: an entry that matches no value stands for none.
void write_columns(const ColumnRules& rules, std::ostream& out) {
  if (rules.empty()) {
    out << kPlainReader;
    return;
  }
  std::vector<MissingValues> missing = rules.missing;
  if (missing.empty()) missing.push_back({0, 1, 0});
  std::vector<CategorySet> sets = rules.sets;
  if (sets.empty()) sets.push_back({{}, {0}});
  out << kRuleTypes;
  write_array(out, "Missing missing", missing, [](const MissingValues& each) {
    return format_text("{%d, ", each.attribute) + literal(each.low) + ", " + literal(each.high) + "}";
  });
  std::size_t first_word = 0;
  write_array(out, "Set sets", sets, [&](const CategorySet& set) {
    const CategoryBounds& bounds = set.bounds;
    const auto flag = [](bool holds) { return holds ? "true" : "false"; };
    const std::string text = format_text("{%d, ", bounds.attribute) + literal(bounds.first) +
                             format_text(", %s, %s, %s, %s, %s, %zu, %zu}", flag(bounds.negative_in),
                                         flag(bounds.large_in), flag(bounds.unknown_in), flag(bounds.is_whole),
                                         flag(bounds.is_exact), first_word, set.words.size());
    first_word += set.words.size();
    return text;
  });
  std::vector<std::uint64_t> words;
  for (const CategorySet& set : sets) words.insert(words.end(), set.words.begin(), set.words.end());
  write_array(out, "std::uint64_t words", words,
              [](std::uint64_t word) { return format_text("%lluu", static_cast<unsigned long long>(word)); });
  out << kRuleReader;
}

/// Writes the arrays of the trees, and sum_trees() up to the code after the last tree.
template <typename Sum>
void write_trees(const RecordForest& forest, const std::vector<Sum>& base, const char* sum_type, std::ostream& out) {
  const Tables<Sum> tables = make_tables<Sum>(forest);
  const auto number = [](Sum value) { return literal(value); };
  out << "\nusing sum_type = " << sum_type << ";\n" << kTypes;
  write_array(out, "sum_type base", base, number);
  write_array(out, "Tree trees", tables.trees,
              [](const auto& tree) { return format_text("{%d, %d, %d}", tree.root, tree.first_output, tree.width); });
  write_array(out, "Node nodes", tables.nodes, [](const RecordNode& node) {
    return "{" + literal(node.threshold) + format_text(", %d, %d, %d}", node.child, node.attribute, node.nan_left);
  });
  write_array(out, "sum_type values", tables.values, number);
  write_columns(forest.columns, out);
  out << kSums;
}

void write_classes(const RecordForest& forest, std::ostream& out) {
  write_array(out, "const char* classes", forest.classes, quoted);
  write_trees(forest, forest.base, "std::int32_t", out);
  out << "}\n";
  if (forest.link == Link::kLogistic)
    out << kLogistic;
  else if (forest.link == Link::kSigmoid)
    out << kLargest << kSigmoids;
  else
    out << kLargest << kWeights << (forest.link == Link::kMean ? kMeanWeights : kSoftmaxWeights) << kShares;
}

/// @tparam Sum  float or double, the type of the forest's sums.
template <typename Sum>
void write_values(const RecordForest& forest, const char* sum_type, std::ostream& out) {
  const FloatSums& rule = *forest.float_sums;
  const auto number = [](double value) { return literal(static_cast<Sum>(value)); };
  write_array(out, "const char* targets", forest.targets, quoted);
  if (forest.link == Link::kSigmoid)
    out << "inline constexpr " << sum_type << " slope = " << number(forest.slope) << ";\n";
  write_trees(forest, std::vector<Sum>(rule.base.begin(), rule.base.end()), sum_type, out);
  if (rule.divisor != 1) out << "  for (int k = 0; k < num_outputs; ++k) sums[k] /= " << number(rule.divisor) << ";\n";
  if (rule.scale != 1) out << "  for (int k = 0; k < num_outputs; ++k) sums[k] *= " << number(rule.scale) << ";\n";
  for (std::size_t k = 0; k < rule.bias.size(); ++k) out << "  sums[" << k << "] += " << number(rule.bias[k]) << ";\n";
  out << "}\n" << kPredict << expression_of(forest.link) << ";\n  }\n}\n";
}

}  // namespace

void write_cpp(const RecordForest& forest, const std::string& name_space, std::ostream& out) {
  check_namespace(name_space);
  check_records(forest, "the forest");
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree, so that there is nothing to write as source code");
  FW_CHECK(!forest.has_linear_leaves(), Model,
           "the forest has linear functions in its leaves, which are not written as source code; train with constant "
           "leaves");
  FW_CHECK(
      forest.columns.tables.empty(), Model,
      "the forest has tables of categories, which are not written as source code; evaluate it by the program or one "
      "of the libraries, or train on categories as numbers of their own (one-hot)");
  const DefaultFloats floats;
  const ClassicNumbers numbers(out);
  out << "// A forest of " << forest.trees.size() << " trees, written by fernwood " << build_info().version
      << ". C++17 without dependencies.\n"
         "// Compile it without -ffast-math, which assumes that there are no unknown values (NaN)"
      << (forest.has_classes() ? "" : ", and with -ffp-contract=off, so that sums have the same bits")
      << ".\n#pragma once\n\n#include <cmath>\n#include <cstdint>\n\nnamespace " << name_space
      << " {\n\ninline constexpr int num_attributes = " << forest.attributes.size() << ";\ninline constexpr int "
      << (forest.has_classes() ? "num_classes" : "num_targets") << " = " << forest.num_predicted()
      << ";\ninline constexpr int num_outputs = " << forest.num_outputs() << ";\n";
  if (forest.has_classes())
    out << "inline constexpr double unit = " << literal(std::ldexp(1.0, -forest.fraction_bits)) << ";\n";
  out << "\n";
  write_array(out, "const char* attributes", forest.attributes, quoted);
  if (forest.has_classes())
    write_classes(forest, out);
  else if (forest.float_sums->is_single)
    write_values<float>(forest, "float", out);
  else
    write_values<double>(forest, "double", out);
  out << "\n}  // namespace " << name_space << "\n";
}

}  // namespace fernwood::records
