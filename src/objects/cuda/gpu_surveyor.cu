// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Surveys a frame on a GPU. Pixels are joined by union-find: each first belongs to the first pixel of its run, then
// runs are united, always with the lower pixel as the parent, so that a piece is represented by its first pixel in
// whatever order threads work. Sums are of whole numbers, of a warp's pixels first, as most of these belong to one
// piece.

#include <algorithm>
#include <span>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/launch.cuh"
#include "fernwood/core/error.h"
#include "image/cuda/prepare_kernels.h"
#include "objects/survey.h"

namespace fernwood::objects {

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr std::uint32_t kAll = ~0u, kNone = ~0u;
/// What most frames have less of.
constexpr std::size_t kUsualPieces = 512, kUsualContacts = 4096;

/// PixelSums of a piece or of a class of stuff, its slot.
struct SlotSums {
  std::uint32_t first;  ///< Pixel.
  std::uint32_t label;
  std::uint32_t pixels, known;
  std::int32_t left, top, right, bottom;
  std::int32_t lowest[3], highest[3];  ///< Across, forward, up.
  std::int32_t nearest;
  unsigned long long sureness, across, forward, up, area;  ///< Modulo 2^64.
};

struct Counts {
  std::uint32_t pieces, contacts;
};

struct FrameOnGpu {
  PixelView view;
  const std::uint16_t* known_mm;  ///< [pixel] 0: unknown.
  const float* probabilities;     ///< [class][pixel] or null.
  image::GeometryView geometry;

  __device__ std::uint32_t size() const { return static_cast<std::uint32_t>(view.rows * view.cols); }
  __device__ LevelFrame level() const { return level_frame(geometry.camera, geometry.orientation->up); }
  __device__ float u(std::int32_t x) const {
    return image::ray(static_cast<float>(x), geometry.camera.cx, geometry.camera.fx);
  }
  __device__ float v(std::int32_t y) const {
    return image::ray(static_cast<float>(y), geometry.camera.cy, geometry.camera.fy);
  }
};

/// Tiles of 32 pixels of a row that a warp loads at a time, which hides the latency of memory.
constexpr int kTiles = 4, kStep = 32 * kTiles;

/// Reads tiles of a row from column `left` on. Columns beyond the row count as unknown.
__device__ void load_tiles(const std::uint16_t* row, std::int32_t left, std::int32_t cols, int* depth) {
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const std::int32_t x = left + 32 * t + static_cast<std::int32_t>(threadIdx.x % 32);
    const std::uint16_t value = x < cols ? row[x] : std::uint16_t{0};
    depth[t] = image::is_known_depth(value) ? value : 0;
  }
}

/// The first known depth of a row, 0 if it has none.
__device__ int first_known(const std::uint16_t* row, std::int32_t cols) {
  for (std::int32_t left = 0; left < cols; left += kStep) {
    int depth[kTiles];
    load_tiles(row, left, cols, depth);
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
      if (const unsigned known = __ballot_sync(kAll, depth[t] > 0))
        return __shfl_sync(kAll, depth[t], __ffs(known) - 1);
  }
  return 0;
}

/// Lanes up to this one.
__device__ unsigned lanes_until_here() { return kAll >> (31 - threadIdx.x % 32); }

/// Copies known depth, and gives unknown depth that of the next known pixel on the left, else right: a warp for a row.
__global__ void fill_rows_kernel(const std::uint16_t* depth, std::size_t pitch, std::int32_t rows, std::int32_t cols,
                                 std::uint16_t* known_mm, std::uint16_t* filled_mm) {
  const std::int32_t y = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / 32), lane = threadIdx.x % 32;
  if (y >= rows) return;
  const std::uint16_t* const row = depth + y * pitch;
  int last = first_known(row, cols);
  for (std::int32_t left = 0; left < cols; left += kStep) {
    int values[kTiles];
    load_tiles(row, left, cols, values);
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const unsigned known = __ballot_sync(kAll, values[t] > 0), before = known & lanes_until_here();
      const int nearest = __shfl_sync(kAll, values[t], before != 0 ? 31 - __clz(before) : 0);
      if (const std::int32_t x = left + 32 * t + lane; x < cols) {
        known_mm[y * cols + x] = static_cast<std::uint16_t>(values[t]);
        filled_mm[y * cols + x] = static_cast<std::uint16_t>(before != 0 ? nearest : last);
      }
      if (known != 0) last = __shfl_sync(kAll, values[t], 31 - __clz(known));
    }
  }
}

