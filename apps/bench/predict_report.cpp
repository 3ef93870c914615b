// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/bench/bench.h"
#include "fernwood/core/text.h"
#include "shell/json_result.h"

namespace fernwood::apps {

namespace {

std::string device_text(const BenchPredictResult& result) {
  if (!result.device.is_cpu()) return to_string(result.device) + ", " + gpu_name(result.device);
  return "cpu, " + std::to_string(result.threads) + (result.threads == 1 ? " thread" : " threads") + ", " + "gather " +
         result.gather;
}

/// Millijoules per frame; "-" without a counter.
std::string per_frame(const std::optional<double>& joules, const LayoutResult& result) {
  return joules ? format_text("%.2f", 1000 * *joules / static_cast<double>(result.streamed)) : "-";
}

std::string host_lines(const BenchPredictResult& result) {
  std::string text;
  for (const auto& [what, times] :
       {std::pair{"decode, one thread", &result.decode}, {"prepare, one thread", &result.prepare}})
    if (!times->ms.empty())
      text += format_text("%-20s %8.2f ms  (median; from %.2f to %.2f, %zu times)\n", what, times->median(),
                          times->least(), times->most(), times->ms.size());
  return text;
}

std::string host_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s %9s %9s %9s %14s %10s %9s %9s\n", "layout", "latency", "from", "to",
                                 "probabilities", "frames/s", "GPU mJ", "CPU mJ");
  for (const LayoutResult& layout : result.layouts) {
    if (layout.problem.empty())
      text += format_text(
          "%-10s %9.3f %9.3f %9.3f %14.3f %10.1f %9s %9s\n", layout.layout.c_str(), layout.latency.median(),
          layout.latency.least(), layout.latency.most(), layout.probabilities.median(), layout.frames_per_second(),
          per_frame(layout.energy.gpu_joules, layout).c_str(), per_frame(layout.energy.cpu_joules, layout).c_str());
    else
      text += format_text("%-10s ", layout.layout.c_str()) + layout.problem + "\n";
  }
  return text;
}

std::string gpu_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s", "on the GPU");
  for (const auto& [name, part] : kGpuParts) text += format_text(" %9s", name);
  text += "\n";
  for (const LayoutResult& layout : result.layouts) {
    if (!layout.problem.empty()) continue;
    text += format_text("%-10s", layout.layout.c_str());
    for (const Times& times : layout.on_gpu) text += format_text(" %9.3f", times.median());
    text += "\n";
  }
  return text;
}

std::string resident_table(const BenchPredictResult& result) {
  std::string text = format_text("%-10s %9s %9s %9s %10s\n", "layout", "latency", "from", "to", "frames/s");
  for (const LayoutResult& layout : result.layouts)
    if (!layout.resident.ms.empty())
      text += format_text("%-10s %9.3f %9.3f %9.3f %10.1f\n", layout.layout.c_str(), layout.resident.median(),
                          layout.resident.least(), layout.resident.most(), layout.resident_frames_per_second);
  return text;
}

nlohmann::json to_json(const LayoutResult& result) {
  if (!result.problem.empty()) return {{"layout", result.layout}, {"problem", result.problem}};
  nlohmann::json json = {{"layout", result.layout},
                         {"latency_ms", result.latency.median()},
                         {"latency_least_ms", result.latency.least()},
                         {"latency_most_ms", result.latency.most()},
                         {"probabilities_ms", result.probabilities.median()},
                         {"frames_per_second", result.frames_per_second()},
                         {"streamed_frames", result.streamed},
                         {"energy", to_json(result.energy)},
                         {"gpu_ms", nullptr},
                         {"resident", nullptr}};
  if (!result.resident.ms.empty())
    json["resident"] = {{"latency_ms", result.resident.median()},
                        {"latency_least_ms", result.resident.least()},
                        {"latency_most_ms", result.resident.most()},
                        {"frames_per_second", result.resident_frames_per_second}};
  for (std::size_t part = 0; part < result.on_gpu.size(); ++part)
    if (!result.on_gpu[part].ms.empty()) json["gpu_ms"][kGpuParts[part].first] = result.on_gpu[part].median();
  return json;
}

}  // namespace

std::string bench_predict_text(const BenchPredictResult& result) {
  std::string text = format_text("%zu %s, %zu x %zu pixels, ", result.num_trees,
                                 result.num_trees == 1 ? "tree" : "trees", result.cols, result.rows) +
                     device_text(result) + "\n" +
                     (result.device_note.empty() ? "" : "on the CPU: " + result.device_note + "\n") +
                     host_lines(result) +
                     "\nms from a frame in memory to labels in memory, medians; frames a second and mJ a frame of a "
                     "stream\n" +
                     host_table(result);
  if (!result.device.is_cpu()) text += "\nms by the GPU's clock, medians of frames one by one\n" + gpu_table(result);
  if (std::ranges::any_of(result.layouts, [](const LayoutResult& l) { return !l.resident.ms.empty(); }))
    text +=
        "\nms from a frame in the device's memory to labels there; frames a second of frames enqueued one behind "
        "another\n" +
        resident_table(result);
  const auto measured = std::ranges::find_if(result.layouts, [](const LayoutResult& l) { return l.problem.empty(); });
  return measured == result.layouts.end()
             ? text
             : text + "\n" + energy_text(measured->energy, "streaming " + measured->layout);
}

std::string bench_predict_json(const BenchPredictResult& result) {
  const std::string gpu = gpu_name(result.device);
  nlohmann::json json = {{"schema_version", 1},
                         {"benchmark", "predict"},
                         {"device", to_string(result.device)},
                         {"gpu", gpu.empty() ? nlohmann::json() : nlohmann::json{{"name", gpu}}},
                         {"threads", result.threads},
                         {"gather", result.gather.empty() ? nlohmann::json() : nlohmann::json(result.gather)},
                         {"smooth_px", result.smooth_px},
                         {"model", result.model_checksum},
                         {"trees", result.num_trees},
                         {"rows", result.rows},
                         {"cols", result.cols},
                         {"decode_ms", result.decode.median()},
                         {"prepare_ms", nullptr},
                         {"layouts", nlohmann::json::array()}};
  if (result.device.is_cpu()) json["prepare_ms"] = result.prepare.median();
  for (const LayoutResult& layout : result.layouts) json["layouts"].push_back(to_json(layout));
  return json_result(json);
}

}  // namespace fernwood::apps
