// reader.cpp -- from the bytes of a file to a recording, and back.
#include <algorithm>
#include <utility>

#include "os/stream.hpp"
#include "trace/format.hpp"

namespace cleave::trace {
namespace {

using format::block_kind;

// Takes numbers out of a payload. After a number that is not there or too large for its
// purpose, ok() is false and all else is 0.
class numbers {
 public:
  explicit numbers(std::span<const std::byte> payload) noexcept
      : at_(payload.data()), end_(at_ + payload.size()) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool more() const noexcept { return ok_ && at_ != end_; }
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  std::uint64_t next() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 70; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(*at_++);
      // The tenth byte has one bit of 64.
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  unsigned byte() noexcept { return more() ? std::to_integer<unsigned>(*at_++) : (fail(), 0U); }
  std::string text(std::uint64_t bytes) {
    if (bytes > left()) {
      fail();
      return {};
    }
    const std::string read(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(bytes));
    at_ += bytes;
    return read;
  }
  void fail() noexcept {
    ok_ = false;
    at_ = end_;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

// The following give false if the payload is not what it should be.

bool read_events(numbers in, std::uint32_t thread, std::vector<event>& to) {
  event last;
  last.thread = thread;
  std::uint64_t address = 0;
  std::uint64_t sizes[format::kind_mask + 1] = {};
  std::uint32_t places[format::kind_mask + 1] = {};
  while (in.more()) {
    const unsigned tag = in.byte();
    const unsigned kind = tag & format::kind_mask;
    if (kind >= event_kinds) return false;
    last.kind = static_cast<event_kind>(kind);
    last.time += in.next();
    const std::uint64_t where = in.next();
    last.address = (tag & format::absolute) != 0 ? where : (address += format::unfold(where));
    if ((tag & format::same_size) == 0) sizes[kind] = in.next();
    last.size = sizes[kind];
    last.other = (tag & format::has_other) != 0 ? in.next() : 0;
    if ((tag & format::same_place) == 0) {
      const std::uint64_t number = in.next();
      if (number > UINT32_MAX) return false;
      places[kind] = static_cast<std::uint32_t>(number);
    }
    last.place = places[kind];
    if (!in.ok()) return false;
    to.push_back(last);
  }
  return in.ok();
}

bool read_places(numbers in, std::vector<place>& to) {
  while (in.more()) {
    const std::uint64_t n = in.next();
    // Each address takes a byte at least.
    if (n > in.left()) return false;
    place one;
    one.addresses.reserve(static_cast<std::size_t>(n));
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      one.addresses.push_back(last += format::unfold(in.next()));
    }
    if (!in.ok()) return false;
    to.push_back(std::move(one));
  }
  return in.ok();
}

bool read_modules(numbers in, std::vector<module>& to) {
  while (in.more()) {
    trace::module one;
    one.begin = in.next();
    one.end = one.begin + in.next();
    one.offset = in.next();
    one.path = in.text(in.next());
    if (!in.ok() || one.end < one.begin) return false;
    to.push_back(std::move(one));
  }
  return in.ok();
}

class reader {
 public:
  explicit reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  // An empty string, or why this is no recording.
  std::string header() {
    if (bytes_.size() < 8 || std::memcmp(bytes_.data(), format::magic, 8) != 0) {
      return "byte 0: this is no recording of CLEAVE_TRACE";
    }
    if (bytes_.size() < 16) return torn_header();
    const std::uint64_t said = format::get_fixed(bytes_.data() + 8, 4);
    if (said != version) {
      return "byte 8: a recording of version " + std::to_string(said) + "; this reads version " +
             std::to_string(version);
    }
    const auto bytes = static_cast<std::size_t>(format::get_fixed(bytes_.data() + 12, 4));
    if (bytes < format::header_bytes(0)) return "byte 12: a header of wrong length";
    if (bytes_.size() < bytes) return torn_header();
    const std::byte* const p = bytes_.data();
    const std::size_t sum_at = bytes - format::checksum_bytes;
    if (format::get_fixed(p + sum_at, 4) != format::checksum(p, sum_at)) {
      return "byte " + std::to_string(sum_at) + ": the checksum of the header is wrong";
    }
    const auto named = static_cast<std::size_t>(format::get_fixed(p + 56, 4));
    if (named != bytes - format::header_bytes(0)) return "byte 56: a path of wrong length";
    all_.base = format::get_fixed(p + 16, 8);
    all_.reserved = format::get_fixed(p + 24, 8);
    all_.page_bytes = format::get_fixed(p + 32, 8);
    all_.started = format::get_fixed(p + 40, 8);
    all_.process = static_cast<std::uint32_t>(format::get_fixed(p + 48, 4));
    all_.program.assign(reinterpret_cast<const char*>(p) + format::fixed_header_bytes, named);
    at_ = bytes;
    return {};
  }

