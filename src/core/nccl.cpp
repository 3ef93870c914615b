// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/nccl.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "core/shared_library.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"

namespace fernwood {

namespace {

constexpr const char* kVariable = "FERNWOOD_NCCL";
/// First version in which ranks may share a GPU, if the user sets the variable.
constexpr int kSharesGpus = 23000;
constexpr const char* kSharesGpusVariable = "NCCL_MULTI_RANK_GPU_ENABLE";

/// Fills the table from a library; returns the first missing name, or an empty string.
std::string find_nccl_functions(void* library, NcclFunctions& functions) {
  FunctionTable table(library);
  table.find(functions.get_version, "ncclGetVersion");
  table.find(functions.get_unique_id, "ncclGetUniqueId");
  table.find(functions.init_rank, "ncclCommInitRankConfig");
  table.find(functions.get_async_error, "ncclCommGetAsyncError");
  table.find(functions.reduce_scatter, "ncclReduceScatter");
  table.find(functions.finalize, "ncclCommFinalize");
  table.find(functions.destroy, "ncclCommDestroy");
  table.find(functions.abort, "ncclCommAbort");
  table.find(functions.error_string, "ncclGetErrorString");
  table.find(functions.last_error, "ncclGetLastError");
  return table.missing();
}

struct PeerInfo {
  std::string problem, machine, bus_id;
  int version = 0;
  bool shares_gpu = false;  // may use the same GPU as another rank
  bool was_alone = false;   // timed out waiting for others: their problem is the cause
  NcclFunctions::Id id;     // set by rank 0
};

/// Calls `code` for each field, which packs or unpacks it.
template <typename Peer, typename Code>
void for_each_field(Peer& peer, const Code& code) {
  code(peer.problem), code(peer.machine), code(peer.bus_id), code(peer.version);
  code(peer.shares_gpu), code(peer.was_alone), code(peer.id);
}

PeerInfo peer_with(const NcclLibrary& library, const std::string& bus_id) {
  const char* const sharing = std::getenv(kSharesGpusVariable);
  const bool may_share = library.version() >= kSharesGpus && sharing && std::string(sharing) == "1";
  return {library.problem(), platform::machine_name(), bus_id, library.version(), may_share, false, {}};
}

std::vector<PeerInfo> gather_peers(const PeerInfo& mine, Communicator& ranks) {
  std::vector<PeerInfo> peers;
  Bytes bytes;
  Packer packer(bytes);
  for_each_field(mine, [&](const auto& field) { packer.put(field); });
  for (const Bytes& theirs : ranks.gather_all(bytes)) {
    Unpacker unpacker(theirs);
    for_each_field(peers.emplace_back(), [&](auto& field) { unpacker.get(field); });
  }
  return peers;
}

std::string numbered(std::size_t rank, const std::string& text) { return "rank " + std::to_string(rank) + ": " + text; }

/// Why the ranks cannot be connected, checked by all of them in the same order; empty: they can.
std::string unsupported_reason_among(const std::vector<PeerInfo>& peers) {
  for (std::size_t r = 0; r < peers.size(); ++r) {
    const PeerInfo& peer = peers[r];
    if (!peer.problem.empty()) return numbered(r, peer.problem);
    if (peer.version != peers[0].version)
      return numbered(r, "its NCCL is " + std::to_string(peer.version) + ", that of rank 0 is " +
                             std::to_string(peers[0].version) + "; install the same");
    const auto same_gpu = [&](const PeerInfo& other) {
      return other.machine == peer.machine && other.bus_id == peer.bus_id;
    };
    const auto first = std::ranges::find_if(peers, same_gpu);
    if (&*first != &peer && !peer.shares_gpu)
      return "ranks " + std::to_string(first - peers.begin()) + " and " + std::to_string(r) + " share a GPU";
  }
  return "";
}

std::string find_failure(const std::vector<PeerInfo>& peers) {
  auto failed = std::ranges::find_if(peers, [](const PeerInfo& g) { return !g.problem.empty() && !g.was_alone; });
  if (failed == peers.end()) failed = std::ranges::find_if(peers, &PeerInfo::was_alone);
  return failed == peers.end() ? "" : numbered(static_cast<std::size_t>(failed - peers.begin()), failed->problem);
}

/// NCCL's in-switch reduction (NVLS) gains nothing for messages of this size, takes memory, and fails where a machine
/// is divided among containers. The variable is read when the library starts; a value set by the user is kept.
void leave_out_nvls() {
  static std::once_flag once;
  std::call_once(once, [] { platform::set_default_variable("NCCL_NVLS_ENABLE", "0"); });
}

}  // namespace

NcclLibrary NcclLibrary::find() {
  const char* const named = std::getenv(kVariable);
  return NcclLibrary(named && *named ? std::string(named) : "libnccl.so.2");
}

NcclLibrary::NcclLibrary(const std::string& file) {
  if (file == "none") {
    problem_ = std::string(kVariable) + "=none disables it";
    return;
  }
  leave_out_nvls();
  // Never closed: it has threads. A library that the program has loaded already, as with PyTorch, is found by its name.
  void* const handle = platform::open_library(file);
  if (!handle) {
    problem_ = file +
               " was not found; install NVIDIA's NCCL (Debian: libnccl2, PyPI: nvidia-nccl-cu13) and name the "
               "file by " +
               kVariable;
    return;
  }
  const std::string missing = find_nccl_functions(handle, functions_);
  if (missing.empty())
    ask_version();
  else
    problem_ = file + " has no " + missing + "; install NCCL 2.14 or newer";
}

NcclLibrary::NcclLibrary(const NcclFunctions& functions) : functions_(functions) { ask_version(); }

void NcclLibrary::ask_version() {
  const NcclFunctions::Result result = functions_.get_version(&version_);
  if (result != NcclFunctions::kSuccess)
    problem_ = std::string("NCCL does not answer (") + functions_.error_string(result) + ")";
}

std::string NcclLibrary::version_text() const {
  return std::to_string(version_ / 10000) + "." + std::to_string(version_ / 100 % 100) + "." +
         std::to_string(version_ % 100);
}

std::string link_unsupported(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks) {
  return unsupported_reason_among(gather_peers(peer_with(library, bus_id), ranks));
}

NcclRank::Rendezvous NcclRank::meet(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks,
                                    std::chrono::milliseconds timeout) {
  PeerInfo mine = peer_with(library, bus_id);
  const NcclFunctions& nccl = library.functions();
  if (mine.problem.empty() && ranks.rank() == 0) {
    const NcclFunctions::Result result = nccl.get_unique_id(&mine.id);
    if (result != NcclFunctions::kSuccess)
      mine.problem = std::string("NCCL finds no way to others (") + nccl.error_string(result) + ")";
  }
  std::vector<PeerInfo> peers = gather_peers(mine, ranks);
  Rendezvous rendezvous{nullptr, unsupported_reason_among(peers)};
  if (!rendezvous.problem.empty()) return rendezvous;
  rendezvous.rank.reset(new NcclRank(nccl, ranks, timeout));
  const NcclFunctions::Result result = rendezvous.rank->connect(peers[0].id);
  PeerInfo met;
  met.was_alone = result == NcclFunctions::kInProgress;
  if (met.was_alone)
    met.problem = "the GPUs did not connect through NCCL within " + std::to_string(timeout.count()) + " ms";
  else if (result != NcclFunctions::kSuccess)
    met.problem = "GPUs cannot meet by NCCL: " + rendezvous.rank->describe(result);
  if (!met.problem.empty()) rendezvous.rank->abort();
  peers = gather_peers(met, ranks);
  rendezvous.problem = find_failure(peers);
  if (rendezvous.problem.empty()) return rendezvous;
  rendezvous.rank->abort();
  rendezvous.rank.reset();
  return rendezvous;
}

NcclFunctions::Result NcclRank::connect(const NcclFunctions::Id& id) {
  NcclFunctions::Config config;
  return settle(nccl_.init_rank(&rank_, ranks_.size(), id, ranks_.rank(), &config));
}

/// Waits until a call has been started and NCCL no longer needs this thread for it.
NcclFunctions::Result NcclRank::settle(NcclFunctions::Result result) {
  for (SpinBackoff look; result == NcclFunctions::kInProgress;) {
    if (look.is_time_to_check()) ranks_.check_all_there();
    if (look.waited() > timeout_) return result;
    look.pause();
    const NcclFunctions::Result asked = nccl_.get_async_error(rank_, &result);
    if (asked != NcclFunctions::kSuccess) return asked;
  }
  return result;
}

std::string NcclRank::describe(NcclFunctions::Result result) const {
  const char* const last = rank_ ? nccl_.last_error(rank_) : "";
  return std::string(nccl_.error_string(result)) + (last && *last ? std::string(": ") + last : "");
}

NcclRank::~NcclRank() {
  bool is_done = false;
  try {
    is_done = rank_ && std::uncaught_exceptions() == 0 && settle(nccl_.finalize(rank_)) == NcclFunctions::kSuccess;
  } catch (const Error&) {  // a rank is lost: do not wait for it
  }
  if (is_done)
    nccl_.destroy(std::exchange(rank_, nullptr));
  else
    abort();
}

void NcclRank::reduce_scatter(std::uint32_t* blocks, std::size_t block_size, void* stream,
                              const std::function<bool()>& arrived) {
  try {
    queue_sums(blocks, block_size, stream);
    for (SpinBackoff look; !arrived(); look.pause())
      if (look.is_time_to_check()) check();
  } catch (...) {
    abort();  // otherwise freeing GPU memory would wait for the operation
    throw;
  }
}

void NcclRank::queue_sums(std::uint32_t* blocks, std::size_t block_size, void* stream) {
  std::uint32_t* const own = blocks + static_cast<std::size_t>(ranks_.rank()) * block_size;
  const NcclFunctions::Result result =
      settle(nccl_.reduce_scatter(blocks, own, block_size, NcclFunctions::kUint32, NcclFunctions::kSum, rank_, stream));
  FW_CHECK(result == NcclFunctions::kSuccess, Runtime,
           "NCCL could not add up what GPUs counted: " << describe(result) << "; NCCL_DEBUG=INFO shows more, "
                                                       << kVariable << "=none adds up in the memory of the machines");
}

void NcclRank::check() {
  NcclFunctions::Result state = NcclFunctions::kSuccess;
  const NcclFunctions::Result asked = nccl_.get_async_error(rank_, &state);
  if (asked != NcclFunctions::kSuccess) state = asked;
  FW_CHECK(state == NcclFunctions::kSuccess || state == NcclFunctions::kInProgress, Runtime,
           "NCCL failed while GPUs added up what they counted: " << describe(state) << "; NCCL_DEBUG=INFO shows more, "
                                                                 << kVariable
                                                                 << "=none adds up in the memory of the machines");
  ranks_.check_all_there();
}

void NcclRank::abort() noexcept {
  if (rank_) nccl_.abort(std::exchange(rank_, nullptr));
}

}  // namespace fernwood
