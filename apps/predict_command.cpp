// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/forest/forest.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/objects.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/ranks.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct PredictArguments {
  fs::path model, data, out, measures;
  SingleFrame single;
  encoder::EncoderOptions encoder;
  predict::PredictOptions predict;
  objects::ObjectOptions object_options;
  bool overlay = false, panel = false, probabilities = false, npy = false, objects = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    command.add_option("--data", data, "Folder of frames; ground truth is not needed")->option_text("DIR");
    single.add_options(command);
    add_table(command, encoder);
    command
        .add_option("--out", out,
                    "Folder for NAME_labels.png (a palette PNG of class numbers, 255 is void; RGB beyond 255 classes) "
                    "and the other files")
        ->required()
        ->option_text("DIR");
    command.add_flag("--overlay", overlay, "Also write NAME_overlay.png: classes over the picture");
    command.add_flag("--panel", panel, "Also write NAME_panel.png: colour, depth, truth and labels side by side");
    command.add_flag("--probabilities", probabilities,
                     "Also write NAME_probability_CLASS.png: 16 bits, 65535 is certain");
    command.add_flag(
        "--npy", npy,
        "Also write NAME_labels.npy (16 bits, 65535 is void), with --probabilities NAME_probabilities.npy");
    command.add_flag(
        "--objects", objects,
        "Also find the objects of each frame and write NAME_objects.json, and NAME_objects.png: the number "
        "of the object at each pixel, 16 bits");
    command.add_option("--measures", measures, "Write what each frame shows of each class: count, area, distance ...")
        ->option_text("FILE.csv");
    add_table(command, object_options);
    add_predict_options(command, predict);
  }
  void finish() {
    object_options.check();
    if (objects) predict = predict.for_objects();
  }
  CommandFiles files() const { return {.reads = {{"--model", model}}, .writes = {{"--measures", measures}}}; }

  predict::PredictRequest request(objects::ObjectFinder& finder) const {
    return {.probabilities = probabilities, .objects = objects ? &finder : nullptr};
  }
};

constexpr std::size_t kLongestInFileName = 100;  // of a class in a file's name, which is limited to 255 bytes

struct Job {
  std::string name;
  Array2<image::Rgb> truth;  ///< For the panel; may be empty.
  image::Frame frame;
  predict::Prediction prediction;
  std::optional<image::RigidMotion> pose = {};

  report::ObjectsOfFrame objects(const image::ClassMap& classes) const {
    return {prediction.objects, classes, name, pose};
  }
};

/// 16-bit image of a probability: 65535 is certainty.
Array2<std::uint16_t> as_picture(const Array2<float>& probability) {
  Array2<std::uint16_t> picture(probability.rows(), probability.cols());
  for (std::size_t i = 0; i < probability.size(); ++i)
    picture.data()[i] = static_cast<std::uint16_t>(std::lround(std::min(1.0f, probability.data()[i]) * 65535.0f));
  return picture;
}

/// [class] Unique, valid file names for classes, whose names are arbitrary.
std::vector<std::string> file_names(const image::ClassMap& classes) {
  std::vector<std::string> names;
  for (const image::ClassInfo& info : classes.classes) {
    std::string name = info.name.substr(0, kLongestInFileName);
    for (const char c : {'/', '\n', '\t'}) std::ranges::replace(name, c, '_');
    std::string different = name;
    for (int i = 2; std::ranges::find(names, different) != names.end(); ++i) different = name + "_" + std::to_string(i);
    names.push_back(different);
  }
  return names;
}

/// NAME of NAME_colors.png or NAME_depth.png.
std::string frame_name(const fs::path& file) {
  std::string name = file.stem().string();
  for (const std::string suffix : {"_colors", "_depth"})
    if (name.ends_with(suffix) && name.size() > suffix.size()) return name.substr(0, name.size() - suffix.size());
  return name;
}

void check_is_no_file(const fs::path& folder) {
  FW_CHECK(!folder.empty(), Usage, "the name of the output folder is empty; name a folder");
  std::error_code ignored;  // an error is reported when the file is created
  FW_CHECK(!fs::exists(folder, ignored) || fs::is_directory(folder, ignored), Runtime,
           folder.string() << " is a file; name a folder for the pictures");
}

