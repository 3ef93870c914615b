// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "backbone/import/pickle.h"

#include <algorithm>
#include <unordered_map>

#include "fernwood/core/error.h"

namespace fernwood::backbone {

namespace {

using Kind = PickleValue::Kind;

/// Values of all pickles of a file: more than any state dictionary has.
constexpr std::size_t kMostValues = 1u << 20;

/// Instructions of the pickle machine (Python's Lib/pickle.py lists them) that dictionaries of arrays are made with.
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

/// The machine at work on one pickle.
struct Machine {
  std::vector<PickleValue*> stack;
  std::vector<std::size_t> marks;  // sizes of the stack
  std::unordered_map<std::uint64_t, PickleValue*> memo;
  const ErrorContext& place;

  void require(bool holds) const { FW_CHECK(holds, Data, place.file << ": its pickle is damaged" << place.remedy); }
  PickleValue* pop() {
    require(stack.size() > (marks.empty() ? 0 : marks.back()));
    PickleValue* value = stack.back();
    stack.pop_back();
    return value;
  }
  PickleValue* top(Kind kind) const {
    require(!stack.empty() && stack.back()->kind == kind);
    return stack.back();
  }
  std::vector<const PickleValue*> pop_to_mark() {
    require(!marks.empty() && stack.size() >= marks.back());
    std::vector<const PickleValue*> items(stack.begin() + static_cast<std::ptrdiff_t>(marks.back()), stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return items;
  }
  PickleValue* kept(std::uint64_t key) const {
    const auto found = memo.find(key);
    require(found != memo.end());
    return found->second;
  }
  void set_items(const std::vector<const PickleValue*>& items) const {
    require(items.size() % 2 == 0);
    PickleValue* dict = top(Kind::kDict);
    for (std::size_t i = 0; i < items.size(); i += 2) dict->entries.emplace_back(items[i], items[i + 1]);
  }
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
  const ErrorContext& place = bytes.place();
  Machine machine = {{}, {}, {}, place};
  const auto push = [&](Kind kind) {
    PickleValue* value = make(kind, place);
    machine.stack.push_back(value);
    return value;
  };
  const auto push_text = [&](std::uint64_t size) {
    const auto text = bytes.take(size);
    push(Kind::kText)->text.assign(text.begin(), text.end());
  };
  const auto push_tuple = [&](std::size_t size) {
    std::vector<const PickleValue*> items(size);
    for (std::size_t i = size; i-- > 0;) items[i] = machine.pop();
    push(Kind::kTuple)->items = std::move(items);
  };
  const auto push_function = [&](const std::string& name) {
    FW_CHECK(allows_(name), Data,
             place.file << ": names the function \"" << name
                        << "\", which a dictionary of weights has no need of; give a file that torch.save() wrote of a "
                           "state_dict()");
    push(Kind::kFunction)->text = name;
  };
  for (;;) {
    switch (const std::uint64_t opcode = bytes.number(1)) {
      case kProto:
        bytes.number(1);
        break;
      case kFrame:
        bytes.number(8);
        break;
      case kStop:
        return *machine.pop();
      case kMark:
        machine.marks.push_back(machine.stack.size());
        break;
      case kNone:
        push(Kind::kNone);
        break;
      case kNewTrue:
      case kNewFalse:
        push(Kind::kNumber)->number = opcode == kNewTrue;
        break;
      case kBinInt:
        push(Kind::kNumber)->number = static_cast<std::int32_t>(bytes.number(4));
        break;
      case kBinInt1:
        push(Kind::kNumber)->number = static_cast<std::int64_t>(bytes.number(1));
        break;
      case kBinInt2:
        push(Kind::kNumber)->number = static_cast<std::int64_t>(bytes.number(2));
        break;
      case kLong1: {  // the first file format begins with a number of ten bytes: its lowest eight will do
        const std::uint64_t size = bytes.number(1);
        ByteCursor digits(bytes.take(size), place);
        push(Kind::kNumber)->number = static_cast<std::int64_t>(digits.number(std::min<std::uint64_t>(size, 8)));
        break;
      }
      case kBinUnicode:
        push_text(bytes.number(4));
        break;
      case kShortBinUnicode:
        push_text(bytes.number(1));
        break;
      case kEmptyDict:
        push(Kind::kDict);
        break;
      case kEmptyList:
        push(Kind::kList);
        break;
      case kEmptyTuple:
        push(Kind::kTuple);
        break;
      case kTuple1:
      case kTuple2:
      case kTuple3:
        push_tuple(opcode - kTuple1 + 1);
        break;
      case kTuple: {
        auto items = machine.pop_to_mark();
        push(Kind::kTuple)->items = std::move(items);
        break;
      }
      case kAppend: {
        const PickleValue* item = machine.pop();
        machine.top(Kind::kList)->items.push_back(item);
        break;
      }
      case kAppends: {
        const auto items = machine.pop_to_mark();
        PickleValue* list = machine.top(Kind::kList);
        list->items.insert(list->items.end(), items.begin(), items.end());
        break;
      }
      case kSetItem: {
        const PickleValue* value = machine.pop();
        const PickleValue* key = machine.pop();
        machine.set_items({key, value});
        break;
      }
      case kSetItems:
        machine.set_items(machine.pop_to_mark());
        break;
      case kBinPut:
      case kLongBinPut: {
        const std::uint64_t key = bytes.number(opcode == kBinPut ? 1 : 4);
        machine.require(!machine.stack.empty());
        machine.memo[key] = machine.stack.back();
        break;
      }
      case kMemoize:
        machine.require(!machine.stack.empty());
        machine.memo.emplace(machine.memo.size(), machine.stack.back());
        break;
      case kBinGet:
      case kLongBinGet:
        machine.stack.push_back(machine.kept(bytes.number(opcode == kBinGet ? 1 : 4)));
        break;
      case kGlobal: {
        const std::string module(bytes.line()), name(bytes.line());
        push_function(module + " " + name);
        break;
      }
      case kStackGlobal: {
        const PickleValue* name = machine.pop();
        const PickleValue* module = machine.pop();
        push_function(module->text + " " + name->text);
        break;
      }
      case kReduce: {
        const PickleValue* arguments = machine.pop();
        const PickleValue* function = machine.pop();
        machine.require(function->kind == Kind::kFunction && arguments->kind == Kind::kTuple);
        if (function->text == "collections OrderedDict") {
          push(Kind::kDict);
          break;
        }
        PickleValue* call = push(Kind::kCall);
        call->text = function->text;
        call->items = arguments->items;
        break;
      }
      case kBuild:  // attributes of what is below: none is of interest
        machine.pop();
        machine.require(!machine.stack.empty());
        break;
      case kBinPersId: {
        const PickleValue* id = machine.pop();
        machine.require(id->kind == Kind::kTuple);
        push(Kind::kStored)->items = id->items;
        break;
      }
      default:
        FW_CHECK(false, Data,
                 place.file << ": its pickle has the instruction " << opcode
                            << ", which a dictionary of weights has no need of; give a file that torch.save() wrote of "
                               "a state_dict()");
    }
  }
}

}  // namespace fernwood::backbone
