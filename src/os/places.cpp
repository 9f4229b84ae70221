#include "os/places.hpp"

#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "os/stream.hpp"

namespace cleave::os {
namespace {

struct walk {
  frame* to;
  std::size_t most;
  std::size_t n;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
  auto* const w = static_cast<walk*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || w->n == w->most) return _URC_END_OF_STACK;
  // Below the frame of the caller, where a call on x86 puts its return address; elsewhere the
  // comparison fails.
  const std::uintptr_t kept_at = _Unwind_GetCFA(context) - sizeof(void*);
  std::uintptr_t found = 0;
#if defined(__x86_64__)
  std::memcpy(&found, reinterpret_cast<const void*>(kept_at), sizeof found);
#endif
  w->to[w->n++] = {address, found == address ? kept_at : 0};
  return _URC_NO_REASON;
}

// One line of output at a time, in a buffer of its own: the heap may be what the C library's
// streams allocate from.
class line {
 public:
  explicit line(int descriptor) noexcept : descriptor_(descriptor) {}
  template <typename... Values>
  void print(const char* format, Values... values) noexcept {
    const int n = std::snprintf(text_, sizeof text_, format, values...);
    const auto size = std::min(static_cast<std::size_t>(std::max(n, 0)), sizeof text_ - 1);
    static_cast<void>(write_all(descriptor_, text_, size));
  }

