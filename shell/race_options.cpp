// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/race_options.h"

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/search/report.h"
#include "shell/console.h"
#include "shell/interrupt.h"
#include "shell/options.h"
#include "shell/output_files.h"

namespace fernwood::apps {

void RaceArguments::add_to(CLI::App& command, search::DataSearchOptions& options,
                           std::initializer_list<std::string_view> but) {
  command.add_option("--out", out, "Output folder: journal, model, options and a page")->required()->option_text("DIR");
  add_table(command, options, but);
  command.add_option("--space", space, "TOML file with changes to the search space, see docs/reference/search.md")
      ->option_text("FILE");
  command
      .add_option("--external-sampler", sampler,
                  "Configurations to evaluate instead of generated ones: a file, or - for an external program")
      ->option_text("FILE|-");
  add_json_flag(command, json);
}

void RaceArguments::finish(search::DataSearchOptions& options) const {
  options.race.folder = out;
  if (!space.empty()) options.read_space(space);
  if (sampler == "-")
    options.race.propose = sampler_at_standard_input();
  else if (!sampler.empty())
    options.race.propose = search::propose_once(search::read_proposals(sampler));
  options.check();
}

void RaceArguments::make_out(std::vector<NamedPath> inputs) const {
  make_folder(out);
  inputs.insert(inputs.end(), {{"--space", space}, {"--external-sampler", sampler}});
  search::check_search_files("--out", out, all_inputs(std::move(inputs)), input_rule());
}

std::filesystem::path RaceArguments::model() const { return search::search_files(out).model; }
std::filesystem::path RaceArguments::config() const { return search::search_files(out).config; }

void show_race(const std::filesystem::path& out, const std::function<void(const search::SearchHooks&)>& race) {
  ProgressBar bar;
  search::SearchHooks hooks;
  hooks.stop = interrupt_token();
  hooks.progress = [&](const search::SearchProgress& now) { bar.show(search::progress_words(now)); };
  hooks.warn = [&](const Warning& warning) { bar.warn(warning.text); };
  try {
    race(hooks);
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::kInterrupted) throw;
    throw Error(ErrorKind::kInterrupted, "the search was interrupted; what it found is kept in " +
                                             search::journal_path(out).string() +
                                             ", and the same command continues from there");
  }
}

}  // namespace fernwood::apps
