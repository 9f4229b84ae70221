// string_test.cpp -- strings against std::u32string.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave::test;
using namespace cleave::runtime;
using model = std::u32string;

string make(std::string_view bytes) {
  return make_string(bytes.data(), bytes.size());
}

string make(const model& characters) {
  string s = empty_text;
  for (const character c : characters) s = String_push_raw(s, c);
  return s;
}

// Reads s to its end; s stays.
model characters(string s) {
  model all;
  for (; !is_nil(s); s = tail_view(s)) all.push_back(head(s));
  return all;
}

std::string bytes(string s) {
  return std::string(s.begin(), s.end());
}

// The same, and s is gone.
model consume(string s) {
  model all;
  while (!is_nil(s)) {
    all.push_back(head(s));
    s = tail(s);
  }
  drop(s);
  return all;
}

constinit text hello{"hello"};
constinit text umlauts{"h\xC3\xA4\xC3\xA4"};

constinit long_text<5 + 1> long_hello{{immortal_header(buffer::ascii), 5, 0}, "hello"};
constinit long_text<3 + 1> long_umlaut{{immortal_header(), 3, 0}, "h\xC3\xA4"};

TEST(Text, ofAnyLengthIsTheSame) {
  EXPECT_TRUE(String_eq(long_hello, hello));
  EXPECT_EQ(String_length(long_hello), 5U);
  EXPECT_EQ(String_length(long_umlaut), 2U);
  const string s = cons('x', tail(long_umlaut));
  EXPECT_TRUE(is_text(s, "x\xC3\xA4", 3));
  EXPECT_TRUE(is_text(long_umlaut, "h\xC3\xA4", 3));
  drop(s);
}

TEST(Text, isAConstantThatNobodyCounts) {
  string s = hello;
  keep(s);
  drop(s);
  drop(s);
  drop(s);
  EXPECT_EQ(bytes(hello), "hello");
  EXPECT_EQ(String_length(hello), 5u);
  EXPECT_EQ(String_length(umlauts), 3u);
  EXPECT_TRUE(is_text(hello, "hello", 5));
  EXPECT_FALSE(is_text(hello, "hell", 4));
  EXPECT_FALSE(is_text(hello, "hellO", 5));
}

TEST(Text, isNotWritten) {
  EXPECT_TRUE(leaves_nothing([] {
    string s = tail(hello);
    s = cons('j', s);
    EXPECT_EQ(bytes(s), "jello");
    s = String_to_upper(String_append(s, hello));
    EXPECT_EQ(bytes(s), "JELLOHELLO");
    drop(s);
    drop(String_push_raw(String_take(hello, 2), '!'));
  }));
  EXPECT_EQ(bytes(hello), "hello");
}

TEST(Characters, ofEachLengthComeBack) {
  EXPECT_TRUE(leaves_nothing([] {
    // The ends of each length, then what Unicode does not have.
    const model all{0,         0x7F,       0x80,       0x7FF,      0x800,    0xFFFF,
                    0x10000,   0x10FFFF,   0x110000,   0x1FFFFF,   0x200000, 0x3FFFFFF,
                    0x4000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xD800,   0xDFFF};
    EXPECT_EQ(consume(make(all)), all);
    string s = empty_text;
    for (auto c = all.rbegin(); c != all.rend(); ++c) s = cons(*c, s);
    EXPECT_EQ(String_length(s), all.size());
    EXPECT_EQ(consume(s), all);
  }));
}

TEST(Tail, isAViewOfTheSameBytes) {
  EXPECT_TRUE(leaves_nothing([] {
    string s = make("a string of some length");
    const buffer* const owner = s.owner;
    keep(s);
    string rest = tail(tail(s));
    EXPECT_EQ(rest.owner, owner);
    EXPECT_EQ(bytes(rest), "string of some length");
    EXPECT_EQ(bytes(s), "a string of some length");
    drop(s);
    drop(rest);
  }));
}

TEST(Push, leavesOtherViewsAlone) {
  EXPECT_TRUE(leaves_nothing([] {
    string s = make("abcdef");
    keep(s);
    string shorter = String_take(s, 3);
    shorter = String_push_raw(shorter, 'X');
    EXPECT_EQ(bytes(shorter), "abcX");
    EXPECT_EQ(bytes(s), "abcdef");
    // Now s is alone: what is behind a view of it may be overwritten.
    s = String_push_raw(String_take(s, 2), 'Y');
    EXPECT_EQ(bytes(s), "abY");
    drop(s);
    drop(shorter);
  }));
}

