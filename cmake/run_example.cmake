# run_example.cmake -- runs `program`, and fails when it fails or when the file
# `expected` exists and holds something else than what the program printed.
execute_process(COMMAND ${program} OUTPUT_VARIABLE printed RESULT_VARIABLE result)
message("${printed}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${program} ended with ${result}")
endif()
if(EXISTS ${expected})
  file(READ ${expected} wanted)
  if(NOT printed STREQUAL wanted)
    message(FATAL_ERROR "expected, by ${expected}:\n${wanted}")
  endif()
endif()
