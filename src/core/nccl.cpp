// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/nccl.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "core/patience.h"
#include "fernwood/core/error.h"

namespace fernwood {

namespace {

constexpr const char* kVariable = "FERNWOOD_NCCL";
/// From that version on, a user may let ranks share a GPU, by the variable.
constexpr int kSharesGpus = 23000;
constexpr const char* kSharesGpusVariable = "NCCL_MULTI_RANK_GPU_ENABLE";

/// Fills the table from a library; returns the first name that is missing, or an empty text.
std::string find_nccl_functions(void* library, NcclFunctions& functions) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function && missing.empty()) missing = name;
  };
  find(functions.get_version, "ncclGetVersion");
  find(functions.get_unique_id, "ncclGetUniqueId");
  find(functions.init_rank, "ncclCommInitRankConfig");
  find(functions.get_async_error, "ncclCommGetAsyncError");
  find(functions.reduce_scatter, "ncclReduceScatter");
  find(functions.finalize, "ncclCommFinalize");
  find(functions.destroy, "ncclCommDestroy");
  find(functions.abort, "ncclCommAbort");
  find(functions.error_string, "ncclGetErrorString");
  find(functions.last_error, "ncclGetLastError");
  return missing;
}

/// What a rank brings to a meeting.
struct Guest {
  std::string problem, machine, bus_id;
  int version = 0;
  bool shares_gpu = false;  // may have the GPU of another
  bool was_alone = false;   // waited for others in vain: their problem is the cause
  NcclFunctions::Id id;     // of rank 0
};

Bytes pack(const Guest& guest) {
  Bytes bytes;
  Packer packer(bytes);
  packer.put(guest.problem);
  packer.put(guest.machine);
  packer.put(guest.bus_id);
  packer.put(guest.version);
  packer.put(guest.shares_gpu);
  packer.put(guest.was_alone);
  packer.put(guest.id);
  return bytes;
}

Guest unpack_guest(const Bytes& bytes) {
  Unpacker unpacker(bytes);
  Guest guest;
  unpacker.get(guest.problem);
  unpacker.get(guest.machine);
  unpacker.get(guest.bus_id);
  unpacker.get(guest.version);
  unpacker.get(guest.shares_gpu);
  unpacker.get(guest.was_alone);
  unpacker.get(guest.id);
  return guest;
}

/// A rank that uses a GPU.
Guest guest_with(const NcclLibrary& library, const std::string& bus_id) {
  std::array<char, 256> machine{};
  ::gethostname(machine.data(), machine.size() - 1);
  const char* const sharing = std::getenv(kSharesGpusVariable);
  const bool may_share = library.version() >= kSharesGpus && sharing && std::string(sharing) == "1";
  return {library.problem(), machine.data(), bus_id, library.version(), may_share, false, {}};
}

std::vector<Guest> gather_guests(const Guest& mine, Communicator& ranks) {
  std::vector<Guest> guests;
  for (const Bytes& theirs : ranks.gather_all(pack(mine))) guests.push_back(unpack_guest(theirs));
  return guests;
}

std::string numbered(std::size_t rank, const std::string& text) { return "rank " + std::to_string(rank) + ": " + text; }

/// Why ranks cannot be brought together, looked at in the same order by all of them; empty: they can.
std::string obstacle_among(const std::vector<Guest>& guests) {
  for (std::size_t r = 0; r < guests.size(); ++r) {
    const Guest& guest = guests[r];
    if (!guest.problem.empty()) return numbered(r, guest.problem);
    if (guest.version != guests[0].version)
      return numbered(r, "its NCCL is " + std::to_string(guest.version) + ", that of rank 0 is " +
                             std::to_string(guests[0].version) + "; install the same");
    const auto same_gpu = [&](const Guest& other) {
      return other.machine == guest.machine && other.bus_id == guest.bus_id;
    };
    const auto first = std::ranges::find_if(guests, same_gpu);
    if (&*first != &guest && !guest.shares_gpu)
      return "ranks " + std::to_string(first - guests.begin()) + " and " + std::to_string(r) + " share a GPU";
  }
  return "";
}

/// Why ranks did not meet; empty: they did.
std::string find_failure(const std::vector<Guest>& guests) {
  auto failed = std::ranges::find_if(guests, [](const Guest& g) { return !g.problem.empty() && !g.was_alone; });
  if (failed == guests.end()) failed = std::ranges::find_if(guests, &Guest::was_alone);
  return failed == guests.end() ? "" : numbered(static_cast<std::size_t>(failed - guests.begin()), failed->problem);
}