  recording blocks() {
    while (!all_.complete && all_.ending.empty()) {
      if (at_ == bytes_.size()) {
        stop("the file ends without an end of the recording");
      } else {
        block();
      }
    }
    finish();
    return std::move(all_);
  }

 private:
  std::string torn_header() const {
    return "byte " + std::to_string(bytes_.size()) + ": the file ends inside its header";
  }

  void stop(const char* why) { all_.ending = "byte " + std::to_string(at_) + ": " + why; }

  void block() {
    const std::byte* const p = bytes_.data() + at_;
    const std::size_t left = bytes_.size() - at_;
    if (left < format::block_header_bytes) return stop("the file ends inside a block");
    const auto payload = static_cast<std::size_t>(format::get_fixed(p + 4, 4));
    if (payload > left - format::block_header_bytes) return stop("the file ends inside a block");
    const std::uint32_t sum = format::checksum(p, 12);
    if (format::get_fixed(p + 12, 4) !=
        format::checksum(p + format::block_header_bytes, payload, sum)) {
      return stop("the checksum of a block is wrong");
    }
    const std::size_t events = all_.events.size();
    const std::size_t places = all_.places.size();
    const std::size_t modules = all_.modules.size();
    if (!take(static_cast<block_kind>(p[0]),
              static_cast<std::uint32_t>(format::get_fixed(p + 8, 4)),
              numbers({p + format::block_header_bytes, payload}))) {
      // A block counts as a whole or not at all.
      all_.events.resize(events);
      all_.places.resize(places);
      all_.modules.resize(modules);
      return stop("a block has a content that is not of its kind");
    }
    at_ += format::block_header_bytes + payload;
  }

  bool take(block_kind kind, std::uint32_t thread, numbers payload) {
    switch (kind) {
      case block_kind::events: return read_events(payload, thread, all_.events);
      case block_kind::places: return read_places(payload, all_.places);
      case block_kind::modules: return read_modules(payload, all_.modules);
      case block_kind::end:
        all_.lost = payload.next();
        all_.complete = payload.ok() && payload.left() == 0;
        return all_.complete;
    }
    // Of a kind that came later and does without a new version.
    return true;
  }

