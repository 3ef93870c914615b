// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/formats/export_labels.h"
#include "fernwood/formats/import.h"
#include "fernwood/generate/generate.h"
#include "fernwood/report/description.h"
#include "python/common/src/gil.h"
#include "python/src/encoders.h"
#include "python/src/frames.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

using Color = std::array<std::uint8_t, 3>;

image::Rgb to_rgb(const Color& color) { return {color[0], color[1], color[2]}; }

std::string place_of(std::size_t frame) { return "frame " + std::to_string(frame) + ": "; }

/// An object that is destroyed with the GIL, on whichever thread releases it.
template <typename Owned, typename... Args>
std::shared_ptr<Owned> make_shared_with_gil(Args&&... args) {
  return {new Owned(std::forward<Args>(args)...), [](Owned* pointer) {
            const WithGil with_gil;
            delete pointer;
          }};
}

/// Frames and labels in arrays, which are read without the GIL.
class ArrayFrames final : public dataset::InMemoryFrames {
 public:
  /// @param frames, given_labels  Tuples: a list could be changed by Python code that runs while its items are
  /// examined.
  ArrayFrames(const nb::tuple& frames, const nb::object& given_labels) {
    for (const nb::handle item : frames) frames_.push_back(frame_arrays(item, place_of(frames_.size()).c_str()));
    depth_origin = depth_origin_of(frames_.front());
    if (given_labels.is_none()) return;
    for (std::size_t i = 0; i < frames_.size(); ++i)
      labels_.push_back(label_array(given_labels[i], place_of(i).c_str()));
  }

  image::Frame frame(std::size_t number) const override {
    image::Frame frame;
    copy_frame(frames_[number], frame);
    return frame;
  }
  image::LabelImage labels(std::size_t number) const override {
    return to_labels(labels_[number], place_of(number).c_str());
  }
  dataset::FrameSize size(std::size_t number) const override {
    return {frames_[number].rows(), frames_[number].cols()};
  }
  std::optional<image::Camera> camera(std::size_t number) const override { return frames_[number].camera; }
  void add_depths(std::size_t number, dataset::DepthHistogram& depths) const override {
    add_some(frames_[number], depths);
  }

 private:
  std::vector<FrameArrays> frames_;
  std::vector<AnyArray> labels_;
};

/// Frames and labels that Python creates on request. Sizes and cameras are cached, so that no frame is created again
/// only for these.
class AskedFrames final : public dataset::InMemoryFrames {
 public:
  AskedFrames(nb::object frames, nb::object labels) : frames_(std::move(frames)), labels_(std::move(labels)) {
    depth_origin = or_stay([&] { return depth_origin_of(arrays(0)); });
  }

  image::Frame frame(std::size_t number) const override {
    image::Frame frame;
    {
      const WithGil with_gil;
      or_stay([&] { copy_frame(arrays(number), frame); });
    }
    const std::lock_guard lock(mutex_);
    known_[number] = {{frame.rows(), frame.cols()}, frame.camera};
    return frame;
  }
  image::LabelImage labels(std::size_t number) const override {
    const WithGil with_gil;
    const std::string place = place_of(number);
    return or_stay([&] { return to_labels(label_array(labels_[number], place.c_str()), place.c_str()); });
  }
  dataset::FrameSize size(std::size_t number) const override { return known(number).size; }
  std::optional<image::Camera> camera(std::size_t number) const override { return known(number).camera; }
  void add_depths(std::size_t number, dataset::DepthHistogram& depths) const override {
    const WithGil with_gil;
    or_stay([&] { add_some(arrays(number), depths); });
  }

 private:
  struct Known {
    dataset::FrameSize size;
    std::optional<image::Camera> camera;
  };
  FrameArrays arrays(std::size_t number) const { return frame_arrays(frames_[number], place_of(number).c_str()); }
  Known known(std::size_t number) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(number); found != known_.end()) return found->second;
    }
    const image::Frame made = frame(number);
    return {{made.rows(), made.cols()}, made.camera};
  }

  nb::object frames_, labels_;
  mutable std::mutex mutex_;  // never waited for while holding the GIL
  mutable std::map<std::size_t, Known> known_;
};

using GivenClasses = std::vector<std::pair<std::string, std::optional<Color>>>;

std::vector<image::ClassInfo> to_classes(const GivenClasses& given) {
  std::vector<std::string> names;
  for (const auto& [name, color] : given) names.push_back(name);
  std::vector<image::ClassInfo> classes = dataset::name_classes(names);
  for (std::size_t c = 0; c < given.size(); ++c)
    if (given[c].second) classes[c].color = to_rgb(*given[c].second);
  return classes;
}

