// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Rasterisation of strokes. Rows are swept from top to bottom, and in each row the segments that reach it yield spans,
// so that the work is proportional to rows and spans, whatever the radius and however often the line crosses itself.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "teach/painting.h"

namespace fernwood::teach {

namespace {

__extension__ typedef __int128 Wide;  // products of four coordinates

constexpr std::int32_t kHalfPixel = kStepsPerPixel / 2;
/// Costs of a span and of a run, in painted pixels.
constexpr std::uint64_t kWorkOfSpan = 64, kWorkOfRun = 8;
/// Cost of storing and finding a stroke, even if it paints nothing.
constexpr std::uint64_t kWorkOfStroke = 4096;

std::int64_t length2_of(Point along) { return std::int64_t{along.x} * along.x + std::int64_t{along.y} * along.y; }

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
std::int64_t ceil_divided(std::int64_t a, std::int64_t b) { return -floor_divided(-a, b); }

/// The largest whole number whose square is at most `square`, which must be in [0, 2^100).
std::int64_t root_of(Wide square) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
  while (Wide{root} * root > square) --root;
  while (Wide{root + 1} * (root + 1) <= square) ++root;
  return root;
}

/// The first pixel whose centre is at or beyond a coordinate, within [0, count].
std::size_t first_at(std::int64_t steps, std::size_t count) {
  const std::int64_t pixel = (steps - kHalfPixel + kStepsPerPixel - 1) / kStepsPerPixel;
  if (steps <= kHalfPixel) return 0;
  return static_cast<std::size_t>(std::min<std::int64_t>(pixel, static_cast<std::int64_t>(count)));
}

/// Steps from `first` to `last`, inclusive; empty if `last` is less.
struct Span {
  std::int64_t first = 0, last = -1;
  bool is_empty() const { return first > last; }
  /// Keeps those x for which `slope * x` is within [least, most]. @param slope  Not 0.
  void keep(std::int64_t slope, std::int64_t least, std::int64_t most) {
    if (slope < 0) std::swap(least, most);
    first = std::max(first, ceil_divided(least, slope));
    last = std::min(last, floor_divided(most, slope));
  }
};

/// The points within `radius` of the segment from `a` to `b`: two discs, and a strip between them.
class Capsule {
 public:
  Capsule(Point a, Point b, std::int64_t radius)
      : a_(a), b_(b), along_{b.x - a.x, b.y - a.y}, radius_(radius), length2_(length2_of(along_)) {
    across_ = root_of(Wide{radius} * radius * length2_);
  }

  std::int64_t top() const { return std::min(a_.y, b_.y) - radius_; }
  std::int64_t bottom() const { return std::max(a_.y, b_.y) + radius_; }
  std::int64_t left() const { return std::min(a_.x, b_.x) - radius_; }
  std::int64_t right() const { return std::max(a_.x, b_.x) + radius_; }

  /// Calls `take(span)` for the spans of a horizontal line, which may be empty or adjacent.
  template <typename Take>
  void cross(std::int64_t y, const Take& take) const {
    take(disc(a_, y));
    take(disc(b_, y));
    take(strip(y));
  }

 private:
  Span disc(Point centre, std::int64_t y) const {
    const std::int64_t up = y - centre.y;
    if (std::abs(up) > radius_) return {};
    const std::int64_t half = root_of(radius_ * radius_ - up * up);
    return {centre.x - half, centre.x + half};
  }
  /// Where the nearest point of the segment is neither of its ends.
  Span strip(std::int64_t y) const {
    const std::int64_t up = y - a_.y, dx = along_.x, dy = along_.y;
    Span span = {left() - a_.x, right() - a_.x};
    if (dx != 0)
      span.keep(dx, 1 - up * dy, length2_ - 1 - up * dy);
    else if (up * dy < 1 || up * dy > length2_ - 1)
      return {};
    if (dy != 0)
      span.keep(dy, dx * up - across_, dx * up + across_);
    else if (std::abs(dx * up) > across_)
      return {};
    return {a_.x + span.first, a_.x + span.last};
  }

  Point a_, b_, along_;
  std::int64_t radius_, length2_;
  std::int64_t across_;  // radius times length
};

/// An edge of a polygon, directed from top to bottom, so that polygons sharing it round alike.
class Edge {
 public:
  Edge(Point a, Point b) : top_(a.y <= b.y ? a : b), bottom_(a.y <= b.y ? b : a) {}
  std::int64_t top() const { return top_.y; }
  /// An end point belongs to the edge below it.
  std::int64_t bottom() const { return std::int64_t{bottom_.y} - 1; }
  std::int64_t left() const { return std::min(top_.x, bottom_.x); }
  std::int64_t right() const { return std::max(top_.x, bottom_.x); }
  std::int64_t crossing(std::int64_t y) const {
    return top_.x + floor_divided((y - top_.y) * (bottom_.x - top_.x), bottom_.y - top_.y);
  }

