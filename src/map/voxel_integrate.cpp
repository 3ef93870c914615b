// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Fuses a frame into a map, in three steps: pixels become points in voxels, row tile by row tile; runs of pixels in one
// block are assigned to that block, and new blocks are created in pixel order; each block sums up its points, and adds
// their mean to its voxels. Each block is processed by one thread, so that no locks are needed.

#include <algorithm>
#include <utility>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"

#include "map/voxel_content.h"

namespace fernwood::map {

namespace {

constexpr std::size_t kTileRows = 16;
constexpr std::size_t kBlocksAtOnce = 4;  // per thread

/// Consecutive pixels of a row whose points are in the same block.
struct PixelRun {
  std::uint64_t key;
  std::uint32_t first, count;
};
struct BlockRun {
  std::uint32_t first, count;
};

class FrameFusion {
 public:
  /// @param labels  Used instead of the frame's probabilities; null: the probabilities are used.
  FrameFusion(VoxelMap::Content& map, const MapFrame& frame, ThreadPool& pool,
              const image::LabelImage* labels = nullptr)
      : map_(map),
        frame_(frame),
        pool_(pool),
        labels_(labels ? labels->data() : nullptr),
        rays_(frame.frame),
        view_(frame_points(frame.frame.depth_mm, rays_, frame.pose, map.options)),
        rows_(frame.frame.rows()),
        cols_(frame.frame.cols()),
        points_(rows_ * cols_),
        tiles_((rows_ + kTileRows - 1) / kTileRows) {
    for (const Array2<float>& plane : frame.probabilities) planes_.push_back(plane.data());
  }

  FusedFrame run() {
    pool_.for_each(tiles_.size(), [&](std::size_t tile, int) { find_points(tile); });
    hand_out();
    fuse_blocks();
    return fused_;
  }

 private:
  void find_points(std::size_t tile) {
    std::vector<PixelRun>& runs = tiles_[tile];
    const std::size_t end = std::min(rows_, (tile + 1) * kTileRows);
    for (std::size_t row = tile * kTileRows; row < end; ++row) {
      bool in_run = false;
      for (std::size_t col = 0; col < cols_; ++col) {
        VoxelPoint point;
        if (!view_.find(static_cast<std::int32_t>(row), static_cast<std::int32_t>(col), &point)) {
          in_run = false;
          continue;
        }
        const std::uint64_t key = block_key(point.x, point.y, point.z);
        const auto pixel = static_cast<std::uint32_t>(row * cols_ + col);
        points_[pixel] = pack_point(point);
        if (in_run && runs.back().key == key)
          ++runs.back().count;
        else
          runs.push_back({key, pixel, 1});
        in_run = true;
      }
    }
  }

  /// Sorts the runs of all tiles by their blocks.
  void hand_out() {
    std::vector<std::uint32_t> place_of(map_.blocks.size(), kNoBlock);  // index among the frame's blocks
    std::vector<std::uint32_t> place_of_run;
    for (const std::vector<PixelRun>& runs : tiles_)
      for (const PixelRun& run : runs) {
        std::uint32_t block = map_.table.find(run.key);
        if (block == kNoBlock) block = map_.add_block(run.key);
        if (block == kNoBlock) {
          fused_.num_refused += run.count;
          place_of_run.push_back(kNoBlock);
          continue;
        }
        place_of.resize(map_.blocks.size(), kNoBlock);
        if (place_of[block] == kNoBlock) {
          place_of[block] = static_cast<std::uint32_t>(blocks_.size());
          blocks_.push_back(block);
          starts_.push_back(0);
        }
        place_of_run.push_back(place_of[block]);
        ++starts_[place_of[block]];
        fused_.num_pixels += run.count;
      }
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts_) sum += std::exchange(start, sum);
    runs_.resize(sum);
    std::vector<std::uint32_t> next = starts_;
    starts_.push_back(sum);
    for (std::size_t i = 0; const std::vector<PixelRun>& runs : tiles_)
      for (const PixelRun& run : runs)
        if (const std::uint32_t place = place_of_run[i++]; place != kNoBlock)
          runs_[next[place]++] = {run.first, run.count};
  }

