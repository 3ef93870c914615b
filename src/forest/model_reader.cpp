// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/model_reader.h"

#include "fernwood/core/file.h"
#include "fernwood/forest/model_file.h"
#include "forest/model_header.h"
#include "forest/tree_check.h"

namespace fernwood::forest {

namespace {

Tree read_tree(const TreeArrays& of_tree, ArrayReader& arrays) {
  Tree tree;
  tree.nodes.resize(of_tree.nodes.shape[0]);
  tree.leaf_counts = Array2<std::uint32_t>(of_tree.leaf_counts.shape[0], of_tree.leaf_counts.shape[1]);
  arrays.copy(of_tree.nodes, tree.nodes.data());
  arrays.copy(of_tree.leaf_counts, tree.leaf_counts.data());
  return tree;
}

}  // namespace

Forest read_forest(std::span<const std::uint8_t> bytes, const std::string& name) {
  const ModelPlace place = loading(name);
  const std::string_view text = header_text(bytes, kPixelModel.maker, place);
  ModelHeader header = decode_header(text, place);
  ArrayReader arrays(bytes, text.size(), header.data_bytes, place);
  Forest forest = std::move(header.forest);
  for (std::size_t s = 0; s < header.stages.size(); ++s) {
    std::vector<Tree>& trees = s < forest.context_stages.size() ? forest.context_stages[s] : forest.trees;
    for (const TreeArrays& of_tree : header.stages[s]) {
      trees.push_back(read_tree(of_tree, arrays));
      const std::string tree = tree_name(forest, s, trees.size() - 1);
      check_tree(trees.back(), tree, forest.num_channels_of(s), forest, place);
    }
  }
  return forest;
}

Forest load_forest(const std::filesystem::path& path) { return read_forest(read_file(path), path.string()); }

}  // namespace fernwood::forest
