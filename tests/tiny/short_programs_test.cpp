// Every short program over the tiny heap: all sequences of a small set of steps.

#include <gtest/gtest.h>

#include "tiny/tiny_model.hpp"

namespace cleave {
namespace {

using test::tiny_model;

// One step, chosen by number; the arguments follow from the number alone.
constexpr std::size_t sizes[] = {1, 16, 24, 56, 57, 64, 65, 128, 130, 200, 1000, 4096, 5000};
constexpr std::size_t size_count = std::size(sizes);

enum : std::size_t {
  allocate_first = 0,
  cut_third = allocate_first + size_count,
  cut_page,
  join_oldest,
  free_oldest,
  free_newest,
  free_middle,
  extend_newest,
  step_count
};

void take_step(tiny_model& model, std::size_t step) {
  if (step < cut_third) {
    model.allocate(sizes[step], 8);
    return;
  }
  const std::size_t n = model.pieces().size();
  if (n == 0) return;
  switch (step) {
    case cut_third: model.cut(n - 1, model.pieces()[n - 1].bytes / 3); break;
    case cut_page:
      if (model.pieces()[n - 1].bytes > heap::page_size) model.cut(n - 1, heap::page_size);
      break;
    case join_oldest: model.join(0); break;
    case free_oldest: model.free(0); break;
    case free_newest: model.free(n - 1); break;
    case free_middle: model.free(n / 2); break;
    case extend_newest: model.extend(n - 1, 40); break;
    default: break;
  }
}

void run_all(std::size_t length) {
  tiny_model::start_heap();
  std::size_t programs = 1;
  for (std::size_t i = 0; i < length; ++i) programs *= step_count;
  for (std::size_t program = 0; program < programs; ++program) {
    tiny_model model;
    std::size_t rest = program;
    for (std::size_t i = 0; i < length; ++i) {
      take_step(model, rest % step_count);
      rest /= step_count;
    }
    ASSERT_EQ(heap::live_bytes(), model.live()) << "program " << program;
    // Walking all tables after each program would take most of the time.
    if (program % 64 == 0) {
      model.expect_sound();
      model.free_all();
      model.expect_whole();
    }
    model.free_all();
    if (testing::Test::HasFailure()) {
      FAIL() << "program " << program << " of length " << length;
    }
  }
  tiny_model().expect_whole();
}

TEST(ShortPrograms, ofThreeStepsLeaveTheHeapWhole) { run_all(3); }

TEST(ShortPrograms, ofFourStepsLeaveTheHeapWhole) { run_all(4); }

}  // namespace
}  // namespace cleave
