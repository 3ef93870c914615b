// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fernwood/dataset/dataset.h"
#include "fernwood/teach/project.h"
#include "fernwood/web/web_server.h"
#include "teach/frame_objects.h"
#include "teach/painting.h"

namespace fernwood::teach {

/// Some frames of a project with labels, for any thread.
class ProjectFrames final : public dataset::InMemoryFrames {
 public:
  using FindObjects = std::function<objects::FrameObjects(const image::LabelImage&)>;

  /// @param find  See objects_finder(); empty: the objects are not known.
  void add(const Project& project, std::size_t frame, std::function<image::LabelImage()> labels,
           FindObjects find = {}) {
    const TaughtFrame& one = project.frame(frame);
    names.push_back(one.name);
    frames_.push_back(project.frame_reader(frame));
    labels_.push_back(std::move(labels));
    sizes_.push_back({one.rows, one.cols});
    find_.push_back(std::move(find));
    ++num_frames;
  }
  image::Frame frame(std::size_t number) const override { return frames_[number](); }
  image::LabelImage labels(std::size_t number) const override { return labels_[number](); }
  image::InstanceImage instances(std::size_t number) const override {
    return find_[number] ? find_[number](labels(number)).numbers : image::InstanceImage();
  }
  dataset::FrameSize size(std::size_t number) const override { return sizes_[number]; }

 private:
  std::vector<std::function<image::Frame()>> frames_;
  std::vector<std::function<image::LabelImage()>> labels_;
  std::vector<dataset::FrameSize> sizes_;
  std::vector<FindObjects> find_;
};

/// The labels drawn on the frames of a project: painted on another thread where that takes long, kept as run lengths,
/// announced to pages, and written as ground truth. For the server's thread.
class Truth {
 public:
  /// Labels drawn on a frame, in a tenth of the memory of an image.
  struct OfFrame {
    std::shared_ptr<const PackedLabels> labels;  ///< Indices of live classes.
    std::vector<bool> classes;                   ///< [live class] Whether the frame has pixels of it.
  };
  /// Frames with labels, and their numbers.
  using TaughtFrames = std::pair<std::shared_ptr<const dataset::InMemoryFrames>, std::vector<std::size_t>>;

  Truth(Project& project, web::WebServer& server) : project_(project), server_(server) {}

  /// Forgets the labels that an action has changed, and tells pages.
  void follow(const ProjectChange& change);
  bool has(std::size_t frame) const { return truths_.contains(frame); }
  /// Paints the frame here if necessary.
  const OfFrame& of(std::size_t frame);
  /// Paints a frame on another thread if it is too much work for this one, and then calls `then` while the result is
  /// cached. @return  Whether it does.
  bool paint_aside(std::size_t frame, std::function<void()> then);

  // Functions for any thread that return the labels of a frame.
  std::function<image::LabelImage()> drawn_reader(std::size_t frame) const;
  /// Drawn ones, and elsewhere those carried to it; empty if it has neither.
  std::function<image::LabelImage()> taught_reader(std::size_t frame) const;
  /// All of them, for training. @param carried_too  Whether to include carried labels; otherwise only strokes count.
  TaughtFrames taught_frames(bool carried_too);

  /// Writes ground truth, one file at a time, so that pages are answered in between.
  void write();

 private:
  void tell(std::size_t frame);
  void write_next();

  Project& project_;
  web::WebServer& server_;
  std::map<std::size_t, OfFrame> truths_;  // of frames with strokes; invalidated by changes
  std::uint64_t num_class_changes_ = 0;    // each invalidates all
  bool is_writing_ = false;
};

}  // namespace fernwood::teach
