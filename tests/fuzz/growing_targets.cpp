// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cstring>
#include <sstream>

#include "fernwood/core/file.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/train/train.h"
#include "forest/model_parts.h"
#include "forest/noise.h"
#include "fuzz/target.h"
#include "stream/stream_runs.h"

namespace fernwood::fuzz {

namespace {

/// Two tiny frames.
const dataset::Dataset& tiny_dataset() {
  static const dataset::Dataset opened = [] {
    const std::filesystem::path folder = scratch_folder() / "frames";
    std::filesystem::create_directories(folder);
    for (const std::uint32_t number : {1u, 2u}) {
      const std::string name = std::to_string(number);
      const image::Frame frame = forest::noise_frame(12, 16, number);
      Array2<image::Rgb> truth(12, 16);
      for (std::size_t i = 0; i < truth.size(); ++i)
        truth.data()[i] = frame.color.data()[i].r < 128 ? image::Rgb{7, 54, 66} : image::Rgb{181, 137, 0};
      dataset::write_png(folder / (name + "_colors.png"), frame.color);
      dataset::write_png16(folder / (name + "_depth.png"), frame.depth_mm);
      dataset::write_png(folder / (name + "_ground_truth.png"), truth);
    }
    return dataset::Dataset::open(folder);
  }();
  return opened;
}

train::TrainOptions tiny_training() {
  train::TrainOptions options = train::defaults_of(forest::ForestKind::kForest);
  options.trees = 2;
  options.samples_per_frame = 60;
  options.features = 4;
  options.thresholds = 3;
  options.max_depth = 3;
  options.min_samples = 4;
  options.max_offset = 20;
  options.max_half_extent = 3;
  options.mirror_augmentation = false;
  return options;
}

const train::TrainResources kOneThread = {.device = "cpu", .threads = 1};

/// Tables from which streams are trained.
const records::RecordTable& tiny_stream(records::Task task = records::Task::kAuto) {
  static const records::RecordTable classes = stream::noisy_records(11, 300, 3, 2);
  static const records::RecordTable targets = stream::with_targets(classes);
  return task == records::Task::kRegression ? targets : classes;
}

stream::StreamOptions tiny_stream_options(stream::Schedule schedule) {
  stream::StreamOptions options = stream::quick_options(schedule);
  options.bins = 8;
  options.max_depth = 3;
  options.samples_per_leaf = 50;
  options.batch = 60;
  options.grace_period = 30;
  return options;
}

/// Calls grow(table, options) for each schedule and task of stream training.
template <typename Grow>
void for_each_tiny_growth(const Grow& grow) {
  for (const records::Task task : {records::Task::kAuto, records::Task::kRegression})
    for (const stream::Schedule schedule : stream::kSchedules) {
      if (task == records::Task::kRegression && schedule == stream::Schedule::kAdaptive) continue;  // is not supported
      stream::StreamOptions options = tiny_stream_options(schedule);
      options.task = task;
      grow(tiny_stream(task), options);
    }
}

}  // namespace

int fuzz_train_checkpoint(const std::uint8_t* data, std::size_t size) {
  const dataset::Dataset& frames = tiny_dataset();
  train::TrainHooks hooks;
  hooks.checkpoint = scratch_folder() / "checkpoint";
  hooks.resume = true;
  write_bytes(hooks.checkpoint, data, size);
  reads([&] {
    const forest::Forest forest = train::train_forest(frames, tiny_training(), kOneThread, hooks);
    std::ostringstream written;
    forest::write_forest(forest, "model", written);
  });
  return 0;
}

std::vector<Bytes> train_checkpoint_seeds() {
  std::vector<Bytes> seeds;
  for (const int levels : {1, 2, 4, 100}) {
    std::stop_source stop;
    train::TrainHooks hooks;
    hooks.checkpoint = scratch_folder() / "seed_checkpoint";
    hooks.stop = stop.get_token();
    hooks.level_done = [&, done = 0](const train::LevelReport&) mutable {
      if (++done == levels) stop.request_stop();
    };
    reads([&] { train::train_forest(tiny_dataset(), tiny_training(), kOneThread, hooks); });
    seeds.push_back(read_file(hooks.checkpoint));
  }
  return seeds;
}

int fuzz_stream_checkpoint(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path path = scratch_folder() / "stream_checkpoint";
  write_bytes(path, data, size);
  for_each_tiny_growth([&](const records::RecordTable& table, const stream::StreamOptions& options) {
    reads([&] {
      stream::forest_of(table, options, {.parallel = stream::Parallel::kData, .checkpoint = path, .resume = true});
    });
  });
  return 0;
}

std::vector<Bytes> stream_checkpoint_seeds() {
  std::vector<Bytes> seeds;
  for_each_tiny_growth([&](const records::RecordTable& table, const stream::StreamOptions& options) {
    for (const int call : {2, 3}) {
      const std::filesystem::path path = scratch_folder() / "stream_seed";
      stream::StreamRun run{.parallel = stream::Parallel::kData, .checkpoint = path};
      run.progress = stream::stop_at(call);
      std::filesystem::remove(path);
      reads([&] { stream::forests_of(table, options, run); });
      if (std::filesystem::exists(path)) seeds.push_back(read_file(path));
    }
  });
  return seeds;
}

namespace {

/// An error that one process makes in one of its messages.
struct Lie {
  std::uint8_t call;  ///< Index of the exchange, from 0; from 128 on: of the second process.
  std::uint8_t kind;
  std::uint16_t at;  ///< Position in the message.
  std::uint32_t value;

