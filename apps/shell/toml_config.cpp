// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/toml_config.h"

#include <toml++/toml.h>

#include <sstream>

#include "fernwood/core/error.h"

namespace fernwood::apps {

namespace {

using Items = std::vector<CLI::ConfigItem>;

/// A value as it is written on the command line.
std::string as_word(const toml::node& value) {
  if (const toml::value<std::string>* text = value.as_string()) return text->get();
  std::ostringstream text;
  value.visit([&](const auto& known) { text << known; });
  return text.str();
}

void add_items(const toml::table& table, const std::vector<std::string>& parents, Items& items) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (const toml::table* inner = value.as_table()) {
      std::vector<std::string> path = parents;
      path.push_back(name);
      add_items(*inner, path, items);
      continue;
    }
    CLI::ConfigItem item{parents, name, {}};
    if (const toml::array* list = value.as_array())
      for (const toml::node& entry : *list) item.inputs.push_back(as_word(entry));
    else
      item.inputs.push_back(as_word(value));
    items.push_back(std::move(item));
  }
}

class TomlConfig : public CLI::Config {
 public:
  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return ""; }
  Items from_config(std::istream& in) const override {
    Items items;
    try {
      add_items(toml::parse(in), {}, items);
    } catch (const toml::parse_error& failure) {
      throw Error(ErrorKind::kUsage, "the --config file is not valid TOML in line " +
                                         std::to_string(failure.source().begin.line) + ": " +
                                         std::string(failure.description()) + "; mend it");
    }
    return items;
  }
};

}  // namespace

std::shared_ptr<CLI::Config> make_toml_config() { return std::make_shared<TomlConfig>(); }

}  // namespace fernwood::apps
