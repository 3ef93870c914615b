// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Grows a tree from a stream, a file, a folder or a pipe (-); under mpirun on several processes: stream RECORDS MODEL
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
    const bool leads = communicator->rank() == 0;  // the one that reads and writes
    fernwood::TableOptions table;
    table.needs_class = true;
    const auto source = leads ? fernwood::open_record_source(argv[1], table, {}, pool) : nullptr;
    const auto options = fernwood::StreamOptions::for_schedule(fernwood::Schedule::kHoeffding);
    const fernwood::RecordForest tree =
        fernwood::train_stream(source.get(), options, {}, pool, *communicator, [](const fernwood::StreamProgress& now) {
          std::cerr << now.records << " records, " << now.leaves << " leaves\r";
        });
    if (leads) fernwood::save_records(tree, argv[2]);
  } catch (const fernwood::Error& failure) {
    std::cerr << failure.what() << "\n";
    return static_cast<int>(failure.kind());
  }
}
