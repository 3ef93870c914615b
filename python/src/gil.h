// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The GIL given up and taken, also while Python exits.

#include <cxxabi.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "fernwood/core/default_floats.h"
#include "python/src/bindings.h"

namespace fernwood::python {

/// The calling thread has nothing to do any more; it ends with the process.
[[noreturn]] inline void stay() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Whether Python has ended, or ends, and not on the calling thread.
bool python_is_over();

/// What enters Python. A thread that comes while Python exits is ended by it before 3.14, by unwinding a stack with
/// destructors and catch blocks in it that cannot be unwound: the process would abort. Such a thread stays instead, as
/// later versions of Python let it. Bound functions need this only where an unwinding would destroy objects of Python:
/// what gets past them ends at the translator of exceptions, see bind_errors().
template <typename Enter>
decltype(auto) or_stay(const Enter& enter) {
  if (python_is_over()) stay();
  try {
    return enter();
  } catch (const abi::__forced_unwind&) {
    stay();
  }
}

/// What a function of a Python module returns. Objects of Python are made before its code runs, and kept out of what is
/// unwound when Python exits meanwhile: destroying them then, without the GIL, would crash.
template <typename... Arguments>
nb::object call_python(const char* module, const char* function, const Arguments&... arguments) {
  const nb::tuple given = nb::make_tuple(arguments...);
  PyObject* const loaded = or_stay([&] { return PyImport_ImportModule(module); });
  if (loaded == nullptr) nb::raise_python_error();
  const nb::object called = nb::steal(loaded).attr(function);
  PyObject* const result = or_stay([&] { return PyObject_CallObject(called.ptr(), given.ptr()); });
  if (result == nullptr) nb::raise_python_error();
  return nb::steal(result);
}

/// Work without the GIL; floating point is not what the program has set meanwhile.
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

class WithGil {
 public:
  WithGil() : state_(or_stay([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Deletes what has threads of its own, without the GIL: a destructor waits for threads that may want it. In a process
/// that was forked from theirs nothing is deleted: a thread or a lock that one held is not there to be waited for.
struct UnlessForked {
  /// @pre  The GIL is held, as by whatever Python destroys.
  template <typename T>
  void operator()(T* object) const {
    if (threads_are_lost()) return;
    const WithoutGil without_gil;
    delete object;
  }
};
/// What has threads of its own. Whatever is asked of it begins with begin_threads(), since a lock may be held for ever.
template <typename T>
using Threaded = std::unique_ptr<T, UnlessForked>;
template <typename T>
Threaded<T> threaded(std::unique_ptr<T> object) {
  return Threaded<T>(object.release());
}

/// Work that goes on without Python. When Python exits, all such work is told to stop and waited for, some seconds at
/// most: what it uses would be gone under it.
class Underway {
 public:
  /// @param stop  Called on another thread, once at most.
  explicit Underway(std::function<void()> stop);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;
  /// Whether it was told to stop; then nobody is left to hear what comes of it.
  bool was_told() const;

 private:
  struct Entry {
    std::function<void()> stop;
    bool told = false;
  };
  friend void end_work();

  std::list<Entry>::iterator entry_;
};

/// Tells all work to stop and waits for it; to be called when Python exits, with the GIL.
void end_work();

}  // namespace fernwood::python
