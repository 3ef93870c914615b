// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/evaluate.h"

#include <algorithm>
#include <bit>

#include "core/isa.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "predict/cpu_predictor.h"

namespace fernwood::evaluate {

namespace {

struct Answer {
  image::LabelImage labels_alone;
  predict::Prediction full;
};

Answer answer_of(predict::Predictor& predictor, const image::Frame& frame) {
  return {predictor.predict(frame).labels, predictor.predict(frame, {.probabilities = true, .per_tree = false})};
}

template <typename T>
bool same_size(const Array2<T>& a, const Array2<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

bool same_shape(const Answer& a, const Answer& b) {
  return same_size(a.labels_alone, b.labels_alone) && same_size(a.labels_alone, b.full.labels) &&
         same_size(a.full.labels, b.full.labels) &&
         std::ranges::equal(a.full.probabilities, b.full.probabilities, same_size<float>);
}

std::string class_name(const image::ClassMap& classes, std::uint16_t label) {
  if (label == image::kVoid) return "void";
  return label < classes.size() ? classes.classes[label].name : "class " + std::to_string(label);
}

/// Describes the difference of two answers of the same shape at a pixel; empty if they are bit-identical.
std::string difference_at(const Answer& first, const Answer& other, std::size_t pixel, const image::ClassMap& classes) {
  const auto compare = [&](const image::LabelImage& a, const image::LabelImage& b, const char* what) {
    const std::uint16_t expected = a.data()[pixel], found = b.data()[pixel];
    return expected == found ? "" : what + class_name(classes, found) + ", not " + class_name(classes, expected);
  };
  std::string text = compare(first.labels_alone, other.labels_alone, "label ");
  if (text.empty()) text = compare(first.full.labels, other.full.labels, "with probabilities, label ");
  for (std::size_t c = 0; text.empty() && c < first.full.probabilities.size(); ++c) {
    const float expected = first.full.probabilities[c].data()[pixel], found = other.full.probabilities[c].data()[pixel];
    // Compared as bits: 0 and -0 differ, a NaN equals itself.
    if (std::bit_cast<std::uint32_t>(expected) != std::bit_cast<std::uint32_t>(found))
      text = "probability of " + class_name(classes, static_cast<std::uint16_t>(c)) +
             format_text(" %.9g, not %.9g", static_cast<double>(found), static_cast<double>(expected));
  }
  return text;
}

void compare(const Answer& first, const Answer& other, const std::string& frame, const image::ClassMap& classes,
             WayResult& result) {
  const std::size_t cols = first.full.labels.cols(), num_pixels = first.full.labels.size();
  if (!same_shape(first, other)) {
    result.num_different += num_pixels;
    if (!result.first) result.first = {frame, 0, 0, "an answer of another shape"};
    return;
  }
  for (std::size_t pixel = 0; pixel < num_pixels; ++pixel) {
    std::string values = difference_at(first, other, pixel, classes);
    if (values.empty()) continue;
    ++result.num_different;
    if (!result.first) result.first = {frame, pixel % cols, pixel / cols, std::move(values)};
  }
}

}  // namespace

LabellingWays every_labelling_way(const forest::Forest& forest, predict::PredictOptions options) {
  const DefaultFloats floats;
  options.check();
  LabellingWays found{{}, missing_devices(gpu_status())};
  for (const Isa isa : available_isas())
    for (const Gather gather : {Gather::kGather, Gather::kScalar})
      found.ways.push_back({Device{}, to_string(isa) + "-" + to_string(gather),
                            std::make_unique<predict::CpuPredictor>(forest, options.threads, KernelVariant{isa, gather},
                                                                    options.with_usual_smoothing())});
  for (const Device device : available_devices()) {
    if (device.is_cpu()) continue;
    for (const std::string& layout : predict::predict_layouts(device)) {
      options.device = to_string(device);
      options.layout = layout;
      found.ways.push_back({device, layout, predict::make_predictor(forest, options)});
    }
  }
  return found;
}

std::vector<std::string> missing_devices(const GpuStatus& gpus) {
  std::vector<std::string> missing;
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512})
    if (std::ranges::count(available_isas(), isa) == 0)
      missing.push_back("cpu " + to_string(isa) + " was not compared: this processor or build does not have it");
  for (std::size_t i = 0; i < gpus.gpus.size(); ++i)
    if (!gpus.gpus[i].problem.empty())
      missing.push_back(to_string(Device{static_cast<int>(i)}) + " was not compared: " + gpus.gpus[i].name + " " +
                        gpus.gpus[i].problem.on_command_line());
  if (!gpus.problem.empty())
    missing.push_back("no GPU was compared, only the CPU's layouts: " + gpus.problem.on_command_line());
  return missing;
}

bool VerifyReport::identical() const {
  return std::ranges::all_of(ways, [](const WayResult& way) { return way.num_different == 0; });
}

VerifyReport verify(const LabellingWays& found, const dataset::Dataset& dataset, const image::ClassMap& classes,
                    const ProgressCallback& progress) {
  const DefaultFloats floats;
  const std::vector<LabellingWay>& ways = found.ways;
  FW_CHECK(!ways.empty(), Usage, "there is no way to label, so nothing can be compared; pass at least one");
  VerifyReport report;
  report.dataset = dataset.folder().string();
  report.num_frames = dataset.size();
  report.missing = found.missing;
  for (const LabellingWay& way : ways) report.ways.push_back({to_string(way.device), way.layout, 0, {}});
  std::vector<std::string> refusals(ways.size());
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const image::Frame frame = dataset.read_frame(i);
    const Answer first = answer_of(*ways[0].predictor, frame);
    report.num_pixels += first.full.labels.size();
    // The first way is also compared with itself: labels must not depend on whether probabilities are requested.
    Answer alone = first;
    alone.full.labels = first.labels_alone;
    compare(first, alone, dataset.files(i).name, classes, report.ways[0]);
    for (std::size_t k = 1; k < ways.size(); ++k) {
      if (!refusals[k].empty()) continue;
      try {
        compare(first, answer_of(*ways[k].predictor, frame), dataset.files(i).name, classes, report.ways[k]);
      } catch (const Error& refused) {
        // Some layouts find only with a frame that they are too small.
        if (refused.kind() != ErrorKind::kUsage) throw;
        refusals[k] = refused.what();
      }
    }
    if (progress) progress(i + 1, dataset.size());
  }
  for (std::size_t k = ways.size(); k-- > 1;) {
    if (refusals[k].empty()) continue;
    report.missing.push_back(to_string(ways[k].device) + " " + ways[k].layout + " was not compared: " + refusals[k]);
    report.ways.erase(report.ways.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return report;
}

}  // namespace fernwood::evaluate
