// recorder_test.cpp -- known programs are recorded, and the reader must see just what they did.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cleave/array.hpp>
#include <cleave/collector.hpp>
#include <cleave/heap.hpp>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "os/stream.hpp"
#include "trace/recorded.hpp"

namespace cleave::test {
namespace {

using trace::event;
using enum trace::event_kind;

std::byte* allocate_bytes(std::size_t n) {
  return static_cast<std::byte*>(heap::allocate(n));
}

// Live pieces by address; fails if one is handed out where another lives, or what is not live
// is freed. Returns what is live at the end.
std::uint64_t replay(const std::vector<event>& events) {
  std::map<std::uint64_t, std::uint64_t> live;  // begin, end
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    const auto next = live.lower_bound(begin);
    EXPECT_TRUE(next == live.end() || next->first >= end) << "overlaps the next";
    EXPECT_TRUE(next == live.begin() || std::prev(next)->second <= begin) << "overlaps";
    live[begin] = end;
    sum += end - begin;
  };
  for (const event& e : events) {
    if (e.kind == allocate) add(e.address, e.address + e.size);
    if (e.kind == extend) add(e.address + e.other, e.address + e.size);
    if (e.kind != trace::event_kind::free) continue;
    // Any piece: it may span several allocations, and lie inside of one.
    std::uint64_t at = e.address;
    const std::uint64_t end = e.address + e.size;
    while (at < end) {
      auto in = live.upper_bound(at);
      if (in == live.begin() || (--in)->second <= at) {
        ADD_FAILURE() << "a free of what is not live";
        return sum;
      }
      const auto [begin, stop] = *in;
      const std::uint64_t last = std::min(stop, end);
      live.erase(in);
      if (begin < at) live[begin] = at;
      if (last < stop) live[last] = stop;
      sum -= last - at;
      at = last;
    }
  }
  return sum;
}

TEST(Recorder, recordsExactlyWhatAProgramDoes) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    std::byte* const a = allocate_bytes(100);
    std::byte* const b = allocate_bytes(5000);
    heap::free(a + 40, 60);
    told[3] = heap::extend(b, 5000, 5100) ? 1 : 0;
    heap::free(b, 5100);
    heap::free(a, 40);
    told[0] = address_of(a);
    told[1] = address_of(b);
    told[2] = heap::stats().reserved;
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.error, "");
  const auto [a, b, reserved, extended] =
      std::array{end.told[0], end.told[1], end.told[2], end.told[3]};
  ASSERT_EQ(extended, 1U) << "the spare room of its last page is its own";
  std::vector<happening> seen = happenings(end.seen);
  // The statistics allocate from the system's heap, not from ours.
  const std::vector<happening> want = {{allocate, a, 100},
                                       {allocate, b, 5000},
                                       {trace::event_kind::free, a + 40, 60},
                                       {extend, b, 5100, 5000},
                                       {trace::event_kind::free, b, 5100},
                                       {trace::event_kind::free, a, 40}};
  EXPECT_EQ(seen, want);
  EXPECT_TRUE(end.seen.complete);
  EXPECT_EQ(end.seen.ending, "");
  EXPECT_EQ(end.seen.lost, 0U);
  EXPECT_EQ(end.seen.reserved, reserved);
  EXPECT_GE(a, end.seen.base);
  EXPECT_LT(b, end.seen.base + reserved);
  EXPECT_EQ(end.seen.page_bytes, 4096U);
  EXPECT_EQ(end.seen.program, std::filesystem::read_symlink("/proc/self/exe").string());
  std::uint64_t last = 0;
  for (const event& e : end.seen.events) {
    EXPECT_EQ(e.thread, 1U);
    EXPECT_GT(e.time, last);
    last = e.time;
    EXPECT_NE(e.place, 0U);
  }
}

[[gnu::noinline]] void make_and_drop_here() {
  void* const p = heap::allocate(48);
  heap::free(p, 48);
  asm volatile("" ::: "memory");
}

TEST(Recorder, namesThePlacesOfCalls) {
  const outcome end = run_recorded([](std::uint64_t*) { make_and_drop_here(); });
  ASSERT_EQ(end.seen.events.size(), 2U);
  ASSERT_FALSE(end.seen.modules.empty());
  trace::names names(end.seen);
  const std::string made = names.of(end.seen.events[0].place);
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) {
    EXPECT_NE(made.find("trace_test+0x"), std::string::npos) << made;
    GTEST_SKIP() << "SKIP: addr2line is not installed, so places are no lines";
  }
  EXPECT_NE(made.find("make_and_drop_here"), std::string::npos) << made;
  EXPECT_NE(made.find(" at recorder_test.cpp:"), std::string::npos) << made;
  const std::vector<std::string> all = names.frames(end.seen.events[0].place);
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[0], made);
  EXPECT_EQ(names.of(0), "(not known)");
}

