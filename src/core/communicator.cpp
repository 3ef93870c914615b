// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/communicator.h"

#include <cstdlib>
#include <string>

#include "core/messages.h"
#include "core/mpi_communicator.h"
#include "fernwood/core/error.h"
#include "fernwood/core/plugin.h"

namespace fernwood {

namespace {

class SingleProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, 1);
    return outgoing;
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override { return {mine}; }
  void abandon(int) noexcept override {}
};

/// What a launcher tells the processes that it starts.
struct Launch {
  const char* variable = nullptr;  ///< Null: there is no launcher.
  int min_size = 1;                ///< There are at least that many processes.
};

/// Open MPI and MPICH tell the number of processes; PMIx, as with Slurm, only that of this one.
Launch find_launch() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(variable)) return {variable, std::atoi(size)};
  if (const char* rank = std::getenv("PMIX_RANK")) return {"PMIX_RANK", std::atoi(rank) + 1};
  return {};
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(std::size_t max_piece_bytes) {
  const Launch launch = find_launch();
  if (launch.variable == nullptr) return std::make_unique<SingleProcess>();
  MakeMpiCommunicator* const make = find_plugin<MakeMpiCommunicator>("mpi", "fernwood_make_communicator");
  FW_CHECK(make != nullptr, Runtime,
           "mpirun started this program (" << launch.variable << " is set), but this fernwood has no MPI; install "
                                           << "libopenmpi-dev and build with FERNWOOD_MPI=ON, or start it without "
                                           << "mpirun");
  std::unique_ptr<Communicator> communicator(make(max_piece_bytes));
  // Each process would else do the whole task alone.
  FW_CHECK(communicator->size() >= launch.min_size, Runtime,
           "mpirun started at least " << launch.min_size << " processes (" << launch.variable << "), but MPI knows of "
                                      << communicator->size()
                                      << "; start them with the mpirun of the MPI that fernwood "
                                      << "was built with");
  return communicator;
}

std::unique_ptr<Communicator> make_communicator() { return make_communicator(kMaxPieceBytes); }

}  // namespace fernwood
