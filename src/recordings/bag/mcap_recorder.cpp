// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/dataset/mcap_recorder.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/bounded_queue.h"
#include "dataset/bag/ascending_stamps.h"
#include "dataset/bag/mcap_messages.h"
#include "fernwood/core/error.h"
#include "fernwood/dataset/frame_messages.h"

namespace fernwood::dataset {

namespace {

constexpr std::size_t kMostWaitingToRecord = 16;

}  // namespace

struct McapRecorder::Work {
  Work(const std::filesystem::path& file, std::vector<std::string> class_names)
      : name(file.string()), messages(file, std::move(class_names)) {
    thread = std::thread([this] { write_all(); });
  }

  void write_all() {
    try {
      while (true) {
        const std::optional<RecordedItem> item = waiting.pop_for(std::chrono::seconds(1));
        if (!item && waiting.is_finished()) break;
        write(item);
      }
      messages.output().finish();
      num_written = num_added;
    } catch (...) {
      failure = std::current_exception();
      waiting.close_and_clear();
    }
  }

  /// Without an item, nothing has arrived for a while: received messages are flushed to the disk.
  void write(const std::optional<RecordedItem>& item) {
    if (item) {
      messages.write(*item);
      num_added += item->frame ? 1 : 0;
      if (!messages.output().flush_if_full()) return;
    } else {
      messages.output().flush();
    }
    num_written = num_added;
  }

  void push(RecordedItem item) {
    if (!waiting.push(std::move(item))) finish();
  }

  void finish() {
    waiting.close();
    const std::lock_guard lock(finishing);
    if (thread.joinable()) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

  std::string name;
  McapMessages messages;
  std::mutex stamping;
  AscendingStamps stamps;  // guarded by the mutex
  BoundedQueue<RecordedItem> waiting{kMostWaitingToRecord, WhenFull::kWait};
  std::size_t num_added = 0;  // used by the thread only
  std::atomic<std::size_t> num_written = 0;
  std::exception_ptr failure;  // written by the thread, read after it has ended
  std::mutex finishing;
  std::thread thread;
};

McapRecorder::McapRecorder(const std::filesystem::path& file, std::vector<std::string> class_names) {
  FW_CHECK(!file.empty(), Usage, "the name of the recording is empty; name a new file");
  FW_CHECK(class_names.size() <= kNoClass, Usage,
           file.string() << ": the model has " << class_names.size()
                         << " classes, and labels are recorded in masks of 8 bits, which tell " << int{kNoClass}
                         << " apart; record to a folder");
  work_ = std::make_unique<Work>(file, std::move(class_names));
}

McapRecorder::~McapRecorder() {
  try {
    work_->finish();
  } catch (...) {  // finish() was not called
  }
}

void McapRecorder::add(const CapturedFrame& frame) {
  FW_CHECK(frame.frame->maps.empty(), Usage,
           work_->name << ": frames have feature maps, which recordings in MCAP do not hold; record to a folder");
  const std::unique_lock lock(work_->stamping);
  const std::int64_t stamp_ns = work_->stamps.add(frame);
  work_->push({.stamp_ns = stamp_ns, .frame_id = frame.frame_id, .frame = frame.frame, .pose = frame.pose});
}

void McapRecorder::add_labels(const CapturedFrame& frame, const image::LabelImage& labels,
                              std::span<const Array2<float>> probabilities) {
  RecordedItem item{.frame_id = frame.frame_id, .mask = mask_of(labels)};
  if (!probabilities.empty()) item.confidence = confidence_of(labels, probabilities);
  const std::unique_lock lock(work_->stamping);
  const std::optional<std::int64_t> stamp_ns = work_->stamps.find(frame);
  FW_CHECK(stamp_ns, Usage, work_->name << ": labels came for a frame that was not recorded; add the frame before");
  item.stamp_ns = *stamp_ns;
  work_->push(std::move(item));
}

void McapRecorder::finish() { work_->finish(); }

std::size_t McapRecorder::num_written() const { return work_->num_written; }

std::vector<std::string> McapRecorder::warnings() const {
  if (work_->messages.output().is_compressed()) return {};
  return {work_->name +
          ": is written without compression, by the plug-in fernwood_bags.so, which is not here; install zstd, LZ4, "
          "bzip2 and SQLite (Debian and Ubuntu: libzstd-dev liblz4-dev libbz2-dev libsqlite3-dev), configure and build "
          "fernwood again"};
}

}  // namespace fernwood::dataset
