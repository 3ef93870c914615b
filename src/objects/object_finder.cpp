// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/objects/objects.h"
#include "objects/boxes.h"
#include "objects/object_formulas.h"
#include "objects/pieces.h"
#include "objects/runs.h"

namespace fernwood::objects {

namespace {

/// Gives unknown depth that of the next known pixel on the left, else right.
void fill_row(const std::uint16_t* known, std::size_t cols, std::uint16_t* filled) {
  std::size_t x = 0;
  while (x < cols && known[x] == 0) ++x;
  std::uint16_t last = x < cols ? known[x] : std::uint16_t{0};
  for (std::size_t i = 0; i < cols; ++i) filled[i] = last = known[i] != 0 ? known[i] : last;
}

/// [cell rows][cell cols] area_at_1_mm()
Array2<float> areas_of_cells(const image::Surfaces& surfaces, const image::Camera& camera, ThreadPool& pool) {
  Array2<float> areas(surfaces.normals.rows(), surfaces.normals.cols());
  pool.for_each(areas.rows(), [&](std::size_t row, int) {
    for (std::size_t col = 0; col < areas.cols(); ++col)
      areas(row, col) =
          area_at_1_mm(surfaces.normals(row, col), camera, image::cell_middle(static_cast<std::int32_t>(col)),
                       image::cell_middle(static_cast<std::int32_t>(row)));
  });
  return areas;
}

std::int32_t total_sureness(const float* probabilities, const Run& run) {
  std::int32_t total = 0;  // of at most 65535 pixels
  for (std::int32_t pixel = run.begin; pixel < run.end; ++pixel) total += sureness(probabilities[pixel]);
  return total;
}

Object object_of(std::uint16_t label, const PixelSums& sums, const PixelView& view, const ResultFrame& frame) {
  Object object;
  object.label = label;
  object.num_pixels = sums.pixels;
  object.left = sums.left;
  object.top = sums.top;
  object.right = sums.right;
  object.bottom = sums.bottom;
  object.touches_border =
      sums.left == 0 || sums.top == 0 || sums.right + 1 == view.cols || sums.bottom + 1 == view.rows;
  if (sums.known == 0) return object;
  const double count = sums.known;
  object.area_m2 = static_cast<float>(static_cast<double>(sums.area) / (1e6 * static_cast<double>(kAreaUnits)));
  object.distance_m = static_cast<float>(sums.nearest) / 1000;
  object.place = frame.place(static_cast<double>(sums.across) / count, static_cast<double>(sums.forward) / count,
                             static_cast<double>(sums.up) / count);
  return object;
}

}  // namespace

struct ObjectFinder::Work {
  ObjectOptions options;
  std::vector<std::uint8_t> is_thing;  // [class]
  Directions directions;

  Array2<std::uint16_t> known, filled;         // Depth, mm
  std::vector<float> column_rays;              // [column]
  std::vector<std::vector<Run>> row_runs;      // [row]
  std::vector<std::vector<Contact>> contacts;  // [row] Pairs of runs
  std::vector<std::size_t> first_runs;         // [row], and their number
  std::vector<Run> runs;
  Array2<std::uint32_t> run_of;  // [rows][cols] or kNoRun
  RunSets sets;
  std::vector<PixelSums> sums;         // [run]
  std::vector<std::uint32_t> objects;  // [run] or kNoObject

