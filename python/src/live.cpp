// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/predict/live.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "fernwood/formats/open_source.h"
#include "fernwood/image/camera.h"
#include "fernwood/predict/predictor.h"
#include "fernwood/publish/label_publisher.h"
#include "fernwood/recordings/frame_source.h"
#include "python/common/src/gil.h"
#include "python/src/encoders.h"
#include "python/src/frames.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

using namespace std::chrono_literals;

/// Holds one frame until Python takes it. Meanwhile run_live() replaces the frame before it by newer ones.
class HandOver : public predict::LiveOutput {
 public:
  bool show(const predict::LiveFrame& frame, const predict::LiveReport&) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_ || closed_; });
    if (closed_) return false;
    waiting_ = frame;
    changed_.notify_all();
    return true;
  }
  bool idle() override {
    const std::lock_guard lock(mutex_);
    return !closed_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    waiting_.reset();
    changed_.notify_all();
  }
  /// Stops the run because Python is exiting.
  void leave() {
    const std::lock_guard lock(mutex_);
    closed_ = left_ = true;
    changed_.notify_all();
  }
  bool is_left() const {
    const std::lock_guard lock(mutex_);
    return left_;
  }
  /// Marks the end of the run. @param failure  Null if the source has ended or the run was stopped.
  void end(const predict::LiveReport& report, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    report_ = report;
    failure_ = std::move(failure);
    ended_ = true;
    changed_.notify_all();
  }
  /// The exception of an ended run; only the first call returns it, even with several consuming threads.
  std::exception_ptr take_failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, nullptr);
  }
  /// Zeros until the run has ended.
  predict::LiveReport report() const {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  void warn(const OptionSentence& sentence) override {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(in_python(sentence));
  }
  std::vector<std::string> take_warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }
  /// Waits up to `timeout` for a frame. @param ended  Set to whether no further frame will follow.
  std::optional<predict::LiveFrame> take(std::chrono::milliseconds timeout, bool& ended) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return waiting_ || ended_; });
    ended = ended_ && !waiting_;
    std::optional<predict::LiveFrame> taken = std::exchange(waiting_, std::nullopt);
    changed_.notify_all();
    return taken;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<predict::LiveFrame> waiting_;
  predict::LiveReport report_;
  std::exception_ptr failure_;
  std::vector<std::string> warnings_;
  bool closed_ = false, ended_ = false, left_ = false;
};

/// Read-only arrays over the images of a shared frame.
template <typename Number, typename Pixel>
nb::object shared_array(const std::shared_ptr<const image::Frame>& frame, const Array2<Pixel>& image,
                        std::initializer_list<std::size_t> shape) {
  if (image.empty()) return nb::none();
  auto* const kept = new std::shared_ptr<const image::Frame>(frame);
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::shared_ptr<const image::Frame>*>(pointer); });
  return nb::ndarray<nb::numpy, const Number>(reinterpret_cast<const Number*>(image.data()), shape, owner).cast();
}

/// Labels a camera or a recording in its own threads, which do not use Python.
class LiveThread {
 public:
  LiveThread(std::shared_ptr<const forest::Forest> forest, std::unique_ptr<predict::AdjustablePredictor> predictor,
             std::shared_ptr<recordings::FrameSource> source, const predict::LiveOptions& options,
             const publish::PublishingOptions& publishing)
      : forest_(std::move(forest)), predictor_(std::move(predictor)) {
    if (publishing.is_wanted())
      publishing_ = std::make_unique<publish::PublishingOutput>(output, ros::open_node(), *predictor_, forest_->classes,
                                                                publishing);
    thread_ = std::jthread([this, options, source = std::move(source)](const std::stop_token& stop) mutable {
      const Underway underway([this] { output.leave(); });
      try {
        predict::LiveOutputs outputs;
        if (publishing_) outputs.emplace_back(*publishing_);
        outputs.emplace_back(output);
        output.end(predict::run_live(std::move(source), *predictor_, outputs, options, stop), nullptr);
      } catch (...) {
        output.end({}, std::current_exception());
      }
    });
  }
  ~LiveThread() { end(); }
  LiveThread(const LiveThread&) = delete;

  void end() {
    output.close();
    thread_.request_stop();
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }

  HandOver output;

 private:
  std::shared_ptr<const forest::Forest> forest_;
  std::unique_ptr<predict::AdjustablePredictor> predictor_;
  std::unique_ptr<publish::PublishingOutput> publishing_;
  std::mutex joining_;  // never waited for while holding the GIL
  std::jthread thread_;
};

