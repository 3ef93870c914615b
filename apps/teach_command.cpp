// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "apps/shell/page_address.h"
#include "fernwood/backbone/backbone.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/import.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/teach/project.h"
#include "fernwood/teach/teaching.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

/// Beside the frames, with a separate folder for each data set: rooms/train_taught.
fs::path usual_project(const fs::path& data) {
  FW_CHECK(!data.empty(), Usage, "--out is needed without --data; name a folder for the project");
  const fs::path named = full_path(data);
  const fs::path name = fs::is_directory(named) ? named.filename() : named.stem();
  return named.parent_path() / (name.string() + "_taught");
}

struct TeachArguments {
  DatasetArguments data;
  bool import_labels = false, no_browser = false;
  std::string format;  ///< Of an import; empty: the native layout.
  formats::ImportOptions import;
  std::string source;
  std::size_t every = 0;
  fs::path out, model, poses;
  train::TrainOptions train;  ///< Contains the requested backbone.
  encoder::EncoderOptions encoder;
  train::PresetChoice preset;
  train::TrainResources resources;
  web::WebOptions web;

  void add_to(CLI::App& command) {
    command.add_option("--out", out, "Project folder, new or existing")
        ->option_text("DIR (next to --data: DATA_taught)");
    data.add_to(command);
    command.get_option("--data")->required(false);
    command.add_option("--source", source, "Camera or recording from which the page adds frames")->option_text("SRC");
    command.add_option("--every", every, "Add every N-th frame of the recording now, instead")
        ->option_text("N")
        ->check(check_not_negative);
    command.add_flag("--import-labels", import_labels,
                     "Import the labels in --data as initial strokes, on frames without strokes");
    command
        .add_option("--poses", poses,
                    "Where the camera was for each frame, if not in poses.txt next to them: lines of name or time and "
                    "pose, or a folder of NAME.pose.txt")
        ->option_text("FILE");
    command
        .add_option("--import", format,
                    "--data is of another program: coco, cvat, scannet ... (fernwood dataset import --help); its "
                    "labels become initial strokes")
        ->option_text("FORMAT");
    add_table(command, import);
    for (const auto& row : formats::ImportOptions::table())
      command.get_option("--" + std::string(row.name))->group("With --import");
    command.add_option("--model", model, "Start with a model: its classes, and its labels until you draw")
        ->option_text("FILE");
    add_row(command, preset, "preset", "Preset of the model trained when you pause");
    OptionInfo backbone = describe_option(*find_option(train::TrainOptions::table(), "backbone"), train);
    backbone.group.clear();
    backbone.shown_default = train::kNoBackbone;
    add_row(command, backbone, set_in(train));
    add_table(command, encoder);
    add_device_options(command, resources);
    add_table(command, web);
    command.add_flag("--no-browser", no_browser, "Print the address only");
  }
  void finish() {
    if (out.empty()) out = usual_project(data.data);
    web.check();
    const bool has_data = !data.data.empty();
    FW_CHECK(!import_labels || has_data, Usage, "--import-labels needs --data, whose truth is to be taken");
    FW_CHECK(format.empty() || has_data, Usage,
             "--import needs --data, the file or folder that the format has; see fernwood dataset import --help");
    FW_CHECK(format.empty() || !import_labels, Usage,
             "--import brings the labels that are there; leave --import-labels out");
    FW_CHECK(every == 0 || !source.empty(), Usage, "--every needs --source, the recording whose frames are to be kept");
  }
};

/// Preset of the quick forest, trained between two strokes, from strokes only: few and small trees, with a higher
/// weight for rare classes.
constexpr std::initializer_list<std::pair<const char*, const char*>> kQuickOptions = {
    {"preset", "fast"}, {"trees", "12"}, {"features", "100"}, {"min-samples", "10"}, {"class-weights", "sqrt"}};

/// Strokes seldom lie on pixels without depth, so unfilled ones would all get one class.
constexpr const char* kDepthFilling = "simple";

teach::LearnerOptions learner_options(const TeachArguments& arguments) {
  teach::LearnerOptions options;
  // Loaded now, so that errors are reported before the first stroke.
  if (arguments.train.has_backbone()) backbone::load_backbone(arguments.train.backbone);
  options.resources = arguments.resources;
  OptionTexts quick = {{"backbone", arguments.train.backbone}, {"depth-filling", kDepthFilling}};
  OptionTexts thorough = quick;
  for (const auto& [name, text] : kQuickOptions) quick.emplace_back(name, text);
  train::set_options(quick, /*frames=*/nullptr, options.quick, options.resources);
  thorough.emplace_back("preset", arguments.preset.preset);
  train::set_options(thorough, /*frames=*/nullptr, options.thorough.emplace(), options.resources);
  options.predict.device = arguments.resources.device;
  options.predict.threads = arguments.resources.threads;
  if (!arguments.model.empty())
    options.known = std::make_shared<const forest::Forest>(forest::load_forest(arguments.model));
  options.encoder = options.known && !options.known->preparation.supplied_maps.empty()
                        ? open_encoder(arguments.encoder, *options.known, arguments.model, false)
                        : open_encoder(arguments.encoder);
  return options;
}

