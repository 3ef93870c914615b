// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <map>
#include <ostream>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"
#include "fernwood/core/text_stream.h"
#include "fernwood/records/record_file.h"

namespace fernwood::records {

namespace {

constexpr const char* kTypes = R"(
namespace detail {

/// A test: values up to the threshold go to node `child`, others to the one behind it, unknown ones (NaN) as told. A
/// leaf: child is ~the place of its values.
struct Node {
  float threshold;
  std::int32_t child;
  std::uint16_t attribute;
  std::uint16_t nan_left;
};

/// A leaf of the tree adds `width` values to the sums from first_output on.
struct Tree {
  std::int32_t root, first_output, width;
};

)";

constexpr const char* kSums = R"(
}  // namespace detail

/// Sums over the trees, whole numbers in units of `unit`.
/// @param record  [num_attributes] Unknown values are NaN. @param sums  [num_outputs], written.
inline void sum_trees(const float* record, std::int32_t* sums) {
  for (int k = 0; k < num_outputs; ++k) sums[k] = detail::base[k];
  for (const detail::Tree& tree : detail::trees) {
    std::int32_t index = tree.root;
    while (detail::nodes[index].child >= 0) {
      const detail::Node& node = detail::nodes[index];
      const float value = record[node.attribute];
      const bool left = value <= node.threshold || (node.nan_left != 0 && value != value);
      index = node.child + (left ? 0 : 1);
    }
    const std::int32_t* values = detail::values + ~detail::nodes[index].child;
    for (std::int32_t k = 0; k < tree.width; ++k) sums[tree.first_output + k] += values[k];
  }
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
/// The class of a record, an index of `classes`: the largest sum, the first of equals.
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
  double weights[num_classes], total = 0;
)";
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

/// A string literal; all but printable ASCII in octal.
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

/// A number, exactly.
std::string literal(float value) {
  if (std::isinf(value)) return value > 0 ? "HUGE_VALF" : "-HUGE_VALF";
  return format_text("%af", static_cast<double>(value));
}

/// The items of an array, some in a line.
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

std::string number(std::int32_t value) { return std::to_string(value); }

/// The trees with their nodes in one array and their leaves' values in another, equal ones once.
struct Tables {
  struct Tree {
    std::int32_t root, first_output, width;
  };
  std::vector<Tree> trees;
  std::vector<RecordNode> nodes;
  std::vector<std::int32_t> values;
};

/// @throws Error(kResource) when there is more than the indices of the header's code can tell apart.
Tables make_tables(const RecordForest& forest) {
  constexpr std::size_t kMost = 0x7fffffff;
  Tables tables;
  std::map<std::vector<std::int32_t>, std::size_t> place_of;
  for (const RecordTree& tree : forest.trees) {
    const std::size_t root = tables.nodes.size(), width = tree.leaf_values.cols();
    tables.trees.push_back({static_cast<std::int32_t>(root), static_cast<std::int32_t>(tree.first_output),
                            static_cast<std::int32_t>(width)});
    for (RecordNode node : tree.nodes) {
      if (node.is_leaf()) {
        const std::int32_t* row = tree.leaf_values.row(static_cast<std::size_t>(node.leaf_index()));
        const auto [found, added] = place_of.try_emplace({row, row + width}, tables.values.size());
        if (added) tables.values.insert(tables.values.end(), row, row + width);
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

void check_namespace(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool good = !name.empty() && is_letter(name[0]);
  for (const char c : name) good = good && (is_letter(c) || is_digit(c));
  FW_CHECK(good, Usage, "--namespace is \"" << name << "\"; give a name of letters, digits and _ as C++ has them");
}

}  // namespace

void write_cpp(const RecordForest& forest, const std::string& name_space, std::ostream& out) {
  check_namespace(name_space);
  check_records(forest, "the forest");
  FW_CHECK(!forest.trees.empty(), Model, "the forest has no tree, so that there is nothing to write as source code");
  const DefaultFloats floats;
  const Tables tables = make_tables(forest);
  const ClassicNumbers numbers(out);
  out << "// A forest of " << forest.trees.size() << " trees, written by fernwood " << build_info().version
      << ": C++17 that needs nothing else.\n"
         "// Compile it without -ffast-math, which knows no unknown values (NaN).\n"
         "#pragma once\n\n#include <cmath>\n#include <cstdint>\n\nnamespace "
      << name_space << " {\n\ninline constexpr int num_attributes = " << forest.attributes.size()
      << ";\ninline constexpr int num_classes = " << forest.classes.size()
      << ";\ninline constexpr int num_outputs = " << forest.num_outputs()
      << ";\ninline constexpr double unit = " << format_text("%a", std::ldexp(1.0, -forest.fraction_bits)) << ";\n\n";
  write_array(out, "const char* attributes", forest.attributes, quoted);
  write_array(out, "const char* classes", forest.classes, quoted);
  out << kTypes;
  write_array(out, "std::int32_t base", forest.base, number);
  write_array(out, "Tree trees", tables.trees, [](const Tables::Tree& tree) {
    return format_text("{%d, %d, %d}", tree.root, tree.first_output, tree.width);
  });
  write_array(out, "Node nodes", tables.nodes, [](const RecordNode& node) {
    return "{" + literal(node.threshold) + format_text(", %d, %d, %d}", node.child, node.attribute, node.nan_left);
  });
  write_array(out, "std::int32_t values", tables.values, number);
  out << kSums;
  if (forest.link == Link::kLogistic)
    out << kLogistic;
  else
    out << kLargest << (forest.link == Link::kMean ? kMeanWeights : kSoftmaxWeights) << kShares;
  out << "\n}  // namespace " << name_space << "\n";
}

}  // namespace fernwood::records
