// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/options.h"

#include <algorithm>
#include <cstdio>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/loads.h"
#include "fernwood/teach/project.h"

namespace fernwood::apps {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::string part : CLI::detail::split(text, ','))
    if (!CLI::detail::trim(part).empty()) parts.push_back(part);
  return parts;
}

std::string known_channels() {
  std::string text;
  for (const image::ChannelSet& set : image::channel_sets()) text += (text.empty() ? "" : ", ") + std::string(set.name);
  return text;
}

/// An option whose values have names.
template <typename Value, std::size_t kCount>
void add_choice(CLI::App& command, const std::string& option, Value& value, const std::string& help,
                const std::array<Value, kCount>& values) {
  std::string shown;
  for (const Value known : values) shown += (shown.empty() ? "" : "|") + to_string(known) + (known == value ? "*" : "");
  const auto choose = [&value, option, values](const std::string& word) { value = parse_name(option, word, values); };
  command.add_option_function<std::string>(option, choose, help)->option_text(shown);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const train::Preset& preset : train::presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace

image::Rgb parse_color(const std::string& text) {
  int r = -1, g = -1, b = -1;
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "#%2x%2x%2x%c", reinterpret_cast<unsigned*>(&r),
                                reinterpret_cast<unsigned*>(&g), reinterpret_cast<unsigned*>(&b), &rest) == 3 ||
                    std::sscanf(text.c_str(), "%d,%d,%d%c", &r, &g, &b, &rest) == 3;
  const auto in_range = [](int value) { return value >= 0 && value <= 255; };
  FW_CHECK(read && in_range(r) && in_range(g) && in_range(b), Usage,
           "\"" << text << "\" is not a colour; write red,green,blue from 0 to 255 or #rrggbb");
  return {static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
}

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  FW_CHECK(std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2, Usage,
           "\"" << text << "\" is not a size; write width x height, for example 640x480");
  return {width, height};
}

std::pair<int, int> parse_pixel(const std::string& text) {
  int x = 0, y = 0;
  char rest = 0;
  FW_CHECK(std::sscanf(text.c_str(), "%d,%d%c", &x, &y, &rest) == 2, Usage,
           "--at is \"" << text << "\", which is no pixel; write column,row counted from 0, for example 320,240");
  return {x, y};
}

void DatasetArguments::add_to(CLI::App& command) {
  command.add_option("--data", data, "Folder of frames: NAME_colors.png, NAME_depth.png, NAME_ground_truth.png")
      ->required()
      ->option_text("DIR");
  command
      .add_option("--ignore-color", ignored_colors,
                  "Ground-truth colour that means void, besides black; may be repeated")
      ->option_text("R,G,B");
  add_number(command, "--max-frames", max_frames, "Use only so many frames, evenly spread; 0: all");
}

dataset::DatasetOptions DatasetArguments::options(bool needs_truth) const {
  dataset::DatasetOptions options;
  for (const std::string& color : ignored_colors) options.ignored_colors.push_back(parse_color(color));
  options.needs_truth = needs_truth;
  options.max_frames = max_frames;
  return options;
}

dataset::Dataset DatasetArguments::open(bool needs_truth, const std::string& split_hint) const {
  if (needs_truth) teach::bring_truth_up_to_date(data);
  return dataset::Dataset::open(data, options(needs_truth), split_hint);
}

void TrainArguments::add_to(CLI::App& command) {
  train::TrainOptions& o = options;
  command.add_option("--preset", preset_, "Options that go together, for others to change")
      ->option_text(CLI::detail::join(preset_names(), "|") + " (balanced)");
  command
      .add_option(
          "--kind", kind_,
          "Trees whose nodes have tests of their own, or one test per level, or trees that correct one another; "
          "without --preset other options begin with what suits the kind")
      ->option_text("forest|ferns|boosted*");
  const std::size_t before = command.get_options().size();
  add_number(command, "--trees", o.trees, "Trees to grow");
  add_number(command, "--samples-per-frame", o.samples_per_frame, "Pixels drawn from each frame for each tree");
  add_number(command, "--features", o.features, "Candidate features tried at each node");
  add_number(command, "--thresholds", o.thresholds, "Thresholds tried for each candidate, 1 to 255");
  add_number(command, "--max-depth", o.max_depth, "Levels below the root");
  add_number(command, "--min-samples", o.min_samples, "A node with fewer samples becomes a leaf");
  add_number(command, "--learning-rate", o.learning_rate,
             "Of --kind boosted: what a tree's answers are multiplied by, above 0 to 1");
  add_number(command, "--box-radius", o.box_radius, "Largest offset of a region, pixels at 1 m, 1 to 127");
  add_number(command, "--region-size", o.region_size, "Largest half extent of a region, pixels at 1 m, 1 to 127");
  add_number(command, "--absolute-share", o.absolute_share,
             "Share of candidates that are one region's mean alone, 0 to 1");
  add_number(command, "--stages", o.stages, "Forests one after another; each reads what the one before thinks, 1 to 4");
  add_number(command, "--folds", o.folds,
             "Parts of the frames for stages: each part is shown what trees without it think");
  add_number(command, "--seed", o.seed, "Same seed, same forest, on every device");
  add_number(command, "--frames-per-tree", o.frames_per_tree, "Frames that each tree sees, at random; 0: all");
  add_number(
      command, "--stop-when-flat", o.stop_when_flat,
      "End once the last N trees raised accuracy on frames they have not seen by less than 0.1 points; 0: never");
  add_choice(command, "--sampling", o.sampling, "Pixels alike, or classes alike", train::kSamplings);
  add_choice(command, "--candidates", o.candidates, "Draw candidates once per level or per node",
             train::kCandidateScopes);
  add_choice(command, "--threshold-source", o.threshold_source,
             "Thresholds from responses of samples, or a jittered logarithmic grid", train::kThresholdSources);
  add_choice(command, "--score", o.score, "Impurity score of a split", train::kScoreKinds);
  command.add_flag("--flip,!--no-flip", o.flip, "Half of the samples see their frame mirrored (default)");
  command
      .add_option("--channels", channels,
                  "Channel sets, separated by commas: " + known_channels() + " (all but rgb and facing)")
      ->option_text("LIST");
  add_choice(command, "--depth-filling", o.depth_filling, "How missing depth is filled", image::kDepthFillings);
  command.add_flag("--reweight,!--no-reweight", o.leaves.reweight,
                   "Weigh classes in leaves as they are in the data (default)");
  add_number(command, "--histogram-bias", o.leaves.histogram_bias,
             "Share subtracted from every class of a leaf, 0 to 1");
  command
      .add_option("--class-weights", o.class_weights,
                  "Classes count for more in leaves: data, alike; balanced, by the inverse of their frequency; sqrt or "
                  "cbrt, by "
                  "its square or cube root; or some by name")
      ->option_text("data|balanced|sqrt|cbrt*|NAME=X,...");
  add_device_options(command, resources.device, resources.threads);
  command.add_option("--memory-budget", memory_budget, "Bound of the memory that training holds, for example 4GiB")
      ->option_text("SIZE (3/4 of what is free)");
  command
      .add_option("--gpu-memory", gpu_memory,
                  "Bound of the prepared frames that a GPU holds; others are brought when they are needed")
      ->option_text("SIZE (what its memory has room for)");
  const std::vector<CLI::Option*> all = command.get_options();
  given_after_.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
}