/// A labelled camera or recording. Any Python thread may take frames and close it.
class LiveRun {
 public:
  LiveRun(const ForestHandle& forest, const std::string& url, const OptionTexts& texts,
          const predict::LiveOptions& options, const EncoderHandle* encoder,
          const publish::PublishingOptions& publishing) {
    begin_threads();
    recordings::SourceOptions source_options;
    predict::PredictOptions chosen;
    for (const auto& [name, text] : texts) set_option(name, text, chosen, chosen.smoothing, source_options);
    options.check();
    const OpenSource open = [=, num_maps = forest.forest->preparation.supplied_maps.size(),
                             maps_by = encoder_in(encoder)]() -> std::shared_ptr<recordings::FrameSource> {
      return recordings::with_encoder(formats::open_source(url, source_options), maps_by, num_maps);
    };
    std::shared_ptr<recordings::FrameSource> source;
    std::unique_ptr<predict::AdjustablePredictor> predictor;
    std::vector<std::string> warnings;
    {
      const WithoutGil without_gil;
      source = open();
      predict::check_images(*forest.forest, source->content(), source->name());
      warnings = source->warnings();
      predictor = std::make_unique<predict::AdjustablePredictor>(*forest.forest, chosen);
    }
    const std::string note = image::camera_note(forest.forest->preparation, source->has_camera(), source->name());
    if (!note.empty()) warnings.push_back(note);
    warn(warnings);
    predict::LiveOptions kept = options;
    kept.capture.reopen = open;
    thread_ = threaded(with_gil_released([&] {  // the middleware first searches the network
      return std::make_unique<LiveThread>(forest.forest, std::move(predictor), std::move(source), kept, publishing);
    }));
  }

  /// color, depth, labels, seconds, name, camera and pose of the next frame; None at the end.
  nb::object next() {
    begin_threads();
    HandOver& output = thread_->output;
    for (bool ended = false; !ended;) {
      std::optional<predict::LiveFrame> frame;
      {
        const WithoutGil without_gil;
        frame = output.take(100ms, ended);
        if (ended && output.is_left()) stay();
      }
      or_stay([] {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      });
      warn(output.take_warnings());
      if (frame) return to_tuple(std::move(*frame));
    }
    if (const std::exception_ptr failure = output.take_failure()) std::rethrow_exception(failure);
    return nb::none();
  }

  /// Stops the threads; does nothing in a forked child. Needs no GIL.
  void close() {
    if (!threads_are_lost()) thread_->end();
  }

  /// Frames captured, dropped and shown; zeros until the run has ended.
  nb::tuple counts() const {
    begin_threads();
    const predict::LiveReport report = thread_->output.report();
    return nb::make_tuple(report.num_captured, report.num_dropped, report.num_shown);
  }

 private:
  using OpenSource = std::function<std::shared_ptr<recordings::FrameSource>()>;

  static nb::object to_tuple(predict::LiveFrame&& live) {
    const std::shared_ptr<const image::Frame>& frame = live.captured.frame;
    const std::size_t rows = frame->rows(), cols = frame->cols();
    return nb::make_tuple(shared_array<std::uint8_t>(frame, frame->color, {rows, cols, 3}),
                          shared_array<std::uint16_t>(frame, frame->depth_mm, {rows, cols}),
                          to_numpy(std::move(live.prediction.labels)), live.captured.time_s, live.captured.name,
                          camera_numbers(frame->camera, rows, cols), motion_numbers(live.captured.pose));
  }

  Threaded<LiveThread> thread_;
};

}  // namespace

void bind_live(nb::module_& module) {
  nb::class_<LiveRun>(module, "LiveRun")
      .def(
          "__init__",
          [](LiveRun* self, const ForestHandle& forest, const std::string& url, const OptionTexts& options,
             bool every_frame, std::size_t max_frames, double rate_hz, bool recorded_times, double stall_timeout_s,
             double reconnect_s, const EncoderHandle* encoder, const OptionTexts& publishing_texts) {
            publish::PublishingOptions publishing;
            for (const auto& [name, text] : publishing_texts) set_option(name, text, publishing);
            publishing.check();
            new (self) LiveRun(forest, url, options,
                               {.max_frames = max_frames,
                                .capture = {.every_frame = every_frame,
                                            .rate_hz = rate_hz,
                                            .recorded_times = recorded_times,
                                            .stall_timeout_s = stall_timeout_s,
                                            .reconnect_s = reconnect_s}},
                               encoder, publishing);
          },
          nb::arg("forest"), nb::arg("url"), nb::arg("options"), nb::arg("every_frame"), nb::arg("max_frames"),
          nb::arg("rate_hz"), nb::arg("recorded_times"), nb::arg("stall_timeout_s"), nb::arg("reconnect_s"),
          nb::arg("encoder").none(), nb::arg("publishing"))
      .def("next", &LiveRun::next)
      .def("close",
           [](LiveRun& run) {
             const WithoutGil without_gil;
             run.close();
           })
      .def("counts", &LiveRun::counts);
}

}  // namespace fernwood::python
