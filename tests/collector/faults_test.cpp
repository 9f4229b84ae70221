// faults_test.cpp -- what a program does wrong, or the system refuses, in the middle of things.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cleave/heap.hpp>
#include <cstdlib>
#include <new>
#include <random>
#include <stdexcept>

#include "collector/graph_model.hpp"
#include "collector/objects.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/waiting.hpp"

namespace cleave {
namespace {

using gc::byte_array;
using gc::extent;
using gc::local;
using gc::release;
using test::node;
using test::operator""_MiB;

// --- Rules that are broken stop the program, instead of the books being wrong later ---

TEST(Faults, blockingInsideOfBlockingStopsTheProgram) {
  gc::collector c;
  gc::mutator m(c);
  const gc::blocking away(m);
  EXPECT_DEATH(const gc::blocking again(m), "a safepoint inside of blocking");
}

TEST(Faults, aSafepointInsideOfBlockingStopsTheProgram) {
  gc::collector c;
  gc::mutator m(c);
  {
    const gc::blocking away(m);
    EXPECT_DEATH(m.safepoint(), "a safepoint inside of blocking");
    EXPECT_DEATH(m.collect(), "a safepoint inside of blocking");
    EXPECT_DEATH((void)m.make<node>(1u), "a safepoint inside of blocking");
    EXPECT_DEATH((void)m.make_bytes(100'000), "a safepoint inside of blocking");
    EXPECT_DEATH((void)c.verify(m), "a safepoint inside of blocking");
  }
  EXPECT_EQ(m.make<node>(2u)->number, 2u);
}

TEST(Faults, anObjectOfAnotherCollectorGetsNoFinalizer) {
  gc::collector one, other;
  gc::mutator m(one), strange(other);
  const local<node> n = strange.make<node>(1u);
  EXPECT_THROW(m.finalize(n, [](gc::mutator&, const local<gc::value>&, void*) {}),
               std::invalid_argument);
}

// --- Finalizers ---

TEST(Faults, anObjectWhoseFinalizerHasThrownIsNotKeptByTheOthersThatWait) {
  gc::collector c(test::small());
  gc::mutator m(c);
  gc::weak<node> first(c);
  static constexpr auto fails = [](gc::mutator&, const local<gc::value>& object, void* context) {
    *static_cast<gc::weak<node>*>(context) = object.as<node>();
    throw std::runtime_error("on purpose");
  };
  m.finalize(m.make<node>(1u), fails, &first);
  m.finalize(m.make<node>(2u), fails, &first);
  m.collect(extent::young);
  EXPECT_THROW(m.run_finalizers(), std::runtime_error);
  EXPECT_EQ(first.lock(m)->number, 1u);
  // The second one still waits; the first is garbage as any other.
  m.collect(extent::all);
  EXPECT_TRUE(first.dead());
  EXPECT_THROW(m.run_finalizers(), std::runtime_error);
  EXPECT_EQ(first.lock(m)->number, 2u);
  EXPECT_EQ(m.run_finalizers(), 0u);
}

TEST(Faults, finalizersAreCounted) {
  gc::collector c(test::small());
  gc::mutator m(c);
  static constexpr auto nothing = [](gc::mutator&, const local<gc::value>&, void*) {};
  static constexpr auto fails = [](gc::mutator&, const local<gc::value>&, void*) {
    throw std::runtime_error("on purpose");
  };
  for (unsigned i = 0; i < 3; ++i) m.finalize(m.make<node>(i), nothing);
  m.finalize(m.make<node>(3u), fails);
  m.collect(extent::young);
  EXPECT_EQ(c.stats().finalizers_run, 0u);
  EXPECT_THROW(m.run_finalizers(), std::runtime_error);
  EXPECT_EQ(c.stats().finalizers_run, 4u);
}

// A ring of objects with finalizers: all of them are due at once, each runs once, and what
// one forgets the next finds forgotten.
TEST(Faults, aRingOfFinalizersForgetsItsArraysOnce) {
  gc::collector c(test::small());
  gc::mutator m(c);
  struct tally {
    unsigned done = 0, already = 0;
  } seen;
  static constexpr auto let_go = [](gc::mutator& inside, const local<gc::value>& object,
                                    void* context) {
    const local<test::pair> p = object.as<test::pair>();
    const release answer = inside.forget(local<gc::value>(inside, p->head));
    auto& sum = *static_cast<tally*>(context);
    ++(answer == release::done ? sum.done : sum.already);
    inside.collect(extent::all);
  };
  {
    const local<byte_array> shared = m.make_bytes(10'000);
    const local<test::pair> a = m.make<test::pair>(), b = m.make<test::pair>();
    a->head = b->head = shared;
    a->tail = b;
    b->tail = a;
    m.finalize(a, let_go, &seen);
    m.finalize(b, let_go, &seen);
  }
  m.collect(extent::all);
  EXPECT_EQ(m.run_finalizers(), 2u);
  EXPECT_EQ(seen.done, 1u);
  EXPECT_EQ(seen.already, 1u);
  m.collect(extent::all);
  EXPECT_EQ(c.stats().large_arrays, 0u);
}

// --- Memory that there is not ---

TEST(Faults, randomGraphsAreWhatTheModelSaysWhileMemoryComesAndGoes) {
  gc::options chosen = test::small(7);
  gc::collector c(chosen);
  std::mt19937_64 random(test::seed());
  gc::mutator m(c);
  test::graph_model model(m, random);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < test::steps(30'000, 4'000); ++i) {
    if (i % 100 == 0) {
      heap::purge();
      heap::set_held_limit(random() % 2 == 0 ? SIZE_MAX : heap::stats().held);
    }
    try {
      model.step();
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    if (i % 100 == 99) {
      heap::set_held_limit(SIZE_MAX);
      model.compare();
    }
  }
  heap::set_held_limit(SIZE_MAX);
  m.collect(extent::all);
  model.compare();
  EXPECT_EQ(c.verify(m), "");
  EXPECT_GT(refused, 0u);
}

// The array is refused before memory is written for its descriptor.
TEST(Faults, anArrayOfReferencesBeyondAllMemoryIsRefusedAtOnce) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer needs memory of its own";
  gc::collector c;
  gc::mutator m(c);
  heap::purge();
  const std::size_t before = test::resident_bytes();
  // The map of these 512 MiB would fit.
  heap::set_held_limit(heap::stats().held + 16_MiB);
  EXPECT_THROW((void)m.make_refs<node>(64_MiB), std::bad_alloc);
  heap::set_held_limit(SIZE_MAX);
  EXPECT_LT(test::resident_bytes(), before + 4_MiB);
  for (unsigned bits = 44; bits < 64; ++bits) {
    EXPECT_THROW((void)m.make_refs<node>(std::size_t{1} << bits), std::bad_alloc);
  }
}

// --- Options at their bounds ---

TEST(Faults, optionsOutsideOfTheirRangeAreRefusedAndThoseAtTheBoundsWork) {
  EXPECT_THROW(gc::collector({.pause_goal = std::chrono::microseconds(-1)}), std::invalid_argument);
  EXPECT_THROW(gc::collector({.large_threshold = 8193}), std::invalid_argument);
  for (const std::size_t nursery : {std::size_t{0}, std::size_t{1}, SIZE_MAX}) {
    for (const std::size_t threshold : {std::size_t{64}, std::size_t{8192}}) {
      for (const std::size_t budget : {std::size_t{0}, SIZE_MAX}) {
        gc::options chosen = test::small();
        chosen.nursery = nursery;
        chosen.large_threshold = threshold;
        chosen.large_budget = budget;
        chosen.old_minimum = budget;
        chosen.helpers = 0;
        chosen.debug.quarantine_mib = nursery;
        gc::collector c(chosen);
        gc::mutator m(c);
        local<gc::value> kept(m);
        for (std::size_t size = 0; size < 20'000; size = 2 * size + 1) {
          const local<byte_array> a = m.make_bytes(size);
          const auto refs = m.make_refs<gc::value>(size);
          if (size != 0) refs->set(size - 1, kept);
          kept = refs;
          EXPECT_EQ(m.forget(a), size <= threshold ? release::too_small : release::done);
        }
        m.collect(extent::young);
        m.collect(extent::all);
        EXPECT_EQ(c.verify(m), "");
      }
    }
  }
}

// --- fork() ---

TEST(Faults, aChildOfTheOnlyThreadGoesOnWithTheCollector) {
  if (test::thread_sanitized) GTEST_SKIP() << "SKIP: the tool does not follow a child";
  gc::collector c(test::small(5));
  gc::mutator m(c);
  std::mt19937_64 random(test::seed());
  test::graph_model model(m, random);
  for (int i = 0; i < 500; ++i) model.step();
  const ::pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) test::die_if_stuck();
  for (int i = 0; i < 500; ++i) model.step();
  m.collect(extent::all);
  model.compare();
  if (child == 0) ::_exit(c.verify(m).empty() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace cleave
