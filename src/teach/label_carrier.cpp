// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "teach/label_carrier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/json_text.h"
#include "fernwood/core/error.h"

namespace fernwood::teach {

namespace {

using image::DepthView;
using image::RigidMotion;
using nlohmann::json;

constexpr std::size_t kCell = 8;     // pixels per side: cells in which source pixels are searched for
constexpr std::size_t kFitStep = 8;  // pixels between samples for testing the poses

/// A source frame, and the motions between its camera coordinates and those of the target frame.
struct Giver {
  std::size_t index = 0;
  const LabelledView* view = nullptr;
  RigidMotion forth, back;
  std::size_t num_seen = 0;         ///< Visible ones among its labelled pixels; computed for each source separately.
  Array2<std::uint8_t> cells = {};  ///< Of the target frame: where labels of the source may be.
};

/// Whether more of the source's surface is confirmed in the other frame than is transparent there.
bool fits(const Giver& giver, const DepthView& to) {
  const DepthView from = giver.view->depth();
  std::size_t num_found = 0, num_through = 0;
  for (std::size_t row = kFitStep / 2; row < from.depth_mm.rows(); row += kFitStep)
    for (std::size_t col = kFitStep / 2; col < from.depth_mm.cols(); col += kFitStep) {
      if (from.depth_mm(row, col) == 0) continue;
      const image::Vector3 place = giver.forth(from.place(row, col));
      const auto seen = to.pixel(place);
      if (!seen) continue;
      const float behind_m = 0.001f * static_cast<float>(to.depth_mm((*seen)[0], (*seen)[1])) - place.z;
      num_found += std::abs(behind_m) <= image::kVisibleShare * place.z;
      num_through += behind_m > image::kVisibleShare * place.z;
    }
  return num_found > num_through;
}

/// Marks the cells of the target in which labelled points of the source may be, occluded or not, and counts the visible
/// ones.
void look(Giver& giver, const DepthView& to) {
  const LabelledView& view = *giver.view;
  const DepthView from = view.depth();
  const std::size_t cols = view.depth_mm.cols();
  Array2<std::uint8_t>& cells = giver.cells;
  cells = {(to.depth_mm.rows() + kCell - 1) / kCell, (to.depth_mm.cols() + kCell - 1) / kCell, 0};
  for (const std::uint32_t pixel : view.labelled) {
    const image::Vector3 place = giver.forth(from.place(pixel / cols, pixel % cols));
    const auto seen = to.pixel(place);
    if (!seen) continue;
    giver.num_seen += to.visible_pixel(place).has_value();
    const auto [row, col] = std::array{(*seen)[0] / kCell, (*seen)[1] / kCell};
    // Also marks adjacent cells, because positions are rounded to pixels.
    for (std::size_t y = row == 0 ? 0 : row - 1; y < std::min(row + 2, cells.rows()); ++y)
      for (std::size_t x = col == 0 ? 0 : col - 1; x < std::min(col + 2, cells.cols()); ++x) cells(y, x) = 1;
  }
}

std::vector<Giver> choose_givers(std::span<const LabelledView* const> from, const DepthView& to,
                                 const RigidMotion& pose) {
  const RigidMotion from_room = image::inverse(pose);
  std::vector<Giver> givers;
  for (std::size_t i = 0; i < from.size(); ++i) {
    Giver giver = {i, from[i], then(from[i]->pose, from_room), then(pose, image::inverse(from[i]->pose))};
    look(giver, to);
    if (giver.num_seen > 0 && fits(giver, to)) givers.push_back(std::move(giver));
  }
  std::ranges::stable_sort(givers, std::greater{}, &Giver::num_seen);
  if (givers.size() > kMaxSources) givers.resize(kMaxSources);
  std::ranges::sort(givers, {}, &Giver::index);
  return givers;
}

/// Label and weight that sources assign to a pixel.
struct Vote {
  std::uint16_t number = image::kVoid;
  std::size_t count = 0;
  std::uint16_t nearest_mm = 0;
};

class Ballot {
 public:
  void add(std::uint16_t number, std::uint16_t depth_mm) {
    for (std::size_t i = 0; i < size_; ++i)
      if (votes_[i].number == number) {
        ++votes_[i].count;
        votes_[i].nearest_mm = std::min(votes_[i].nearest_mm, depth_mm);
        return;
      }
    votes_[size_++] = {number, 1, depth_mm};
  }
  std::uint16_t winner() const {
    const Vote* best = votes_.data();
    for (const Vote* vote = votes_.data(); vote != votes_.data() + size_; ++vote)
      if (vote->count > best->count || (vote->count == best->count && vote->nearest_mm < best->nearest_mm)) best = vote;
    return size_ == 0 ? image::kVoid : best->number;
  }

