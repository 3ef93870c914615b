// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Random sequences of calls of the C interface, from two threads that share what the interface allows to be shared; for
// use with sanitizers.
//   c_calls [CALLS [SEED]]
// Arguments are valid, invalid in each way that the header excludes, or missing. Valid calls must return the first
// result again; others must return a status and an error message. Exit code 0: all of them did.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fernwood.h"

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "c_calls: %s; the last error is \"%s\"\n", what, fernwood_last_error());
  std::exit(1);
}

void check(bool holds, const char* what) {
  if (!holds) fail(what);
}

constexpr std::size_t kRows = 24, kCols = 32, kClasses = 3;

/// An image of three stripes: near, middle and far.
struct Picture {
  std::vector<std::uint8_t> color = std::vector<std::uint8_t>(kRows * kCols * 3);
  std::vector<std::uint16_t> depth = std::vector<std::uint16_t>(kRows * kCols), labels = depth;
  std::vector<float> depth_m = std::vector<float>(kRows * kCols);

  explicit Picture(std::uint32_t seed) {
    std::mt19937 draw(seed);
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const std::size_t stripe = i % kCols * kClasses / kCols;
      labels[i] = static_cast<std::uint16_t>(stripe);
      depth[i] = draw() % 20 == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(900 + 700 * stripe + draw() % 50);
      depth_m[i] = 0.001f * depth[i];
      for (std::size_t c = 0; c < 3; ++c)
        color[3 * i + c] = static_cast<std::uint8_t>(60 * stripe + 20 * c + draw() % 30);
    }
  }
  fernwood_frame frame() const {
    fernwood_frame given = FERNWOOD_FRAME;
    given.rows = kRows;
    given.cols = kCols;
    given.color = color.data();
    given.depth = depth.data();
    return given;
  }
};

const std::array<const char*, kClasses> kNames = {"near", "middle", "far"};

/// Objects that both threads use at once.
struct Shared {
  std::filesystem::path folder;
  Picture picture{1}, other{2};
  fernwood_forest* forest = nullptr;
  std::vector<std::uint16_t> labels;  // for `picture`
  std::vector<float> probabilities;   // for `picture`
};

fernwood_status train(const Shared& shared, const std::vector<const char*>& options, fernwood_training change,
                      fernwood_forest** forest) {
  const std::array<fernwood_frame, 2> frames = {shared.picture.frame(), shared.other.frame()};
  const std::array<const std::uint16_t*, 2> labels = {shared.picture.labels.data(), shared.other.labels.data()};
  if (change.num_frames == 0) change.num_frames = 2;
  change.frames = frames.data();
  change.labels = labels.data();
  if (!change.class_names) {
    change.num_classes = kClasses;
    change.class_names = kNames.data();
  }
  change.options = options.data();
  change.num_options = options.size();
  return fernwood_train(&change, forest);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  check(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0, "no file");
}

void prepare(Shared& shared) {
  shared.folder = std::filesystem::temp_directory_path() / ("c_calls_" + std::to_string(std::random_device()()));
  std::filesystem::create_directories(shared.folder);
  const std::vector<const char*> options = {"algorithm=forest", "trees=2",     "samples-per-frame=100",
                                            "features=20",      "max-depth=4", "min-samples=2",
                                            "device=cpu",       "threads=2",   "backbone=none"};
  check(train(shared, options, FERNWOOD_TRAINING, &shared.forest) == FERNWOOD_OK, "training failed");
  check(fernwood_forest_save(shared.forest, (shared.folder / "forest").c_str()) == FERNWOOD_OK, "saving failed");
}

/// An option as the C interface takes it.
struct Option {
  const char* text = nullptr;
  bool is_right = true;
};

