// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Functions shared by the studies of trees from streams.

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "fernwood/core/device.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/stream/train_stream.h"
#include "stream/sketches/leaf_sketches.h"

namespace fernwood::lab {

/// Records for training and for testing, with the same attributes and classes.
struct RecordPair {
  std::string name;
  records::RecordTable train, test;
};

/// @throws Error(kRuntime) if the folder does not exist.
void check_study_folder(const std::filesystem::path& folder);
/// Whether a folder contains NAME.train.libsvm and NAME.test.libsvm.
bool has_pair(const std::filesystem::path& folder, const std::string& name);
/// Reads both files. @throws Error as read_table(), also if the test file has attributes or classes that the training
/// file lacks.
RecordPair read_pair(const std::filesystem::path& folder, const std::string& name);

/// The records with these indices, in this order.
records::RecordTable picked_records(const records::RecordTable& table, std::span<const std::size_t> numbers);

/// Share of the records that a tree classifies correctly.
double accuracy_on(const records::RecordForest& forest, const records::RecordTable& test);
/// The accuracy of always predicting the most frequent class of `train`, the first of equal ones.
double majority_accuracy(const records::RecordTable& train, const records::RecordTable& test);

/// @throws Error(kUsage), Error(kDevice).
inline Device device_of(const stream::StreamWork& work) { return choose_device(work.device).device; }

struct GrownTree {
  records::RecordForest forest;
  stream::StreamReport report;
};
/// Grows a tree from records in memory.
/// @param workers  Threads of each rank. @param ranks  Threads that act as processes. @param sketches  Statistics in
///                 the leaves.
/// @throws Error as train_stream(), Error(kInterrupted).
GrownTree grow_tree(const records::RecordTable& table, const stream::StreamOptions& options,
                    const stream::StreamWork& work, int workers, int ranks = 1,
                    const stream::LeafSketchMaker& sketches = {});
/// The tree with the median time.
GrownTree median_tree(std::vector<GrownTree> trees);
/// Calls grow_tree() `repeats` times, and returns the tree with the median time.
GrownTree grow_median_tree(const records::RecordTable& table, const stream::StreamOptions& options,
                           const stream::StreamWork& work, int workers, int repeats);
/// An exact tree with the same limits. @param workers  Threads.
records::RecordForest exact_tree(const records::RecordTable& table, const stream::StreamOptions& limits, int workers);

/// Checksum of the tree's model file. @throws Error(kRuntime) if no temporary file can be written.
std::string tree_hash(const records::RecordForest& forest);

/// Keys: total, read, navigate, update, merge, communicate, gain; seconds.
nlohmann::ordered_json times_json(const stream::StreamTimes& times);

}  // namespace fernwood::lab