/// The first pixel of each pixel's run, kNone without a class: a warp for a row.
__global__ void find_runs_kernel(FrameOnGpu frame, std::uint32_t* heads, std::uint32_t* parents) {
  const std::int32_t y = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / 32), lane = threadIdx.x % 32;
  const PixelView& view = frame.view;
  if (y >= view.rows) return;
  const std::int32_t row_begin = y * view.cols;
  std::uint32_t last = kNone;
  for (std::int32_t left = 0; left < view.cols; left += kStep) {
    bool begins[kTiles], has_class[kTiles];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const std::int32_t x = left + 32 * t + lane, pixel = row_begin + x, before = x > 0 ? pixel - 1 : pixel;
      begins[t] = has_class[t] = false;
      if (x >= view.cols) continue;
      const std::uint8_t links =
          links_of(view.labels[pixel], view.labels[before], view.depth_mm[pixel], view.depth_mm[before]);
      begins[t] = x == 0 || !continues_run(links, is_of_thing(view, pixel));
      has_class[t] = view.labels[pixel] < view.num_classes;
    }
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const std::int32_t first = left + 32 * t;
      const unsigned before = __ballot_sync(kAll, begins[t]) & lanes_until_here();
      const std::uint32_t head =
          before != 0 ? static_cast<std::uint32_t>(row_begin + first + 31 - __clz(before)) : last;
      if (first + lane < view.cols)
        heads[row_begin + first + lane] = parents[row_begin + first + lane] = has_class[t] ? head : kNone;
      last = __shfl_sync(kAll, head, 31);
    }
  }
}

/// The first pixel of a piece. Halves the way to it for those who follow: any ancestor is a valid parent.
__device__ std::uint32_t first_of(std::uint32_t* parents, std::uint32_t pixel) {
  volatile std::uint32_t* const current = parents;
  for (std::uint32_t parent; (parent = current[pixel]) != pixel;) {
    const std::uint32_t next = current[parent];
    if (next != parent) current[pixel] = next;
    pixel = next;
  }
  return pixel;
}

__device__ void unite(std::uint32_t* parents, std::uint32_t a, std::uint32_t b) {
  while ((a = first_of(parents, a)) != (b = first_of(parents, b))) {
    if (a < b) {
      const std::uint32_t lower = a;
      a = b;
      b = lower;
    }
    const std::uint32_t before = atomicMin(parents + a, b);
    if (before == a) return;
    a = before;
  }
}

__global__ void join_kernel(FrameOnGpu frame, const std::uint32_t* heads, std::uint32_t* parents) {
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  const PixelView& view = frame.view;
  if (index >= frame.size()) return;
  const auto pixel = static_cast<std::int32_t>(index);
  if (!is_of_thing(view, pixel)) return;
  const std::int32_t y = pixel / view.cols, x = pixel % view.cols, rows_below = view.rows - 1 - y;
  if (x + 1 < view.cols && heads[pixel + 1] != heads[pixel])
    if (const std::int32_t other = joined_pixel(view, pixel, 1, view.cols - 1 - x); other >= 0)
      unite(parents, heads[pixel], heads[other]);
  const auto touches_below = [&](std::int32_t of) {
    return view.labels[of] == view.labels[of + view.cols] &&
           is_one_surface(view.depth_mm[of], view.depth_mm[of + view.cols]);
  };
  // The left neighbour has united the same two runs.
  if (rows_below > 0 && x > 0 && heads[pixel - 1] == heads[pixel] &&
      heads[pixel - 1 + view.cols] == heads[pixel + view.cols] && touches_below(pixel - 1) && touches_below(pixel))
    return;
  if (const std::int32_t other = joined_pixel(view, pixel, view.cols, rows_below); other >= 0)
    unite(parents, heads[pixel], heads[other]);
}