void TrainArguments::finish() {
  if (!preset_.empty()) options = train::presets()[find_name("--preset", preset_, preset_names())].options;
  if (!kind_.empty()) {
    const forest::ForestKind kind = parse_name("--kind", kind_, forest::kForestKinds);
    if (preset_.empty()) options = train::defaults_of(kind);
    options.kind = kind;
  }
  // What was given counts, wherever it stands, on the command line or in a file.
  for (CLI::Option* option : given_after_)
    if (option->count() > 0) option->run_callback();
  if (!channels.empty()) options.channels = split_at_commas(channels);
  if (!memory_budget.empty())
    resources.memory_budget_bytes = parse_bytes(memory_budget, "--memory-budget", train::kLeastMemoryBytes);
  if (!gpu_memory.empty())
    resources.gpu_memory_bytes = parse_bytes(gpu_memory, "--gpu-memory", train::kLeastMemoryBytes);
  options.check();
}

void add_model_option(CLI::App& command, std::filesystem::path& model) {
  command.add_option("--model", model, "Model file")->required()->option_text("FILE");
}

void add_threads_option(CLI::App& command, int& threads) {
  add_number(command, "-j,--threads", threads, "CPU threads; 0: all");
}

void add_device_options(CLI::App& command, std::string& device, int& threads) {
  command
      .add_option("--device", device,
                  "auto, cpu, cuda or cuda:N; for train, predict and evaluate also cuda:0,1 or cuda:all")
      ->option_text("NAME (auto)");
  add_threads_option(command, threads);
}

void add_page_options(CLI::App& command, web::WebOptions& web) {
  add_number(command, "--port", web.port, "Where the page is; 0: a port that is free");
  command
      .add_option(
          "--listen", web.address,
          "Network address of this machine that the page is at: 0.0.0.0 lets in whoever reaches this machine and "
          "has the token")
      ->option_text("ADDRESS (127.0.0.1, this machine alone)");
}

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

std::string check_not_negative(const std::string& text) {
  return text.starts_with("-") ? text + " is negative; give 0 or more" : "";
}

void add_predict_options(CLI::App& command, predict::PredictOptions& options) {
  add_device_options(command, options.device, options.threads);
  command.add_option("--layout", options.layout, "How frames and trees are read, see docs/devices.md")
      ->option_text("NAME (auto, the fastest)");
  add_labelling_options(command, options);
}

void add_labelling_options(CLI::App& command, predict::PredictOptions& options) {
  add_number(
      command, "--grid", options.grid,
      "Ask trees about one pixel of each cell of so many, and about the others where cells disagree or have edges; "
      "1: about all");
  // By a function: a flag would say false where it is not given.
  command.add_flag_function(
      "--interpolate,!--no-interpolate", [&options](std::int64_t given) { options.interpolate = given > 0; },
      "Ask trees about one pixel of each cell of 4 x 4 alone, and interpolate; best with --smooth (boosted forests "
      "alone)");
  add_smoothing_options(command, options.smoothing);
}

void add_loads_option(CLI::App& command, std::string& loads) {
  command.add_option("--loads", loads, "How a processor's loops load what lies anywhere, see docs/devices.md")
      ->option_text("auto|gather|scalar (auto, the faster here)")
      ->check(CLI::IsMember(forest::loads_names()));
}

void add_smoothing_options(CLI::App& command, predict::Smoothing& smoothing) {
  add_number(command, "--smooth", smoothing.extent_px,
             "Smooth class probabilities over so many pixels, but not over edges of colour and depth; 0: off");
  add_number(command, "--smooth-color", smoothing.color,
             "Difference of colours, red, green and blue added up, that is as far as --smooth pixels; 0: no colour");
  add_number(command, "--smooth-depth", smoothing.depth,
             "The same for a difference of depths, as a share of the smaller; 0: no depth");
}

}  // namespace fernwood::apps
