#include "program_source.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace cleave::tool {

program_source::program_source(std::string path) : path_(std::move(path)) {
  std::string error;
  if (!read(path_, error)) {
    throw command_error(fmt::format("cannot read {}: {}", in_quotes(path_), error));
  }
}

std::optional<std::string> program_source::read(const std::string& path, std::string& error) {
  if (const auto known = files_.find(path); known != files_.end()) return known->second;
  std::optional<std::string> text = lang::read_from_disk(path, error);
  if (text) files_.emplace(path, *text);
  return text;
}

void program_source::translate(translation::goal wanted, bool device, translation& into) {
  const auto reader = [this](const std::string& path, std::string& error) {
    return read(path, error);
  };
  lang::diagnostics& found = into.found;
  into.all = lang::load(path_, reader, into.nodes, found);
  // A file that cannot be read or parsed leaves names that nothing defines.
  if (!found.empty()) return;
  lang::resolve(into.all, into.nodes, found);
  if (!found.empty()) return;
  lang::check_affine(into.all, found);
  if (!found.empty() || into.all.main == nullptr) return;
  lang::core::program made;
  if (wanted == translation::goal::check && !device) {
    lang::elaborate(into.all, made, found);
    return;
  }
  lang::make_core(into.all, device, made, found);
  if (!found.empty() || wanted == translation::goal::check) return;
  into.code = lang::emit(
      made, {.source_name = wanted == translation::goal::listing ? path_ : "", .device = device});
}

}  // namespace cleave::tool