__global__ void number_pieces_kernel(FrameOnGpu frame, const std::uint32_t* parents, std::uint32_t* slots,
                                     SlotSums* sums, Counts* counts) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  const std::uint32_t num_classes = frame.view.num_classes;
  if (pixel >= frame.size() || parents[pixel] != pixel || !is_of_thing(frame.view, static_cast<std::int32_t>(pixel)))
    return;
  const std::uint32_t slot = num_classes + atomicAdd(&counts->pieces, 1u);
  slots[pixel] = slot;
  sums[slot].first = pixel;
  sums[slot].label = frame.view.labels[pixel];
}

/// The slot of each pixel. @param slots  Input: of the first pixels of pieces.
__global__ void assign_slots_kernel(FrameOnGpu frame, const std::uint32_t* heads, std::uint32_t* parents,
                                    const std::uint32_t* slots, std::uint32_t* slot_of) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= frame.size()) return;
  std::uint32_t slot = kNone;
  if (is_of_thing(frame.view, static_cast<std::int32_t>(pixel)))
    slot = slots[first_of(parents, heads[pixel])];
  else if (heads[pixel] != kNone)
    slot = frame.view.labels[pixel];
  slot_of[pixel] = slot;
}

__global__ void clear_sums_kernel(std::uint32_t num_classes, const Counts* counts, SlotSums* sums) {
  for (std::uint32_t slot = blockIdx.x * kThreads + threadIdx.x; slot < num_classes + counts->pieces;
       slot += gridDim.x * kThreads) {
    SlotSums& s = sums[slot];
    s.pixels = s.known = 0;
    s.left = s.top = s.nearest = kFar;
    s.right = s.bottom = -1;
    for (int axis = 0; axis < 3; ++axis) {
      s.lowest[axis] = kFar;
      s.highest[axis] = -kFar;
    }
    s.sureness = s.across = s.forward = s.up = s.area = 0;
  }
}

__device__ void add_whole(unsigned long long* sum, std::int32_t value) {
  if (value != 0) atomicAdd(sum, static_cast<unsigned long long>(static_cast<std::int64_t>(value)));
}

/// Each warp works on so many rows of 32 pixels, which are often of one piece.
constexpr std::int32_t kRows = 4;

/// The columns and rows of a thread.
struct Tile {
  std::int32_t x, top;

  __device__ explicit Tile(const PixelView& view) {
    const std::int32_t across = (view.cols + 31) / 32;
    const auto warp = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / 32);
    x = warp % across * 32 + static_cast<std::int32_t>(threadIdx.x % 32);
    top = warp / across * kRows;
  }
  static unsigned blocks(std::size_t rows, std::size_t cols) {
    return cuda::blocks_for((cols + 31) / 32 * ((rows + kRows - 1) / kRows), kWarps);
  }
};

/// Calls body(group, has_row) for each number of the warp's pixels other than kNone; has_row(r) tells whether row r of
/// this lane has it.
template <typename Body>
__device__ void for_each_group_of_rows(const std::uint32_t (&numbers)[kRows], const Body& body) {
  const auto rows_with = [&](auto is_wanted) {
    unsigned rows = 0;
#pragma unroll
    for (std::int32_t r = 0; r < kRows; ++r) rows |= is_wanted(numbers[r]) ? 1u << r : 0u;
    return rows;
  };
  unsigned left = rows_with([](std::uint32_t number) { return number != kNone; });
  for (unsigned lanes; (lanes = __ballot_sync(kAll, left != 0)) != 0;) {
    std::uint32_t first = kNone;
#pragma unroll
    for (std::int32_t r = kRows; r-- > 0;) first = left >> r & 1 ? numbers[r] : first;
    const std::uint32_t group = __shfl_sync(kAll, first, __ffs(lanes) - 1);
    const unsigned rows = rows_with([=](std::uint32_t number) { return number == group; });
    body(group, [=](std::int32_t r) { return (rows >> r & 1) != 0; });
    left &= ~rows;
  }
}

