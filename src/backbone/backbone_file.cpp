// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/network.h"

#include <bit>
#include <cstdlib>
#include <sstream>

#include "core/model_container.h"
#include "fernwood/core/error.h"
#include "fernwood/image/feature_maps.h"

namespace fernwood::backbone {

using nlohmann::json;

namespace {

constexpr std::uint64_t kMaxBlocks = 64;
constexpr int kMaxStride = 64;
static_assert(sizeof(Rescaling) == 4 * sizeof(std::int32_t), "as files have it");

ErrorContext loading_backbone(const std::string& name) {
  return {name, "; the file is damaged: copy it again, or make it again with `fernwood backbone import`"};
}

/// An array of a network in a file.
struct NumbersOf {
  std::string name;
  const char* dtype;
  std::vector<std::uint64_t> shape;
  void* data;
  std::uint64_t size_bytes;
};

/// The arrays of all layers, in the order of the file. @param network  With the sizes of all layers; missing arrays are
/// allocated.
std::vector<NumbersOf> numbers_of(Network& network) {
  std::vector<NumbersOf> all;
  const auto add = [&](const std::string& name, const char* dtype, auto& values, std::uint64_t rows,
                       std::uint64_t cols) {
    values.resize(rows * (sizeof(values[0]) == sizeof(Rescaling) ? 1 : cols));
    std::vector<std::uint64_t> shape = {rows};
    if (cols > 1) shape.push_back(cols);
    all.push_back({name, dtype, std::move(shape), values.data(), values.size() * sizeof(values[0])});
  };
  const auto add_layer = [&](const std::string& name, auto& layer, std::uint64_t out, std::uint64_t inputs) {
    add(name + ".weights", "int8", layer.weights, out, inputs);
    add(name + ".rescaling", "int32", layer.rescaling, out, 4);
  };
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    Block& block = network.blocks[b];
    const std::string prefix = "block" + std::to_string(b);
    const auto unsigned_of = [](int value) { return static_cast<std::uint64_t>(value); };
    add_layer(prefix + ".expand", block.expand, unsigned_of(block.expand.out), unsigned_of(block.expand.num_inputs()));
    add_layer(prefix + ".depthwise", block.depthwise, unsigned_of(block.depthwise.channels),
              unsigned_of(block.depthwise.kernel * block.depthwise.kernel));
    add_layer(prefix + ".project", block.project, unsigned_of(block.project.out),
              unsigned_of(block.project.num_inputs()));
    if (!block.residual.empty()) add(prefix + ".residual", "int32", block.residual, block.residual.size(), 1);
  }
  return all;
}

/// Positions of a network's arrays; without checksums.
std::vector<ModelArray> place_arrays(const std::vector<NumbersOf>& numbers) {
  std::vector<ModelArray> arrays;
  std::uint64_t end = 0;
  for (const NumbersOf& of : numbers) {
    arrays.push_back({of.name, of.dtype, of.shape, aligned(end), of.size_bytes, ""});
    end = arrays.back().end();
  }
  return arrays;
}

json encode_block(const Block& block) {
  return {
      {"in", block.expand.in},
      {"expanded", block.expand.out},
      {"out", block.project.out},
      {"stem", {{"kernel", block.expand.kernel}, {"stride", block.expand.stride}, {"before", block.expand.before}}},
      {"depthwise",
       {{"kernel", block.depthwise.kernel}, {"stride", block.depthwise.stride}, {"before", block.depthwise.before}}},
      {"residual", !block.residual.empty()},
      {"map", block.is_map}};
}

Block decode_block(const JsonField& field) {
  const auto whole = [](const JsonField& number, std::uint64_t least, std::uint64_t most) {
    return static_cast<int>(number.whole(least, most));
  };
  Block block;
  Dense& expand = block.expand;
  const JsonField stem = field.at("stem"), depthwise = field.at("depthwise");
  expand = {whole(field.at("in"), 1, kMaxChannels),
            whole(field.at("expanded"), 1, kMaxChannels),
            whole(stem.at("kernel"), 1, kMaxKernel),
            whole(stem.at("stride"), 1, 2),
            whole(stem.at("before"), 0, kMaxKernel),
            {},
            {}};
  block.depthwise = {expand.out,
                     whole(depthwise.at("kernel"), 1, kMaxKernel),
                     whole(depthwise.at("stride"), 1, 2),
                     whole(depthwise.at("before"), 0, kMaxKernel),
                     {},
                     {}};
  block.project = {expand.out, whole(field.at("out"), 1, kMaxChannels), 1, 1, 0, {}, {}};
  if (field.at("residual").flag()) block.residual.resize(static_cast<std::size_t>(block.project.out));
  block.is_map = field.at("map").flag();
  return block;
}

struct NetworkCheck {
  const ErrorContext& place;
  std::size_t index = 0;

