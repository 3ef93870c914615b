// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <iostream>
#include <memory>
#include <set>
#include <span>

#include "apps/commands.h"
#include "apps/shell/frame_options.h"
#include "fernwood/core/device.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/forest/forest.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/map/map_objects.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/report/description.h"
#include "fernwood/report/map_objects.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

namespace {

namespace fs = std::filesystem;

struct MapArguments {
  fs::path model, out, mesh, page, grid_file, frames_out, objects_out, map_file, continued;
  std::string source;
  map::GridOptions grid;
  OptionTexts map_options;  // in the given order; they override those of a continued map
  map::RecordingOptions recording;
  encoder::EncoderOptions encoder;
  predict::PredictOptions predict;
  objects::ObjectOptions object_options;
  bool all_probabilities = false, tracks_objects = false, json = false;

  void add_to(CLI::App& command) {
    add_model_option(command, model);
    command
        .add_option("--source", source,
                    "Recording as of fernwood live, with poses or without; see docs/reference/map.md")
        ->required()
        ->option_text("URL");
    const auto add_path = [&](const char* name, fs::path& path, const char* help, const char* word) {
      command.add_option(name, path, help)->option_text(word);
    };
    add_path("--out", out, "Write the map's points: place, normal, colour, class and probability", "FILE.ply");
    add_path("--mesh", mesh, "Write the map's surface as triangles", "FILE.ply");
    add_path("--page", page, "Write a page that shows the points, turning", "FILE.html");
    add_path("--grid", grid_file, "Write free floor and obstacles seen from above, and FILE.pgm, for Nav2's map server",
             "FILE.yaml");
    add_path("--frames-out", frames_out, "Write the labels of each frame, rendered from the map, as PNG", "DIR");
    command.add_flag("--objects", tracks_objects,
                     "Keep a list of the objects in the map file: fernwood map objects FILE prints it");
    add_path("--objects-out", objects_out, "Write this list", "FILE.json");
    add_path("--map-file", map_file, "Save the map, to continue it later", "FILE");
    add_path("--continue", continued, "Begin with a map that --map-file saved", "FILE");
    command.add_flag("--all-probabilities", all_probabilities,
                     "Write the probability of every class beside each point of --out, as p_CLASS");
    add_table(command, map::MapOptions(), append_to(map_options));
    add_table(command, grid);
    add_table(command, object_options);
    add_table(command, recording);
    add_table(command, encoder);
    add_predict_options(command, predict);
    add_json_flag(command, json);
  }
  /// Whether the map that is continued is overwritten.
  bool goes_on() const { return !map_file.empty() && is_same_file(map_file, continued); }
  bool finds_objects() const { return tracks_objects || !objects_out.empty(); }
  void finish() {
    FW_CHECK(!(out.empty() && mesh.empty() && page.empty() && grid_file.empty() && frames_out.empty() &&
               objects_out.empty() && map_file.empty()),
             Usage,
             "nothing is to be written; give --out, --mesh, --page, --grid, --frames-out, --objects-out or --map-file");
    FW_CHECK(!all_probabilities || !out.empty(), Usage,
             "--all-probabilities are written beside the points of --out; give that, too");
    grid.check();
    object_options.check();
    if (finds_objects()) predict = predict.for_objects();
    predict = map::labelling_for_map(predict);
  }
  CommandFiles files() const {
    return {.reads = {{"--model", model}, {"--continue", continued}, {"--source", path_of_source(source)}},
            .writes = {{"--out", out},
                       {"--mesh", mesh},
                       {"--page", page},
                       {"--grid", grid_file},
                       {"--objects-out", objects_out},
                       {"--grid", grid_file.empty() ? fs::path() : map::grid_image(grid_file)},
                       {"--map-file", goes_on() ? fs::path() : map_file}}};
  }
};

map::VoxelMap make_map(const MapArguments& arguments, const forest::Forest& forest) {
  const auto with_given = [&](map::MapOptions options) {
    for (const auto& [name, text] : arguments.map_options) set_option(name, text, options);
    return options;
  };
  if (arguments.continued.empty()) return map::empty_map(forest, arguments.predict, with_given({}));
  map::VoxelMap map = map::load_map(arguments.continued, with_given({}).memory_budget_bytes);
  map::MapOptions options = with_given(map.options());
  options.min_confidence = arguments.predict.min_confidence;
  map.set_options(options);
  map::check_classes(map, forest, arguments.continued.string(), arguments.model.string());
  return map;
}

/// @param continued  Null: the map is a new one.
std::shared_ptr<recordings::FrameSource> open(const MapArguments& arguments, const forest::Forest& forest,
                                              const map::VoxelMap* continued) {
  std::shared_ptr<recordings::FrameSource> source = formats::open_source(arguments.source);
  source = encoded(source,
                   open_encoder(arguments.encoder, forest, arguments.model, source->num_maps() > 0, !source->is_live()),
                   forest);
  warn_each(source->warnings());
  predict::check_images(forest, source->content(), source->name());
  map::check_source(*source, arguments.recording, continued, arguments.finds_objects());
  FW_CHECK(!source->is_live() || arguments.frames_out.empty(), Usage,
           source->name() << ": --frames-out goes through the frames twice, which a camera does not give; record them "
                             "with fernwood live --record, and map the recording");
  return source;
}

/// The output name of a frame: its name without folders, extensions and the words that distinguish colour from depth.
std::string output_name(const std::string& name, std::set<std::string>& used) {
  std::string stem = printable(fs::path(name).stem().string());
  for (const std::string suffix : {"_colors", "_depth", ".color"})
    if (stem.ends_with(suffix) && stem.size() > suffix.size()) stem.resize(stem.size() - suffix.size());
  if (stem.empty()) stem = "frame";
  std::string different = stem;
  for (int i = 2; !used.insert(different).second; ++i) different = stem + "_" + std::to_string(i);
  return different;
}

void write_frames(const MapArguments& arguments, const forest::Forest& forest, predict::Predictor& predictor,
                  const map::VoxelMap& map, const map::RecordingReport& report, ThreadPool& pool, ProgressBar& bar) {
  const OutputLock lock = lock_shared_folder(arguments.frames_out);
  const std::shared_ptr<recordings::FrameSource> source = open(arguments, forest, nullptr);
  std::set<std::string> used;
  std::size_t done = 0;
  map::render_recording(*source, predictor, map, pool, arguments.recording, report.poses,
                        [&](const recordings::CapturedFrame& frame, const image::LabelImage& labels) {
                          throw_if_interrupted();
                          dataset::write_labels(arguments.frames_out / (output_name(frame.name, used) + "_labels.png"),
                                                labels, forest.classes);
                          ++done;
                          bar.show("rendering", "frame " + std::to_string(done),
                                   static_cast<double>(done) / static_cast<double>(report.num_frames));
                        });
  sync_folder(arguments.frames_out);
}

void write_points(const MapArguments& arguments, const image::ClassMap& classes, const map::VoxelMap& map,
                  report::MapResult& result) {
  if (arguments.out.empty() && arguments.page.empty()) return;
  const std::vector<map::MapPoint> points = map.points();
  if (!arguments.out.empty())
    map::write_ply(arguments.out, points, classes,
                   arguments.all_probabilities ? map.point_probabilities() : Array2<float>());
  if (!arguments.page.empty())
    write_file_atomically(arguments.page, NamedBy::kUser, [&](std::ostream& out) {
      std::span<const objects::TrackedObject> found;
      if (result.objects) found = *result.objects;
      out << report::map_page(points, classes, map.options().voxel_m, map.up(),
                              map::class_areas_m2(map.mesh(), classes.size()), arguments.source, found);
    });
  result.num_points = points.size();
}

void write_mesh(const MapArguments& arguments, const image::ClassMap& classes, const map::VoxelMap& map,
                report::MapResult& result) {
  if (arguments.mesh.empty()) return;
  const map::MapMesh mesh = map.mesh();
  map::write_ply(arguments.mesh, mesh, classes);
  result.num_vertices = mesh.vertices.size();
  result.num_triangles = mesh.triangles.size();
}

void write_grid(const MapArguments& arguments, const map::VoxelMap& map, report::MapResult& result) {
  if (arguments.grid_file.empty()) return;
  result.grid = map::occupancy_grid(map, arguments.grid);
  map::write_grid(arguments.grid_file, *result.grid);
}

void write_objects(const MapArguments& arguments, const map::VoxelMap& map, report::MapResult& result) {
  if (!arguments.finds_objects()) return;
  result.objects = map::find_objects(map);
  if (!arguments.objects_out.empty())
    write_file_atomically(arguments.objects_out, NamedBy::kUser,
                          report::map_objects_json({arguments.source, *result.objects, map.classes()}));
}

void describe_map(const map::VoxelMap& map, report::MapResult& result) {
  result.options = map.options();
  result.num_frames = map.num_frames();
  result.num_blocks = map.num_blocks();
  result.num_voxels = map.num_voxels();
  result.memory_bytes = map.memory_bytes();
}

void run(const MapArguments& arguments) {
  if (arguments.goes_on()) check_writable(arguments.map_file, NamedBy::kUser);
  if (!arguments.frames_out.empty()) make_folder(arguments.frames_out);
  const forest::Forest forest = forest::load_forest(arguments.model);
  if (!arguments.grid_file.empty()) map::required_floor(forest.classes, arguments.grid);
  if (!arguments.frames_out.empty()) dataset::check_same_palette(arguments.frames_out, forest.classes);
  map::VoxelMap map = make_map(arguments, forest);
  const std::shared_ptr<recordings::FrameSource> source =
      open(arguments, forest, arguments.continued.empty() ? nullptr : &map);
  warn_assumed_camera(forest.preparation, source->has_camera(), source->name());
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, arguments.predict);
  ThreadPool pool(arguments.predict.threads);
  std::optional<objects::ObjectFinder> finder;
  if (arguments.finds_objects()) finder.emplace(forest.classes, arguments.object_options);