TEST(Cons, leavesOtherViewsAlone) {
  EXPECT_TRUE(leaves_nothing([] {
    string s = make("abcdef");
    keep(s);
    string rest = cons('X', tail(s));
    EXPECT_EQ(bytes(rest), "Xbcdef");
    EXPECT_EQ(bytes(s), "abcdef");
    drop(s);
    rest = cons('Z', cons('Y', tail(rest)));
    EXPECT_EQ(bytes(rest), "ZYbcdef");
    drop(rest);
  }));
}

TEST(SharedText, isNotCopiedToPutBackWhatWasTaken) {
  EXPECT_TRUE(leaves_nothing([] {
    for (const std::string_view of : {"abcdef", "\xC3\xA4\xE2\x82\xAC\xC3\xBC"}) {
      string s = make(of);
      keep(s);
      string rest = s;
      model taken;
      for (; !is_nil(rest) && taken.size() < 2; rest = tail(rest)) taken += head(rest);
      keep(rest);
      const string other = cons('x', rest);
      EXPECT_NE(other.owner, s.owner);
      drop(other);
      while (!taken.empty()) {
        rest = cons(taken.back(), rest);
        taken.pop_back();
      }
      EXPECT_EQ(rest.owner, s.owner);
      EXPECT_EQ(bytes(rest), of);
      const character last = String_get_raw(s, String_length(s) - 1).snd;
      rest = String_push_raw(String_take(rest, String_length(s) - 1), last);
      EXPECT_EQ(rest.owner, s.owner);
      EXPECT_EQ(bytes(rest), of);
      drop(rest);
      drop(s);
    }
  }));
}

TEST(SharedText, ofAsciiStaysSo) {
  EXPECT_TRUE(leaves_nothing([] {
    // The bytes of a longer character lie behind the view, in a buffer marked as ASCII.
    const string t = String_push_raw(String_push_raw(empty_text, 'a'), 'b');
    t.owner->bytes()[2] = '\xC3';
    t.owner->bytes()[3] = '\xA4';
    string again = t;
    keep(again);
    const string longer = String_push_raw(t, U'ä');
    EXPECT_EQ(String_length(longer), 3u);
    drop(longer);
    drop(t);
  }));
}

// How often the text moved, from where it lies.
template <class Grow>
int moves(int steps, Grow grow) {
  string s = empty_text;
  const buffer* owner = s.owner;
  int count = 0;
  for (int i = 0; i < steps; ++i) {
    s = grow(s);
    if (s.owner != owner) ++count;
    owner = s.owner;
  }
  drop(s);
  return count;
}

