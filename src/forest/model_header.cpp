// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <cmath>

#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "forest/model_bytes.h"

namespace fernwood::forest {

using nlohmann::json;

namespace {

constexpr std::uint64_t kMaxNodes = 0x7fffffff;  // children are indexed by an int32
constexpr std::size_t kMaxContextStages = 15;    // each adds time to every frame; no gain is known beyond one or two

constexpr std::string_view kClassWeights = "class_weights", kStages = "stages", kFerns = "ferns", kBoosted = "boosted",
                           kLabelWeights = "label_weights", kBackboneMaps = "backbone", kSuppliedMaps = "supplied_maps",
                           kLinearHead = "linear_head";
constexpr std::string_view kKnownFeatures[] = {kClassWeights, kStages,       kFerns,        kBoosted,
                                               kLabelWeights, kBackboneMaps, kSuppliedMaps, kLinearHead};

/// The features that a reader must support to label as this forest does.
std::vector<std::string_view> features_of(const Forest& forest) {
  std::vector<std::string_view> features;
  if (!forest.leaves.class_weights.empty()) features.push_back(kClassWeights);
  if (forest.preparation.channels.num_context() > 0) features.push_back(kStages);
  if (forest.kind == ForestKind::kFerns) features.push_back(kFerns);
  if (forest.kind == ForestKind::kBoosted) features.push_back(kBoosted);
  if (forest.label_weights != LabelWeights()) features.push_back(kLabelWeights);
  if (forest.preparation.maps) features.push_back(kBackboneMaps);
  if (!forest.preparation.supplied_maps.empty()) features.push_back(kSuppliedMaps);
  if (forest.preparation.head) features.push_back(kLinearHead);
  return features;
}

json encode_color(const image::Rgb& color) { return {color.r, color.g, color.b}; }

image::Rgb decode_color(const JsonField& field) {
  field.size(3, 3);
  const auto level = [&](std::size_t i) { return static_cast<std::uint8_t>(field.at(i).whole(0, 255)); };
  return {level(0), level(1), level(2)};
}

image::ClassMap decode_classes(const JsonField& root) {
  image::ClassMap map;
  const JsonField classes = root.at("classes"), voids = root.at("void_colors"), background = root.at("background");
  const std::size_t num_classes = classes.size(1, image::kVoid - 1);
  for (std::size_t c = 0; c < num_classes; ++c) {
    map.classes.push_back({classes.at(c).at("name").text(), decode_color(classes.at(c).at("color"))});
    if (const std::string& name = map.classes.back().name; printable(name) != name)
      classes.at(c).at("name").fail("a name without control characters");
    if (classes.at(c).has("thing")) map.classes.back().stated_thing = classes.at(c).at("thing").flag();
  }
  const std::size_t num_voids = voids.size(0, std::size_t{1} << 24);
  for (std::size_t i = 0; i < num_voids; ++i) map.void_colors.push_back(decode_color(voids.at(i)));
  if (!background.is_null()) map.background = static_cast<std::uint16_t>(background.whole(0, num_classes - 1));
  return map;
}

image::ChannelLayout decode_channels(const JsonField& root, const image::ClassMap& classes, const ErrorContext& place) {
  const JsonField field = root.at("channels");
  std::vector<std::string> names;
  const std::size_t num_sets = field.size(1, image::kMaxChannels);
  for (std::size_t i = 0; i < num_sets; ++i) {
    const auto known = [&](const image::ChannelSet& set) { return set.name == field.at(i).text(); };
    if (std::ranges::none_of(image::channel_sets(), known))
      field.at(i).fail("a channel set of this build", "; update fernwood");
    names.push_back(field.at(i).text());
  }
  try {
    return channels_of(names, classes, root.has("context_stages"), place);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kModel) throw;
    FW_CHECK(false, Model, place.file << ": header field channels: " << error.what() << place.remedy);
  }
  return {};
}

ForestKind decode_kind(const JsonField& field) {
  for (const ForestKind kind : kForestKinds)
    if (to_string(kind) == field.text()) return kind;
  field.fail("forest, ferns or boosted");
}

image::DepthFilling decode_depth_filling(const JsonField& field) {
  for (const image::DepthFilling filling : image::kDepthFillings)
    if (to_string(filling) == field.text()) return filling;
  field.fail("none, simple or colorized");
}

json encode_camera(const image::Camera& camera) {
  return {{"width", camera.cols}, {"height", camera.rows}, {"fx", camera.fx},
          {"fy", camera.fy},      {"cx", camera.cx},       {"cy", camera.cy}};
}

/// Models whose channels do not need a camera omit this field.
std::optional<image::Camera> decode_camera(const JsonField& root, const ErrorContext& place) {
  if (!root.has("camera")) return std::nullopt;
  const JsonField field = root.at("camera");
  const auto side = [&](const char* key) { return static_cast<int>(field.at(key).whole(1, image::kMaxFrameSide)); };
  const auto number = [&](const char* key) { return static_cast<float>(field.at(key).number()); };
  const image::Camera camera = {side("width"), side("height"), number("fx"), number("fy"), number("cx"), number("cy")};
  const std::string problem = image::problem_of(camera);
  FW_CHECK(problem.empty(), Model, place.file << ": header field camera: " << problem << place.remedy);
  return camera;
}

/// Class weights are omitted if there are none.
json encode_leaves(const LeafOptions& leaves) {
  json encoded = {{"reweight", leaves.reweight}};
  if (!leaves.class_weights.empty()) encoded["class_weights"] = leaves.class_weights;
  return encoded;
}

std::vector<float> decode_weights(const JsonField& field, std::size_t num_classes) {
  field.size(num_classes, num_classes);
  std::vector<float> weights;
  for (std::size_t c = 0; c < num_classes; ++c) {
    weights.push_back(static_cast<float>(field.at(c).number()));
    if (!(weights.back() >= kMinClassWeight && weights.back() <= kMaxClassWeight)) field.at(c).fail("from 1e-6 to 1e6");
  }
  return weights;
}

LeafOptions decode_leaves(const JsonField& field, std::size_t num_classes) {
  LeafOptions leaves{field.at("reweight").flag()};
  if (field.has("class_weights")) leaves.class_weights = decode_weights(field.at("class_weights"), num_classes);
  return leaves;
}

json encode_label_weights(const LabelWeights& weights) {
  json encoded = json::object();
  if (!weights.plain.empty()) encoded["plain"] = weights.plain;
  if (!weights.smoothed.empty()) encoded["smoothed"] = weights.smoothed;
  return encoded;
}

LabelWeights decode_label_weights(const JsonField& root, std::size_t num_classes) {
  LabelWeights weights;
  if (!root.has("label_weights")) return weights;
  const JsonField field = root.at("label_weights");
  if (!field.has("plain") && !field.has("smoothed")) field.fail("an object with plain, smoothed or both");
  if (field.has("plain")) weights.plain = decode_weights(field.at("plain"), num_classes);
  if (field.has("smoothed")) weights.smoothed = decode_weights(field.at("smoothed"), num_classes);
  return weights;
}

std::vector<std::uint64_t> decode_class_pixels(const JsonField& field, std::size_t num_classes) {
  field.size(num_classes, num_classes);
  std::vector<std::uint64_t> pixels;
  // The limit keeps the sum over all classes within 64 bits.
  for (std::size_t c = 0; c < num_classes; ++c) pixels.push_back(field.at(c).whole(0, std::uint64_t{1} << 47));
  return pixels;
}

/// Decodes a list of trees, whose arrays are those of `arrays` from `first` on.
void decode_stage(const JsonField& trees, const JsonField& arrays, std::size_t first, bool is_context,
                  ModelHeader& header) {
  const std::size_t stage = header.stages.size();
  std::vector<TreeArrays>& found = header.stages.emplace_back();
  for (std::size_t i = 0; i < trees.size(0, kMaxHeaderBytes); ++i) {
    const std::uint64_t num_nodes = trees.at(i).at("num_nodes").whole(1, kMaxNodes);
    const std::uint64_t num_leaves = trees.at(i).at("num_leaves").whole(1, num_nodes);
    TreeArrays tree = place_arrays(header.forest.kind, array_prefix(is_context, stage, i), num_nodes, num_leaves,
                                   header.forest.classes.size(), header.data_bytes);
    const std::size_t of_tree = first + num_arrays(header.forest.kind) * i;
    decode_array(arrays.at(of_tree), tree.nodes);
    decode_array(arrays.at(of_tree + 1), tree.leaf_counts);
    if (tree.leaf_scores) decode_array(arrays.at(of_tree + 2), *tree.leaf_scores);
    header.data_bytes = tree.end();
    if (header.data_bytes > kMaxModelBytes) trees.at(i).at("num_leaves").fail("smaller");
    found.push_back(std::move(tree));
  }
}

ModelArray backbone_array(std::uint64_t size_bytes) { return {"backbone", "uint8", {size_bytes}, 0, size_bytes, ""}; }

/// @param end  End of the preceding array.
ModelArray head_array(std::uint64_t num_scores, std::uint64_t num_maps, std::uint64_t end) {
  return {
      "linear_head", "int32", {num_scores, num_maps}, aligned(end), num_scores * num_maps * sizeof(std::int32_t), ""};
}

std::vector<image::MapRange> decode_map_ranges(const JsonField& root, std::size_t most) {
  if (!root.has("supplied_maps")) return {};
  const JsonField field = root.at("supplied_maps");
  std::vector<image::MapRange> ranges;
  const std::size_t count = field.size(1, most);
  for (std::size_t i = 0; i < count; ++i) {
    const JsonField of_map = field.at(i);
    const std::vector<double> ends = of_map.numbers(2, 2);
    const image::MapRange range = {static_cast<float>(ends[0]), static_cast<float>(ends[1])};
    if (!(std::isfinite(range.low) && std::isfinite(range.high) && range.low <= range.high))
      of_map.fail("two finite numbers, the second no less than the first");
    ranges.push_back(range);
  }
  return ranges;
}

json encode_encoder(const encoder::EncoderInfo& encoder, const ErrorContext& place) {
  return {{"name", encoder.name},
          {"checksum", encoder.checksum},
          {"options", canonical_object(encoder.options_json, "encoder.options_json", place)}};
}

/// Models whose supplied maps were not computed by an encoder omit this field.
std::optional<encoder::EncoderInfo> decode_encoder(const JsonField& root) {
  if (!root.has("encoder")) return std::nullopt;
  const JsonField field = root.at("encoder");
  return encoder::EncoderInfo{field.at("name").text(), field.at("checksum").text(), field.at("options").object()};
}

void decode_backbone(const JsonField& root, MapArrays& maps) {
  if (!root.has("backbone")) return;
  const JsonField field = root.at("backbone"), arrays = root.at("arrays"), reduction = field.at("reduction");
  arrays.size(1, kMaxHeaderBytes);
  const std::uint64_t size = field.at("size_bytes").whole(1, kMaxModelBytes);
  maps.reduction = static_cast<int>(reduction.whole(1, 4));
  if (std::ranges::find(backbone::kReductions, maps.reduction) == std::end(backbone::kReductions))
    reduction.fail("1, 2 or 4");
  maps.backbone = backbone_array(size);
  decode_array(arrays.at(std::size_t{0}), *maps.backbone);
}

/// Decodes a head without its weights; null if the model has none.
std::shared_ptr<const image::LinearHead> decode_head(const JsonField& root, const image::ClassMap& classes,
                                                     MapArrays& maps) {
  if (!root.has("linear_head")) return nullptr;
  const JsonField field = root.at("linear_head"), arrays = root.at("arrays"), bias = field.at("bias");
  auto head = std::make_shared<image::LinearHead>();
  head->classes = classes.names();
  head->bias = bias.integers(classes.size(), classes.size());
  if (std::ranges::any_of(head->bias, [](std::int32_t b) { return b < -image::kMaxPartial || b > image::kMaxPartial; }))
    bias.fail("numbers of a magnitude up to " + std::to_string(image::kMaxPartial));
  head->shift = static_cast<int>(field.at("shift").whole(0, image::kMaxHeadShift));
  head->num_maps = static_cast<int>(field.at("maps").whole(1, image::kMaxHeadMaps));
  const std::size_t index = maps.count();
  arrays.size(index + 1, kMaxHeaderBytes);
  maps.head = head_array(classes.size(), static_cast<std::uint64_t>(head->num_maps), maps.end());
  decode_array(arrays.at(index), *maps.head);
  return head;
}

void decode_stages(const JsonField& root, ModelHeader& header) {
  const JsonField arrays = root.at("arrays");
  std::vector<JsonField> stages;
  std::size_t num_trees = 0;
  if (root.has("context_stages")) {
    const JsonField context = root.at("context_stages");
    const std::size_t num_context = context.size(0, kMaxContextStages);
    for (std::size_t s = 0; s < num_context; ++s) {
      stages.push_back(context.at(s));
      num_trees += stages.back().size(1, kMaxHeaderBytes);
    }
    header.forest.stages.resize(num_context + 1);
  }
  stages.push_back(root.at("trees"));
  num_trees += stages.back().size(0, kMaxHeaderBytes);
  const std::size_t of_a_tree = num_arrays(header.forest.kind);
  std::size_t first = header.maps.count();
  arrays.size(first + of_a_tree * num_trees, first + of_a_tree * num_trees);
  header.data_bytes = header.maps.end();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    decode_stage(stages[s], arrays, first, s + 1 < stages.size(), header);
    first += of_a_tree * header.stages.back().size();
  }
}

