// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Random sequences of calls of fernwood_tables.h, from two threads that share what the interface allows to be shared;
// for use with sanitizers.
//   record_calls [CALLS [SEED]]
// Arguments are valid, invalid in each way that the header excludes, or missing. Valid calls must return the first
// result again; others must return a status and an error message. Exit code 0: all of them did.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fernwood_tables.h"

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "record_calls: %s; the last error is \"%s\"\n", what, fernwood_last_error());
  std::exit(1);
}

void check(bool holds, const char* what) {
  if (!holds) fail(what);
}

constexpr std::size_t kAttributes = 4, kRecords = 60;

/// Objects that both threads use at once.
struct Shared {
  std::filesystem::path folder;
  fernwood_record_forest* records = nullptr;
  std::vector<float> values;  // [record][attribute]
  std::vector<std::int32_t> classes;
  std::vector<double> record_probabilities;
};

std::string lightgbm_model() {
  return "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=3\nobjective=binary sigmoid:1\n"
         "feature_names=a b c "
         "d\ntree_sizes=1\n\nTree=0\nnum_leaves=2\nsplit_feature=2\nthreshold=0.5\ndecision_type=2\n"
         "left_child=-1\nright_child=-2\nleaf_value=-1 1\n\nend of trees\n";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  check(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0, "no file");
}

void prepare(Shared& shared) {
  shared.folder = std::filesystem::temp_directory_path() / ("record_calls_" + std::to_string(std::random_device()()));
  std::filesystem::create_directories(shared.folder);
  write(shared.folder / "model.txt", lightgbm_model());
  check(fernwood_record_forest_import((shared.folder / "model.txt").c_str(), &shared.records) == FERNWOOD_OK,
        "importing failed");
  check(fernwood_record_forest_save(shared.records, (shared.folder / "records").c_str()) == FERNWOOD_OK,
        "saving records failed");
  std::mt19937 draw(5);
  for (std::size_t i = 0; i < kRecords * kAttributes; ++i)
    shared.values.push_back(i % 17 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                        : static_cast<float>(draw() % 1000) / 1000);
}

