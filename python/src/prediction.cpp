// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "fernwood/image/camera.h"
#include "fernwood/objects/objects.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/report/objects.h"
#include "python/common/src/gil.h"
#include "python/common/src/gpu_answers.h"
#include "python/src/encoders.h"
#include "python/src/frames.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

predict::PredictOptions predict_options(const OptionTexts& texts) {
  predict::PredictOptions options;
  predict::set_options(texts, options);
  options.check();
  return options;
}

/// Warns about frames that are probably mistaken. Requires the GIL.
class InputCheck {
 public:
  void check(const FrameArrays& arrays, const forest::Forest& forest) {
    check_camera(arrays, forest);
    check_depth(arrays);
  }

 private:
  /// Warns once about a camera that is probably mistaken, and once about the assumed one, if the forest needs a camera
  /// and a frame has none.
  void check_camera(const FrameArrays& arrays, const forest::Forest& forest) {
    bool& has_warned = arrays.camera ? has_warned_camera_ : has_noted_camera_;
    if (has_warned) return;
    std::string note = arrays.camera ? image::plausibility_problem(*arrays.camera)
                                     : image::camera_note(forest.preparation, false, "predict");
    if (arrays.camera && !note.empty()) note.insert(0, "predict: the camera's ");
    has_warned = !note.empty();
    if (has_warned) warn({note});
  }
  void check_depth(const FrameArrays& arrays) {
    dataset::DepthHistogram depths(depth_origin_of(arrays));
    add_some(arrays, depths);
    const std::string note = depths.note("predict");
    if (note.empty()) return;
    std::string kind = note.substr(0, note.find_first_of(",;"));  // up to its numbers, which differ between frames
    std::erase_if(kind, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    if (said_.insert(kind).second) warn({note});
  }

  bool has_noted_camera_ = false, has_warned_camera_ = false;
  std::set<std::string> said_;
};

/// @param given  None, or a pose in one of Python's forms.
std::optional<image::RigidMotion> to_pose(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  const auto numbers = nb::cast<std::vector<float>>(call_python("_frames", "pose_numbers", given));
  image::RigidMotion pose;
  for (std::size_t row = 0; row < 3; ++row)
    pose.rotation[row] = {numbers[4 * row], numbers[4 * row + 1], numbers[4 * row + 2]};
  pose.translation = {numbers[3], numbers[7], numbers[11]};
  const std::string problem = image::problem_of(pose);
  FW_CHECK(problem.empty(), Usage, "pose " << problem);
  return pose;
}

/// A predictor for use from any thread, one call at a time. Its buffers are reused for frames of the same size.
class FramePredictor {
 public:
  /// @param encoder  Of the maps of frames that come without; null: none.
  FramePredictor(const ForestHandle& forest, const OptionTexts& options, const EncoderHandle* encoder)
      : forest_(forest.forest), encoder_(encoder_in(encoder)) {
    begin_threads();
    const WithoutGil without_gil;
    const predict::PredictOptions chosen = predict_options(options);
    predictor_ = threaded(predict::make_predictor(*forest_, chosen));
  }

  /// @param out     None, or the array to write labels to, which is then returned.
  /// @param stream  For frames on a GPU, see stream_for() in python/fernwood/_gpu.py.
  nb::object predict(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                     nb::handle depth_camera, nb::handle pose, nb::handle out, nb::handle stream) {
    const FrameArrays arrays = frame_arrays(color, depth, camera, up, maps, depth_camera, "", Reach::kHostOrGpu);
    nb::ndarray<> target;
    if (!out.is_none()) target = label_target(out, arrays.rows(), arrays.cols(), arrays.device());
    if (!arrays.device().is_cpu()) return label_on_gpu(arrays, target, out, stream_for(color, depth, stream));
    const std::optional<image::RigidMotion> at = to_pose(pose);
    if (out.is_none()) return to_numpy(std::move(label(arrays, at, {}).labels));
    write(label(arrays, at, {}).labels, target);
    return nb::borrow(out);
  }
  /// Returns labels, and probabilities with the class as the last axis.
  nb::tuple predict_proba(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                          nb::handle depth_camera, nb::handle pose, nb::handle stream) {
    const FrameArrays arrays = frame_arrays(color, depth, camera, up, maps, depth_camera, "", Reach::kHostOrGpu);
    if (!arrays.device().is_cpu()) return probabilities_on_gpu(arrays, stream_for(color, depth, stream));
    predict::Prediction found = label(arrays, to_pose(pose), {.probabilities = true});
    return nb::make_tuple(to_numpy(std::move(found.labels)), to_numpy(found.probabilities));
  }
  /// Returns labels, numbers of objects, the objects as JSON, and in words.
  nb::tuple predict_objects(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                            nb::handle depth_camera, nb::handle pose, const OptionTexts& options) {
    objects::ObjectOptions chosen;
    for (const auto& [name, text] : options) set_option(name, text, chosen);
    objects::ObjectFinder finder(forest_->classes, chosen);
    const FrameArrays arrays = frame_arrays(color, depth, camera, up, maps, depth_camera, "");
    const std::optional<image::RigidMotion> at = to_pose(pose);
    predict::Prediction labelled = label(arrays, at, {.objects = &finder});
    objects::FrameObjects& found = labelled.objects;
    const report::ObjectsOfFrame objects{found, forest_->classes, {}, at};
    const std::string json = report::objects_json(objects), words = report::objects_text(objects);
    return nb::make_tuple(to_numpy(std::move(labelled.labels)), to_numpy(std::move(found.numbers)), json, words);
  }
  /// On a GPU the layout is chosen with the first frame.
  std::string layout() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return predictor_->layout();
  }
  std::string device() const { return to_string(predictor_->device()); }
  /// None, or the motion (None or twelve numbers), the reason if it is unknown, and the shares of pixels followed and
  /// evaluated.
  nb::object last_steady() {
    begin_threads();
    const std::optional<predict::SteadyFrame> last = with_gil_released([&] {
      const std::lock_guard lock(mutex_);
      return predictor_->last_steady();
    });
    if (!last) return nb::none();
    return nb::make_tuple(motion_numbers(last->motion), last->why_not, last->followed, last->evaluated);
  }

