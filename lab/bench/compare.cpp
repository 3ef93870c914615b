// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cmath>
#include <iostream>
#include <limits>

#include "apps/bench/bench.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "lab/commands.h"
#include "shell/command.h"
#include "shell/options.h"

namespace fernwood::lab {

namespace {

using Json = nlohmann::json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Command-line arguments for one machine.
struct Machine {
  std::filesystem::path file;
  double price = 0, watts = 0;  ///< 0: not given.
};

struct CompareArguments {
  Machine a, b;
  static OptionTable<CompareArguments> table();  ///< Without the files.

  void add_to(CLI::App& command) {
    command.add_option("a", a.file, "What bench train --json or bench predict --json printed on one machine")
        ->option_text("A.json");
    command.add_option("b", b.file, "The same of another machine")->option_text("B.json");
    apps::add_table(command, *this);
  }
};

constexpr std::array kCompareRows = {
    option<&CompareArguments::a, &Machine::price>("price-a", "Price of what worked in A; 0: unknown").in(at_least(0)),
    option<&CompareArguments::b, &Machine::price>("price-b", "In B").in(at_least(0)),
    option<&CompareArguments::a, &Machine::watts>("watts-a",
                                                  "Power in A, for example by its data sheet; 0: as measured")
        .in(at_least(0)),
    option<&CompareArguments::b, &Machine::watts>("watts-b", "In B").in(at_least(0)),
};
OptionTable<CompareArguments> CompareArguments::table() { return kCompareRows; }

/// The compared values of one benchmark. NaN: unknown.
struct Side {
  std::string device;
  Json work;                  ///< Must be equal on both sides.
  double seconds = kUnknown;  ///< For training, or for a frame of a stream.
  double latency = kUnknown;  ///< Seconds for a single frame.
  double watts = kUnknown;
  std::string watts_of;  ///< Source of the measurement.
  double price = kUnknown;

  double joules() const { return seconds * watts; }
};

/// Average power; if only one of the counters was readable, only that one's.
void set_power(const Json& energy, const Machine& machine, Side& side) {
  if (machine.watts > 0) {
    side.watts = machine.watts;
    side.watts_of = "as given";
    return;
  }
  double joules = 0;
  for (const auto& [key, name] : {std::pair{"cpu_joules", "CPU"}, {"gpu_joules", "GPU"}}) {
    if (energy.at(key).is_null()) continue;
    joules += energy.at(key).get<double>();
    side.watts_of += (side.watts_of.empty() ? "" : " and ") + std::string(name);
  }
  const bool of_worker = side.watts_of.find(side.device.starts_with("cpu") ? "CPU" : "GPU") != std::string::npos;
  if (of_worker)
    side.watts = joules / energy.at("seconds").get<double>();
  else
    side.watts_of.clear();
}

const Json& fastest_layout(const Json& layouts) {
  const Json* fastest = nullptr;
  for (const Json& layout : layouts)
    if (!layout.contains("problem") &&
        (!fastest || layout.at("frames_per_second").get<double>() > fastest->at("frames_per_second").get<double>()))
      fastest = &layout;
  FW_CHECK(fastest, Data, "no layout could be measured; measure again with --layout auto");
  return *fastest;
}

Side read_side(const Json& bench, const Machine& machine) {
  Side side;
  if (machine.price > 0) side.price = machine.price;
  side.device = bench.at("device").get<std::string>();
  if (!bench.at("gpu").is_null()) {
    side.device += ", " + bench.at("gpu").at("name").get<std::string>();
  } else {
    const int threads = bench.at("threads");
    side.device += ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  const std::string kind = bench.at("benchmark");
  if (kind == "train") {
    side.work = {kind, bench.at("options"), bench.at("provenance")};
    side.seconds = bench.at("seconds_growing");
    set_power(bench.at("energy"), machine, side);
  } else {
    const Json& layout = fastest_layout(bench.at("layouts"));
    side.work = {kind, bench.at("model"), bench.at("rows"), bench.at("cols"), bench.value("smooth_px", 0)};
    side.seconds = 1 / layout.at("frames_per_second").get<double>();
    side.latency = layout.at("latency_ms").get<double>() / 1000;
    set_power(layout.at("energy"), machine, side);
  }
  return side;
}

Side load(const Machine& machine) {
  try {
    const std::vector<std::uint8_t> bytes = read_file(machine.file);
    return read_side(Json::parse(bytes.begin(), bytes.end()), machine);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kData, machine.file.string() +
                                      " is not what fernwood bench train --json or bench predict --json prints; "
                                      "measure again and give its output");
  }
}

std::string cell(double value, const char* pattern, const char* unit) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return std::string(text.data()) + unit;
}

std::string row(const char* name, const std::string& a, const std::string& b) {
  return format_text("%-20s %32s %32s\n", name, a.c_str(), b.c_str());
}

std::string time_cell(double seconds) {
  return seconds < 1 ? cell(1000 * seconds, "%.3f", " ms") : cell(seconds, "%.2f", " s");
}

std::string energy_cell(double joules) { return cell(joules, joules < 10 ? "%.4f" : "%.1f", " J"); }

std::string table(const Side& a, const Side& b) {
  const bool train = a.work.at(0) == "train";
  std::string text = row("", "A", "B") + row("device", a.device, b.device);
  if (!train) text += row("latency", time_cell(a.latency), time_cell(b.latency));
  text += row(train ? "growing" : "a frame of a stream", time_cell(a.seconds), time_cell(b.seconds));
  text += row("power", cell(a.watts, "%.1f", " W"), cell(b.watts, "%.1f", " W"));
  text += row("power of", a.watts_of.empty() ? "-" : a.watts_of, b.watts_of.empty() ? "-" : b.watts_of);
  text += row("energy", energy_cell(a.joules()), energy_cell(b.joules()));
  text += row("price", cell(a.price, "%.0f", ""), cell(b.price, "%.0f", "")) + "\n";
  const double speed_up = a.seconds / b.seconds;
  if (!train) text += row("speed-up, latency", "", cell(a.latency / b.latency, "%.2f", ""));
  text += row("speed-up", "", cell(speed_up, "%.2f", ""));
  text += row("speed-up per watt", "", cell(speed_up * a.watts / b.watts, "%.2f", ""));
  return text + row("speed-up per price", "", cell(speed_up * a.price / b.price, "%.2f", ""));
}

void run(const CompareArguments& arguments) {
  FW_CHECK(!arguments.b.file.empty(), Usage,
           "two results are needed; write fernwood-lab compare A.json B.json with what bench --json printed");
  check_options(CompareArguments::table(), arguments);
  const Side a = load(arguments.a), b = load(arguments.b);
  FW_CHECK(a.work == b.work, Data,
           arguments.a.file.string() << " and " << arguments.b.file.string()
                                     << " did different work; compare the same training, or the same model on frames "
                                        "of the same size");
  std::cout << table(a, b);
}

}  // namespace

void add_compare_command(CLI::App& bench) {
  apps::add_command<CompareArguments>(bench,
                                      {.name = "compare",
                                       .summary = "Speed-up of B over A, also per watt and per price",
                                       .example = "fernwood-lab compare cpu.json gpu.json --price-a 999 --price-b 3199",
                                       .run = run});
}

}  // namespace fernwood::lab
