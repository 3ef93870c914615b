// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>
#include <string>

#include "apps/commands.h"
#include "apps/live/outputs.h"
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
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

constexpr double kRecordingRateHz = 30;

/// A recording is played at a camera's rate; if every frame is requested, as fast as possible. --rate also accepts a
/// word, and is evaluated after the others.
void set_rate(const std::string& text, recordings::CaptureOptions& options) {
  options.recorded_times = text == "recorded";
  options.rate_hz = options.every_frame ? 0 : kRecordingRateHz;
  if (options.recorded_times || text.empty()) return;
  require_option(CLI::detail::lexical_cast(text, options.rate_hz), "rate", in_quotes(text),
                 "use frames per second, or \"recorded\" for the times of the recording");
}

struct LiveArguments {
  std::filesystem::path model, record, overlays_out;
  std::string source, rate;
  recordings::SourceOptions source_options;
  predict::LiveOptions live;
  encoder::EncoderOptions encoder;
  predict::PredictOptions predict;
  web::WebOptions web;
  MappingArguments mapping;
  publish::PublishingOptions publishing;
  LiveObjectArguments objects;
  bool headless = false, serves = false, records_views = false, json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    command
        .add_option("--source", source,
                    "Folder of frames, TUM recording, recording of ROS (.mcap, .db3, .bag, rosbag2), video file, "
                    "camera (/dev/video0), topics of ROS 2 (ros:), or KIND:PLACE as in docs/reference/live.md")
        ->required()
        ->option_text("URL");
    command.add_flag("--headless", headless, "Run without a window");
    command.add_flag("--serve", serves, "Show a page in a browser instead of a window");
    add_table(command, web);
    command.add_flag("--map", mapping.shows,
                     "Fuse the labels into a map, and show it on the page of --serve and as a topic of --publish");
    command.add_option("--map-out", mapping.out, "Write the map's points at the end")->option_text("FILE.ply");
    command.add_option("--map-file", mapping.file, "Save the map at the end, for fernwood map --continue")
        ->option_text("FILE");
    add_table(command, mapping.options, {"render-cell"});  // frames are not rendered from this map
    add_table(command, mapping.grid);
    add_table(command, live);
    add_table(command, std::as_const(live.capture), [this](const std::string& name, const std::string& text) {
      if (name == "rate")
        rate = text;
      else
        set_option(name, text, live.capture);
    });
    add_table(command, source_options);
    command
        .add_option("--record", record,
                    "Record the input without loss; frames:DIR replays it. FILE.mcap: as messages of ROS 2, with the "
                    "labels and their confidence")
        ->option_text("DIR|FILE.mcap");
    command.add_flag(
        "--record-views", records_views,
        "Record in FILE.mcap also what viewers show: overlay, points, and with --map the map and its grid");
    command
        .add_option("--overlays-out", overlays_out,
                    "Write each labelled frame with the colours of its classes over it, as 000000.png and so on")
        ->option_text("DIR");
    command.add_flag(
        "--objects", objects.finds,
        "Find the objects of each frame, which keep their ids: a table on the page of --serve, outlines in "
        "--overlays-out, lines of --json-lines, topics of --publish and --record-views, and a list in --map-file");
    command.add_flag("--json-lines", objects.prints, "Print the objects of each frame as a line of JSON");
    add_table(command, objects.options);
    add_table(command, publishing);
    add_table(command, encoder);
    add_predict_options(command, predict);
    command.add_flag("--json", json, "Print JSON at the end");
  }
  void finish() {
    set_rate(rate, live.capture);
    live.check();
    web.check();
    FW_CHECK(!records_views || record.extension() == ".mcap", Usage,
             "--record-views are messages of ROS 2, which a folder does not hold; use --record FILE.mcap");
    mapping.check(serves || publishing.is_wanted() || records_views);
    publishing.check();
    objects.options.check();
    FW_CHECK(!objects.prints || !json, Usage,
             "--json-lines prints a line of JSON for each frame, and --json one object at the end; use the one or the "
             "other");
    if (objects.finds) predict = predict.for_objects();
  }
  CommandFiles files() const {
    return {.reads = {{"--model", model}, {"--source", path_of_source(source)}},
            .writes = {{"--map-out", mapping.out}, {"--map-file", mapping.file}},
            .opens = {{"--record", record}, {"--overlays-out", overlays_out}}};
  }
};

