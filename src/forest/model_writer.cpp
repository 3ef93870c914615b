// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/model_writer.h"

#include "fernwood/core/file.h"
#include "fernwood/forest/model_file.h"
#include "forest/model_header.h"
#include "forest/tree_check.h"

namespace fernwood::forest {

namespace {

/// [stage][tree]
std::vector<std::vector<TreeArrays>> arrays_of(const Forest& forest) {
  std::vector<std::vector<TreeArrays>> stages(forest.num_stages());
  std::uint64_t end = 0;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const Tree& tree : forest.stage(s)) {
      const std::string prefix = array_prefix(s < forest.context_stages.size(), s, stages[s].size());
      TreeArrays of_tree = place_arrays(prefix, tree.nodes.size(), tree.num_leaves(), forest.classes.size(), end);
      sign(of_tree.nodes, tree.nodes.data());
      sign(of_tree.leaf_counts, tree.leaf_counts.data());
      end = of_tree.leaf_counts.end();
      stages[s].push_back(std::move(of_tree));
    }
  return stages;
}

}  // namespace

void write_forest(const Forest& forest, const std::string& name, std::ostream& out) {
  const ModelPlace place = saving(name);
  check_forest(forest, place);
  const std::vector<std::vector<TreeArrays>> stages = arrays_of(forest);
  const std::string header = encode_header(forest, stages, place);
  decode_header(header, place);  // what a reader would refuse is not written

  std::vector<ArraySource> sources;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t k = 0; k < stages[s].size(); ++k) {
      const Tree& tree = forest.stage(s)[k];
      sources.push_back({&stages[s][k].nodes, tree.nodes.data()});
      sources.push_back({&stages[s][k].leaf_counts, tree.leaf_counts.data()});
    }
  write_container(out, header, sources);
}

void save_forest(const Forest& forest, const std::filesystem::path& path) {
  write_file_atomically(path, [&](std::ostream& out) { write_forest(forest, path.string(), out); });
}

}  // namespace fernwood::forest
