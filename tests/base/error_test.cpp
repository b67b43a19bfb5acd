#include "expose/base/error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/complaint.hpp"

namespace expose {
namespace {

TEST(Error, CodesHaveTheNamesOfTheHeader) {
  EXPECT_STREQ(name(Code::invalid_argument), "invalid_argument");
  EXPECT_STREQ(name(Code::shape_mismatch), "shape_mismatch");
  EXPECT_STREQ(name(Code::not_finite), "not_finite");
  EXPECT_STREQ(name(Code::incompatible), "incompatible");
  EXPECT_STREQ(name(Code::overflow), "overflow");
  EXPECT_STREQ(name(Code::not_found), "not_found");
  EXPECT_STREQ(name(Code::corrupt), "corrupt");
  EXPECT_STREQ(name(Code::cancelled), "cancelled");
  EXPECT_STREQ(name(Code::io), "io");
}

TEST(Error, CarriesCodeAndSentence) {
  const Error error(Code::not_found, "row 7 of 5 is not there");
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_STREQ(error.what(), "row 7 of 5 is not there");
}

TEST(Error, IsARuntimeErrorForThoseWhoDoNotKnowIt) {
  EXPECT_THROW(throw Error(Code::corrupt, "x"), std::runtime_error);
}

TEST(Complaint, TellsErrorsFromSilence) {
  EXPECT_EQ(complaint([] { throw Error(Code::overflow, "too much"); }), "overflow: too much");
  EXPECT_EQ(complaint([] {}), "no complaint");
}

}  // namespace
}  // namespace expose