/// The options that determine the files written, as on the command line.
std::string written_files(const PredictArguments& arguments) {
  std::string text = " --out " + arguments.out.string();
  if (arguments.overlay) text += " --overlay";
  if (arguments.panel) text += " --panel";
  if (arguments.probabilities) text += " --probabilities";
  if (arguments.npy) text += " --npy";
  if (!arguments.objects) return text;
  text += " --objects";
  for (const auto& row : objects::ObjectOptions::table())
    text += " --" + std::string(row.name) + " " + to_text(row.get(arguments.object_options));
  return text;
}

void tell(std::size_t num_frames, const fs::path& out) {
  print() << num_frames << (num_frames == 1 ? " frame" : " frames") << " labelled, pictures are in " << out << "\n";
}

void write(const PredictArguments& arguments, const image::ClassMap& classes, const Job& job) {
  dataset::write_labels(arguments.out / (job.name + "_labels.png"), job.prediction.labels, classes);
  if (arguments.overlay)
    dataset::write_png(arguments.out / (job.name + "_overlay.png"),
                       dataset::overlay_labels(job.frame, job.prediction.labels, classes));
  if (arguments.panel)
    dataset::write_png(arguments.out / (job.name + "_panel.png"),
                       make_panel(job.frame, job.truth, dataset::colorize_labels(job.prediction.labels, classes)));
  if (arguments.probabilities)
    for (std::size_t c = 0; const std::string& name : file_names(classes))
      dataset::write_png16(arguments.out / (job.name + "_probability_" + name + ".png"),
                           as_picture(job.prediction.probabilities[c++]));
  if (arguments.objects) {
    write_file_atomically(arguments.out / (job.name + "_objects.json"), NamedBy::kFernwood,
                          report::objects_json(job.objects(classes)));
    dataset::write_png16(arguments.out / (job.name + "_objects.png"), job.prediction.objects.numbers);
  }
  if (!arguments.npy) return;
  dataset::write_npy(arguments.out / (job.name + "_labels.npy"), job.prediction.labels);
  if (arguments.probabilities)
    dataset::write_npy(arguments.out / (job.name + "_probabilities.npy"), job.prediction.probabilities);
}

/// @param lines  Of all frames, in order.
void write_measures(const fs::path& path, const std::string& lines) {
  if (!path.empty()) write_file_atomically(path, NamedBy::kUser, report::kMeasuresHeader + lines);
}

/// The texts of all ranks, in their order.
std::string joined(Communicator& ranks, const std::string& text) {
  std::string all;
  for (const Bytes& part : ranks.gather_all(Bytes(text.begin(), text.end()))) all.append(part.begin(), part.end());
  return all;
}

void predict_one(const PredictArguments& arguments, const forest::Forest& forest, predict::Predictor& predictor) {
  const SingleFrame& files = arguments.single;
  warn_assumed_camera(forest.preparation, false, files.depth.string(), ", and give the folder as --data");
  if (const std::string note = dataset::orientation_note(files.color); !note.empty()) spdlog::warn(note);
  warn_about_input(files.depth);
  Job job;
  job.frame = files.read(forest, arguments.model, arguments.encoder);
  job.name = frame_name(files.name_giver());
  objects::ObjectFinder finder(forest.classes, arguments.object_options);
  job.prediction = predictor.predict(job.frame, arguments.request(finder));
  make_folder(arguments.out);
  const OutputLock lock = lock_shared_folder(arguments.out);
  write(arguments, forest.classes, job);
  sync_folder(arguments.out);
  write_measures(arguments.measures, report::measures_csv(job.objects(forest.classes)));
  if (arguments.objects) print() << job.name << ": " << report::objects_text(job.objects(forest.classes)) << "\n";
  tell(1, arguments.out);
}