 private:
  predict::Prediction label(const FrameArrays& arrays, const std::optional<image::RigidMotion>& pose,
                            const predict::PredictRequest& request) {
    begin_threads();
    input_check_.check(arrays, *forest_);
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    image::FrameImages frame = borrow_frame(arrays, frame_);
    image::SuppliedMaps maps;
    add_maps(encoder_.get(), frame, maps);
    frame.pose = pose;
    return predictor_->predict(frame, request);
  }

  static void write(const image::LabelImage& labels, const nb::ndarray<>& target) {
    auto* out = static_cast<std::uint8_t*>(target.data());
    for (std::size_t row = 0; row < labels.rows(); ++row, out += pitch_bytes(target))
      std::memcpy(out, labels.row(row), labels.cols() * sizeof(std::uint16_t));
  }

  /// The stream for work on a frame on a GPU.
  void* stream_for(nb::handle color, nb::handle depth, nb::handle stream) const {
    const nb::object handle = call_python("_gpu", "stream_for", color, depth, stream);
    return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(handle));
  }

  nb::object label_on_gpu(const FrameArrays& arrays, const nb::ndarray<>& target, nb::handle out, void* stream) {
    const Device device = checked_device(arrays);
    const std::size_t rows = arrays.rows(), cols = arrays.cols();
    if (!out.is_none()) {
      enqueue(arrays, {static_cast<std::uint16_t*>(target.data()), pitch_bytes(target), nullptr}, stream);
      return nb::borrow(out);
    }
    auto labels = labels_memory_->take(device, rows * cols * sizeof(std::uint16_t), stream);
    enqueue(arrays, {static_cast<std::uint16_t*>(labels->data()), 0, nullptr}, stream);
    return to_gpu_array<std::uint16_t>(std::move(labels), device, {rows, cols});
  }

  nb::tuple probabilities_on_gpu(const FrameArrays& arrays, void* stream) {
    const Device device = checked_device(arrays);
    const std::size_t rows = arrays.rows(), cols = arrays.cols(), classes = forest_->classes.size();
    auto labels = labels_memory_->take(device, rows * cols * sizeof(std::uint16_t), stream);
    auto shares = shares_memory_->take(device, rows * cols * classes * sizeof(float), stream);
    enqueue(arrays, {static_cast<std::uint16_t*>(labels->data()), 0, static_cast<float*>(shares->data())}, stream);
    const auto width = static_cast<std::int64_t>(cols), pixels = static_cast<std::int64_t>(rows * cols);
    return nb::make_tuple(to_gpu_array<std::uint16_t>(std::move(labels), device, {rows, cols}),
                          to_gpu_array<float>(std::move(shares), device, {rows, cols, classes}, {width, 1, pixels}));
  }

  /// The GPU of a frame. @throws Error(kDevice) if the predictor uses another one, Error(kUsage) if the frame is to be
  /// encoded.
  Device checked_device(const FrameArrays& arrays) const {
    constexpr const char* kOnHost = "in the memory of the host, as by .cpu() or .get()";
    const Device there = arrays.device(), here = predictor_->device();
    const std::string lies = (arrays.color.is_valid() ? "color lies on " : "depth lies on ") + to_string(there);
    FW_CHECK(!encoder_ || arrays.maps.is_valid(), Usage,
             lies << ", and the encoder " << encoder_->info().name
                  << " reads frames in the memory of the host; pass maps on this GPU, or a copy of the frame "
                  << kOnHost);
    FW_CHECK(there == here, Device,
             lies << ", and the predictor labels on " << to_string(here) << "; use device=\"" << to_string(there)
                  << "\", or a copy " << (here.is_cpu() ? kOnHost : "on " + to_string(here)));
    return there;
  }

  void enqueue(const FrameArrays& arrays, const predict::PredictionTarget& target, void* stream) {
    begin_threads();
    input_check_.check(arrays, *forest_);
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    predictor_->predict_on_device(borrow_frame(arrays, frame_), target, stream);
  }

  std::shared_ptr<const forest::Forest> forest_;
  std::shared_ptr<const encoder::Encoder> encoder_;
  Threaded<predict::Predictor> predictor_;
  std::mutex mutex_;    // never waited for while holding the GIL
  image::Frame frame_;  // copy of images that cannot be read in place
  std::shared_ptr<AnswerMemory> labels_memory_ = std::make_shared<AnswerMemory>();
  std::shared_ptr<AnswerMemory> shares_memory_ = std::make_shared<AnswerMemory>();
  InputCheck input_check_;
};

