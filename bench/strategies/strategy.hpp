// strategy.hpp -- what a way of cutting arrays must offer to be measured.
//
// Every workload is one template body over this concept, so all strategies run
// the same code and differ in nothing but these calls. Elements are words of 32
// bits. A handle is passed by value, and moved from when it is given away.
//
//   auto left = S::make(8);                  // not initialised
//   auto right = S::halve(left);             // left [0, 4), right [4, 8)
//   auto whole = S::join(std::move(left), std::move(right));
//   S::free(std::move(whole));
//
// Requires of a workload: every array is freed or joined exactly once. Sizes
// are powers of two, since one strategy knows no others.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace cleave::bench {

using word = std::uint32_t;

template <class S>
concept strategy = requires(typename S::array a, std::size_t n) {
  { S::name() } -> std::same_as<std::string>;
  // Gets ready, once or again; says what is missing, or nothing. Called before
  // the first make(), outside the measured time.
  { S::prepare() } -> std::same_as<std::string>;
  { S::make(n) } -> std::same_as<typename S::array>;
  // Keeps the first half and returns the second one.
  { S::halve(a) } -> std::same_as<typename S::array>;
  { S::join(std::move(a), std::move(a)) } -> std::same_as<typename S::array>;
  { S::free(std::move(a)) } -> std::same_as<void>;
  { S::data(a) } -> std::same_as<word*>;
  { S::size(a) } -> std::same_as<std::size_t>;
  // Returns free memory to the system.
  { S::purge() } -> std::same_as<void>;
};

}  // namespace cleave::bench
