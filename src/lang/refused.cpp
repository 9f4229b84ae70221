// refused.cpp -- two short lists: first words of names, and names.
#include "lang/refused.hpp"

#include <algorithm>
#include <array>

namespace cleave::lang {
namespace {

constexpr std::array<std::string_view, 10> effect_families = {
    "Chan", "TCP", "UDP", "Socket", "File", "Window", "Audio", "App", "Image", "Process"};

constexpr std::array<std::string_view, 3> effects = {"IO.fork", "IO.join", "IO.spawn"};

}  // namespace

std::string why_refused(std::string_view name, bool own_family) {
  const std::string_view family = name.substr(0, name.find('.'));
  if ((!own_family && std::ranges::find(effect_families, family) != effect_families.end()) ||
      std::ranges::find(effects, name) != effects.end()) {
    return "effect " + std::string(name) + " is not supported";
  }
  if (name.starts_with("Array.q4")) {
    return "not in the supported subset: " + std::string(name);
  }
  return {};
}

}  // namespace cleave::lang
