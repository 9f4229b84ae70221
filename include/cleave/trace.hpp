// trace.hpp -- reads what a program recorded of its heap with CLEAVE_TRACE=FILE.
//
// A recording is a list of events by time: what was handed out, given back, grown, and, from
// programs compiled with CLEAVE_TRACE_PIECES, cut and joined. Each has the thread and the place,
// a stack of return addresses. The file is a row of blocks with checksums (docs/design/trace.md),
// so what a killed program or a full disk left behind is read as far as it goes.
//
//   const trace::recording seen = trace::read("program.trace");
//   trace::names names(seen);
//   for (const trace::event& e : seen.events) {
//     std::printf("%s %zu %s\n", trace::to_text(e.kind), e.size, names.of(e.place).c_str());
//   }
//
// The reader starts no heap and believes nothing that a file says: a wrong one is an error or
// ends early, and the memory taken is under 32 times the size of the file.
#pragma once

#include <cleave/detail/api.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace cleave::trace {

// Of the format. A reader refuses any other.
inline constexpr std::uint32_t version = 1;

enum class event_kind : std::uint8_t {
  allocate,    // [address, address + size) was handed out
  free,        // [address, address + size) was given back: any piece
  cut,         // [address, address + size) became [address, address + other) and the rest
  join,        // two neighbours became [address, address + size); the left one had `other` bytes
  copy,        // a join of what were no neighbours: `other` bytes went to [address, address + size)
  extend,      // [address, address + other) grew in place to `size` bytes
  purge,       // free memory went back to the system, `size` bytes; address 0
  collection,  // `size` bytes live after it, `other` reclaimed; address 0: young, 1: all
  forget,      // the collector let go of the large array [address, address + size)
};
inline constexpr std::size_t event_kinds = 9;

// "allocate", "free", ...
[[nodiscard]] CLEAVE_API const char* to_text(event_kind kind) noexcept;

struct event {
  std::uint64_t time = 0;  // nanoseconds since the recording began
  std::uint64_t address = 0;
  std::uint64_t size = 0;    // bytes
  std::uint64_t other = 0;   // see event_kind
  std::uint32_t place = 0;   // index into recording::places; 0: not known
  std::uint32_t thread = 0;  // 1, 2, ... in the order in which threads were first seen
  event_kind kind = event_kind::allocate;

  friend bool operator==(const event&, const event&) = default;
};

struct place {
  std::vector<std::uint64_t> addresses;  // return addresses, innermost first

  friend bool operator==(const place&, const place&) = default;
};

// Code that was in memory at [begin, end). `offset` is the address that the file itself has
// for `begin`; so for an address of a process, the file's own is address - begin + offset.
struct module {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::string path;

  friend bool operator==(const module&, const module&) = default;
};

struct recording {
  std::uint64_t base = 0;  // the heap's reservation: address and bytes
  std::uint64_t reserved = 0;
  std::uint64_t page_bytes = 4096;
  std::uint64_t lost = 0;     // events that were not recorded; 0 as a rule
  std::uint64_t started = 0;  // nanoseconds since 1970
  std::uint32_t process = 0;
  std::string program;                                // path of the executable
  std::vector<event> events;                          // by time; at one time, frees first
  std::vector<place> places = std::vector<place>(1);  // [0] is the one that is not known
  std::vector<module> modules;
  // Whether the program ended its recording. If not, the events are those before the first
  // block that is torn or damaged, and `ending` says where and why.
  bool complete = false;
  std::string ending;
};

// What is no recording, or one of another version. what() says the file, the byte and why.
class CLEAVE_API unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A million events take a tenth of a second or two. Throws unreadable, and std::bad_alloc.
[[nodiscard]] CLEAVE_API recording read(const std::filesystem::path& file);

// The same for bytes in memory. Error: nothing, and `why` says it. Throws std::bad_alloc.
[[nodiscard]] CLEAVE_API std::optional<recording> try_read(std::span<const std::byte> bytes,
                                                           std::string& why);

// A file that read() makes the same recording of, if no two events have one time. For tests,
// and for tools that leave events out. Throws std::bad_alloc.
[[nodiscard]] CLEAVE_API std::vector<std::byte> encode(const recording& all);

// Places in words, through `addr2line` where it is installed, else file and offset. What was
// asked for once is kept. The recording must outlive it.
class names {
 public:
  CLEAVE_API explicit names(const recording& of);

  // The innermost call that is none of the library's: "parse at reader.cpp:120".
  CLEAVE_API const std::string& of(std::uint32_t place);
  // All calls from there to main(), inlined ones too.
  CLEAVE_API std::vector<std::string> frames(std::uint32_t place);
  // Looks these up at once, which takes one process for each module instead of one for each
  // place and module.
  CLEAVE_API void prepare(std::span<const std::uint32_t> places);

 private:
  const recording* of_;
  // The calls at each return address, innermost first: with inlining there may be several.
  std::unordered_map<std::uint64_t, std::vector<std::string>> calls_;
  std::unordered_map<std::uint32_t, std::string> words_;
};

}  // namespace cleave::trace
