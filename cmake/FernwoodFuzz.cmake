# fernwood_fuzz(name libraries...): parsers of untrusted input as functions of bytes (tests/fuzz/target.h), in *_targets.cpp and the
# sources of the C interface, because its shared library hides the symbols that sanitizers instrument. With the preset asan a program
# for libFuzzer, <name>_all, else a test that replays the corpus, <name>_test.
function(fernwood_fuzz name)
  set(common ${FERNWOOD_ROOT}/tests/fuzz)
  file(GLOB sources CONFIGURE_DEPENDS *_targets.cpp ${PROJECT_SOURCE_DIR}/src/c_api/*.cpp)
  list(APPEND sources ${common}/targets.cpp ${FERNWOOD_ROOT}/src/c_api/status.cpp)
  list(REMOVE_DUPLICATES sources)
  if(FERNWOOD_FUZZ)
    set(program ${name})
    add_executable(${program} ${common}/fuzzer.cpp ${sources})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${name}_all)  # fuzz is a folder beside it
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  else()
    set(program ${name}_test)
    add_executable(${program} ${common}/replay_test.cpp ${sources})
    target_link_libraries(${program} PRIVATE GTest::gtest_main)
    target_compile_definitions(${program} PRIVATE FERNWOOD_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/corpus")
    set_property(GLOBAL APPEND PROPERTY FERNWOOD_TEST_PROGRAMS ${program})
  endif()
  target_link_libraries(${program} PRIVATE ${ARGN} nlohmann_json::nlohmann_json Boost::headers GTest::gmock)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${FERNWOOD_ROOT}/tests ${PROJECT_SOURCE_DIR}/src
                                                ${FERNWOOD_ROOT}/src)
  target_compile_options(${program} PRIVATE ${FERNWOOD_WARNINGS} $<$<CONFIG:Release>:-O1>)
  # The folder of the test programs, beside lib/ with the plug-ins.
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/tests)
  if(NOT FERNWOOD_FUZZ)
    fernwood_cases(${name})
  endif()
  set(fuzz_program ${program} PARENT_SCOPE)
endfunction()
