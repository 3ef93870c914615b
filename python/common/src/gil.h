// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Release and acquisition of the GIL, also while Python exits.

#include <cxxabi.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "fernwood/core/default_floats.h"
#include "python/common/src/bindings.h"

namespace fernwood::python {

/// Blocks the calling thread until the process ends.
[[noreturn]] inline void stay() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Whether Python has exited, or is exiting on another thread.
bool python_is_over();

/// Calls a function that enters Python. Before 3.14, Python ends a thread that enters it while it exits, by unwinding a
/// stack that contains destructors and catch blocks and cannot be unwound: the process would abort. Such a thread
/// blocks instead, as it does in later versions. Bound functions need this only where unwinding would destroy Python
/// objects: unwinding that passes them ends at the exception translator, see bind_errors().
template <typename Enter>
decltype(auto) or_stay(const Enter& enter) {
  if (python_is_over()) stay();
  try {
    return enter();
  } catch (const abi::__forced_unwind&) {
    stay();
  }
}

/// Calls a function of a module of the package. Python objects are created before its code runs, and are kept out of
/// the part of the stack that is unwound if Python exits meanwhile: destroying them then, without the GIL, would crash.
template <typename... Arguments>
nb::object call_python(const char* module, const char* function, const Arguments&... arguments) {
  const nb::tuple given = nb::make_tuple(arguments...);
  const std::string path = std::string(FERNWOOD_PACKAGE ".") + module;
  PyObject* const loaded = or_stay([&] { return PyImport_ImportModule(path.c_str()); });
  if (loaded == nullptr) nb::raise_python_error();
  const nb::object called = nb::steal(loaded).attr(function);
  PyObject* const result = or_stay([&] { return PyObject_CallObject(called.ptr(), given.ptr()); });
  if (result == nullptr) nb::raise_python_error();
  return nb::steal(result);
}

/// Releases the GIL while it exists, with default floating-point settings: the caller may have changed them.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    or_stay([&] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  DefaultFloats floats_;
  PyThreadState* state_;
};

/// Returns work(), with the GIL released meanwhile.
template <typename Work>
auto with_gil_released(const Work& work) {
  const WithoutGil released;
  return work();
}

class WithGil {
 public:
  WithGil() : state_(or_stay([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Deletes an object that has threads, without the GIL: its destructor waits for threads that may need it. In a forked
/// child the object is not deleted: its threads do not exist there, and a lock that one held would be waited for
/// forever.
struct UnlessForked {
  /// @pre  The GIL is held, as in destructors of Python objects.
  template <typename T>
  void operator()(T* object) const {
    if (threads_are_lost()) return;
    const WithoutGil without_gil;
    delete object;
  }
};
/// Owner of an object that has threads. Every use must begin with begin_threads(), since a lock may be held forever.
template <typename T>
using Threaded = std::unique_ptr<T, UnlessForked>;
template <typename T>
Threaded<T> threaded(std::unique_ptr<T> object) {
  return Threaded<T>(object.release());
}

/// Work that continues without Python. When Python exits, all such work is requested to stop and waited for, for a few
/// seconds at most: otherwise the objects it uses would be destroyed while it runs.
class Underway {
 public:
  /// @param stop  Called on another thread, at most once.
  explicit Underway(std::function<void()> stop);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;
  /// Whether it was requested to stop; its results are then not used.
  bool was_told() const;

 private:
  struct Entry {
    std::function<void()> stop;
    bool told = false;
  };
  friend void end_work();

  std::list<Entry>::iterator entry_;
};

/// Requests all work to stop and waits for it. Must be called when Python exits, with the GIL.
void end_work();

}  // namespace fernwood::python
