// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/explain.h"

#include <cmath>
#include <span>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "forest/leaf.h"

namespace fernwood::evaluate {
namespace {

using Counts = std::vector<std::uint64_t>;

void add_to(Counts& counts, const std::uint32_t* leaf_counts) {
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += leaf_counts[c];
}

/// Adds the samples of all leaves below a node, or its own if it is a leaf.
void add_samples_below(const forest::Tree& tree, std::int32_t node_index, Counts& counts) {
  std::vector<std::int32_t> open = {node_index};
  while (!open.empty()) {
    const forest::Node& node = tree.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (node.is_leaf())
      add_to(counts, tree.leaf_counts.row(static_cast<std::size_t>(node.leaf_index())));
    else
      open.insert(open.end(), {node.child, node.child + 1});
  }
}

SeenRegion project(const forest::Region& region, int channel, const image::ChannelLayout& channels,
                   const image::FrameView& frame, const forest::PixelSite& site) {
  SeenRegion seen;
  seen.channel = channels.name(channel);
  seen.image = channels.image(channel);
  if (site.inv_depth_y() == 0.0f) return seen;
  seen.span = forest::region_span(region, site);
  const forest::RegionBox box = forest::region_box(region, site, frame.rows, frame.cols, frame.stride);
  seen.inside = box.inside;
  bool known = false;
  const float mean = forest::region_mean(frame, channel, forest::count_plane_of(frame, channel), box, &known);
  if (known) seen.mean = mean;
  return seen;
}

SeenTest take_test(const forest::Node& node, std::int32_t index, const image::Preparation& preparation,
                   const image::FrameView& frame, const forest::PixelSite& site) {
  const forest::RegionFeature& feature = node.feature;
  const image::ChannelLayout& channels = preparation.channels;
  SeenTest test;
  test.node = index;
  test.threshold = node.threshold;
  const float value = forest::response(feature, frame, site);
  if (forest::reads_map(feature)) {
    test.a.channel = preparation.map_name(forest::map_of(feature));
    test.a.span = {site.x(), site.y(), 1, 1};
    test.a.inside = true;
    test.a.mean = value;
  } else {
    test.a = project(feature.a, feature.channel_a, channels, frame, site);
    if (feature.channel_b != forest::kNoChannel) test.b = project(feature.b, feature.channel_b, channels, frame, site);
  }
  if (!is_nan(value)) test.response = value;
  test.right = side(value, node.threshold) == 1;
  return test;
}

/// Counts the samples of the nodes on the path, from the leaf up: a node has the samples of the next node on the path
/// and of that node's sibling, so that each leaf is read once.
void count_samples(const forest::Tree& tree, SeenTree& seen) {
  const std::size_t num_classes = tree.leaf_counts.cols();
  seen.counts.assign(num_classes, 0);
  add_samples_below(tree, seen.node, seen.counts);
  Counts counts = seen.counts;
  for (auto test = seen.path.rbegin(); test != seen.path.rend(); ++test) {
    const std::int32_t child = tree.nodes[static_cast<std::size_t>(test->node)].child;
    add_samples_below(tree, test->right ? child : child + 1, counts);
    test->counts = counts;
  }
}

std::vector<float> to_probabilities(forest::ForestKind kind, std::span<const float> sums, std::size_t num_trees) {
  const forest::SoftmaxNormalizer scale = forest::scale_of_row(kind, sums.data(), sums.size(), num_trees);
  std::vector<float> probabilities;
  for (const float sum : sums) probabilities.push_back(scale.probability(sum));
  return probabilities;
}

/// @param sums  [class] The votes of the leaf are added to these.
SeenTree follow(const forest::Forest& forest, std::size_t place, const image::FrameView& frame,
                const forest::PixelSite& site, std::vector<float>& sums) {
  const forest::Tree& tree = forest.labelling_trees()[place];
  SeenTree seen;
  const auto here = [&]() -> const forest::Node& { return tree.nodes[static_cast<std::size_t>(seen.node)]; };
  while (!here().is_leaf()) {
    seen.path.push_back(take_test(here(), seen.node, forest.preparation, frame, site));
    seen.node = here().child + (seen.path.back().right ? 1 : 0);
  }
  seen.leaf = here().leaf_index();
  count_samples(tree, seen);
  const Array2<float> votes = forest::leaf_votes(forest, tree, place);
  const float* row = votes.row(static_cast<std::size_t>(seen.leaf));
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += row[c];
  seen.probabilities = to_probabilities(forest.kind, {row, votes.cols()}, 1);
  return seen;
}

}  // namespace

PixelExplanation explain(const forest::Forest& forest, const image::PreparedFrame& frame, std::int32_t x,
                         std::int32_t y) {
  const DefaultFloats floats;
  const image::FrameView view = frame.view();
  FW_CHECK(!forest.labelling_trees().empty(), Model, "the forest has no tree; train one first");
  FW_CHECK(x >= 0 && y >= 0 && x < view.cols && y < view.rows, Usage,
           "pixel " << x << "," << y << " is outside the frame of " << view.cols << " x " << view.rows
                    << " pixels; use X from 0 to " << view.cols - 1 << " and Y from 0 to " << view.rows - 1);
  PixelExplanation explanation;
  explanation.x = x;
  explanation.y = y;
  explanation.classes = forest.classes;
  explanation.channels = forest.preparation.channels;
  const forest::PixelSite site = forest::pixel_site(view, x, y, false);
  if (view.depth_channel >= 0)
    explanation.depth_mm =
        site.inv_depth_y() > 0.0f ? static_cast<std::int32_t>(std::lround(1000.0f / site.inv_depth_y())) : 0;
  // In the order of the trees, so that sums are bit-identical to a predictor's.
  std::vector<float> sums(forest.classes.size(), 0.0f);
  for (std::size_t place = 0; place < forest.labelling_trees().size(); ++place)
    explanation.trees.push_back(follow(forest, place, view, site, sums));
  const std::vector<forest::ClassPriorCorrection> correction = forest::correct_sums(forest);
  forest::BestClass best;
  for (std::size_t c = 0; c < sums.size(); ++c) best.offer(static_cast<std::int32_t>(c), correction[c].of(sums[c]));
  explanation.label = best.label;
  explanation.probabilities = to_probabilities(forest.kind, sums, explanation.trees.size());
  return explanation;
}

std::optional<std::pair<std::int32_t, std::int32_t>> nearest_known_pixel(const image::FrameView& frame, std::int32_t x,
                                                                         std::int32_t y) {
  std::optional<std::pair<std::int32_t, std::int32_t>> nearest;
  std::int64_t least = 0;
  for (std::int32_t row = 0; row < frame.rows; ++row)
    for (std::int32_t col = 0; col < frame.cols; ++col) {
      const std::int64_t dx = col - x, dy = row - y, distance = dx * dx + dy * dy;
      if (nearest && distance >= least) continue;
      if (forest::pixel_site(frame, col, row, false).inv_depth_y() == 0.0f) continue;
      nearest = {col, row};
      least = distance;
    }
  return nearest;
}

PixelExplanation explain_known(const forest::Forest& forest, const image::Frame& frame, std::int32_t x, std::int32_t y,
                               const std::string& model, const std::string& name) {
  const image::PreparedFrame prepared = predict::prepare_for(forest, frame);
  PixelExplanation pixel = explain(forest, prepared, x, y);
  pixel.model = model;
  pixel.frame = name;
  if (pixel.depth_mm == 0) {
    const auto nearest = nearest_known_pixel(prepared.view(), x, y);
    FW_CHECK(nearest.has_value(), Data,
             name << ": no pixel has a known depth, so no test has a response and every one sends every pixel "
                     "right; choose another frame");
    FW_CHECK(false, Data,
             name << ": the depth of pixel " << x << "," << y
                  << " is unknown, so no test has a response and every one sends it right; the nearest pixel of "
                     "known depth is "
                  << nearest->first << "," << nearest->second);
  }
  return pixel;
}

}  // namespace fernwood::evaluate
