// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>
#include <string>

#include "apps/commands.h"
#include "apps/live/live.h"
#include "apps/live/live_mapping.h"
#include "apps/shell/frame_options.h"
#include "apps/shell/page_address.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/web/live_page.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

/// Shows labelled frames on a page in a browser.
class ServingSink : public MeasuringSink {
 public:
  /// @param forest  Must outlive this object.
  ServingSink(const std::filesystem::path& record_to, const forest::Forest& forest, const std::string& source,
              const std::string& device, const web::WebOptions& web, const ChooseSingle& choose_single)
      : MeasuringSink(record_to, forest), page_(forest, source, device, web, choose_single) {}

  std::string url() const { return page_.url(); }
  bool show(const predict::LiveFrame& frame, const predict::LiveReport& so_far) override {
    page_.show(frame, so_far);
    return MeasuringSink::show(frame, so_far);
  }
  void show_map(const map::VoxelMap& map, const map::RecordingReport& so_far) override {
    page_.show_map(map.points(), map.options().voxel_m, map.up(), so_far.num_fused,
                   so_far.num_frames - so_far.num_fused);
  }
  void camera_lost(const std::string& why) override {
    MeasuringSink::camera_lost(why);
    page_.note_trouble(why);
  }
  void camera_back() override {
    MeasuringSink::camera_back();
    page_.note_trouble("");
  }

 private:
  web::LivePage page_;
};

constexpr double kRecordingRateHz = 30;

struct LiveArguments {
  std::filesystem::path model, record, out;
  std::string source, rate;
  recordings::SourceOptions source_options;
  predict::LiveOptions live;
  predict::PredictOptions predict;
  web::WebOptions web;
  MappingArguments mapping;
  publish::PublishingOptions publishing;
  LiveViewOptions view;
  bool headless = false, serves = false, json = false;
  bool for_window = false;  ///< Whether an option of the window is given.
};

/// A recording is played at a camera's rate; if every frame is requested, as fast as possible.
void set_rate(const std::string& text, predict::LiveOptions& options) {
  options.recorded_times = text == "recorded";
  options.rate_hz = options.every_frame ? 0 : kRecordingRateHz;
  if (options.recorded_times || text.empty()) return;
  require_option(CLI::detail::lexical_cast(text, options.rate_hz), "rate", in_quotes(text),
                 "give frames a second, or \"recorded\" for the times of the recording");
}

predict::LiveOptions live_options(const LiveArguments& arguments) {
  predict::LiveOptions options = arguments.live;
  set_rate(arguments.rate, options);
  options.reopen = [source = arguments.source, again = arguments.source_options] {
    return formats::open_source(source, again);
  };
  options.check();
  return options;
}

/// Whether images are drawn at all; measurements are better without.
bool wants_pictures(const LiveArguments& arguments) {
  return !arguments.headless || !arguments.out.empty() || !arguments.view.initial_keys.empty();
}

std::unique_ptr<MeasuringSink> make_sink(const LiveArguments& arguments, double rate_hz, const forest::Forest& forest,
                                         const std::string& device, const ChooseSingle& choose_single) {
  if (arguments.serves) {
    auto sink =
        std::make_unique<ServingSink>(arguments.record, forest, arguments.source, device, arguments.web, choose_single);
    warn_each(network_warnings(arguments.web));
    std::cerr << "serve   " << sink->url() << std::endl;  // stderr, because --json prints to stdout
    return sink;
  }
  if (!wants_pictures(arguments)) return std::make_unique<MeasuringSink>(arguments.record, forest);
  LiveViewOutputs outputs{nullptr, nullptr, choose_single};
  if (!arguments.out.empty()) outputs.video = open_video(arguments.out, rate_hz > 0 ? rate_hz : kRecordingRateHz);
  if (!arguments.headless) outputs.window = open_window("fernwood live: " + arguments.source);
  return std::make_unique<LiveView>(arguments.record, arguments.view, std::move(outputs), forest, device);
}

/// Null if nothing is published.
std::unique_ptr<publish::PublishingSink> make_publishing_sink(const LiveArguments& arguments,
                                                              const forest::Forest& forest,
                                                              predict::AdjustablePredictor& predictor,
                                                              predict::LiveSink& inner) {
  if (!arguments.publishing.is_wanted()) return nullptr;
  publish::PublishingOptions options = arguments.publishing;
  options.model = arguments.model.filename().string();
  return std::make_unique<publish::PublishingSink>(inner, ros::open_node(), predictor, forest.classes, options);
}

/// Checks the arguments before anything is opened.
void check(const LiveArguments& arguments) {
  FW_CHECK(!arguments.serves || !arguments.for_window, Usage,
           "--serve shows frames in a browser, and --out, --initial-keys, --at and --save are a window's; give the one "
           "or the other");
  arguments.web.check();
  arguments.view.check();
  arguments.mapping.check(arguments.serves || arguments.publishing.is_wanted());
  const std::vector<NamedPath> inputs = {{"--model", arguments.model}, {"--source", path_of_source(arguments.source)}};
  // Its recording and video are checked where they are opened.
  refuse_replaced_files({{"--record", arguments.record},
                         {"--out", arguments.out},
                         {"--map-out", arguments.mapping.out},
                         {"--map-file", arguments.mapping.file}},
                        inputs);
  for (const std::filesystem::path& file : {arguments.mapping.out, arguments.mapping.file})
    if (!file.empty()) check_writable(file, NamedBy::kUser);
  arguments.publishing.check();
}