 private:
  int descriptor_;
  char text_[1200];
};

// The way through the library to its caller, as it is with and without debug information.
bool is_inside(std::string_view name) noexcept {
  for (const char* const prefix :
       {"cleave::heap::", "cleave::os::", "cleave::detail::free_elsewhere",
        "cleave::detail::allocate_elsewhere", "cleave::detail::try_allocate_elsewhere",
        "cleave::detail::raw_elements", "_ZN6cleave4heap", "_ZN6cleave2os",
        "_ZN6cleave6detail14free_elsewhere", "_ZN6cleave6detail18allocate_elsewhere",
        "_ZN6cleave6detail22try_allocate_elsewhere", "cl_free", "cl_allocate", "cl_extend",
        "cl_shrink"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// What calls main().
bool is_before_main(std::string_view name) noexcept {
  return name.starts_with("__libc_start") || name.starts_with("_start");
}

// The loader knows the program by what it was started as, which need not be its path.
const char* path_of(const Dl_info& module) noexcept {
  Dl_info program{};
  const auto* const of_program = reinterpret_cast<const void*>(::getauxval(AT_PHDR));
  const bool is_program =
      ::dladdr(of_program, &program) != 0 && program.dli_fbase == module.dli_fbase;
  const char* const path = is_program ? program_path() : "";
  return path[0] != '\0' ? path : module.dli_fname;
}

// The module that an address lies in, and the address as its file has it.
struct module_place {
  const char* file = nullptr;
  std::uintptr_t offset = 0;
  const char* symbol = nullptr;
};

module_place module_of(std::uintptr_t address) noexcept {
  Dl_info about{};
  // A return address may be the first one behind the function that calls.
  const std::uintptr_t call = address - 1;
  if (::dladdr(reinterpret_cast<void*>(call), &about) == 0 || about.dli_fname == nullptr) return {};
  const auto base = reinterpret_cast<std::uintptr_t>(about.dli_fbase);
  // An executable that is not position independent has its addresses in the file.
  const bool fixed = base == 0x400000;
  return {path_of(about), fixed ? call : call - base, about.dli_sname};
}

// Names and lines of calls in one module, as `addr2line` prints them.
class answers {
 public:
  answers(const char* file, const std::uintptr_t* offsets, std::size_t n) noexcept {
    static constexpr std::size_t most = 24;
    n = std::min(n, most);
    char numbers[most][20];
    const char* words[most + 6] = {"addr2line", "-apCfie", file};
    std::size_t count = 3;
    for (std::size_t i = 0; i < n; ++i) {
      std::snprintf(numbers[i], sizeof numbers[i], "0x%zx", static_cast<std::size_t>(offsets[i]));
      words[count++] = numbers[i];
    }
    words[count] = nullptr;
    int ends[2];
    if (::pipe(ends) != 0) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1 /* O_WRONLY */, 0);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = 0;
    // No fork(): its handlers would wait for locks that this thread may hold.
    const bool started = ::posix_spawnp(&child, words[0], &actions, nullptr,
                                        const_cast<char**>(words), environ) == 0;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    while (started && size_ < sizeof text_ - 1) {
      const ssize_t got = ::read(ends[0], text_ + size_, sizeof text_ - 1 - size_);
      if (got <= 0) break;
      size_ += static_cast<std::size_t>(got);
    }
    ::close(ends[0]);
    if (started) ::waitpid(child, nullptr, 0);
    text_[size_] = '\0';
    at_ = text_;
  }

  // The lines for the next address, cut into one string after the other; nullptr after the
  // last. Each address begins with a line "0xNUMBER: ".
  const char* first() noexcept {
    if (at_ == nullptr || std::strncmp(at_, "0x", 2) != 0) return nullptr;
    const char* const colon = std::strchr(at_, ':');
    if (colon == nullptr || colon[1] == '\0') return nullptr;
    at_ = const_cast<char*>(colon) + 2;
    return take();
  }
  const char* more() noexcept {
    static constexpr char inlined[] = " (inlined by) ";
    if (at_ == nullptr || std::strncmp(at_, inlined, sizeof inlined - 1) != 0) return nullptr;
    at_ += sizeof inlined - 1;
    return take();
  }

 private:
  const char* take() noexcept {
    const char* const begin = at_;
    char* const end = std::strchr(at_, '\n');
    if (end != nullptr) *end = '\0';
    at_ = end == nullptr ? nullptr : end + 1;
    return begin;
  }

  char text_[16384];
  std::size_t size_ = 0;
  char* at_ = nullptr;
};

class printer {
 public:
  explicit printer(int descriptor) noexcept : out_(descriptor) {}

  void name(const char* text) noexcept {
    if (wants(text)) out_.print("      %s\n", text);
  }
  void module(const module_place& in, std::uintptr_t address) noexcept {
    if (!wants(in.symbol == nullptr ? "" : in.symbol)) return;
    const auto offset = static_cast<std::size_t>(in.offset);
    if (in.symbol != nullptr) {
      out_.print("      %s (%s+0x%zx)\n", in.symbol, in.file, offset);
    } else if (in.file != nullptr) {
      out_.print("      %s+0x%zx\n", in.file, offset);
    } else {
      out_.print("      0x%zx\n", static_cast<std::size_t>(address));
    }
  }
  [[nodiscard]] bool begun() const noexcept { return begun_; }

 private:
  bool wants(const char* text) noexcept {
    ended_ = ended_ || is_before_main(text);
    if (ended_ || (!begun_ && is_inside(text))) return false;
    begun_ = true;
    return true;
  }

  line out_;
  bool begun_ = false;
  bool ended_ = false;
};

constinit int status_at_exit = -1;

struct code_visit {
  std::uint64_t* seen;
  void (*take)(const code& one, void* argument);
  void* argument;
  bool looked = false;
};

int visit_code(dl_phdr_info* module, std::size_t size, void* argument) {
  auto& visit = *static_cast<code_visit*>(argument);
  // The count of what was ever loaded; systems without it are looked at once.
  std::uint64_t loaded = 1;
  if (size >= offsetof(dl_phdr_info, dlpi_adds) + sizeof(module->dlpi_adds)) {
    loaded = module->dlpi_adds;
  }
  if (!visit.looked && loaded == *visit.seen) return 1;
  visit.looked = true;
  *visit.seen = loaded;
  const bool is_program = module->dlpi_name == nullptr || module->dlpi_name[0] == '\0';
  for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + part.p_vaddr;
    visit.take({begin, begin + part.p_memsz, part.p_vaddr,
                is_program ? program_path() : module->dlpi_name},
               visit.argument);
  }
  return 0;
}

}  // namespace

[[gnu::noinline]] std::size_t callers(frame* to, std::size_t most) noexcept {
  walk w{to, most, 0};
  _Unwind_Backtrace(step, &w);
  return w.n;
}

void print_places(int descriptor, const std::uintptr_t* addresses, std::size_t n) noexcept {
  static constexpr std::size_t most = 24;
  n = std::min(n, most);
  printer out(descriptor);
  module_place places[most];
  for (std::size_t i = 0; i < n; ++i) places[i] = module_of(addresses[i]);
  for (std::size_t i = 0; i < n;) {
    // Neighbours in one file are asked for together.
    std::uintptr_t offsets[most];
    std::size_t together = 0;
    while (i + together < n && places[i + together].file != nullptr &&
           places[i + together].file == places[i].file) {
      offsets[together] = places[i + together].offset;
      ++together;
    }
    if (together == 0) {
      out.module({}, addresses[i++]);
      continue;
    }
    answers said(places[i].file, offsets, together);
    for (const std::size_t end = i + together; i < end; ++i) {
      const char* text = said.first();
      const bool known = text != nullptr && std::strstr(text, "??") == nullptr;
      if (!known) out.module(places[i], addresses[i]);
      for (; text != nullptr; text = said.more()) {
        if (known) out.name(text);
      }
    }
  }
  if (!out.begun()) line(descriptor).print("      %s\n", "(not known)");
}

void new_code(std::uint64_t& seen, void (*take)(const code& one, void* argument),
              void* argument) noexcept {
  code_visit visit{&seen, take, argument};
  ::dl_iterate_phdr(visit_code, &visit);
}

const char* file_of(std::uintptr_t address) noexcept {
  Dl_info about{};
  const bool known = ::dladdr(reinterpret_cast<void*>(address), &about) != 0;
  return known && about.dli_fname != nullptr ? path_of(about) : nullptr;
}

const char* program_path() noexcept {
  static char path[4096];
  // Two threads would write the same.
  static const bool known = [] {
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path - 1);
    path[n < 0 ? 0 : n] = '\0';
    return true;
  }();
  return known ? path : "";
}

const char* variable(const char* name) noexcept {
  return std::getenv(name);
}

const char* trusted_variable(const char* name) noexcept {
#if defined(__GLIBC__)
  return ::secure_getenv(name);
#else
  return ::getuid() == ::geteuid() && ::getgid() == ::getegid() ? std::getenv(name) : nullptr;
#endif
}

void watch_exit() noexcept {
#if defined(__GLIBC__)
  ::on_exit([](int status, void*) { status_at_exit = status; }, nullptr);
#endif
}

int exit_status() noexcept {
  return status_at_exit;
}

}  // namespace cleave::os
