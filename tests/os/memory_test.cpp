// memory_test.cpp -- reserving, committing and returning real memory of this system.
#include "os/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "support/environment.hpp"
#include "support/memory.hpp"

namespace cleave::os {
namespace {

using test::operator""_KiB;
using test::operator""_MiB;
using test::operator""_GiB;

std::size_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * page_bytes();
}

// More than there can be in one piece, whatever the width of addresses.
constexpr std::size_t most_of_all = SIZE_MAX - SIZE_MAX / 16;

// Whether all pages of the range belong to some mapping.
bool is_mapped(void* begin, std::size_t bytes) {
  return ::msync(begin, bytes, MS_ASYNC) == 0 || errno != ENOMEM;
}

class Memory : public testing::Test {
 protected:
  ~Memory() override {
    if (space_ != nullptr) release(space_, space_bytes);
  }
  static constexpr std::size_t space_bytes = 4_MiB;
  std::byte* space() {
    if (space_ == nullptr) space_ = reserve(space_bytes, page_bytes());
    return static_cast<std::byte*>(space_);
  }

 private:
  void* space_ = nullptr;
};

TEST_F(Memory, isReservedWithEveryAlignmentAndNoMoreThanAskedFor) {
  for (unsigned bits = 12; bits <= 30; bits += 2) {
    const std::size_t alignment = std::max(page_bytes(), std::size_t{1} << bits);
    const std::size_t before = mapped_bytes();
    void* const p = reserve(64_KiB, alignment);
    ASSERT_NE(p, nullptr) << "aligned to " << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
    EXPECT_TRUE(is_mapped(p, 64_KiB));
    // The test's own file stream may map a buffer; the slack would be as large as the alignment.
    if (!test::sanitized) {
      EXPECT_LE(mapped_bytes() - before, 64_KiB + 256_KiB);
    }
    release(p, 64_KiB);
    EXPECT_FALSE(is_mapped(p, 64_KiB));
  }
}

TEST_F(Memory, thatCannotBeReservedIsAnAnswer) {
  const std::size_t page = page_bytes();
  EXPECT_EQ(reserve(most_of_all, page), nullptr);
  EXPECT_EQ(reserve(SIZE_MAX - page + 1, page), nullptr);
  // The sum of size and alignment does not fit into a word.
  EXPECT_EQ(reserve(SIZE_MAX - page + 1, 1_GiB), nullptr);
  EXPECT_EQ(reserve(most_of_all, SIZE_MAX / 2 + 1), nullptr);
}

TEST_F(Memory, cannotBeTouchedBeforeItIsCommitted) {
  volatile std::byte* const p = space();
  ASSERT_NE(p, nullptr);
  EXPECT_DEATH((void)static_cast<std::byte>(p[0]), "");
  EXPECT_DEATH(p[0] = std::byte{1}, "");
}

TEST_F(Memory, isZeroAndWritableOnceCommittedAndNowhereElse) {
  std::byte* const p = space();
  ASSERT_TRUE(commit(p + 64_KiB, 64_KiB));
  EXPECT_TRUE(std::all_of(p + 64_KiB, p + 128_KiB, [](std::byte b) { return b == std::byte{}; }));
  std::memset(p + 64_KiB, 7, 64_KiB);
  volatile std::byte* const behind = p + 128_KiB;
  volatile std::byte* const before = p + 64_KiB - 1;
  EXPECT_DEATH(*behind = std::byte{1}, "");
  EXPECT_DEATH(*before = std::byte{1}, "");
  // Committing it again, with more around it, changes no byte.
  ASSERT_TRUE(commit(p, 192_KiB));
  EXPECT_EQ(p[64_KiB], std::byte{7});
  EXPECT_EQ(p[128_KiB - 1], std::byte{7});
  *behind = std::byte{1};
}

TEST_F(Memory, thatIsDiscardedReadsAsZeroAndMayBeWrittenAgain) {
  std::byte* const p = space();
  ASSERT_TRUE(commit(p, 1_MiB));
  std::memset(p, 7, 1_MiB);
  const std::size_t resident = test::resident_bytes();
  ASSERT_TRUE(discard(p + 4_KiB, 1_MiB - 8_KiB));
  EXPECT_LE(test::resident_bytes() + 512_KiB, resident);
  EXPECT_EQ(p[4_KiB - 1], std::byte{7});
  EXPECT_TRUE(
      std::all_of(p + 4_KiB, p + 1_MiB - 4_KiB, [](std::byte b) { return b == std::byte{}; }));
  EXPECT_EQ(p[1_MiB - 4_KiB], std::byte{7});
  p[8_KiB] = std::byte{1};
}

TEST_F(Memory, thatIsNotThereIsRefused) {
  void* const gone = reserve(1_MiB, page_bytes());
  release(gone, 1_MiB);
  EXPECT_FALSE(commit(gone, 64_KiB));
  EXPECT_FALSE(discard(gone, 64_KiB));
}

TEST_F(Memory, mayBeWantedInHugePagesAlsoWhereThatIsRefused) {
  std::byte* const p = space();
  ASSERT_TRUE(commit(p, space_bytes));
  prefer_huge_pages(p, space_bytes);
  std::memset(p, 7, space_bytes);
  void* const gone = reserve(1_MiB, page_bytes());
  release(gone, 1_MiB);
  prefer_huge_pages(gone, 1_MiB);
  EXPECT_EQ(p[space_bytes - 1], std::byte{7});
}

TEST_F(Memory, countsEachCallOfTheSystem) {
  std::byte* const p = space();
  const std::uint64_t before = call_count();
  ASSERT_TRUE(commit(p, 64_KiB));
  EXPECT_EQ(call_count(), before + 1);
  ASSERT_TRUE(discard(p, 64_KiB));
  EXPECT_EQ(call_count(), before + 2);
  prefer_huge_pages(p, 64_KiB);
  EXPECT_EQ(call_count(), before + 3);
  // Refused calls are calls.
  EXPECT_EQ(reserve(most_of_all, page_bytes()), nullptr);
  EXPECT_EQ(call_count(), before + 4);
}

TEST_F(Memory, hasAPageOfSomePowerOfTwo) {
  EXPECT_GE(page_bytes(), 4096U);
  EXPECT_EQ(page_bytes() & (page_bytes() - 1), 0U);
}

// Runs `work` in a child and returns its exit code: limits end with the child.
template <typename Work>
int exit_code_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST_F(Memory, leftInTheAddressSpaceIsTheLimitWithoutWhatIsMapped) {
  if (test::sanitized) GTEST_SKIP() << "SKIP: a sanitizer maps more than any limit allows";
  rlimit now{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &now), 0);
  if (now.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "SKIP: this shell has a limit already";
  EXPECT_EQ(address_space_left(), SIZE_MAX);
  EXPECT_EQ(exit_code_of_child([] {
              const std::size_t used = mapped_bytes();
              const rlimit limit{used + 64_MiB, RLIM_INFINITY};
              if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              const std::size_t left = address_space_left();
              if (left > 64_MiB || left < 63_MiB) return 2;
              // It is true: a little less can be had, a little more cannot.
              void* const p = reserve(left - 1_MiB, page_bytes());
              if (p == nullptr) return 3;
              if (reserve(2_MiB, page_bytes()) != nullptr) return 4;
              return address_space_left() <= 1_MiB ? 0 : 5;
            }),
            0);
  EXPECT_EQ(exit_code_of_child([] {
              const rlimit limit{1_MiB, RLIM_INFINITY};
              if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              return address_space_left() == 0 ? 0 : 2;
            }),
            0)
      << "more is mapped than the limit allows";
}

}  // namespace
}  // namespace cleave::os
