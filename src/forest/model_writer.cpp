// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/model_writer.h"

#include "fernwood/core/file.h"
#include "fernwood/forest/model_file.h"
#include "forest/model_header.h"
#include "forest/tree_check.h"

namespace fernwood {

namespace {

std::vector<TreeArrays> arrays_of(const Forest& forest) {
  std::vector<TreeArrays> arrays;
  std::uint64_t end = 0;
  for (const Tree& tree : forest.trees) {
    TreeArrays of_tree = place_arrays(arrays.size(), tree.nodes.size(), tree.num_leaves(), forest.classes.size(), end);
    sign(of_tree.nodes, tree.nodes.data());
    sign(of_tree.leaf_counts, tree.leaf_counts.data());
    end = of_tree.leaf_counts.end();
    arrays.push_back(std::move(of_tree));
  }
  return arrays;
}

}  // namespace

void write_forest(const Forest& forest, const std::string& name, std::ostream& out) {
  const ModelPlace place = saving(name);
  for (std::size_t i = 0; i < forest.trees.size(); ++i) check_tree(forest.trees[i], i, forest, place);
  const std::vector<TreeArrays> arrays = arrays_of(forest);
  const std::string header = encode_header(forest, arrays, place);
  decode_header(header, place);  // what a reader would refuse is not written

  std::vector<ArraySource> sources;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    sources.push_back({&arrays[i].nodes, forest.trees[i].nodes.data()});
    sources.push_back({&arrays[i].leaf_counts, forest.trees[i].leaf_counts.data()});
  }
  write_container(out, header, sources);
}

void save_forest(const Forest& forest, const std::filesystem::path& path) {
  write_file_atomically(path, [&](std::ostream& out) { write_forest(forest, path.string(), out); });
}

}  // namespace fernwood