/// @param frames, labels  Lists of arrays, or sequences whose items are requested when needed. labels may be None.
DatasetHandle from_arrays(const nb::object& given_frames, const nb::object& given_labels, const GivenClasses& classes,
                          const std::vector<std::uint32_t>& groups, const std::vector<std::string>& names,
                          const nb::object& camera, const std::string& name) {
  const bool lists =
      nb::isinstance<nb::list>(given_frames) && (given_labels.is_none() || nb::isinstance<nb::list>(given_labels));
  const nb::object frames = lists ? nb::object(nb::tuple(given_frames)) : given_frames;
  const nb::object labels = lists && !given_labels.is_none() ? nb::object(nb::tuple(given_labels)) : given_labels;
  const std::size_t num_frames = nb::len(frames);
  FW_CHECK(num_frames > 0, Usage, name << ": there is no frame; pass at least one");
  if (!labels.is_none())
    FW_CHECK(
        nb::len(labels) == num_frames, Usage,
        "there are " << num_frames << " frames and labels for " << nb::len(labels) << "; give each frame its labels");
  std::shared_ptr<dataset::InMemoryFrames> supply;
  if (lists)
    supply = make_shared_with_gil<ArrayFrames>(nb::borrow<nb::tuple>(frames), labels);
  else
    supply = make_shared_with_gil<AskedFrames>(frames, labels);
  supply->num_frames = num_frames;
  supply->has_labels = !labels.is_none();
  supply->groups = groups;
  supply->names = names;
  supply->name = name;
  supply->config.classes = to_classes(classes);
  if (!camera.is_none()) {
    const dataset::FrameSize size = supply->size(0);
    supply->config.camera = to_camera(camera, size.rows, size.cols, "");
  }
  DatasetHandle dataset{with_gil_released([&] { return dataset::Dataset::from_memory(std::move(supply)); }),
                        !labels.is_none()};
  if (lists) warn_about_input(dataset);  // sequences create their frames only when these are needed
  return dataset;
}

dataset::DatasetOptions dataset_options(const std::vector<Color>& ignored_colors, bool needs_labels,
                                        std::size_t max_frames) {
  dataset::DatasetOptions options;
  for (const Color& color : ignored_colors) options.ignored_colors.push_back(to_rgb(color));
  options.needs_truth = needs_labels;
  options.max_frames = max_frames;
  return options;
}

/// The classes of dataset.toml or of the caller; otherwise a class for each colour found by reading all labels.
std::shared_ptr<const image::ClassMap> classes_of(DatasetHandle& dataset) {
  const dataset::DatasetConfig& config = dataset.data.config();
  if (dataset.classes) return dataset.classes;
  image::ClassMap classes;
  if (!config.classes.empty()) {
    classes = {config.classes, {image::Rgb{}}, {}};
  } else if (dataset.has_labels) {
    begin_threads();
    classes = run_interruptibly(
        [&](const std::stop_token&) {
          ThreadPool pool;
          return dataset.data.scan_truth(pool).classes;
        },
        {});
  }
  dataset.classes = std::make_shared<const image::ClassMap>(std::move(classes));
  return dataset.classes;
}

void check_index(const DatasetHandle& dataset, std::size_t index) {
  if (index >= dataset.data.size())
    throw nb::index_error(
        ("there is no frame " + std::to_string(index) + "; there are " + std::to_string(dataset.data.size())).c_str());
}

nb::tuple frame_of(DatasetHandle& dataset, std::size_t index) {
  check_index(dataset, index);
  const std::shared_ptr<const image::ClassMap> classes = dataset.has_labels ? classes_of(dataset) : nullptr;
  image::Frame frame;
  image::LabelImage labels;
  {
    const WithoutGil without_gil;
    frame = dataset.data.read_frame(index);
    if (classes != nullptr) labels = dataset.data.read_labels(index, *classes);
  }
  const nb::object none = nb::none();
  const nb::object camera = camera_numbers(frame.camera, frame.rows(), frame.cols());
  const nb::tuple up = nb::make_tuple(frame.up.x, frame.up.y, frame.up.z);
  return nb::make_tuple(frame.color.empty() ? none : to_numpy(std::move(frame.color)),
                        frame.depth_mm.empty() ? none : to_numpy(std::move(frame.depth_mm)),
                        classes == nullptr ? none : to_numpy(std::move(labels)), camera, up,
                        frame.maps.empty() ? none : to_numpy(std::move(frame.maps)));
}

void import_nyu(const std::string& labeled, const std::string& splits, const std::string& out, const OptionTexts& texts,
                int threads, const nb::object& tell) {
  const auto options = with_texts<formats::ImportNyuOptions>({labeled, splits, out}, texts);
  run_counted("importing", tell, [&](const ProgressCallback& progress) {
    ThreadPool pool(threads);
    formats::import_nyu(options, pool, progress);
    return true;
  });
}