  void finish() {
    for (event& e : all_.events) {
      if (e.place >= all_.places.size()) e.place = 0;
    }
    const auto earlier = [](const event& a, const event& b) {
      if (a.time != b.time) return a.time < b.time;
      const bool frees = a.kind == event_kind::free;
      if (frees != (b.kind == event_kind::free)) return frees;
      return a.thread < b.thread;
    };
    if (!std::is_sorted(all_.events.begin(), all_.events.end(), earlier)) {
      std::sort(all_.events.begin(), all_.events.end(), earlier);
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  recording all_;
};

// Collects blocks of a file that is made.
class maker {
 public:
  void add(std::span<const std::byte> bytes) {
    made.insert(made.end(), bytes.begin(), bytes.end());
  }
  // A block whose payload may take up to `most` bytes; put(to) writes it and returns its end.
  template <class Put>
  void add_block(block_kind kind, std::size_t most, Put put) {
    room_.resize(format::block_header_bytes + most);
    std::byte* const payload = room_.data() + format::block_header_bytes;
    const std::byte* const end = put(payload);
    add(format::seal(room_.data(), kind, 0, static_cast<std::size_t>(end - payload)));
  }
  void add_events(std::span<const event> events, std::uint32_t thread) {
    format::event_encoder encoder;
    room_.resize(std::size_t{1} << 16);
    encoder.begin(room_.data(), room_.size());
    for (const event& e : events) {
      if (e.thread != thread) continue;
      if (!encoder.has_room()) {
        add(encoder.end(thread));
        encoder.begin(room_.data(), room_.size());
      }
      encoder.add(e);
    }
    if (!encoder.empty()) add(encoder.end(thread));
  }

  std::vector<std::byte> made;

 private:
  std::vector<std::byte> room_;
};

std::string in_file(const std::filesystem::path& file, const std::string& why) {
  return "'" + file.string() + "': " + why;
}

}  // namespace

const char* to_text(event_kind kind) noexcept {
  switch (kind) {
    case event_kind::allocate: return "allocate";
    case event_kind::free: return "free";
    case event_kind::cut: return "cut";
    case event_kind::join: return "join";
    case event_kind::copy: return "copy";
    case event_kind::extend: return "extend";
    case event_kind::purge: return "purge";
    case event_kind::collection: return "collection";
    case event_kind::forget: return "forget";
  }
  return "unknown";
}

std::optional<recording> try_read(std::span<const std::byte> bytes, std::string& why) {
  reader one(bytes);
  why = one.header();
  if (!why.empty()) return std::nullopt;
  return one.blocks();
}

recording read(const std::filesystem::path& file) {
  os::file in;
  if (const int error = in.open_to_read(file.c_str()); error != 0) {
    throw unreadable(in_file(file, os::reason(error)));
  }
  std::vector<std::byte> bytes(in.size() + 1);
  std::size_t used = 0;
  // The size is a hint: a pipe has none, and a file may grow meanwhile.
  for (std::size_t got = 1; got != 0; used += got) {
    // Some files have no end.
    if (used >= 8 && std::memcmp(bytes.data(), format::magic, 8) != 0) break;
    if (used == bytes.size()) bytes.resize(used + std::max<std::size_t>(used / 2, 1 << 16));
    if (const int error =
            in.read(reinterpret_cast<char*>(bytes.data()) + used, bytes.size() - used, got);
        error != 0) {
      throw unreadable(in_file(file, "byte " + std::to_string(used) + ": " + os::reason(error)));
    }
  }
  std::string why;
  std::optional<recording> all = try_read({bytes.data(), used}, why);
  if (!all) throw unreadable(in_file(file, why));
  return *std::move(all);
}

std::vector<std::byte> encode(const recording& all) {
  maker file;
  std::vector<std::byte> start(format::header_bytes(all.program.size()));
  file.add(format::put_header(start.data(),
                              {all.base, all.reserved, all.page_bytes, all.started, all.process},
                              all.program.data(), all.program.size()));
  for (const module& m : all.modules) {
    file.add_block(block_kind::modules, 40 + m.path.size(), [&m](std::byte* to) {
      return format::put_module(to, m.begin, m.end, m.offset, m.path.data(), m.path.size());
    });
  }
  // The first is the one that is not known.
  for (std::size_t i = 1; i < all.places.size(); ++i) {
    const std::vector<std::uint64_t>& addresses = all.places[i].addresses;
    file.add_block(block_kind::places, 10 + 10 * addresses.size(), [&](std::byte* to) {
      return format::put_place(to, addresses.data(), addresses.size());
    });
  }
  std::vector<std::uint32_t> threads;
  for (const event& e : all.events) {
    if (threads.empty() || threads.back() != e.thread) threads.push_back(e.thread);
  }
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  for (const std::uint32_t thread : threads) file.add_events(all.events, thread);
  if (all.complete) {
    file.add_block(block_kind::end, format::most_number_bytes,
                   [&](std::byte* to) { return format::put_end(to, all.lost); });
  }
  return std::move(file.made);
}

}  // namespace cleave::trace
