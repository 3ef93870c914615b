// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/platform.h"
#include "fernwood/encoder/encoder.h"

namespace fernwood::encoder {

namespace {

// The protocol, whose other end is python/fernwood/encoders/__main__.py. A frame: rows, cols, then colour
// [rows][cols][3]. An answer: an Answer, then what it announces. The first answer comes before any frame.

constexpr std::uint32_t kProtocol = 0x31455746;  // "FWE1": another protocol has another number

enum class ReplyKind : std::uint32_t {
  kFacts,   ///< sizes[0] bytes of JSON: name, checksum and options.
  kMaps,    ///< Floats [sizes[0]][sizes[1]][sizes[2]].
  kFailure  ///< sizes[0] bytes: a sentence; after it, no frame is taken.
};

struct Answer {
  std::uint32_t protocol;
  ReplyKind kind;
  std::array<std::uint32_t, 3> sizes;
};

constexpr std::uint32_t kMaxTextBytes = 1 << 20;
constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 30;

std::string python_program() {
  const char* const named = std::getenv("FERNWOOD_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

class EncoderProcess final : public Encoder {
 public:
  EncoderProcess(const std::string& python, const std::string& options_json)
      : python_(python), program_({python, "-m", "fernwood.encoders", options_json}) {
    FW_CHECK(program_.error_number() == 0, Runtime,
             python << " cannot be started: " << std::strerror(program_.error_number())
                    << "; encoders run in Python: install it, or name it in FERNWOOD_PYTHON");
    const Answer answer = take_answer(ReplyKind::kFacts);
    const auto facts = nlohmann::json::parse(take_text(answer.sizes[0]), nullptr, /*allow_exceptions=*/false);
    FW_CHECK(facts.is_object() && facts.contains("name") && facts["name"].is_string() && facts.contains("checksum") &&
                 facts["checksum"].is_string() && facts.contains("options") && facts["options"].is_object(),
             Runtime, python << ": answers without an encoder's name, checksum and options" << remedy());
    info_ = {facts["name"], facts["checksum"], json_text(facts["options"])};
  }

  const EncoderInfo& info() const override { return info_; }

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    FW_CHECK(!frame.color.empty(), Data,
             "the frame has no colour, which the encoder " << info_.name << " sees; pass colour");
    const std::lock_guard lock(mutex_);  // the network uses all cores
    const std::array<std::uint32_t, 2> size = {static_cast<std::uint32_t>(frame.rows()),
                                               static_cast<std::uint32_t>(frame.cols())};
    if (!program_.write(std::as_bytes(std::span(size))) ||
        !program_.write(std::as_bytes(std::span(frame.color.data(), frame.color.size()))))
      fail_ended();
    const auto [maps, rows, cols] = take_answer(ReplyKind::kMaps).sizes;
    FW_CHECK(
        std::uint64_t{rows} * cols <= kMaxValues && std::uint64_t{maps} * (std::uint64_t{rows} * cols) <= kMaxValues,
        Runtime, python_ << " announces " << maps << " maps of " << cols << " x " << rows << " cells" << remedy());
    image::SuppliedMaps found = {maps, rows, cols, std::vector<float>(std::size_t{maps} * rows * cols)};
    take(std::as_writable_bytes(std::span(found.values)));
    return found;
  }

 private:
  static std::string remedy() {
    return "; install the Python package of this version by pip install '.[encoders]' in its clone";
  }
  [[noreturn]] void fail_ended() const {
    throw Error(ErrorKind::kRuntime, python_ + " -m fernwood.encoders ended without an answer" + remedy() +
                                         ", or name its Python in FERNWOOD_PYTHON");
  }
  void take(std::span<std::byte> into) const {
    if (!program_.read(into)) fail_ended();
  }
  std::string take_text(std::uint32_t size) const {
    FW_CHECK(size <= kMaxTextBytes, Runtime, python_ << " announces a string of " << size << " bytes" << remedy());
    std::string text(size, '\0');
    take(std::as_writable_bytes(std::span(text)));
    return text;
  }
  Answer take_answer(ReplyKind expected) const {
    Answer answer{};
    take(std::as_writable_bytes(std::span(&answer, 1)));
    FW_CHECK(answer.protocol == kProtocol, Runtime,
             python_ << " -m fernwood.encoders is of another version of fernwood" << remedy());
    if (answer.kind == ReplyKind::kFailure) throw Error(ErrorKind::kData, take_text(answer.sizes[0]));
    FW_CHECK(answer.kind == expected, Runtime, python_ << " -m fernwood.encoders: answers out of order" << remedy());
    return answer;
  }

  std::string python_;
  mutable platform::ConnectedProgram program_;
  EncoderInfo info_;
  mutable std::mutex mutex_;
};

}  // namespace

std::shared_ptr<const Encoder> start_encoder(const std::string& options_json, const std::string& python) {
  return std::make_shared<EncoderProcess>(python.empty() ? python_program() : python, options_json);
}

}  // namespace fernwood::encoder
