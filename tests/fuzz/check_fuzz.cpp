// check_fuzz.cpp -- libFuzzer writes programs; the front end must find its words.
//
// An input is one or two files, with a zero byte between them; what is imported, under
// whatever name, is the second. An input that begins with the byte 1 picks words of the
// language instead, of which one in two happens to stand where it may. Base is a small one
// of our own, so that an input takes little time. All diagnostics are written out too.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "lang/front_end.hpp"

namespace cleave::lang {

const std::vector<base_file>& base_files() {
  static const std::vector<base_file> files = {{"Base/base.bend", R"bend(
type Bool is Data:
  False{}
  True{}
type Nat is Data:
  Zero{}
  Succ{pred: Nat}
type U32 is Data:
  U32{word: U32}
type Char is Data:
  Chr{code: U32}
type String is Data:
  SNil{}
  SCon{head: Char, tail: String}
type Sigma<a, b, -A: Kind(a), -B: Kind(b)> is Kind(a <&> b):
  Tuple{fst: A, snd: B}
type List<a, -A: Kind(a)> is Kind(a):
  Nil{}
  Con{head: A, tail: List<a, A>}
type Maybe<a, -A: Kind(a)> is Kind(a):
  None{}
  Some{value: A}
type Array<-T: Type> is Type:
  ALeaf{value: T}
  ANode{left: Array<T>, right: Array<T>}
@native def U32.add(a: U32, b: U32) -> U32
@native def Nat.add(a: Nat, b: Nat) -> Nat
@native def Array.get(-T: Type, a: Array<T>, i: U32) -> Array<T> & T
def Maybe.pure(a, -A: Kind(a), x: A) -> Maybe<a, A>:
  Some{x}
def Maybe.bind(a, -A: Kind(a), -B: Kind(a), m: Maybe<a, A>, f: A -> Maybe<a, B>) -> Maybe<a, B>:
  match m:
    case None{}: None{}
    case Some{x}: f(x)
)bend"}};
  return files;
}

namespace {

constexpr std::string_view words[] = {"\n",
                                      "\n  ",
                                      "\n    ",
                                      "\n      ",
                                      " ",
                                      "def ",
                                      "type ",
                                      "law ",
                                      "match ",
                                      "case ",
                                      "do ",
                                      "return ",
                                      "for ",
                                      "exs ",
                                      "where ",
                                      " is ",
                                      "import ",
                                      "Base",
                                      "./m.bend as M",
                                      "M.",
                                      "f",
                                      "g",
                                      "x",
                                      "y",
                                      "T",
                                      "A",
                                      "f(",
                                      "g(x, y)",
                                      "(",
                                      ")",
                                      "{",
                                      "}",
                                      "[",
                                      "]",
                                      "<",
                                      ">",
                                      ",",
                                      ":",
                                      ";",
                                      "=",
                                      " = ",
                                      "->",
                                      " => ",
                                      " <- ",
                                      " + ",
                                      " - ",
                                      " * ",
                                      " < ",
                                      " && ",
                                      " <> ",
                                      " ++ ",
                                      "+",
                                      "-",
                                      "~",
                                      "@",
                                      "!",
                                      "^",
                                      "?",
                                      "%",
                                      "_",
                                      "0",
                                      "7",
                                      "0n",
                                      "2n",
                                      "1n+",
                                      "1.5",
                                      "'a'",
                                      "\"ab\"",
                                      "\"\"",
                                      "[]",
                                      "True{}",
                                      "False{}",
                                      "Zero{}",
                                      "Succ{",
                                      "Chr{",
                                      "SNil{}",
                                      "SCon{",
                                      "Tuple{",
                                      "Nil{}",
                                      "Con{",
                                      "None{}",
                                      "Some{",
                                      "ALeaf{",
                                      "ANode{",
                                      "U32{",
                                      "C{",
                                      "D{}",
                                      "U32",
                                      "Nat",
                                      "Bool",
                                      "String",
                                      "Char",
                                      "Type",
                                      "Data",
                                      "Kind(",
                                      "Quant",
                                      "&2",
                                      " & ",
                                      " | ",
                                      "Maybe<",
                                      "List<U32>",
                                      "Array<",
                                      "IO",
                                      "IO<",
                                      "Maybe.bind",
                                      "Array.get(",
                                      "{==}",
                                      " == ",
                                      "\\{",
                                      "@unsafe ",
                                      "#",
                                      "main",
                                      "x: U32",
                                      "+x: Nat",
                                      "-A: Data",
                                      "~f: U32 -> U32",
                                      "def f(x: U32, n: Nat) -> U32:\n  ",
                                      "match x n:\n    case ",
                                      "type T is Data:\n  C{x: U32, y: T}\n  D{}\n"};

std::string text_of(std::string_view bytes, bool as_words) {
  if (!as_words) return std::string(bytes);
  std::string text = "import Base\n";
  for (const char one : bytes) text += words[static_cast<unsigned char>(one) % std::size(words)];
  return text;
}

void check(std::string_view input) {
  constexpr std::size_t most_words = 300;
  const bool as_words = input.starts_with('\1');
  if (as_words) input = input.substr(1, most_words);
  const std::size_t end = input.find('\0');
  const std::string main = text_of(input.substr(0, end), as_words);
  const std::string other =
      end != std::string_view::npos ? text_of(input.substr(end + 1), as_words) : "";
  const auto read = [&](const std::string& path, std::string&) {
    return std::optional<std::string>(path == "main.bend" ? main : other);
  };
  tree_store nodes;
  diagnostics found;
  source_program all = load("main.bend", read, nodes, found);
  resolve(all, nodes, found);
  check_affine(all, found);
  static_cast<void>(to_text(found, colours::always));
  static_cast<void>(to_json(found));
}

}  // namespace
}  // namespace cleave::lang

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cleave::lang::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