  void tell(Bytes& message) const {
    const auto put = [&](const auto& number) {
      if (message.size() >= sizeof(number))
        std::memcpy(message.data() + at % (message.size() - sizeof(number) + 1), &number, sizeof(number));
    };
    switch (kind % 5) {
      case 0:
        return put(static_cast<std::uint8_t>(value));
      case 1:
        return put(value);
      case 2:
        return put(std::uint64_t{value} << (at % 33));
      case 3:
        return message.resize(message.empty() ? 0 : at % message.size());
      default:
        message.insert(message.end(), at % 1024, static_cast<std::uint8_t>(value));
    }
  }
};
static_assert(sizeof(Lie) == 8);

/// A communicator that corrupts the messages of its process.
class Liar : public Communicator {
 public:
  Liar(Communicator& honest, const std::vector<Lie>& lies) : honest_(honest), lies_(lies) {}

  int rank() const override { return honest_.rank(); }
  int size() const override { return honest_.size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    for (std::size_t to = 0; to < outgoing.size(); ++to)
      if (to != static_cast<std::size_t>(rank())) tell(outgoing[to]);
    ++num_calls_;
    return honest_.exchange(std::move(outgoing));
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override {
    Bytes told = mine;
    tell(told);
    ++num_calls_;
    return honest_.gather_all(told);
  }
  void abort(int exit_code) noexcept override { honest_.abort(exit_code); }

 private:
  void tell(Bytes& message) const {
    for (const Lie& lie : lies_)
      if (lie.call / 128 == rank() && lie.call % 128 == num_calls_) lie.tell(message);
  }

  Communicator& honest_;
  const std::vector<Lie>& lies_;
  int num_calls_ = 0;
};

}  // namespace

int fuzz_messages(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array kParallel = {stream::Parallel::kData, stream::Parallel::kFeature};
  stream::StreamOptions options = tiny_stream_options(stream::kSchedules[data[0] % stream::kSchedules.size()]);
  if (data[0] / 32 % 2 == 1) options.task = records::Task::kRegression;
  std::vector<Lie> lies((size - 1) / sizeof(Lie));
  if (!lies.empty()) std::memcpy(lies.data(), data + 1, lies.size() * sizeof(Lie));
  reads([&] {
    run_as_ranks(2, [&](Communicator& honest) {
      Liar ranks(honest, lies);
      stream::RowsSource source(tiny_stream(options.task));
      ThreadPool pool(1);
      stream::StreamWork work;
      work.parallel = kParallel[data[0] / 16 % kParallel.size()];
      stream::train_stream(ranks.rank() == 0 ? &source : nullptr, options, work, pool, ranks);
    });
  });
  return 0;
}

std::vector<Bytes> message_seeds() {
  std::vector<Bytes> seeds;
  for (const std::uint8_t how : {0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 48, 50})
    for (const std::uint8_t call : {1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 132, 134})
      seeds.push_back({how, call, static_cast<std::uint8_t>(call % 2), 8, 0, 64, 255, 255, 254});
  return seeds;
}

}  // namespace fernwood::fuzz