__global__ void sum_kernel(FrameOnGpu frame, const std::uint32_t* slot_of, SlotSums* all_sums) {
  const PixelView& view = frame.view;
  const Tile tile(view);
  std::uint32_t slots[kRows];
#pragma unroll
  for (std::int32_t r = 0; r < kRows; ++r)
    slots[r] = tile.x < view.cols && tile.top + r < view.rows ? slot_of[(tile.top + r) * view.cols + tile.x] : kNone;
  const LevelFrame level = frame.level();
  const float u = frame.u(tile.x);
  const std::int32_t cell_col = tile.x / image::kCellSize, cell_cols = image::geometry_cells(view.cols);
  for_each_group_of_rows(slots, [&](std::uint32_t group, const auto& has_row) {
    const bool is_thing = group >= view.num_classes;
    std::int32_t pixels = 0, known = 0, across = 0, forward = 0, up = 0, area = 0, sure = 0;
    std::int32_t top = kFar, bottom = -1, nearest = kFar;
    std::int32_t low[3] = {kFar, kFar, kFar};
    std::int32_t high[3] = {-kFar, -kFar, -kFar};
#pragma unroll
    for (std::int32_t r = 0; r < kRows; ++r) {
      if (!has_row(r)) continue;
      const std::int32_t y = tile.top + r, pixel = y * view.cols + tile.x;
      ++pixels;
      top = min(top, y);
      bottom = max(bottom, y);
      if (is_thing && frame.probabilities != nullptr)
        sure += sureness(frame.probabilities[static_cast<std::size_t>(view.labels[pixel]) * frame.size() +
                                             static_cast<std::size_t>(pixel)]);
      const float depth = static_cast<float>(frame.known_mm[pixel]), v = frame.v(y);
      if (!(depth > 0)) continue;
      ++known;
      const LevelPoint point = level_point(level, u, v, depth);
      const std::int32_t whole[3] = {round_to_int(point.across), round_to_int(point.forward), round_to_int(point.up)};
      across += whole[0];
      forward += whole[1];
      up += whole[2];
      const std::int32_t cell_row = y / image::kCellSize;
      area += pixel_area(area_at_1_mm(frame.geometry.facing[cell_row * cell_cols + cell_col], frame.geometry.camera,
                                      image::cell_middle(cell_col), image::cell_middle(cell_row)),
                         depth);
      nearest = min(nearest, round_to_int(distance_mm(u, v, depth)));
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = min(low[axis], whole[axis]);
        high[axis] = max(high[axis], whole[axis]);
      }
    }
    const std::int32_t left = __reduce_min_sync(kAll, pixels > 0 ? tile.x : kFar),
                       right = __reduce_max_sync(kAll, pixels > 0 ? tile.x : -1);
    pixels = __reduce_add_sync(kAll, pixels);
    known = __reduce_add_sync(kAll, known);
    top = __reduce_min_sync(kAll, top);
    bottom = __reduce_max_sync(kAll, bottom);
    nearest = __reduce_min_sync(kAll, nearest);
    const std::int32_t totals[5] = {__reduce_add_sync(kAll, sure), __reduce_add_sync(kAll, across),
                                    __reduce_add_sync(kAll, forward), __reduce_add_sync(kAll, up),
                                    __reduce_add_sync(kAll, area)};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = __reduce_min_sync(kAll, low[axis]);
      high[axis] = __reduce_max_sync(kAll, high[axis]);
    }
    if (threadIdx.x % 32 != 0) return;
    SlotSums& s = all_sums[group];
    atomicAdd(&s.pixels, static_cast<std::uint32_t>(pixels));
    atomicMin(&s.left, left);
    atomicMin(&s.top, top);
    atomicMax(&s.right, right);
    atomicMax(&s.bottom, bottom);
    unsigned long long* const to[5] = {&s.sureness, &s.across, &s.forward, &s.up, &s.area};
    for (int i = 0; i < 5; ++i) add_whole(to[i], totals[i]);
    if (known == 0) return;
    atomicAdd(&s.known, static_cast<std::uint32_t>(known));
    atomicMin(&s.nearest, nearest);
    for (int axis = 0; is_thing && axis < 3; ++axis) {
      atomicMin(&s.lowest[axis], low[axis]);
      atomicMax(&s.highest[axis], high[axis]);
    }
  });
}

