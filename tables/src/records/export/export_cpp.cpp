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
#include "fernwood/records/record_file.h"
#include "records/export/cpp_code.h"

namespace fernwood::records {

namespace {

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
std::string literal(double value) {
  if (std::isinf(value)) return value > 0 ? "HUGE_VAL" : "-HUGE_VAL";
  return format_text("%a", value);
}
std::string literal(std::int32_t value) { return std::to_string(value); }

/// The code for records of 64 bits, or of 32 bits as it is written here.
std::string for_records(std::string code, const RecordForest& forest) {
  constexpr std::string_view kFloats[] = {"const float* record", "float threshold", "const float value",
                                          "inline float ", "& set, float "};
  for (const std::string_view from : kFloats)
    for (std::size_t at = code.find(from); forest.is_wide() && at != std::string::npos; at = code.find(from, at))
      code.replace(code.find("float", at), 5, "double");
  return code;
}

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
  struct Node {
    RecordNode node;
    double threshold;
  };
  std::vector<Node> nodes;
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
  constexpr std::size_t kMaxCount = 0x7fffffff;
  Tables<Sum> tables;
  std::map<std::vector<Sum>, std::size_t> place_of;
  for (const RecordTree& tree : forest.trees) {
    const auto& leaf_values = values_of_leaves<Sum>(tree);
    const std::size_t root = tables.nodes.size(), width = leaf_values.cols();
    tables.trees.push_back({static_cast<std::int32_t>(root), static_cast<std::int32_t>(tree.first_output),
                            static_cast<std::int32_t>(width)});
    for (RecordNode node : tree.nodes) {
      const bool is_wide = forest.is_wide() && node.attribute < forest.attributes.size();
      const double threshold = is_wide ? tree.wide_thresholds[tables.nodes.size() - root] : node.threshold;
      if (node.is_leaf()) {
        const auto* row = leaf_values.row(static_cast<std::size_t>(node.leaf_index()));
        const auto [found, added] = place_of.try_emplace(std::vector<Sum>(row, row + width), tables.values.size());
        if (added) tables.values.insert(tables.values.end(), found->first.begin(), found->first.end());
        node.child = ~static_cast<std::int32_t>(found->second);
      } else {
        node.child += static_cast<std::int32_t>(root);
      }
      tables.nodes.push_back({node, threshold});
    }
    FW_CHECK(tables.nodes.size() <= kMaxCount && tables.values.size() <= kMaxCount, Resource,
             "the forest is too large for a header: it has more than " << kMaxCount << " nodes or values of leaves");
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
  require_option(good, "namespace", in_quotes(name), "use letters, digits and _ that may name a namespace of C++");
}

/// Writes the code that reads columns. A C++ array cannot be empty: an entry that matches no value stands for none.
void write_columns(const RecordForest& forest, std::ostream& out) {
  const ColumnRules& rules = forest.columns;
  if (rules.empty()) {
    out << for_records(kPlainReader, forest);
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
  out << for_records(kRuleReader, forest);
}

/// Writes the arrays of the trees, and sum_trees() up to the code after the last tree.
template <typename Sum>
void write_trees(const RecordForest& forest, const std::vector<Sum>& base, const char* sum_type, std::ostream& out) {
  const Tables<Sum> tables = make_tables<Sum>(forest);
  const auto number = [](Sum value) { return literal(value); };
  out << "\nusing sum_type = " << sum_type << ";\n" << for_records(kTypes, forest);
  write_array(out, "sum_type base", base, number);
  write_array(out, "Tree trees", tables.trees,
              [](const auto& tree) { return format_text("{%d, %d, %d}", tree.root, tree.first_output, tree.width); });
  write_array(out, "Node nodes", tables.nodes, [&](const auto& each) {
    const RecordNode& node = each.node;
    return "{" + (forest.is_wide() ? literal(each.threshold) : literal(node.threshold)) +
           format_text(", %d, %d, %d}", node.child, node.attribute, node.nan_left);
  });
  write_array(out, "sum_type values", tables.values, number);
  write_columns(forest, out);
  out << for_records(kSums, forest);
}

void write_classes(const RecordForest& forest, std::ostream& out) {
  write_array(out, "const char* classes", forest.classes, quoted);
  write_trees(forest, forest.base, "std::int32_t", out);
  out << "}\n";
  if (forest.link == Link::kLogistic) {
    std::string code = for_records(kLogistic, forest);
    constexpr std::string_view kSum = "-sums[0] * unit";
    if (forest.class_threshold != 0)
      code.replace(code.find(kSum), kSum.size(),
                   "-(sums[0] * unit + " + literal(forest.slope * forest.class_threshold) + ")");
    out << code;
  } else if (forest.link == Link::kSigmoid)
    out << for_records(kLargest, forest) << kSigmoids;
  else
    out << for_records(kLargest, forest) << kWeights << (forest.link == Link::kMean ? kMeanWeights : kSoftmaxWeights)
        << kShares;
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
  out << "}\n" << for_records(kPredict, forest) << expression_of(forest.link) << ";\n  }\n}\n";
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
