// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "fernwood_tables.h"
#include "fuzz/tables_targets.h"

namespace fernwood::fuzz {

namespace {

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
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

fernwood_record_forest* loaded_records() {
  static const std::string path = [] {
    const Bytes model = record_model_seeds()[1];
    write_bytes(scratch_folder() / "records.fernwood", model.data(), model.size());
    return (scratch_folder() / "records.fernwood").string();
  }();
  fernwood_record_forest* forest = nullptr;
  law(fernwood_record_forest_load(path.c_str(), &forest) == FERNWOOD_OK && forest != nullptr,
      "a good model of records is not loaded");
  return forest;
}

/// Calls with handles of their own and a shared forest.
class Caller {
 public:
  Caller(Bytewise bytes, fernwood_record_forest* records) : bytes_(bytes), records_(records), floats_(kBufferBytes) {
    for (std::size_t i = 0; i < floats_.size(); ++i) floats_[i] = static_cast<float>(i % 11) - 3;
  }

  void run() {
    using Call = void (Caller::*)();
    constexpr std::array<Call, 6> kCalls = {&Caller::make_record_predictor,
                                            &Caller::classify,
                                            &Caller::find_probabilities,
                                            &Caller::ask_names,
                                            &Caller::drop,
                                            &Caller::load_damaged};
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
    constexpr std::array<const char*, 8> kOptions = {"threads=-1", "strategi=auto", "device=x", "novalue",
                                                     "=",          "values=ranks",  nullptr,    "threads=2"};
    for (int count = bytes_.next() % 3; count > 0; --count) chosen.push_back(bytes_.one_of(kOptions));
    return chosen;
  }
  std::size_t count_of(const std::vector<const char*>& options) {
    return bytes_.next() % 16 == 15 ? kHuge : options.size();
  }

  void make_record_predictor() {
    const std::vector<const char*> given = options({"device=cpu", "threads=1", "remember=false"});
    fernwood_record_predictor* made = nullptr;
    const bool is_made = checked(fernwood_record_predictor_new(bytes_.next() % 8 == 7 ? nullptr : records_,
                                                               given.data(), count_of(given), &made));
    law(is_made == (made != nullptr), "a predictor of records is there, and the call failed, or neither");
    if (is_made && record_predictors_.size() < kMaxHandles)
      record_predictors_.emplace_back(made, &fernwood_record_predictor_free);
    else
      fernwood_record_predictor_free(made);
  }

  fernwood_records some_records() {
    constexpr std::array<std::size_t, 8> kCounts = {1, 2, 3, 4, 0, kHuge, kHuge / 8 + 1, kHuge / 2};
    fernwood_records given{};
    given.values = bytes_.next() % 8 == 7 ? nullptr : floats_.data();
    given.num_records = bytes_.one_of(kCounts);
    given.num_attributes =
        bytes_.next() % 4 == 3 ? bytes_.one_of(kCounts) : fernwood_record_forest_num_attributes(records_);
    given.record_step = bytes_.one_of(kCounts);
    given.attribute_step = bytes_.next() % 2 == 0 ? 1 : bytes_.one_of(kCounts);
    return given;
  }
  void classify() {
    const fernwood_records given = some_records();
    std::array<std::int32_t, 4> classes{};
    checked(fernwood_classify(some_of(record_predictors_), &given, bytes_.next() % 8 == 7 ? nullptr : classes.data()));
  }
  void find_probabilities() {
    const fernwood_records given = some_records();
    std::vector<double> shares(4 * fernwood_record_forest_num_classes(records_));
    checked(
        fernwood_record_predict(some_of(record_predictors_), bytes_.next() % 8 == 7 ? nullptr : &given, shares.data()));
  }

  void ask_names() {
    const std::size_t index = bytes_.one_of(std::array<std::size_t, 5>{0, 1, 2, 900, kHuge});
    law((fernwood_record_forest_class_name(records_, index) != nullptr) ==
            (index < fernwood_record_forest_num_classes(records_)),
        "a class of records has no name, or one too many has");
  }

  void drop() {
    if (!record_predictors_.empty()) record_predictors_.pop_back();
  }

  /// Loads a file that is not a model, or a missing file.
  void load_damaged() {
    const std::string path = bytes_.next() % 2 == 0 ? "/dev/null" : (scratch_folder() / "nothing").string();
    fernwood_record_forest* records = nullptr;
    law(!checked(fernwood_record_forest_load(path.c_str(), &records)), "what is not a model is loaded");
  }

  Bytewise bytes_;
  fernwood_record_forest* const records_;
  std::vector<Handle<fernwood_record_predictor>> record_predictors_;
  std::vector<float> floats_;
};

}  // namespace

int fuzz_record_calls(const std::uint8_t* data, std::size_t size) {
  static fernwood_record_forest* const records = loaded_records();
  Caller({data, size}, records).run();
  return 0;
}

std::vector<Bytes> record_call_seeds() {
  // Seeds that create predictors and classify records of all sizes, and that make all calls in order.
  Bytes classify = {0, 0, 0, 0}, all;
  for (std::uint8_t i = 0; i < 8; ++i)
    classify.insert(classify.end(), {1, 0, i, 0, 1, 0, 0, 0, 2, 0, i, 0, 1, 1, i, 0});
  for (std::uint8_t i = 0; i < 120; ++i) all.insert(all.end(), {i, static_cast<std::uint8_t>(3 * i), 0, i, 1});
  return {classify, all};
}

}  // namespace fernwood::fuzz