/// The outputs that the arguments ask for; the others are null.
class AllOutputs {
 public:
  /// The arguments, the forest and the predictor must outlive this object.
  AllOutputs(const LiveArguments& arguments, const forest::Forest& forest, predict::AdjustablePredictor& predictor,
             const recordings::FrameSource& source, const std::string& device)
      : arguments_(arguments) {
    ChooseSingle choose_single;
    if (arguments.predict.steady) choose_single = [&](bool single) { predictor.choose_single(single); };
    if (arguments.objects.finds)
      objects_ = std::make_unique<ObjectsOutput>(
          arguments.objects, forest.classes, source,
          [this](const recordings::CapturedFrame& frame, const map::FollowedObjects& objects) {
            if (topics_) topics_->publisher().publish_objects(frame, objects.found, objects.ids);
            if (page_) page_->show_objects(objects, objects_->tracker(), frame.time_s);
          });
    if (!arguments.record.empty())
      recording_ = std::make_unique<RecordingOutput>(arguments.record, forest, arguments.records_views, objects_.get());
    if (!arguments.overlays_out.empty())
      overlays_ = std::make_unique<OverlayOutput>(arguments.overlays_out, forest.classes, objects_.get());
    if (arguments.serves) {
      page_ = std::make_unique<web::LivePage>(forest, arguments.source, device, arguments.web, choose_single);
      warn_each(network_warnings(arguments.web));
      std::cerr << "serve   " << page_->url() << std::endl;  // stderr, because --json prints to stdout
    } else if (!arguments.headless) {                        // measurements are better without pictures
      window_ = std::make_unique<WindowOutput>(open_window("fernwood live: " + arguments.source), forest.classes,
                                               device, choose_single);
    }
    if (arguments.publishing.is_wanted()) {
      publish::PublishingOptions publishing = arguments.publishing;
      publishing.model = arguments.model.filename().string();
      topics_ = std::make_unique<publish::PublishingOutput>(measuring_, ros::open_node(), predictor, forest.classes,
                                                            publishing);
    }
    if (arguments.mapping.is_wanted())
      map_ = std::make_unique<MappingOutput>(
          arguments.mapping, forest, arguments.predict, source,
          map::LiveMapOptions{.every_frame = arguments.live.capture.every_frame,
                              .tracks_objects = arguments.objects.finds},
          [this](const map::VoxelMap& map, const map::RecordingReport& so_far) { show_map(map, so_far); });
  }

  predict::LiveOutputs list() {
    predict::LiveOutputs outputs;
    const auto add = [&](const auto& output) {
      if (output) outputs.emplace_back(*output);
    };
    add(objects_);
    add(topics_);
    add(page_);
    add(window_);
    outputs.emplace_back(measuring_);
    add(recording_);
    add(overlays_);
    add(map_);
    return outputs;
  }

  /// Called after the run has failed: the map built so far is not lost.
  void rescue() {
    if (map_) map_->rescue();
  }
  void finish(report::LiveResult& result) {
    if (map_) {
      map_->write(result);
      if (arguments_.mapping.shows && result.map->report.num_fused > 0) show_map(map_->map(), result.map->report);
    }
    if (recording_) result.num_recorded = recording_->finish();
    measuring_.finish(result);
    if (topics_ && topics_->publisher().num_lost() > 0)
      spdlog::warn("{} messages were not taken in time by slow subscribers and are lost",
                   topics_->publisher().num_lost());
  }