/// NCCL's way through switches (NVLS) gains nothing for numbers of this size, takes memory, and fails where a machine
/// is divided among containers. Read when the library starts; who has set it has a reason.
void leave_out_nvls() {
  static std::once_flag once;
  std::call_once(once, [] { ::setenv("NCCL_NVLS_ENABLE", "0", 0); });
}

}  // namespace

NcclLibrary NcclLibrary::find() {
  const char* const named = std::getenv(kVariable);
  return NcclLibrary(named && *named ? std::string(named) : "libnccl.so.2");
}

NcclLibrary::NcclLibrary(const std::string& file) {
  if (file == "none") {
    problem_ = std::string(kVariable) + " is none";
    return;
  }
  leave_out_nvls();
  // Never closed: it has threads. One that the program has loaded already, as with PyTorch, is found by its name.
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
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

std::string find_link_obstacle(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks) {
  return obstacle_among(gather_guests(guest_with(library, bus_id), ranks));
}

NcclRank::Meeting NcclRank::meet(const NcclLibrary& library, const std::string& bus_id, Communicator& ranks,
                                 std::chrono::milliseconds patience) {
  Guest mine = guest_with(library, bus_id);
  const NcclFunctions& nccl = library.functions();
  if (mine.problem.empty() && ranks.rank() == 0) {
    const NcclFunctions::Result result = nccl.get_unique_id(&mine.id);
    if (result != NcclFunctions::kSuccess)
      mine.problem = std::string("NCCL finds no way to others (") + nccl.error_string(result) + ")";
  }
  std::vector<Guest> guests = gather_guests(mine, ranks);
  Meeting meeting{nullptr, obstacle_among(guests)};
  if (!meeting.problem.empty()) return meeting;
  meeting.rank.reset(new NcclRank(nccl, ranks, patience));
  const NcclFunctions::Result result = meeting.rank->connect(guests[0].id);
  Guest met;
  met.was_alone = result == NcclFunctions::kInProgress;
  if (met.was_alone)
    met.problem = "GPUs did not meet by NCCL within " + std::to_string(patience.count()) + " ms";
  else if (result != NcclFunctions::kSuccess)
    met.problem = "GPUs cannot meet by NCCL: " + meeting.rank->describe(result);
  if (!met.problem.empty()) meeting.rank->abort();
  guests = gather_guests(met, ranks);
  meeting.problem = find_failure(guests);
  if (meeting.problem.empty()) return meeting;
  meeting.rank->abort();
  meeting.rank.reset();
  return meeting;
}

NcclFunctions::Result NcclRank::connect(const NcclFunctions::Id& id) {
  NcclFunctions::Config config;
  return settle(nccl_.init_rank(&rank_, ranks_.size(), id, ranks_.rank(), &config));
}

/// Waits until a call is under way for which NCCL needs no more of this thread.
NcclFunctions::Result NcclRank::settle(NcclFunctions::Result result) {
  for (PatientLook look; result == NcclFunctions::kInProgress;) {
    if (look.is_time_to_check()) ranks_.check_all_there();
    if (look.waited() > patience_) return result;
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
  } catch (const Error&) {  // a rank is lost: there is nothing to wait for
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
    for (PatientLook look; !arrived(); look.pause())
      if (look.is_time_to_check()) check();
  } catch (...) {
    abort();  // or what frees the GPU's memory would wait for it
    throw;
  }
}

void NcclRank::queue_sums(std::uint32_t* blocks, std::size_t block_size, void* stream) {
  std::uint32_t* const own = blocks + static_cast<std::size_t>(ranks_.rank()) * block_size;
  const NcclFunctions::Result result =
      settle(nccl_.reduce_scatter(blocks, own, block_size, NcclFunctions::kUint32, NcclFunctions::kSum, rank_, stream));
  FW_CHECK(result == NcclFunctions::kSuccess, Runtime,
           "NCCL could not add up what GPUs counted: " << describe(result) << "; NCCL_DEBUG=INFO tells more, "
                                                       << kVariable << "=none adds up in the memory of the machines");
}

void NcclRank::check() {
  NcclFunctions::Result state = NcclFunctions::kSuccess;
  const NcclFunctions::Result asked = nccl_.get_async_error(rank_, &state);
  if (asked != NcclFunctions::kSuccess) state = asked;
  FW_CHECK(state == NcclFunctions::kSuccess || state == NcclFunctions::kInProgress, Runtime,
           "NCCL failed while GPUs added up what they counted: " << describe(state) << "; NCCL_DEBUG=INFO tells more, "
                                                                 << kVariable
                                                                 << "=none adds up in the memory of the machines");
  ranks_.check_all_there();
}

void NcclRank::abort() noexcept {
  if (rank_) nccl_.abort(std::exchange(rank_, nullptr));
}

}  // namespace fernwood
