// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/evaluate/sequence.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"
#include "image/registration.h"

namespace fernwood::evaluate {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Least share of places whose depths agree between two frames; below it, poses or depths are wrong. Moving objects and
/// surfaces that become visible cost some per cent.
constexpr double kMinFit = 0.5;

constexpr std::array kSequenceRows = {
    option<&SequenceOptions::every>("every", "Take one frame of every N of the recording").in(from_to(1, 1000)),
};

}  // namespace

OptionTable<SequenceOptions> SequenceOptions::table() { return kSequenceRows; }
void SequenceOptions::check() const { check_options(table(), *this); }

double PixelCount::share() const { return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : kNaN; }

PixelCount& PixelCount::operator+=(const PixelCount& more) {
  some += more.some;
  all += more.all;
  return *this;
}

void LagCounts::add(std::size_t frames) {
  if (places.size() <= frames) places.resize(frames + 1);
  ++places[frames];
}

std::uint64_t LagCounts::num_right() const { return std::accumulate(places.begin(), places.end(), std::uint64_t{0}); }

double LagCounts::mean() const {
  std::uint64_t sum = 0;
  for (std::size_t frames = 0; frames < places.size(); ++frames) sum += frames * places[frames];
  return num_right() > 0 ? static_cast<double>(sum) / static_cast<double>(num_right()) : kNaN;
}

double LagCounts::median() const {
  const std::uint64_t half = (num_right() + 1) / 2;
  std::uint64_t seen = 0;
  for (std::size_t frames = 0; frames < places.size(); ++frames)
    if ((seen += places[frames]) >= half && half > 0) return static_cast<double>(frames);
  return kNaN;
}

double LagCounts::worst() const { return num_right() > 0 ? static_cast<double>(places.size() - 1) : kNaN; }

LagCounts& LagCounts::operator+=(const LagCounts& more) {
  if (places.size() < more.places.size()) places.resize(more.places.size());
  for (std::size_t i = 0; i < more.places.size(); ++i) places[i] += more.places[i];
  lost += more.lost;
  return *this;
}

SequenceLabeller labeller_by(std::string name, predict::Predictor& predictor, bool tells_poses) {
  return {std::move(name), [&predictor, tells_poses](const recordings::CapturedFrame& captured) {
            image::FrameImages frame(*captured.frame);
            if (tells_poses) frame.pose = captured.pose;
            return predictor.predict(frame).labels;
          }};
}

FindTruth truth_by_name(const dataset::Dataset& dataset, const image::ClassMap& classes) {
  std::map<std::string, std::size_t> frames;
  for (std::size_t i = 0; i < dataset.size(); ++i)
    if (!dataset.files(i).truth.empty()) frames[dataset.files(i).name] = i;
  return [&dataset, classes, frames = std::move(frames)](const std::string& name) -> std::optional<image::LabelImage> {
    const auto found = frames.find(name);
    if (found == frames.end()) return std::nullopt;
    return dataset.read_labels(found->second, classes);
  };
}

namespace {

/// Distance of the compared pixels along rows and columns, in pixels.
constexpr std::size_t kSequenceStride = 4;

/// Calls for_pixel(row, col) for the middle pixel of each cell of kSequenceStride x kSequenceStride pixels, if its
/// depth is known.
void for_each_known(const image::DepthView& view, const auto& for_pixel) {
  for (std::size_t row = kSequenceStride / 2; row < view.depth_mm.rows(); row += kSequenceStride)
    for (std::size_t col = kSequenceStride / 2; col < view.depth_mm.cols(); col += kSequenceStride)
      if (view.depth_mm(row, col) != 0) for_pixel(row, col);
}

/// A frame of a recording, with the images that the comparison with the next frame needs.
struct SeenFrame {
  recordings::CapturedFrame captured;      ///< With its pose, if the frame is to be compared.
  std::optional<image::LabelImage> truth;  ///< Ground truth, if known.
  std::vector<image::LabelImage> labels;   ///< [labeller]

  image::DepthView view() const { return image::depth_view(*captured.frame); }
};

/// Places whose true class has changed, followed until they are labelled correctly again.
class ChangedPlaces {
 public:
  /// Follows the places found before, and adds those that have changed between the two frames.
  /// @param before  The frame before `now`. Both have a pose and ground truth.
  /// @param scores  [labeller] Lag and shadow are added to these.
  void compare(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores);
  /// Stops following all places, as at the end of a recording; those not yet labelled correctly count as lost.
  void lose_all(std::vector<SequenceScore>& scores);
  std::uint64_t num_found() const { return num_found_; }