void run(const LiveArguments& arguments) {
  const predict::LiveOptions options = live_options(arguments);
  check(arguments);
  const forest::Forest forest = forest::load_forest(arguments.model);
  std::shared_ptr<recordings::FrameSource> source = formats::open_source(arguments.source, arguments.source_options);
  warn_each(source->warnings());
  predict::check_images(forest, source->content(), source->name());
  warn_assumed_camera(forest.preparation, source->has_camera(), source->name());
  predict::AdjustablePredictor predictor(forest, arguments.predict);
  ChooseSingle choose_single;
  if (arguments.predict.steady) choose_single = [&](bool single) { predictor.choose_single(single); };

  const std::string device = to_string(choose_device(arguments.predict.device).device);
  const std::unique_ptr<MeasuringSink> sink = make_sink(arguments, options.rate_hz, forest, device, choose_single);
  const auto publishing = make_publishing_sink(arguments, forest, predictor, *sink);
  predict::LiveSink& published = publishing ? static_cast<predict::LiveSink&>(*publishing) : *sink;
  std::unique_ptr<LiveMapping> mapping;  // destroyed before the sink that shows its map
  if (arguments.mapping.is_wanted())
    mapping =
        std::make_unique<LiveMapping>(arguments.mapping, forest, arguments.predict, *source, options.every_frame,
                                      published, [&](const map::VoxelMap& map, const map::RecordingReport& so_far) {
                                        sink->show_map(map, so_far);
                                        if (publishing) publishing->publisher().publish_map(map);
                                      });
  predict::LiveSink& outer = mapping ? mapping->sink() : published;
  const auto label = [&] {
    try {
      return predict::run_live(std::move(source), predictor, outer, options, interrupt_token());
    } catch (...) {
      if (mapping) mapping->rescue();
      throw;
    }
  };
  report::LiveResult result{.source = arguments.source,
                            .device = device,
                            .layout = {},
                            .model_checksum = model_checksum(arguments.model),
                            .every_frame = options.every_frame,
                            .report = label()};
  result.layout = predictor.layout();
  sink->finish(result);
  if (mapping) mapping->finish(result);
  if (publishing && publishing->publisher().num_lost() > 0)
    spdlog::warn("{} messages were not taken in time by slow subscribers and are lost",
                 publishing->publisher().num_lost());
  std::cout << (arguments.json ? report::live_json(result) : report::live_text(result)) << std::flush;
  throw_if_interrupted();
}

/// Adds the options of the table. --rate also accepts a word, and is evaluated after the others.
void add_live_options(CLI::App& command, LiveArguments& arguments) {
  add_table(command, std::as_const(arguments.live), [&arguments](const std::string& name, const std::string& text) {
    if (name == "rate")
      arguments.rate = text;
    else
      set_option(name, text, arguments.live);
  });
}

std::vector<Dependents> live_dependents(const LiveArguments& arguments) {
  std::vector<Dependents> all = {
      {{"--port", "--listen", "--trusted-origin"}, {"--serve"}},
      {{"--voxel-size", "--max-range", "--memory-budget"}, {"--map", "--map-out", "--map-file"}},
      {{"--min-weight"}, {"--map", "--map-out"}},
      {{"--frame-id"}, {"--publish"}}};
  // Without a window, only these keys are pressed.
  if (arguments.headless && !arguments.serves) all.push_back({{"--at", "--save"}, {"--initial-keys"}});
  return all;
}

}  // namespace

void add_live_command(CLI::App& app) {
  auto arguments = std::make_shared<LiveArguments>();
  CLI::App* command =
      app.add_subcommand("live", "Label the frames of a camera or a recording in real time")->fallthrough();
  add_model_option(*command, arguments->model);
  command
      ->add_option("--source", arguments->source,
                   "Folder of frames, TUM recording, recording of ROS (.mcap, .db3, .bag, rosbag2), video file, camera "
                   "(/dev/video0), topics of ROS 2 (ros:), or KIND:PLACE as in docs/reference/live.md")
      ->required()
      ->option_text("URL");
  command->add_flag("--headless", arguments->headless, "Run without a window");
  command->add_flag("--serve", arguments->serves, "Show a page in a browser instead of a window");
  add_table(*command, arguments->web);
  command->add_flag("--map", arguments->mapping.shows,
                    "Fuse the labels into a map, and show it on the page of --serve and as a topic of "
                    "--publish");
  command->add_option("--map-out", arguments->mapping.out, "Write the map's points at the end")
      ->option_text("FILE.ply");
  command->add_option("--map-file", arguments->mapping.file, "Save the map at the end, for fernwood map --continue")
      ->option_text("FILE");
  add_table(*command, arguments->mapping.options, {"render-cell"});  // frames are not rendered from this map
  add_live_options(*command, *arguments);
  add_table(*command, arguments->source_options);
  command
      ->add_option("--record", arguments->record,
                   "Record the input without loss; frames:DIR replays it. FILE.mcap: as messages of ROS 2, with the "
                   "labels and their confidence")
      ->option_text("DIR|FILE.mcap");
  add_table(*command, arguments->publishing);
  command->add_option("--out", arguments->out, "Record the window as a video")->option_text("FILE.mp4");
  add_table(*command, arguments->view);
  add_predict_options(*command, arguments->predict);
  command->add_flag("--json", arguments->json, "Print JSON at the end");
  command->footer(
      "\nExample:\n  fernwood live --model rooms.fernwood --source frames:rooms/test --headless --every-frame");
  command->callback([arguments, command] {
    for (const char* name : {"--out", "--initial-keys", "--at", "--save"})
      arguments->for_window |= command->count(name) > 0;
    check_dependents(*command, live_dependents(*arguments));
    run(*arguments);
  });
}

}  // namespace fernwood::apps
