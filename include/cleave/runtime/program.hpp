// program.hpp -- all that the C++ of a compiled program includes.
//
//   #include <cleave/runtime/program.hpp>
#pragma once

#include <cleave/runtime/array.hpp>
#include <cleave/runtime/cell.hpp>
#include <cleave/runtime/fork.hpp>
#include <cleave/runtime/function.hpp>
#include <cleave/runtime/generated.hpp>
#include <cleave/runtime/input_output.hpp>
#include <cleave/runtime/number.hpp>
#include <cleave/runtime/real.hpp>
#include <cleave/runtime/shared.hpp>
#include <cleave/runtime/show.hpp>
#include <cleave/runtime/start.hpp>
#include <cleave/runtime/stop.hpp>
#include <cleave/runtime/string.hpp>
#include <cleave/runtime/value.hpp>
