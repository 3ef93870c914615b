// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Grows a tree from a stream (a file, a folder or a pipe, -), under mpirun on several processes: stream RECORDS MODEL
#include <iostream>

#include "fernwood/core/error.h"
#include "fernwood/records/record_file.h"
#include "fernwood/stream/train_stream.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: stream RECORDS MODEL\n";
    return 2;
  }
  try {
    fernwood::ThreadPool pool;
    const auto communicator = fernwood::make_communicator();
    const bool leads = communicator->rank() == 0;  // this rank reads and writes
    fernwood::records::TableOptions table;
    table.needs_class = true;
    const auto source = leads ? fernwood::stream::open_record_source(argv[1], table, {}, pool) : nullptr;
    const auto options = fernwood::stream::StreamOptions::for_schedule(fernwood::stream::Schedule::kHoeffding);
    const fernwood::records::RecordForest tree = fernwood::stream::train_stream(
        source.get(), options, {}, pool, *communicator, [](const fernwood::stream::StreamProgress& now) {
          std::cerr << now.records << " records, " << now.leaves << " leaves\r";
        });
    if (leads) fernwood::records::save_records(tree, argv[2]);
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
