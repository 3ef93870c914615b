// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <new>

#include "python/src/bindings.h"

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

void raise(const char* name, const char* sentence) {
  const nb::object exception = nb::module_::import_("fernwood.errors").attr("made")(name, sentence);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      raise(exception_of(error.kind()), error.what());
    } catch (const std::bad_alloc&) {
      raise("ResourceError", "memory ran out; give a smaller memory_budget, fewer threads or smaller frames");
    }
  });
}

}  // namespace fernwood::python
