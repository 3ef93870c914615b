# Cache of code that strategies compile: shared by all test runs of this build, separate from the user's own cache.
set(FERNWOOD_TEST_CACHE ${FERNWOOD_BINARY_DIR}/tests/cache)

# fernwood_test_program(module [FOLDER folder] libraries...): one test program per module, from <module>/*_test.cpp or those of another
# folder. All are in one folder, beside lib/ with the plug-ins.
function(fernwood_test_program module)
  cmake_parse_arguments(ARG "" "FOLDER" "" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${module})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARG_FOLDER}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${module}_test ${sources} ${FERNWOOD_ROOT}/tests/host.cpp ${FERNWOOD_ROOT}/tests/sentences.cpp)
  set_target_properties(${module}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/tests)
  set_property(GLOBAL APPEND PROPERTY FERNWOOD_TEST_PROGRAMS ${module}_test)
  target_link_libraries(${module}_test PRIVATE ${ARG_UNPARSED_ARGUMENTS} GTest::gmock GTest::gtest_main)
  target_include_directories(${module}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${FERNWOOD_ROOT}/tests ${PROJECT_SOURCE_DIR}/src
                             ${FERNWOOD_ROOT}/src)
  target_compile_options(${module}_test PRIVATE ${FERNWOOD_WARNINGS})
  target_compile_definitions(${module}_test PRIVATE FERNWOOD_SOURCE_DIR="${FERNWOOD_ROOT}"
                             FERNWOOD_SENTENCES="${PROJECT_SOURCE_DIR}/tests/sentences.txt")
  # Only the tested libraries need full optimization; with sanitizers, -O0 halves the compile time of the tests.
  target_compile_options(${module}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${module}_test PRIVATE -O0)
  endif()
endfunction()

# Registers a test program with ctest as four parts that run beside each other, each with a share of its cases: a process for each of the 4,000
# cases takes minutes. GTEST_FILTER selects cases.
function(fernwood_cases module)
  foreach(part RANGE 3)
    add_test(NAME ${module}.${part} COMMAND ${module}_test --gtest_brief=1)
    set_tests_properties(${module}.${part} PROPERTIES LABELS ${module} TIMEOUT 1200
                         ENVIRONMENT "FERNWOOD_CACHE=${FERNWOOD_TEST_CACHE};GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

function(fernwood_tests module)
  fernwood_test_program(${module} ${ARGN})
  if(TARGET ${module}_test)
    fernwood_cases(${module})
  endif()
endfunction()

# fernwood_failing_libraries(target): failing allocations and refused threads, for tests and scripts/test_faults. Sanitizers replace
# the same functions, so these libraries cannot be combined with them.
function(fernwood_failing_libraries target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  foreach(fault failing_allocations failing_threads)
    if(NOT TARGET ${fault})
      add_library(${fault} MODULE ${FERNWOOD_ROOT}/tests/apps/${fault}.cpp)
      target_compile_features(${fault} PRIVATE cxx_std_20)
      target_compile_options(${fault} PRIVATE ${FERNWOOD_WARNINGS})
      target_link_libraries(${fault} PRIVATE ${CMAKE_DL_LIBS})
      set_target_properties(${fault} PROPERTIES PREFIX "" UNITY_BUILD OFF LIBRARY_OUTPUT_DIRECTORY ${FERNWOOD_BINARY_DIR}/tests)
    endif()
  endforeach()
  add_dependencies(${target} failing_allocations failing_threads)
  target_compile_definitions(${target} PRIVATE FERNWOOD_FAILING_ALLOCATIONS="$<TARGET_FILE:failing_allocations>"
                                               FERNWOOD_FAILING_THREADS="$<TARGET_FILE:failing_threads>")
endfunction()
