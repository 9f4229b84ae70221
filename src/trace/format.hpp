// format.hpp -- the bytes of a recording: checksums, numbers, blocks, events.
//
// What the recorder in the heap and the reader agree on; docs/design/trace.md describes it for
// others. Nothing here allocates or throws.
//
//   event_encoder events;
//   events.begin(room, sizeof room);
//   while (events.add(e)) ...                     // false: full; e is not in
//   const auto block = events.end(thread);        // header, checksum and payload: to be written
#pragma once

#include <cleave/trace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace cleave::trace::format {

inline constexpr char magic[9] = "CLEAVETR";
inline constexpr std::size_t fixed_header_bytes = 60;
inline constexpr std::size_t block_header_bytes = 16;
inline constexpr std::size_t checksum_bytes = 4;

enum class block_kind : std::uint8_t { events = 1, places = 2, modules = 3, end = 4 };

// In the first byte of an event, above the kind.
inline constexpr unsigned kind_mask = 0x0F;
inline constexpr unsigned same_size = 0x10;
inline constexpr unsigned same_place = 0x20;
inline constexpr unsigned has_other = 0x40;
inline constexpr unsigned absolute = 0x80;

inline constexpr std::size_t most_number_bytes = 10;
inline constexpr std::size_t most_event_bytes = 1 + 5 * most_number_bytes;

// CRC-32 as in zlib, eight bytes at a time: table k is for a byte that k others follow.
inline constexpr auto checksum_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320U : 0);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xFF];
    }
  }
  return t;
}();

inline std::uint32_t checksum(const std::byte* p, std::size_t n,
                              std::uint32_t before = 0) noexcept {
  const auto& t = checksum_tables;
  const auto at = [&p](std::size_t i) { return std::to_integer<std::uint32_t>(p[i]); };
  std::uint32_t c = ~before;
  for (; n >= 8; p += 8, n -= 8) {
    c ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    c = t[7][c & 0xFF] ^ t[6][c >> 8 & 0xFF] ^ t[5][c >> 16 & 0xFF] ^ t[4][c >> 24] ^ t[3][at(4)] ^
        t[2][at(5)] ^ t[1][at(6)] ^ t[0][at(7)];
  }
  for (; n > 0; ++p, --n) c = (c >> 8) ^ t[0][(c ^ at(0)) & 0xFF];
  return ~c;
}

