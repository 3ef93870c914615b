// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/pickle.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

using Kind = PickleValue::Kind;

/// Maximum number of values in all pickles of a file: more than any state dictionary has.
constexpr std::size_t kMostValues = 1u << 20;

/// Instructions of the pickle machine (listed in Python's Lib/pickle.py) that occur in dictionaries of arrays.
enum Opcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kNone = 'N',
  kReduce = 'R',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kBinUnicode = 'X',
  kBinPersId = 'Q',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95
};

/// Executes one pickle.
class Machine {
 public:
  /// @param make  Creates a value that outlives the machine.
  Machine(ByteCursor& bytes, std::function<PickleValue*(Kind)> make, Unpickler::Allows allows)
      : bytes_(bytes), make_(std::move(make)), allows_(allows) {}

  const PickleValue& run() {
    for (;;) {
      const std::uint64_t opcode = bytes_.number(1);
      if (opcode == kStop) return *pop();
      FW_CHECK(skip(opcode) || push_plain(opcode) || build(opcode) || remember(opcode) || call(opcode), Data,
               place().file << ": its pickle has the instruction " << opcode
                            << ", which a dictionary of weights has no need of; give a file that torch.save() wrote of "
                               "a state_dict()");
    }
  }

 private:
  const ErrorContext& place() const { return bytes_.place(); }
  void require(bool holds) const { FW_CHECK(holds, Data, place().file << ": its pickle is damaged" << place().remedy); }
  PickleValue* push(Kind kind) {
    stack_.push_back(make_(kind));
    return stack_.back();
  }
  PickleValue* pop() {
    require(stack_.size() > (marks_.empty() ? 0 : marks_.back()));
    PickleValue* value = stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleValue* top() const {
    require(!stack_.empty());
    return stack_.back();
  }
  PickleValue* top(Kind kind) const {
    require(top()->kind == kind);
    return top();
  }
  std::vector<const PickleValue*> pop_to_mark() {
    require(!marks_.empty() && stack_.size() >= marks_.back());
    std::vector<const PickleValue*> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  void push_text(std::uint64_t size) {
    const auto text = bytes_.take(size);
    push(Kind::kText)->text.assign(text.begin(), text.end());
  }
  void push_function(const std::string& name) {
    FW_CHECK(allows_(name), Data,
             place().file << ": names the function \"" << name
                          << "\", which a dictionary of weights has no need of; give a file that torch.save() wrote of "
                             "a state_dict()");
    push(Kind::kFunction)->text = name;
  }
  void set_items(const std::vector<const PickleValue*>& items) const {
    require(items.size() % 2 == 0);
    PickleValue* dict = top(Kind::kDict);
    for (std::size_t i = 0; i < items.size(); i += 2) dict->entries.emplace_back(items[i], items[i + 1]);
  }

  // Each function executes one group of instructions; @return  Whether the instruction belongs to it.

  /// Instructions that do not change values.
  bool skip(std::uint64_t opcode) {
    if (opcode == kProto) return bytes_.number(1), true;
    if (opcode == kFrame) return bytes_.number(8), true;
    if (opcode == kMark) return marks_.push_back(stack_.size()), true;
    if (opcode != kBuild) return false;
    pop();  // attributes of the value below, which are not needed
    top();
    return true;
  }

  /// Numbers and strings.
  bool push_plain(std::uint64_t opcode) {
    if (opcode == kNone) return push(Kind::kNone), true;
    if (opcode == kBinUnicode) return push_text(bytes_.number(4)), true;
    if (opcode == kShortBinUnicode) return push_text(bytes_.number(1)), true;
    std::int64_t number = 0;
    if (opcode == kNewTrue || opcode == kNewFalse)
      number = opcode == kNewTrue;
    else if (opcode == kBinInt)
      number = static_cast<std::int32_t>(bytes_.number(4));
    else if (opcode == kBinInt1 || opcode == kBinInt2)
      number = static_cast<std::int64_t>(bytes_.number(opcode == kBinInt1 ? 1 : 2));
    else if (opcode == kLong1)
      number = long_number();
    else
      return false;
    push(Kind::kNumber)->number = number;
    return true;
  }
  /// The first file format begins with a number of ten bytes, of which the lowest eight suffice.
  std::int64_t long_number() {
    const std::uint64_t size = bytes_.number(1);
    ByteCursor digits(bytes_.take(size), place());
    return static_cast<std::int64_t>(digits.number(std::min<std::uint64_t>(size, 8)));
  }

  /// Tuples, lists and dictionaries.
  bool build(std::uint64_t opcode) {
    if (opcode == kEmptyDict) return push(Kind::kDict), true;
    if (opcode == kEmptyList) return push(Kind::kList), true;
    if (opcode == kEmptyTuple) return push(Kind::kTuple), true;
    if (opcode == kSetItems) return set_items(pop_to_mark()), true;
    if (opcode == kSetItem) {
      const PickleValue* value = pop();
      const PickleValue* key = pop();
      set_items({key, value});
    } else if (opcode == kAppend) {
      const PickleValue* item = pop();
      top(Kind::kList)->items.push_back(item);
    } else if (opcode == kAppends) {
      const auto items = pop_to_mark();
      PickleValue* list = top(Kind::kList);
      list->items.insert(list->items.end(), items.begin(), items.end());
    } else if (opcode == kTuple) {
      auto items = pop_to_mark();
      push(Kind::kTuple)->items = std::move(items);
    } else if (opcode >= kTuple1 && opcode <= kTuple3) {
      std::vector<const PickleValue*> items(opcode - kTuple1 + 1);
      for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
      push(Kind::kTuple)->items = std::move(items);
    } else {
      return false;
    }
    return true;
  }

  /// References to earlier values.
  bool remember(std::uint64_t opcode) {
    if (opcode == kBinPut || opcode == kLongBinPut) {
      const std::uint64_t key = bytes_.number(opcode == kBinPut ? 1 : 4);
      memo_[key] = top();
    } else if (opcode == kMemoize) {
      memo_.emplace(memo_.size(), top());
    } else if (opcode == kBinGet || opcode == kLongBinGet) {
      const auto found = memo_.find(bytes_.number(opcode == kBinGet ? 1 : 4));
      require(found != memo_.end());
      stack_.push_back(found->second);
    } else {
      return false;
    }
    return true;
  }

  /// Functions, which are not called, and persistent references.
  bool call(std::uint64_t opcode) {
    if (opcode == kGlobal) {
      const std::string module(bytes_.line()), name(bytes_.line());
      push_function(module + " " + name);
    } else if (opcode == kStackGlobal) {
      const PickleValue* name = pop();
      const PickleValue* module = pop();
      push_function(module->text + " " + name->text);
    } else if (opcode == kReduce) {
      const PickleValue* arguments = pop();
      const PickleValue* function = pop();
      require(function->kind == Kind::kFunction && arguments->kind == Kind::kTuple);
      if (function->text == "collections OrderedDict") return push(Kind::kDict), true;
      PickleValue* made = push(Kind::kCall);
      made->text = function->text;
      made->items = {arguments};
    } else if (opcode == kBinPersId) {
      const PickleValue* id = pop();
      require(id->kind == Kind::kTuple);
      push(Kind::kStored)->items = {id};
    } else {
      return false;
    }
    return true;
  }

  ByteCursor& bytes_;
  std::function<PickleValue*(Kind)> make_;
  Unpickler::Allows allows_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, PickleValue*> memo_;
};

}  // namespace

std::span<const std::uint8_t> ByteCursor::take(std::uint64_t count) {
  FW_CHECK(count <= bytes_.size(), Data, place_.file << ": ends too early" << place_.remedy);
  const auto taken = bytes_.first(static_cast<std::size_t>(count));
  bytes_ = bytes_.subspan(taken.size());
  return taken;
}

std::uint64_t ByteCursor::number(std::size_t count) {
  std::uint64_t value = 0;
  int shift = 0;
  for (const std::uint8_t byte : take(count)) value |= static_cast<std::uint64_t>(byte) << shift, shift += 8;
  return value;
}

std::string_view ByteCursor::line() {
  const auto end = std::ranges::find(bytes_, std::uint8_t{'\n'});
  const auto text = take(static_cast<std::size_t>(end - bytes_.begin()));
  take(1);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

PickleValue* Unpickler::make(Kind kind, const ErrorContext& place) {
  FW_CHECK(values_.size() < kMostValues, Data,
           place.file << ": its pickle makes more than " << kMostValues << " values; give a dictionary of weights");
  values_.push_back(std::make_unique<PickleValue>());
  values_.back()->kind = kind;
  return values_.back().get();
}

const PickleValue& Unpickler::next(ByteCursor& bytes) {
  return Machine(
             bytes, [&](Kind kind) { return make(kind, bytes.place()); }, allows_)
      .run();
}

}  // namespace fernwood::backbone
