// main.cpp -- the host device measured: kernels that cut and free, and fork trees with and without.
//
//   device_bench             the table: best of seven goes
//   device_bench --smoke     each once, on the smallest amounts
//
// Each line is a time in milliseconds and a rate, or a ratio to the line above. The processor time
// is that of all threads together; on a machine that has other work to do it says more than the
// clock.
#include <algorithm>
#include <chrono>
#include <cleave/device.hpp>
#include <cleave/parallel.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

namespace {

using cleave::array;
namespace device = cleave::device;
namespace parallel = cleave::parallel;

using word = std::uint64_t;
using words = device::piece<word>;

constexpr unsigned threads = 2;

struct cost {
  double wall = std::numeric_limits<double>::max();  // milliseconds
  double processor = std::numeric_limits<double>::max();
};

class bench {
 public:
  explicit bench(bool smoke) : goes_(smoke ? 1 : 7), scale_(smoke ? 64 : 1) {}

  [[nodiscard]] std::size_t size(std::size_t full) const { return full / scale_; }

  template <class Work>
  cost measure(const Work& work) const {
    cost best;
    for (int i = 0; i < goes_; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const std::clock_t used = std::clock();
      work();
      const double processor =
          1e3 * static_cast<double>(std::clock() - used) / static_cast<double>(CLOCKS_PER_SEC);
      const std::chrono::duration<double, std::milli> wall =
          std::chrono::steady_clock::now() - begin;
      best.wall = std::min(best.wall, wall.count());
      best.processor = std::min(best.processor, processor);
    }
    return best;
  }

 private:
  int goes_;
  std::size_t scale_;
};

void print(const char* what, cost c, double operations) {
  std::printf("%-58s %9.3f ms %9.3f ms cpu", what, c.wall, c.processor);
  if (operations > 0) std::printf(" %9.2f M/s", operations / c.wall / 1e3);
  std::printf("\n");
}

// An array of 64 words, cut down to single ones, each freed.
struct cut_and_free {
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const {
    words left = by.make<word>(64);
    if (left.size == 0) {
      by.fail(1, i);
      return;
    }
    while (left.size > 0) {
      const device::two_pieces<word> both = device::cut(left, 1);
      both.left[0] = i;
      by.free(both.left);
      left = both.right;
    }
  }
};

// Runs of 16 to 512 bytes, made and freed again.
struct make_and_free {
  CLEAVE_ON_DEVICE void operator()(device::lane& by, std::size_t i) const {
    for (std::size_t round = 0; round < 64; ++round) {
      const words made = by.make<word>(2 + (i + round) % 62);
      if (made.size == 0) {
        by.fail(1, i);
        return;
      }
      made[0] = i;
      by.free(made);
    }
  }
};

struct mix_leaf {
  CLEAVE_ON_DEVICE void operator()(device::lane& /*by*/, words leaf, std::size_t number) const {
    for (word& each : leaf) each = (each + number) * 0x9e3779b97f4a7c15;
  }
};

void mix(array<word>& leaf) {
  for (word& each : leaf) each = (each + leaf.size()) * 0x9e3779b97f4a7c15;
}

void kernels(const bench& b) {
  device::machine m(device::kind::host, {.threads = threads});
  const std::size_t lanes = b.size(std::size_t{1} << 16);
  const cost cut = b.measure([&] {
    m.launch(lanes, cut_and_free());
    m.synchronise();
  });
  print("kernel: 64 words cut to single ones, each freed", cut, 64.0 * static_cast<double>(lanes));
  const cost made = b.measure([&] {
    m.launch(lanes, make_and_free());
    m.synchronise();
  });
  print("kernel: 16 to 512 bytes made and freed", made, 64.0 * static_cast<double>(lanes));
  const cost empty = b.measure([&] {
    m.launch(1, [](device::lane&, std::size_t) {});
    m.synchronise();
  });
  print("kernel: nothing, and synchronise()", empty, 0);
}

void trees(const bench& b) {
  device::machine m(device::kind::host, {.threads = threads});
  const std::size_t n = b.size(std::size_t{1} << 22);
  constexpr std::size_t leaf = 1024;
  array<word> whole = m.make<word>(n);
  m.synchronise();
  const cost forked = b.measure([&] {
    whole = parallel::fork_tree(std::move(whole),
                                [](array<word> part) {
                                  mix(part);
                                  return part;
                                },
                                {.grain = leaf, .threads = threads});
  });
  print("tree of 4 Mi words, leaves of 1024: fork_tree()", forked, 0);
  words lent = device::lend(std::move(whole));
  const cost launched = b.measure([&] {
    m.launch_tree(lent, leaf, mix_leaf());
    m.synchronise();
  });
  print("the same: launch_tree()", launched, 0);
  std::printf("  launch_tree() / fork_tree(): %.2f, of processor time %.2f\n",
              launched.wall / forked.wall, launched.processor / forked.processor);
  (void)device::own(lent);
}

// Cut to single words, each freed: the whole path of the heap, by one thread, whose time is
// steadier than that of several.
cost host_tree(const bench& b) {
  const std::size_t n = b.size(std::size_t{1} << 20);
  return b.measure([&] {
    for (int round = 0; round < 8; ++round) {
      array<word> whole(n);
      parallel::fork_tree(
          std::move(whole),
          [](array<word> part) {
            word sum = 0;
            while (part.size() > 0) {
              const array<word> last = part.cut(part.size() - 1);
              sum += last[0];
            }
            return sum;
          },
          [](word l, word r) { return l + r; }, {.grain = 512, .threads = 1});
    }
  });
}

void beside(const bench& b) {
  cost without = host_tree(b);
  cost with;
  // In turns, so that both see the same machine.
  for (int i = 0; i < 3; ++i) {
    {
      device::machine m(device::kind::host, {.threads = threads});
      const array<word> kept = m.make<word>(1000);
      with = std::min(with, host_tree(b), [](cost l, cost r) { return l.processor < r.processor; });
    }
    without =
        std::min(without, host_tree(b), [](cost l, cost r) { return l.processor < r.processor; });
  }
  print("host tree, 8 x 1 Mi words freed one by one: no device", without, 0);
  print("the same beside an open device", with, 0);
  std::printf("  with / without, of processor time: %.3f\n", with.processor / without.processor);

  // The price of shared memory: a part of a page is an atomic addition there.
  device::machine m(device::kind::host, {.threads = threads});
  const std::size_t n = b.size(std::size_t{1} << 20);
  const cost shared = b.measure([&] {
    array<word> part = m.make<word>(n);
    while (part.size() > 0) (void)part.cut(part.size() - 1);
  });
  print("host: 1 Mi words of shared memory cut and freed", shared, static_cast<double>(n));
  const cost own = b.measure([&] {
    array<word> part(n);
    while (part.size() > 0) (void)part.cut(part.size() - 1);
  });
  print("host: 1 Mi words of other memory cut and freed", own, static_cast<double>(n));
}

}  // namespace

int main(int count, char** arguments) {
  const bench b(count > 1 && std::strcmp(arguments[1], "--smoke") == 0);
  kernels(b);
  trees(b);
  beside(b);
}
