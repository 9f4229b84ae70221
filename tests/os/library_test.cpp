// library_test.cpp -- shared libraries that are loaded when they are wanted.
#include "os/library.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using cleave::os::library_function;

TEST(Library, givesAFunctionOfALibraryOfTheSystem) {
  auto* const cosine = reinterpret_cast<double (*)(double)>(library_function("libm.so.6", "cos"));
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0.0), 1.0);
}

TEST(Library, givesNothingWhereThereIsNoLibraryOrNoFunction) {
  EXPECT_EQ(library_function("libcleave_is_not_there.so", "cos"), nullptr);
  EXPECT_EQ(library_function("/nowhere/libm.so.6", "cos"), nullptr);
  EXPECT_EQ(library_function("libm.so.6", "is_no_function_of_it"), nullptr);
}

TEST(Library, takesNoNameThatIsTooLong) {
  EXPECT_EQ(library_function(std::string(100'000, 'x').c_str(), "cos"), nullptr);
}

}  // namespace