  void require(bool holds, const char* rule) const {
    if (holds) return;
    TextOutput text;
    text << place.file << ": block " << index << " of the network breaks the rule that " << rule << place.remedy;
    throw Error(place.kind, std::move(text).str());
  }
  void numbers(const std::vector<std::int8_t>& weights, const std::vector<Rescaling>& rescaling) const {
    for (const std::int8_t weight : weights) require(weight >= -kMaxWeight, "weights are at most 127, either way");
    for (const Rescaling& by : rescaling) {
      require(by.bias >= -2 * kMaxBias && by.bias <= 2 * kMaxBias, "biases are at most 2^30, either way");
      require(by.first_shift >= 0 && by.first_shift <= 24, "first shifts are from 0 to 24");
      require(by.multiplier >= 1 && by.multiplier <= 32767, "multipliers are from 1 to 32767");
      require(by.shift >= 1 && by.shift <= 22, "shifts are from 1 to 22");
    }
  }
  void block(const Block& block, const Block* previous) const {
    const Dense& expand = block.expand;
    const Depthwise& depthwise = block.depthwise;
    if (previous)
      require(expand.kernel == 1 && expand.stride == 1 && expand.before == 0 && expand.in == previous->project.out,
              "it expands what the block before gives");
    else
      require(expand.kernel == 3 && expand.stride <= 2 && expand.before < 3 && expand.in == 3,
              "the stem has side 3 and sees three colours");
    require(expand.out % 16 == 0, "expanded channels are a multiple of 16");
    require(block.project.out % 8 == 0, "channels are a multiple of 8");
    require(depthwise.kernel == 3 || depthwise.kernel == 5, "depthwise kernels have side 3 or 5");
    require(depthwise.before < depthwise.kernel, "fewer pixels than the kernel's side lie before its middle");
    if (!block.residual.empty()) {
      require(previous && block.stride() == 1 && expand.in == block.project.out,
              "a block whose input is added keeps its size");
      for (const std::int32_t factor : block.residual)
        require(factor >= 0 && factor <= kMaxResidual, "factors of the input are from 0 to 2^16");
    }
    numbers(expand.weights, expand.rescaling);
    numbers(depthwise.weights, depthwise.rescaling);
    numbers(block.project.weights, block.project.rescaling);
  }
};

}  // namespace

void check_network(const Network& network, const ErrorContext& place) {
  // Bound of all sums: a bias of 2^30, 8192 products of 127 and 255, and 2^16 times 255 are below 2^31.
  static_assert((std::int64_t{2} * kMaxBias) + std::int64_t{kMaxChannels} * kMaxWeight * 255 +
                    std::int64_t{kMaxResidual} * 255 + (1 << 24) <
                std::int64_t{1} << 31);
  NetworkCheck check = {place};
  int levels = 0, stride = 1;
  for (std::size_t b = 0; b < network.blocks.size(); ++b) {
    check.index = b;
    check.block(network.blocks[b], b > 0 ? &network.blocks[b - 1] : nullptr);
    stride *= network.blocks[b].stride();
    check.require(stride <= kMaxStride, "cells are at most 64 pixels wide");
    levels += network.blocks[b].is_map;
  }
  check.require(levels > 0 && levels <= image::kMaxBackboneLevels && network.num_maps() <= image::kMaxMaps,
                "from 1 to 4 blocks give maps, of together at most 32768 channels");
}

std::vector<std::uint8_t> encode_network(const Network& network, const std::string& name) {
  const ErrorContext place = {name, "; nothing was written"};
  check_network(network, place);
  Network copy = network;  // because numbers_of() may allocate arrays
  const std::vector<NumbersOf> numbers = numbers_of(copy);
  std::vector<ModelArray> arrays = place_arrays(numbers);
  json header = {{"name", network.name},       {"source", network.source},
                 {"licence", network.licence}, {"input_zero", network.input_zero},
                 {"blocks", json::array()},    {"arrays", json::array()}};
  for (const Block& block : network.blocks) header["blocks"].push_back(encode_block(block));
  std::vector<ArraySource> sources;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    sign(arrays[i], numbers[i].data);
    header["arrays"].push_back(encode_array(arrays[i]));
    sources.push_back({&arrays[i], numbers[i].data});
  }
  std::ostringstream out;
  write_container(out, encode_header(std::move(header), {}, kBackbone, place), sources);
  const std::string bytes = std::move(out).str();
  return {bytes.begin(), bytes.end()};
}

Network decode_network(std::span<const std::uint8_t> bytes, const std::string& name) {
  const ErrorContext place = loading_backbone(name);
  const std::string_view text = header_text(bytes, kBackbone.maker, place);
  const json document = parse_header(text, place);
  const JsonField root(document, "", place);
  check_format(root, kBackbone, {}, place);
  Network network;
  network.name = root.at("name").text();
  network.source = root.at("source").text();
  network.licence = root.at("licence").text();
  network.input_zero = static_cast<std::uint8_t>(root.at("input_zero").whole(0, 255));
  const JsonField blocks = root.at("blocks"), listed = root.at("arrays");
  const std::size_t num_blocks = blocks.size(1, kMaxBlocks);
  std::uint64_t num_weights = 0;
  for (std::size_t b = 0; b < num_blocks; ++b) {
    network.blocks.push_back(decode_block(blocks.at(b)));
    const Block& block = network.blocks.back();
    const auto weights_of = [](const Dense& layer) {
      return static_cast<std::uint64_t>(layer.out) * static_cast<std::uint64_t>(layer.num_inputs());
    };
    num_weights += weights_of(block.expand) + weights_of(block.project);
    // A forged header must not make its reader allocate more memory than the file has bytes.
    if (num_weights > bytes.size()) blocks.at(b).at("expanded").fail("smaller: the file has fewer weights");
  }
  const std::vector<NumbersOf> numbers = numbers_of(network);
  std::vector<ModelArray> arrays = place_arrays(numbers);
  listed.size(arrays.size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) decode_array(listed.at(i), arrays[i]);
  ArrayReader reader(bytes, text.size(), arrays.back().end(), place);
  for (std::size_t i = 0; i < arrays.size(); ++i) reader.copy(arrays[i], numbers[i].data);
  check_network(network, place);
  return network;
}

}  // namespace fernwood::backbone