inline void put_fixed(std::byte* to, std::uint64_t value, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; ++i, value >>= 8) to[i] = static_cast<std::byte>(value);
}
inline std::uint64_t get_fixed(const std::byte* from, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

// Seven bits a byte, the low ones first; the highest bit says that more follow.
inline std::byte* put_number(std::byte* to, std::uint64_t value) noexcept {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}
// Differences may be negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
constexpr std::uint64_t fold(std::uint64_t difference) noexcept {
  return difference << 1 ^ (std::uint64_t{0} - (difference >> 63));
}
constexpr std::uint64_t unfold(std::uint64_t folded) noexcept {
  return folded >> 1 ^ (std::uint64_t{0} - (folded & 1));
}

// Writes the header of a block whose payload stands behind it; returns all of its bytes.
inline std::span<std::byte> seal(std::byte* block, block_kind kind, std::uint32_t thread,
                                 std::size_t payload) noexcept {
  put_fixed(block, static_cast<std::uint64_t>(kind), 4);
  put_fixed(block + 4, payload, 4);
  put_fixed(block + 8, thread, 4);
  const std::uint32_t sum = checksum(block, 12);
  put_fixed(block + 12, checksum(block + block_header_bytes, payload, sum), 4);
  return {block, block_header_bytes + payload};
}

struct header {
  std::uint64_t base = 0;
  std::uint64_t reserved = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t started = 0;
  std::uint32_t process = 0;
};

constexpr std::size_t header_bytes(std::size_t program_bytes) noexcept {
  return fixed_header_bytes + program_bytes + checksum_bytes;
}

// Requires: room for header_bytes(program_bytes).
inline std::span<std::byte> put_header(std::byte* to, const header& h, const char* program,
                                       std::size_t program_bytes) noexcept {
  std::memcpy(to, magic, 8);
  put_fixed(to + 8, version, 4);
  put_fixed(to + 12, header_bytes(program_bytes), 4);
  put_fixed(to + 16, h.base, 8);
  put_fixed(to + 24, h.reserved, 8);
  put_fixed(to + 32, h.page_bytes, 8);
  put_fixed(to + 40, h.started, 8);
  put_fixed(to + 48, h.process, 4);
  // The clock of the events: nanoseconds that never go back, from 0 when the recording began.
  put_fixed(to + 52, 1, 4);
  put_fixed(to + 56, program_bytes, 4);
  std::memcpy(to + fixed_header_bytes, program, program_bytes);
  const std::size_t n = fixed_header_bytes + program_bytes;
  put_fixed(to + n, checksum(to, n), checksum_bytes);
  return {to, n + checksum_bytes};
}

// The events of one thread, as one block in memory of the caller.
class event_encoder {
 public:
  // Requires: room for a block's header and an event at least.
  void begin(std::byte* room, std::size_t bytes) noexcept {
    room_ = room;
    at_ = room + block_header_bytes;
    full_at_ = room + bytes - most_event_bytes;
    last_ = {};
  }

  // Whether one more event is sure to fit.
  [[nodiscard]] bool has_room() const noexcept { return at_ <= full_at_; }
  [[nodiscard]] bool empty() const noexcept { return at_ == room_ + block_header_bytes; }

  // e.thread is not looked at. False, and nothing has changed, if it might not fit.
  bool add(const event& e) noexcept {
    if (!has_room()) return false;
    const auto kind = static_cast<std::size_t>(e.kind) & kind_mask;
    const bool is_plain = e.kind == event_kind::purge || e.kind == event_kind::collection;
    auto tag = static_cast<unsigned>(kind);
    if (e.size == last_.size[kind]) tag |= same_size;
    if (e.place == last_.place[kind]) tag |= same_place;
    if (e.other != 0) tag |= has_other;
    if (is_plain) tag |= absolute;
    std::byte* p = at_;
    *p++ = static_cast<std::byte>(tag);
    p = put_number(p, e.time - last_.time);
    p = put_number(p, is_plain ? e.address : fold(e.address - last_.address));
    if ((tag & same_size) == 0) p = put_number(p, e.size);
    if ((tag & has_other) != 0) p = put_number(p, e.other);
    if ((tag & same_place) == 0) p = put_number(p, e.place);
    at_ = p;
    last_.time = e.time;
    if (!is_plain) last_.address = e.address;
    last_.size[kind] = e.size;
    last_.place[kind] = e.place;
    return true;
  }

  // The whole block; begin() comes next.
  std::span<std::byte> end(std::uint32_t thread) noexcept {
    const auto payload = static_cast<std::size_t>(at_ - room_) - block_header_bytes;
    return seal(room_, block_kind::events, thread, payload);
  }

 private:
  struct before {
    std::uint64_t time = 0;
    std::uint64_t address = 0;
    std::array<std::uint64_t, kind_mask + 1> size{};
    std::array<std::uint32_t, kind_mask + 1> place{};
  };
  std::byte* room_ = nullptr;
  std::byte* at_ = nullptr;
  std::byte* full_at_ = nullptr;
  before last_;
};

// One entry of a block of places or modules; returns the end. A place needs room for 11 bytes
// for each address and 10 more, a module for 40 and its path.
template <class Address>
std::byte* put_place(std::byte* to, const Address* addresses, std::size_t n) noexcept {
  to = put_number(to, n);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to = put_number(to, fold(addresses[i] - last));
    last = addresses[i];
  }
  return to;
}
inline std::byte* put_module(std::byte* to, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t offset, const char* path, std::size_t bytes) noexcept {
  to = put_number(to, begin);
  to = put_number(to, end - begin);
  to = put_number(to, offset);
  to = put_number(to, bytes);
  std::memcpy(to, path, bytes);
  return to + bytes;
}
// The payload of the last block.
inline std::byte* put_end(std::byte* to, std::uint64_t lost) noexcept {
  return put_number(to, lost);
}

}  // namespace cleave::trace::format
