// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Functions that differ between operating systems; src/core/platform has files for POSIX, and one for what each system
// adds to POSIX. No other file includes headers of a system, or reads /proc (checked by scripts/check_layers).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fernwood::platform {

/// Suffix of the names of shared libraries and plug-ins.
inline constexpr std::string_view kLibrarySuffix = ".so";
/// Command that shows a page in the user's browser.
inline constexpr const char* kPageOpener = "xdg-open";
/// Energy counters of the processor (RAPL), one folder for each.
inline constexpr const char* kEnergyFolder = "/sys/class/powercap";

/// File of the running program; empty if unknown.
std::filesystem::path own_program();
/// File that contains fernwood's code, a full path: the program, or a library that another program has loaded.
std::filesystem::path own_library();

/// Host name of this machine; empty if it has none.
std::string machine_name();
/// Name of this process for messages: "process 12 on atlas", without the machine if that has no name.
std::string process_name();

/// Keeps freed memory in the process. Otherwise the system would clear its pages again for each new frame.
void keep_freed_memory();

/// Numbers of the cores on which this process may run, ascending.
std::vector<int> usable_cores();
/// Name of the processor; empty if unknown.
std::string processor_name();
/// Text that distinguishes this processor from others with the same name; empty if unknown.
std::string processor_signature();
/// Whether this processor has instructions for dot products of four bytes (FEAT_DotProd); false if it is not a 64-bit
/// ARM.
bool has_dot_products();
/// Memory of the machine, and memory that this process may still take, within its limits (those of its container, batch
/// job and address space), in bytes. The latter is at least 1 MiB: as a limit, 0 would mean an automatic one, or none.
std::size_t total_memory_bytes();
std::size_t available_memory_bytes();
/// Resident memory of this process, now and at most until now, in bytes; 0 if unknown.
std::size_t resident_memory_bytes();
std::size_t peak_memory_bytes();

/// Path of an existing file behind all links; sets `failure` if the system refuses to follow them.
std::filesystem::path path_behind_links(const std::filesystem::path& path, std::error_code& failure);
/// Whether a path is a link that another user has placed in a folder that anybody may write to. Linux refuses to follow
/// such links only where it is configured to (proc(5), protected_symlinks).
bool is_foreign_link(const std::filesystem::path& path);
/// Creates a folder that no other user can look into, or makes one so. False if it is another user's, or a link.
bool make_private_folder(const std::filesystem::path& path);
/// Creates one under a new name, with letters for the "XXXXXX" at the end of `path`. False, with errno set, on failure.
bool make_scratch_folder(std::filesystem::path& path);
/// Writes a file that only its owner may read, replacing an existing one. @return  False if that fails.
bool write_private_file(const std::filesystem::path& path, std::string_view text);
/// The contents of a short file that no other user can read or write; else empty.
std::string read_private_file(const std::filesystem::path& path);
/// Whether an error number means a full disk, an exhausted quota or a limit of file sizes.
bool is_disk_full(int error_number);

/// Opens those standard streams that the caller left closed, so that no file opened later becomes standard output;
/// reading and writing them still fails. Exceeding the limit of file sizes becomes an error. False on failure.
bool prepare_standard_streams();
bool is_terminal(std::FILE* stream);
/// Columns of the terminal behind a stream; empty if it is not a terminal.
std::optional<std::size_t> terminal_columns(std::FILE* stream);
/// Reads what standard input has, and calls `while_waiting` every 100 ms until it has any.
/// @return  The number of bytes, 0 at the end; -1, with errno set, on failure.
std::ptrdiff_t read_standard_input(std::span<char> into, const std::function<void()>& while_waiting);

/// Calls `first` on a thread of its own when the program is asked to end, by Ctrl-C for example, and ends it with
/// `exit_code` at the second time. To be called before other threads start.
void on_interrupt(std::function<void()> first, int exit_code);
/// Calls a function in each process that is forked from this one.
void after_fork(void (*in_child)());
/// Sets an environment variable that the user has not set.
void set_default_variable(const char* name, const char* value);
/// Closes an open file or socket when this process executes a program: that would keep a port in use while it runs.
void close_on_exec(int descriptor);
/// Fills numbers with random bits fit for secrets. @return  False if the system gives none.
bool fill_with_random_bits(std::span<std::uint64_t> numbers);
/// Whether a local display such as ":1" accepts connections; remote displays are assumed to.
bool is_display_reachable(const std::string& display);

struct ChildOptions {
  std::filesystem::path output = {};  ///< Receives its output, and it has no input; empty: streams are inherited.
  int connection = -1;                ///< A descriptor for its input and output; negative: none.
  bool has_own_session = false;       ///< Ctrl-C at this terminal does not reach it.
};
/// Result of starting a program.
struct Child {
  int process = 0;
  int error_number = 0;  ///< System error number if it could not be started, else 0.
};
/// Starts a program, without a shell; all programs started by fernwood go through this function. The child has only the
/// three standard streams, and receives signals as if a shell had started it. The caller must wait for it, or call
/// wait_in_background().
/// @param words  The program, searched for as by a shell, and its arguments.
Child start_program(std::vector<std::string> words, const ChildOptions& options = {});
/// Waits for a child to end, and kills it after `most`. @return  Its exit code; 127 if a signal ended it.
int wait_for_child(const Child& child, std::chrono::seconds most);
/// Waits for a child on another thread, so that no zombie remains when it has ended.
void wait_in_background(const Child& child);

/// A program with which this one exchanges bytes: its standard input and output. Ctrl-C does not reach it; its input
/// ends with this object, and then it should end.
class ConnectedProgram {
 public:
  /// @param words  As for start_program().
  explicit ConnectedProgram(std::vector<std::string> words);
  ~ConnectedProgram();
  ConnectedProgram(const ConnectedProgram&) = delete;
  ConnectedProgram& operator=(const ConnectedProgram&) = delete;

  int error_number() const { return child_.error_number; }  ///< As Child::error_number.
  // Transfer of all bytes. @return  False if the program has closed the connection or ended.
  bool write(std::span<const std::byte> bytes);
  bool read(std::span<std::byte> bytes);

 private:
  int connection_ = -1;
  Child child_;
};

/// Opens a library by its full path, or by a name that the system looks up; it stays loaded until it is closed.
/// @param problem  Receives the reason of a failure. @return  Null on failure.
void* open_library(const std::filesystem::path& file, std::string* problem = nullptr);
/// Address of a function or object in a library; null if the library lacks the name.
void* find_in_library(void* library, const char* name);
void close_library(void* library);

/// For tests: name and signature of the processor in a text of Linux's /proc/cpuinfo, of x86 or ARM.
struct ProcessorText {
  std::string name, signature;
};
ProcessorText read_processor_text(std::istream& cpuinfo);

}  // namespace fernwood::platform
