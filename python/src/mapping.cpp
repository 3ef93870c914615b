// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/tuple.h>

#include <mutex>

#include "fernwood/core/file.h"
#include "fernwood/formats/open_source.h"
#include "fernwood/image/camera.h"
#include "fernwood/map/map_objects.h"
#include "fernwood/map/occupancy_grid.h"
#include "fernwood/map/voxel_recording.h"
#include "fernwood/report/description.h"
#include "fernwood/report/map_objects.h"
#include "python/src/encoders.h"
#include "python/src/frames.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

/// A map shared between threads, for one call at a time.
class LockedMap {
 public:
  explicit LockedMap(map::VoxelMap map) : map_(std::move(map)) {}

  /// Returns use(map). The calling thread must not hold the GIL.
  template <typename Use>
  auto with(const Use& use) {
    const std::lock_guard lock(mutex_);
    return use(map_);
  }

 private:
  map::VoxelMap map_;
  std::mutex mutex_;
};

struct MapHandle {
  std::shared_ptr<LockedMap> map;

  /// Returns use(map), with the GIL released meanwhile. The calling thread must hold it.
  template <typename Use>
  auto with(const Use& use) const {
    begin_threads();
    return with_gil_released([&] { return map->with(use); });
  }
};

/// Options of the map, of the choice of frames, of labelling and of objects; all are optional.
struct MapWork {
  OptionTexts map_texts;  ///< Override the options of a map that is continued.
  map::RecordingOptions recording;
  predict::PredictOptions predict;
  std::optional<objects::ObjectOptions> objects;  ///< Empty: objects are not tracked.

  MapWork(const OptionTexts& texts, const std::optional<OptionTexts>& object_texts) {
    map::MapOptions of_map;
    for (const auto& [name, text] : texts) {
      if (set_known_option(name, text, of_map))
        map_texts.emplace_back(name, text);
      else
        set_option(name, text, recording, predict, predict.smoothing, of_map);
    }
    of_map.check();
    recording.check();
    predict.check();
    if (object_texts) {
      predict = predict.for_objects();
      objects.emplace();
      for (const auto& [name, text] : *object_texts) set_option(name, text, *objects);
      objects->check();
    }
    predict = map::labelling_for_map(predict);
  }
  map::MapOptions over(map::MapOptions options) const {
    for (const auto& [name, text] : map_texts) set_option(name, text, options);
    options.min_confidence = predict.min_confidence;
    return options;
  }
};

/// Fuses the frames of a source into the map. @param encoder  Of their maps, or null. @param say  Receives warnings.
void fuse(const forest::Forest& forest, const std::string& url, const std::shared_ptr<const encoder::Encoder>& encoder,
          const MapWork& work, bool continues, map::VoxelMap& map, const std::function<void(const std::string&)>& say,
          ProgressSlot<ProgressWords>& slot, const std::stop_token& stop) {
  const std::shared_ptr<recordings::FrameSource> source =
      recordings::with_encoder(formats::open_source(url), encoder, forest.preparation.supplied_maps.size());
  predict::check_images(forest, source->content(), source->name());
  map::check_source(*source, work.recording, continues ? &map : nullptr, work.objects.has_value());
  for (const std::string& warning : source->warnings()) say(warning);
  const std::string note = image::camera_note(forest.preparation, source->has_camera(), source->name());
  if (!note.empty()) say(note);
  const std::stop_callback stop_source(stop, [&] { source->stop(); });
  const std::unique_ptr<predict::Predictor> predictor = predict::make_predictor(forest, work.predict);
  ThreadPool pool(work.predict.threads);
  std::optional<objects::ObjectFinder> finder;
  if (work.objects) finder.emplace(forest.classes, *work.objects);
  if (continues) map.set_options(work.over(map.options()));  // once nothing else can be refused
  const std::size_t num_wanted = work.recording.max_frames;
  const auto show_progress = [&](std::size_t done) {
    FW_CHECK(!stop.stop_requested(), Interrupted, "mapping was interrupted");
    slot.put({"mapping", "frame " + std::to_string(done),
              num_wanted == 0 ? 0.0 : static_cast<double>(done) / static_cast<double>(num_wanted)});
  };
  const map::RecordingReport report =
      map::map_recording(*source, *predictor, map, pool, work.recording, show_progress, finder ? &*finder : nullptr);
  for (const OptionSentence& warning : map::recording_warnings(report, map, source->name())) say(in_python(warning));
}

