// quick_start.cpp -- one array: cut, worked on in two threads, joined, freed in part.
#include <cleave/array.hpp>
#include <cstdio>
#include <numeric>
#include <thread>
#include <utility>

int main() {
  cleave::array<int> numbers(1'000'000);
  std::iota(numbers.begin(), numbers.end(), 1);

  // Two arrays now, where there was one. Nothing was copied or allocated.
  cleave::array<int> right = numbers.cut(500'000);
  std::thread worker([&numbers] {
    for (int& n : numbers) n = -n;
  });
  for (int& n : right) n *= 2;
  worker.join();

  // Neighbours join in constant time.
  numbers.join(std::move(right));
  std::printf("%zu numbers, from %d to %d\n", numbers.size(), numbers.front(), numbers.back());

  // A piece lives without the rest, whose memory is free for others at once.
  const cleave::array<int> piece = numbers.cut(999'990);
  numbers.clear();
  std::printf("kept %zu numbers from %d, in %zu bytes of the heap\n", piece.size(), piece.front(),
              cleave::heap::live_bytes());
}
