// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <new>
#include <system_error>

#include "fernwood/core/failure.h"
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

/// Names and values of the options that a sentence leaves places for.
nb::list named_in(const OptionSentence& sentence) {
  nb::list named;
  for (const NamedOption& option : sentence.options) named.append(nb::make_tuple(option.name, option.value));
  return named;
}

void raise_in_hand() {
  const Failure failure = failure_in_hand({.memory_budget = "memory_budget"});
  raise(call_python("fernwood.errors", "made", exception_of(failure.kind), failure.sentence.c_str(),
                    failure.error_number, failure.path.string()));
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    if (!failure) stay();  // no exception, but Python, which exits, ending a thread that it runs code in; see or_stay()
    try {
      std::rethrow_exception(failure);
    } catch (const OptionError& error) {
      const OptionSentence& rule = error.sentence();
      raise(call_python("fernwood.errors", "of_option", error.option(), error.value(), rule.text, named_in(rule)));
    } catch (const ContradictionError& error) {
      raise(call_python("fernwood.errors", "of_contradiction", error.sentence().text, named_in(error.sentence())));
    } catch (const UnknownOptionError& error) {
      raise(call_python("fernwood.errors", "of_unknown_option", error.option(), error.meant()));
    } catch (const Error&) {
      raise_in_hand();
    } catch (const std::system_error&) {
      raise_in_hand();
    } catch (const std::bad_alloc&) {
      raise_in_hand();
    }
  });
}

}  // namespace fernwood::python
