// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <filesystem>
#include <new>
#include <system_error>

#include "fernwood/core/file_error.h"
#include "fernwood/core/option_error.h"
#include "python/src/gil.h"

namespace fernwood::python {

namespace {

/// Of fernwood.errors, but for what Python has a name for already.
const char* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "UsageError";
    case ErrorKind::kData:
      return "DataError";
    case ErrorKind::kDevice:
      return "DeviceError";
    case ErrorKind::kModel:
      return "ModelError";
    case ErrorKind::kResource:
      return "ResourceError";
    case ErrorKind::kInterrupted:
      return "Interrupted";
    case ErrorKind::kRuntime:
      break;
  }
  return "OperationError";
}

void raise(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

/// @param error_number, path  Of a file that the system does not provide; see FileError.
void raise(const char* name, const char* sentence, int error_number = 0, const std::string& path = "") {
  raise(call_python("fernwood.errors", "made", name, sentence, error_number, path));
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    if (!failure) stay();  // no exception, but Python, which exits, ending a thread that it runs code in; see or_stay()
    try {
      std::rethrow_exception(failure);
    } catch (const FileError& error) {
      raise(exception_of(error.kind()), error.what(), error.error_number(), error.path().string());
    } catch (const OptionError& error) {
      raise(call_python("fernwood.errors", "of_option", error.option(), error.value(), error.rule()));
    } catch (const Error& error) {
      raise(exception_of(error.kind()), error.what());
    } catch (const std::filesystem::filesystem_error& error) {
      raise("OperationError", error.what(), error.code().value(), error.path1().string());
    } catch (const std::system_error& error) {
      const bool is_thread = error.code() == std::errc::resource_unavailable_try_again;
      raise(is_thread ? "ResourceError" : "OperationError",
            is_thread ? "the system refuses another thread; give fewer threads, or allow more processes (ulimit -u)"
                      : error.what());
    } catch (const std::bad_alloc&) {
      raise("ResourceError", "memory ran out; give a smaller memory_budget, fewer threads or smaller frames");
    }
  });
}

}  // namespace fernwood::python
