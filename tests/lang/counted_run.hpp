// counted_run.hpp -- runs a program of core whose owners are counted.
//
//   EXPECT_EQ(run_counted(all), "7n");
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "lang/core_machine.hpp"

namespace cleave::lang {

// What main gives; the program must be sound and leave nothing. `rebuilt` gets how many cells
// were made in the memory of others.
inline std::string run_counted(core::program& all, std::size_t* rebuilt = nullptr) {
  EXPECT_EQ(core::check(all, true), "");
  core_machine machine(all, counting::on);
  const std::string text = machine.run();
  EXPECT_EQ(machine.live(), 0U);
  if (rebuilt != nullptr) *rebuilt = machine.rebuilt();
  return text;
}

}  // namespace cleave::lang