 private:
  struct Place {
    image::Vector3 in_room;
    std::uint16_t truth, earlier;     ///< Class now and before the change.
    bool was_left;                    ///< Whether the object that was there has moved away.
    std::size_t age = 0;              ///< Frames since the change.
    std::vector<bool> is_right = {};  ///< [labeller] Whether it has been labelled correctly.
  };

  void follow(const SeenFrame& now, std::vector<SequenceScore>& scores);
  void find(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores);
  static void judge(Place& place, const SeenFrame& now, std::size_t row, std::size_t col,
                    std::vector<SequenceScore>& scores);
  static void lose(const Place& place, std::vector<SequenceScore>& scores);

  std::vector<Place> places_;
  std::uint64_t num_found_ = 0;
};

/// Frames for which a changed place is followed; a place that is not labelled correctly by then counts as lost.
constexpr std::size_t kMaxLagFrames = 300;

/// What a view contains in the direction of a place.
enum class Sight {
  kUnknown,  ///< The place is outside of the frame, or depth is unknown.
  kSame,     ///< A surface at the place.
  kThrough,  ///< A surface behind the place, which is therefore empty.
  kHidden    ///< A surface in front of the place.
};

struct Look {
  Sight sight = Sight::kUnknown;
  std::size_t row = 0, col = 0;
};

Look look_at(const image::DepthView& view, const image::Vector3& place) {
  const auto pixel = view.pixel(place);
  if (!pixel) return {};
  const auto [row, col] = *pixel;
  if (view.depth_mm(row, col) == 0) return {};
  if (view.visible_pixel(place)) return {Sight::kSame, row, col};
  const bool is_behind = 0.001f * static_cast<float>(view.depth_mm(row, col)) > place.z;
  return {is_behind ? Sight::kThrough : Sight::kHidden, row, col};
}

/// A change of class at a pixel: the earlier class, and whether an object has moved away from there.
struct Change {
  std::uint16_t earlier;
  bool was_left;
};

/// @param back  Motion from the camera frame of `now` to that of `before`.
std::optional<Change> find_change(const SeenFrame& before, const SeenFrame& now, const image::RigidMotion& back,
                                  std::size_t row, std::size_t col) {
  const std::uint16_t truth = (*now.truth)(row, col);
  if (truth == image::kVoid) return std::nullopt;
  const image::DepthView view = now.view(), earlier_view = before.view();
  const Look earlier = look_at(earlier_view, back(view.place(row, col)));
  if (earlier.sight == Sight::kUnknown) return std::nullopt;
  const std::uint16_t class_before = (*before.truth)(earlier.row, earlier.col);
  if (class_before == image::kVoid || class_before == truth) return std::nullopt;
  if (earlier.sight != Sight::kHidden) return Change{class_before, false};
  // The place may only have become visible: the surface that was in front of it must be gone.
  const image::Vector3 front = image::inverse(back)(earlier_view.place(earlier.row, earlier.col));
  if (look_at(view, front).sight != Sight::kThrough) return std::nullopt;
  return Change{class_before, true};
}

void ChangedPlaces::compare(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores) {
  follow(now, scores);
  find(before, now, scores);
}

void ChangedPlaces::follow(const SeenFrame& now, std::vector<SequenceScore>& scores) {
  const image::DepthView view = now.view();
  const image::RigidMotion to_camera = image::inverse(*now.captured.pose);
  std::erase_if(places_, [&](Place& place) {
    ++place.age;
    const auto pixel = view.visible_pixel(to_camera(place.in_room));
    const bool is_there = pixel && (*now.truth)((*pixel)[0], (*pixel)[1]) == place.truth;
    if (!is_there || place.age > kMaxLagFrames) {
      lose(place, scores);
      return true;
    }
    judge(place, now, (*pixel)[0], (*pixel)[1], scores);
    const bool all_right = std::ranges::find(place.is_right, false) == place.is_right.end();
    return all_right && (!place.was_left || place.age >= kShadowFrames);
  });
}

void ChangedPlaces::find(const SeenFrame& before, const SeenFrame& now, std::vector<SequenceScore>& scores) {
  const image::DepthView view = now.view();
  const image::RigidMotion back = image::then(*now.captured.pose, image::inverse(*before.captured.pose));
  for_each_known(view, [&](std::size_t row, std::size_t col) {
    const std::optional<Change> change = find_change(before, now, back, row, col);
    if (!change) return;
    ++num_found_;
    places_.push_back({(*now.captured.pose)(view.place(row, col)), (*now.truth)(row, col), change->earlier,
                       change->was_left, 0, std::vector<bool>(scores.size(), false)});
    judge(places_.back(), now, row, col, scores);
  });
}

void ChangedPlaces::judge(Place& place, const SeenFrame& now, std::size_t row, std::size_t col,
                          std::vector<SequenceScore>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::uint16_t label = now.labels[i](row, col);
    if (label == place.truth && !place.is_right[i]) {
      scores[i].lag.add(place.age);
      place.is_right[i] = true;
    }
    if (place.was_left && place.age >= 1 && place.age <= kShadowFrames)
      scores[i].shadow[place.age - 1].add(label == place.earlier);
  }
}

