#include "program_kit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "fingerprint.hpp"

namespace cleave::tool {
namespace {

namespace files = std::filesystem;

std::string own_path() {
  std::error_code error;
  const files::path path = files::read_symlink("/proc/self/exe", error);
  if (error) throw command_error("cannot tell where the tool is: " + error.message());
  return path.string();
}

std::string identity(const std::vector<std::string>& paths) {
  fingerprint all;
  for (const std::string& path : paths) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
      throw command_error(fmt::format("a part of Cleave is missing, {}: {}; install it again",
                                      in_quotes(path), reason(errno)));
    }
    all.add(path);
    all.add(static_cast<std::uint64_t>(about.st_size));
    all.add(static_cast<std::uint64_t>(about.st_mtim.tv_sec));
    all.add(static_cast<std::uint64_t>(about.st_mtim.tv_nsec));
  }
  return all.text();
}

std::vector<std::string> headers_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (files::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".hpp") found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

program_kit find_kit() {
  const std::string self = own_path();
  const files::path folder = files::path(self).parent_path();
  program_kit kit;
  if (folder == CLEAVE_TOOL_BUILD_FOLDER) {
    kit.headers = CLEAVE_TOOL_BUILD_HEADERS;
    kit.library = CLEAVE_TOOL_BUILD_LIBRARY;
    kit.compiled_headers = CLEAVE_TOOL_BUILD_LIBRARY "/compiled_headers";
  } else {
    kit.headers = (folder / CLEAVE_TOOL_TO_HEADERS).lexically_normal().string();
    kit.library = (folder / CLEAVE_TOOL_TO_LIBRARY).lexically_normal().string();
  }
  kit.tool_identity = identity({self});
  kit.library_identity =
      identity({kit.library + "/libcleave_runtime.a", kit.library + "/libcleave.a"});
  std::vector<std::string> headers = headers_in(kit.headers + "/cleave");
  headers.push_back(kit.headers + "/cleave/runtime/program.hpp");
  kit.header_identity = identity(headers);
  return kit;
}

}  // namespace cleave::tool