  /// Sums over a frame's points in a block.
  struct Scratch {
    std::vector<std::int32_t> sums;    // [voxel][value], with the number of points at kWeight
    std::vector<std::int32_t> weight;  // [voxel] sum of the points' own weights
    std::vector<std::int32_t> voxels;  // voxels with points
    std::size_t num_voxels = 0;
  };

  void fuse_blocks() {
    const std::size_t num_tasks = (blocks_.size() + kBlocksAtOnce - 1) / kBlocksAtOnce;
    std::vector<Scratch> scratch(static_cast<std::size_t>(pool_.num_threads()));
    pool_.for_each(num_tasks, [&](std::size_t task, int worker) {
      Scratch& own = scratch[static_cast<std::size_t>(worker)];
      if (own.sums.empty()) {
        own.sums.resize(map_.block_values());
        own.weight.resize(kBlockVoxels);
      }
      const std::size_t end = std::min(blocks_.size(), (task + 1) * kBlocksAtOnce);
      for (std::size_t i = task * kBlocksAtOnce; i < end; ++i) {
        for (std::uint32_t r = starts_[i]; r < starts_[i + 1]; ++r) add_run(runs_[r], own);
        add_observations(blocks_[i], own);
      }
    });
    for (const Scratch& own : scratch) fused_.num_voxels += own.num_voxels;
  }

  void add_run(const BlockRun& run, Scratch& own) const {
    const int stride = map_.stride(), num_classes = map_.num_classes();
    const image::Frame& frame = frame_.frame;
    const std::size_t row = run.first / cols_;
    for (std::uint32_t pixel = run.first; pixel < run.first + run.count; ++pixel) {
      const std::uint32_t packed = points_[pixel];
      const std::int32_t voxel = packed_voxel(packed);
      std::int32_t* const sums = own.sums.data() + static_cast<std::ptrdiff_t>(voxel) * stride;
      if (sums[kWeight] == 0) own.voxels.push_back(voxel);
      if (sums[kWeight] == kMaxPoints) continue;
      ++sums[kWeight];
      own.weight[static_cast<std::size_t>(voxel)] += observation_weight(frame.depth_mm.data()[pixel]);
      for (int axis = 0; axis < 3; ++axis) sums[kOffset + axis] += packed_offset(packed, axis);
      if (!frame.color.empty()) {
        const image::Rgb color = frame.color.data()[pixel];
        sums[kColor] += color.r;
        sums[kColor + 1] += color.g;
        sums[kColor + 2] += color.b;
      }
      if (image::Vector3 normal;
          view_.normal(static_cast<std::int32_t>(row), static_cast<std::int32_t>(pixel - row * cols_), &normal)) {
        sums[kNormal] += whole_normal(normal.x);
        sums[kNormal + 1] += whole_normal(normal.y);
        sums[kNormal + 2] += whole_normal(normal.z);
      }
      if (labels_) {
        if (labels_[pixel] != image::kVoid) sums[kFirstClass + labels_[pixel]] += whole_probability(1);
        continue;
      }
      for (int c = 0; c < num_classes; ++c)
        sums[kFirstClass + c] += whole_probability(planes_[static_cast<std::size_t>(c)][pixel]);
    }
  }

  void add_observations(std::uint32_t block, Scratch& own) const {
    const int stride = map_.stride();
    for (const std::int32_t voxel : own.voxels) {
      std::int32_t* const sums = own.sums.data() + static_cast<std::ptrdiff_t>(voxel) * stride;
      std::uint16_t* const to = map_.blocks[block].get() + static_cast<std::ptrdiff_t>(voxel) * stride;
      add_observation(to, sums, stride, std::exchange(own.weight[static_cast<std::size_t>(voxel)], 0));
      std::fill_n(sums, stride, 0);
    }
    own.num_voxels += own.voxels.size();
    own.voxels.clear();
  }