  void find_runs(const PixelView& view, ThreadPool& pool);
  void join_runs(const PixelView& view, ThreadPool& pool);
  void find_contacts(const PixelView& view, ThreadPool& pool);
  void sum_runs(const PixelView& view, const LevelFrame& level, const Array2<float>& cell_areas,
                std::span<const Array2<float>> probabilities, ThreadPool& pool);
  std::vector<ObjectSums> measure(const PixelView& view, const LevelFrame& level,
                                  std::span<const Array2<float>> probabilities, std::size_t num_objects,
                                  ThreadPool& pool) const;
};

void ObjectFinder::Work::find_runs(const PixelView& view, ThreadPool& pool) {
  const auto rows = static_cast<std::size_t>(view.rows), cols = static_cast<std::size_t>(view.cols);
  row_runs.resize(rows);
  if (run_of.rows() != rows || run_of.cols() != cols) run_of = Array2<std::uint32_t>(rows, cols);
  pool.for_each(rows, [&](std::size_t y, int) {
    std::vector<Run>& of_row = row_runs[y];
    of_row.clear();
    const auto row_begin = static_cast<std::int32_t>(y) * view.cols, row_end = row_begin + view.cols;
    for (std::int32_t pixel = row_begin; pixel < row_end;) {
      const std::int32_t begin = pixel++;
      const std::uint16_t label = view.labels[begin];
      if (label >= view.num_classes) continue;
      const bool is_stuff = view.is_thing[label] == 0;
      while (pixel < row_end && view.labels[pixel] == label &&
             (is_stuff || is_one_surface(view.depth_mm[pixel - 1], view.depth_mm[pixel])))
        ++pixel;
      of_row.push_back({begin, pixel});
    }
  });
  first_runs.assign(1, 0);
  for (const std::vector<Run>& of_row : row_runs) first_runs.push_back(first_runs.back() + of_row.size());
  runs.resize(first_runs.back());
  pool.for_each(rows, [&](std::size_t y, int) {
    std::fill_n(run_of.row(y), cols, kNoRun);
    std::size_t i = first_runs[y];
    for (const Run& run : row_runs[y]) {
      std::fill(run_of.data() + run.begin, run_of.data() + run.end, static_cast<std::uint32_t>(i));
      runs[i++] = run;
    }
  });
}

void ObjectFinder::Work::join_runs(const PixelView& view, ThreadPool& pool) {
  sets.reset(runs.size());
  pool.for_each(row_runs.size(), [&](std::size_t y, int) {
    const auto row_end = static_cast<std::int32_t>(y + 1) * view.cols;
    const auto rows_below = view.rows - 1 - static_cast<std::int32_t>(y);
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      const Run& run = runs[i];
      if (!is_of_thing(view, run.begin)) continue;
      std::uint32_t last = kNoRun;
      const auto unite = [&](std::int32_t other) {
        if (other < 0 || run_of.data()[other] == last) return;
        last = run_of.data()[other];
        sets.unite(static_cast<std::uint32_t>(i), last);
      };
      unite(joined_pixel(view, run.end - 1, 1, row_end - run.end));
      for (std::int32_t pixel = run.begin; pixel < run.end; ++pixel)
        unite(joined_pixel(view, pixel, view.cols, rows_below));
    }
  });
}

void ObjectFinder::Work::find_contacts(const PixelView& view, ThreadPool& pool) {
  contacts.resize(row_runs.size());
  pool.for_each(row_runs.size(), [&](std::size_t y, int) {
    std::vector<Contact>& of_row = contacts[y];
    of_row.clear();
    const auto touch = [&](std::int32_t a, std::int32_t b) {
      if (!is_of_thing(view, a) || !is_of_thing(view, b) || !is_one_surface(view.depth_mm[a], view.depth_mm[b])) return;
      const std::uint32_t first_a = sets.first_of(run_of.data()[a]), first_b = sets.first_of(run_of.data()[b]);
      if (first_a == first_b) return;
      of_row.push_back({first_a, first_b});
      of_row.push_back({first_b, first_a});
    };
    const auto row_end = static_cast<std::int32_t>(y + 1) * view.cols;
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      if (runs[i].end < row_end) touch(runs[i].end - 1, runs[i].end);
      if (row_end == view.rows * view.cols || !is_of_thing(view, runs[i].begin)) continue;
      for (std::int32_t pixel = runs[i].begin; pixel < runs[i].end; ++pixel)
        if (view.labels[pixel] != view.labels[pixel + view.cols]) touch(pixel, pixel + view.cols);
    }
  });
}