 private:
  std::array<Vote, kMaxSources> votes_;
  std::size_t size_ = 0;
};

/// The pixel of the source that shows the same point as a pixel of the target, if it has a label.
std::optional<std::array<std::size_t, 2>> labelled_pixel(const Giver& giver, const image::Vector3& place) {
  const auto seen = giver.view->depth().visible_pixel(giver.back(place));
  if (!seen || giver.view->numbers((*seen)[0], (*seen)[1]) == image::kVoid) return std::nullopt;
  return seen;
}

dataset::FramePose first_of_room(std::size_t frame) { return {"from " + std::to_string(frame), {}}; }

/// The part of a view of a frame whose labels differ from another view, and so may affect other frames; for different
/// poses, the whole second view.
std::shared_ptr<const LabelledView> changed_part(const std::shared_ptr<const LabelledView>& before,
                                                 const std::shared_ptr<const LabelledView>& now) {
  if (!before || !now || !(before->pose == now->pose)) return now;
  image::LabelImage numbers = now->numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t& number = numbers.data()[i];
    const std::uint16_t was = before->numbers.data()[i];
    number = number == was ? image::kVoid : number == image::kVoid ? was : number;
  }
  return std::make_shared<const LabelledView>(now->pose, now->camera, now->depth_mm, std::move(numbers));
}

}  // namespace

LabelledView::LabelledView(image::RigidMotion pose, const image::Camera& camera, Array2<std::uint16_t> depth_mm,
                           image::LabelImage numbers)
    : pose(std::move(pose)), camera(camera), depth_mm(std::move(depth_mm)), numbers(std::move(numbers)) {
  for (std::size_t i = 0; i < this->numbers.size(); ++i) {
    if (this->numbers.data()[i] == image::kVoid || this->depth_mm.data()[i] == 0) continue;
    const image::Vector3 place = depth().place(i / this->numbers.cols(), i % this->numbers.cols());
    if (labelled.empty()) least = most = place;
    least = {std::min(least.x, place.x), std::min(least.y, place.y), std::min(least.z, place.z)};
    most = {std::max(most.x, place.x), std::max(most.y, place.y), std::max(most.z, place.z)};
    labelled.push_back(static_cast<std::uint32_t>(i));
  }
}

bool may_see(const LabelledView& from, const RigidMotion& pose, const image::Camera& camera) {
  const RigidMotion motion = then(from.pose, image::inverse(pose));
  // Half-spaces: behind the camera, left, right, above, below. If all corners of the box lie in one of them, the box is
  // invisible.
  std::array<std::size_t, 5> num_beyond{};
  for (int corner = 0; corner < 8; ++corner) {
    const auto& [x, y, z] = motion({corner & 1 ? from.most.x : from.least.x, corner & 2 ? from.most.y : from.least.y,
                                    corner & 4 ? from.most.z : from.least.z});
    const float col = x * camera.fx + (camera.cx + 1) * z, row = y * camera.fy + (camera.cy + 1) * z;
    num_beyond[0] += z <= 0;
    num_beyond[1] += col < 0;
    num_beyond[2] += col > static_cast<float>(camera.cols + 1) * z;
    num_beyond[3] += row < 0;
    num_beyond[4] += row > static_cast<float>(camera.rows + 1) * z;
  }
  return !from.labelled.empty() && std::ranges::count(num_beyond, 8u) == 0;
}

HandedLabels carry_labels(std::span<const LabelledView* const> from, const DepthView& to, const RigidMotion& pose) {
  const std::size_t rows = to.depth_mm.rows(), cols = to.depth_mm.cols();
  HandedLabels handed = {image::LabelImage(rows, cols, image::kVoid), std::vector<std::size_t>(from.size())};
  const std::vector<Giver> givers = choose_givers(from, to, pose);
  std::vector<const Giver*> here;                            // sources of a cell
  std::vector<std::pair<std::size_t, std::uint16_t>> votes;  // source and class
  const auto decide = [&](std::size_t row, std::size_t col) {
    const image::Vector3 place = to.place(row, col);
    Ballot ballot;
    votes.clear();
    for (const Giver* giver : here) {
      const auto seen = labelled_pixel(*giver, place);
      if (!seen) continue;
      const LabelledView& view = *giver->view;
      ballot.add(view.numbers((*seen)[0], (*seen)[1]), view.depth_mm((*seen)[0], (*seen)[1]));
      votes.emplace_back(giver->index, view.numbers((*seen)[0], (*seen)[1]));
    }
    handed.numbers(row, col) = ballot.winner();
    for (const auto& [source, number] : votes) handed.num_pixels[source] += number == handed.numbers(row, col);
  };
  for (std::size_t top = 0; top < rows; top += kCell)
    for (std::size_t left = 0; left < cols; left += kCell) {
      here.clear();
      for (const Giver& giver : givers)
        if (giver.cells(top / kCell, left / kCell)) here.push_back(&giver);
      if (here.empty()) continue;
      for (std::size_t row = top; row < std::min(top + kCell, rows); ++row)
        for (std::size_t col = left; col < std::min(left + kCell, cols); ++col)
          if (to.depth_mm(row, col) != 0) decide(row, col);
    }
  return handed;
}