TEST(Growth, isAmortised) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_LE(moves(100'000, [](string s) { return String_push_raw(s, 'a'); }), 20);
    EXPECT_LE(moves(100'000, [](string s) { return cons('a', s); }), 20);
    EXPECT_LE(moves(100'000, [](string s) { return String_append(s, hello); }), 20);
    EXPECT_LE(moves(100'000, [](string s) { return String_append(hello, s); }), 20);
    EXPECT_LE(moves(100'000, [](string s) { return cons(U'ä', s); }), 20);
  }));
}

TEST(MakeString, replacesWhatIsNotUtf8) {
  struct example {
    std::string_view from;
    std::string_view to;
  };
  // U+FFFD for each longest beginning of a character, else for each byte.
  const std::vector<example> all = {
      {"plain", "plain"},
      {"\xC3\xA4", "\xC3\xA4"},
      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
      {"a\xFF"
       "b",
       "a\xEF\xBF\xBD"
       "b"},
      {"\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xC3", "\xEF\xBF\xBD"},
      {"\xE2\x82", "\xEF\xBF\xBD"},
      {"\xE2\x82x", "\xEF\xBF\xBDx"},
      {"\xF0\x9F\x98", "\xEF\xBF\xBD"},
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xE0\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF5", "\xEF\xBF\xBD"},
  };
  EXPECT_TRUE(leaves_nothing([&] {
    for (const auto& [from, to] : all) {
      const string s = make(from);
      EXPECT_EQ(bytes(s), to);
      drop(s);
    }
  }));
}

TEST(CutString, givesWhatIsBesideTheFirstOne) {
  EXPECT_TRUE(leaves_nothing([] {
    const auto expect = [](std::string_view s, character c, bool found, std::string_view before,
                           std::string_view after) {
      const auto [did, parts] = String_cut_raw(make(s), c);
      EXPECT_EQ(did, found);
      EXPECT_EQ(bytes(parts.fst), before);
      EXPECT_EQ(bytes(parts.snd), after);
      drop(parts);
    };
    expect("a,b,c", ',', true, "a", "b,c");
    expect(",b", ',', true, "", "b");
    expect("a,", ',', true, "a", "");
    expect(",", ',', true, "", "");
    expect("abc", ',', false, "abc", "");
    expect("", ',', false, "", "");
    expect("\xC3\xA4\xC3\xB6\xC3\xBC", U'ö', true, "\xC3\xA4", "\xC3\xBC");
  }));
}

TEST(Find, isLinear) {
  EXPECT_TRUE(leaves_nothing([] {
    // a^n does not contain a^(n/2) b: a search that begins anew at each place takes a minute.
    const std::size_t n = by_build<std::size_t>(1'000'000, 100'000);
    const string s = make(std::string(n, 'a'));
    const string part = make(std::string(n / 2, 'a') + "b");
    EXPECT_FALSE(String_contains(s, part));
    drop(s);
    drop(part);
  }));
}

TEST(Hash, isFnv1a) {
  EXPECT_EQ(String_hash(empty_text), 0x811C9DC5u);
  constinit static text a{"a"};
  constinit static text foobar{"foobar"};
  EXPECT_EQ(String_hash(a), 0xE40C292Cu);
  EXPECT_EQ(String_hash(foobar), 0xBF9CF968u);
}

// The bits of a key, as the header says.
bool bit_of(const std::string& key, nat n) {
  if (n / 9 >= key.size()) return false;
  return n % 9 == 0 || ((static_cast<unsigned char>(key[n / 9]) >> (8 - n % 9)) & 1) != 0;
}

TEST(KeyBits, differWhereTheKeysDo) {
  EXPECT_TRUE(leaves_nothing([] {
    const std::vector<std::string> keys = {"",    "a", "b",        "ab",      "abc",
                                           "abd", "B", "\xC3\xA4", "abcdefgh"};
    for (const std::string& a : keys) {
      for (const std::string& b : keys) {
        const string s = make(a);
        const string t = make(b);
        const auto [differ, at] = String_differ_raw(s, t);
        EXPECT_EQ(differ, a != b);
        for (nat n = 0; n < 9 * (a.size() + 2); ++n) EXPECT_EQ(String_bit_raw(s, n), bit_of(a, n));
        if (differ) {
          EXPECT_NE(bit_of(a, at), bit_of(b, at));
          for (nat n = 0; n < at; ++n) EXPECT_EQ(bit_of(a, n), bit_of(b, n));
          // The order of the bits is the order of the keys.
          EXPECT_EQ(bit_of(a, at), a > b);
        } else {
          EXPECT_EQ(at, 0u);
        }
        drop(s);
        drop(t);
      }
    }
  }));
}

rc::Gen<model> any_model() {
  return rc::gen::container<model>(rc::gen::weightedOneOf<character>(
      {{6, rc::gen::inRange<character>('a', 'e')},
       {1, rc::gen::element<character>(' ', '\n', 'A', 'Z', 'z')},
       {2, rc::gen::element<character>(U'ä', U'€', U'😀', 0x7F, 0x80, 0x7FF, 0x800)},
       // Not only what Unicode has.
       {1, rc::gen::map(rc::gen::arbitrary<u32>(),
                        [](u32 any) { return static_cast<character>(any); })}}));
}

char32_t ascii_upper(char32_t c) {
  return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}
char32_t ascii_lower(char32_t c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
bool is_ascii_space(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13);
}

// A store of strings that share buffers, and what is in them.
class string_models {
 public:
  void step() {
    const nat n = *rc::gen::inRange<nat>(0, 12);
    const character c = *rc::gen::element<character>('a', 'b', ' ', U'ä', U'😀', 0xD800);
    switch (*rc::gen::inRange(0, 17)) {
      case 0: make_one(); break;
      case 1: share(); break;
      case 2:
        change([&](string s) { return String_push_raw(s, c); }, [&](model& m) { m += c; });
        break;
      case 3:
        change([&](string s) { return cons(c, s); }, [&](model& m) { m.insert(m.begin(), c); });
        break;
      case 4: append(); break;
      case 5:
        change([&](string s) { return String_take(s, n); },
               [&](model& m) { m.resize(std::min<std::size_t>(n, m.size())); });
        break;
      case 6:
        change([&](string s) { return String_drop(s, n); },
               [&](model& m) { m.erase(0, std::min<std::size_t>(n, m.size())); });
        break;
      case 7:
        change(
            [&](string s) {
              const string r = String_reverse(s);
              drop(s);
              return r;
            },
            [&](model& m) { std::reverse(m.begin(), m.end()); });
        break;
      case 8:
        change(String_to_upper,
               [](model& m) { std::transform(m.begin(), m.end(), m.begin(), ascii_upper); });
        break;
      case 9:
        change(String_to_lower,
               [](model& m) { std::transform(m.begin(), m.end(), m.begin(), ascii_lower); });
        break;
      case 10:
        change(String_trim_start, [](model& m) {
          m.erase(m.begin(), std::find_if_not(m.begin(), m.end(), is_ascii_space));
        });
        break;
      case 11:
        change(String_trim_end, [](model& m) {
          while (!m.empty() && is_ascii_space(m.back())) m.pop_back();
        });
        break;
      case 12: compare(); break;
      case 13: look(n); break;
      case 14: cut_at(c); break;
      case 15:
        change([](string s) { return is_nil(s) ? s : tail(s); },
               [](model& m) { m.erase(0, m.empty() ? 0 : 1); });
        break;
      default: drop_one(); break;
    }
  }
  void check() const {
    for (const auto& [s, m] : all_) RC_ASSERT(characters(s) == m);
  }
  void drop_all() {
    while (!all_.empty()) drop_one();
  }

 private:
  using entry = std::pair<string, model>;

  void add(string s, model m) { all_.emplace_back(s, std::move(m)); }
  entry take() {
    if (all_.empty()) return {empty_text, U""};
    const auto at = *rc::gen::inRange<std::size_t>(0, all_.size());
    const entry one = all_[at];
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
    return one;
  }
  void make_one() {
    const model m = *any_model();
    add(make(m), m);
  }
  void share() {
    auto [s, m] = take();
    keep(s);
    add(s, m);
    add(s, m);
  }
  template <class F, class G>
  void change(F on_string, G on_model) {
    auto [s, m] = take();
    on_model(m);
    add(on_string(s), m);
  }
  void append() {
    auto [s, m] = take();
    auto [t, n] = take();
    add(String_append(s, t), m + n);
  }
  void cut_at(character c) {
    auto [s, m] = take();
    const auto [found, parts] = String_cut_raw(s, c);
    const std::size_t at = m.find(c);
    RC_ASSERT(found == (at != model::npos));
    add(parts.fst, m.substr(0, at));
    add(parts.snd, found ? m.substr(at + 1) : U"");
  }
  void compare() {
    auto [s, m] = take();
    auto [t, n] = take();
    RC_ASSERT(String_eq(s, t) == (m == n));
    RC_ASSERT(String_order(s, t) == (m < n ? 0 : m == n ? 1 : 2));
    RC_ASSERT(String_starts_with(s, t) == m.starts_with(n));
    RC_ASSERT(String_ends_with(s, t) == m.ends_with(n));
    const std::size_t at = m.find(n);
    RC_ASSERT(String_contains(s, t) == (at != model::npos));
    const auto [found, where] = String_find_raw(s, t);
    RC_ASSERT(found == (at != model::npos));
    if (found) RC_ASSERT(where == at);
    add(s, m);
    add(t, n);
  }
  void look(nat n) {
    auto [s, m] = take();
    RC_ASSERT(String_length(s) == m.size());
    const auto [there, c] = String_get_raw(s, n);
    RC_ASSERT(there == (n < m.size()));
    if (there) RC_ASSERT(c == m[n]);
    add(s, m);
  }
  void drop_one() { drop(take().first); }

  std::vector<entry> all_;
};

TEST(Strings, agreeWithStdU32string) {
  EXPECT_TRUE(leaves_nothing([] {
    EXPECT_TRUE(rc::check("all operations", [] {
      string_models all;
      const int steps = *rc::gen::inRange(1, 80);
      for (int i = 0; i < steps; ++i) {
        all.step();
        all.check();
      }
      all.drop_all();
    }));
  }));
}

TEST(Strings, areSharedByThreads) {
  EXPECT_TRUE(leaves_nothing(4, [] {
    string s = make("a string that each thread has a tail of");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      keep(s);
      threads.emplace_back([mine = s]() mutable {
        while (!is_nil(mine)) {
          keep(mine);
          const string other = String_push_raw(String_drop(mine, 3), 'x');
          drop(other);
          mine = tail(mine);
        }
        drop(mine);
      });
    }
    drop(s);
    for (std::thread& one : threads) one.join();
  }));
}

}  // namespace
