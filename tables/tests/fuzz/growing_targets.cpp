// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cstring>

#include "fernwood/core/file.h"
#include "fuzz/tables_targets.h"
#include "stream/stream_runs.h"

namespace fernwood::fuzz {

namespace {

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
