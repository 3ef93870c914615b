// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"

#include <new>
#include <optional>
#include <system_error>

namespace fernwood {

namespace {

Failure no_memory() {
  return {.kind = ErrorKind::kResource,
          .sentence = "memory ran out; use a smaller " + named_option("memory-budget") +
                      ", fewer samples, fewer threads or smaller frames"};
}

/// @param code  Error code of the system. @return  The matching failure; empty for other codes.
std::optional<Failure> refusal(const std::error_code& code) {
  if (code == std::errc::not_enough_memory) return no_memory();
  if (code == std::errc::too_many_files_open || code == std::errc::too_many_files_open_in_system)
    return Failure{.kind = ErrorKind::kResource,
                   .sentence = "another file or connection could not be opened: " + code.message() +
                               "; close some, or allow more (ulimit -n)"};
  return std::nullopt;
}

}  // namespace

Failure failure_in_hand() {
  try {
    throw;
  } catch (const FileError& error) {
    return {
        .kind = error.kind(), .sentence = error.sentence(), .error_number = error.error_number(), .path = error.path()};
  } catch (const Error& error) {
    return {.kind = error.kind(), .sentence = error.sentence()};
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::filesystem::filesystem_error& error) {  // for example, an existing file was removed meanwhile
    if (auto refused = refusal(error.code())) return *refused;
    return {.sentence = error.path1().string() + ": " + error.code().message() +
                        "; check whether it is still there and its permissions",
            .error_number = error.code().value(),
            .path = error.path1()};
  } catch (const std::system_error& error) {
    if (auto refused = refusal(error.code())) return *refused;
    if (error.code() != std::errc::resource_unavailable_try_again)
      return {.sentence = error.what(), .is_expected = false};
    return {.kind = ErrorKind::kResource,
            .sentence = "a thread could not be started: " + error.code().message() + "; use fewer " +
                        named_option("threads") + ", or allow more processes or memory (ulimit -u, ulimit -v)"};
  } catch (const std::exception& error) {
    return {.sentence = error.what(), .is_expected = false};
  } catch (...) {
    return {.sentence = "unknown error", .is_expected = false};
  }
}

}  // namespace fernwood