std::optional<dataset::FramePose> LabelCarrier::place(std::size_t frame) const {
  if (project_.has_poses()) return project_.frame(frame).pose;
  if (frame < registered_.places.size()) return registered_.places[frame];
  return std::nullopt;
}

std::function<image::LabelImage()> LabelCarrier::numbers_of(std::size_t frame) const {
  return [live = project_.live_classes(), read = project_.labels_reader(frame)] {
    image::LabelImage labels = read();
    for (std::uint16_t& label : labels)
      if (label != image::kVoid) label = live[label].number;
    return labels;
  };
}

void LabelCarrier::note_changes() {
  if (seen_version_ == project_.version()) return;
  seen_version_ = project_.version();
  if (std::exchange(has_poses_, project_.has_poses()) != has_poses_) stamps_.clear();
  for (std::size_t frame = 0; frame < project_.num_frames(); ++frame) {
    const std::uint64_t stamp = project_.strokes_version(frame);
    const auto known = stamps_.find(frame);
    if (known != stamps_.end() && known->second == stamp) continue;
    stamps_[frame] = stamp;
    targets_.insert(frame);
    const bool is_source = project_.has_depth() && project_.is_carrying(frame) && project_.num_strokes(frame) > 0;
    if (is_source)
      stale_.insert(frame);
    else if (sources_.contains(frame))
      change_source(frame, nullptr);
    if (!is_source) stale_.erase(frame);
  }
}

void LabelCarrier::change_source(std::size_t frame, std::shared_ptr<const LabelledView> view) {
  const auto here = place(frame);
  const Source now = {here ? here->room : "", std::move(view)};
  const auto known = sources_.find(frame);
  const Source before = known == sources_.end() ? Source{} : known->second;
  const auto part = changed_part(before.view, now.view);
  const bool is_moved = !before.view || !now.view || !(before.view->pose == now.view->pose) || before.room != now.room;
  for (std::size_t other = 0; other < project_.num_frames(); ++other) {
    const auto there = place(other);
    const auto camera = cameras_.find(other);
    const auto sees = [&](const std::string& room, const std::shared_ptr<const LabelledView>& view) {
      if (!view || !there || there->room != room) return false;
      return camera == cameras_.end() || may_see(*view, there->pose, camera->second);
    };
    if (sees(now.room, part) || (is_moved && sees(before.room, before.view))) targets_.insert(other);
  }
  if (now.view)
    sources_[frame] = now;
  else
    sources_.erase(frame);
}

LabelCarrier::Step LabelCarrier::next_step() {
  if (reading_) stale_.insert(*std::exchange(reading_, std::nullopt));
  if (carrying_to_) targets_.insert(*std::exchange(carrying_to_, std::nullopt));
  note_changes();
  if (sources_.empty() && stale_.empty()) {
    for (std::size_t frame = 0; frame < project_.num_frames(); ++frame)
      if (project_.frame(frame).num_carried > 0) {
        project_.set_carried(frame, {});
        changed_.insert(frame);
      }
    targets_.clear();
    project_.set_carried_is_current(true);
    return {};
  }
  if (!project_.has_poses() && registered_.places.size() < project_.num_frames()) return locate_next();
  if (!stale_.empty()) return read_source(*stale_.begin());
  if (!targets_.empty()) return carry_to(*targets_.begin());
  project_.set_carried_is_current(true);
  return {};
}

void LabelCarrier::finish(const ProgressCallback& progress) {
  for (std::size_t done = 0; const Step step = next_step(); ++done) {
    const std::size_t unplaced = project_.has_poses() ? 0 : project_.num_frames() - registered_.places.size();
    if (progress) progress(done, done + 1 + num_left() + unplaced);
    step()();
  }
}

LabelCarrier::Step LabelCarrier::told_of_failure(std::size_t frame, Step step) {
  return [this, frame, step = std::move(step)]() -> std::function<void()> {
    try {
      return step();
    } catch (const Error& error) {
      return [this, frame, sentence = std::string(error.what())] {
        problems_.push_back(sentence);
        reading_.reset();
        carrying_to_.reset();
        if (registered_.places.size() == frame) registered_.places.push_back(first_of_room(frame));
        registered_.surfaces.reset();
      };
    }
  };
}

