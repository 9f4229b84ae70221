// show.hpp -- values as text, and numbers from text.
//
// A text_writer collects text. show() writes a value as section 8.2 of the language prints
// the result of main; the program defines more of them for its own types.
//
//   text_writer to;
//   to.put("Some{"); show(to, u32{3}); to.put("}");
//   print_line(to);                                      // or string s = to.take();
#pragma once

#include <cleave/runtime/array.hpp>
#include <cleave/runtime/string.hpp>

namespace cleave::runtime {

// Text that grows; a string once it is taken. Stops if there is no memory.
class text_writer {
 public:
  text_writer() noexcept = default;
  text_writer(const text_writer&) = delete;
  text_writer& operator=(const text_writer&) = delete;
  ~text_writer() { drop(made_); }

  // Valid UTF-8.
  void put(const char* bytes, std::size_t length) noexcept;
  template <std::size_t Size>
  void put(const char (&literal)[Size]) noexcept {
    put(literal, Size - 1);
  }
  void put(character c) noexcept { made_ = String_push_raw(made_, c); }

  // What was written so far; only to be looked at.
  [[nodiscard]] string written() const noexcept { return made_; }
  // What was written; the writer is empty again.
  [[nodiscard]] string take() noexcept {
    const string s = made_;
    made_ = empty_text;
    return s;
  }

 private:
  string made_ = empty_text;
};

void show(text_writer& to, u32 v) noexcept;        // 42
void show(text_writer& to, nat v) noexcept;        // 3n
void show(text_writer& to, f32 v) noexcept;        // 2.0
void show(text_writer& to, character v) noexcept;  // 'a'
void show(text_writer& to, string v) noexcept;     // "a"

// [s0, s1, ...]; each slot by element(to, slot).
template <class T, class Element>
void show_array(text_writer& to, array<T> v, Element element) noexcept {
  to.put("[");
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i != 0) to.put(", ");
    element(to, v.data[i]);
  }
  to.put("]");
}

// The text and a newline on standard output.
void print_line(const text_writer& text) noexcept;

// ---- Natives: numbers as strings and back ---------------------------------------------

[[nodiscard]] string U32_show(u32 a) noexcept;
[[nodiscard]] string Nat_show(nat a) noexcept;
// The shortest digits that read back the same, laid out as section 7.4 says.
[[nodiscard]] string F32_show(f32 a) noexcept;

// (False, 0) unless all of s is one number. Only read s.
[[nodiscard]] pair<bool, u32> U32_read_raw(string s) noexcept;
[[nodiscard]] pair<bool, nat> Nat_read_raw(string s) noexcept;
[[nodiscard]] pair<bool, f32> F32_read_raw(string s) noexcept;

}  // namespace cleave::runtime