/// @return  The folder to open, notes of the plan on its assumptions, and whether all frames have labels.
std::tuple<std::string, std::vector<std::string>, bool> import_labels(const std::string& format, const std::string& in,
                                                                      const std::string& out, const OptionTexts& texts,
                                                                      int threads, const nb::object& tell) {
  const auto options = with_texts<formats::ImportOptions>({.in = in}, texts);
  return run_counted("importing", tell, [&](const ProgressCallback& progress) {
    const formats::ImportPlan plan = formats::plan_import(format, options);
    ThreadPool pool(threads);
    formats::write_import(plan, out, pool, progress);
    const bool all_labelled =
        std::ranges::all_of(plan.frames, [](const formats::ImportedFrame& frame) { return frame.has_labels(); });
    return std::tuple(formats::folder_to_open(plan, out).string(), plan.all_notes(), all_labelled);
  });
}

std::vector<std::string> import_formats() {
  std::vector<std::string> names;
  for (const formats::ImportFormat& format : formats::import_formats()) names.emplace_back(format.name);
  return names;
}

ReportHandle check(const std::string& folder, const std::vector<Color>& ignored_colors, std::size_t max_frames,
                   int threads, const nb::object& tell) {
  auto report = run_counted("checking", tell, [&](const ProgressCallback& progress) {
    ThreadPool pool(threads);
    return std::make_shared<const dataset::DatasetReport>(
        dataset::check_dataset(folder, dataset_options(ignored_colors, true, max_frames), pool, progress, "train"));
  });
  return {[report] { return report::dataset_json(*report, in_python); },
          [report] { return report::dataset_table(*report, in_python); },
          [report] {
            constexpr std::size_t kMaxFrames = 48;
            ThreadPool pool;
            return report::dataset_page(*report, pool, kMaxFrames, in_python);
          }};
}

/// Writes the data set as a folder in the native layout.
void save(const DatasetHandle& dataset, const std::string& folder, int threads, const nb::object& tell) {
  std::vector<std::uint32_t> labelled;
  for (std::uint32_t i = 0; i < dataset.data.size(); ++i)
    if (dataset.has_labels || !dataset.data.files(i).truth.empty()) labelled.push_back(i);
  run_counted("saving", tell, [&](const ProgressCallback& progress) {
    ThreadPool pool(threads);
    dataset::save_dataset(dataset.data, labelled, folder, pool, progress);
    return true;
  });
}

void export_labels(const DatasetHandle& dataset, const std::string& format, const std::string& out, int threads,
                   const nb::object& tell) {
  FW_CHECK(dataset.has_labels, Usage, "the frames have no labels to export; pass them to Dataset");
  refuse_replaced_files({{"out", out}}, {{"the data set", folder_on_disk(dataset)}}, &report::is_read_with);
  warn(formats::linked_pictures(dataset.data));
  run_counted("exporting", tell, [&](const ProgressCallback& progress) {
    ThreadPool pool(threads);
    formats::export_labels(dataset.data, formats::truth_of(dataset.data, pool), format, out, pool, progress);
    return true;
  });
}

}  // namespace

ClassList class_list(const std::vector<image::ClassInfo>& classes) {
  ClassList list;
  for (const image::ClassInfo& info : classes) list.push_back({info.name, {info.color.r, info.color.g, info.color.b}});
  return list;
}

std::filesystem::path folder_on_disk(const DatasetHandle& dataset) {
  return dataset.data.is_in_memory() ? std::filesystem::path() : dataset.data.folder();
}

void warn_about_input(const DatasetHandle& dataset) {
  if (std::exchange(dataset.said->about_input, true)) return;
  const std::vector<std::string> warnings = with_gil_released([&] { return dataset.data.input_warnings(); });
  for (const std::string& warning : warnings) dataset.said->is_new(warning);
  warn(warnings);
}