/// The calls made by one thread.
class Caller {
 public:
  Caller(Shared& shared, std::uint64_t seed, int number) : shared_(shared), draw_(seed), number_(number) {}
  ~Caller() {
    fernwood_predictor_free(predictor_);
    fernwood_forest_free(own_);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void call() {
    switch (below(10)) {
      case 0:
        return make_predictor();
      case 1:
      case 2:
      case 3:
        return predict();
      case 4:
        return predict_wrongly();
      case 5:
        return predict_on_device();
      case 6:
        return save_and_load();
      case 7:
        return load_damaged();
      case 8:
        return look();
      default:
        return below(20) == 0 ? train_anything() : free_and_nothing();
    }
  }

 private:
  std::size_t below(std::size_t count) { return draw_() % count; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  /// Checks that an error message accompanies each status except FERNWOOD_OK.
  void is_told(fernwood_status status) {
    check(status == FERNWOOD_OK || std::strlen(fernwood_last_error()) > 10, "a failure without a sentence");
  }
  void must(fernwood_status status, fernwood_status wanted, const char* what) {
    check(status == wanted, what);
    is_told(status);
  }

  void make_predictor() {
    static constexpr std::array kOptions = {
        Option{"device=cpu"}, Option{"threads=1"},        Option{"threads=2"},      Option{"threads=3"},
        Option{"smooth=3"},   Option{"nothing=1", false}, Option{"threads", false}, Option{"layout=none", false}};
    std::vector<const char*> options;
    bool are_right = true;
    for (std::size_t i = below(3); i > 0; --i) {
      const Option option = below(12) == 0 ? Option{nullptr, false} : kOptions[below(kOptions.size())];
      options.push_back(option.text);
      are_right = are_right && option.is_right;
    }
    options.push_back("device=cpu");
    fernwood_predictor* made = nullptr;
    const fernwood_forest* const forest = below(10) == 0 ? nullptr : own_ && below(2) == 0 ? own_ : shared_.forest;
    const char* const* const given = below(20) == 0 ? nullptr : options.data();
    const fernwood_status status = fernwood_predictor_new(forest, given, options.size(), &made);
    is_told(status);
    check((status == FERNWOOD_OK) == (are_right && forest != nullptr && given != nullptr),
          "right options are accepted, and wrong ones refused");
    check((status == FERNWOOD_OK) == (made != nullptr), "a predictor without success, or the other way round");
    if (!made) return;
    fernwood_predictor_free(predictor_);
    predictor_ = made;
    is_plain_ = std::ranges::none_of(options,
                                     [](const char* option) { return std::string_view(option).starts_with("smooth"); });
  }

  void predict() {
    const fernwood_frame frame = shared_.picture.frame();
    std::vector<std::uint16_t> labels(kRows * kCols);
    std::vector<float> probabilities(kRows * kCols * kClasses);
    const bool wants_probabilities = below(2) == 0;
    const fernwood_status status =
        fernwood_predict(predictor_, &frame, labels.data(), wants_probabilities ? probabilities.data() : nullptr);
    must(status, predictor_ ? FERNWOOD_OK : FERNWOOD_USAGE, "predicting");
    if (status != FERNWOOD_OK || !is_plain_) return;
    check(labels == shared_.labels, "other labels than the first time");
    check(!wants_probabilities || probabilities == shared_.probabilities, "other probabilities than the first time");
  }

  void predict_wrongly() {
    fernwood_frame frame = shared_.picture.frame();
    std::vector<std::uint16_t> labels(kRows * kCols);
    std::uint16_t* into = labels.data();
    const fernwood_frame* given = &frame;
    switch (below(12)) {
      case 0:
        frame.struct_size = below(200);
        break;
      case 1:
        frame.rows = one_of<std::size_t>({0, SIZE_MAX, std::size_t{1} << 40});
        break;
      case 2:
        frame.cols = one_of<std::size_t>({0, SIZE_MAX, std::size_t{1} << 40});
        break;
      case 3:
        frame.color = nullptr;
        break;
      case 4:
        frame.depth = nullptr;
        break;
      case 5:
        frame.color_stride = one_of<std::size_t>({1, 3 * kCols - 1, SIZE_MAX});
        break;
      case 6:
        frame.depth_stride = one_of<std::size_t>({1, 3, 2 * kCols - 1, SIZE_MAX});
        break;
      case 7:
        frame.depth_type = static_cast<fernwood_depth_type>(one_of({2, 7}));
        break;
      case 8:
        frame.fx = one_of({-1.0f, NAN, INFINITY, 1e-30f});
        break;
      case 9:
        frame.up[below(3)] = one_of({NAN, INFINITY, -0.0f, 1e30f});
        break;
      case 10:
        into = nullptr;
        break;
      default:
        given = nullptr;
        break;
    }
    is_told(fernwood_predict(predictor_, given, into, nullptr));
  }

  void predict_on_device() {
    fernwood_frame frame = shared_.other.frame();
    if (below(2) == 0) {
      frame.depth = shared_.other.depth_m.data();
      frame.depth_type = FERNWOOD_DEPTH_M;
    }
    const std::size_t cols = kCols + below(3);
    std::vector<std::uint16_t> labels(kRows * cols, 7);
    is_told(fernwood_predict_on_device(predictor_, &frame, labels.data(), 2 * cols, nullptr, nullptr));
    for (std::size_t row = 0; row + 1 < kRows; ++row)
      for (std::size_t col = kCols; col < cols; ++col) check(labels[row * cols + col] == 7, "written next to a row");
    is_told(fernwood_predict_on_device(predictor_, &frame, labels.data(),
                                       one_of<std::size_t>({1, SIZE_MAX, SIZE_MAX / 2}), nullptr, nullptr));
    fernwood_predictor_gpu(predictor_);
  }

  std::string own_file(const char* name) const { return (shared_.folder / (name + std::to_string(number_))).string(); }

  void save_and_load() {
    const std::string path = own_file("forest");
    must(fernwood_forest_save(shared_.forest, path.c_str()), FERNWOOD_OK, "saving");
    fernwood_forest* loaded = nullptr;
    must(fernwood_forest_load(path.c_str(), &loaded), FERNWOOD_OK, "loading what was saved");
    fernwood_forest_free(own_);
    own_ = loaded;
    is_told(fernwood_forest_save(shared_.forest, one_of<const char*>({nullptr, "", "/nowhere/at/all", "/dev/full"})));
    is_told(fernwood_forest_load(one_of<const char*>({nullptr, "", "/nowhere", "/dev/null", "/"}), &loaded));
    is_told(fernwood_forest_load(path.c_str(), nullptr));
  }

  void load_damaged() {
    const std::string from = (shared_.folder / "forest").string(), to = own_file("damaged");
    std::FILE* const file = std::fopen(from.c_str(), "rb");
    check(file, "no file to damage");
    std::string bytes(1 << 20, '\0');
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
    std::fclose(file);
    for (std::size_t i = below(4); i > 0; --i) bytes[below(bytes.size())] ^= static_cast<char>(1u << below(8));
    if (below(3) == 0) bytes.resize(below(bytes.size()));
    write(to, bytes);
    fernwood_forest* forest = nullptr;
    is_told(fernwood_forest_load(to.c_str(), &forest));
    fernwood_forest_free(forest);
  }

  void look() {
    const fernwood_forest* const forest = below(4) == 0 ? nullptr : shared_.forest;
    const std::size_t index = below(6) == 0 ? SIZE_MAX : below(5);
    const char* const name = fernwood_forest_class_name(forest, index);
    check((name != nullptr) == (forest && index < kClasses), "a class without a name, or the other way round");
    check(!name || std::strcmp(name, kNames[index]) == 0, "another name");
    check(fernwood_forest_num_classes(forest) == (forest ? kClasses : 0), "another number of classes");
    std::array<std::uint8_t, 3> color{};
    is_told(fernwood_forest_class_color(forest, index, below(5) == 0 ? nullptr : color.data()));
    check(std::strlen(fernwood_version()) > 0 && fernwood_c_version() == FERNWOOD_C_VERSION, "another version");
  }

  void train_anything() {
    static constexpr std::array kOptions = {Option{"algorithm=boosted"},
                                            Option{"seed=7"},
                                            Option{"folds=2"},
                                            Option{"cascade=1"},
                                            Option{"optimize=classes"},
                                            Option{"mirror-augmentation=true"},
                                            Option{"trees=0", false},
                                            Option{"max-depth=999", false},
                                            Option{"device=nowhere", false},
                                            Option{"algorithm=nothing", false}};
    const Option option = kOptions[below(kOptions.size())];
    const std::vector<const char*> options = {
        "trees=1",   "samples-per-frame=20", "features=5", "max-depth=2", "device=cpu",
        "threads=2", "backbone=none",        option.text};
    fernwood_training change = FERNWOOD_TRAINING;
    bool may_be_refused = !option.is_right;
    const std::array<const char*, 3> odd = {"a", below(2) == 0 ? "a" : "\xff", nullptr};
    if (below(6) == 0) {
      may_be_refused = true;
      change.num_classes = 1 + below(3);
      change.class_names = odd.data();
    }
    if (below(6) == 0) {
      may_be_refused = true;
      change.struct_size = below(300);
    }
    if (below(4) == 0) {
      change.user = this;
      change.progress = [](void* user, const char*, double) {
        return static_cast<Caller*>(user)->below(3) == 0 ? 1 : 0;
      };
    }
    fernwood_forest* grown = nullptr;
    const fernwood_status status = train(shared_, options, change, &grown);
    is_told(status);
    check((status == FERNWOOD_OK) == (grown != nullptr), "a forest without success, or the other way round");
    check(option.is_right || status != FERNWOOD_OK, "a wrong option is refused");
    check(may_be_refused || status == FERNWOOD_OK || status == FERNWOOD_INTERRUPTED, "a right option is accepted");
    fernwood_forest_free(grown);
  }

  void free_and_nothing() {
    switch (below(4)) {
      case 0:
        fernwood_predictor_free(predictor_);
        predictor_ = nullptr;
        break;
      case 1:
        fernwood_forest_free(own_);  // predictors remain valid
        own_ = nullptr;
        break;
      default:
        fernwood_forest_free(nullptr);
        fernwood_predictor_free(nullptr);
    }
  }

  Shared& shared_;
  std::mt19937_64 draw_;
  int number_;
  fernwood_predictor* predictor_ = nullptr;
  bool is_plain_ = true;  // whether predictor_ must return the first labels again
  fernwood_forest* own_ = nullptr;
};

void find_first_answers(Shared& shared) {
  const char* const options[] = {"device=cpu", "threads=1"};
  fernwood_predictor* predictor = nullptr;
  check(fernwood_predictor_new(shared.forest, options, 2, &predictor) == FERNWOOD_OK, "no predictor");
  const fernwood_frame frame = shared.picture.frame();
  shared.labels.resize(kRows * kCols);
  shared.probabilities.resize(kRows * kCols * kClasses);
  check(fernwood_predict(predictor, &frame, shared.labels.data(), shared.probabilities.data()) == FERNWOOD_OK,
        "no labels");
  fernwood_predictor_free(predictor);
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t calls = count > 1 ? std::strtoull(words[1], nullptr, 10) : 2000;
  const std::uint64_t seed = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  Shared shared;
  prepare(shared);
  find_first_answers(shared);
  std::atomic<std::uint64_t> done = 0;
  const auto work = [&](int number) {
    Caller caller(shared, seed * 2 + static_cast<std::uint64_t>(number), number);
    while (done++ < calls) caller.call();
  };
  std::thread beside([&] { work(1); });
  work(0);
  beside.join();
  fernwood_forest_free(shared.forest);
  std::filesystem::remove_all(shared.folder);
  std::printf("%llu turns of calls from two threads, seed %llu: nothing found\n",
              static_cast<unsigned long long>(calls), static_cast<unsigned long long>(seed));
  return 0;
}
