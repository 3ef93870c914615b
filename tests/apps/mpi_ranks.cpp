// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The program that mpirun_test.sh starts as several processes:
//   mpi_ranks laws [BYTES]   tests the laws of a communicator; messages are cut into pieces of at most BYTES
//   mpi_ranks fail           rank 1 throws an error while the others wait for it; exit code 3
//   mpi_ranks abort          rank 1 aborts all ranks with exit code 5
//   mpi_ranks work           prints "RANK PID" and exchanges messages until a signal comes
//   mpi_ranks sleep          prints "RANK PID" and does not communicate; ends when a peer is lost

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <limits>

#include "core/communicator_laws.h"
#include "core/messages.h"
#include "shell/interrupt.h"

namespace fernwood::apps {
namespace {

Communicator* launched = nullptr;

INSTANTIATE_TEST_SUITE_P(Launched, EveryCommunicator,
                         testing::Values(Way{"Processes", [](const Body& body) { body(*launched); }}), name_of);

int keep_laws(std::size_t max_piece_bytes) {
  const auto ranks = make_communicator(max_piece_bytes);
  launched = ranks.get();
  std::cout << "rank " << ranks->rank() << " of " << ranks->size() << std::endl;
  return RUN_ALL_TESTS();
}

void work() {
  const auto ranks = make_communicator();
  set_exit_message(
      [rank = ranks->rank()] { return "rank " + std::to_string(rank) + " was ended from outside; resume"; });
  std::cout << ranks->rank() << ' ' << ::getpid() << std::endl;
  while (true) ranks->gather_all(Bytes(1000));
}

void sleep_apart() {
  const auto ranks = make_communicator();
  ranks->on_peer_lost([&](const std::string& sentence) {
    spdlog::error(sentence);
    ranks->abort(1);
  });
  std::cout << ranks->rank() << ' ' << ::getpid() << std::endl;
  while (true) ::pause();
}

void stop_at_rank_1(const std::function<void(Communicator&)>& stop) {
  const auto ranks = make_communicator();
  ranks->gather_all({});
  if (ranks->rank() == 1) stop(*ranks);
  ranks->gather_all({});
}

int run(const std::string& task, const char* bytes) {
  if (task == "laws") return keep_laws(bytes ? std::strtoull(bytes, nullptr, 10) : kMaxPieceBytes);
  if (task == "fail") stop_at_rank_1([](Communicator&) { throw Error(ErrorKind::kData, "rank 1 cannot read"); });
  if (task == "abort") stop_at_rank_1([](Communicator& ranks) { ranks.abort(5); });
  if (task == "work") work();
  if (task == "sleep") sleep_apart();
  return 0;
}

}  // namespace
}  // namespace fernwood::apps

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fernwood::apps::watch_interrupts();
  spdlog::set_default_logger(spdlog::stderr_logger_mt("mpi_ranks"));
  spdlog::set_pattern("%l: %v");
  try {
    return fernwood::apps::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : nullptr);
  } catch (const fernwood::Error& error) {
    spdlog::error(error.what());
    return static_cast<int>(error.kind());
  }
}