void ObjectFinder::Work::sum_runs(const PixelView& view, const LevelFrame& level, const Array2<float>& cell_areas,
                                  std::span<const Array2<float>> probabilities, ThreadPool& pool) {
  sums.assign(runs.size(), PixelSums());
  pool.for_each(row_runs.size(), [&](std::size_t y, int) {
    const auto row = static_cast<std::int32_t>(y), row_begin = row * view.cols;
    const float v = image::ray(static_cast<float>(y), level.camera.cy, level.camera.fy);
    // Vector loops over the row, then over each run.
    const std::size_t cols = known.cols();
    std::vector<float> areas(cols);
    for (std::size_t x = 0; x < cols; ++x) areas[x] = cell_areas(y / image::kCellSize, x / image::kCellSize);
    std::vector<std::int32_t> measures(5 * cols);
    std::int32_t *const across = measures.data(), *const forward = across + cols, *const up = forward + cols,
                        *const area = up + cols, *const distance = area + cols;
    for (std::size_t x = 0; x < cols; ++x) {
      const float depth = known(y, x);
      const LevelPoint point = level_point(level, column_rays[x], v, depth);
      across[x] = round_to_int(point.across);
      forward[x] = round_to_int(point.forward);
      up[x] = round_to_int(point.up);
      area[x] = pixel_area(areas[x], depth);
      distance[x] = round_to_int(distance_mm(column_rays[x], v, depth));
    }
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      const Run& run = runs[i];
      PixelSums& sum = sums[i];
      sum.pixels = static_cast<std::uint32_t>(run.end - run.begin);
      sum.left = run.begin - row_begin;
      sum.right = run.end - 1 - row_begin;
      sum.top = sum.bottom = row;
      if (!probabilities.empty() && is_of_thing(view, run.begin))
        sum.sureness = total_sureness(probabilities[view.labels[run.begin]].data(), run);
      const auto first = static_cast<std::size_t>(sum.left), end = first + sum.pixels;
      std::int32_t num_known = 0, totals[4] = {}, nearest = PixelSums::kFar;  // of at most 65535 pixels
      for (std::size_t x = first; x < end; ++x) {
        const bool is_known = distance[x] > 0;
        num_known += is_known;
        totals[0] += across[x];
        totals[1] += forward[x];
        totals[2] += up[x];
        totals[3] += area[x];
        nearest = is_known && distance[x] < nearest ? distance[x] : nearest;
      }
      sum.known = static_cast<std::uint32_t>(num_known);
      sum.across = totals[0];
      sum.forward = totals[1];
      sum.up = totals[2];
      sum.area = totals[3];
      sum.nearest = nearest;
      if (!is_of_thing(view, run.begin)) continue;
      for (std::size_t x = first; x < end; ++x) {
        if (distance[x] == 0) continue;
        const WholePoint point = {across[x], forward[x], up[x]};
        sum.lowest = lower(sum.lowest, point);
        sum.highest = higher(sum.highest, point);
      }
    }
  });
}

std::vector<ObjectSums> ObjectFinder::Work::measure(const PixelView& view, const LevelFrame& level,
                                                    std::span<const Array2<float>> probabilities,
                                                    std::size_t num_objects, ThreadPool& pool) const {
  std::vector<std::vector<ObjectSums>> of_worker(static_cast<std::size_t>(pool.num_threads()));
  pool.for_each(row_runs.size(), [&](std::size_t y, int worker) {
    std::vector<ObjectSums>& measured = of_worker[static_cast<std::size_t>(worker)];
    measured.resize(num_objects, ObjectSums(probabilities.size()));
    const std::int32_t row_begin = static_cast<std::int32_t>(y) * view.cols;
    const float v = image::ray(static_cast<float>(y), level.camera.cy, level.camera.fy);
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      if (objects[i] == kNoObject) continue;
      const Run& run = runs[i];
      ObjectSums& of_object = measured[objects[i]];
      for (std::size_t c = 0; c < probabilities.size(); ++c)
        of_object.sureness[c] += total_sureness(probabilities[c].data(), run);
      if (y % kPixelsApart != 0) continue;
      for (std::int32_t pixel = run.begin; pixel < run.end; pixel += kPixelsApart) {
        const float depth = known.data()[pixel];
        if (!(depth > 0)) continue;
        const LevelPoint point = level_point(level, column_rays[static_cast<std::size_t>(pixel - row_begin)], v, depth);
        for (std::size_t k = 0; k < kDirections; ++k) {
          const float along = along_direction(point, directions.across[k], directions.forward[k]);
          of_object.lowest[k] = std::min(of_object.lowest[k], along);
          of_object.highest[k] = std::max(of_object.highest[k], along);
        }
      }
    }
  });
  std::vector<ObjectSums> all(num_objects, ObjectSums(probabilities.size()));
  for (const std::vector<ObjectSums>& measured : of_worker)
    for (std::size_t i = 0; i < measured.size(); ++i) all[i].add(measured[i]);
  return all;
}

ObjectFinder::ObjectFinder(const image::ClassMap& classes, const ObjectOptions& options)
    : work_(std::make_unique<Work>()) {
  options.check();
  std::vector<image::ClassInfo> infos = classes.classes;
  if (!options.things.empty()) image::state_things(options.things, infos);
  work_->options = options;
  for (const image::ClassInfo& info : infos) work_->is_thing.push_back(info.is_thing());
}

ObjectFinder::~ObjectFinder() = default;