/// The calls made by one thread.
class Caller {
 public:
  Caller(Shared& shared, std::uint64_t seed, int number) : shared_(shared), draw_(seed), number_(number) {}
  ~Caller() {
    fernwood_record_predictor_free(record_predictor_);
    fernwood_record_forest_free(own_records_);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void call() {
    switch (below(9)) {
      case 0:
        return make_record_predictor();
      case 1:
      case 2:
        return classify();
      case 3:
        return find_probabilities();
      case 4:
        return records_wrongly();
      case 5:
        return save_and_load_records();
      case 6:
        return load_damaged();
      case 7:
        return look();
      default:
        return free_and_nothing();
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

  std::string own_file(const char* name) const { return (shared_.folder / (name + std::to_string(number_))).string(); }

  void make_record_predictor() {
    static constexpr std::array<const char*, 8> kOptions = {
        "strategy=serial", "strategy=interleaved", "strategy=nothing", "threads=1",
        "threads=-1",      "values=cut",           "remember=false",   "remember=perhaps"};
    std::vector<const char*> options = {"remember=false", "device=cpu", kOptions[below(kOptions.size())]};
    if (below(3) != 0) options.push_back("strategy=serial");
    fernwood_record_predictor* made = nullptr;
    const fernwood_record_forest* const forest = below(10) == 0                  ? nullptr
                                                 : own_records_ && below(2) == 0 ? own_records_
                                                                                 : shared_.records;
    const fernwood_status status = fernwood_record_predictor_new(forest, options.data(), options.size(), &made);
    is_told(status);
    check((status == FERNWOOD_OK) == (made != nullptr), "a predictor of records without success");
    if (!made) return;
    fernwood_record_predictor_free(record_predictor_);
    record_predictor_ = made;
  }

  fernwood_records records() const { return {shared_.values.data(), kRecords, kAttributes, kAttributes, 1}; }

  void classify() {
    const fernwood_records given = records();
    std::vector<std::int32_t> classes(kRecords);
    const fernwood_status status = fernwood_classify(record_predictor_, &given, classes.data());
    must(status, record_predictor_ ? FERNWOOD_OK : FERNWOOD_USAGE, "classifying");
    if (status == FERNWOOD_OK) check(classes == shared_.classes, "other classes than the first time");
  }

  void find_probabilities() {
    const fernwood_records given = records();
    std::vector<double> probabilities(2 * kRecords);
    const fernwood_status status = fernwood_record_predict(record_predictor_, &given, probabilities.data());
    must(status, record_predictor_ ? FERNWOOD_OK : FERNWOOD_USAGE, "probabilities");
    if (status == FERNWOOD_OK)
      check(probabilities == shared_.record_probabilities, "other probabilities of records than the first time");
  }

  void records_wrongly() {
    fernwood_records given = records();
    std::vector<std::int32_t> classes(kRecords);
    std::vector<double> probabilities(2 * kRecords);
    switch (below(6)) {
      case 0:
        given.values = nullptr;
        break;
      case 1:
        given.num_attributes = one_of<std::size_t>({0, 3, 5, SIZE_MAX});
        break;
      case 2:
        given.num_records = 0;
        break;
      case 3:
        given.record_step = one_of<std::size_t>({0, 1, 3, SIZE_MAX, SIZE_MAX / 64});
        break;
      case 4:
        given.attribute_step = 0;
        break;
      default:
        break;
    }
    is_told(fernwood_classify(record_predictor_, below(8) == 0 ? nullptr : &given,
                              below(8) == 0 ? nullptr : classes.data()));
    is_told(fernwood_record_predict(below(8) == 0 ? nullptr : record_predictor_, &given,
                                    below(8) == 0 ? nullptr : probabilities.data()));
  }

  void save_and_load_records() {
    const std::string path = own_file("records");
    must(fernwood_record_forest_save(shared_.records, path.c_str()), FERNWOOD_OK, "saving records");
    fernwood_record_forest* loaded = nullptr;
    must(fernwood_record_forest_load(path.c_str(), &loaded), FERNWOOD_OK, "loading records");
    fernwood_record_forest_free(own_records_);
    own_records_ = loaded;
  }

  void load_damaged() {
    const std::string from = (shared_.folder / "records").string(), to = own_file("damaged");
    std::FILE* const file = std::fopen(from.c_str(), "rb");
    check(file, "no file to damage");
    std::string bytes(1 << 20, '\0');
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
    std::fclose(file);
    for (std::size_t i = below(4); i > 0; --i) bytes[below(bytes.size())] ^= static_cast<char>(1u << below(8));
    if (below(3) == 0) bytes.resize(below(bytes.size()));
    write(to, bytes);
    fernwood_record_forest* records = nullptr;
    is_told(fernwood_record_forest_load(to.c_str(), &records));
    fernwood_record_forest_free(records);
    if (below(4) != 0) return;
    std::string text = lightgbm_model();
    text[below(text.size())] = static_cast<char>(below(256));
    write(to, text);
    records = nullptr;
    is_told(fernwood_record_forest_import(to.c_str(), &records));
    fernwood_record_forest_free(records);
  }

  void look() {
    const std::size_t index = below(6) == 0 ? SIZE_MAX : below(5);
    const fernwood_record_forest* const records = below(4) == 0 ? nullptr : shared_.records;
    check(fernwood_record_forest_num_attributes(records) == (records ? kAttributes : 0),
          "another number of attributes");
    fernwood_record_forest_class_name(records, index);
    check(std::strlen(fernwood_version()) > 0 && fernwood_c_version() == FERNWOOD_C_VERSION, "another version");
  }

  void free_and_nothing() {
    switch (below(4)) {
      case 0:
        fernwood_record_predictor_free(record_predictor_);
        record_predictor_ = nullptr;
        break;
      case 1:
        fernwood_record_forest_free(own_records_);
        own_records_ = nullptr;
        break;
      default:
        fernwood_record_forest_free(nullptr);
        fernwood_record_predictor_free(nullptr);
    }
  }

  Shared& shared_;
  std::mt19937_64 draw_;
  int number_;
  fernwood_record_predictor* record_predictor_ = nullptr;
  fernwood_record_forest* own_records_ = nullptr;
};

void find_first_answers(Shared& shared) {
  const char* const record_options[] = {"device=cpu", "strategy=serial"};
  fernwood_record_predictor* records = nullptr;
  check(fernwood_record_predictor_new(shared.records, record_options, 2, &records) == FERNWOOD_OK,
        "no predictor of records");
  const fernwood_records given = {shared.values.data(), kRecords, kAttributes, kAttributes, 1};
  shared.classes.resize(kRecords);
  shared.record_probabilities.resize(2 * kRecords);
  check(fernwood_classify(records, &given, shared.classes.data()) == FERNWOOD_OK, "no classes");
  check(fernwood_record_predict(records, &given, shared.record_probabilities.data()) == FERNWOOD_OK,
        "no probabilities");
  fernwood_record_predictor_free(records);
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
  fernwood_record_forest_free(shared.records);
  std::filesystem::remove_all(shared.folder);
  std::printf("%llu turns of calls from two threads, seed %llu: nothing found\n",
              static_cast<unsigned long long>(calls), static_cast<unsigned long long>(seed));
  return 0;
}
