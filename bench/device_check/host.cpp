// host.cpp -- the probes and figures of the host device.
#include <thread>

#include "device_check/check.hpp"

namespace cleave::device_check {

// On as many threads as the machine has, each in a part of its own.
double plain_rewrite(word* words, std::size_t n, unsigned rounds) {
  if (words == nullptr) return 0;
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t each = n / threads;
  const double begin = now();
  std::vector<std::jthread> all;
  for (unsigned t = 0; t < threads; ++t) {
    all.emplace_back([=] {
      const std::size_t last = t + 1 == threads ? n : (t + 1) * each;
      for (unsigned round = 0; round < rounds; ++round) {
        for (std::size_t i = t * each; i < last; ++i) {
          words[i] = words[i] * 3 + static_cast<word>(i);
        }
      }
    });
  }
  all.clear();
  return now() - begin;
}

}  // namespace cleave::device_check

int main(int argc, char** argv) {
  return cleave::device_check::run(cleave::device::kind::host, argc, argv);
}
