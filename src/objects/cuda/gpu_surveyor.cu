// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Surveys a frame on a GPU. Pixels are joined by union-find: each first belongs to the first pixel of its run, then
// runs are united, always with the lower pixel as the parent, so that a piece is represented by its first pixel in
// whatever order threads work. Sums are of whole numbers, of a warp's pixels first, as most of these belong to one
// piece.

#include <algorithm>
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

/// Copies known depth, and gives unknown depth that of the next known pixel on the left, else right: a warp for a row.
__global__ void fill_rows_kernel(const std::uint16_t* depth, std::size_t pitch, std::int32_t rows, std::int32_t cols,
                                 std::uint16_t* known_mm, std::uint16_t* filled_mm) {
  const std::int32_t y = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / 32), lane = threadIdx.x % 32;
  if (y >= rows) return;
  const std::uint16_t* const row = depth + y * pitch;
  const std::int32_t begin = y * cols;
  int last = 0;
  const auto tile = [&](std::int32_t left) {
    const std::int32_t x = left + lane;
    const std::uint16_t value = x < cols ? row[x] : std::uint16_t{0};
    return static_cast<int>(image::is_known_depth(value) ? value : 0);
  };
  for (std::int32_t left = 0; left < cols && last == 0; left += 32) {
    const int value = tile(left);
    const unsigned known = __ballot_sync(kAll, value > 0);
    if (known != 0) last = __shfl_sync(kAll, value, __ffs(known) - 1);
  }
  for (std::int32_t left = 0; left < cols; left += 32) {
    const int value = tile(left);
    const unsigned known = __ballot_sync(kAll, value > 0), before = known & (kAll >> (31 - lane));
    const int nearest = __shfl_sync(kAll, value, before != 0 ? 31 - __clz(before) : 0);
    if (left + lane < cols) {
      known_mm[begin + left + lane] = static_cast<std::uint16_t>(value);
      filled_mm[begin + left + lane] = static_cast<std::uint16_t>(before != 0 ? nearest : last);
    }
    if (known != 0) last = __shfl_sync(kAll, value, 31 - __clz(known));
  }
}

/// The first pixel of each pixel's run, kNone without a class: a warp for a row.
__global__ void find_runs_kernel(FrameOnGpu frame, std::uint32_t* heads, std::uint32_t* parents) {
  const std::int32_t y = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / 32), lane = threadIdx.x % 32;
  const PixelView& view = frame.view;
  if (y >= view.rows) return;
  std::uint32_t last = kNone;
  for (std::int32_t left = 0; left < view.cols; left += 32) {
    const std::int32_t x = left + lane, pixel = y * view.cols + x;
    const bool begins = x < view.cols && (x == 0 || !continues_run(view, pixel));
    const unsigned starts = __ballot_sync(kAll, begins), before = starts & (kAll >> (31 - lane));
    const std::uint32_t head =
        before != 0 ? static_cast<std::uint32_t>(y * view.cols + left + 31 - __clz(before)) : last;
    if (x < view.cols) {
      const bool has_class = view.labels[pixel] < view.num_classes;
      heads[pixel] = parents[pixel] = has_class ? head : kNone;
    }
    last = __shfl_sync(kAll, head, 31);
  }
}

__device__ std::uint32_t first_of(const std::uint32_t* parents, std::uint32_t pixel) {
  for (std::uint32_t parent; (parent = *const_cast<const volatile std::uint32_t*>(parents + pixel)) != pixel;)
    pixel = parent;
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
__global__ void assign_slots_kernel(FrameOnGpu frame, const std::uint32_t* heads, const std::uint32_t* parents,
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
    s.left = s.top = s.nearest = PixelSums::kFar;
    s.right = s.bottom = -1;
    for (int axis = 0; axis < 3; ++axis) {
      s.lowest[axis] = PixelSums::kFar;
      s.highest[axis] = -PixelSums::kFar;
    }
    s.sureness = s.across = s.forward = s.up = s.area = 0;
  }
}

__device__ std::int32_t warp_sum(std::int32_t value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(kAll, value, step);
  return value;
}
__device__ std::int32_t warp_min(std::int32_t value) {
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(kAll, value, step));
  return value;
}
__device__ std::int32_t warp_max(std::int32_t value) { return -warp_min(-value); }