  ProgressBar bar;
  const std::size_t num_wanted = arguments.recording.max_frames;
  report::MapResult result;
  const auto show_progress = [&](std::size_t done) {
    throw_if_interrupted();
    bar.show("mapping", "frame " + std::to_string(done),
             num_wanted == 0 ? 0.0 : static_cast<double>(done) / static_cast<double>(num_wanted));
  };
  result.report = map::map_recording(*source, *predictor, map, pool, arguments.recording, show_progress,
                                     finder ? &*finder : nullptr);
  bar.clear();
  warn_each(map::recording_warnings(result.report, map, source->name()));
  if (!arguments.map_file.empty()) map::save_map(map, arguments.map_file);
  write_objects(arguments, map, result);
  write_points(arguments, forest.classes, map, result);
  write_mesh(arguments, forest.classes, map, result);
  write_grid(arguments, map, result);
  if (!arguments.frames_out.empty()) write_frames(arguments, forest, *predictor, map, result.report, pool, bar);
  bar.clear();

  result.source = arguments.source;
  result.device = to_string(predictor->device());
  result.model_checksum = model_checksum(arguments.model);
  describe_map(map, result);
  std::cout << (arguments.json ? report::map_json(result) : report::map_text(result)) << std::flush;
}

struct ObjectsArguments {
  fs::path map, since;
  std::string of_class;
  std::vector<float> near;
  bool json = false;

