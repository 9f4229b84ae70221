// tree_text.hpp -- a tree on one line, for tests.
//
// Names and literals are as in the source, other forms are lists: (call f x y),
// (let x = e in b). What the parser takes apart is seen taken apart: a tuple is
// {Tuple a b}, and `a[i]` is (Array.get U32 a i).
//
//   to_text(parse("def f(x: U32) -> U32: x"))   // "def f(x: U32) -> U32: x"
#pragma once

#include <string>

#include "lang/tree.hpp"

namespace cleave::lang::test {

std::string to_text(const term* t);
std::string to_text(const pattern* p);
std::string to_text(const type_decl& type);
std::string to_text(const law_decl& law);
std::string to_text(const def_decl& def);
// Imports, types, laws and defs, one on each line.
std::string to_text(const file_tree& file);

}  // namespace cleave::lang::test
