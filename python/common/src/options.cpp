// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/common/src/bindings.h"

#include <array>

namespace fernwood::python {

namespace {

const char* type_name(OptionType type) {
  constexpr std::array kNames = {"flag", "integer", "number", "text", "choice", "size", "list"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

nb::dict to_dict(const OptionInfo& row) {
  nb::dict dict;
  dict["name"] = row.name;
  dict["type"] = type_name(row.type);
  dict["help"] = row.help.on_command_line();
  dict["help_in_python"] =
      row.help.worded([](const NamedOption& option) { return "`" + in_python(OptionSentence(option)) + "`"; });
  dict["group"] = row.group;
  dict["range"] = row.range ? nb::cast(short_text(*row.range)) : nb::none();
  dict["choices"] = row.choices;
  dict["value"] = row.shown_value;
  dict["default"] = row.shown_default;
  dict["changes_model"] = row.changes_model;
  dict["is_searched"] = row.is_searched;
  return dict;
}

}  // namespace fernwood::python
