// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// A virtual screen with a mouse and a keyboard.

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "wait_for.h"

namespace fernwood::apps {

/// An Xvfb server (an X server without a screen). While it exists, DISPLAY is set, so programs started meanwhile open
/// their windows on it. Mouse and keyboard are simulated through the XTEST extension, by messages of the X11 protocol.
class HiddenScreen {
 public:
  static constexpr const char* kServer = "/usr/bin/Xvfb";
  static bool is_there() { return std::filesystem::exists(kServer); }
  /// An X11 keycode of a PC keyboard.
  enum Key : std::uint8_t { kQ = 24 };

  HiddenScreen() : display_(":" + std::to_string(1000 + ::getpid() % 50000)) {
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
      ::execl(kServer, kServer, display_.c_str(), "-screen", "0", "1280x720x24", "-nolisten", "tcp", nullptr);
      ::_exit(127);
    }
    static_cast<void>(wait_for([&] { return connect(); }));
    ::setenv("DISPLAY", display_.c_str(), 1);
  }
  ~HiddenScreen() {
    ::close(socket_);
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    ::unsetenv("DISPLAY");
  }
  HiddenScreen(const HiddenScreen&) = delete;
  HiddenScreen& operator=(const HiddenScreen&) = delete;

  /// Whether the server has XTEST, so that mouse and keyboard can be simulated.
  bool is_ready() const { return xtest_ != 0; }
  void point_at(int x, int y) { fake_input(6, 0, x, y); }
  /// Presses a key in the window below the mouse, then waits 200 ms: of keys in quick succession, a window would see
  /// only the last.
  void press(Key key) {
    fake_input(2, key, 0, 0);
    fake_input(3, key, 0, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }

 private:
  using Message = std::vector<std::uint8_t>;

  bool connect() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, ("/tmp/.X11-unix/X" + display_.substr(1)).c_str(), sizeof(address.sun_path) - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(socket_);
      return false;
    }
    send({'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // little-endian, version 11.0, no authentication
    const Message header = receive(8);
    if (header[0] != 1) return true;
    const Message setup = receive(4u * two_bytes(header, 6));
    // The first screen's root window follows the vendor's name and the pixel formats.
    const std::size_t vendor_bytes = (two_bytes(setup, 16) + 3u) / 4 * 4;
    root_ = Message(setup.begin() + static_cast<std::ptrdiff_t>(32 + vendor_bytes + 8u * setup[21]), setup.end());
    root_.resize(4);
    send({98, 0, 4, 0, 5, 0, 0, 0, 'X', 'T', 'E', 'S', 'T', 0, 0, 0});  // QueryExtension
    const Message answer = receive(32);
    xtest_ = answer[8] ? answer[9] : 0;
    return true;
  }

  void fake_input(std::uint8_t type, std::uint8_t detail, int x, int y) {
    const auto low = [](int value) { return static_cast<std::uint8_t>(value & 255); };
    Message message(36);
    message[0] = xtest_;
    message[1] = 2;  // FakeInput
    message[2] = 9;  // length in 4-byte units
    message[4] = type;
    message[5] = detail;
    std::copy(root_.begin(), root_.end(), message.begin() + 12);
    message[24] = low(x), message[25] = low(x >> 8);
    message[26] = low(y), message[27] = low(y >> 8);
    send(message);
  }

  void send(const Message& message) const {
    if (::write(socket_, message.data(), message.size()) != static_cast<ssize_t>(message.size())) std::abort();
  }
  Message receive(std::size_t size) const {
    Message message(size);
    for (std::size_t got = 0; got < size;) {
      const ssize_t more = ::read(socket_, message.data() + got, size - got);
      if (more <= 0) return Message(size);
      got += static_cast<std::size_t>(more);
    }
    return message;
  }
  static unsigned two_bytes(const Message& message, std::size_t at) { return message[at] + 256u * message[at + 1]; }

  std::string display_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::uint8_t xtest_ = 0;  // major opcode of the extension on this server
  Message root_ = Message(4);
};

}  // namespace fernwood::apps
