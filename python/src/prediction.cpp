// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <memory>
#include <mutex>

#include "fernwood/image/camera.h"
#include "fernwood/predict/predictor.h"
#include "python/src/forests.h"
#include "python/src/frames.h"

namespace fernwood::python {

namespace {

predict::PredictOptions predict_options(const OptionTexts& texts) {
  predict::PredictOptions options;
  predict::set_options(texts, options);
  options.check();
  return options;
}

/// A predictor that any thread may use, one at a time. The frame's memory serves all frames of one size.
class FramePredictor {
 public:
  FramePredictor(const ForestHandle& forest, const OptionTexts& options) : forest_(forest.forest) {
    begin_threads();
    const nb::gil_scoped_release without_gil;
    predictor_ = predict::make_predictor(*forest_, predict_options(options));
  }

  nb::object predict(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up) {
    return to_numpy(std::move(label(frame_arrays(color, depth, camera, up, ""), false).labels));
  }
  /// Labels, and probabilities with the class last.
  nb::tuple predict_proba(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up) {
    predict::Prediction found = label(frame_arrays(color, depth, camera, up, ""), true);
    return nb::make_tuple(to_numpy(std::move(found.labels)), to_numpy(found.probabilities));
  }
  std::string layout() const { return predictor_->layout(); }

 private:
  predict::Prediction label(const FrameArrays& arrays, bool probabilities) {
    begin_threads();
    note_camera(arrays);
    const nb::gil_scoped_release without_gil;
    const std::lock_guard lock(mutex_);
    copy_frame(arrays, frame_);
    return predictor_->predict(frame_, {.probabilities = probabilities});
  }

  /// Says once which camera is assumed, where the forest needs to know one.
  void note_camera(const FrameArrays& arrays) {
    if (noted_ || arrays.camera) return;
    noted_ = true;
    const std::string note = image::camera_note(forest_->preparation, false, "predict");
    if (!note.empty()) warn({note});
  }

  std::shared_ptr<const forest::Forest> forest_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::mutex mutex_;  // never waited for with the GIL
  image::Frame frame_;
  bool noted_ = false;
};

/// Labels of frames in order, several of them in flight.
class FrameStream {
 public:
  FrameStream(const ForestHandle& forest, const OptionTexts& options, int frames_in_flight) : forest_(forest.forest) {
    begin_threads();
    const nb::gil_scoped_release without_gil;
    stream_ = predict::make_label_stream(*forest_, predict_options(options), frames_in_flight);
  }

  bool is_full() const { return stream_->is_full(); }
  int num_in_flight() const { return stream_->num_in_flight(); }
  /// @param item  As frame_arrays() takes it.
  void push(nb::handle item, std::size_t index) {
    begin_threads();
    const FrameArrays arrays = frame_arrays(item, ("frame " + std::to_string(index) + ": ").c_str());
    const nb::gil_scoped_release without_gil;
    const std::lock_guard lock(mutex_);
    copy_frame(arrays, frame_);
    stream_->push(frame_);
  }
  nb::object pop() {
    image::LabelImage labels;
    {
      const nb::gil_scoped_release without_gil;
      const std::lock_guard lock(mutex_);
      labels = stream_->pop();
    }
    return to_numpy(std::move(labels));
  }

 private:
  std::shared_ptr<const forest::Forest> forest_;
  std::unique_ptr<predict::LabelStream> stream_;
  std::mutex mutex_;  // never waited for with the GIL
  image::Frame frame_;
};

}  // namespace

void bind_prediction(nb::module_& module) {
  nb::class_<FramePredictor>(module, "Predictor")
      .def(nb::init<const ForestHandle&, const OptionTexts&>(), nb::arg("forest"), nb::arg("options"))
      .def("predict", &FramePredictor::predict, nb::arg("color").none(), nb::arg("depth").none(),
           nb::arg("camera").none(), nb::arg("up").none())
      .def("predict_proba", &FramePredictor::predict_proba, nb::arg("color").none(), nb::arg("depth").none(),
           nb::arg("camera").none(), nb::arg("up").none())
      .def("layout", &FramePredictor::layout);
  nb::class_<FrameStream>(module, "LabelStream")
      .def(nb::init<const ForestHandle&, const OptionTexts&, int>(), nb::arg("forest"), nb::arg("options"),
           nb::arg("frames_in_flight"))
      .def("is_full", &FrameStream::is_full)
      .def("num_in_flight", &FrameStream::num_in_flight)
      .def("push", &FrameStream::push, nb::arg("frame"), nb::arg("index"))
      .def("pop", &FrameStream::pop);
}

}  // namespace fernwood::python