  VoxelMap::Content& map_;
  const MapFrame& frame_;
  ThreadPool& pool_;
  const std::uint16_t* labels_;
  PixelRays rays_;
  FramePoints view_;
  std::size_t rows_, cols_;
  std::vector<const float*> planes_;            // [class] probabilities
  std::vector<std::uint32_t> points_;           // [pixel] packed
  std::vector<std::vector<PixelRun>> tiles_;    // [row tile]
  std::vector<std::uint32_t> blocks_, starts_;  // [block of the frame], starts_ has one more
  std::vector<BlockRun> runs_;
  FusedFrame fused_;
};

template <typename Image>
bool is_of_size(const Image& image, const Array2<std::uint16_t>& depth) {
  return image.rows() == depth.rows() && image.cols() == depth.cols();
}

void check_images(const image::Frame& images, const image::RigidMotion& pose) {
  FW_CHECK(!images.depth_mm.empty(), Data, "the frame has no depth, by which its pixels get their places in a map");
  image::check_frame_images(images);
  const std::string problem = image::problem_of(pose);
  FW_CHECK(problem.empty(), Data, "the pose " << problem);
}

void check_probabilities(const MapFrame& frame, const image::ClassMap& classes) {
  FW_CHECK(
      frame.probabilities.size() == classes.size(), Data,
      "the frame has probabilities of " << frame.probabilities.size() << " classes, the map has " << classes.size());
  for (const Array2<float>& plane : frame.probabilities)
    FW_CHECK(is_of_size(plane, frame.frame.depth_mm), Data,
             "probabilities of " << plane.cols() << " x " << plane.rows() << " pixels do not fit a frame of "
                                 << frame.frame.depth_mm.cols() << " x " << frame.frame.depth_mm.rows());
}

void check_labels(const image::Frame& frame, const image::LabelImage& labels, const image::ClassMap& classes) {
  FW_CHECK(is_of_size(labels, frame.depth_mm), Data,
           "labels of " << labels.cols() << " x " << labels.rows() << " pixels do not fit a frame of "
                        << frame.depth_mm.cols() << " x " << frame.depth_mm.rows());
  for (const std::uint16_t label : labels)
    FW_CHECK(label == image::kVoid || label < classes.size(), Data,
             "the frame has a label of class " << label << ", the map has " << classes.size() << " classes");
}

std::vector<Array2<float>> one_hot(const image::LabelImage& labels, std::size_t num_classes) {
  std::vector<Array2<float>> planes(num_classes, Array2<float>(labels.rows(), labels.cols()));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels.data()[i] != image::kVoid) planes[labels.data()[i]].data()[i] = 1;
  return planes;
}

}  // namespace

FusedFrame VoxelMap::integrate(const MapFrame& frame, ThreadPool& pool) {
  check_images(frame.frame, frame.pose);
  check_probabilities(frame, content_->classes);
  const FusedFrame fused = content_->gpu ? content_->gpu->integrate(frame) : FrameFusion(*content_, frame, pool).run();
  content_->count(frame.frame, frame.pose);
  return fused;
}

FusedFrame VoxelMap::integrate_labels(const image::Frame& frame, const image::RigidMotion& pose,
                                      const image::LabelImage& labels, ThreadPool& pool) {
  check_images(frame, pose);
  check_labels(frame, labels, content_->classes);
  if (content_->gpu) return integrate({frame, pose, one_hot(labels, content_->classes.size())}, pool);
  const FusedFrame fused = FrameFusion(*content_, {frame, pose, {}}, pool, &labels).run();
  content_->count(frame, pose);
  return fused;
}

FusedFrame VoxelMap::label_and_integrate(const image::Frame& frame, const image::RigidMotion& pose,
                                         predict::Predictor& predictor, ThreadPool& pool, FusionTimes* times) {
  const bool stays =
      content_->gpu && predictor.device() == device() && predictor.predicts_on_device() && frame.maps.empty();
  if (stays) {
    check_images(frame, pose);
    const FusedFrame fused = content_->gpu->label_and_integrate(frame, pose, predictor, times);
    content_->count(frame, pose);
    return fused;
  }
  const double start = seconds_now();
  image::FrameImages images(frame);
  images.pose = pose;
  const predict::Prediction prediction = predictor.predict(images, {true, false});
  const double labelled = seconds_now();
  const FusedFrame fused = integrate({frame, pose, prediction.probabilities}, pool);
  if (times != nullptr) *times = {labelled - start, seconds_now() - labelled};
  return fused;
}

}  // namespace fernwood::map