/// @param continued  The map to extend, which keeps the fused frames if the work fails or is interrupted; null: start a
///                   new one.
/// @param object_texts  Options of the objects to track; empty: none are.
MapHandle map_source(const ForestHandle& handle, const std::string& url, const OptionTexts& texts,
                     const std::optional<OptionTexts>& object_texts, const EncoderHandle* encoder,
                     const MapHandle* continued, const nb::object& tell) {
  const std::shared_ptr<const forest::Forest> forest = handle.forest;
  const MapWork work(texts, object_texts);
  begin_threads();
  ProgressSlot<ProgressWords> slot;
  PendingWarnings warnings(std::make_shared<SaidWarnings>());
  const std::shared_ptr<LockedMap> known = continued != nullptr ? continued->map : nullptr;
  return run_interruptibly(
      [&](const std::stop_token& stop) {
        MapHandle mapped{known ? known
                               : std::make_shared<LockedMap>(map::empty_map(*forest, work.predict, work.over({})))};
        mapped.map->with([&](map::VoxelMap& map) {
          if (known) map::check_classes(map, *forest, "the map", "the forest");
          fuse(
              *forest, url, encoder_in(encoder), work, known != nullptr, map,
              [&](const std::string& text) { warnings.put(text); }, slot, stop);
        });
        return mapped;
      },
      teller(slot, tell, warnings));
}

MapHandle load_map(const std::string& path, const OptionTexts& texts) {
  map::MapOptions options;
  for (const auto& [name, text] : texts) set_option(name, text, options);
  options.check();
  begin_threads();
  const WithoutGil without_gil;
  map::VoxelMap map = map::load_map(path, options.memory_budget_bytes);
  options = map.options();
  for (const auto& [name, text] : texts) set_option(name, text, options);
  map.set_options(options);
  return {std::make_shared<LockedMap>(std::move(map))};
}

/// A property of points as an array, [points] or [points][width].
template <typename Number>
nb::object column_array(std::vector<Number>&& numbers, std::size_t width) {
  auto* const kept = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<Number>*>(pointer); });
  const std::size_t count = kept->size() / std::max<std::size_t>(width, 1);
  if (width == 0) return nb::ndarray<nb::numpy, Number>(kept->data(), {kept->size()}, owner).cast();
  return nb::ndarray<nb::numpy, Number>(kept->data(), {count, width}, owner).cast();
}

nb::tuple points_of(const MapHandle& handle) {
  std::vector<float> places, normals, probabilities;
  std::vector<std::uint8_t> colors;
  std::vector<std::uint16_t> labels;
  handle.with([&](const map::VoxelMap& map) {
    for (const map::MapPoint& point : map.points()) {
      places.insert(places.end(), {point.place.x, point.place.y, point.place.z});
      normals.insert(normals.end(), {point.normal.x, point.normal.y, point.normal.z});
      colors.insert(colors.end(), {point.color.r, point.color.g, point.color.b});
      labels.push_back(point.label);
      probabilities.push_back(point.probability);
    }
  });
  return nb::make_tuple(column_array(std::move(places), 3), column_array(std::move(normals), 3),
                        column_array(std::move(colors), 3), column_array(std::move(labels), 0),
                        column_array(std::move(probabilities), 0));
}

map::GridOptions grid_options(const OptionTexts& texts) {
  map::GridOptions options;
  for (const auto& [name, text] : texts) set_option(name, text, options);
  options.check();
  return options;
}

map::OccupancyGrid grid_of(const map::VoxelMap& map, const map::GridOptions& options) {
  map::required_floor(map.classes(), options);
  return map::occupancy_grid(map, options);
}

