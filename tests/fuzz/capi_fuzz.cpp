// capi_fuzz.cpp -- libFuzzer calls the C functions with arguments that may be refused.
//
// Runs are used as their owners may; sizes, positions and alignments are anything. A refusal
// must leave the result as it was, and success must say exactly what was asked.
#include <cleave.h>

#include <array>
#include <cstring>

#include "fuzz/steps.hpp"

namespace cleave::test {
namespace {

class session {
 public:
  ~session() {
    for (const cl_run& each : runs_) cl_free(each);
  }

  void take(const step& s) {
    cl_run& chosen = runs_[s.which % runs_.size()];
    cl_run& other = runs_[s.number % runs_.size()];
    const std::size_t number = s.which * 131 + s.number;
    switch (s.what % 9) {
      case 0: made(chosen, s, size_from(s.number)); break;
      // Often no power of two, now and then too large.
      case 1:
        made(chosen, s, size_from(s.number),
             number % 5 == 0 ? number : std::size_t{1} << number % 34);
        break;
      case 2: cut(chosen, other, number % (chosen.bytes + chosen.bytes / 4 + 2)); break;
      case 3: join(chosen, other); break;
      case 4: drop(chosen); break;
      case 5: extend(chosen, number % (2 * chosen.bytes + 100)); break;
      case 6: shrink(chosen, number % (chosen.bytes + chosen.bytes / 4 + 2)); break;
      case 7: look(chosen); break;
      default: s.number % 16 == 0 ? cl_purge() : cl_purge_expired(); break;
    }
  }

 private:
  static void paint(const cl_run& run) {
    if (run.bytes > 0) std::memset(run.ptr, 0x5A, run.bytes);
  }
  static bool same(const cl_run& a, const cl_run& b) {
    return a.ptr == b.ptr && a.bytes == b.bytes;
  }
  static bool empty(const cl_run& run) { return run.bytes == 0; }
  static void drop(cl_run& run) {
    cl_free(run);
    run = {};
  }

  static void made(cl_run& run, const step& s, std::size_t bytes, std::size_t alignment = 16) {
    drop(run);
    cl_run got = run;
    const bool at_least = s.which % 2 == 0;
    const cl_status status = at_least ? cl_allocate_at_least(bytes, alignment, &got)
                                      : cl_allocate_aligned(bytes, alignment, &got);
    const bool valid =
        alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= cl_max_alignment;
    expect((status == cl_bad_argument) == !valid, "an alignment was judged wrongly");
    if (status != cl_ok) {
      expect(same(got, run), "a refusal wrote a result");
      return;
    }
    expect(got.bytes >= bytes && (at_least || got.bytes == bytes), "a run has another size");
    expect(reinterpret_cast<std::uintptr_t>(got.ptr) % alignment == 0, "not aligned");
    paint(got);
    run = got;
  }

  static void cut(cl_run& from, cl_run& to, std::size_t at) {
    if (&from == &to) return;
    drop(to);
    const cl_run before = from;
    cl_run left = before;
    cl_run right = to;
    const cl_status status = cl_cut(from, at, &left, &right);
    expect((status == cl_ok) == (at <= before.bytes), "a cut was judged wrongly");
    if (status != cl_ok) {
      expect(same(left, before) && same(right, to), "a refusal wrote a result");
      return;
    }
    expect(left.bytes + right.bytes == before.bytes, "a cut lost bytes");
    from = left;
    to = right;
  }

  static void join(cl_run& left, cl_run& right) {
    if (&left == &right) return;
    const bool neighbours =
        empty(left) || empty(right) || static_cast<char*>(left.ptr) + left.bytes == right.ptr;
    cl_run whole = left;
    const cl_status status = cl_join(left, right, &whole);
    expect((status == cl_ok) == neighbours, "neighbours were judged wrongly");
    if (status != cl_ok) {
      expect(same(whole, left), "a refusal wrote a result");
      return;
    }
    expect(whole.bytes == left.bytes + right.bytes, "a join lost bytes");
    left = whole;
    right = {};
  }

  static void extend(cl_run& run, std::size_t bytes) {
    const cl_run before = run;
    const cl_status status = cl_extend(before, bytes, &run);
    if (empty(before)) expect(status == cl_bad_argument, "an empty run was extended");
    if (!empty(before) && bytes < before.bytes) expect(status == cl_out_of_range, "it got smaller");
    if (status != cl_ok) {
      expect(same(run, before), "a refusal wrote a result");
      return;
    }
    expect(run.ptr == before.ptr && run.bytes == bytes, "an extension is another run");
    paint(run);
  }

  static void shrink(cl_run& run, std::size_t bytes) {
    const cl_run before = run;
    const cl_status status = cl_shrink(before, bytes, &run);
    expect((status == cl_ok) == (bytes <= before.bytes), "a shrink was judged wrongly");
    expect(status == cl_ok ? run.bytes == bytes : same(run, before), "a shrink is another run");
  }

  static void look(const cl_run& run) {
    cl_statistics now{};
    now.size = sizeof now;
    expect(cl_get_statistics(&now) == cl_ok, "no statistics");
    expect(now.live == cl_live_bytes() && now.live >= run.bytes, "live is wrong");
    if (!empty(run)) expect(cl_contains(run.ptr) == 1, "a run is nowhere");
  }

  std::array<cl_run, 12> runs_{};
};

}  // namespace
}  // namespace cleave::test

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace cleave::test;
  run_session<session>(data, bytes);
  return 0;
}
