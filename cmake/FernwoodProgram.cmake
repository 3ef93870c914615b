# How a program is built: the shell that all have, and their completion.

# fernwood_shell(): the library fernwood_shell of shell/: options, help, progress and errors of programs of subcommands. After the
# Python module, whose library of all modules programs link, too.
function(fernwood_shell)
  file(GLOB sources CONFIGURE_DEPENDS ${FERNWOOD_ROOT}/shell/*.cpp)
  add_library(fernwood_shell STATIC ${sources})
  fernwood_commands_options(fernwood_shell fernwood_search)
  target_link_libraries(fernwood_shell PUBLIC CLI11::CLI11 nlohmann_json::nlohmann_json spdlog::spdlog tomlplusplus::tomlplusplus)
  target_include_directories(fernwood_shell PUBLIC ${FERNWOOD_ROOT})
endfunction()

# fernwood_commands_options(target libraries...): common to libraries of commands. @param libraries  Modules, which are in the
# Python package anyway.
function(fernwood_commands_options target)
  if(TARGET fernwood_modules)
    target_link_libraries(${target} PUBLIC fernwood_modules)
  else()
    target_link_libraries(${target} PUBLIC ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE ${FERNWOOD_WARNINGS})
  # Time is spent in the library; option parsing is large.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
endfunction()

# fernwood_program(target name library): the program of main.cpp. All programs are in one folder, beside lib/ with the plug-ins.
# Also its shell completion, which it writes itself; left out if it cannot run here (cross builds).
function(fernwood_program target name library)
  add_executable(${target} main.cpp)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/apps)
  target_link_libraries(${target} PRIVATE ${library})
  target_compile_options(${target} PRIVATE ${FERNWOOD_WARNINGS})
  if(NOT TARGET fernwood_completion)
    add_custom_target(fernwood_completion ALL)
  endif()
  set(completion ${FERNWOOD_BINARY_DIR}/apps/completion/${name})
  if(FERNWOOD_INSTALL AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    add_custom_command(OUTPUT ${completion}/written
                       COMMAND ${CMAKE_COMMAND} -E rm -rf ${completion}
                       COMMAND ${target} completion --install ${completion}
                       COMMAND ${CMAKE_COMMAND} -E touch ${completion}/written
                       DEPENDS ${target})
    add_custom_target(${target}_completion DEPENDS ${completion}/written)
    add_dependencies(fernwood_completion ${target}_completion)
  endif()
endfunction()