void ChangedPlaces::lose(const Place& place, std::vector<SequenceScore>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!place.is_right[i]) ++scores[i].lag.lost;
}

void ChangedPlaces::lose_all(std::vector<SequenceScore>& scores) {
  for (const Place& place : places_) lose(place, scores);
  places_.clear();
}

class SequenceWork {
 public:
  SequenceWork(const std::string& recording, const image::ClassMap& classes,
               const std::vector<SequenceLabeller>& labellers)
      : labellers_(labellers) {
    report_.recording = recording;
    report_.classes = classes;
    for (const SequenceLabeller& labeller : labellers) {
      SequenceScore& score = report_.scores.emplace_back();
      score.name = labeller.name;
      score.confusion = Confusion(classes.size());
    }
  }

  void add(recordings::CapturedFrame captured, std::optional<image::LabelImage> truth) {
    report_.frames.push_back(captured.name);
    num_with_pose_ += captured.pose ? 1 : 0;
    SeenFrame now{std::move(captured), std::move(truth), {}};
    report_.num_with_truth += now.truth ? 1 : 0;
    for (std::size_t i = 0; i < labellers_.size(); ++i) label(i, now);
    if (before_ && before_->captured.pose && now.captured.pose)
      compare(*before_, now);
    else
      changes_.lose_all(report_.scores);
    before_ = std::move(now);
  }

  SequenceReport finish() {
    const std::string& name = report_.recording;
    const std::size_t num_frames = report_.frames.size();
    FW_CHECK(num_frames >= 2, Data,
             name << " has " << num_frames << (num_frames == 1 ? " frame" : " frames")
                  << " to take; labels are compared from frame to frame, so give a recording of two or more, or a "
                     "smaller "
                  << named_option("every"));
    FW_CHECK(report_.num_pairs > 0, Data,
             name << ": no two successive frames fit together (" << num_with_pose_ << " of " << num_frames
                  << " frames have a pose" << (unfit_.empty() ? "" : "; " + unfit_text())
                  << "); poses lead from the camera to the room, in metres");
    if (!unfit_.empty())
      report_.warnings.push_back(name + ": " + unfit_text() +
                                 ", so these were not compared with the frames before; poses jump there, or do not fit "
                                 "the depths");
    changes_.lose_all(report_.scores);
    report_.changed_places = changes_.num_found();
    for (SequenceScore& score : report_.scores) score.metrics = compute_metrics(score.confusion, {});
    return std::move(report_);
  }

 private:
  void label(std::size_t index, SeenFrame& now) {
    SequenceScore& score = report_.scores[index];
    const double start_s = seconds_now();
    now.labels.push_back(labellers_[index].label(now.captured));
    score.seconds += seconds_now() - start_s;
    score.frame_flicker.push_back(kNaN);
    score.frame_accuracy.push_back(kNaN);
    const image::LabelImage& labels = now.labels.back();
    const image::Frame& frame = *now.captured.frame;
    FW_CHECK(labels.rows() == frame.rows() && labels.cols() == frame.cols(), Runtime,
             score.name << " gave " << labels.cols() << " x " << labels.rows() << " labels for a frame of "
                        << frame.cols() << " x " << frame.rows());
    if (!now.truth) return;
    Confusion confusion(report_.classes.size());
    confusion.add(*now.truth, labels);
    score.confusion.add(confusion);
    score.frame_accuracy.back() = compute_metrics(confusion, {}).without_void.pixel;
  }

