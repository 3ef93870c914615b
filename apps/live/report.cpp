// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/live/live.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

/// Frames after which memory has its size.
constexpr std::size_t kEarly = 100;

using Stage = std::pair<const char*, const Durations predict::LiveReport::*>;
constexpr std::array<Stage, 3> kStages = {{{"capture", &predict::LiveReport::capture},
                                           {"predict", &predict::LiveReport::predict},
                                           {"show", &predict::LiveReport::show}}};

nlohmann::json to_json(const Durations& durations) {
  return {{"latency_ms_median", 1000 * durations.median_s()}, {"latency_ms_p95", 1000 * durations.p95_s()}};
}

/// Of this process, as the system counts it; 0 when it does not say.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total_pages = 0, resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string live_text(const LiveResult& result) {
  const predict::LiveReport& report = result.report;
  std::string text = result.source + ", " + std::to_string(result.cols) + " x " + std::to_string(result.rows) +
                     " pixels, on " + result.device + " (" + result.layout + ")\n";
  text += format_text("%zu frames labelled in %.1f s, %.1f a second; %zu captured, %zu dropped for newer ones\n\n",
                      report.num_shown, report.seconds, report.frames_per_second(), report.num_captured,
                      report.num_dropped);
  text += format_text("%-10s %12s %12s\n", "", "median ms", "95 % ms");
  const auto line = [&](const char* name, const Durations& durations) {
    text += format_text("%-10s %12.2f %12.2f\n", name, 1000 * durations.median_s(), 1000 * durations.p95_s());
  };
  for (const auto& [name, stage] : kStages) line(name, report.*stage);
  line("latency", report.latency);
  text += "\nlatency: from when the source had delivered a frame until its labels were shown\n";
  if (report.num_reconnects > 0)
    text += format_text("the camera was lost and came back %zu times\n", report.num_reconnects);
  if (result.num_recorded > 0) text += format_text("%zu frames recorded\n", result.num_recorded);
  return text;
}

std::string live_json(const LiveResult& result) {
  const predict::LiveReport& report = result.report;
  nlohmann::json json = {{"schema_version", 1},
                         {"source", result.source},
                         {"device", result.device},
                         {"layout", result.layout},
                         {"model", result.model_checksum},
                         {"rows", result.rows},
                         {"cols", result.cols},
                         {"every_frame", result.every_frame},
                         {"frames", report.num_shown},
                         {"captured", report.num_captured},
                         {"dropped", report.num_dropped},
                         {"recorded", result.num_recorded},
                         {"reconnects", report.num_reconnects},
                         {"seconds", report.seconds},
                         {"frames_per_second", report.frames_per_second()},
                         {"labels_checksum", to_hex(result.labels_checksum)},
                         {"early_memory_bytes", result.early_memory_bytes},
                         {"memory_bytes", result.memory_bytes},
                         {"stages", nlohmann::json::object()}};
  json.update(to_json(report.latency));
  for (const auto& [name, stage] : kStages) json["stages"][name] = to_json(report.*stage);
  return json.dump(2) + "\n";
}

MeasuringSink::MeasuringSink(const std::filesystem::path& record_to)
    : recorder_(record_to.empty() ? nullptr : std::make_unique<dataset::FrameRecorder>(record_to)) {}

void MeasuringSink::captured(const dataset::CapturedFrame& frame) {
  if (recorder_) recorder_->add(frame);
}

bool MeasuringSink::show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) {
  const image::LabelImage& labels = frame.prediction.labels;
  rows_ = labels.rows();
  cols_ = labels.cols();
  const std::array<std::uint64_t, 2> chain = {labels_checksum_,
                                              checksum(labels.data(), labels.size() * sizeof(*labels.data()))};
  labels_checksum_ = checksum(chain.data(), sizeof(chain));
  if (so_far.num_shown <= kEarly) early_memory_bytes_ = resident_bytes();
  return true;
}

void MeasuringSink::camera_lost(const std::string& why) { spdlog::warn(why); }

void MeasuringSink::camera_back() { spdlog::info("the camera is back"); }

void MeasuringSink::finish(LiveResult& result) {
  if (recorder_) {
    recorder_->finish();
    result.num_recorded = recorder_->num_written();
  }
  result.rows = rows_;
  result.cols = cols_;
  result.labels_checksum = labels_checksum_;
  result.early_memory_bytes = early_memory_bytes_;
  result.memory_bytes = resident_bytes();
}

}  // namespace fernwood::apps