/// Opens data of another program as a data set in a folder that is needed only until the frames are in the project.
/// @param warnings  Assumptions are added.
dataset::Dataset open_imported(const TeachArguments& arguments, const fs::path& folder,
                               std::vector<std::string>& warnings) {
  std::vector<std::string> formats;
  for (const formats::ImportFormat& format : formats::import_formats()) formats.emplace_back(format.name);
  find_name("import", arguments.format, formats);  // an error names the option
  formats::ImportOptions options = arguments.import;
  options.in = arguments.data.data;
  formats::ImportPlan plan = formats::plan_import(arguments.format, options);
  formats::join_splits(plan.frames);
  ThreadPool pool(arguments.resources.threads);
  ProgressBar bar;
  formats::write_import(plan, folder, pool, bar.counter("importing"));
  std::ranges::move(plan.all_notes(), std::back_inserter(warnings));
  return open_frames(folder, arguments.data.options(false), "", false);
}

/// Frames whose truth becomes strokes: all of them, or those that have any truth.
std::vector<std::uint32_t> labelled_frames(const dataset::Dataset& data, const TeachArguments& arguments) {
  std::vector<std::uint32_t> frames;
  for (std::uint32_t i = 0; i < data.size(); ++i)
    if (arguments.import_labels || (!arguments.format.empty() && !data.files(i).truth.empty())) frames.push_back(i);
  return frames;
}

std::map<std::string, std::size_t> frames_by_name(const teach::Project& project) {
  std::map<std::string, std::size_t> frames;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) frames[project.frame(frame).name] = frame;
  return frames;
}

/// Adds the frames of a data set, with their poses, and with their truth if requested. Frames that the project has
/// already are skipped; truth is drawn where nothing is drawn yet, or where a run was killed while drawing it.
/// @param poses  [frame of the data] @param warnings  Warnings about the truth are added.
void keep_frames(const dataset::Dataset& data, const std::vector<std::optional<dataset::FramePose>>& poses,
                 const TeachArguments& arguments, teach::Project& project, std::vector<std::string>& warnings) {
  const std::map<std::string, std::size_t> known = frames_by_name(project);
  image::ClassMap classes;
  const std::vector<std::uint32_t> labelled = labelled_frames(data, arguments);
  if (!labelled.empty()) {
    ThreadPool pool(arguments.resources.threads);
    dataset::Dataset::Scan scan = data.with_frames(labelled).scan_truth(pool);
    classes = std::move(scan.classes);
    warn_each(scan.warnings);
    std::ranges::move(scan.warnings, std::back_inserter(warnings));
  }
  const std::vector<std::string> names = teach::frame_names_of(data);
  const std::vector<std::uint16_t> numbers = teach::take_classes(project, classes.classes);
  ProgressBar bar;
  for (std::size_t i = 0; i < data.size(); ++i) {
    bar.show("keeping frames", std::to_string(i) + " of " + std::to_string(data.size()),
             static_cast<double>(i) / static_cast<double>(data.size()));
    throw_if_interrupted();
    const auto kept = known.find(names[i]);
    const std::size_t frame = kept != known.end() ? kept->second : project.add_frame(names[i], data.read_frame(i));
    if (poses[i] && !project.frame(frame).pose) project.set_pose(frame, *poses[i]);
    const bool has_truth = teach::has_drawn_truth(project, frame, numbers.size());
    const bool lacks_truth = has_truth ? frame + 1 == known.size() : project.frame(frame).strokes.empty();
    if (lacks_truth && std::ranges::binary_search(labelled, i))
      teach::draw_truth(project, frame, data.read_labels(i, classes), numbers);
  }
}

bool has_images(const teach::Project& project, std::size_t frame, const image::Frame& images) {
  const image::Frame kept = project.read_frame(frame);
  return kept.color == images.color && kept.depth_mm == images.depth_mm;
}

