// growth.hpp -- structs of the C interface that begin with their size and grow at their end.
//
// The library copies the part that both sides know between the caller's struct and its own:
//   O1  No byte at or beyond the caller's `size` is read or written.
//   O2  Fields beyond this library's struct must be 0 where they ask for something: an option
//       is obeyed or refused, never dropped. Where they are filled, they become 0.
//
//   if (asks_for_more(*options)) return cl_bad_argument;
//   hand_out(known, out);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cleave::capi {

// Whether fields that this library does not know are not 0.
template <class Struct>
bool asks_for_more(const Struct& given) noexcept {
  const char* const bytes = reinterpret_cast<const char*>(&given);
  return std::any_of(bytes + sizeof(Struct), bytes + std::max(given.size, sizeof(Struct)),
                     [](char byte) { return byte != 0; });
}

// Fills out->size bytes.
template <class Struct>
void hand_out(Struct known, Struct* out) noexcept {
  const std::size_t size = out->size;
  known.size = size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &known, std::min(size, sizeof(known)));
}

}  // namespace cleave::capi
