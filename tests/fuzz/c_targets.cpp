// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "fernwood.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

namespace {

constexpr std::size_t kMaxSide = 16, kHuge = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kBufferBytes = std::size_t{1} << 16, kMaxHandles = 4, kMaxCalls = 60;

/// Makes choices from successive bytes of the input, and from zeros after its end.
class Bytewise {
 public:
  Bytewise(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool ended() const { return at_ == end_; }
  std::uint8_t next() { return ended() ? 0 : *at_++; }
  /// Chooses one of the values.
  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& values) {
    return values[next() % N];
  }

 private:
  const std::uint8_t *at_, *end_;
};

template <typename T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

fernwood_forest* loaded_forest() {
  static const std::string path = [] {
    const Bytes model = pixel_model_seeds()[0];
    write_bytes(scratch_folder() / "pixels.fernwood", model.data(), model.size());
    return (scratch_folder() / "pixels.fernwood").string();
  }();
  fernwood_forest* forest = nullptr;
  law(fernwood_forest_load(path.c_str(), &forest) == FERNWOOD_OK && forest != nullptr, "a good model is not loaded");
  return forest;
}

/// The calls of one thread, with its own handles and with forests shared with another thread.
class Caller {
 public:
  Caller(Bytewise bytes, fernwood_forest* forest)
      : bytes_(bytes), forest_(forest), pixels_(kBufferBytes, 7), labels_(kBufferBytes), floats_(kBufferBytes) {
    for (std::size_t i = 0; i < floats_.size(); ++i) floats_[i] = static_cast<float>(i % 11) - 3;
  }

  void run() {
    using Call = void (Caller::*)();
    constexpr std::array<Call, 7> kCalls = {&Caller::make_predictor, &Caller::predict, &Caller::predict_on_device,
                                            &Caller::ask_names,      &Caller::drop,    &Caller::load_damaged,
                                            &Caller::train};
    for (std::size_t i = 0; i < kMaxCalls && !bytes_.ended(); ++i) (this->*bytes_.one_of(kCalls))();
  }

 private:
  /// A failed call has an error message, whatever was called before. @return Whether the call succeeded.
  static bool checked(fernwood_status status) {
    law(status == FERNWOOD_OK || *fernwood_last_error() != '\0', "a call that failed does not say why");
    return status == FERNWOOD_OK;
  }

  template <typename T>
  T* some_of(const std::vector<Handle<T>>& handles) {
    const std::size_t index = bytes_.next();
    return handles.empty() || index % 8 == 7 ? nullptr : handles[index % handles.size()].get();
  }

  std::vector<const char*> options(std::initializer_list<const char*> own) {
    std::vector<const char*> chosen(own);
    constexpr std::array<const char*, 12> kOptions = {
        "interpolate=false", "interpolate=2", "smooth=3",  "threads=-1",
        "strategi=auto",     "device=x",      "novalue",   "=",
        "values=ranks",      nullptr,         "threads=2", "smooth=99999999999999"};
    for (int count = bytes_.next() % 3; count > 0; --count) chosen.push_back(bytes_.one_of(kOptions));
    return chosen;
  }
  std::size_t count_of(const std::vector<const char*>& options) {
    return bytes_.next() % 16 == 15 ? kHuge : options.size();
  }

  void make_predictor() {
    const std::vector<const char*> given = options({"device=cpu", "threads=1"});
    fernwood_predictor* made = nullptr;
    const bool is_made = checked(
        fernwood_predictor_new(bytes_.next() % 8 == 7 ? nullptr : forest_, given.data(), count_of(given), &made));
    law(is_made == (made != nullptr), "a predictor is there, and the call failed, or neither");
    if (is_made && predictors_.size() < kMaxHandles)
      predictors_.emplace_back(made, &fernwood_predictor_free);
    else
      fernwood_predictor_free(made);
  }

  /// Sizes that fit the arrays, and sizes too large for any array.
  std::size_t side() { return bytes_.one_of(std::array<std::size_t, 8>{kMaxSide, 9, 3, 1, 12, 0, kHuge, kHuge / 2}); }
  std::size_t stride() {
    return bytes_.one_of(std::array<std::size_t, 8>{0, 0, 64, 71, 1, kHuge, kHuge / 2, kHuge / 4});
  }

  fernwood_frame frame() {
    fernwood_frame given = FERNWOOD_FRAME;
    given.rows = side();
    given.cols = side();
    const std::uint8_t flags = bytes_.next();
    if ((flags & 1) == 0) given.color = pixels_.data();
    if ((flags & 2) == 0) given.depth = pixels_.data();
    if ((flags & 4) != 0) given.depth_type = FERNWOOD_DEPTH_M;
    const int no_type = flags;
    if ((flags & 24) == 24) std::memcpy(&given.depth_type, &no_type, sizeof(no_type));
    if ((flags & 96) == 96) given.struct_size = flags;
    given.color_stride = stride();
    given.depth_stride = stride();
    if (flags % 5 == 4) given.fx = floats_[flags], given.fy = 1, given.up[0] = floats_[flags / 2u];
    return given;
  }