/// Pairs of pieces that touch, as slots; one for each pair of pixels, in any order.
__global__ void find_contacts_kernel(FrameOnGpu frame, const std::uint32_t* slot_of, uint2* contacts, Counts* counts) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  const PixelView& view = frame.view;
  if (pixel >= frame.size()) return;
  const std::uint32_t slot = slot_of[pixel];
  if (slot == kNone || slot < view.num_classes) return;
  const auto touch = [&](std::uint32_t other_pixel) {
    const std::uint32_t other = slot_of[other_pixel];
    if (other == kNone || other < view.num_classes || other == slot ||
        !is_one_surface(view.depth_mm[pixel], view.depth_mm[other_pixel]))
      return;
    contacts[atomicAdd(&counts->contacts, 1u)] = make_uint2(slot, other);
  };
  const auto cols = static_cast<std::uint32_t>(view.cols);
  if (pixel % cols + 1 < cols) touch(pixel + 1);
  if (pixel + cols < frame.size()) touch(pixel + cols);
}

/// The arguments of measure_kernel().
struct MeasureArgs {
  const std::uint32_t *heads, *slot_of;  ///< [pixel]
  const std::uint32_t* object_of;        ///< [slot] or kNoObject
  std::uint16_t* numbers;                ///< [pixel] Output.
  std::int32_t* extents;                 ///< [object][2][kDirections] Lowest and highest.
  unsigned long long* sureness;          ///< [object][class], or null.
};

__global__ void clear_measures_kernel(std::uint32_t num_objects, std::int32_t* extents) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i < num_objects * 2 * kDirections) extents[i] = i / kDirections % 2 == 0 ? kFar : -kFar;
}

__global__ void measure_kernel(FrameOnGpu frame, MeasureArgs args, const float* directions) {
  const PixelView& view = frame.view;
  const Tile tile(view);
  std::uint32_t objects[kRows];
#pragma unroll
  for (std::int32_t r = 0; r < kRows; ++r) {
    objects[r] = kNone;
    if (tile.x >= view.cols || tile.top + r >= view.rows) continue;
    const std::int32_t pixel = (tile.top + r) * view.cols + tile.x;
    const std::uint32_t slot = args.slot_of[pixel];
    if (slot != kNone) objects[r] = args.object_of[slot];
    args.numbers[pixel] = objects[r] == kNoObject ? image::kNoInstance : static_cast<std::uint16_t>(objects[r] + 1);
  }
  const LevelFrame level = frame.level();
  const auto lane = static_cast<int>(threadIdx.x % 32);
  for_each_group_of_rows(objects, [&](std::uint32_t group, const auto& has_row) {
    LevelPoint points[kRows / kPixelsApart];
    bool counts[kRows / kPixelsApart], any = false;
#pragma unroll
    for (std::int32_t i = 0; i < kRows / kPixelsApart; ++i) {
      const std::int32_t r = i * kPixelsApart, y = tile.top + r, pixel = y * view.cols + tile.x;
      counts[i] = has_row(r) && (pixel - static_cast<std::int32_t>(args.heads[pixel])) % kPixelsApart == 0 &&
                  frame.known_mm[pixel] > 0;
      points[i] = {};
      if (counts[i])
        points[i] = level_point(level, frame.u(tile.x), frame.v(y), static_cast<float>(frame.known_mm[pixel]));
      any |= counts[i];
    }
    if (args.sureness != nullptr)
#pragma unroll 4
      for (std::int32_t c = 0; c < view.num_classes; ++c) {
        std::int32_t sure = 0;
#pragma unroll
        for (std::int32_t r = 0; r < kRows; ++r)
          if (has_row(r))
            sure += sureness(frame.probabilities[static_cast<std::size_t>(c) * frame.size() +
                                                 static_cast<std::size_t>((tile.top + r) * view.cols + tile.x)]);
        sure = __reduce_add_sync(kAll, sure);
        if (lane == 0) add_whole(args.sureness + group * view.num_classes + c, sure);
      }
    if (!__any_sync(kAll, any)) return;
    // Lane i keeps directions i and i + 32, so that no thread waits for memory between two of them.
    static_assert(kDirections == 64);
    std::int32_t lows[2], highs[2];
#pragma unroll 4
    for (int k = 0; k < kDirections; ++k) {
      std::int32_t low = kFar, high = -kFar;
#pragma unroll
      for (std::int32_t i = 0; i < kRows / kPixelsApart; ++i) {
        const std::int32_t along = round_to_int(along_direction(points[i], directions[k], directions[kDirections + k]));
        low = counts[i] ? min(low, along) : low;
        high = counts[i] ? max(high, along) : high;
      }
      low = __reduce_min_sync(kAll, low);
      high = __reduce_max_sync(kAll, high);
      if (k % 32 != lane) continue;
      lows[k < 32 ? 0 : 1] = low;
      highs[k < 32 ? 0 : 1] = high;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      std::int32_t* const extents = args.extents + group * 2 * kDirections + half * 32 + lane;
      atomicMin(extents, lows[half]);
      atomicMax(extents + kDirections, highs[half]);
    }
  });
}