 private:
  Point top_, bottom_;
};

std::vector<Capsule> capsules_of(const Stroke& stroke) {
  std::vector<Capsule> capsules;
  const std::vector<Point>& points = stroke.points;
  if (points.size() == 1) capsules.emplace_back(points[0], points[0], stroke.radius);
  for (std::size_t i = 1; i < points.size(); ++i) capsules.emplace_back(points[i - 1], points[i], stroke.radius);
  return capsules;
}

std::vector<Edge> edges_of(const Stroke& stroke) {
  std::vector<Edge> edges;
  const std::vector<Point>& points = stroke.points;
  for (std::size_t i = 0; i < points.size(); ++i) edges.emplace_back(points[i], points[(i + 1) % points.size()]);
  return edges;
}

/// Rows or columns of pixels whose centres are within a range of steps.
struct PixelRange {
  std::size_t begin, end;
  PixelRange(std::int64_t first, std::int64_t last, std::size_t count)
      : begin(first_at(first, count)), end(std::max(begin, first_at(last + 1, count))) {}
  std::size_t size() const { return end - begin; }
};

struct Box {
  std::int64_t top = INT64_MAX, bottom = INT64_MIN, left = INT64_MAX, right = INT64_MIN;
};

template <typename Part>
Box box_of(const std::vector<Part>& parts) {
  Box box;
  for (const Part& part : parts) {
    box.top = std::min(box.top, part.top());
    box.bottom = std::max(box.bottom, part.bottom());
    box.left = std::min(box.left, part.left());
    box.right = std::max(box.right, part.right());
  }
  return box;
}

/// Calls `row(index, y, parts)` for each row that parts of a stroke reach, with those parts.
template <typename Part, typename Row>
void sweep(const std::vector<Part>& parts, std::size_t num_rows, const Row& row) {
  struct Reach {
    std::size_t begin, end;
    const Part* part;
  };
  std::vector<Reach> coming, here;
  for (const Part& part : parts) {
    const PixelRange rows(part.top(), part.bottom(), num_rows);
    if (rows.size() > 0) coming.push_back({rows.begin, rows.end, &part});
  }
  std::ranges::sort(coming, {}, &Reach::begin);
  std::size_t next = 0;
  for (std::size_t index = coming.empty() ? num_rows : coming[0].begin; index < num_rows; ++index) {
    std::erase_if(here, [&](const Reach& reach) { return reach.end <= index; });
    for (; next < coming.size() && coming[next].begin == index; ++next) here.push_back(coming[next]);
    if (here.empty() && next == coming.size()) return;
    row(index, static_cast<std::int64_t>(index) * kStepsPerPixel + kHalfPixel, here);
  }
}

/// Assigns labels to pixels, depending on their old labels.
class Pen {
 public:
  explicit Pen(const Stroke& stroke) : class_id_(stroke.class_id) {
    if (stroke.protected_classes.empty()) return;
    is_protected_.assign(*std::ranges::max_element(stroke.protected_classes) + std::size_t{1}, false);
    for (const std::uint16_t number : stroke.protected_classes) is_protected_[number] = true;
  }
  void touch(std::uint16_t* labels, std::size_t count) const { touch(labels, count, class_id_); }
  void touch(std::uint16_t* labels, std::size_t count, std::uint16_t class_id) const {
    if (is_protected_.empty()) {
      std::fill_n(labels, count, class_id);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if (labels[i] >= is_protected_.size() || !is_protected_[labels[i]]) labels[i] = class_id;
  }

 private:
  std::uint16_t class_id_;
  std::vector<bool> is_protected_;  // [label]
};

void brush(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  std::vector<PixelRange> spans;
  sweep(capsules_of(stroke), labels.rows(), [&](std::size_t row, std::int64_t y, const auto& here) {
    spans.clear();
    for (const auto& reach : here)
      reach.part->cross(y, [&](const Span& span) {
        if (!span.is_empty()) spans.emplace_back(span.first, span.last, labels.cols());
      });
    std::ranges::sort(spans, {}, &PixelRange::begin);
    std::size_t end = 0;  // end of the painted runs
    for (const PixelRange& span : spans) {
      const std::size_t begin = std::max(span.begin, end);
      if (begin < span.end) pen.touch(&labels(row, begin), span.end - begin);
      end = std::max(end, span.end);
    }
  });
}

void fill_polygon(const Stroke& stroke, const Pen& pen, image::LabelImage& labels) {
  std::vector<std::int64_t> crossings;
  sweep(edges_of(stroke), labels.rows(), [&](std::size_t row, std::int64_t y, const auto& here) {
    crossings.clear();
    for (const auto& reach : here) crossings.push_back(reach.part->crossing(y));
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const PixelRange cols(crossings[i], crossings[i + 1] - 1, labels.cols());
      if (cols.size() > 0) pen.touch(&labels(row, cols.begin), cols.size());
    }
  });
}

/// The cost of spans, and of all pixels around them.
template <typename Part>
std::uint64_t work_of_parts(const std::vector<Part>& parts, std::size_t num_rows, std::size_t num_cols) {
  const Box box = box_of(parts);
  std::uint64_t work =
      PixelRange(box.top, box.bottom, num_rows).size() * PixelRange(box.left, box.right, num_cols).size();
  for (const Part& part : parts) work += kWorkOfSpan * PixelRange(part.top(), part.bottom(), num_rows).size();
  return work;
}

bool is_deleted(std::uint16_t number, const DeletedClasses& deleted) {
  return deleted && number < deleted->size() && (*deleted)[number];
}

void paint_counting(const DrawnStroke& stroke, const DeletedClasses& deleted, image::LabelImage& labels) {
  if (!counts(stroke, deleted)) return;
  if (stroke.tool != Tool::kLabels || !deleted) return paint(stroke, labels);
  Stroke left = stroke;
  left.runs.clear();
  left.run_classes.clear();
  for (std::size_t i = 0; i < stroke.runs.size(); ++i)
    if (!is_deleted(stroke.run_classes[i], deleted)) {
      left.runs.push_back(stroke.runs[i]);
      left.run_classes.push_back(stroke.run_classes[i]);
    }
  paint(left, labels);
}

}  // namespace

