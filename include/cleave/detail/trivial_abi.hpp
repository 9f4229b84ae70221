// trivial_abi.hpp -- whether owners of memory pass through registers.
//
//   class [[nodiscard]] CLEAVE_PASSED_IN_REGISTERS run { ... };
//
// A class with a destructor passes through memory by the calling convention. Clang can pass it as
// it would its members; other compilers cannot, so objects of two compilers would not fit
// together, and a program asks for it: CLEAVE_TRIVIAL_ABI=1, for all of its sources or none
// (docs/decisions/0018-arrays-in-registers-on-request.md). The classes have another name to the
// linker then, so a function that takes or returns one is not found where it was compiled
// otherwise.
#pragma once

#if !defined(CLEAVE_TRIVIAL_ABI)
#  define CLEAVE_TRIVIAL_ABI 0
#endif

#if CLEAVE_TRIVIAL_ABI
#  if !defined(__clang__)
#    error "CLEAVE_TRIVIAL_ABI: only clang passes such classes in registers"
#  endif
#  define CLEAVE_PASSED_IN_REGISTERS [[clang::trivial_abi, gnu::abi_tag("registers")]]
#else
#  define CLEAVE_PASSED_IN_REGISTERS
#endif
