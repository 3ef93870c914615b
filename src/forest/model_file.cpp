// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/forest/forest.h"

#include "fernwood/backbone/backbone.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/file.h"
#include "forest/model_bytes.h"

namespace fernwood::forest {

namespace {

/// [stage][tree] @param end  End of the preceding arrays.
std::vector<std::vector<TreeArrays>> arrays_of(const Forest& forest, std::uint64_t end) {
  std::vector<std::vector<TreeArrays>> stages(forest.num_stages());
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const Tree& tree : forest.stage(s)) {
      const std::string prefix = array_prefix(s + 1 < stages.size(), s, stages[s].size());
      TreeArrays of_tree =
          place_arrays(forest.kind, prefix, tree.nodes.size(), tree.num_leaves(), forest.classes.size(), end);
      sign(of_tree.nodes, tree.nodes.data());
      sign(of_tree.leaf_counts, tree.leaf_counts.data());
      if (of_tree.leaf_scores) sign(*of_tree.leaf_scores, tree.leaf_scores.data());
      end = of_tree.end();
      stages[s].push_back(std::move(of_tree));
    }
  return stages;
}

Tree read_tree(const TreeArrays& of_tree, ArrayReader& arrays) {
  Tree tree;
  tree.nodes.resize(of_tree.nodes.shape[0]);
  tree.leaf_counts = Array2<std::uint32_t>(of_tree.leaf_counts.shape[0], of_tree.leaf_counts.shape[1]);
  arrays.copy(of_tree.nodes, tree.nodes.data());
  arrays.copy(of_tree.leaf_counts, tree.leaf_counts.data());
  if (of_tree.leaf_scores) {
    tree.leaf_scores = Array2<float>(of_tree.leaf_scores->shape[0], of_tree.leaf_scores->shape[1]);
    arrays.copy(*of_tree.leaf_scores, tree.leaf_scores.data());
  }
  return tree;
}

}  // namespace

void write_forest(const Forest& forest, const std::string& name, std::ostream& out) {
  const DefaultFloats floats;
  const ErrorContext place = saving(name);
  check_forest(forest, place);
  MapArrays maps = place_map_arrays(forest.preparation);
  const std::vector<std::vector<TreeArrays>> stages = arrays_of(forest, maps.end());
  std::vector<ArraySource> sources;
  const auto add = [&](std::optional<ModelArray>& array, const void* bytes) {
    sign(*array, bytes);
    sources.push_back({&*array, bytes});
  };
  if (maps.backbone) add(maps.backbone, forest.preparation.maps->bytes().data());
  if (maps.head) add(maps.head, forest.preparation.head->weights.data());
  const std::string header = encode_header(forest, maps, stages, place);
  decode_header(header, place);  // throws for a header that a reader would reject

  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t k = 0; k < stages[s].size(); ++k) {
      const Tree& tree = forest.stage(s)[k];
      sources.push_back({&stages[s][k].nodes, tree.nodes.data()});
      sources.push_back({&stages[s][k].leaf_counts, tree.leaf_counts.data()});
      if (const auto& scores = stages[s][k].leaf_scores) sources.push_back({&*scores, tree.leaf_scores.data()});
    }
  write_container(out, header, sources);
}

void save_forest(const Forest& forest, const std::filesystem::path& path, NamedBy named_by) {
  write_file_atomically(path, named_by, [&](std::ostream& out) { write_forest(forest, path.string(), out); });
}

Forest read_forest(std::span<const std::uint8_t> bytes, const ErrorContext& place) {
  const DefaultFloats floats;
  const std::string_view text = header_text(bytes, kPixelModel.maker, place);
  ModelHeader header = decode_header(text, place);
  ArrayReader arrays(bytes, text.size(), header.data_bytes, place);
  Forest forest = std::move(header.forest);
  if (header.maps.backbone) {
    const std::span<const std::uint8_t> file = arrays.next(*header.maps.backbone);
    forest.preparation.maps =
        backbone::read_backbone({file.begin(), file.end()}, place.file + ": its backbone", header.maps.reduction);
  }
  if (header.maps.head) {
    auto head = std::make_shared<image::LinearHead>(*forest.preparation.head);
    head->weights.resize(header.maps.head->size_bytes / sizeof(std::int32_t));
    arrays.copy(*header.maps.head, head->weights.data());
    forest.preparation.head = std::move(head);
    check_head(forest.preparation, place);
  }
  for (std::size_t s = 0; s < header.stages.size(); ++s) {
    std::vector<Tree>& trees = forest.stages[s];
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