void bind_datasets(nb::module_& module) {
  nb::class_<DatasetHandle>(module, "Dataset")
      .def_static(
          "open",
          [](const std::string& folder, const std::string& split, const std::vector<Color>& ignored_colors,
             bool needs_labels, std::size_t max_frames) {
            const dataset::DatasetOptions options = dataset_options(ignored_colors, needs_labels, max_frames);
            DatasetHandle dataset{with_gil_released([&] { return dataset::Dataset::open(folder, options, split); })};
            for (std::size_t i = 0; i < dataset.data.size(); ++i)
              dataset.has_labels = dataset.has_labels && !dataset.data.files(i).truth.empty();
            warn_about_input(dataset);
            if (const std::string& problem = dataset.data.truth_problem(); !problem.empty()) warn({problem});
            return dataset;
          },
          nb::arg("folder"), nb::arg("split"), nb::arg("ignored_colors"), nb::arg("needs_labels"),
          nb::arg("max_frames"))
      .def_static("from_arrays", from_arrays, nb::arg("frames"), nb::arg("labels").none(), nb::arg("classes"),
                  nb::arg("groups"), nb::arg("names"), nb::arg("camera").none(), nb::arg("name"))
      .def("__len__", [](const DatasetHandle& dataset) { return dataset.data.size(); })
      .def("folder", [](const DatasetHandle& dataset) { return dataset.data.folder().string(); })
      .def("names", [](const DatasetHandle& dataset) { return dataset.data.names(); })
      .def("groups", [](const DatasetHandle& dataset) { return dataset.data.groups(); })
      .def("classes", [](DatasetHandle& dataset) { return class_list(classes_of(dataset)->classes); })
      .def("camera",
           [](const DatasetHandle& dataset) {
             const auto [size, camera] = with_gil_released([&] {
               return std::pair{dataset.data.frame_size(0), dataset.data.camera()};
             });
             return camera_numbers(camera, size.rows, size.cols);
           })
      .def("has_color", [](const DatasetHandle& dataset) { return dataset.data.has_color(); })
      .def("has_depth", [](const DatasetHandle& dataset) { return dataset.data.has_depth(); })
      .def(
          "with_encoder",
          [](const DatasetHandle& dataset, const EncoderHandle& encoder) {
            DatasetHandle encoded = dataset;
            encoded.data = with_gil_released([&] { return dataset.data.with_encoder(encoder.encoder); });
            return encoded;
          },
          nb::arg("encoder"))
      .def("num_maps", [](const DatasetHandle& dataset) { return dataset.data.num_maps(); })
      .def("has_labels", [](const DatasetHandle& dataset) { return dataset.has_labels; })
      .def("frame", frame_of, nb::arg("index"))
      .def("frame_size",
           [](const DatasetHandle& dataset) {
             const dataset::FrameSize size = dataset.data.frame_size(0);
             return nb::make_tuple(size.cols, size.rows);
           })
      .def("save", save, nb::arg("folder"), nb::arg("threads"), nb::arg("tell").none())
      .def("export_labels", export_labels, nb::arg("format"), nb::arg("out"), nb::arg("threads"),
           nb::arg("tell").none())
      .def("with_frames", [](const DatasetHandle& dataset, const std::vector<std::uint32_t>& frames) {
        for (const std::uint32_t frame : frames) check_index(dataset, frame);
        return DatasetHandle{dataset.data.with_frames(frames), dataset.has_labels, dataset.classes, dataset.said};
      });

  module.def(
      "generate",
      [](const std::string& out, int frames, int test_frames, int sequence, double fps, int moving_things,
         std::uint64_t seed, int width, int height, std::optional<double> holes, const std::string& classes,
         int threads, const nb::object& tell) {
        const generate::SceneClasses chosen = parse_name("classes", classes, generate::kSceneClasses);
        const generate::GenerateOptions options{frames, test_frames, sequence, fps,   moving_things,
                                                seed,   width,       height,   holes, chosen};
        run_counted("generating", tell, [&](const ProgressCallback& progress) {
          ThreadPool pool(threads);
          generate::generate_dataset(out, options, pool, progress);
          return true;
        });
      },
      nb::arg("out"), nb::arg("frames"), nb::arg("test_frames"), nb::arg("sequence"), nb::arg("fps"),
      nb::arg("moving_things"), nb::arg("seed"), nb::arg("width"), nb::arg("height"), nb::arg("holes").none(),
      nb::arg("classes"), nb::arg("threads"), nb::arg("tell").none());
  module.def("import_nyu", import_nyu, nb::arg("labeled"), nb::arg("splits"), nb::arg("out"), nb::arg("options"),
             nb::arg("threads"), nb::arg("tell").none());
  module.def("import_labels", import_labels, nb::arg("format"), nb::arg("source"), nb::arg("out"), nb::arg("options"),
             nb::arg("threads"), nb::arg("tell").none());
  module.def("import_formats", import_formats);
  module.def(
      "parse_ignored_colors",
      [](const std::string& text) {
        dataset::DatasetOptions options;
        set_option("ignored-colors", text, options);
        std::vector<Color> colors;
        for (const image::Rgb color : options.ignored_colors) colors.push_back({color.r, color.g, color.b});
        return colors;
      },
      nb::arg("text"));
  module.def("check_dataset", check, nb::arg("folder"), nb::arg("ignored_colors"), nb::arg("max_frames"),
             nb::arg("threads"), nb::arg("tell").none());
}

}  // namespace fernwood::python