 private:
  void show_map(const map::VoxelMap& map, const map::RecordingReport& so_far) {
    if (page_)
      page_->show_map(map.points(), map.options().voxel_m, map.up(), so_far.num_fused,
                      so_far.num_frames - so_far.num_fused);
    if (topics_) topics_->publisher().publish_map(map, arguments_.mapping.grid);
    if (recording_) recording_->publish_map(map, arguments_.mapping.grid);
  }

  const LiveArguments& arguments_;
  MeasuringOutput measuring_;
  std::unique_ptr<ObjectsOutput> objects_;
  std::unique_ptr<RecordingOutput> recording_;
  std::unique_ptr<OverlayOutput> overlays_;
  std::unique_ptr<web::LivePage> page_;
  std::unique_ptr<WindowOutput> window_;
  std::unique_ptr<publish::PublishingOutput> topics_;
  std::unique_ptr<MappingOutput> map_;  // last: its thread shows the map on the page and as a topic
};

void run(const LiveArguments& arguments) {
  const forest::Forest forest = forest::load_forest(arguments.model);
  std::shared_ptr<recordings::FrameSource> source = formats::open_source(arguments.source, arguments.source_options);
  const auto encoder =
      open_encoder(arguments.encoder, forest, arguments.model, source->num_maps() > 0, !source->is_live());
  source = encoded(std::move(source), encoder, forest);
  predict::LiveOptions options = arguments.live;
  options.capture.reopen = [&] {
    return encoded(formats::open_source(arguments.source, arguments.source_options), encoder, forest);
  };
  warn_each(source->warnings());
  predict::check_images(forest, source->content(), source->name());
  warn_assumed_camera(forest.preparation, source->has_camera(), source->name());
  std::optional<objects::ObjectFinder> finder;
  if (arguments.objects.finds) options.finder = &finder.emplace(forest.classes, arguments.objects.options);
  predict::AdjustablePredictor predictor(forest, arguments.predict);
  const std::string device = to_string(choose_device(arguments.predict.device).device);
  AllOutputs outputs(arguments, forest, predictor, *source, device);
  const auto label = [&] {
    try {
      return predict::run_live(std::move(source), predictor, outputs.list(), options, interrupt_token());
    } catch (...) {
      outputs.rescue();
      throw;
    }
  };
  report::LiveResult result{.source = arguments.source,
                            .device = device,
                            .layout = {},
                            .model_checksum = model_checksum(arguments.model),
                            .every_frame = arguments.live.capture.every_frame,
                            .report = label()};
  result.layout = predictor.layout();
  outputs.finish(result);
  (arguments.objects.prints ? std::cerr : std::cout)
      << (arguments.json ? report::live_json(result) : report::live_text(result)) << std::flush;
}

}  // namespace

void add_live_command(CLI::App& app) {
  add_command<LiveArguments>(
      app,
      {.name = "live",
       .summary = "Label the frames of a camera or a recording in real time",
       .example = "fernwood live --model rooms.fernwood --source frames:rooms/test --headless --every-frame",
       .dependents = {kEncoderDependents,
                      {{"--port", "--listen", "--trusted-origin"}, {"--serve"}},
                      {{"--voxel-size", "--max-range", "--memory-budget"}, {"--map", "--map-out", "--map-file"}},
                      {{"--min-weight"}, {"--map", "--map-out"}},
                      {{"--floor", "--grid-cell", "--min-obstacle-height", "--max-obstacle-height"}, {"--map"}},
                      {{"--record-views"}, {"--record"}},
                      {{"--json-lines", "--things", "--object-gap", "--min-object-area", "--min-object-confidence"},
                       {"--objects"}},
                      {{"--frame-id"}, {"--publish"}}},
       .finish = &LiveArguments::finish,
       .files = &LiveArguments::files,
       .run = run});
}

}  // namespace fernwood::apps