/// Calls body(group, is_member) for each group of lanes with the same number, other than kNone.
template <typename Body>
__device__ void for_each_group(std::uint32_t number, const Body& body) {
  for (unsigned left = __ballot_sync(kAll, number != kNone); left != 0;) {
    const std::uint32_t group = __shfl_sync(kAll, number, __ffs(left) - 1);
    const bool is_member = number == group;
    body(group, is_member);
    left &= ~__ballot_sync(kAll, is_member);
  }
}

__device__ void add_whole(unsigned long long* sum, std::int32_t value) {
  if (value != 0) atomicAdd(sum, static_cast<unsigned long long>(static_cast<std::int64_t>(value)));
}

__global__ void sum_kernel(FrameOnGpu frame, const std::uint32_t* slot_of, SlotSums* sums) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  const PixelView& view = frame.view;
  const bool is_inside = pixel < frame.size();
  const std::uint32_t slot = is_inside ? slot_of[pixel] : kNone;
  const std::int32_t x = static_cast<std::int32_t>(pixel) % view.cols, y = static_cast<std::int32_t>(pixel) / view.cols;
  const float depth = is_inside ? static_cast<float>(frame.known_mm[pixel]) : 0.0f;
  const bool is_known = depth > 0;
  std::int32_t across = 0, forward = 0, up = 0, area = 0, distance = PixelSums::kFar, sure = 0;
  if (is_known && slot != kNone) {
    const float u = frame.u(x), v = frame.v(y);
    const LevelPoint point = level_point(frame.level(), u, v, depth);
    across = round_to_int(point.across);
    forward = round_to_int(point.forward);
    up = round_to_int(point.up);
    const std::int32_t cell_row = y / image::kCellSize, cell_col = x / image::kCellSize;
    const std::int16_t facing = frame.geometry.facing[cell_row * image::geometry_cells(view.cols) + cell_col];
    area = pixel_area(
        area_at_1_mm(facing, frame.geometry.camera, image::cell_middle(cell_col), image::cell_middle(cell_row)), depth);
    distance = round_to_int(distance_mm(u, v, depth));
  }
  if (slot != kNone && frame.probabilities != nullptr && slot >= view.num_classes)
    sure = sureness(frame.probabilities[static_cast<std::size_t>(view.labels[pixel]) * frame.size() + pixel]);
  for_each_group(slot, [&](std::uint32_t group, bool is_member) {
    const auto total = [&](std::int32_t value) { return warp_sum(is_member ? value : 0); };
    const auto least = [&](std::int32_t value, bool counts) {
      return warp_min(is_member && counts ? value : PixelSums::kFar);
    };
    const auto most = [&](std::int32_t value, bool counts) {
      return warp_max(is_member && counts ? value : -PixelSums::kFar);
    };
    const std::int32_t pixels = total(1), known = total(is_known);
    const std::int32_t left = least(x, true), top = least(y, true), right = most(x, true), bottom = most(y, true);
    const std::int32_t sums_of[5] = {total(sure), total(across), total(forward), total(up), total(area)};
    const std::int32_t nearest = least(distance, is_known);
    const std::int32_t low[3] = {least(across, is_known), least(forward, is_known), least(up, is_known)};
    const std::int32_t high[3] = {most(across, is_known), most(forward, is_known), most(up, is_known)};
    if (threadIdx.x % 32 != 0) return;
    SlotSums& s = sums[group];
    atomicAdd(&s.pixels, static_cast<std::uint32_t>(pixels));
    if (known > 0) atomicAdd(&s.known, static_cast<std::uint32_t>(known));
    atomicMin(&s.left, left);
    atomicMin(&s.top, top);
    atomicMax(&s.right, right);
    atomicMax(&s.bottom, bottom);
    unsigned long long* const to[5] = {&s.sureness, &s.across, &s.forward, &s.up, &s.area};
    for (int i = 0; i < 5; ++i) add_whole(to[i], sums_of[i]);
    if (known == 0) return;
    atomicMin(&s.nearest, nearest);
    if (group < frame.view.num_classes) return;
    for (int axis = 0; axis < 3; ++axis) {
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
  if (i < num_objects * 2 * kDirections) extents[i] = i / kDirections % 2 == 0 ? PixelSums::kFar : -PixelSums::kFar;
}

__global__ void measure_kernel(FrameOnGpu frame, MeasureArgs args, const float* directions) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  const PixelView& view = frame.view;
  std::uint32_t object = kNone;
  if (pixel < frame.size()) {
    const std::uint32_t slot = args.slot_of[pixel];
    if (slot != kNone) object = args.object_of[slot];
    args.numbers[pixel] = object == kNoObject ? image::kNoInstance : static_cast<std::uint16_t>(object + 1);
  }
  const std::int32_t x = static_cast<std::int32_t>(pixel) % view.cols, y = static_cast<std::int32_t>(pixel) / view.cols;
  LevelPoint point = {};
  bool counts = false;
  if (object != kNone && y % kPixelsApart == 0 && (pixel - args.heads[pixel]) % kPixelsApart == 0 &&
      frame.known_mm[pixel] > 0) {
    point = level_point(frame.level(), frame.u(x), frame.v(y), static_cast<float>(frame.known_mm[pixel]));
    counts = true;
  }
  for_each_group(object, [&](std::uint32_t group, bool is_member) {
    const bool is_lane_0 = threadIdx.x % 32 == 0;
    if (args.sureness != nullptr)
      for (std::int32_t c = 0; c < view.num_classes; ++c) {
        const std::int32_t sure =
            warp_sum(is_member ? sureness(frame.probabilities[static_cast<std::size_t>(c) * frame.size() + pixel]) : 0);
        if (is_lane_0) add_whole(args.sureness + group * view.num_classes + c, sure);
      }
    if (__ballot_sync(kAll, is_member && counts) == 0) return;
    for (int k = 0; k < kDirections; ++k) {
      const float along = along_direction(point, directions[k], directions[kDirections + k]);
      const std::int32_t whole = round_to_int(along);
      const std::int32_t low = warp_min(is_member && counts ? whole : PixelSums::kFar);
      const std::int32_t high = warp_max(is_member && counts ? whole : -PixelSums::kFar);
      if (is_lane_0) {
        std::int32_t* const extents = args.extents + group * 2 * kDirections + k;
        if (low < extents[0]) atomicMin(extents, low);
        if (high > extents[kDirections]) atomicMax(extents + kDirections, high);
      }
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
    cuda::launch("sum", sum_kernel, blocks, kThreads, 0, stream, frame_, slot_of_.data(), sums_.data());
    cuda::launch("find_contacts", find_contacts_kernel, blocks, kThreads, 0, stream, frame_, slot_of_.data(),
                 contacts_.data(), counts_.data());
    Counts counts;
    image::Orientation orientation;
    cuda::copy_to_host(counts_.data(), 1, &counts, stream);
    cuda::copy_to_host(geometry.orientation, 1, &orientation, stream);
    stream.synchronize();
    std::vector<SlotSums> sums(num_classes_ + counts.pieces);
    std::vector<uint2> contacts(counts.contacts);
    cuda::copy_to_host(sums_.data(), sums.size(), sums.data(), stream);
    cuda::copy_to_host(contacts_.data(), contacts.size(), contacts.data(), stream);
    stream.synchronize();

    Survey found = {level_frame(geometry.camera, orientation.up), {}, {}, {}};
    for (std::size_t c = 0; c < num_classes_; ++c) found.of_stuff.push_back(sums_of(sums[c]));
    piece_of_.assign(sums.size(), kNoObject);
    std::vector<std::uint32_t> order;
    for (auto slot = static_cast<std::uint32_t>(num_classes_); slot < sums.size(); ++slot) order.push_back(slot);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return sums[a].first < sums[b].first; });
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
    cuda::launch("measure", measure_kernel, cuda::blocks_for(size, kThreads), kThreads, 0, stream, frame_, args,
                 directions_.data());
    Measured found = {image::InstanceImage(static_cast<std::size_t>(view.rows), static_cast<std::size_t>(view.cols)),
                      std::vector<ObjectSums>(num_objects, ObjectSums(frame_.probabilities ? num_classes_ : 0))};
    std::vector<std::int32_t> extents(extents_.size());
    std::vector<unsigned long long> sureness(num_sure);
    cuda::copy_to_host(numbers_.data(), size, found.numbers.data(), stream);
    cuda::copy_to_host(extents_.data(), extents.size(), extents.data(), stream);
    cuda::copy_to_host(sureness_.data(), sureness.size(), sureness.data(), stream);
    stream.synchronize();
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
};

}  // namespace

std::unique_ptr<GpuSurveyor> make_gpu_surveyor(const std::vector<std::uint8_t>& is_thing, double gap_m, int gpu) {
  return std::make_unique<Surveyor>(is_thing, gap_m, gpu);
}

}  // namespace fernwood::objects
