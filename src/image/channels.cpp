// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/channels.h"

#include <algorithm>
#include <array>
#include <functional>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "image/channel_table.h"

namespace fernwood::image {

namespace {

/// Computes each pixel independently.
template <typename Row>
void compute_rows(const ChannelSource& source, std::span<ChannelImage> planes) {
  constexpr std::size_t kNumPlanes = std::size(Row::kPlanes);
  for (std::int32_t y = 0; y < source.rows; ++y) {
    const Row row(source, y);
    std::array<std::int16_t*, kNumPlanes> out;
    for (std::size_t p = 0; p < kNumPlanes; ++p) out[p] = planes[p].row(static_cast<std::size_t>(y));
    for (std::int32_t x = 0; x < source.cols; ++x) {
      std::int16_t values[kNumPlanes];
      row(x, values);
      for (std::size_t p = 0; p < kNumPlanes; ++p) out[p][x] = values[p];
    }
  }
}

using ComputeChannels = void (*)(const ChannelSource& source, std::span<ChannelImage> planes);

template <typename Row>
constexpr ComputeChannels compute_of() {
  if constexpr (requires { &Row::compute; })
    return Row::compute;
  else
    return compute_rows<Row>;
}

/// The table split into two columns, each in its order.
template <typename Table>
struct Columns;
template <typename... Rows>
struct Columns<ChannelRows<Rows...>> {
  static constexpr ChannelSet kSets[] = {Rows::kSet...};
  static constexpr ComputeChannels kComputes[] = {compute_of<Rows>()...};
};
using Table = Columns<ChannelTable>;

std::vector<ChannelGroup> find_groups() {
  std::vector<ChannelGroup> groups;
  for (const ChannelSet& set : Table::kSets)
    if (std::ranges::find(groups, set.group) == groups.end()) groups.push_back(set.group);
  std::ranges::stable_sort(groups, std::greater{}, &ChannelGroup::share);
  groups.push_back(kContextGroup);
  return groups;
}

std::string known_names() { return join(channel_sets(), ", ", &ChannelSet::name); }

}  // namespace

void GradientChannel::compute(const ChannelSource& s, std::span<ChannelImage> planes) {
  std::vector<std::int16_t> greys(planes[0].size());
  for (std::size_t i = 0; i < greys.size(); ++i) greys[i] = grey_of(s.color[i]);
  for (std::int32_t y = 0; y < s.rows; ++y) {
    const auto row = [&](std::int32_t row) {
      return greys.data() + static_cast<std::ptrdiff_t>(std::clamp(row, 0, s.rows - 1)) * s.cols;
    };
    const std::int16_t *above = row(y - 1), *here = row(y), *below = row(y + 1);
    std::int16_t* out = planes[0].row(static_cast<std::size_t>(y));
    const std::size_t cols = planes[0].cols();
    for (std::size_t x = 0; x < cols; ++x)
      out[x] = gradient_value(above, here, below, x > 0 ? x - 1 : 0, x, std::min(x + 1, cols - 1));
  }
}

void compute_channels(const ChannelSet& set, const ChannelSource& source, std::span<ChannelImage> planes) {
  Table::kComputes[index_of(set)](source, planes);
}

std::span<const ChannelSet> channel_sets() { return Table::kSets; }

const std::vector<ChannelGroup>& channel_groups() {
  static const std::vector<ChannelGroup> groups = find_groups();
  return groups;
}

ChannelLayout::ChannelLayout(const std::vector<std::string>& set_names, const std::vector<std::string>& context_classes)
    : set_names_(set_names), num_context_(static_cast<int>(context_classes.size())) {
  FW_CHECK(!set_names.empty(), Usage, "no channels are chosen; choose among " << known_names());
  for (const std::string& name : set_names) {
    const auto set = std::ranges::find(Table::kSets, name, &ChannelSet::name);
    FW_CHECK(set != std::end(Table::kSets), Usage,
             "there are no channels \"" << name << "\"; choose among " << known_names());
    FW_CHECK(std::ranges::find(sets_, set) == sets_.end(), Usage,
             "the channels \"" << name << "\" are chosen twice; name each once (there are " << known_names() << ")");
    sets_.push_back(set);
    for (const std::string_view channel : set->channels) {
      if (channel == "depth") depth_channel_ = num_channels();
      names_.emplace_back(channel);
      groups_.push_back(set->group);
      follows_depth_.push_back(set->needs_depth);
      ranges_.emplace_back(set->least, set->greatest);
    }
  }
  for (const std::string& name : context_classes) {
    names_.push_back("p(" + name + ")");
    groups_.push_back(kContextGroup);
    follows_depth_.push_back(false);
    ranges_.emplace_back(0, kMaxContext);
  }
}

bool ChannelLayout::needs_color() const { return std::ranges::any_of(sets_, &ChannelSet::needs_color); }
bool ChannelLayout::needs_depth() const { return std::ranges::any_of(sets_, &ChannelSet::needs_depth); }
bool ChannelLayout::needs_geometry() const { return std::ranges::any_of(sets_, &ChannelSet::needs_geometry); }
bool ChannelLayout::needs_room() const { return std::ranges::any_of(sets_, &ChannelSet::needs_room); }

}  // namespace fernwood::image
