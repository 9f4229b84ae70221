// check.hpp -- the probes and figures of one device, whatever its kind.
//
//   device_check                    on threads of this process
//   device_check_cuda               on a CUDA device; exit code 77 where there is none
//   device_check --smoke            little work
//
// The same kernels and checks are compiled for both. First the probes, which must come out right:
// a kernel builds an array that the host cuts and sums; the host cuts an array and a kernel sums
// and frees one half; a fork tree of the host with a machine open beside it. Then the figures: cuts
// and frees a second, and a fork tree over shared memory beside a plain kernel.
// scripts/device_check runs both.
#pragma once

#include <algorithm>
#include <chrono>
#include <cleave/array.hpp>
#include <cleave/device.hpp>
#include <cleave/heap.hpp>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>

namespace cleave::device_check {

using word = std::uint32_t;
using device::cut;
using device::halves;
using device::lane;
using device::piece;

inline constexpr std::size_t cells = std::size_t{1} << 16;

// ---- Kernels -------------------------------------------------------------------------

// The cell with number i of all.
CLEAVE_ON_DEVICE inline word cell(std::size_t i, word round) noexcept {
  return static_cast<word>(i) * 2654435761u + round;
}

// Lane 0 makes the array, and fills it.
struct build {
  piece<piece<word>> result;
  word round;

  CLEAVE_ON_DEVICE void operator()(lane& by, std::size_t) const {
    const piece<word> made = by.make<word>(cells);
    if (made.size == 0) return by.fail(1);
    for (std::size_t i = 0; i < cells; ++i) made[i] = cell(i, round);
    result[0] = made;
  }
};

// Each lane owns a part of the half that the kernel was given: sums it, and frees it.
struct sum_and_free {
  piece<word> half;
  piece<word> sums;

  CLEAVE_ON_DEVICE void operator()(lane& by, std::size_t i) const {
    const std::size_t each = half.size / sums.size;
    const piece<word> mine{half.data + i * each, each};
    word sum = 0;
    for (const word x : mine) sum += x;
    sums[i] = sum;
    by.free(mine);
  }
};

// Makes 64 words, cuts them in four and frees each part, again and again.
struct make_cut_free {
  static constexpr std::size_t words = 64;
  static constexpr unsigned pieces = 4;
  unsigned rounds;

