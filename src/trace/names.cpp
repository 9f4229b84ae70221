// names.cpp -- places in words: which calls are at an address, and which of them a person wants.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "os/lookup.hpp"
#include "trace/format.hpp"

namespace cleave::trace {
namespace {

std::string in_hexadecimal(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// What the functions of a Bend program are in.
constexpr std::string_view bend_program = "cleave::runtime::program::";

// A call on the way through the library to what it is called by: of the heap, or of a header of
// the library that was compiled into the program.
bool is_inside(std::string_view call) {
  const std::size_t at = call.rfind(" at ");
  const std::string_view where = at == call.npos ? std::string_view() : call.substr(at + 4);
  // By file too: of what a source file has to itself, the name says no namespace.
  for (const std::string_view folder : {"/include/cleave/", "/src/heap/", "/src/collector/"}) {
    if (where.find(folder) != where.npos) return true;
  }
  if (call.starts_with(bend_program)) return false;
  for (const std::string_view prefix :
       {"cleave::heap::", "cleave::os::", "cleave::detail::", "cleave::gc::", "cleave::run::",
        "cleave::array<", "cleave::array_builder<", "cleave::shared_array<",
        "cleave::byte_buffer::", "cleave::memory_resource::", "cleave::allocator<",
        "cleave::runtime::", "cl_free", "cl_allocate", "cl_extend", "cl_shrink", "cl_run_"}) {
    if (call.starts_with(prefix)) return true;
  }
  return false;
}

// What calls main().
bool is_before_main(std::string_view call) {
  return call.starts_with("__libc_start") || call.starts_with("_start");
}

// "parse at /src/reader.cpp:120" without the folders. Of a Bend program the name alone: what
// C++ makes of its types says nothing to its author.
std::string shortened(const std::string& call) {
  const std::size_t at = call.rfind(" at ");
  std::string name = call.substr(0, at);
  if (name.starts_with(bend_program)) {
    name.erase(0, bend_program.size());
    // "(" is part of a name only where it begins it.
    if (const std::size_t end = name.find('(', 1); end != name.npos) name.erase(end);
  }
  if (at == call.npos) return name;
  return name.append(" at ").append(base_name(std::string_view(call).substr(at + 4)));
}

}  // namespace

names::names(const recording& of) : of_(&of) {}

void names::prepare(std::span<const std::uint32_t> places) {
  // By module, addresses as its file has them, with those that the process had.
  std::map<const module*, std::vector<std::pair<std::uint64_t, std::uint64_t>>> wanted;
  for (const std::uint32_t number : places) {
    if (number >= of_->places.size()) continue;
    for (const std::uint64_t address : of_->places[number].addresses) {
      if (!calls_.try_emplace(address).second) continue;
      // A return address may be the first one behind the function that calls.
      const std::uint64_t call = address - 1;
      // The last that fits: a module may have been loaded where another one was.
      const auto found =
          std::find_if(of_->modules.rbegin(), of_->modules.rend(),
                       [call](const module& m) { return call >= m.begin && call < m.end; });
      if (found == of_->modules.rend()) {
        calls_[address] = {in_hexadecimal(address)};
      } else {
        wanted[&*found].emplace_back(call - found->begin + found->offset, address);
      }
    }
  }
  for (const auto& [in, addresses] : wanted) {
    std::vector<std::uint64_t> in_file;
    for (const auto& both : addresses) in_file.push_back(both.first);
    std::vector<std::vector<std::string>> calls = os::look_up(in->path, in_file);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (calls[i].empty()) {
        calls[i] = {std::string(base_name(in->path)) + "+" + in_hexadecimal(in_file[i])};
      }
      calls_[addresses[i].second] = std::move(calls[i]);
    }
  }
}

std::vector<std::string> names::frames(std::uint32_t place) {
  prepare({&place, 1});
  std::vector<std::string> all;
  if (place >= of_->places.size()) return all;
  for (const std::uint64_t address : of_->places[place].addresses) {
    const std::vector<std::string>& calls = calls_[address];
    // Names of inlined calls say no namespace; the call that they are part of does.
    if (all.empty() && !calls.empty() && is_inside(calls.back())) continue;
    for (const std::string& call : calls) {
      if (is_before_main(call)) return all;
      if (!all.empty() || !is_inside(call)) all.push_back(shortened(call));
    }
  }
  return all;
}

const std::string& names::of(std::uint32_t place) {
  const auto [at, is_new] = words_.try_emplace(place);
  if (is_new) {
    const std::vector<std::string> all = frames(place);
    at->second = all.empty() ? "(not known)" : all.front();
  }
  return at->second;
}

}  // namespace cleave::trace
