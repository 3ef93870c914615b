// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>

#include "apps/commands.h"
#include "apps/live/serving_sink.h"
#include "apps/live/switched_predictor.h"
#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/options.h"
#include "apps/shell/page_address.h"
#include "apps/shell/table_options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/model_file.h"

namespace fernwood::apps {

namespace {

constexpr double kRecordingRateHz = 30;

struct LiveArguments {
  std::filesystem::path model, record, out, save = ".";
  std::string source, keys, rate, at;
  dataset::SourceOptions source_options;
  predict::LiveOptions live;
  predict::PredictOptions predict = {.stride = 4};  // half the time, and labels that are no worse
  web::WebOptions web;
  bool headless = false, serves = false, clean_video = false, json = false;
};

/// A recording plays as a camera would deliver it; who wants every frame wants it as fast as it can be had.
void set_rate(const std::string& text, predict::LiveOptions& options) {
  options.recorded_times = text == "recorded";
  options.rate_hz = options.every_frame ? 0 : kRecordingRateHz;
  if (options.recorded_times || text.empty()) return;
  FW_CHECK(CLI::detail::lexical_cast(text, options.rate_hz), Usage,
           "--rate is \"" << text << "\"; give frames a second, or \"recorded\" for the times of the recording");
}

predict::LiveOptions live_options(const LiveArguments& arguments) {
  predict::LiveOptions options = arguments.live;
  set_rate(arguments.rate, options);
  options.reopen = [source = arguments.source, again = arguments.source_options] {
    return dataset::open_source(source, again);
  };
  options.check();
  return options;
}

/// Whether pictures are made at all; a measurement is better without.
bool wants_pictures(const LiveArguments& arguments) {
  return !arguments.headless || !arguments.out.empty() || !arguments.keys.empty();
}

std::unique_ptr<MeasuringSink> make_sink(const LiveArguments& arguments, double rate_hz, const forest::Forest& forest,
                                         const std::string& device, const ChooseSingle& choose_single) {
  if (arguments.serves) {
    auto sink =
        std::make_unique<ServingSink>(arguments.record, forest, arguments.source, device, arguments.web, choose_single);
    warn_each(network_warnings(arguments.web));
    std::cerr << "serve   " << sink->url() << std::endl;  // beside what --json prints
    return sink;
  }
  if (!wants_pictures(arguments)) return std::make_unique<MeasuringSink>(arguments.record);
  LiveViewOptions options{nullptr, nullptr, arguments.clean_video, arguments.save, arguments.keys, {}, choose_single};
  if (!arguments.at.empty()) {
    const auto [x, y] = parse_pixel(arguments.at);
    options.at = {x, y};
  }
  if (!arguments.out.empty()) options.video = open_video(arguments.out, rate_hz > 0 ? rate_hz : kRecordingRateHz);
  if (!arguments.headless) options.window = open_window("fernwood live: " + arguments.source);
  return std::make_unique<LiveView>(arguments.record, std::move(options), forest, device);
}

void run(const LiveArguments& arguments) {
  const predict::LiveOptions options = live_options(arguments);
  FW_CHECK(!arguments.serves || (arguments.out.empty() && arguments.keys.empty()), Usage,
           "--serve shows frames in a browser, and --out and --initial-keys are a window's; give the one or the other");
  FW_CHECK(!arguments.clean_video || !arguments.out.empty(), Usage,
           "--clean-video is about the video that --out FILE.mp4 writes; give that, too");
  const forest::Forest forest = forest::load_forest(arguments.model);
  std::shared_ptr<dataset::FrameSource> source = dataset::open_source(arguments.source, arguments.source_options);
  predict::check_images(forest, source->content(), source->name());
  warn_each(source->warnings());
  warn_assumed_camera(forest.preparation, source->has_camera(), source->name());
  const std::unique_ptr<SwitchedPredictor> switched =
      arguments.predict.steady ? std::make_unique<SwitchedPredictor>(forest, arguments.predict) : nullptr;
  const std::unique_ptr<predict::Predictor> plain =
      switched ? nullptr : predict::make_predictor(forest, arguments.predict);
  predict::Predictor& predictor = switched ? *switched : *plain;
  ChooseSingle choose_single;
  if (switched) choose_single = [&](bool single) { switched->choose_single(single); };

  const std::string device = to_string(choose_device(arguments.predict.device).device);
  const std::unique_ptr<MeasuringSink> sink = make_sink(arguments, options.rate_hz, forest, device, choose_single);
  report::LiveResult result{
      .source = arguments.source,
      .device = device,
      .layout = {},
      .model_checksum = model_checksum(arguments.model),
      .every_frame = options.every_frame,
      .report = predict::run_live(std::move(source), predictor, *sink, options, interrupt_token())};
  result.layout = predictor.layout();
  sink->finish(result);
  std::cout << (arguments.json ? report::live_json(result) : report::live_text(result)) << std::flush;
  throw_if_interrupted();
}

/// Those of the table, of which --rate also takes a word and waits for the others.
void add_live_options(CLI::App& command, LiveArguments& arguments) {
  add_table(command, std::as_const(arguments.live), [&arguments](const std::string& name, const std::string& text) {
    if (name == "rate")
      arguments.rate = text;
    else
      set_option(name, text, arguments.live);
  });
}

}  // namespace

void add_live_command(CLI::App& app) {
  auto arguments = std::make_shared<LiveArguments>();
  CLI::App* command =
      app.add_subcommand("live", "Label the frames of a camera or a recording in real time")->fallthrough();
  add_model_option(*command, arguments->model);
  command
      ->add_option(
          "--source", arguments->source,
          "Folder of frames, TUM recording, recording of ROS (.mcap, .db3, .bag, rosbag2), video file or camera "
          "(/dev/video0), or KIND:PLACE as in docs/live.md")
      ->required()
      ->option_text("URL");
  command->add_flag("--headless", arguments->headless, "Run without a window");
  command->add_flag("--serve", arguments->serves, "Show a page in a browser instead of a window");
  add_page_options(*command, arguments->web);
  add_live_options(*command, *arguments);
  command->add_flag("--loop", arguments->source_options.loop, "Restart at the end of a recording");
  add_number(*command, "--preload", arguments->source_options.max_decoded,
             "Decode the first N frames of a recording beforehand and use only them; 0: off");
  command->add_option("--record", arguments->record, "Record the input without loss; frames:DIR replays it")
      ->option_text("DIR");
  command->add_option("--out", arguments->out, "Record the window as a video")->option_text("FILE.mp4");
  command->add_flag("--clean-video", arguments->clean_video,
                    "Leave the text below the pictures out of the video; with --initial-keys v it is the overlay only");
  command->add_option("--save", arguments->save, "Folder for frames saved with the key s")->option_text("DIR (.)");
  command
      ->add_option("--initial-keys", arguments->keys,
                   std::string("Keys to press before the first frame; ") + kLiveKeys + "; with --steady " + kSteadyKey)
      ->option_text("TEXT");
  command->add_option("--at", arguments->at, "Pixel that the key e explains until the mouse moves: column,row")
      ->option_text("X,Y");
  add_predict_options(*command, arguments->predict);
  command->add_flag("--json", arguments->json, "Print JSON at the end");
  command->footer(
      "\nExample:\n  fernwood live --model rooms.fernwood --source frames:rooms/test --headless --every-frame");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