FrameObjects ObjectFinder::find(const image::FrameImages& frame, const image::LabelImage& labels,
                                std::span<const Array2<float>> probabilities, ThreadPool& pool) {
  const DefaultFloats floats;
  FW_CHECK(frame.has_depth(), Data, "objects are found by depth, which the frame lacks");
  FW_CHECK(labels.rows() == frame.rows && labels.cols() == frame.cols, Data,
           "the labels have " << labels.cols() << " x " << labels.rows() << " pixels, the frame has " << frame.cols
                              << " x " << frame.rows);
  Work& work = *work_;
  const image::Camera camera =
      scaled(frame.camera.value_or(image::assumed_camera(frame.cols, frame.rows)), frame.cols, frame.rows);
  work.known = filled_depth(frame, image::DepthFilling::kNone);
  work.column_rays.resize(frame.cols);
  for (std::size_t x = 0; x < frame.cols; ++x)
    work.column_rays[x] = image::ray(static_cast<float>(x), camera.cx, camera.fx);
  work.filled = Array2<std::uint16_t>(frame.rows, frame.cols);
  pool.for_each(frame.rows, [&](std::size_t y, int) { fill_row(work.known.row(y), frame.cols, work.filled.row(y)); });
  const image::Surfaces surfaces = image::find_surfaces(work.known, camera, &pool, 1);
  const ResultFrame results = {level_frame(camera, image::find_up(surfaces, frame.up)), frame.pose};
  const PixelView view = {labels.data(),
                          work.filled.data(),
                          work.is_thing.data(),
                          static_cast<std::int32_t>(labels.rows()),
                          static_cast<std::int32_t>(labels.cols()),
                          static_cast<std::uint16_t>(work.is_thing.size()),
                          static_cast<std::int32_t>(1000 * work.options.gap_m * static_cast<double>(camera.fx))};
  work.find_runs(view, pool);
  work.join_runs(view, pool);
  work.find_contacts(view, pool);
  work.sum_runs(view, results.level, areas_of_cells(surfaces, camera, pool), probabilities, pool);

  std::vector<PixelSums> of_stuff(work.is_thing.size());
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> piece_of(work.runs.size(), kNoObject);  // [run]
  for (std::uint32_t i = 0; i < work.runs.size(); ++i) {
    const std::uint16_t label = labels.data()[work.runs[i].begin];
    if (work.is_thing[label] == 0) {
      of_stuff[label].add(work.sums[i]);
      continue;
    }
    if (const std::uint32_t first = work.sets.first_of(i); first != i) {
      piece_of[i] = piece_of[first];
    } else {
      piece_of[i] = static_cast<std::uint32_t>(pieces.size());
      pieces.push_back({label});
    }
    pieces[piece_of[i]].sums.add(work.sums[i]);
  }
  std::vector<Contact> contacts;
  for (const std::vector<Contact>& of_row : work.contacts)
    for (const auto& [a, b] : of_row) contacts.emplace_back(piece_of[a], piece_of[b]);
  const MergedPieces merged =
      merge_pieces(std::move(pieces), std::move(contacts), !probabilities.empty(), work.options);

  FrameObjects found;
  found.numbers = image::InstanceImage(labels.rows(), labels.cols(), image::kNoInstance);
  work.objects.assign(work.runs.size(), kNoObject);
  for (std::size_t i = 0; i < work.runs.size(); ++i) {
    if (piece_of[i] == kNoObject || merged.object_of[piece_of[i]] == kNoObject) continue;
    work.objects[i] = merged.object_of[piece_of[i]];
    std::fill(found.numbers.data() + work.runs[i].begin, found.numbers.data() + work.runs[i].end,
              static_cast<std::uint16_t>(work.objects[i] + 1));
  }
  const std::vector<ObjectSums> measured =
      work.measure(view, results.level, probabilities, merged.objects.size(), pool);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto& [label, sums] = merged.objects[i];
    Object& object = found.objects.emplace_back(object_of(label, sums, view, results));
    object.number = static_cast<std::uint16_t>(i + 1);
    for (const std::int64_t sure : measured[i].sureness)
      object.probabilities.push_back(
          static_cast<float>(static_cast<double>(sure) / (static_cast<double>(kSureUnits) * sums.pixels)));
    if (!probabilities.empty()) object.confidence = object.probabilities[label];
    if (sums.known > 0) object.box = box_of(sums, measured[i], work.directions, results);
  }
  for (std::uint16_t c = 0; c < of_stuff.size(); ++c)
    if (of_stuff[c].pixels > 0) found.stuff.push_back(object_of(c, of_stuff[c], view, results));
  return found;
}

}  // namespace fernwood::objects