  CLEAVE_ON_DEVICE void operator()(lane& by, std::size_t i) const {
    for (unsigned round = 0; round < rounds; ++round) {
      const piece<word> whole = by.make<word>(words);
      if (whole.size == 0) return by.fail(2, i);
      whole[0] = static_cast<word>(i);
      const auto both = halves(whole);
      const auto left = halves(both.left);
      const auto right = halves(both.right);
      by.free(left.right);
      by.free(right.left);
      by.free(left.left);
      by.free(right.right);
    }
  }
};

// Each cell becomes three times itself and its number among all cells.
CLEAVE_ON_DEVICE inline void rewrite_cells(piece<word> leaf, word first) noexcept {
  for (std::size_t i = 0; i < leaf.size; ++i) leaf[i] = leaf[i] * 3 + first + static_cast<word>(i);
}

// Requires: all leaves have one size.
struct rewrite {
  CLEAVE_ON_DEVICE void operator()(lane&, piece<word> leaf, std::size_t number) const {
    rewrite_cells(leaf, static_cast<word>(number * leaf.size));
  }
};

// ---- What differs --------------------------------------------------------------------

// Seconds of a plain loop or kernel that rewrites n words `rounds` times as `rewrite` does: in
// these words, or in memory of the device's own if there are none; 0 where there is no such memory.
double plain_rewrite(word* words, std::size_t n, unsigned rounds);

// ---- Probes --------------------------------------------------------------------------

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class checks {
 public:
  // With little work, to see that it works; else as much as it takes to measure.
  checks(device::kind which, bool smoke)
      : which_(which), smoke_(smoke), chip_(which, {.bytes = std::size_t{256} << 20}) {}

  // How many probes failed.
  int run() {
    built_by_kernels();
    halves_freed_by_kernels(300);
    halves_freed_by_kernels(600);
    host_beside_machine();
    cuts_and_frees();
    fork_tree();
    expect(heap::verify().empty(), "the heap's invariants");
    return failures_;
  }

 private:
  static word flat_sum(word round) {
    word sum = 0;
    for (std::size_t i = 0; i < cells; ++i) sum += cell(i, round);
    return sum;
  }
  static word sum_of(const array<word>& a) { return std::accumulate(a.begin(), a.end(), word{0}); }

  void expect(bool right, const char* what) {
    if (right) return;
    ++failures_;
    std::printf("FAIL  %s\n", what);
  }

  void built_by_kernels() {
    std::vector<word> beside(cells);
    std::iota(beside.begin(), beside.end(), 7u);
    const word kept = std::accumulate(beside.begin(), beside.end(), word{0});
    array<word> beside_in_heap = array<word>::for_overwrite(cells);
    std::copy(beside.begin(), beside.end(), beside_in_heap.begin());
    array<piece<word>> made = chip_.make<piece<word>>(1);
    // What the machine took to make small arrays from goes back first.
    chip_.synchronise();
    const std::size_t live = heap::live_bytes();
    for (word round = 0; round < 200; ++round) {
      chip_.launch(1, build{{made.data(), 1}, round});
      chip_.synchronise();
      array<word> left = device::own(made[0]);
      array<word> right = left.cut(cells / 2);
      expect(sum_of(left) + sum_of(right) == flat_sum(round), "what a kernel built");
      expect(sum_of(beside_in_heap) == kept, "an array beside it");
    }
    chip_.synchronise();
    expect(heap::live_bytes() == live, "live bytes after 200 arrays that kernels built");
    std::printf("ok    200 arrays of 2^16 words built by kernels, cut, summed and freed here\n");
  }

  void halves_freed_by_kernels(unsigned rounds) {
    constexpr std::size_t lanes = 256;
    array<word> sums = chip_.make<word>(lanes);
    chip_.synchronise();
    // Before and after: nothing may grow with the rounds.
    const std::size_t live = heap::live_bytes();
    const std::size_t held = heap::stats().held;
    for (word round = 0; round < rounds; ++round) {
      array<word> left = chip_.make<word>(cells);
      for (std::size_t i = 0; i < cells; ++i) left[i] = cell(i, round);
      array<word> right = left.cut(cells / 2);
      chip_.launch(lanes, sum_and_free{device::lend(std::move(right)), {sums.data(), lanes}});
      const word here = sum_of(left);
      chip_.synchronise();
      expect(here + sum_of(sums) == flat_sum(round), "the sum of two halves");
    }
    expect(heap::live_bytes() == live, "live bytes after halves freed by kernels");
    expect(heap::stats().held == held, "held bytes after halves freed by kernels");
    std::printf("ok    %u arrays of 2^16 words cut here, one half summed and freed by a kernel\n",
                rounds);
  }

  // ---- Figures -----------------------------------------------------------------------

  static array<word> tree(array<word> a, unsigned depth) {
    if (depth == 0) {
      rewrite_cells({a.data(), a.size()}, 0);
      return a;
    }
    array<word> right = a.cut(a.size() / 2);
    a = tree(std::move(a), depth - 1);
    right = tree(std::move(right), depth - 1);
    return join(std::move(a), std::move(right));
  }
  static double tree_seconds() {
    std::vector<double> seen;
    array<word> a(std::size_t{1} << 20);
    for (int round = 0; round < 40; ++round) {
      const double begin = now();
      a = tree(std::move(a), 4);
      seen.push_back(now() - begin);
    }
    std::nth_element(seen.begin(), seen.begin() + 20, seen.end());
    return seen[20];
  }

  void host_beside_machine();
  void cuts_and_frees();
  void fork_tree();

  device::kind which_;
  bool smoke_;
  device::machine chip_;
  int failures_ = 0;
};

inline void checks::cuts_and_frees() {
  const std::size_t lanes = which_ == device::kind::host ? 256 : 16384;
  const unsigned rounds = smoke_ ? 10 : which_ == device::kind::host ? 4000 : 200;
  double best = 1e9;
  for (int go = 0; go < (smoke_ ? 1 : 5); ++go) {
    const double begin = now();
    chip_.launch(lanes, make_cut_free{rounds});
    chip_.synchronise();
    best = std::min(best, now() - begin);
  }
  const double frees = static_cast<double>(lanes) * rounds * make_cut_free::pieces;
  std::printf("      %.1f million frees a second, each of a quarter of 64 words\n",
              frees / best * 1e-6);
}

// A fork tree over 2^20 words on the host, with and without work for the machine in the program.
inline void checks::host_beside_machine() {
  const double open = tree_seconds();
  array<piece<word>> made = chip_.make<piece<word>>(1);
  chip_.launch(1, build{{made.data(), 1}, 1});
  chip_.synchronise();
  {
    const array<word> gone = device::own(made[0]);
  }
  const double after = tree_seconds();
  std::printf("      fork tree of the host: %.0f us, %.0f us after a kernel: %.2f of it\n",
              open * 1e6, after * 1e6, after / open);
}

inline void checks::fork_tree() {
  const std::size_t n = std::size_t{1} << (smoke_ ? 16 : 22);
  const unsigned rounds = smoke_ ? 1 : 10;
  array<word> a = chip_.make<word>(n);
  for (const std::size_t leaf : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
    double best = 1e9;
    for (int go = 0; go < 3; ++go) {
      const double begin = now();
      const piece<word> whole = device::lend(std::move(a));
      for (unsigned round = 0; round < rounds; ++round) {
        chip_.launch_tree(whole, leaf, rewrite{});
      }
      chip_.synchronise();
      a = device::own(whole);
      best = std::min(best, now() - begin);
    }
    const double plain = plain_rewrite(a.data(), n, rounds);
    std::printf(
        "      fork tree over %zu words, leaves of %zu: %.0f us a round, %.2f of a plain "
        "kernel over the same memory\n",
        n, leaf, best / rounds * 1e6, best / plain);
  }
  if (const double local = plain_rewrite(nullptr, n, rounds); local > 0) {
    std::printf("      a plain kernel over the device's own memory: %.0f us a round\n",
                local / rounds * 1e6);
  }
}

inline int run(device::kind which, int argc, char** argv) {
  if (!device::machine::is_available(which)) {
    std::printf("SKIP  there is no such device here\n");
    return 77;
  }
  const bool smoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
  return checks(which, smoke).run() == 0 ? 0 : 1;
}

}  // namespace cleave::device_check
