// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/shell/program.h"

#include <malloc.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <iostream>
#include <new>

#include "apps/shell/console.h"
#include "apps/shell/interrupt.h"
#include "apps/shell/toml_config.h"
#include "apps/shell/usage.h"
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"

namespace fernwood::apps {

namespace {

void set_up_logging() {
  auto logger = spdlog::stderr_color_mt(
      "fernwood", use_color(STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never);
  logger->set_pattern("%^%l%$: %v");
  spdlog::set_default_logger(logger);
}

void add_common_options(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " " + build_info().version);
  app.set_config("--config", "", "Read options from a TOML file, a section for each subcommand, e.g. [train]")
      ->option_text("FILE");
  app.config_formatter(make_toml_config());
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
  app.get_formatter()->column_width(38);
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv) {
  // Frames come and go; memory given back to the system after each would be cleared page by page for the next.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  watch_interrupts();
  set_up_logging();
  add_common_options(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    FW_CHECK(std::cout.good(), Runtime,
             "the result could not be written to standard output; check what it is redirected to and the space there");
    return 0;
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() == 0) return app.exit(failure);
    spdlog::error(usage_sentence(app, failure));
    return static_cast<int>(ErrorKind::kUsage);
  } catch (const Error& failure) {
    spdlog::error(failure.what());
    return static_cast<int>(failure.kind());
  } catch (const std::bad_alloc&) {
    spdlog::error("memory ran out; give a smaller --memory-budget, fewer samples or fewer threads");
    return static_cast<int>(ErrorKind::kResource);
  } catch (const std::exception& failure) {
    spdlog::error("unexpected: {}; please report this with the command line", failure.what());
    return static_cast<int>(ErrorKind::kRuntime);
  }
}

}  // namespace fernwood::apps