class Surveyor : public GpuSurveyor {
 public:
  Surveyor(const std::vector<std::uint8_t>& is_thing, double gap_m, int gpu)
      : num_classes_(is_thing.size()), gap_m_(gap_m), gpu_(gpu), geometry_(kNormalRadius) {
    const cuda::ScopedGpu use(gpu);
    const cuda::Stream stream;
    cuda::upload(is_thing, is_thing_, stream);
    const Directions directions;
    std::vector<float> both(directions.across.begin(), directions.across.end());
    both.insert(both.end(), directions.forward.begin(), directions.forward.end());
    cuda::upload(both, directions_, stream);
    counts_.resize(1);
  }

  Survey survey(const image::FrameImages& images, const image::Camera& camera, const std::uint16_t* labels,
                const float* probabilities, void* raw_stream) override {
    const cuda::ScopedGpu use(gpu_);
    stream_ = static_cast<cudaStream_t>(raw_stream);
    const cuda::Stream stream = cuda::Stream::borrowed(stream_);
    const auto rows = static_cast<std::int32_t>(images.rows), cols = static_cast<std::int32_t>(images.cols);
    const std::size_t size = images.rows * images.cols;
    for (auto* buffer : {&known_, &filled_, &numbers_}) buffer->resize(size);
    for (auto* buffer : {&heads_, &parents_, &slots_, &slot_of_}) buffer->resize(size);
    sums_.resize(num_classes_ + size);
    contacts_.resize(2 * size);
    geometry_.make_room(rows, cols);
    const std::size_t pitch =
        images.depth_pitch_bytes == 0 ? images.cols : images.depth_pitch_bytes / sizeof(std::uint16_t);
    const unsigned row_blocks = cuda::blocks_for(images.rows, kWarps), blocks = cuda::blocks_for(size, kThreads);
    cuda::fill_with_zeros(counts_.view(), stream);
    cuda::launch("fill_rows", fill_rows_kernel, row_blocks, kThreads, 0, stream, images.depth_mm, pitch, rows, cols,
                 known_.data(), filled_.data());
    const image::GeometryView geometry =
        geometry_.measure({known_.data(), nullptr}, rows, cols, camera, images.up, stream);
    frame_ = {{labels, filled_.data(), is_thing_.data(), rows, cols, static_cast<std::uint16_t>(num_classes_),
               reach_mm_px(gap_m_, camera)},
              known_.data(),
              probabilities,
              geometry};
    cuda::launch("find_runs", find_runs_kernel, row_blocks, kThreads, 0, stream, frame_, heads_.data(),
                 parents_.data());
    cuda::launch("join", join_kernel, blocks, kThreads, 0, stream, frame_, heads_.data(), parents_.data());
    cuda::launch("number_pieces", number_pieces_kernel, blocks, kThreads, 0, stream, frame_, parents_.data(),
                 slots_.data(), sums_.data(), counts_.data());
    cuda::launch("assign_slots", assign_slots_kernel, blocks, kThreads, 0, stream, frame_, heads_.data(),
                 parents_.data(), slots_.data(), slot_of_.data());
    cuda::launch("clear_sums", clear_sums_kernel, 64, kThreads, 0, stream, static_cast<std::uint32_t>(num_classes_),
                 counts_.data(), sums_.data());
    cuda::launch("sum", sum_kernel, Tile::blocks(images.rows, images.cols), kThreads, 0, stream, frame_,
                 slot_of_.data(), sums_.data());
    cuda::launch("find_contacts", find_contacts_kernel, blocks, kThreads, 0, stream, frame_, slot_of_.data(),
                 contacts_.data(), counts_.data());
    // What usual frames need is copied before the counts are known.
    host_counts_.resize(1);
    host_orientation_.resize(1);
    host_sums_.resize(num_classes_ + std::min(size, kUsualPieces));
    host_contacts_.resize(std::min(2 * size, kUsualContacts));
    cuda::copy_to_host(counts_.data(), 1, host_counts_.data(), stream);
    cuda::copy_to_host(geometry.orientation, 1, host_orientation_.data(), stream);
    cuda::copy_to_host(sums_.data(), host_sums_.size(), host_sums_.data(), stream);
    cuda::copy_to_host(contacts_.data(), host_contacts_.size(), host_contacts_.data(), stream);
    stream.synchronize();
    const Counts counts = *host_counts_.data();
    const image::Orientation orientation = *host_orientation_.data();
    if (const std::size_t needed = num_classes_ + counts.pieces; needed > host_sums_.size()) {
      host_sums_.resize(needed);
      cuda::copy_to_host(sums_.data(), needed, host_sums_.data(), stream);
    }
    if (counts.contacts > host_contacts_.size()) {
      host_contacts_.resize(counts.contacts);
      cuda::copy_to_host(contacts_.data(), counts.contacts, host_contacts_.data(), stream);
    }
    stream.synchronize();
    const std::span<const SlotSums> sums(host_sums_.data(), num_classes_ + counts.pieces);
    const std::span<const uint2> contacts(host_contacts_.data(), counts.contacts);

    Survey found = {level_frame(geometry.camera, orientation.up), {}, {}, {}};
    for (std::size_t c = 0; c < num_classes_; ++c) found.of_stuff.push_back(sums_of(sums[c]));
    piece_of_.assign(sums.size(), kNoObject);
    std::vector<std::uint32_t> order;
    for (auto slot = static_cast<std::uint32_t>(num_classes_); slot < sums.size(); ++slot) order.push_back(slot);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return sums[a].first < sums[b].first; });
    found.pieces.reserve(order.size());
    found.contacts.reserve(2 * contacts.size());
    for (const std::uint32_t slot : order) {
      piece_of_[slot] = static_cast<std::uint32_t>(found.pieces.size());
      found.pieces.push_back({static_cast<std::uint16_t>(sums[slot].label), sums_of(sums[slot])});
    }
    for (const uint2& pair : contacts) {
      found.contacts.emplace_back(piece_of_[pair.x], piece_of_[pair.y]);
      found.contacts.emplace_back(piece_of_[pair.y], piece_of_[pair.x]);
    }
    return found;
  }

  Measured measure(const std::vector<std::uint32_t>& object_of, std::size_t num_objects) override {
    const cuda::ScopedGpu use(gpu_);
    const cuda::Stream stream = cuda::Stream::borrowed(stream_);
    const PixelView& view = frame_.view;
    const std::size_t size = heads_.size(), num_sure = frame_.probabilities ? num_objects * num_classes_ : 0;
    std::vector<std::uint32_t> of_slot(piece_of_.size(), kNoObject);
    for (std::size_t slot = 0; slot < of_slot.size(); ++slot)
      if (piece_of_[slot] != kNoObject) of_slot[slot] = object_of[piece_of_[slot]];
    object_of_.upload(of_slot, stream);
    extents_.resize(num_objects * 2 * kDirections);
    sureness_.resize(num_sure);
    cuda::fill_with_zeros(sureness_.view(), stream);
    cuda::launch("clear_measures", clear_measures_kernel, cuda::blocks_for(extents_.size(), kThreads), kThreads, 0,
                 stream, static_cast<std::uint32_t>(num_objects), extents_.data());
    const MeasureArgs args = {heads_.data(),   slot_of_.data(), object_of_.data(),
                              numbers_.data(), extents_.data(), frame_.probabilities ? sureness_.data() : nullptr};
    cuda::launch("measure", measure_kernel,
                 Tile::blocks(static_cast<std::size_t>(view.rows), static_cast<std::size_t>(view.cols)), kThreads, 0,
                 stream, frame_, args, directions_.data());
    host_numbers_.resize(size);
    host_extents_.resize(extents_.size());
    host_sureness_.resize(num_sure);
    cuda::copy_to_host(numbers_.data(), size, host_numbers_.data(), stream);
    cuda::copy_to_host(extents_.data(), extents_.size(), host_extents_.data(), stream);
    cuda::copy_to_host(sureness_.data(), num_sure, host_sureness_.data(), stream);
    Measured found = {image::InstanceImage(static_cast<std::size_t>(view.rows), static_cast<std::size_t>(view.cols)),
                      std::vector<ObjectSums>(num_objects, ObjectSums(frame_.probabilities ? num_classes_ : 0))};
    stream.synchronize();
    std::copy_n(host_numbers_.data(), size, found.numbers.data());
    const std::int32_t* const extents = host_extents_.data();
    const unsigned long long* const sureness = host_sureness_.data();
    for (std::size_t i = 0; i < num_objects; ++i) {
      for (std::size_t k = 0; k < kDirections; ++k) {
        found.sums[i].lowest[k] = static_cast<float>(extents[2 * i * kDirections + k]);
        found.sums[i].highest[k] = static_cast<float>(extents[(2 * i + 1) * kDirections + k]);
      }
      for (std::size_t c = 0; c < found.sums[i].sureness.size(); ++c)
        found.sums[i].sureness[c] = static_cast<std::int64_t>(sureness[i * num_classes_ + c]);
    }
    return found;
  }

 private:
  static PixelSums sums_of(const SlotSums& slot) {
    PixelSums sums;
    sums.pixels = slot.pixels;
    sums.known = slot.known;
    sums.left = slot.left;
    sums.top = slot.top;
    sums.right = slot.right;
    sums.bottom = slot.bottom;
    sums.sureness = static_cast<std::int64_t>(slot.sureness);
    sums.across = static_cast<std::int64_t>(slot.across);
    sums.forward = static_cast<std::int64_t>(slot.forward);
    sums.up = static_cast<std::int64_t>(slot.up);
    sums.area = static_cast<std::int64_t>(slot.area);
    sums.lowest = {slot.lowest[0], slot.lowest[1], slot.lowest[2]};
    sums.highest = {slot.highest[0], slot.highest[1], slot.highest[2]};
    sums.nearest = slot.nearest;
    return sums;
  }

  std::size_t num_classes_;
  double gap_m_;
  int gpu_;
  cudaStream_t stream_ = nullptr;  // of the frame surveyed last, as the next two
  FrameOnGpu frame_ = {};
  std::vector<std::uint32_t> piece_of_;  // [slot] or kNoObject
  image::GeometryMeasure geometry_;
  cuda::GpuBuffer<std::uint8_t> is_thing_;
  cuda::GpuBuffer<float> directions_;  // [2][kDirections] Across and forward.
  cuda::GpuBuffer<std::uint16_t> known_, filled_, numbers_;
  cuda::GpuBuffer<std::uint32_t> heads_, parents_, slots_, slot_of_;
  cuda::GpuBuffer<SlotSums> sums_;
  cuda::GpuBuffer<uint2> contacts_;
  cuda::GpuBuffer<Counts> counts_;
  cuda::UploadedBuffer<std::uint32_t> object_of_;
  cuda::GpuBuffer<std::int32_t> extents_;
  cuda::GpuBuffer<unsigned long long> sureness_;
  cuda::PinnedBuffer<Counts> host_counts_;
  cuda::PinnedBuffer<image::Orientation> host_orientation_;
  cuda::PinnedBuffer<SlotSums> host_sums_;
  cuda::PinnedBuffer<uint2> host_contacts_;
  cuda::PinnedBuffer<std::uint16_t> host_numbers_;
  cuda::PinnedBuffer<std::int32_t> host_extents_;
  cuda::PinnedBuffer<unsigned long long> host_sureness_;
};

}  // namespace

std::unique_ptr<GpuSurveyor> make_gpu_surveyor(const std::vector<std::uint8_t>& is_thing, double gap_m, int gpu) {
  return std::make_unique<Surveyor>(is_thing, gap_m, gpu);
}

}  // namespace fernwood::objects
