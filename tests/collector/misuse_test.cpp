// misuse_test.cpp -- broken rules are found, and the debugging modes find the rest.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "collector/debugging.hpp"
#include "collector/objects.hpp"
#include "support/environment.hpp"

namespace cleave {
namespace {

using gc::byte_array;
using gc::extent;
using gc::local;
using gc::release;
using test::node;
using test::pair;

TEST(Misuse, aLocalThatOutlivesItsMutatorStopsTheProgram) {
  const auto broken = [] {
    gc::collector c;
    auto m = std::make_unique<gc::mutator>(c);
    const local<node> n = m->make<node>(1u);
    m.reset();
  };
  EXPECT_DEATH(broken(), "a local outlives its mutator");
}

TEST(Misuse, aGlobalThatOutlivesItsCollectorStopsTheProgram) {
  const auto broken = [] {
    auto c = std::make_unique<gc::collector>();
    const gc::global<node> g(*c);
    c.reset();
  };
  EXPECT_DEATH(broken(), "outlives its collector");
}

TEST(Misuse, aSafepointInsideOfNoSafepointStopsTheProgram) {
  gc::collector c;
  gc::mutator m(c);
  const local<node> n = m.make<node>(1u);
  {
    const gc::no_safepoint guard(m);
    EXPECT_EQ(n->number, 1u);
    EXPECT_DEATH((void)m.make<node>(2u), "a safepoint inside of no_safepoint");
    EXPECT_DEATH(m.safepoint(), "a safepoint inside of no_safepoint");
    EXPECT_DEATH(m.collect(), "a safepoint inside of no_safepoint");
  }
  EXPECT_EQ(m.make<node>(2u)->number, 2u);
}

// A type whose trace() forgets a field: what H4 forbids.
struct careless {
  static constexpr const char* type_name = "careless";
  gc::ref<node> shown, hidden;
  careless(const local<node>& s, const local<node>& h) : shown(s), hidden(h) {}
  void trace(gc::visitor& to) { to.visit(shown); }
};

TEST(Misuse, aFieldThatTraceForgetsShowsAsPoison) {
  gc::collector c(test::small(1));
  gc::mutator m(c);
  const local<careless> bad = m.make<careless>(m.make<node>(1u), m.make<node>(2u));
  const node* const stale = bad->hidden.get();
  m.collect(extent::all);
  EXPECT_EQ(bad->shown->number, 1u);
  // The block was overwritten when its objects had moved or died.
  EXPECT_EQ(stale->number, 0xdbdbdbdbdbdbdbdbu);
}

TEST(Misuse, theVerifierFindsAReferenceToNoObject) {
  gc::collector c;
  gc::mutator m(c);
  const local<pair> p = m.make<pair>();
  EXPECT_EQ(c.verify(m), "");
  // Into the middle of an object.
  const local<node> n = m.make<node>(1u);
  p->head.set(gc::value::from_bits(n.word() + 8));
  EXPECT_EQ(c.verify(m), "a reference to what is no object of this collector (in a pair)");
  p->head = nullptr;
  EXPECT_EQ(c.verify(m), "");
}

TEST(Misuse, theVerifierFindsAStoreWithoutBarrier) {
  gc::options chosen = test::small();
  chosen.debug.verify = false;
  gc::collector c(chosen);
  gc::mutator m(c);
  const local<pair> old = m.make<pair>();
  m.collect(extent::young);
  m.collect(extent::young);
  const local<node> young = m.make<node>(1u);
  *reinterpret_cast<std::uintptr_t*>(&old->head) = young.word();
  EXPECT_EQ(c.verify(m),
            "B1: an old object refers to a young one, and that is not remembered (in a pair)");
  old->head = young;
  EXPECT_EQ(c.verify(m), "");
}

TEST(Misuse, quarantineTakesTheAccessAway) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer catches the fault itself";
  gc::options chosen = test::small();
  chosen.debug.quarantine_mib = 1;
  gc::collector c(chosen);
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(100'000);
  volatile std::byte* const data = a->data() + 50'000;
  ASSERT_EQ(m.forget(a), release::done);
  EXPECT_EQ(c.stats().quarantined, 100'000u);
  EXPECT_DEATH(*data = std::byte{1}, "");
  // The oldest leave when there is no room, and may be used again.
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(m.forget(m.make_bytes(100'000)), release::done);
    EXPECT_LE(c.stats().quarantined, std::size_t{1} << 20);
  }
}

struct reports {
  std::vector<std::string> texts;
  gc::options options() {
    gc::options chosen = test::small();
    chosen.debug.prove = true;
    chosen.on_event = [this](const gc::event& e) {
      if (e.what == gc::event::kind::reached) texts.emplace_back(e.report);
    };
    return chosen;
  }
};

TEST(Misuse, proveReportsWhoStillReachesAForgottenArray) {
  reports seen;
  gc::collector c(seen.options());
  gc::mutator m(c);
  const local<pair> outer = m.make<pair>();
  {
    const local<pair> inner = m.make<pair>();
    outer->tail = inner;
    inner->head = m.make_bytes(10'000);
    EXPECT_EQ(m.forget(local<gc::value>(m, inner->head)), release::done);
  }
  testing::internal::CaptureStderr();
  m.collect(extent::young);
  m.collect(extent::all);
  const std::string printed = testing::internal::GetCapturedStderr();
  // Once for the array, and with both places.
  ASSERT_EQ(seen.texts.size(), 1u);
  const std::string& text = seen.texts[0];
  EXPECT_NE(text.find("local -> pair -> pair -> byte_array"), std::string::npos) << text;
  EXPECT_NE(text.find("misuse_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("and forgotten at"), std::string::npos) << text;
  EXPECT_NE(printed.find(text), std::string::npos);
}

TEST(Misuse, proveSaysNothingOfWhatNobodyReaches) {
  reports seen;
  gc::collector c(seen.options());
  gc::mutator m(c);
  {
    // A dead object refers to it: that is no mistake.
    const local<pair> dead = m.make<pair>();
    dead->head = m.make_bytes(10'000);
    EXPECT_EQ(m.forget(local<gc::value>(m, dead->head)), release::done);
  }
  EXPECT_EQ(c.stats().quarantined, 10'000u);
  m.collect(extent::young);
  m.collect(extent::all);
  EXPECT_TRUE(seen.texts.empty());
  EXPECT_EQ(c.stats().quarantined, 0u);
}

TEST(Misuse, theEnvironmentVariableAsksForModes) {
  gc::debugging read;
  gc::detail::read_debugging("verify,stress=10,poison,quarantine=64,prove", read);
  EXPECT_TRUE(read.verify && read.poison && read.prove);
  EXPECT_EQ(read.stress, 10u);
  EXPECT_EQ(read.quarantine_mib, 64u);
  gc::debugging other;
  testing::internal::CaptureStderr();
  gc::detail::read_debugging("stress,nonsense,stress=x", other);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(other.stress, 1u);
  EXPECT_NE(printed.find("what is 'nonsense'? It knows verify, "), std::string::npos);
  EXPECT_NE(printed.find("what is 'stress=x'?"), std::string::npos);

  ASSERT_EQ(::setenv("CLEAVE_COLLECTOR", "prove", 1), 0);
  EXPECT_TRUE(gc::detail::checked({}).debug.prove);
  ASSERT_EQ(::unsetenv("CLEAVE_COLLECTOR"), 0);
}

}  // namespace
}  // namespace cleave