/// Labels of frames in order, with several frames in flight.
class FrameStream {
 public:
  FrameStream(const ForestHandle& forest, const OptionTexts& options, const EncoderHandle* encoder,
              int frames_in_flight)
      : forest_(forest.forest), encoder_(encoder_in(encoder)) {
    begin_threads();
    const WithoutGil without_gil;
    stream_ = threaded(predict::make_label_stream(*forest_, predict_options(options), frames_in_flight));
  }

  bool is_full() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return stream_->is_full();
  }
  int num_in_flight() {
    begin_threads();
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    return stream_->num_in_flight();
  }
  void push(nb::handle item, std::size_t index) {
    begin_threads();
    const FrameArrays arrays = frame_arrays(item, ("frame " + std::to_string(index) + ": ").c_str());
    input_check_.check(arrays, *forest_);
    const WithoutGil without_gil;
    const std::lock_guard lock(mutex_);
    image::FrameImages frame = borrow_frame(arrays, frame_);
    image::SuppliedMaps maps;
    add_maps(encoder_.get(), frame, maps);
    stream_->push(frame);
  }
  nb::object pop() {
    begin_threads();
    return to_numpy(with_gil_released([&] {
      const std::lock_guard lock(mutex_);
      return stream_->pop();
    }));
  }

 private:
  std::shared_ptr<const forest::Forest> forest_;
  std::shared_ptr<const encoder::Encoder> encoder_;
  Threaded<predict::LabelStream> stream_;
  InputCheck input_check_;
  std::mutex mutex_;    // never waited for while holding the GIL
  image::Frame frame_;  // copy of images that cannot be read in place
};

}  // namespace

void bind_prediction(nb::module_& module) {
  module.attr("object_smoothing_px") = predict::kObjectSmoothingPx;
  nb::class_<FramePredictor>(module, "Predictor")
      .def(nb::init<const ForestHandle&, const OptionTexts&, const EncoderHandle*>(), nb::arg("forest"),
           nb::arg("options"), nb::arg("encoder").none())
      .def("predict", &FramePredictor::predict, nb::arg("color").none(), nb::arg("depth").none(),
           nb::arg("camera").none(), nb::arg("up").none(), nb::arg("maps").none(), nb::arg("depth_camera").none(),
           nb::arg("pose").none(), nb::arg("out").none(), nb::arg("stream").none())
      .def("predict_proba", &FramePredictor::predict_proba, nb::arg("color").none(), nb::arg("depth").none(),
           nb::arg("camera").none(), nb::arg("up").none(), nb::arg("maps").none(), nb::arg("depth_camera").none(),
           nb::arg("pose").none(), nb::arg("stream").none())
      .def("predict_objects", &FramePredictor::predict_objects, nb::arg("color").none(), nb::arg("depth").none(),
           nb::arg("camera").none(), nb::arg("up").none(), nb::arg("maps").none(), nb::arg("depth_camera").none(),
           nb::arg("pose").none(), nb::arg("options"))
      .def("last_steady", &FramePredictor::last_steady)
      .def("layout", &FramePredictor::layout)
      .def("device", &FramePredictor::device);
  nb::class_<FrameStream>(module, "LabelStream")
      .def(nb::init<const ForestHandle&, const OptionTexts&, const EncoderHandle*, int>(), nb::arg("forest"),
           nb::arg("options"), nb::arg("encoder").none(), nb::arg("frames_in_flight"))
      .def("is_full", &FrameStream::is_full)
      .def("num_in_flight", &FrameStream::num_in_flight)
      .def("push", &FrameStream::push, nb::arg("frame").none(), nb::arg("index"))
      .def("pop", &FrameStream::pop);
}

}  // namespace fernwood::python