json encode_stage(const std::vector<TreeArrays>& trees) {
  json list = json::array();
  for (const TreeArrays& tree : trees)
    list.push_back({{"num_nodes", tree.nodes.shape[0]}, {"num_leaves", tree.leaf_counts.shape[0]}});
  return list;
}

}  // namespace

std::string array_prefix(bool is_context, std::size_t stage, std::size_t index) {
  const std::string tree = "tree" + std::to_string(index);
  return is_context ? "context" + std::to_string(stage) + "." + tree : tree;
}

TreeArrays place_arrays(ForestKind kind, const std::string& prefix, std::uint64_t num_nodes, std::uint64_t num_leaves,
                        std::uint64_t num_classes, std::uint64_t end) {
  const ModelArray nodes{prefix + ".nodes", "node", {num_nodes}, aligned(end), num_nodes * sizeof(Node), ""};
  const ModelArray leaf_counts{prefix + ".leaf_counts",
                               "uint32",
                               {num_leaves, num_classes},
                               aligned(nodes.end()),
                               num_leaves * num_classes * sizeof(std::uint32_t),
                               ""};
  if (kind != ForestKind::kBoosted) return {nodes, leaf_counts, {}};
  const ModelArray leaf_scores{prefix + ".leaf_scores",
                               "float32",
                               {num_leaves, num_classes},
                               aligned(leaf_counts.end()),
                               num_leaves * num_classes * sizeof(float),
                               ""};
  return {nodes, leaf_counts, leaf_scores};
}

