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
    of_tree.nodes.xxh3 = to_hex(checksum(tree.nodes.data(), of_tree.nodes.size_bytes));
    of_tree.leaf_counts.xxh3 = to_hex(checksum(tree.leaf_counts.data(), of_tree.leaf_counts.size_bytes));
    end = of_tree.leaf_counts.end();
    arrays.push_back(std::move(of_tree));
  }
  return arrays;
}

void write_bytes(std::ostream& out, const void* data, std::uint64_t size_bytes) {
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size_bytes));
}

void write_zeros(std::ostream& out, std::uint64_t size_bytes) {
  constexpr char kZeros[kArrayAlignment] = {};
  write_bytes(out, kZeros, size_bytes);
}

}  // namespace

void write_forest(const Forest& forest, const std::string& name, std::ostream& out) {
  const ModelPlace place = saving(name);
  for (std::size_t i = 0; i < forest.trees.size(); ++i) check_tree(forest.trees[i], i, forest, place);
  const std::vector<TreeArrays> arrays = arrays_of(forest);
  const std::string header = encode_header(forest, arrays, place);
  decode_header(header, place);  // what a reader would refuse is not written

  ModelPrefix prefix{{}, kModelVersion, 0, header.size(), checksum(header.data(), header.size())};
  kModelMagic.copy(prefix.magic, sizeof(prefix.magic));
  write_bytes(out, &prefix, sizeof(prefix));
  write_bytes(out, header.data(), header.size());
  if (!arrays.empty()) write_zeros(out, data_start(header.size()) - sizeof(prefix) - header.size());
  std::uint64_t end = 0;
  const auto write_array = [&](const ModelArray& array, const void* data) {
    write_zeros(out, array.offset - end);
    write_bytes(out, data, array.size_bytes);
    end = array.end();
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    write_array(arrays[i].nodes, forest.trees[i].nodes.data());
    write_array(arrays[i].leaf_counts, forest.trees[i].leaf_counts.data());
  }
}

void save_forest(const Forest& forest, const std::filesystem::path& path) {
  write_file_atomically(path, [&](std::ostream& out) { write_forest(forest, path.string(), out); });
}

}  // namespace fernwood
