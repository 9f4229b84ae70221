// doctor_command.cpp -- `cleave doctor`: what this machine allows, and what to
// set (docs/guide/tool.md).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "doctor_checks.hpp"

namespace cleave::tool {
namespace {

struct request {
  std::string root = "/";
  bool json = false;
};

const char* word(verdict state) {
  switch (state) {
    case verdict::ok: return "ok";
    case verdict::warn: return "warn";
    case verdict::unknown: break;
  }
  return "unknown";
}

std::string as_table(const std::vector<finding>& rows) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const finding& row : rows) {
    name_width = std::max(name_width, row.name.size());
    value_width = std::max(value_width, row.value.size());
  }
  std::string table;
  for (const finding& row : rows) {
    table += fmt::format("{:<{}}  {:<{}}  {}", row.name, name_width, row.value, value_width,
                         word(row.state));
    if (!row.advice.empty()) table += fmt::format("\n{:{}}  {}", "", name_width, row.advice);
    table += '\n';
  }
  return table;
}

std::string as_json(const std::vector<finding>& rows) {
  using json = nlohmann::ordered_json;
  auto list = json::array();
  for (const finding& row : rows) {
    json object;
    object["name"] = row.name;
    object["value"] = row.state == verdict::unknown ? json() : json(row.value);
    object["state"] = word(row.state);
    object["advice"] = row.advice.empty() ? json() : json(row.advice);
    list.push_back(std::move(object));
  }
  // What files hold need not be text.
  return list.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_doctor_command(CLI::App& app, outcome&) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Shows what this machine allows, and what to set");
  command->add_flag("--json", asked->json, "Print an array of JSON objects");
  command
      ->add_option("--root", asked->root,
                   "Read the files of /proc and /sys below this directory (default: /)")
      ->type_name("DIR");
  command->callback([asked] {
    const std::vector<finding> rows = examine(asked->root);
    print(asked->json ? as_json(rows) : as_table(rows));
  });
}

}  // namespace cleave::tool
