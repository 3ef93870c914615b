// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <functional>
#include <utility>

#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/objects/objects.h"
#include "objects/boxes.h"
#include "objects/object_formulas.h"
#include "objects/pieces.h"
#include "objects/runs.h"
#include "objects/survey.h"

namespace fernwood::objects {

namespace {

/// Copies known depth, and gives unknown depth that of the next known pixel on the left, which is rather the
/// background, or else right.
void fill_row(const std::uint16_t* depth_mm, std::size_t cols, std::uint16_t* known, std::uint16_t* filled) {
  std::uint16_t last = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    known[x] = image::is_known_depth(depth_mm[x]) ? depth_mm[x] : std::uint16_t{0};
    filled[x] = last = known[x] != 0 ? known[x] : last;
  }
  for (std::size_t x = cols; x-- > 0;) filled[x] = last = filled[x] != 0 ? filled[x] : last;
}

/// [cell rows][cell cols] area_at_1_mm()
Array2<float> areas_of_cells(const image::Geometry& geometry, ThreadPool& pool) {
  Array2<float> areas(geometry.facing.rows(), geometry.facing.cols());
  pool.for_each(areas.rows(), [&](std::size_t row, int) {
    for (std::size_t col = 0; col < areas.cols(); ++col)
      areas(row, col) =
          area_at_1_mm(geometry.facing(row, col), geometry.camera, image::cell_middle(static_cast<std::int32_t>(col)),
                       image::cell_middle(static_cast<std::int32_t>(row)));
  });
  return areas;
}

std::int32_t total_sureness(const float* probabilities, const Run& run) {
  std::int32_t total = 0;  // of at most 65535 pixels
  for (std::int32_t pixel = run.begin; pixel < run.end; ++pixel) total += sureness(probabilities[pixel]);
  return total;
}

/// The first pixel of those above, left, right and below for which `is_it(pixel)`, or -1.
template <typename IsIt>
std::int32_t first_neighbour(const PixelView& view, std::int32_t pixel, const IsIt& is_it) {
  const std::int32_t column = pixel % view.cols;
  if (pixel >= view.cols && is_it(pixel - view.cols)) return pixel - view.cols;
  if (column > 0 && is_it(pixel - 1)) return pixel - 1;
  if (column + 1 < view.cols && is_it(pixel + 1)) return pixel + 1;
  if (pixel + view.cols < view.rows * view.cols && is_it(pixel + view.cols)) return pixel + view.cols;
  return -1;
}

/// @throws Error(kData) without depth.
image::Camera camera_of(const image::FrameImages& frame) {
  FW_CHECK(frame.has_depth(), Data, "objects are found by depth, which the frame lacks");
  return scaled(frame.camera.value_or(image::assumed_camera(frame.cols, frame.rows)), frame.cols, frame.rows);
}

Object object_of(std::uint16_t label, const PixelSums& sums, std::int32_t rows, std::int32_t cols,
                 const ResultFrame& frame) {
  Object object;
  object.label = label;
  object.num_pixels = sums.pixels;
  object.left = sums.left;
  object.top = sums.top;
  object.right = sums.right;
  object.bottom = sums.bottom;
  object.touches_border = sums.left == 0 || sums.top == 0 || sums.right + 1 == cols || sums.bottom + 1 == rows;
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
  std::unique_ptr<GpuSurveyor> gpu;  // made when first needed
  Device gpu_device;

  Array2<std::uint16_t> known, filled;         // Depth, mm
  std::vector<float> column_rays;              // [column]
  std::vector<std::vector<Run>> row_runs;      // [row]
  std::vector<std::vector<Contact>> contacts;  // [row] Pairs of runs
  std::vector<std::size_t> first_runs;         // [row], and their number
  std::vector<Run> runs;
  Array2<std::uint32_t> run_of;  // [rows][cols] or kNoRun
  RunSets sets;
  std::vector<PixelSums> sums;          // [run]
  std::vector<std::uint32_t> piece_of;  // [run] or kNoObject

  Survey survey(const image::FrameImages& frame, const image::Camera& camera, const image::LabelImage& labels,
                std::span<const Array2<float>> probabilities, const Array2<std::uint8_t>& cuts, ThreadPool& pool);
  Measured measure(const LevelFrame& level, std::span<const Array2<float>> probabilities,
                   const std::vector<std::uint32_t>& object_of, std::size_t num_objects, ThreadPool& pool) const;
  FrameObjects describe(const image::FrameImages& frame, Survey survey, bool has_probabilities,
                        const std::function<Measured(const MergedPieces&)>& measure) const;

  void find_runs(const PixelView& view, ThreadPool& pool);
  void join_runs(const PixelView& view, ThreadPool& pool);
  void join_cuts(const PixelView& view);
  void find_contacts(const PixelView& view, ThreadPool& pool);
  void sum_runs(const PixelView& view, const LevelFrame& level, const Array2<float>& cell_areas,
                std::span<const Array2<float>> probabilities, ThreadPool& pool);
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
      if (view.labels[begin] >= view.num_classes) continue;
      while (pixel < row_end && continues_run(view, pixel)) ++pixel;
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

/// Joins each pixel of a cut, which is a run of its own, to the nearest joined pixel of its surface, of equally near
/// ones to the first of above, left, right and below.
void ObjectFinder::Work::join_cuts(const PixelView& view) {
  if (view.cuts == nullptr) return;
  std::vector<std::int32_t> waiting, left, joined;
  Array2<std::uint8_t> waits(run_of.rows(), run_of.cols());
  for (std::int32_t pixel = 0; pixel < view.rows * view.cols; ++pixel) {
    if (!is_cut(view, pixel) || !is_of_thing(view, pixel)) continue;
    waiting.push_back(pixel);
    waits.data()[pixel] = 1;
  }
  do {  // one pixel farther into the cut each time
    left.clear();
    joined.clear();
    for (const std::int32_t pixel : waiting) {
      const std::int32_t other = first_neighbour(view, pixel, [&](std::int32_t near) {
        return waits.data()[near] == 0 && view.labels[near] == view.labels[pixel] &&
               is_one_surface(view.depth_mm[near], view.depth_mm[pixel]);
      });
      if (other < 0) {
        left.push_back(pixel);
        continue;
      }
      sets.unite(run_of.data()[pixel], run_of.data()[other]);
      joined.push_back(pixel);
    }
    for (const std::int32_t pixel : joined) waits.data()[pixel] = 0;
    waiting.swap(left);
  } while (!joined.empty());
}

void ObjectFinder::Work::find_contacts(const PixelView& view, ThreadPool& pool) {
  contacts.resize(row_runs.size());
  pool.for_each(row_runs.size(), [&](std::size_t y, int) {
    std::vector<Contact>& of_row = contacts[y];
    of_row.clear();
    const auto touch = [&](std::int32_t a, std::int32_t b) {
      if (!is_of_thing(view, a) || !is_of_thing(view, b) || !is_one_surface(view.depth_mm[a], view.depth_mm[b])) return;
      if (is_cut(view, a) || is_cut(view, b)) return;
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

Survey ObjectFinder::Work::survey(const image::FrameImages& frame, const image::Camera& camera,
                                  const image::LabelImage& labels, std::span<const Array2<float>> probabilities,
                                  const Array2<std::uint8_t>& cuts, ThreadPool& pool) {
  if (filled.rows() != frame.rows || filled.cols() != frame.cols)
    known = filled = Array2<std::uint16_t>(frame.rows, frame.cols);
  pool.for_each(frame.rows, [&](std::size_t y, int) {
    fill_row(frame.depth_mm + y * frame.cols, frame.cols, known.row(y), filled.row(y));
  });
  column_rays.resize(frame.cols);
  for (std::size_t x = 0; x < frame.cols; ++x) column_rays[x] = image::ray(static_cast<float>(x), camera.cx, camera.fx);
  const image::Geometry geometry = image::measure_geometry(known, camera, frame.up, &pool, kNormalRadius);
  const PixelView view = {labels.data(),
                          filled.data(),
                          is_thing.data(),
                          static_cast<std::int32_t>(labels.rows()),
                          static_cast<std::int32_t>(labels.cols()),
                          static_cast<std::uint16_t>(is_thing.size()),
                          reach_mm_px(options.gap_m, camera),
                          cuts.empty() ? nullptr : cuts.data()};
  Survey found = {level_frame(camera, geometry.orientation.up), {}, {}, std::vector<PixelSums>(is_thing.size())};
  find_runs(view, pool);
  join_runs(view, pool);
  join_cuts(view);
  find_contacts(view, pool);
  sum_runs(view, found.level, areas_of_cells(geometry, pool), probabilities, pool);
  piece_of.assign(runs.size(), kNoObject);
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    const std::uint16_t label = labels.data()[runs[i].begin];
    if (is_thing[label] == 0) {
      found.of_stuff[label].add(sums[i]);
      continue;
    }
    if (const std::uint32_t first = sets.first_of(i); first != i) {
      piece_of[i] = piece_of[first];
    } else {
      piece_of[i] = static_cast<std::uint32_t>(found.pieces.size());
      found.pieces.push_back({label});
    }
    found.pieces[piece_of[i]].sums.add(sums[i]);
  }
  for (std::int32_t pixel = 0; view.cuts != nullptr && pixel < view.rows * view.cols; ++pixel) {
    if (!is_cut(view, pixel)) continue;
    first_neighbour(view, pixel, [&](std::int32_t near) {
      if (is_of_thing(view, near)) found.pieces[piece_of[run_of.data()[near]]].is_cut = true;
      return false;
    });
  }
  for (const std::vector<Contact>& of_row : contacts)
    for (const auto& [a, b] : of_row) found.contacts.emplace_back(piece_of[a], piece_of[b]);
  return found;
}

Measured ObjectFinder::Work::measure(const LevelFrame& level, std::span<const Array2<float>> probabilities,
                                     const std::vector<std::uint32_t>& object_of, std::size_t num_objects,
                                     ThreadPool& pool) const {
  const std::size_t cols = run_of.cols();
  Measured found = {image::InstanceImage(run_of.rows(), cols, image::kNoInstance),
                    std::vector<ObjectSums>(num_objects, ObjectSums(probabilities.size()))};
  std::vector<std::vector<ObjectSums>> of_worker(static_cast<std::size_t>(pool.num_threads()));
  pool.for_each(run_of.rows(), [&](std::size_t y, int worker) {
    std::vector<ObjectSums>& measured = of_worker[static_cast<std::size_t>(worker)];
    measured.resize(num_objects, ObjectSums(probabilities.size()));
    const auto row_begin = static_cast<std::int32_t>(y * cols);
    const float v = image::ray(static_cast<float>(y), level.camera.cy, level.camera.fy);
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      if (piece_of[i] == kNoObject || object_of[piece_of[i]] == kNoObject) continue;
      const Run& run = runs[i];
      const std::uint32_t object = object_of[piece_of[i]];
      std::fill(found.numbers.data() + run.begin, found.numbers.data() + run.end,
                static_cast<std::uint16_t>(object + 1));
      for (std::size_t c = 0; c < probabilities.size(); ++c)
        measured[object].sureness[c] += total_sureness(probabilities[c].data(), run);
      if (y % kPixelsApart != 0) continue;
      ObjectSums& of_object = measured[object];
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
  for (const std::vector<ObjectSums>& measured : of_worker)
    for (std::size_t i = 0; i < measured.size(); ++i) found.sums[i].add(measured[i]);
  for (ObjectSums& sums : found.sums) sums.round();
  return found;
}

FrameObjects ObjectFinder::Work::describe(const image::FrameImages& frame, Survey survey, bool has_probabilities,
                                          const std::function<Measured(const MergedPieces&)>& measure) const {
  const ResultFrame results = {survey.level, frame.pose};
  const MergedPieces merged =
      merge_pieces(std::move(survey.pieces), std::move(survey.contacts), has_probabilities, options);
  Measured measured = measure(merged);
  FrameObjects found;
  found.numbers = std::move(measured.numbers);
  const auto rows = static_cast<std::int32_t>(frame.rows), cols = static_cast<std::int32_t>(frame.cols);
  for (std::size_t i = 0; i < merged.objects.size(); ++i) {
    const std::uint16_t label = merged.objects[i].label;
    const PixelSums& sums = merged.objects[i].sums;
    Object& object = found.objects.emplace_back(object_of(label, sums, rows, cols, results));
    object.number = static_cast<std::uint16_t>(i + 1);
    for (const std::int64_t sure : measured.sums[i].sureness)
      object.probabilities.push_back(
          static_cast<float>(static_cast<double>(sure) / (static_cast<double>(kSureUnits) * sums.pixels)));
    if (has_probabilities) object.confidence = object.probabilities[label];
    if (measured.sums[i].has_points()) object.box = box_of(sums, measured.sums[i], directions, results);
  }
  for (std::size_t c = 0; c < survey.of_stuff.size(); ++c)
    if (survey.of_stuff[c].pixels > 0)
      found.stuff.push_back(object_of(static_cast<std::uint16_t>(c), survey.of_stuff[c], rows, cols, results));
  return found;
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
                                std::span<const Array2<float>> probabilities, ThreadPool& pool,
                                const Array2<std::uint8_t>& cuts) {
  const DefaultFloats floats;
  FW_CHECK(labels.rows() == frame.rows && labels.cols() == frame.cols, Data,
           "the labels have " << labels.cols() << " x " << labels.rows() << " pixels, the frame has " << frame.cols
                              << " x " << frame.rows);
  FW_CHECK(cuts.empty() || (cuts.rows() == frame.rows && cuts.cols() == frame.cols), Data,
           "the cuts have " << cuts.cols() << " x " << cuts.rows() << " pixels, the frame has " << frame.cols << " x "
                            << frame.rows);
  if (frame.has_depth() && !frame.is_plain()) {
    const image::Frame copied = image::copy_of(frame, &pool);
    image::FrameImages plain(copied);
    plain.pose = frame.pose;
    return find(plain, labels, probabilities, pool, cuts);
  }
  Survey survey = work_->survey(frame, camera_of(frame), labels, probabilities, cuts, pool);
  const LevelFrame level = survey.level;
  return work_->describe(frame, std::move(survey), !probabilities.empty(), [&](const MergedPieces& merged) {
    return work_->measure(level, probabilities, merged.object_of, merged.objects.size(), pool);
  });
}

FrameObjects ObjectFinder::find_on_gpu(const image::FrameImages& frame, const LabelsOnGpu& labels, Device gpu,
                                       void* stream) {
  const DefaultFloats floats;
  if (!work_->gpu || gpu != work_->gpu_device) {
    work_->gpu = make_gpu_surveyor(work_->is_thing, work_->options.gap_m, gpu.gpu);
    work_->gpu_device = gpu;
  }
  Survey survey = work_->gpu->survey(frame, camera_of(frame), labels.labels, labels.probabilities, stream);
  return work_->describe(frame, std::move(survey), labels.probabilities != nullptr, [&](const MergedPieces& merged) {
    return work_->gpu->measure(merged.object_of, merged.objects.size());
  });
}

#if !FERNWOOD_HAS_CUDA
std::unique_ptr<GpuSurveyor> make_gpu_surveyor(const std::vector<std::uint8_t>&, double, int) {
  throw Error(ErrorKind::kDevice, gpu_status().problem);
}
#endif

}  // namespace fernwood::objects
