#include "cache_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace cleave::tool {
namespace {

// An absolute path, or nothing: a cache that moves with the current directory is none.
std::string folder_in(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::string home() {
  if (std::string named = folder_in("HOME"); !named.empty()) return named;
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry != nullptr && entry->pw_dir != nullptr && entry->pw_dir[0] == '/' ? entry->pw_dir
                                                                                 : "";
}

std::string wanted_folder() {
  if (const char* const named = std::getenv("CLEAVE_CACHE"); named != nullptr && *named != '\0') {
    std::error_code error;
    return std::filesystem::absolute(named, error).string();
  }
  if (const std::string caches = folder_in("XDG_CACHE_HOME"); !caches.empty()) {
    return caches + "/cleave";
  }
  std::error_code error;
  if (const std::string own = home(); !own.empty() && std::filesystem::is_directory(own, error)) {
    return own + "/.cache/cleave";
  }
  return fmt::format("{}/cleave-{}", temporary_folder(), ::geteuid());
}

// True for a folder of this user, or of root, in which nobody else may write. Programs are
// run from it.
bool is_safe(const std::string& folder) {
  struct stat about {};
  // In a folder like /tmp anybody may make a link; it is not followed.
  if (::lstat(folder.c_str(), &about) != 0) return false;
  if (S_ISLNK(about.st_mode)) {
    if (about.st_uid != ::geteuid() && about.st_uid != 0) return false;
    if (::stat(folder.c_str(), &about) != 0) return false;
  }
  return S_ISDIR(about.st_mode) && (about.st_uid == ::geteuid() || about.st_uid == 0) &&
         (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool make_folder(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  std::error_code error;
  if (slash != std::string::npos && slash > 0) {
    std::filesystem::create_directories(folder.substr(0, slash), error);
  }
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::string temporary_folder() {
  const std::string named = folder_in("TMPDIR");
  return named.empty() ? "/tmp" : named;
}

cache_place find_cache() {
  cache_place place;
  const std::string folder = wanted_folder();
  if (folder.empty() || !make_folder(folder) || !is_safe(folder)) return place;
  place.lasting = folder;
  place.writable = ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  for (const char* const part : {"programs", "sources", "headers", "failures", "work", "locks"}) {
    if (!place.writable) break;
    const std::string inside = fmt::format("{}/{}", folder, part);
    place.writable = (::mkdir(inside.c_str(), 0700) == 0 || errno == EEXIST) &&
                     ::faccessat(AT_FDCWD, inside.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  }
  return place;
}

}  // namespace cleave::tool