TEST(Recorder, givesOneNumberToCallsFromOnePlace) {
  const outcome end = run_recorded([](std::uint64_t*) {
    for (int i = 0; i < 50; ++i) make_and_drop_here();
  });
  ASSERT_EQ(end.seen.events.size(), 100U);
  for (const event& e : end.seen.events) {
    EXPECT_EQ(e.place, end.seen.events[e.kind == allocate ? 0 : 1].place);
  }
  EXPECT_NE(end.seen.events[0].place, end.seen.events[1].place);
}

TEST(Recorder, recordsJoinsThatCopy) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    array<int> left(30);
    const array<int> between(1);
    array<int> right(20);
    left.join(std::move(right));
    told[0] = address_of(left.data());
  });
  const std::vector<event> copies = end.of_kind(copy);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].address, end.told[0]);
  EXPECT_EQ(copies[0].size, 50 * sizeof(int));
  EXPECT_EQ(copies[0].other, 50 * sizeof(int));
  EXPECT_EQ(replay(end.seen.events), 0U);
}

TEST(Recorder, recordsWhatGoesBackToTheSystem) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  const outcome end = run_recorded([](std::uint64_t*) {
    std::byte* const p = allocate_bytes(bytes);
    std::memset(p, 1, bytes);
    heap::free(p, bytes);
    heap::purge();
  });
  std::uint64_t sum = 0;
  for (const event& e : end.of_kind(purge)) {
    EXPECT_EQ(e.address, 0U);
    sum += e.size;
  }
  EXPECT_EQ(sum, bytes);
}

TEST(Recorder, recordsCollectionsAndWhatIsLetGo) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    gc::collector all;
    gc::mutator m(all);
    const gc::local<gc::byte_array> a = m.make_bytes(100000);
    told[0] = address_of(a->data());
    told[1] = m.forget(a) == gc::release::done ? 1 : 0;
    m.collect(gc::extent::young);
    m.collect(gc::extent::all);
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  ASSERT_EQ(end.told[1], 1U);
  const std::vector<event> let_go = end.of_kind(forget);
  ASSERT_EQ(let_go.size(), 1U);
  EXPECT_EQ(let_go[0].address, end.told[0]);
  EXPECT_EQ(let_go[0].size, 100000U);
  const std::vector<event> collections = end.of_kind(collection);
  ASSERT_EQ(collections.size(), 2U);
  EXPECT_EQ(collections[0].address, 0U);
  EXPECT_EQ(collections[1].address, 1U);
  EXPECT_EQ(replay(end.seen.events), 0U);
}

TEST(Recorder, putsThreadsInAnOrderInWhichNoTwoPiecesOverlap) {
  constexpr unsigned threads = 4;
  constexpr unsigned rounds = 5000;
  const outcome end = run_recorded([](std::uint64_t* told) {
    // Pieces go from hand to hand, so that what one thread frees is at once another's.
    std::mutex guard;
    std::vector<std::pair<std::byte*, std::size_t>> shared;
    std::atomic<std::uint64_t> allocations{0};
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        std::mt19937 random(t + 1);
        for (unsigned i = 0; i < rounds; ++i) {
          const std::size_t n = 1 + random() % (i % 50 == 0 ? 20000 : 200);
          std::byte* p = allocate_bytes(n);
          ++allocations;
          std::size_t size = n;
          if (random() % 3 == 0 && size > 1) {
            heap::free(p + size / 2, size - size / 2);
            size /= 2;
          }
          {
            const std::lock_guard lock(guard);
            shared.emplace_back(p, size);
            if (shared.size() < 20) continue;
            std::swap(shared[random() % shared.size()], shared.back());
            std::tie(p, size) = shared.back();
            shared.pop_back();
          }
          heap::free(p, size);
        }
      });
    }
    for (std::thread& one : team) one.join();
    for (const auto& [p, size] : shared) heap::free(p, size);
    told[0] = allocations;
    told[1] = heap::live_bytes();
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_TRUE(end.seen.complete);
  EXPECT_EQ(end.of_kind(allocate).size(), end.told[0]);
  EXPECT_EQ(end.told[0], threads * rounds);
  EXPECT_EQ(replay(end.seen.events), end.told[1]);
  std::vector<std::uint64_t> last(threads + 2, 0);
  for (const event& e : end.seen.events) {
    ASSERT_LE(e.thread, threads + 1);
    EXPECT_GT(e.time, last[e.thread]);
    last[e.thread] = e.time;
  }
}