/// Adds every n-th frame of a recording, under new names. Frames that an earlier run added are skipped: their names may
/// be those of frames of another recording, so their images are compared.
void keep_recording(recordings::FrameSource& source, std::size_t every, teach::Project& project) {
  FW_CHECK(!source.is_live(), Usage,
           source.name() << " is a camera, which has no end; leave --every out, and keep frames in the page");
  const std::map<std::string, std::size_t> before = frames_by_name(project);
  ProgressBar bar;
  std::size_t num_read = 0, num_kept = 0, num_known = 0;
  for (; const auto captured = source.next(); ++num_read) {
    throw_if_interrupted();
    if (num_read % every != 0) continue;
    std::optional<std::size_t> known;
    const std::string name = teach::frame_name_like(captured->name, [&](const std::string& tried) {
      const auto there = before.find(tried);
      if (there != before.end() && has_images(project, there->second, *captured->frame)) known = there->second;
      return !known && project.has_frame(tried);
    });
    num_known += known.has_value();
    const std::size_t frame = known ? *known : project.add_frame(name, *captured->frame);
    if (captured->pose && !project.frame(frame).pose)
      project.set_pose(frame, {dataset::room_of(source.name()), *captured->pose});
    bar.show("keeping frames", std::to_string(++num_kept) + " of " + std::to_string(num_read + 1), 0);
  }
  bar.clear();
  if (num_known > 0)
    spdlog::info("{}: {} of {} frames are in the project already, and are not added again", source.name(), num_known,
                 num_kept);
}

/// Reads the file of --poses for frames of these names.
std::map<std::string, image::RigidMotion> read_given_poses(const TeachArguments& arguments,
                                                           const std::vector<std::string>& names) {
  const auto times =
      arguments.data.data.empty() ? std::map<std::string, double>() : dataset::read_times(arguments.data.data, names);
  return dataset::read_poses(arguments.poses, names, times);
}

/// Gives frames of the project the poses in --poses. @param warnings  Names frames without a pose.
void take_poses(const TeachArguments& arguments, teach::Project& project, std::vector<std::string>& warnings) {
  std::vector<std::string> names, without;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) names.push_back(project.frame(frame).name);
  const auto poses = read_given_poses(arguments, names);
  for (std::size_t frame = 0; frame < names.size(); ++frame) {
    if (const auto pose = poses.find(names[frame]); pose != poses.end())
      project.set_pose(frame, {dataset::room_of(arguments.poses), pose->second});
    else if (!project.frame(frame).pose)
      without.push_back(names[frame]);
  }
  if (without.empty()) return;
  warnings.push_back(arguments.poses.string() + " has no pose for " + std::to_string(without.size()) + " of the " +
                     std::to_string(names.size()) + " frames, such as " + without.front() +
                     "; no labels are transferred to or from them");
  warn_each(std::vector<std::string>{warnings.back()});
}

/// The poses of a data set's frames. Poses that fit no frame are refused before a project is made.
std::vector<std::optional<dataset::FramePose>> check_poses(const dataset::Dataset& data,
                                                           const TeachArguments& arguments) {
  if (!arguments.poses.empty() && !fs::exists(arguments.out / "strokes.journal"))
    read_given_poses(arguments, data.names());
  return dataset::find_poses(data, dataset::room_of(arguments.data.data));
}

/// A recording is replayed in a loop at a visible pace; a camera is reopened when it fails.
recordings::CaptureOptions watch_options(const TeachArguments& arguments) {
  constexpr double kRecordingRateHz = 10;
  recordings::CaptureOptions options;
  options.rate_hz = kRecordingRateHz;
  options.reopen = [source = arguments.source] { return formats::open_source(source, {.loop = true}); };
  return options;
}

std::size_t count_strokes(const teach::Project& project) {
  std::size_t count = 0;
  for (std::size_t frame = 0; frame < project.num_frames(); ++frame) count += project.num_strokes(frame);
  return count;
}

/// What is opened before a project folder is created, so that none is left behind if something cannot be read.
struct TeachInput {
  std::optional<dataset::Dataset> data;
  std::unique_ptr<ScratchFolder> imported;               ///< Holds the data if they were imported.
  std::vector<std::optional<dataset::FramePose>> poses;  ///< [frame of the data]
  std::shared_ptr<recordings::FrameSource> source;       ///< Null: none.
  std::vector<std::string> warnings;                     ///< For the page; they were printed.
};

TeachInput open_input(const TeachArguments& arguments, const teach::LearnerOptions& learning) {
  const forest::Forest* const known = learning.known.get();
  TeachInput input;
  if (!arguments.format.empty()) {
    input.imported = std::make_unique<ScratchFolder>();
    input.data = open_imported(arguments, input.imported->path() / "imported", input.warnings);
  } else if (!arguments.data.data.empty()) {
    input.data = arguments.data.open(arguments.import_labels, "train", /*tells=*/false);
  }
  if (input.data) std::ranges::move(input.data->input_warnings(), std::back_inserter(input.warnings));
  if (!arguments.source.empty()) input.source = formats::open_source(arguments.source, {.loop = arguments.every == 0});
  if (input.source) std::ranges::copy(input.source->warnings(), std::back_inserter(input.warnings));
  warn_each(input.warnings);
  FW_CHECK(input.data || input.source || fs::exists(arguments.out / "strokes.journal"), Usage,
           arguments.out.string() << " is not a project yet; name frames with --data DIR or --source SRC");
  if (!input.data) return input;
  if (known) {
    image::FrameContent content = input.data->content();
    content.num_maps = learning.encoder ? known->preparation.supplied_maps.size() : 0;
    predict::check_images(*known, content, arguments.model.string());
  }
  input.poses = check_poses(*input.data, arguments);
  const std::vector<std::string> of_poses = dataset::pose_warnings(*input.data);
  warn_each(of_poses);
  std::ranges::copy(of_poses, std::back_inserter(input.warnings));
  return input;
}