std::uint64_t work_of(const Stroke& stroke, std::size_t rows, std::size_t cols) {
  std::uint64_t work = kWorkOfStroke + kWorkOfSpan * stroke.points.size() + kWorkOfRun * stroke.runs.size();
  if (stroke.tool == Tool::kBrush || stroke.tool == Tool::kCut) work += work_of_parts(capsules_of(stroke), rows, cols);
  if (stroke.tool == Tool::kPolygon) work += work_of_parts(edges_of(stroke), rows, cols);
  for (const PixelRun& run : stroke.runs) work += run.count;
  return work;
}

void paint(const Stroke& stroke, image::LabelImage& labels) {
  const Pen pen(stroke);
  switch (stroke.tool) {
    case Tool::kBrush:
      return brush(stroke, pen, labels);
    case Tool::kPolygon:
      return fill_polygon(stroke, pen, labels);
    case Tool::kRegion:
    case Tool::kLabels:
      for (std::size_t r = 0; r < stroke.runs.size(); ++r)
        pen.touch(labels.data() + stroke.runs[r].begin, stroke.runs[r].count,
                  stroke.tool == Tool::kLabels ? stroke.run_classes[r] : stroke.class_id);
      return;
    case Tool::kCut:
      return;
  }
}

bool counts(const DrawnStroke& stroke, const DeletedClasses& deleted) {
  const auto is_gone = [&](std::uint16_t number) { return is_deleted(number, deleted); };
  return !deleted || stroke.classes.empty() || !std::ranges::all_of(stroke.classes, is_gone);
}

void Painting::add(std::shared_ptr<const DrawnStroke> stroke) {
  const std::lock_guard lock(adding_);
  work_left_ += stroke->work;
  waiting_.push_back(std::move(stroke));
}

Painting::Queue Painting::take_waiting() {
  const std::lock_guard lock(adding_);
  return std::exchange(waiting_, {});
}

image::LabelImage Painting::numbers() {
  const std::lock_guard lock(painting_);
  std::ranges::copy(take_waiting(), std::back_inserter(next_));
  while (!next_.empty()) {
    paint_counting(*next_.front(), deleted_, painted_);
    work_left_ -= next_.front()->work;
    next_.pop_front();  // now, because the next stroke may run out of memory
  }
  return painted_;
}

}  // namespace fernwood::teach
