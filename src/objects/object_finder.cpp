// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "core/isa.h"
#include "fernwood/core/default_floats.h"
#include "fernwood/core/error.h"
#include "fernwood/objects/objects.h"
#include "objects/boxes.h"
#include "objects/object_formulas.h"
#include "objects/object_kernels.h"
#include "objects/pieces.h"
#include "objects/survey.h"

namespace fernwood::objects {

FW_ISA_TABLES(ObjectKernels, object_kernels_table)

constexpr std::uint32_t kNoRun = 0xffffffff;

/// Pixels of a row and class that are joined to their right neighbours.
struct Run {
  std::int32_t begin, end;
};

/// Disjoint sets of runs, represented by the first of each. May be used from many threads.
class RunSets {
 public:
  void reset(std::size_t count) {
    parents_ = std::vector<std::atomic<std::uint32_t>>(count);
    for (std::size_t i = 0; i < count; ++i) parents_[i].store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
  }
  std::uint32_t first_of(std::uint32_t run) const {
    for (std::uint32_t parent; (parent = parents_[run].load(std::memory_order_relaxed)) != run; run = parent) {
    }
    return run;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    while ((a = first_of(a)) != (b = first_of(b))) {
      if (a > b) std::swap(a, b);
      std::uint32_t expected = b;
      if (parents_[b].compare_exchange_strong(expected, a, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::vector<std::atomic<std::uint32_t>> parents_;
};

namespace {

/// Copies known depth, and gives unknown depth that of the next known pixel on the left, which is rather the
/// background, or else right.
void fill_row(const std::uint16_t* depth_mm, std::size_t cols, std::uint16_t* known, std::uint16_t* filled) {
  std::uint16_t last = 0;
  for (std::size_t x = 0; x < cols; ++x) {
    known[x] = image::is_known_depth(depth_mm[x]) ? depth_mm[x] : std::uint16_t{0};
    filled[x] = last = known[x] != 0 ? known[x] : last;
  }
  std::uint16_t* const first = std::find_if(filled, filled + cols, [](std::uint16_t depth) { return depth != 0; });
  if (first != filled + cols) std::fill(filled, first, *first);
}

/// [cell row][column] area_at_1_mm()
Array2<float> areas_of_cells(const image::Geometry& geometry, std::size_t cols, ThreadPool& pool) {
  Array2<float> areas(geometry.facing.rows(), cols);
  pool.for_each(areas.rows(), [&](std::size_t row, int) {
    for (std::size_t first = 0; first < cols; first += image::kCellSize) {
      const std::size_t col = first / image::kCellSize;
      std::fill(
          areas.row(row) + first, areas.row(row) + std::min(first + image::kCellSize, cols),
          area_at_1_mm(geometry.facing(row, col), geometry.camera, image::cell_middle(static_cast<std::int32_t>(col)),
                       image::cell_middle(static_cast<std::int32_t>(row))));
    }
  });
  return areas;
}

const ObjectKernels& kernels() {
  static const ObjectKernels& chosen = object_kernels_table_of(available_isas().back());
  return chosen;
}

std::int32_t total_sureness(const float* probabilities, const Run& run) {
  return kernels().total_sureness(probabilities + run.begin, static_cast<std::size_t>(run.end - run.begin));
}

/// Removes what links pixels to their neighbours where one of both is cut.
void cut_links(const PixelView& view, std::int32_t first, std::int32_t stride, std::int32_t count,
               std::uint8_t* links) {
  for (std::int32_t i = 0; view.cuts != nullptr && i < count; ++i)
    if (is_cut(view, first + i) || is_cut(view, first + i + stride)) links[i] &= kSameLabel;
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
                 const LevelFrame& level) {
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
  object.place = place_of(level, static_cast<double>(sums.across) / count, static_cast<double>(sums.forward) / count,
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
  Array2<std::uint32_t> run_of;                   // [rows][cols] or kNoRun
  Array2<std::uint8_t> links_right, links_below;  // [rows][cols]
  RunSets sets;
  std::vector<std::int32_t> row_measures;  // [thread] Of RowMeasures.
  std::vector<PixelSums> sums;             // [run]
  std::vector<std::uint32_t> piece_of;     // [run] or kNoObject

  Survey survey(const image::FrameImages& frame, const image::Camera& camera, const image::LabelImage& labels,
                std::span<const Array2<float>> probabilities, const Array2<std::uint8_t>& cuts, ThreadPool& pool);
  Measured measure(const LevelFrame& level, std::span<const Array2<float>> probabilities,
                   const std::vector<std::uint32_t>& object_of, std::size_t num_objects, ThreadPool& pool) const;
  FrameObjects describe(const image::FrameImages& frame, Survey survey, bool has_probabilities,
                        const std::function<Measured(const MergedPieces&)>& measure) const;

  RowOfDepth row_of_depth(const LevelFrame& level, std::size_t y) const {
    return {level, known.row(y), column_rays.data(),
            image::ray(static_cast<float>(y), level.camera.cy, level.camera.fy)};
  }
  void find_runs(const PixelView& view, ThreadPool& pool);
  void join_runs(const PixelView& view, ThreadPool& pool);
  void join_cuts(const PixelView& view);
  void find_contacts(const PixelView& view, ThreadPool& pool);
  void sum_runs(const PixelView& view, const LevelFrame& level, const Array2<float>& pixel_areas,
                std::span<const Array2<float>> probabilities, ThreadPool& pool);
};

void ObjectFinder::Work::find_runs(const PixelView& view, ThreadPool& pool) {
  const auto rows = static_cast<std::size_t>(view.rows), cols = static_cast<std::size_t>(view.cols);
  row_runs.resize(rows);
  if (run_of.rows() != rows || run_of.cols() != cols) {
    run_of = Array2<std::uint32_t>(rows, cols);
    links_right = links_below = Array2<std::uint8_t>(rows, cols);
  }
  pool.for_each(rows, [&](std::size_t y, int) {
    std::vector<Run>& of_row = row_runs[y];
    of_row.clear();
    const auto row_begin = static_cast<std::int32_t>(y) * view.cols, row_end = row_begin + view.cols;
    std::uint8_t* const to_right = links_right.row(y);
    kernels().link(view.labels + row_begin, view.depth_mm + row_begin, view.labels + row_begin + 1,
                   view.depth_mm + row_begin + 1, cols - 1, to_right);
    cut_links(view, row_begin, 1, view.cols - 1, to_right);
    for (std::int32_t pixel = row_begin; pixel < row_end;) {
      const std::int32_t begin = pixel++;
      if (view.labels[begin] >= view.num_classes) continue;
      const bool is_thing_here = is_of_thing(view, begin);
      while (pixel < row_end && continues_run(to_right[pixel - 1 - row_begin], is_thing_here)) ++pixel;
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
    const auto rows_below = view.rows - 1 - static_cast<std::int32_t>(y), row_begin = row_end - view.cols;
    std::uint8_t* const below = links_below.row(y);
    if (rows_below > 0) {
      kernels().link(view.labels + row_begin, view.depth_mm + row_begin, view.labels + row_end, view.depth_mm + row_end,
                     run_of.cols(), below);
      cut_links(view, row_begin, view.cols, view.cols, below);
    }
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
        unite(below[pixel - row_begin] == kJoined ? pixel + view.cols
                                                  : joined_pixel(view, pixel, view.cols, rows_below));
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

void ObjectFinder::Work::sum_runs(const PixelView& view, const LevelFrame& level, const Array2<float>& pixel_areas,
                                  std::span<const Array2<float>> probabilities, ThreadPool& pool) {
  sums.assign(runs.size(), PixelSums());
  const std::size_t cols = known.cols();
  const std::size_t room = cols + kLanes;
  row_measures.resize(static_cast<std::size_t>(pool.num_threads()) * 5 * room);
  pool.for_each(row_runs.size(), [&](std::size_t y, int worker) {
    const auto row = static_cast<std::int32_t>(y), row_begin = row * view.cols;
    std::int32_t* const buffer = row_measures.data() + static_cast<std::size_t>(worker) * 5 * room;
    const RowMeasures measures = {buffer, buffer + room, buffer + 2 * room, buffer + 3 * room, buffer + 4 * room};
    kernels().measure_row(row_of_depth(level, y), pixel_areas.row(y / image::kCellSize), cols, measures);
    for (std::size_t i = first_runs[y]; i < first_runs[y + 1]; ++i) {
      const Run& run = runs[i];
      PixelSums& sum = sums[i];
      sum.pixels = static_cast<std::uint32_t>(run.end - run.begin);
      sum.left = run.begin - row_begin;
      sum.right = run.end - 1 - row_begin;
      sum.top = sum.bottom = row;
      if (!probabilities.empty() && is_of_thing(view, run.begin))
        sum.sureness = total_sureness(probabilities[view.labels[run.begin]].data(), run);
      const auto first = static_cast<std::size_t>(sum.left);
      const RunSums of_run = kernels().sum_run(measures, first, first + sum.pixels);
      sum.known = static_cast<std::uint32_t>(of_run.known);
      sum.across = of_run.across;
      sum.forward = of_run.forward;
      sum.up = of_run.up;
      sum.area = of_run.area;
      sum.nearest = of_run.nearest;
      sum.lowest = {of_run.lowest[0], of_run.lowest[1], of_run.lowest[2]};
      sum.highest = {of_run.highest[0], of_run.highest[1], of_run.highest[2]};
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
  sum_runs(view, found.level, areas_of_cells(geometry, frame.cols, pool), probabilities, pool);
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
    const RowOfDepth row = row_of_depth(level, y);
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
      kernels().widen(row, static_cast<std::size_t>(run.begin - row_begin),
                      static_cast<std::size_t>(run.end - row_begin), directions.across.data(),
                      directions.forward.data(), of_object.lowest.data(), of_object.highest.data());
    }
  });
  for (const std::vector<ObjectSums>& measured : of_worker)
    for (std::size_t i = 0; i < measured.size(); ++i) found.sums[i].add(measured[i]);
  for (ObjectSums& sums : found.sums) sums.round();
  return found;
}

FrameObjects ObjectFinder::Work::describe(const image::FrameImages& frame, Survey survey, bool has_probabilities,
                                          const std::function<Measured(const MergedPieces&)>& measure) const {
  const MergedPieces merged =
      merge_pieces(std::move(survey.pieces), survey.contacts,
                   has_probabilities ? options.least_confidence(is_thing.size()) : 0.0, options);
  Measured measured = measure(merged);
  FrameObjects found;
  found.numbers = std::move(measured.numbers);
  const auto rows = static_cast<std::int32_t>(frame.rows), cols = static_cast<std::int32_t>(frame.cols);
  for (std::size_t i = 0; i < merged.objects.size(); ++i) {
    const std::uint16_t label = merged.objects[i].label;
    const PixelSums& sums = merged.objects[i].sums;
    Object& object = found.objects.emplace_back(object_of(label, sums, rows, cols, survey.level));
    object.number = static_cast<std::uint16_t>(i + 1);
    for (const std::int64_t sure : measured.sums[i].sureness)
      object.probabilities.push_back(
          static_cast<float>(static_cast<double>(sure) / (static_cast<double>(kSureUnits) * sums.pixels)));
    if (has_probabilities) object.confidence = object.probabilities[label];
    if (measured.sums[i].has_points()) object.box = box_of(sums, measured.sums[i], directions, survey.level);
  }
  for (std::size_t c = 0; c < survey.of_stuff.size(); ++c)
    if (survey.of_stuff[c].pixels > 0)
      found.stuff.push_back(object_of(static_cast<std::uint16_t>(c), survey.of_stuff[c], rows, cols, survey.level));
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
  if (frame.has_depth() && !frame.is_plain())
    return find(image::copy_of(frame, &pool), labels, probabilities, pool, cuts);
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
