// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/ranks.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <stop_token>
#include <system_error>
#include <thread>

#include "fernwood/core/device.h"
#include "fernwood/core/model_format.h"
#include "fernwood/core/text.h"
#include "shell/interrupt.h"

namespace fernwood::apps {

namespace {

std::string how_to_go_on(const std::filesystem::path& checkpoint, const std::string& next_time) {
  std::error_code ignored;
  if (!checkpoint.empty() && std::filesystem::exists(checkpoint, ignored))
    return "go on from " + checkpoint.string() + " with --resume, with any number of workers";
  return "nothing is kept of it: start it again" + (checkpoint.empty() && !next_time.empty() ? ", " + next_time : "");
}

void watch_others(Communicator& communicator, const std::filesystem::path& checkpoint, const std::string& next_time) {
  communicator.on_peer_lost([&communicator, checkpoint, next_time](const std::string& sentence) {
    spdlog::error("{}; the run ends: {}", sentence, how_to_go_on(checkpoint, next_time));
    communicator.abort(static_cast<int>(ErrorKind::kRuntime));
  });
}

/// Ends all processes after a failure of one, which reports it. All were interrupted if one was, and end by themselves.
void end_all(const Failure& failure, Communicator& communicator) {
  if (failure.kind != ErrorKind::kInterrupted) {
    spdlog::error(failure_line(failure));
    communicator.abort(static_cast<int>(failure.kind));
  }
  if (communicator.rank() != 0) spdlog::set_level(spdlog::level::off);
}

/// Joins the processes that mpirun started, if any. MPI cannot stop waiting for one that ended before it joined; after
/// `most`, the program ends with a sentence.
std::unique_ptr<Communicator> join_within(std::chrono::seconds most, const std::string& sentence, int exit_code) {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (std::ranges::none_of(std::array{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, is_set))
    return make_communicator();
  std::mutex mutex;
  std::condition_variable_any changed;
  const std::jthread watch([&](const std::stop_token& joined) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, joined, most, [] { return false; });
    if (joined.stop_requested()) return;
    spdlog::error(sentence);
    std::_Exit(exit_code);
  });
  return make_communicator();
}

}  // namespace

std::unique_ptr<Communicator> join_others() {
  constexpr long kUsualS = 120, kMaxS = 1'000'000;
  const char* const text = std::getenv("FERNWOOD_JOIN_SECONDS");  // for clusters that start slowly
  const long most_s = std::clamp(text ? std::strtol(text, nullptr, 10) : kUsualS, 1L, kMaxS);
  const std::string sentence =
      "not all processes have joined within " + std::to_string(most_s) +
      " s: one of them has ended or is another program; see what it said and start all again, or set "
      "FERNWOOD_JOIN_SECONDS if they are slow to start";
  return join_within(std::chrono::seconds(most_s), sentence, static_cast<int>(ErrorKind::kRuntime));
}

void register_exit_message(Communicator& communicator, const std::filesystem::path& checkpoint,
                           const std::string& next_time) {
  if (communicator.size() == 1 || communicator.is_one_process()) return;
  watch_others(communicator, checkpoint, next_time);
  // Two ranks register, since one of them may be the one that has ended.
  if (communicator.rank() > 1) return;
  set_exit_message([checkpoint, next_time] {
    return "this run was ended from outside (a worker ended, or it was interrupted); " +
           how_to_go_on(checkpoint, next_time);
  });
}

std::string failure_line(const Failure& failure) {
  const std::string sentence = failure.sentence.on_command_line();
  return failure.is_expected ? sentence : "unexpected: " + sentence + "; please report this with the command line";
}

void report_usage_error(const std::string& sentence, int exit_code) {
  constexpr unsigned kMaxJoinS = 20, kMaxWaitS = 10;
  try {
    // Others with another command line may never join.
    const std::unique_ptr<Communicator> ranks = join_within(std::chrono::seconds(kMaxJoinS), sentence, exit_code);
    // Rank 0 ends the others, possibly after seconds on a busy machine; a process that alone has a wrong command line
    // reports it after the wait.
    if (ranks->rank() != 0) std::this_thread::sleep_for(std::chrono::seconds(kMaxWaitS));
    spdlog::error(sentence);
    if (!ranks->is_one_process()) ranks->abort(exit_code);
  } catch (const Error&) {  // MPI is missing, or was started before
    spdlog::error(sentence);
  }
}

void wait_for_first(Communicator& ranks, bool failed) {
  if (failed && ranks.is_one_process()) return;  // the exception reaches the other threads
  const std::vector<Bytes> told = ranks.gather_all(Bytes(failed ? 1 : 0));
  if (told[0].empty()) return;
  if (ranks.rank() != 0) set_exit_message({});
  ranks.gather_all({});
  if (ranks.rank() == 0) return;
  constexpr int kMaxWaitS = 20;  // for being ended
  std::this_thread::sleep_for(std::chrono::seconds(kMaxWaitS));
  ranks.abort(static_cast<int>(ErrorKind::kRuntime));
}

void work_on_ranks(const std::string& device, const std::function<void(Communicator&)>& work) {
  const std::unique_ptr<Communicator> ranks = join_others();
  const int num_devices = ranks->size() == 1 ? num_listed_devices(device) : 1;
  if (num_devices > 1) return run_as_ranks(num_devices, work);
  watch_others(*ranks, "", "");
  try {
    work(*ranks);
  } catch (...) {
    if (!ranks->is_one_process()) end_all(failure_in_hand(), *ranks);
    throw;
  }
}

JointCounter::JointCounter(const std::string& phase, std::size_t total, Communicator& ranks)
    : phase_(phase), total_(total), ranks_(ranks) {
  if (ranks_.rank() != 0) return;
  ranks_.when_told([this](std::span<const double> told) {
    const std::scoped_lock lock(mutex_);
    others_ = std::accumulate(told.begin(), told.end(), 0.0);
    show();
  });
}

JointCounter::~JointCounter() {
  if (ranks_.rank() == 0) ranks_.when_told({});
}

ProgressCallback JointCounter::callback() {
  return [this](std::size_t done, std::size_t) {
    throw_if_interrupted();
    const auto counted = static_cast<double>(done);
    if (ranks_.rank() != 0) return ranks_.tell_progress(counted);
    const std::scoped_lock lock(mutex_);
    own_ = counted;
    show();
  };
}

void JointCounter::clear() {
  if (ranks_.rank() != 0) return;
  ranks_.when_told({});
  bar_.clear();
}

void JointCounter::show() {
  const double done = own_ + others_;
  bar_.show(phase_, format_count(static_cast<std::size_t>(done)) + " of " + format_count(total_),
            total_ > 0 ? std::min(1.0, done / static_cast<double>(total_)) : 1);
}

}  // namespace fernwood::apps