TEST(Recorder, leavesAReadablePrefixWhenTheProcessIsKilled) {
  const scratch_folder folder;
  const std::string file = folder.file("killed.trace").string();
  std::uint64_t* const told = shared_words();
  const child one = start_recorded(file, told, [](std::uint64_t* words) {
    for (int i = 0; i < 5000; ++i) make_and_drop_here();
    std::atomic_ref<std::uint64_t>(words[0]).store(1);
    for (;;) ::pause();
  });
  // The background writer needs no more events to write what is there.
  EXPECT_TRUE(wait_until([&] {
    try {
      return trace::read(file).events.size() == 10000;
    } catch (const trace::unreadable&) {
      return false;
    }
  }));
  ::kill(one.process, SIGKILL);
  outcome end;
  finish_child(one, end);
  ::munmap(told, 4096);
  EXPECT_EQ(end.exit_code, 128 + SIGKILL);
  const trace::recording seen = trace::read(file);
  EXPECT_FALSE(seen.complete);
  EXPECT_NE(seen.ending, "");
  EXPECT_EQ(seen.events.size(), 10000U);
  EXPECT_EQ(replay(seen.events), 0U);
}

TEST(Recorder, saysOnceThatTheDiskIsFullAndGoesOn) {
  const outcome end = run_recorded_to("/dev/full", [](std::uint64_t* told) {
    for (int i = 0; i < 1000; ++i) make_and_drop_here();
    told[0] = heap::live_bytes();
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.error,
            "cleave trace: cannot write '/dev/full': No space left on device; the recording ends "
            "here\n");
}

TEST(Recorder, keepsWhatFitsUnderALimitOnFiles) {
  const scratch_folder folder;
  const std::string file = folder.file("limited.trace").string();
  const outcome end = run_recorded_to(file, [](std::uint64_t* told) {
    const rlimit limit{200'000, 200'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 40000; ++i) make_and_drop_here();
    told[0] = 1;
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.told[0], 1U);
  EXPECT_EQ(end.error,
            "cleave trace: cannot write '" + file + "': File too large; the recording ends here\n");
  EXPECT_FALSE(end.seen.complete);
  EXPECT_GT(end.seen.events.size(), 1000U);
  EXPECT_LT(end.seen.events.size(), 80000U);
  // At most the last allocation has no free yet.
  EXPECT_LE(replay(end.seen.events), 48U);
}

TEST(Recorder, saysOnceThatItCannotWriteAndGoesOn) {
  const outcome end = run_recorded_to("/nowhere/heap.trace", [](std::uint64_t* told) {
    make_and_drop_here();
    told[0] = 1;
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.told[0], 1U);
  EXPECT_EQ(end.error,
            "cleave trace: cannot write '/nowhere/heap.trace': No such file or directory; nothing "
            "is recorded\n");
}

TEST(Recorder, leavesOtherFilesAloneWhenItsDescriptorIsClosed) {
  const scratch_folder folder;
  const std::string other = folder.file("other").string();
  const outcome end = run_recorded_to(folder.file("heap.trace").string(), [&](std::uint64_t*) {
    make_and_drop_here();
    for (int i = 3; i < 400; ++i) ::close(i);
    // One of these takes the number.
    for (int i = 0; i < 300; ++i) ::open(other.c_str(), O_RDWR | O_CREAT, 0600);
    make_and_drop_here();
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_NE(end.error.find("the recording ends here"), std::string::npos) << end.error;
  EXPECT_EQ(std::filesystem::file_size(other), 0U);
}

TEST(Recorder, leavesTheFileToTheProcessThatRecordsToIt) {
  const scratch_folder folder;
  const std::string file = folder.file("heap.trace").string();
  std::uint64_t* const told = shared_words();
  const std::atomic_ref<std::uint64_t> begun(told[0]);
  const std::atomic_ref<std::uint64_t> goes_on(told[1]);
  const child first = start_recorded(file, told, [&](std::uint64_t*) {
    make_and_drop_here();
    begun.store(1);
    wait_until([&] { return goes_on.load() != 0; });
    make_and_drop_here();
  });
  EXPECT_TRUE(wait_until([&] { return begun.load() != 0; }));
  const outcome other = run_recorded_to(file, [](std::uint64_t*) {
    for (int i = 0; i < 100; ++i) make_and_drop_here();
  });
  goes_on.store(1);
  outcome end;
  finish_child(first, end);
  ::munmap(told, 4096);
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_NE(other.error.find("another process records to it"), std::string::npos) << other.error;
  EXPECT_EQ(std::count(other.error.begin(), other.error.end(), '\n'), 1) << other.error;
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.error, "");
  const trace::recording seen = trace::read(file);
  EXPECT_TRUE(seen.complete) << seen.ending;
  EXPECT_EQ(seen.events.size(), 4U);
  EXPECT_EQ(replay(seen.events), 0U);
}

TEST(Recorder, takesThePlaceOfAnEarlierRecording) {
  const scratch_folder folder;
  const std::string file = folder.file("heap.trace").string();
  const auto run = [&file](int times) {
    return run_recorded_to(file, [times](std::uint64_t*) {
      for (int i = 0; i < times; ++i) make_and_drop_here();
    });
  };
  EXPECT_EQ(run(1000).seen.events.size(), 2000U);
  const outcome second = run(1);
  EXPECT_TRUE(second.seen.complete) << second.seen.ending;
  EXPECT_EQ(second.seen.events.size(), 2U);
}

TEST(Recorder, leavesTheFileToTheParentOfAFork) {
  const outcome end = run_recorded([](std::uint64_t*) {
    make_and_drop_here();
    if (const pid_t process = ::fork(); process == 0) {
      for (int i = 0; i < 10000; ++i) make_and_drop_here();
      std::exit(0);
    } else {
      ::waitpid(process, nullptr, 0);
    }
    make_and_drop_here();
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_TRUE(end.seen.complete) << end.seen.ending;
  EXPECT_EQ(end.seen.events.size(), 4U);
}

TEST(Recorder, staysWholeWhileThreadsRunAndOneForks) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    // The first to start its heap has the file, and that is to be this process.
    make_and_drop_here();
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> rounds{1};
    std::vector<std::thread> team;
    for (int t = 0; t < 2; ++t) {
      team.emplace_back([&] {
        for (; !stop; ++rounds) make_and_drop_here();
      });
    }
    for (int i = 0; i < 20; ++i) {
      const pid_t process = ::fork();
      if (process == 0) {
        die_if_stuck();
        for (int k = 0; k < 10; ++k) make_and_drop_here();
        ::_exit(0);
      }
      int status = 1;
      ::waitpid(process, &status, 0);
      told[1] += static_cast<std::uint64_t>(status);
    }
    stop = true;
    for (std::thread& one : team) one.join();
    told[0] = rounds;
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  EXPECT_EQ(end.told[1], 0U);
  EXPECT_TRUE(end.seen.complete) << end.seen.ending;
  EXPECT_EQ(end.seen.lost, 0U);
  EXPECT_EQ(end.seen.events.size(), 2 * end.told[0]);
  EXPECT_EQ(replay(end.seen.events), 0U);
}

TEST(Recorder, isReadUpToAnyByteAtWhichItsFileIsTorn) {
  const scratch_folder folder;
  const std::filesystem::path file = folder.file("whole.trace");
  const outcome end = run_recorded_to(file.string(), [](std::uint64_t*) {
    for (int t = 0; t < 3; ++t) std::thread([] { make_and_drop_here(); }).join();
    make_and_drop_here();
  });
  std::vector<std::byte> bytes(std::filesystem::file_size(file));
  os::file in;
  std::size_t got = 0;
  ASSERT_EQ(in.open_to_read(file.c_str()), 0);
  ASSERT_EQ(in.read(reinterpret_cast<char*>(bytes.data()), bytes.size(), got), 0);
  ASSERT_EQ(got, bytes.size());
  std::size_t most = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string why;
    const auto seen = trace::try_read({bytes.data(), n}, why);
    if (!seen) {
      ASSERT_EQ(most, 0U) << "at " << n;
      continue;
    }
    EXPECT_FALSE(seen->complete);
    ASSERT_LE(seen->events.size(), end.seen.events.size());
    // Threads came one after the other, so what is there is a prefix of all.
    for (std::size_t i = 0; i < seen->events.size(); ++i) {
      ASSERT_EQ(seen->events[i], end.seen.events[i]) << "at " << n;
    }
    EXPECT_GE(seen->events.size(), most) << "at " << n;
    most = seen->events.size();
  }
  EXPECT_EQ(most, 8U);
}

TEST(Recorder, recordsAChildToAFileOfItsOwn) {
  const scratch_folder folder;
  const outcome end =
      run_recorded_to(folder.file("heap.%p.trace").string(), [](std::uint64_t* told) {
        make_and_drop_here();
        told[0] = static_cast<std::uint64_t>(::getpid());
        // As programs do that change their title.
        std::memset(std::getenv("CLEAVE_TRACE"), 'x', 4);
        const pid_t process = ::fork();
        if (process == 0) {
          for (int i = 0; i < 20; ++i) make_and_drop_here();
          std::exit(0);
        }
        told[1] = static_cast<std::uint64_t>(process);
        ::waitpid(process, nullptr, 0);
      });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  for (const std::size_t i : {0U, 1U}) {
    const trace::recording seen =
        trace::read(folder.file("heap." + std::to_string(end.told[i]) + ".trace"));
    EXPECT_TRUE(seen.complete) << seen.ending;
    EXPECT_EQ(seen.process, end.told[i]);
    EXPECT_EQ(seen.events.size(), i == 0 ? 2U : 40U);
    for (const event& e : seen.events) {
      EXPECT_EQ(e.thread, 1U);
      EXPECT_NE(e.place, 0U);
    }
  }
}

TEST(Recorder, endsTheFileWhenCheckedModeEndsTheProcess) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    ::setenv("CLEAVE_CHECK", "1", 1);
    ::setenv("PATH", "/nowhere", 1);
    std::byte* const p = allocate_bytes(64);
    told[0] = address_of(p);
    heap::free(p, 64);
    heap::free(p, 64);
  });
  EXPECT_EQ(end.exit_code, 70);
  EXPECT_TRUE(end.error.starts_with("cleave check: double free\n")) << end.error;
  EXPECT_TRUE(end.seen.complete) << end.seen.ending;
  const std::vector<happening> want = {{allocate, end.told[0], 64},
                                       {trace::event_kind::free, end.told[0], 64},
                                       {trace::event_kind::free, end.told[0], 64}};
  EXPECT_EQ(happenings(end.seen), want);
}

TEST(Recorder, recordsInCheckedModeWhatAProgramDoes) {
  const outcome end = run_recorded([](std::uint64_t*) {
    ::setenv("CLEAVE_CHECK", "1", 1);
    for (int i = 0; i < 10; ++i) make_and_drop_here();
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  ASSERT_EQ(end.seen.events.size(), 20U);
  // What is freed waits in quarantine, so each allocation is elsewhere.
  EXPECT_NE(end.seen.events[0].address, end.seen.events[2].address);
  EXPECT_EQ(end.seen.events[0].size, 48U);
  EXPECT_EQ(replay(end.seen.events), 0U);
}

TEST(Recorder, endsTheFileWhenACheckOfTheHeapFails) {
  const outcome end = run_recorded([](std::uint64_t*) {
    make_and_drop_here();
    int outside = 0;
    heap::free(&outside, 4096);
  });
  EXPECT_EQ(end.exit_code, 128 + SIGABRT);
  EXPECT_TRUE(end.seen.complete) << end.seen.ending;
  EXPECT_EQ(end.seen.events.size(), 3U);
}

TEST(Recorder, endsTheFileWhenAProgramStopsAtOnce) {
  const outcome end = run_recorded([](std::uint64_t*) {
    make_and_drop_here();
    os::exit_now(3);
  });
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_TRUE(end.seen.complete) << end.seen.ending;
  EXPECT_EQ(end.seen.events.size(), 2U);
}

TEST(Recorder, recordsDestructorsOfThreadsAndOfTheProgram) {
  struct owner {
    void* memory = nullptr;
    ~owner() {
      if (memory != nullptr) heap::free(memory, 32);
    }
  };
  const outcome end = run_recorded([](std::uint64_t*) {
    static owner of_program;
    of_program.memory = heap::allocate(32);
    std::thread([] {
      static thread_local owner of_thread;
      of_thread.memory = heap::allocate(32);
    }).join();
  });
  EXPECT_TRUE(end.seen.complete);
  EXPECT_EQ(end.of_kind(trace::event_kind::free).size(), 2U);
  EXPECT_EQ(replay(end.seen.events), 0U);
}

TEST(Recorder, isOffWithoutTheVariable) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    ::unsetenv("CLEAVE_TRACE");
    make_and_drop_here();
    told[0] = detail::is_traced ? 1 : 0;
  });
  EXPECT_EQ(end.told[0], 0U);
  EXPECT_NE(end.seen.ending.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace cleave::test
