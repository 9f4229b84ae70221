// use.cpp -- a C++ program that knows nothing of the project but its headers.
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <utility>

#if defined(USE_PARALLEL)
#  include <cleave/parallel.hpp>
#endif

int main() {
  {
    cleave::run left(1000);
    cleave::run right = left.cut(400);
    if (left.size() != 400 || right.size() != 600) return 1;
    if (!left.join(std::move(right)) || left.size() != 1000) return 2;
  }
  {
    cleave::array<int> numbers(100, 7);
    cleave::array<int> tail = numbers.cut(10);
    if (numbers.size() != 10 || tail.size() != 90 || tail[89] != 7) return 3;
#if defined(USE_PARALLEL)
    cleave::parallel::for_each(tail, [](int& number) { ++number; });
    if (tail[0] != 8 || tail[89] != 8) return 4;
#endif
  }
  return cleave::heap::live_bytes() == 0 ? 0 : 5;
}
