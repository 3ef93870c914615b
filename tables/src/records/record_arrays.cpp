// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/record_arrays.h"

#include <numeric>

#include "fernwood/core/error.h"

namespace fernwood::records {

RecordArrays place_record_arrays(const RecordForest& forest, const ArraySizes& sizes) {
  RecordArrays arrays;
  arrays.nodes = {"nodes", "record_node", {sizes.nodes}, 0, sizes.nodes * sizeof(RecordNode), ""};
  std::uint64_t end = arrays.nodes.end();
  const auto place = [&](const char* name, const char* type, std::uint64_t count, std::size_t element_bytes) {
    const ModelArray array = {name, type, {count}, aligned(end), count * element_bytes, ""};
    end = array.end();
    return array;
  };
  if (forest.has_classes()) arrays.leaf_values = place("leaf_values", "int32", sizes.values, sizeof(std::int32_t));
  if (forest.float_sums) arrays.float_values = place("float_values", "float64", sizes.values, sizeof(double));
  if (sizes.has_covers) arrays.covers = place("covers", "float64", sizes.nodes, sizeof(double));
  if (sizes.words > 0) arrays.set_words = place("set_words", "uint64", sizes.words, sizeof(std::uint64_t));
  if (sizes.keys > 0) arrays.table_keys = place("table_keys", "uint64", sizes.keys, sizeof(std::uint64_t));
  if (sizes.table_values > 0) arrays.table_values = place("table_values", "float32", sizes.table_values, sizeof(float));
  if (sizes.has_numbers) arrays.leaf_numbers = place("leaf_numbers", "int32", sizes.leaves, sizeof(std::int32_t));
  if (sizes.is_wide) arrays.wide_thresholds = place("wide_thresholds", "float64", sizes.nodes, sizeof(double));
  if (sizes.linear > 0) {
    arrays.linear_constants = place("linear_constants", "float64", sizes.linear, sizeof(double));
    arrays.linear_terms = place("linear_terms", "uint32", sizes.linear, sizeof(std::uint32_t));
    arrays.linear_attributes = place("linear_attributes", "uint16", sizes.terms, sizeof(std::uint16_t));
    arrays.linear_coefficients = place("linear_coefficients", "float64", sizes.terms, sizeof(double));
  }
  return arrays;
}

LinearArrays linear_arrays_of(const RecordForest& forest) {
  LinearArrays arrays;
  for (const RecordTree& tree : forest.trees)
    for (const LinearLeaf& leaf : tree.linear_leaves) {
      arrays.constants.push_back(leaf.constant);
      arrays.num_terms.push_back(static_cast<std::uint32_t>(leaf.terms.size()));
      for (const LinearLeaf::Term& term : leaf.terms) {
        arrays.attributes.push_back(term.attribute);
        arrays.coefficients.push_back(term.coefficient);
      }
    }
  return arrays;
}

void take_linear_leaves(const std::vector<RecordTreeSize>& sizes, const LinearArrays& arrays, RecordForest& forest,
                        const ErrorContext& place) {
  const std::uint64_t num_terms = std::accumulate(arrays.num_terms.begin(), arrays.num_terms.end(), std::uint64_t{0});
  FW_CHECK(num_terms == arrays.coefficients.size(), Model,
           place.file << " has linear leaves with " << num_terms << " terms, and " << arrays.coefficients.size()
                      << " coefficients" << place.remedy);
  std::size_t next_leaf = 0, next_term = 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    if (!sizes[t].is_linear) continue;
    for (std::uint64_t i = 0; i < sizes[t].num_leaves; ++i, ++next_leaf) {
      LinearLeaf& leaf = forest.trees[t].linear_leaves.emplace_back();
      leaf.constant = arrays.constants[next_leaf];
      for (std::uint32_t k = 0; k < arrays.num_terms[next_leaf]; ++k, ++next_term)
        leaf.terms.push_back({arrays.attributes[next_term], arrays.coefficients[next_term]});
    }
  }
}

}  // namespace fernwood::records