MapArrays place_map_arrays(const image::Preparation& preparation) {
  MapArrays arrays;
  if (preparation.maps) {
    arrays.backbone = backbone_array(preparation.maps->bytes().size());
    arrays.reduction = preparation.maps->reduction();
  }
  if (const auto& head = preparation.head)
    arrays.head = head_array(head->classes.size(), static_cast<std::uint64_t>(head->num_maps), arrays.end());
  return arrays;
}

std::string encode_header(const Forest& forest, const MapArrays& maps,
                          const std::vector<std::vector<TreeArrays>>& stages, const ErrorContext& place) {
  json header = {{"kind", to_string(forest.kind)},
                 {"classes", json::array()},
                 {"void_colors", json::array()},
                 {"background", nullptr},
                 {"channels", forest.preparation.channels.set_names()},
                 {"depth_filling", to_string(forest.preparation.depth_filling)},
                 {"leaves", encode_leaves(forest.leaves)},
                 {"class_pixels", forest.class_pixels},
                 {"options", canonical_object(forest.options_json, "options_json", place)},
                 {"provenance", canonical_object(forest.provenance_json, "provenance_json", place)},
                 {"trees", encode_stage(stages.back())},
                 {"arrays", json::array()}};
  if (forest.preparation.channels.num_context() > 0) header["context_stages"] = json::array();
  for (std::size_t s = 0; s + 1 < stages.size(); ++s) header["context_stages"].push_back(encode_stage(stages[s]));
  for (const image::ClassInfo& info : forest.classes.classes) {
    header["classes"].push_back({{"name", info.name}, {"color", encode_color(info.color)}});
    if (info.stated_thing) header["classes"].back()["thing"] = *info.stated_thing;
  }
  for (const image::Rgb& color : forest.classes.void_colors) header["void_colors"].push_back(encode_color(color));
  if (forest.label_weights != LabelWeights()) header["label_weights"] = encode_label_weights(forest.label_weights);
  if (maps.backbone) {
    header["backbone"] = {{"name", forest.preparation.maps->name()},
                          {"reduction", maps.reduction},
                          {"size_bytes", maps.backbone->size_bytes}};
    header["arrays"].push_back(encode_array(*maps.backbone));
  }
  if (maps.head) {
    const image::LinearHead& head = *forest.preparation.head;
    header["linear_head"] = {{"bias", head.bias}, {"shift", head.shift}, {"maps", head.num_maps}};
    header["arrays"].push_back(encode_array(*maps.head));
  }
  for (const image::MapRange& range : forest.preparation.supplied_maps)
    header[std::string(kSuppliedMaps)].push_back({range.low, range.high});
  if (forest.encoder) header["encoder"] = encode_encoder(*forest.encoder, place);
  if (forest.preparation.camera) header["camera"] = encode_camera(*forest.preparation.camera);
  if (forest.classes.background) header["background"] = *forest.classes.background;
  for (const std::vector<TreeArrays>& trees : stages)
    for (const TreeArrays& tree : trees) {
      header["arrays"].push_back(encode_array(tree.nodes));
      header["arrays"].push_back(encode_array(tree.leaf_counts));
      if (tree.leaf_scores) header["arrays"].push_back(encode_array(*tree.leaf_scores));
    }
  return encode_header(std::move(header), features_of(forest), kPixelModel, place);
}

ModelHeader decode_header(std::string_view text, const ErrorContext& place) {
  const json document = parse_header(text, place);
  const JsonField root(document, "", place);
  check_format(root, kPixelModel, kKnownFeatures, place);
  ModelHeader header;
  Forest& forest = header.forest;
  forest.kind = decode_kind(root.at("kind"));
  forest.classes = decode_classes(root);
  forest.preparation.channels = decode_channels(root, forest.classes, place);
  forest.preparation.depth_filling = decode_depth_filling(root.at("depth_filling"));
  forest.preparation.camera = decode_camera(root, place);
  forest.leaves = decode_leaves(root.at("leaves"), forest.classes.size());
  forest.label_weights = decode_label_weights(root, forest.classes.size());
  forest.class_pixels = decode_class_pixels(root.at("class_pixels"), forest.classes.size());
  forest.options_json = root.at("options").object();
  forest.provenance_json = root.at("provenance").object();
  decode_backbone(root, header.maps);
  forest.preparation.head = decode_head(root, forest.classes, header.maps);
  forest.preparation.supplied_maps = decode_map_ranges(root, image::kMaxMaps);
  forest.encoder = decode_encoder(root);
  decode_stages(root, header);
  return header;
}

}  // namespace fernwood::forest