LabelCarrier::Step LabelCarrier::locate_next() {
  const std::size_t frame = registered_.places.size();
  return told_of_failure(frame, [this, frame, read = project_.depth_reader(frame), before = registered_.surfaces]() {
    const image::Frame here = read();
    auto surfaces = std::make_shared<const image::FrameSurfaces>(surfaces_of(depth_view(here)));
    std::optional<image::RigidMotion> motion;
    if (before) motion = register_surfaces(*before, *surfaces);
    return [this, frame, surfaces, motion] {
      dataset::FramePose place = first_of_room(frame);
      if (motion)
        place = {registered_.places.back().room, then(image::inverse(*motion), registered_.places.back().pose)};
      registered_.places.push_back(std::move(place));
      registered_.surfaces = surfaces;
      targets_.insert(frame);
    };
  });
}

LabelCarrier::Step LabelCarrier::read_source(std::size_t frame) {
  stale_.erase(frame);
  reading_ = frame;
  const auto there = place(frame);
  const auto note = [this, frame](std::shared_ptr<const LabelledView> view) {
    reading_.reset();
    change_source(frame, std::move(view));
  };
  if (!there) return [note] { return [note] { note(nullptr); }; };
  return told_of_failure(
      frame, [this, frame, note, there = *there, read = project_.depth_reader(frame), numbers = numbers_of(frame)]() {
        image::Frame here = read();
        const image::Camera camera = depth_view(here).camera;
        auto view = std::make_shared<const LabelledView>(there.pose, camera, std::move(here.depth_mm), numbers());
        if (view->labelled.empty()) view.reset();
        return [this, frame, note, camera, view] {
          cameras_[frame] = camera;
          note(view);
        };
      });
}

LabelCarrier::Step LabelCarrier::carry_to(std::size_t frame) {
  targets_.erase(frame);
  carrying_to_ = frame;
  const auto there = place(frame);
  std::vector<std::size_t> frames;
  std::vector<std::shared_ptr<const LabelledView>> views;
  for (const auto& [other, source] : sources_) {
    const auto place_of_other = place(other);
    if (other == frame || !there || !place_of_other || place_of_other->room != there->room || !source.view) continue;
    frames.push_back(other);
    views.push_back(source.view);
  }
  const auto note = [this, frame](const CarriedLabels& found) {
    carrying_to_.reset();
    const std::size_t num_before = project_.frame(frame).num_carried;
    project_.set_carried(frame, found);
    if (num_before + project_.frame(frame).num_carried > 0) changed_.insert(frame);
  };
  if (views.empty()) return [note] { return [note] { note({}); }; };
  // Strokes drawn or erased on this frame take precedence over carried labels.
  std::function<image::LabelImage()> read_drawn, read_erased;
  if (!project_.frame(frame).strokes.empty()) {
    read_drawn = project_.labels_reader(frame);
    read_erased = project_.erased_reader(frame);
  }
  return told_of_failure(frame, [=, this, read = project_.depth_reader(frame)]() {
    const image::Frame here = read();
    std::vector<const LabelledView*> from;
    for (const auto& view : views) from.push_back(view.get());
    HandedLabels handed = carry_labels(from, depth_view(here), there->pose);
    CarriedLabels carried = {std::move(handed.numbers)};
    for (const auto& read_marked : {read_drawn, read_erased}) {
      if (!read_marked) continue;
      const image::LabelImage marked = read_marked();
      for (std::size_t i = 0; i < carried.numbers.size(); ++i)
        if (marked.data()[i] != image::kVoid) carried.numbers.data()[i] = image::kVoid;
    }
    for (std::size_t i = 0; i < frames.size(); ++i)
      if (handed.num_pixels[i] > 0) carried.sources.push_back(frames[i]);
    return [this, frame, note, camera = depth_view(here).camera, carried = std::move(carried)] {
      cameras_[frame] = camera;
      note(carried);
    };
  });
}

void Carrying::go_on() {
  if (has_step_) return;
  const LabelCarrier::Step step = carrier_.next_step();
  for (const std::size_t frame : carrier_.take_changed()) {
    has_changed_ = true;
    server_.send_to_all(json_text(
        json{{"carried", frame}, {"share", share_carried(project_.frame(frame))}, {"left", carrier_.num_left()}}));
  }
  for (const std::string& sentence : carrier_.take_problems())
    server_.send_to_all(ascii_json_text(json{{"problem", sentence}}));
  if (!step) {
    const bool has_changed = std::exchange(has_changed_, false);
    if (!std::exchange(has_begun_, false) && !has_changed) return;
    server_.send_to_all(json_text(json{{"carried_all", has_changed}, {"left", 0}}));
    return finished_(has_changed);
  }
  has_step_ = has_begun_ = true;
  server_.do_aside([this, step]() -> std::function<void()> {
    return [this, note = step()] {
      note();
      has_step_ = false;
      go_on();
    };
  });
}

}  // namespace fernwood::teach
