#include "cli/input.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "expose/base/error.hpp"

namespace expose::cli {
namespace {

class InputTest : public testing::Test {
 protected:
  InputTest() : folder_(std::filesystem::temp_directory_path() / ("input_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~InputTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::size_t rows) const {
    std::ofstream out(folder_ / name);
    out << "a,b\n";
    for (std::size_t i = 0; i < rows; ++i) out << i % 7 << "," << i % 11 << "\n";
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

std::size_t read_all(Input& input) {
  std::size_t rows = 0;
  for (Records some = input.next(); !some.empty(); some = input.next()) rows += some.n();
  return rows;
}

TEST_F(InputTest, EveryPassHasTheSameRows) {
  for (const std::size_t later : {20, 40}) {
    InputChoice choice;
    choice.files = {write("a.csv", 30), write("b.csv", 30)};
    Console console({.quiet = true});
    Input input(choice, Reads::once, console, "test");  // nothing is kept, so it is read again
    input.guess();
    EXPECT_EQ(read_all(input), 60);
    ASSERT_TRUE(input.rewind());
    EXPECT_EQ(read_all(input), 60);
    write("b.csv", later);
    try {
      input.rewind();
      read_all(input);
      ADD_FAILURE() << later;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("was changed while it was read"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace expose::cli
