// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "predict/capture_stage.h"

#include <utility>

#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"

namespace fernwood::predict {

namespace {

/// Number of frames between capture and preparation: one waits while another is processed.
constexpr std::size_t kMaxCaptured = 1;
constexpr double kTryEveryS = 1;

std::string seconds_text(double seconds) {
  TextOutput text;
  text << seconds << " s";
  return text.str();
}

}  // namespace

SteadyCapture::SteadyCapture(std::shared_ptr<recordings::FrameSource> source, LiveSink& sink,
                             const LiveOptions& options)
    : sink_(sink),
      options_(options),
      name_(source->name()),
      may_come_back_(source->may_come_back()),
      out_(kMaxCaptured, options.every_frame ? WhenFull::kWait : WhenFull::kReplaceOldest) {
  // Moved into the stage, not kept here: a camera must be closed before it is reopened.
  const auto handed = std::make_shared<std::shared_ptr<recordings::FrameSource>>(std::move(source));
  start([handed] { return std::move(*handed); });
}

void SteadyCapture::start(CaptureStage::OpenSource open) {
  FrameTaker& taker = *this;
  stage_ = std::make_unique<CaptureStage>(std::move(open), taker, options_);
}

void SteadyCapture::hold(bool held) {
  if (stage_) stage_->hold(held);
}

bool SteadyCapture::take(recordings::CapturedFrame captured, double capture_s) {
  const double now = seconds_now();
  check_size(captured);
  check_depth(captured);
  captured.time_s = continued(captured.time_s, options_.clock());
  sink_.captured(captured);
  ++num_captured_;
  const bool is_wanted = out_.push({std::move(captured), {}, capture_s, 0, now, {}});
  return is_wanted && !(options_.every_frame && num_captured_ == options_.max_frames);
}

void SteadyCapture::check_size(const recordings::CapturedFrame& captured) {
  const image::Frame& frame = *captured.frame;
  if (num_captured_ == 0) rows_ = frame.rows(), cols_ = frame.cols();
  FW_CHECK(frame.rows() == rows_ && frame.cols() == cols_, Data,
           name_ << ": frame " << captured.name << " is " << frame.cols() << " x " << frame.rows()
                 << " pixels, those before are " << cols_ << " x " << rows_
                 << "; a video must keep its size, start again with the new one");
}

/// Checks the depth of the first frames that have any: cameras often begin with frames of unknown depth.
void SteadyCapture::check_depth(const recordings::CapturedFrame& captured) {
  constexpr std::size_t kMaxWithout = 10;
  if (!first_depths_ || captured.frame->depth_mm.empty()) return;
  first_depths_->add_some(*captured.frame);
  if (first_depths_->is_empty() && num_captured_ + 1 < kMaxWithout) return;
  if (const std::string note = first_depths_->note(name_); !note.empty()) sink_.warn(note);
  first_depths_.reset();
}

/// A reopened camera may count from 0; its times are continued with our clock.
double SteadyCapture::continued(double time_s, double now) {
  if (std::exchange(is_reopened_, false) && num_captured_ > 0)
    time_shift_s_ = last_time_s_ + (now - last_taken_at_) - time_s;
  last_taken_at_ = now;
  return last_time_s_ = time_s + time_shift_s_;
}

void SteadyCapture::request_stop() {
  is_stopping_ = true;
  if (stage_) stage_->request_stop();
}

void SteadyCapture::watch() {
  if (is_over_) return;
  if (is_stopping_) {
    if (!stage_ || stage_->has_taken_last()) end(nullptr);  // stop() finds a failure
    return;
  }
  const std::optional<Error> found = trouble();
  if (stage_ && stage_->failure())
    end(stage_->failure());
  else if (is_lost_)
    seek(found.has_value());
  else if (found && may_come_back_ && options_.reopen && options_.reconnect_s > 0)
    lose(*found);
  else if (found)
    end(std::make_exception_ptr(may_come_back_ ? Error(ErrorKind::kDevice, found->what()) : *found));
  else if (stage_->has_ended())
    end(nullptr);
}

/// Current error of the source, if any.
std::optional<Error> SteadyCapture::trouble() const {
  if (!stage_) return std::nullopt;
  if (stage_->waiting_s() <= options_.stall_timeout_s) return stage_->source_error();
  return Error(ErrorKind::kRuntime, name_ + ": has given no frame for " + seconds_text(options_.stall_timeout_s) +
                                        " after " + std::to_string(num_captured_) +
                                        "; check its cable and power, or give it more " +
                                        named_option("stall-timeout"));
}

void SteadyCapture::lose(const Error& trouble) {
  is_lost_ = true;
  why_lost_ = trouble.what();
  captured_before_ = num_captured_;
  lost_at_ = tried_at_ = options_.clock();
  sink_.camera_lost(why_lost_ + " (opening it again is tried for " + seconds_text(options_.reconnect_s) + ")");
  stage_.reset();
}

void SteadyCapture::seek(bool has_trouble) {
  const double now = options_.clock();
  if (num_captured_ > captured_before_) {
    is_lost_ = false;
    ++num_reconnects_;
    sink_.camera_back();
  } else if (now - lost_at_ > options_.reconnect_s) {
    end(std::make_exception_ptr(
        Error(ErrorKind::kDevice, why_lost_ + "; it has not come back within " + seconds_text(options_.reconnect_s))));
  } else if (stage_ && (has_trouble || stage_->has_ended())) {
    stage_.reset();
  } else if (!stage_ && now - tried_at_ >= kTryEveryS) {
    tried_at_ = now;
    is_reopened_ = true;
    start(options_.reopen);
  }
}

void SteadyCapture::end(std::exception_ptr failure) {
  is_over_ = true;
  failure_ = std::move(failure);
  out_.close();
}

void SteadyCapture::stop() {
  out_.close_and_clear();
  if (!stage_) return;
  stage_->stop();
  if (!failure_) failure_ = stage_->failure();
  stage_.reset();
}

}  // namespace fernwood::predict
