#include "cli/labels.hpp"

#include <gtest/gtest.h>

#include "expose/base/error.hpp"

namespace expose::cli {
namespace {

TEST(Labels, TheWordsThatPeopleUse) {
  const LabelReader reader({});
  for (const char* const text : {"1", "1.0", "true", "TRUE", "t", "yes", "Y", "anomaly", "outlier", " fraud "}) {
    EXPECT_EQ(reader.read(text), Label::anomaly) << text;
  }
  for (const char* const text : {"0", "0.0", "-0", "false", "F", "no", "n", "Normal", "inlier"}) {
    EXPECT_EQ(reader.read(text), Label::normal) << text;
  }
  for (const char* const text : {"", " ", "NA", "NaN", "null", "?"}) {
    EXPECT_EQ(reader.read(text), Label::unlabelled) << text;
  }
}

TEST(Labels, EverythingElseAsksForAnomaly) {
  for (const char* const text : {"-1", "2", "malignant", "0.5"}) {
    try {
      LabelReader({}).read(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("--anomaly"), std::string::npos);
    }
  }
}

TEST(Labels, NamedValuesAreAnomaliesAndAllOthersNormal) {
  const LabelReader reader({"-1", "Attack"});
  EXPECT_EQ(reader.read("-1"), Label::anomaly);
  EXPECT_EQ(reader.read("-1.0"), Label::anomaly);
  EXPECT_EQ(reader.read("attack"), Label::anomaly);
  EXPECT_EQ(reader.read("1"), Label::normal);
  EXPECT_EQ(reader.read("whatever"), Label::normal);
  EXPECT_EQ(reader.read(""), Label::unlabelled);
}

TEST(Labels, AgreementLeavesOutWhatIsNotKnown) {
  const std::vector<Verdict> verdicts = {{.similarity = 0.1, .p_value = 0.001, .anomalous = true},
                                         {.similarity = 0.2, .p_value = 0.002, .anomalous = true},
                                         {.similarity = 0.3},
                                         {.similarity = 0.4},
                                         {.similarity = 0.0, .status = Status::rejected},
                                         {.similarity = 0.5}};
  const std::vector<Label> labels = {Label::anomaly, Label::normal,  Label::anomaly,
                                     Label::normal,  Label::anomaly, Label::unlabelled};
  const Agreement found = agreement(verdicts, labels);
  EXPECT_EQ(found.left_out, 2U);
  EXPECT_EQ(found.true_positives, 1U);
  EXPECT_EQ(found.false_positives, 1U);
  EXPECT_EQ(found.true_negatives, 1U);
  EXPECT_EQ(found.false_negatives, 1U);
  EXPECT_DOUBLE_EQ(found.auc, 0.75);
  EXPECT_DOUBLE_EQ(found.average_precision, (1.0 + 2.0 / 3.0) / 2);
  EXPECT_DOUBLE_EQ(found.balanced_accuracy, 0.5);
}

TEST(Labels, AgreementNeedsBothClasses) {
  const std::vector<Verdict> verdicts(2);
  EXPECT_THROW(agreement(verdicts, std::vector<Label>{Label::normal, Label::normal}), Error);
  EXPECT_THROW(agreement(verdicts, std::vector<Label>{Label::anomaly, Label::unlabelled}), Error);
}

}  // namespace
}  // namespace expose::cli
