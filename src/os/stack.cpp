#include "os/stack.hpp"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is not in <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/bits.hpp"
#include "os/memory.hpp"

namespace cleave::os {
namespace {

// What lies below a stack: a frame that is larger jumps over it, so programs are compiled to
// touch the pages of large frames in order.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;
// Signals are handled on a stack of this size.
constexpr std::size_t handler_bytes = 65536;

using handler_function = void (*)();
constinit handler_function overflow_handler = nullptr;

// The end of a stack, towards which it grows, may be told with the pages below it that are
// not accessible, or without.
constexpr std::size_t end_bytes = 65536;

struct watched {
  std::uintptr_t end = 0;
  void* handler_stack = nullptr;
  stack_t before = {};  // who watched before
};
thread_local constinit watched this_stack;

void end_as_usual(int signal) noexcept {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  // Returning repeats the access, which now ends the process.
}

void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t end = this_stack.end;
  if (end == 0 || at >= end + end_bytes || at + guard_bytes < end) return end_as_usual(signal);
  overflow_handler();
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  return base::align_down(bytes, page_bytes());
}

struct start_of_thread {
  void (*function)(void*);
  void* argument;
};

void* thread_main(void* argument) {
  const auto* const start = static_cast<start_of_thread*>(argument);
  watch_stack();
  start->function(start->argument);
  unwatch_stack();
  return nullptr;
}

// Runs a thread on [stack, stack + bytes) and waits for its end.
bool run_thread(void* stack, std::size_t bytes, start_of_thread& start) noexcept {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread{};
  const bool started = ::pthread_attr_setstack(&attributes, stack, bytes) == 0 &&
                       ::pthread_create(&thread, &attributes, thread_main, &start) == 0;
  ::pthread_attr_destroy(&attributes);
  if (started) ::pthread_join(thread, nullptr);
  return started;
}

}  // namespace

bool run_on_stack(std::size_t most, std::size_t least, void (*function)(void*),
                  void* argument) noexcept {
  start_of_thread start{function, argument};
  for (std::size_t bytes = whole_pages(most); bytes >= least && bytes != 0;
       bytes = whole_pages(bytes / 2)) {
    if (bytes > SIZE_MAX - guard_bytes) continue;
    // Not charged before it is used, however large.
    void* const all = ::mmap(nullptr, bytes + guard_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (all == MAP_FAILED) continue;
    const bool guarded = ::mprotect(all, guard_bytes, PROT_NONE) == 0;
    const bool ran = guarded && run_thread(static_cast<char*>(all) + guard_bytes, bytes, start);
    ::munmap(all, bytes + guard_bytes);
    if (ran) return true;
  }
  return false;
}

void on_stack_overflow(void (*handler)()) noexcept {
  overflow_handler = handler;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

void watch_stack() noexcept {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  ::pthread_attr_getstack(&attributes, &low, &bytes);
  ::pthread_attr_destroy(&attributes);

  void* const own =
      ::mmap(nullptr, handler_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (own == MAP_FAILED) return;
  stack_t handler = {};
  handler.ss_sp = own;
  handler.ss_size = handler_bytes;
  if (::sigaltstack(&handler, &this_stack.before) != 0) {
    ::munmap(own, handler_bytes);
    return;
  }
  this_stack.end = reinterpret_cast<std::uintptr_t>(low);
  this_stack.handler_stack = own;
}

void unwatch_stack() noexcept {
  if (this_stack.handler_stack == nullptr) return;
  ::sigaltstack(&this_stack.before, nullptr);
  ::munmap(this_stack.handler_stack, handler_bytes);
  this_stack = {};
}

}  // namespace cleave::os
