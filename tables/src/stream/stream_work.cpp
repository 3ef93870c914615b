// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/option_error.h"
#include "fernwood/stream/stream_options.h"

namespace fernwood::stream {

std::string to_string(Parallel parallel) {
  constexpr std::array kNames = {"sequential", "node", "feature", "data", "data-feature"};
  return kNames[static_cast<std::size_t>(parallel)];
}

namespace {

using Checkpoints = StreamCheckpointOptions;
using Work = StreamWork;

constexpr std::array kWorkRows = {
    option<&Work::workers>("workers", "Threads per process; 0: all cores, with mpirun this process's share")
        .in(from_to(0, 4096))
        .abbreviated('j'),
    choice_option<kParallels, &Work::parallel>("parallel", "Parallelisation across workers"),
    option<&Work::device>("device", "Device for counting records: cpu, cuda, cuda:N or auto").takes("NAME"),
    size_option<1, &Work::memory_budget_bytes>("memory-budget",
                                               "Memory limit for the histograms of open leaves, such as 4GiB")
        .default_means("what is free"),
    option<&Work::accuracy_window>("accuracy-window", "Window, in records, of the recent prequential accuracy")
        .in(from_to(1, 1e12)),
};

constexpr std::array kCheckpointRows = {
    option<&Checkpoints::file>("checkpoint", "File for the checkpoint").takes("FILE"),
    option<&Checkpoints::every_s>("checkpoint-every",
                                  "Minimum interval between checkpoints, in seconds; they are written between rounds")
        .takes("S")
        .in(from_to(0, 1e9)),
    option<&Checkpoints::resume>("resume", "Resume from the checkpoint, with any number of workers"),
};

}  // namespace

OptionTable<StreamWork> StreamWork::table() { return kWorkRows; }
OptionTable<StreamCheckpointOptions> StreamCheckpointOptions::table() { return kCheckpointRows; }

void StreamWork::check() const {
  check_options(table(), *this);
  checkpoint.check();
}

void StreamCheckpointOptions::check() const {
  check_options(table(), *this);
  require_together(!resume || !file.empty(), "{} needs the file to go on from; add {}",
                   {{"resume"}, {"checkpoint", "FILE"}});
}

}  // namespace fernwood::stream
