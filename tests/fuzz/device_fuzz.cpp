// device_fuzz.cpp -- libFuzzer chooses what host and device do with pieces that they share.
//
// One thread is the device, so that an input does the same each time.
#include <cstdint>
#include <stdexcept>

#include "device/session.hpp"
#include "fuzz/steps.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace cleave::test;
  try {
    device_session session(1);
    for_each_step(data, bytes,
                  [&session](const step& s) { session.take(s.what, s.which, s.number); });
    session.finish();
  } catch (const std::logic_error& wrong) {
    fail(wrong.what());
  }
  expect_nothing_live();
  return 0;
}