  void compare(const SeenFrame& before, const SeenFrame& now) {
    const image::DepthView view = now.view(), earlier_view = before.view();
    const image::RigidMotion back = image::then(*now.captured.pose, image::inverse(*before.captured.pose));
    PixelCount fit, seen;
    std::vector<PixelCount> flicker(report_.scores.size());
    for_each_known(view, [&](std::size_t row, std::size_t col) {
      const image::Vector3 place = back(view.place(row, col));
      const auto pixel = earlier_view.pixel(place), twice = earlier_view.visible_pixel(place);
      if (pixel && earlier_view.depth_mm((*pixel)[0], (*pixel)[1]) != 0) fit.add(twice.has_value());
      seen.add(twice.has_value());
      if (!twice) return;
      for (std::size_t i = 0; i < flicker.size(); ++i) {
        const std::uint16_t label = now.labels[i](row, col), earlier = before.labels[i]((*twice)[0], (*twice)[1]);
        if (label != image::kVoid && earlier != image::kVoid) flicker[i].add(label != earlier);
      }
    });
    if (!(fit.share() >= kMinFit)) {
      unfit_.push_back(now.captured.name);
      changes_.lose_all(report_.scores);
      return;
    }
    ++report_.num_pairs;
    report_.fit += fit;
    report_.seen_twice += seen;
    for (std::size_t i = 0; i < flicker.size(); ++i) {
      report_.scores[i].flicker += flicker[i];
      report_.scores[i].frame_flicker.back() = flicker[i].share();
    }
    if (before.truth && now.truth)
      changes_.compare(before, now, report_.scores);
    else
      changes_.lose_all(report_.scores);
  }

  std::string unfit_text() const {
    return std::to_string(unfit_.size()) + (unfit_.size() == 1 ? " frame (" : " frames (") + unfit_.front() +
           (unfit_.size() == 1 ? ") sees" : " and more) see") +
           " less than half of the places at the depth that the frame before has for them";
  }

  const std::vector<SequenceLabeller>& labellers_;
  SequenceReport report_;
  ChangedPlaces changes_;
  std::optional<SeenFrame> before_;
  std::vector<std::string> unfit_;  // names of frames
  std::size_t num_with_pose_ = 0;
};

}  // namespace

SequenceReport evaluate_sequence(recordings::FrameSource& source, const image::ClassMap& classes,
                                 const FindTruth& find_truth, const std::vector<SequenceLabeller>& labellers,
                                 const SequenceOptions& options, const ProgressCallback& progress) {
  const DefaultFloats floats;
  options.check();
  FW_CHECK(source.has_depth(), Data,
           source.name() << ": the recording has no depth, which tells what two frames both see");
  FW_CHECK(source.has_poses(), Data,
           source.name() << ": the recording has no poses, which tell where a frame sees what the one before saw; put "
                            "poses.txt next to the frames (docs/howto/import_data.md)");
  SequenceWork work(source.name(), classes, labellers);
  std::size_t num_read = 0;
  while (std::optional<recordings::CapturedFrame> captured = source.next()) {
    if (num_read++ % static_cast<std::size_t>(options.every) != 0) continue;
    std::optional<image::LabelImage> truth = find_truth ? find_truth(captured->name) : std::nullopt;
    work.add(std::move(*captured), std::move(truth));
    if (progress) progress(num_read, 0);
  }
  return work.finish();
}

void append(SequenceReport& all, SequenceReport more) {
  FW_CHECK(all.scores.size() == more.scores.size(), Runtime, "the recordings were not labelled in the same ways");
  all.num_recordings += more.num_recordings;
  all.num_with_truth += more.num_with_truth;
  all.num_pairs += more.num_pairs;
  all.seen_twice += more.seen_twice;
  all.fit += more.fit;
  all.changed_places += more.changed_places;
  const auto join_lists = [](auto& list, const auto& other) { list.insert(list.end(), other.begin(), other.end()); };
  join_lists(all.frames, more.frames);
  join_lists(all.warnings, more.warnings);
  for (std::size_t i = 0; i < all.scores.size(); ++i) {
    SequenceScore& score = all.scores[i];
    const SequenceScore& other = more.scores[i];
    score.flicker += other.flicker;
    score.confusion.add(other.confusion);
    score.metrics = compute_metrics(score.confusion, {});
    score.lag += other.lag;
    for (std::size_t k = 0; k < kShadowFrames; ++k) score.shadow[k] += other.shadow[k];
    join_lists(score.frame_flicker, other.frame_flicker);
    join_lists(score.frame_accuracy, other.frame_accuracy);
    score.seconds += other.seconds;
  }
}

}  // namespace fernwood::evaluate
