// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/bench/bench.h"

#include <array>

#include "apps/commands.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::apps {

namespace {

/// Counters wrap after about ten minutes at full power.
constexpr double kSecondsBetweenSamples = 60;
/// GPU counters are updated about ten times a second.
constexpr double kRoughSeconds = 2;

constexpr std::array kBenchRows = {
    option<&BenchOptions::repeat>("repeat", "Measurements of each").in(at_least(1)),
    option<&BenchOptions::seconds>("seconds", "Shortest time of streaming frames, whose energy is measured")
        .in(from_to(0, 86400)),
    option<&BenchOptions::resident>("resident",
                                    "Also measure frames that are already in device memory, with labels that stay "
                                    "there"),
};

EnergySources sources_of(Device device) {
  EnergySources sources;
  if (!device.is_cpu()) sources.gpus = {gpu_status().gpus.at(static_cast<std::size_t>(device.gpu)).bus_id};
  return sources;
}

std::optional<double> since(const std::optional<double>& start, const std::optional<double>& end) {
  if (!start || !end) return {};
  return *end - *start;
}

std::string counter_text(const std::string& who, const std::optional<double>& joules, double seconds,
                         const std::string& problem) {
  if (!joules) return who + " unknown: " + problem;
  return who + format_text(" %.1f J, %.0f W", *joules, seconds > 0 ? *joules / seconds : 0);
}

}  // namespace

OptionTable<BenchOptions> BenchOptions::table() { return kBenchRows; }
void BenchOptions::check() const { check_options(table(), *this); }

EnergyWatch::EnergyWatch(Device device) : meter_(sources_of(device)) { energy_.on_gpu = !device.is_cpu(); }

void EnergyWatch::start() {
  cpu_at_start_ = meter_.cpu_joules();
  if (energy_.on_gpu) gpu_at_start_ = meter_.gpu_joules();
  start_ = last_sample_ = seconds_now();
}

void EnergyWatch::sample() {
  if (seconds_now() - last_sample_ < kSecondsBetweenSamples) return;
  meter_.cpu_joules();
  last_sample_ = seconds_now();
}

Energy EnergyWatch::stop() {
  Energy energy = energy_;
  energy.seconds = seconds_now() - start_;
  energy.cpu_joules = since(cpu_at_start_, meter_.cpu_joules());
  energy.cpu_problem = meter_.cpu_problem();
  if (!energy.on_gpu) return energy;
  energy.gpu_joules = since(gpu_at_start_, meter_.gpu_joules());
  energy.gpu_problem = meter_.gpu_problem();
  return energy;
}

std::string energy_text(const Energy& energy, const std::string& phase) {
  std::string text = "energy  " + phase + format_text(", %.2f s: ", energy.seconds);
  const std::string cpu = counter_text("processor", energy.cpu_joules, energy.seconds, energy.cpu_problem);
  if (!energy.on_gpu) return text + cpu + "\n";
  text += counter_text("GPU", energy.gpu_joules, energy.seconds, energy.gpu_problem);
  if (energy.gpu_joules && energy.seconds < kRoughSeconds)
    text += " (rough: such counters advance ten times per second)";
  return text + "\n        " + cpu + "\n";
}

nlohmann::json to_json(const Energy& energy) {
  const auto number = [](const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(); };
  const auto sentence = [](const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); };
  return {{"seconds", energy.seconds},
          {"cpu_joules", number(energy.cpu_joules)},
          {"gpu_joules", number(energy.gpu_joules)},
          {"cpu_problem", sentence(energy.cpu_problem)},
          {"gpu_problem", sentence(energy.gpu_problem)}};
}

std::string gpu_name(Device device) {
  return device.is_cpu() ? "" : gpu_status().gpus.at(static_cast<std::size_t>(device.gpu)).name;
}

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure speed and energy on this machine")->fallthrough();
  command->require_subcommand(1);
  command->footer("\nExample:\n  fernwood bench train --data rooms/train --trees 1");
  add_bench_train(*command);
  add_bench_predict(*command);
  add_bench_align(*command);
}

}  // namespace fernwood::apps