/// Adds frames, strokes, poses and classes to the project.
void fill_project(const TeachArguments& arguments, const forest::Forest* known, TeachInput& input,
                  teach::Project& project) {
  if (input.data) keep_frames(*input.data, input.poses, arguments, project, input.warnings);
  input.imported.reset();
  if (arguments.every > 0) keep_recording(*std::exchange(input.source, nullptr), arguments.every, project);
  if (!arguments.poses.empty()) take_poses(arguments, project, input.warnings);
  if (known && project.live_classes().empty()) teach::take_classes(project, known->classes.classes);
}

void warn_of_project(const fs::path& out, const teach::Project& project) {
  if (project.torn_bytes() > 0)
    spdlog::warn(
        "{}: {} bytes at the end of strokes.journal are not a complete line: input that was not acknowledged before "
        "the "
        "machine stopped, or a damaged line; they are cut off, and kept in strokes.journal.torn",
        out.string(), project.torn_bytes());
  if (const std::string many = project.too_many_classes(); !many.empty()) spdlog::warn(out.string() + ": " + many);
}

std::string train_command(const TeachArguments& arguments) {
  const std::string backbone =
      arguments.train.has_backbone() ? " --backbone " + shell_word(arguments.train.backbone) : "";
  const encoder::EncoderOptions& options = arguments.encoder;
  std::string encoder;
  if (!options.encoder.empty()) encoder = " --encoder " + shell_word(options.encoder);
  if (options.encoder_size > 0) encoder += " --encoder-size " + std::to_string(options.encoder_size);
  if (!options.encoder_normalization.empty())
    encoder += " --encoder-normalization " + shell_word(options.encoder_normalization);
  return "fernwood train --data " + shell_word(arguments.out) + " --preset " + arguments.preset.preset +
         " --depth-filling " + kDepthFilling + backbone + encoder + " --out FILE";
}

void print_address(const std::string& url, const teach::Project& project, const fs::path& out) {
  print() << "teach   " << url << "\n        " << project.num_frames() << " frames, " << count_strokes(project)
          << " strokes in " << out << "; Ctrl-C ends it\n";
  // Strokes are accepted all the same, and the lost output is an error at the end.
  if (!std::cout.flush().good())
    spdlog::warn("the address of the page cannot be written to standard output; the page is at " + url);
}

void run(const TeachArguments& arguments) {
  const teach::LearnerOptions learning = learner_options(arguments);
  TeachInput input = open_input(arguments, learning);
  teach::Project project(arguments.out);
  fill_project(arguments, learning.known.get(), input, project);
  warn_of_project(arguments.out, project);
  const PageAddress last(arguments.out);
  warn_each(network_warnings(arguments.web));
  const std::string next = train_command(arguments);
  teach::Teaching teaching(project, learning, last.resumed(arguments.web), next);
  teaching.warn(std::move(input.warnings));
  if (input.data) teaching.offer(input.data->config().classes);
  last.note(teaching.url());
  if (input.source) teaching.watch(std::move(input.source), watch_options(arguments));
  print_address(teaching.url(), project, arguments.out);
  std::optional<BrowserPage> page;
  if (!arguments.no_browser && !last.opener().empty()) page.emplace(last.opener(), teaching.url());
  ProgressBar bar;
  teaching.run(interrupt_token(), [&](std::size_t done, std::size_t total) {
    bar.show("carrying labels", std::to_string(done) + " of " + std::to_string(total) + "; Ctrl-C ends at once",
             static_cast<double>(done) / static_cast<double>(total));
  });
  bar.clear();
  print() << "\nstrokes " << count_strokes(project) << "\nnext    " << next << "\n";
}

}  // namespace

void add_teach_command(CLI::App& app) {
  Dependents import{{}, {"--import"}};
  for (const auto& row : formats::ImportOptions::table()) import.names.push_back("--" + std::string(row.name));
  add_command<TeachArguments>(
      app, {.name = "teach",
            .summary = "Label frames interactively in a browser; the model updates as you draw",
            .example = "fernwood teach --data rooms/train --out taught",
            .dependents = {std::move(import), kEncoderDependents, {{"--ignored-colors", "--max-frames"}, {"--data"}}},
            .finish = &TeachArguments::finish,
            .run = run});
}

}  // namespace fernwood::apps