/// Decodes and writes batches of frames in parallel; each frame itself is labelled on all threads. Each of several
/// processes does its share.
void predict_all(const PredictArguments& arguments, const forest::Forest& forest, predict::Predictor& predictor,
                 Communicator& ranks) {
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const bool leads = ranks.rank() == 0;
  const dataset::Dataset dataset = find_one_after_another(ranks, [&] {
    return encoded_for(forest, arguments.model, arguments.encoder,
                       arguments.panel ? open_with_known_truth(arguments.data, options, "test", leads)
                                       : open_frames(arguments.data, options, "test", leads));
  });
  check_same_work(ranks, arguments.model, dataset, arguments.predict, written_files(arguments));
  predict::check_images(forest, dataset.content(), dataset.folder().string());
  if (leads) {
    warn_assumed_camera(forest.preparation, dataset.camera().has_value(), dataset.folder().string());
    if (arguments.predict.steady || arguments.objects) warn_each(dataset::pose_warnings(dataset));
  }
  std::vector<dataset::VideoFrame> videos(dataset.size());
  if (arguments.predict.steady || arguments.objects) videos = dataset::as_videos(dataset);
  ThreadPool pool(arguments.predict.threads);
  JointCounter counter("labelling", dataset.size(), ranks);
  const ProgressCallback progress = counter.callback();
  const Share share = block_share(dataset.size(), &ranks);
  const auto batch = static_cast<std::size_t>(pool.num_threads());
  std::vector<Job> jobs(batch);
  objects::ObjectFinder finder(forest.classes, arguments.object_options);
  std::string measures, counts;
  OutputLock lock;
  for (std::size_t first = share.begin; first < share.end; first += batch) {
    const std::size_t count = std::min(batch, share.end - first);
    pool.for_each(count, [&](std::size_t i, int) {
      const dataset::FrameFiles& files = dataset.files(first + i);
      jobs[i] = {files.name, {}, dataset.read_frame(first + i), {}};
      if (arguments.panel && !files.truth.empty()) jobs[i].truth = read_truth(files.truth, dataset.config());
    });
    for (std::size_t i = 0; i < count; ++i) {
      image::FrameImages images(jobs[i].frame);
      images.pose = videos[first + i].pose;
      images.begins_video = videos[first + i].begins_video;
      jobs[i].prediction = predictor.predict(images, arguments.request(finder));
      if (!arguments.objects) continue;
      jobs[i].pose = images.pose;
      measures += report::measures_csv(jobs[i].objects(forest.classes));
      counts += jobs[i].name + ": " + report::objects_text(jobs[i].objects(forest.classes)) + "\n";
    }
    if (first == share.begin) {
      make_folder(arguments.out);  // a folder recreated later would lack files already written
      if (leads) lock = lock_shared_folder(arguments.out);
    }
    pool.for_each(count, [&](std::size_t i, int) { write(arguments, forest.classes, jobs[i]); });
    progress(first + count - share.begin, share.size());
  }
  if (share.size() > 0) sync_folder(arguments.out);
  measures = joined(ranks, measures);  // a barrier, too: all have written
  counts = joined(ranks, counts);
  counter.clear();
  if (!leads) return;
  write_measures(arguments.measures, measures);
  std::istringstream lines(counts);
  for (std::string line; std::getline(lines, line);) print() << line << "\n";
  tell(dataset.size(), arguments.out);
}

void run(const PredictArguments& given, Communicator& ranks) {
  PredictArguments arguments = given;
  const bool single = arguments.single.is_given();
  FW_CHECK(single != !arguments.data.empty(), Usage,
           "give either --data with a folder of frames, or one frame by --color and --depth");
  check_is_no_file(arguments.out);
  if (single && ranks.rank() != 0) return;  // a single frame needs only one process
  const auto load = [&] { return forest::load_forest(arguments.model); };
  const forest::Forest forest = single ? load() : find_one_after_another(ranks, load);
  dataset::check_same_palette(arguments.out, forest.classes);
  if (!single) take_share(ranks, arguments.predict);
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, arguments.predict);
  if (single)
    predict_one(arguments, forest, *predictor);
  else
    predict_all(arguments, forest, *predictor, ranks);
}

}  // namespace

void add_predict_command(CLI::App& app) {
  add_command<PredictArguments>(
      app,
      {.name = "predict",
       .summary = "Label frames with a forest",
       .example = "fernwood predict --model rooms.fernwood --data rooms/test --out labels --overlay\n"
                  "  mpirun -n 4 --bind-to none fernwood predict --model rooms.fernwood --data rooms/test --out labels",
       .dependents = {kEncoderDependents,
                      {{"--measures", "--things", "--object-gap", "--min-object-area", "--min-object-confidence"},
                       {"--objects"}}},
       .finish = &PredictArguments::finish,
       .files = &PredictArguments::files,
       .run_rank = run,
       .device = [](const PredictArguments& arguments) { return arguments.predict.device; }});
}

}  // namespace fernwood::apps
