// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A model file taken apart and put together again with right checksums, so that tests reach the rules behind them.

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "fernwood/core/file.h"
#include "forest/model_header.h"
#include "forest/model_writer.h"

namespace fernwood {

using Bytes = std::vector<std::uint8_t>;

/// A tree as deep as a heap: inner node i has the children 2i + 1 and 2i + 2. Its numbers depend on i and `seed`.
inline Tree heap_tree(std::size_t num_leaves, std::size_t num_classes, int seed = 0) {
  Tree tree;
  tree.leaf_counts = Array2<std::uint32_t>(num_leaves, num_classes);
  for (std::size_t i = 0; i < tree.leaf_counts.size(); ++i)
    tree.leaf_counts.data()[i] = static_cast<std::uint32_t>((i * 7 + static_cast<std::size_t>(seed)) % 11);
  const int num_inner = static_cast<int>(num_leaves) - 1;
  for (int i = 0; i < 2 * num_inner + 1; ++i) {
    Node node;
    node.child = i < num_inner ? 2 * i + 1 : ~(i - num_inner);
    if (i < num_inner) {
      const auto of = [&](int n) { return static_cast<std::int8_t>((i * n + seed) % 255 - 127); };
      const auto half = [&](int n) { return static_cast<std::int8_t>((i * n + seed) % 127 + 1); };
      const bool depth = i % 2 == 1;
      node.threshold = static_cast<float>(i) / 8 - static_cast<float>(seed);
      node.feature = {{of(3), of(5), half(1), half(2)},
                      {of(7), of(11), half(3), half(4)},
                      static_cast<std::uint8_t>(depth ? 3 : i % 3),
                      static_cast<std::uint8_t>(depth ? 3 : (i + 1) % 3)};
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

/// Colour and depth channels, so many classes, no trees.
inline Forest empty_forest(std::size_t num_classes) {
  Forest forest;
  for (std::size_t c = 0; c < num_classes; ++c) {
    const auto level = static_cast<std::uint8_t>(c);
    forest.classes.classes.push_back({"class " + std::to_string(c), {level, 1, 255}});
    forest.class_pixels.push_back(1000 * (c + 1));
  }
  forest.classes.void_colors = {{0, 0, 0}, {255, 20, 147}};
  forest.preparation.channels = ChannelLayout({"lab", "depth"});
  return forest;
}

/// Three classes and two trees, of 3 leaves and of 1.
inline Forest small_forest() {
  Forest forest = empty_forest(3);
  forest.classes.background = 2;
  forest.preparation.depth_filling = DepthFilling::kSimple;
  forest.leaves = {true, 0.125f};
  forest.options_json = R"({"max_depth":18,"seed":4711})";
  forest.provenance_json = R"({"checksum":"00ff","frames":["a","b"]})";
  forest.trees = {heap_tree(3, 3), heap_tree(1, 3, 1)};
  return forest;
}

inline Bytes model_bytes(const Forest& forest) {
  std::ostringstream out;
  write_forest(forest, "test", out);
  const std::string text = out.str();
  return Bytes(text.begin(), text.end());
}

/// What a model file consists of.
struct ModelParts {
  ModelPrefix prefix;
  std::string header;
  Bytes data;  ///< From data_start on.

  explicit ModelParts(const Bytes& bytes) {
    std::memcpy(&prefix, bytes.data(), sizeof(prefix));
    const auto begin = bytes.begin() + sizeof(prefix);
    header.assign(begin, begin + static_cast<std::ptrdiff_t>(prefix.header_bytes));
    const std::size_t start = std::min<std::size_t>(bytes.size(), data_start(prefix.header_bytes));
    data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end());
  }

  nlohmann::json json() const { return nlohmann::json::parse(header); }

  /// Puts right what `xxh3` of each array says, where array and data still fit together.
  void sign_arrays() {
    nlohmann::json document = json();
    for (nlohmann::json& array : document["arrays"]) {
      const std::size_t offset = array["offset"], size_bytes = array["size_bytes"];
      if (offset + size_bytes <= data.size()) array["xxh3"] = to_hex(checksum(data.data() + offset, size_bytes));
    }
    header = document.dump();
  }

  /// The file, with the header's length and checksum put right.
  Bytes bytes() const {
    ModelPrefix right = prefix;
    right.header_bytes = header.size();
    right.header_checksum = checksum(header.data(), header.size());
    Bytes result(data_start(header.size()));
    std::memcpy(result.data(), &right, sizeof(right));
    std::memcpy(result.data() + sizeof(right), header.data(), header.size());
    result.insert(result.end(), data.begin(), data.end());
    return result;
  }
};

}  // namespace fernwood