nb::tuple grid_tuple(const MapHandle& handle, const OptionTexts& texts) {
  const map::GridOptions options = grid_options(texts);
  const map::OccupancyGrid grid = handle.with([&](const map::VoxelMap& map) { return grid_of(map, options); });
  std::vector<float> from_map;
  const auto& [rotation, translation] = grid.from_map;
  const float along[] = {translation.x, translation.y, translation.z};
  for (std::size_t i = 0; i < 3; ++i)
    from_map.insert(from_map.end(), {rotation[i].x, rotation[i].y, rotation[i].z, along[i]});
  from_map.insert(from_map.end(), {0, 0, 0, 1});
  return nb::make_tuple(column_array(std::vector<std::int8_t>(grid.cells.begin(), grid.cells.end()), grid.cells.cols()),
                        grid.cell_m, nb::make_tuple(grid.x_m, grid.y_m), column_array(std::move(from_map), 4));
}

nb::object probabilities_of(const MapHandle& handle) {
  std::size_t num_classes = 0;
  std::vector<float> probabilities = handle.with([&](const map::VoxelMap& map) {
    num_classes = map.classes().size();
    const Array2<float> found = map.point_probabilities();
    return std::vector<float>(found.begin(), found.end());
  });
  return column_array(std::move(probabilities), num_classes);
}

}  // namespace

void bind_mapping(nb::module_& module) {
  nb::class_<MapHandle>(module, "VoxelMap")
      .def("classes",
           [](const MapHandle& handle) {
             return class_list(handle.with([](const map::VoxelMap& map) { return map.classes().classes; }));
           })
      .def("voxel_size",
           [](const MapHandle& handle) {
             return handle.with([](const map::VoxelMap& map) { return map.options().voxel_m; });
           })
      .def("num_frames",
           [](const MapHandle& handle) {
             return handle.with([](const map::VoxelMap& map) { return map.num_frames(); });
           })
      .def("points", points_of)
      .def("class_probabilities", probabilities_of)
      .def("grid", grid_tuple, nb::arg("options"))
      .def("objects_json",
           [](const MapHandle& handle) {
             return handle.with([](const map::VoxelMap& map) {
               return report::map_objects_json({"", map::find_objects(map), map.classes()});
             });
           })
      .def(
          "save_grid",
          [](const MapHandle& handle, const std::string& path, const OptionTexts& texts) {
            const map::GridOptions options = grid_options(texts);
            handle.with([&](const map::VoxelMap& map) { map::write_grid(path, grid_of(map, options)); });
          },
          nb::arg("path"), nb::arg("options"))
      .def(
          "save",
          [](const MapHandle& handle, const std::string& path) {
            handle.with([&](const map::VoxelMap& map) { map::save_map(map, path); });
          },
          nb::arg("path"))
      .def(
          "save_points",
          [](const MapHandle& handle, const std::string& path, bool all_probabilities) {
            handle.with([&](const map::VoxelMap& map) {
              map::write_ply(path, map.points(), map.classes(),
                             all_probabilities ? map.point_probabilities() : Array2<float>());
            });
          },
          nb::arg("path"), nb::arg("all_probabilities"))
      .def(
          "save_mesh",
          [](const MapHandle& handle, const std::string& path) {
            handle.with([&](const map::VoxelMap& map) { map::write_ply(path, map.mesh(), map.classes()); });
          },
          nb::arg("path"))
      .def(
          "save_page",
          [](const MapHandle& handle, const std::string& path, const std::string& name) {
            handle.with([&](const map::VoxelMap& map) {
              write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) {
                out << report::map_page(map.points(), map.classes(), map.options().voxel_m, map.up(),
                                        map::class_areas_m2(map.mesh(), map.classes().size()), name);
              });
            });
          },
          nb::arg("path"), nb::arg("name"));
  module.def("map_source", map_source, nb::arg("forest"), nb::arg("url"), nb::arg("options"), nb::arg("objects").none(),
             nb::arg("encoder").none(), nb::arg("continued").none(), nb::arg("tell").none());
  module.def("load_map", load_map, nb::arg("path"), nb::arg("options"));
}

}  // namespace fernwood::python