  void predict() {
    const fernwood_frame given = frame();
    checked(fernwood_predict(some_of(predictors_), &given, bytes_.next() % 8 == 7 ? nullptr : labels_.data(),
                             bytes_.next() % 2 == 0 ? nullptr : floats_.data()));
  }
  void predict_on_device() {
    const fernwood_frame given = frame();
    const std::size_t labels_stride = stride();
    checked(fernwood_predict_on_device(some_of(predictors_), bytes_.next() % 8 == 7 ? nullptr : &given, labels_.data(),
                                       labels_stride, bytes_.next() % 2 == 0 ? nullptr : floats_.data(), nullptr));
  }

  void ask_names() {
    const std::size_t index = bytes_.one_of(std::array<std::size_t, 5>{0, 1, 2, 900, kHuge});
    law((fernwood_forest_class_name(forest_, index) != nullptr) == (index < fernwood_forest_num_classes(forest_)),
        "a class has no name, or one too many has");
    std::array<std::uint8_t, 3> rgb{};
    checked(fernwood_forest_class_color(forest_, index, bytes_.next() % 4 == 3 ? nullptr : rgb.data()));
    fernwood_forest_class_name(nullptr, index);
  }

  void drop() {
    if (!predictors_.empty()) predictors_.erase(predictors_.begin() + bytes_.next() % std::ssize(predictors_));
  }

  /// Loads a file that is not a model, or a missing file.
  void load_damaged() {
    const std::string path = bytes_.next() % 2 == 0 ? "/dev/null" : (scratch_folder() / "nothing").string();
    fernwood_forest* forest = nullptr;
    law(!checked(fernwood_forest_load(path.c_str(), &forest)), "what is not a model is loaded");
    checked(fernwood_forest_save(nullptr, path.c_str()));
  }

  void train() {
    if (has_trained_) return;  // only once: it takes a thousand times as long as other calls
    has_trained_ = true;
    std::array<fernwood_frame, 2> frames = {frame(), frame()};
    const std::array<const std::uint16_t*, 2> labels = {labels_.data(),
                                                        bytes_.next() % 8 == 7 ? nullptr : labels_.data()};
    const std::array<const char*, 2> names = {"a", bytes_.next() % 8 == 7 ? nullptr : "b"};
    for (std::size_t i = 0; i < kMaxSide * kMaxSide; ++i)
      labels_[i] = static_cast<std::uint16_t>(i % 3 == 2 ? 65535 : i % 3);
    const std::array<const char*, 6> given = {"algorithm=forest",     "trees=1",   "features=3",
                                              "samples-per-frame=20", "threads=1", "device=cpu"};
    fernwood_training training = FERNWOOD_TRAINING;
    training.num_frames = bytes_.one_of(std::array<std::size_t, 4>{2, 1, 0, kHuge});
    training.frames = frames.data();
    training.labels = labels.data();
    training.num_classes = bytes_.one_of(std::array<std::size_t, 4>{2, 1, 0, kHuge});
    training.class_names = names.data();
    training.options = given.data();
    training.num_options = given.size();
    fernwood_forest* grown = nullptr;
    law(checked(fernwood_train(&training, &grown)) == (grown != nullptr), "a forest is grown, and the call failed");
    fernwood_forest_free(grown);
  }

  Bytewise bytes_;
  fernwood_forest* const forest_;
  bool has_trained_ = false;
  std::vector<Handle<fernwood_predictor>> predictors_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint16_t> labels_;
  std::vector<float> floats_;
};

}  // namespace

int fuzz_c_calls(const std::uint8_t* data, std::size_t size) {
  static fernwood_forest* const forest = loaded_forest();
  const std::size_t half = size / 2;
  std::exception_ptr failure;
  std::thread other([&] {
    try {
      Caller({data + half, size - half}, forest).run();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  try {
    Caller({data, half}, forest).run();
  } catch (...) {
    other.join();
    throw;
  }
  other.join();
  if (failure) std::rethrow_exception(failure);
  return 0;
}

std::vector<Bytes> c_call_seeds() {
  // Seeds that create predictors and label frames of all sizes, and that make all calls in order.
  Bytes label = {0, 0, 0, 0}, all;
  for (std::uint8_t i = 0; i < 8; ++i)
    label.insert(label.end(), {1, i, 0, 0, 0, 0, 0, 0, 1, 2, 0, i, 0, 0, i, 0, 0, 1, 0});
  for (std::uint8_t i = 0; i < 120; ++i) all.insert(all.end(), {i, static_cast<std::uint8_t>(3 * i), 0, i, 1});
  std::vector<Bytes> seeds = {label, all};
  seeds[0].insert(seeds[0].end(), label.begin(), label.end());  // the same calls in the second thread
  seeds[1].insert(seeds[1].end(), label.begin(), label.end());
  return seeds;
}

}  // namespace fernwood::fuzz