  void add_to(CLI::App& command) {
    command.add_option("FILE", map, "Map that fernwood map --objects --map-file saved")->required();
    command.add_option("--class", of_class, "Only objects of this class")->option_text("NAME");
    command.add_option("--near", near, "Nearest to this place first, in coordinates of the map, metres")
        ->expected(3)
        ->delimiter(',')
        ->option_text("X,Y,Z");
    command.add_option("--since", since, "Print what has changed since an earlier map of the room")->option_text("OLD");
    add_json_flag(command, json);
  }
  void finish() {
    FW_CHECK(since.empty() || (of_class.empty() && near.empty()), Usage,
             "--since compares all objects of two maps; leave --class and --near out");
  }
  map::ObjectQuery query() const {
    if (near.empty()) return {of_class, {}};
    return {of_class, image::Vector3{near[0], near[1], near[2]}};
  }
};

void run_objects(const ObjectsArguments& arguments) {
  const map::VoxelMap map = map::load_map(arguments.map);
  const image::ClassMap& classes = map.classes();
  if (arguments.since.empty()) {
    const map::ObjectQuery query = arguments.query();
    const report::MapObjects objects = {arguments.map.string(), map::find_objects(map, query), classes, query.near};
    std::cout << (arguments.json ? report::map_objects_json(objects) : report::map_objects_text(objects)) << std::flush;
    return;
  }
  const map::ObjectChanges changes = map::object_changes(map::load_map(arguments.since), map);
  std::cout << (arguments.json
                    ? report::object_changes_json(changes, classes, arguments.since.string(), arguments.map.string())
                    : report::object_changes_text(changes, classes))
            << std::flush;
}

/// Adds a subcommand to a command that does its own work without it.
void add_objects_command(CLI::App& command) {
  add_command<ObjectsArguments>(command, {.name = "objects",
                                          .summary = "Print the objects of a saved map, or what has changed",
                                          .example = "fernwood map objects kitchen.map --class mug --near 0,0,0",
                                          .finish = &ObjectsArguments::finish,
                                          .run = run_objects});
  CLI::App* const objects = command.get_subcommand("objects")->fallthrough(false);
  objects->preparse_callback([&command](std::size_t) {
    command.callback({});
    for (CLI::Option* option : command.get_options()) option->required(false);
  });
}

}  // namespace

void add_map_command(CLI::App& app) {
  add_command<MapArguments>(
      app, {.name = "map",
            .summary = "Fuse the labels of a recording into a voxel map: points, mesh, grid, labels of each frame",
            .example = "fernwood map --model rooms.fernwood --source kitchen --out kitchen.ply --mesh surface.ply",
            .dependents = {{{"--render-cell"}, {"--frames-out"}},
                           {{"--min-weight"}, {"--out", "--mesh", "--page", "--grid"}},
                           {{"--floor", "--grid-cell", "--min-obstacle-height", "--max-obstacle-height"}, {"--grid"}},
                           {{"--things", "--object-gap", "--min-object-area", "--min-object-confidence"},
                            {"--objects", "--objects-out"}},
                           kEncoderDependents},
            .finish = &MapArguments::finish,
            .files = &MapArguments::files,
            .run = run});
  add_objects_command(*app.get_subcommand("map"));
}

}  // namespace fernwood::apps
