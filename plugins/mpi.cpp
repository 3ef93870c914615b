// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The plug-in mpi: processes that mpirun started together, the only file that knows MPI.

// The C interface only: that of C++ would need one more library.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <exception>
#include <span>
#include <string>

#include "core/messages.h"
#include "fernwood/core/error.h"

namespace fernwood {

namespace {

using Message = std::span<const std::uint8_t>;

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::kRuntime,
              "MPI: " + std::string(what) + " failed: " + text + "; see whether the other processes still run");
}

void start_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  FW_CHECK(started == 0, Runtime, "MPI: was started before; a process can do so once");
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "starting");
  FW_CHECK(provided >= MPI_THREAD_SERIALIZED, Runtime,
           "MPI: this build of it knows no threads (MPI_THREAD_SERIALIZED); use one that does");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "choosing how errors are told");
}

class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(std::size_t max_piece_bytes) : max_piece_bytes_(max_piece_bytes) {
    start_mpi();
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "asking for the rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "asking for the number of processes");
  }
  ~MpiCommunicator() override {
    // Finalizing waits for all ranks. One that fails does not: it ends unfinalized, and then mpirun ends the others.
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_one_for_each_rank(outgoing, size_);
    std::vector<Bytes> incoming = receive_while_sending({outgoing.begin(), outgoing.end()});
    incoming[self()] = std::move(outgoing[self()]);
    return incoming;
  }

  std::vector<Bytes> gather_all(const Bytes& mine) override {
    std::vector<Bytes> incoming = receive_while_sending(std::vector<Message>(num_ranks(), mine));
    incoming[self()] = mine;
    return incoming;
  }

  void abandon(int exit_code) noexcept override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  std::size_t self() const { return static_cast<std::size_t>(rank_); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(size_); }

  /// What the others sent here, by rank; nothing goes from a rank to itself.
  std::vector<Bytes> receive_while_sending(const std::vector<Message>& outgoing) const {
    std::vector<Bytes> incoming = allocate_incoming(outgoing);
    std::vector<MPI_Request> requests;
    for (std::size_t r = 0; r < num_ranks(); ++r) {
      if (r == self()) continue;
      const int other = static_cast<int>(r);
      for_each_piece(incoming[r].size(), max_piece_bytes_, [&](std::size_t offset, std::size_t num_bytes) {
        check(MPI_Irecv(incoming[r].data() + offset, static_cast<int>(num_bytes), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "receiving");
      });
      for_each_piece(outgoing[r].size(), max_piece_bytes_, [&](std::size_t offset, std::size_t num_bytes) {
        check(MPI_Isend(outgoing[r].data() + offset, static_cast<int>(num_bytes), MPI_BYTE, other, kTag, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "sending");
      });
    }
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "exchanging");
    return incoming;
  }

  /// Messages of the lengths that the others will send.
  std::vector<Bytes> allocate_incoming(const std::vector<Message>& outgoing) const {
    std::vector<std::uint64_t> lengths_out, lengths_in(num_ranks());
    for (const Message& message : outgoing) lengths_out.push_back(message.size());
    check(MPI_Alltoall(lengths_out.data(), 1, MPI_UINT64_T, lengths_in.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD),
          "exchanging lengths");
    std::vector<Bytes> incoming(num_ranks());
    for (std::size_t r = 0; r < num_ranks(); ++r)
      if (r != self()) incoming[r].resize(lengths_in[r]);
    return incoming;
  }

  static constexpr int kTag = 0;  // pieces between two ranks keep their order

  const std::size_t max_piece_bytes_;
  int rank_ = 0, size_ = 1;
};

}  // namespace

}  // namespace fernwood

extern "C" {

const char* fernwood_plugin_version() { return FERNWOOD_VERSION; }

fernwood::Communicator* fernwood_make_communicator(std::size_t max_piece_bytes) {
  return new fernwood::MpiCommunicator(max_piece_bytes);
}
}
