// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Out-of-memory faults for scripts/test_faults. Preloaded with LD_PRELOAD, this library fails the N-th allocation of at
// least kMinBytes, where N is FAIL_ALLOCATION, or all from the N-th on with FAIL_ALLOCATIONS_AFTER=1. It writes the
// number of these allocations to the file named by COUNT_ALLOCATIONS.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

// glibc's implementations of the functions replaced here.
extern "C" {
void* __libc_malloc(std::size_t size_bytes);
void* __libc_calloc(std::size_t count, std::size_t size_bytes);
void* __libc_realloc(void* memory, std::size_t size_bytes);
void* __libc_memalign(std::size_t alignment, std::size_t size_bytes);
}

namespace {

// Smaller allocations are those of messages, names and list nodes; in practice, systems refuse large ones.
constexpr std::size_t kMinBytes = 4096;

std::atomic<long> num_large{0};
std::atomic<long> failing{0};
std::atomic<bool> all_after{false};

bool fails(std::size_t size_bytes) {
  if (size_bytes < kMinBytes) return false;
  const long number = ++num_large, first = failing;
  const bool is_failing = first > 0 && (number == first || (all_after && number > first));
  if (is_failing) errno = ENOMEM;
  return is_failing;
}

__attribute__((constructor)) void begin() {
  const char* const first = std::getenv("FAIL_ALLOCATION");
  all_after = std::getenv("FAIL_ALLOCATIONS_AFTER") != nullptr;
  num_large = 0;
  failing = first ? std::atol(first) : 0;
}

__attribute__((destructor)) void end() {
  const char* const name = std::getenv("COUNT_ALLOCATIONS");
  if (!name) return;
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  ::dprintf(file, "%ld\n", num_large.load());
  ::close(file);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size_bytes) { return fails(size_bytes) ? nullptr : __libc_malloc(size_bytes); }

void* calloc(std::size_t count, std::size_t size_bytes) {
  return fails(count * size_bytes) ? nullptr : __libc_calloc(count, size_bytes);
}

void* realloc(void* memory, std::size_t size_bytes) {
  return fails(size_bytes) ? nullptr : __libc_realloc(memory, size_bytes);
}

void* memalign(std::size_t alignment, std::size_t size_bytes) {
  return fails(size_bytes) ? nullptr : __libc_memalign(alignment, size_bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t size_bytes) { return memalign(alignment, size_bytes); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size_bytes) {
  *memory = memalign(alignment, size_bytes);
  return *memory ? 0 : ENOMEM;
}
}
