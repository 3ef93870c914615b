// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "forest/loops.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/choices.h"
#include "core/draw.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "forest/respond_kernels.h"

namespace fernwood::forest {

namespace {

/// A frame of one channel with unknown pixels, and sites of a row tile of it at varying depths: the typical work of
/// labelling. Values are arbitrary; only the memory access pattern matters.
class GatherSample {
 public:
  GatherSample() {
    constexpr std::int32_t kRows = 120, kCols = 320;
    view_.rows = kRows;
    view_.cols = kCols;
    view_.stride = kCols + 1;
    view_.plane_size = (kRows + 1) * view_.stride;
    view_.depth_channel = 0;
    view_.sum_plane[0] = -1;
    pairs_.resize(static_cast<std::size_t>(view_.plane_size), std::uint64_t{3} << 32);
    view_.pairs = pairs_.data();
    for (std::int32_t y = 40; y < 46; ++y)
      for (std::int32_t x = 0; x < kCols; ++x)
        sites_.emplace_back(x, y, 0.3f + 0.001f * static_cast<float>((x * 7 + y * 13) % 97));
  }

  std::size_t num_responses() const { return kNumFeatures * sites_.size(); }
  void respond(const RespondKernels& kernels) {
    responses_.resize(sites_.size());
    for (int f = 0; f < kNumFeatures; ++f) {
      const auto offset = static_cast<std::int8_t>(11 * f);
      const RegionFeature feature = {{offset, 20, 7, 5}, {-20, offset, 4, 9}, 0, 0};
      kernels.respond(view_, feature, sites_.data(), sites_.size(), responses_.data());
    }
  }

 private:
  static constexpr int kNumFeatures = 8;
  image::FrameView view_;
  std::vector<std::uint64_t> pairs_;
  std::vector<PixelSite> sites_;
  std::vector<float> responses_;
};

double rate_of(const TunedChoice& choice, const std::string& name) {
  const auto found = choice.find(name);
  if (found == choice.end()) return 0;
  double rate = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), rate);
  return rate;
}

GatherReport recall_or_measure() {
  const Isa isa = available_isas().back();
  const std::string key = "gather|" + device_name(Device{}) + "|" + platform::processor_signature() + "|" +
                          to_string(isa) + "|" + build_info().version;
  if (const std::optional<TunedChoice> known = find_choice(read_choices(), key)) {
    const GatherReport report = {to_string(isa), known->contains("gather") ? known->at("gather") : "",
                                 rate_of(*known, "gather_rate"), rate_of(*known, "scalar_rate"), true};
    if (report.choice == to_string(Gather::kGather) || report.choice == to_string(Gather::kScalar)) return report;
  }
  GatherReport report = measure_gather(isa);
  remember_choice(key, {{"gather", report.choice},
                        {"gather_rate", format_text("%.4g", report.gather_rate)},
                        {"scalar_rate", format_text("%.4g", report.scalar_rate)}});
  return report;
}

}  // namespace

GatherReport compare_gathers(Isa isa, double num_responses, const std::function<double(Gather)>& seconds_of) {
  constexpr int kRounds = 8;  // the first round warms up caches
  double seconds[2] = {1e9, 1e9};
  for (int round = 0; round < kRounds; ++round)
    for (const Gather gather : {Gather::kGather, Gather::kScalar}) {
      double& least = seconds[static_cast<int>(gather)];
      least = std::min(least, seconds_of(gather));
    }
  const Gather faster = seconds[1] < seconds[0] ? Gather::kScalar : Gather::kGather;
  return {to_string(isa), to_string(faster), num_responses / seconds[0], num_responses / seconds[1], false};
}

GatherReport measure_gather(Isa isa) {
  GatherSample sample;
  return compare_gathers(isa, static_cast<double>(sample.num_responses()), [&](Gather gather) {
    const double start = seconds_now();
    sample.respond(respond_kernels({isa, gather}));
    return seconds_now() - start;
  });
}

const GatherReport& gather_report() {
  static const GatherReport report = recall_or_measure();
  return report;
}

KernelVariant fastest_variant(Isa isa) {
  return {isa, gather_report().choice == to_string(Gather::kScalar) ? Gather::kScalar : Gather::kGather};
}

}  // namespace fernwood::forest
