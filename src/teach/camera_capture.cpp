// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/camera_capture.h"

#include <stop_token>
#include <utility>

#include "predict/capture_stage.h"

namespace fernwood::teach {

namespace {

constexpr std::chrono::milliseconds kLookEvery{20};

/// Reports problems of the camera; frames are taken from the output of the capture instead.
class TroubleSink : public predict::LiveSink {
 public:
  explicit TroubleSink(const WatchHooks& hooks) : hooks_(hooks) {}
  bool show(const predict::LiveFrame&, const predict::LiveReport&) override { return true; }
  void warn(const OptionSentence& sentence) override { hooks_.trouble(sentence.on_command_line()); }
  void camera_lost(const std::string& why) override { hooks_.trouble(why); }
  void camera_back() override { hooks_.trouble(""); }

 private:
  const WatchHooks& hooks_;
};

void watch(std::shared_ptr<recordings::FrameSource> source, const predict::LiveOptions& options,
           const WatchHooks& hooks, const std::stop_token& stop) {
  const std::string name = source->name();
  TroubleSink sink(hooks);
  predict::SteadyCapture capture(std::move(source), sink, options);
  while (!stop.stop_requested() && !capture.out().is_finished()) {
    capture.watch();
    if (auto frame = capture.out().pop_for(kLookEvery)) hooks.seen(std::move(frame->captured));
  }
  capture.stop();
  if (stop.stop_requested()) return;
  if (capture.failure()) std::rethrow_exception(capture.failure());
  hooks.trouble(name + ": has ended");
}

}  // namespace

CameraCapture::CameraCapture(std::shared_ptr<recordings::FrameSource> source, const predict::LiveOptions& options,
                             WatchHooks hooks)
    : thread_([source = std::move(source), options, hooks = std::move(hooks)](const std::stop_token& stop) mutable {
        try {
          watch(std::move(source), options, hooks, stop);
        } catch (const std::exception& failure) {  // teaching continues without the camera
          hooks.trouble(failure.what());
        }
      }) {}

}  // namespace fernwood::teach
