// A file is hostile (law 6): whatever the bytes are, the answer is a detector or an Error with a sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "expose/base/hash.hpp"
#include "expose/detector/frame.hpp"
#include "expose/detector/model_file.hpp"
#include "tests/support/complaint.hpp"
#include "tests/support/models.hpp"

namespace expose {
namespace {

using Bytes = std::vector<std::byte>;

std::string refusal(const Bytes& bytes) {
  return complaint([&] { detector_from_bytes(bytes, 1); });
}

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes small_file() { return to_bytes(small_detector()); }

Bytes body_of(const Bytes& file) {
  const auto body = unframe(file).body;
  return {body.begin(), body.end()};
}

// The file with other bytes from `at` on, and a checksum that is right again.
Bytes patched(Bytes file, std::size_t at, const Writer& patch) {
  std::ranges::copy(patch.bytes(), file.begin() + static_cast<std::ptrdiff_t>(at));
  Writer checksum;
  checksum.u64(hash64(std::span(file).first(file.size() - 8)));
  std::ranges::copy(checksum.bytes(), file.end() - 8);
  return file;
}

TEST(ModelFileRefuses, ForeignFiles) {
  EXPECT_EQ(refusal({}), "corrupt: this file is empty");
  EXPECT_EQ(refusal(bytes_of("a,b,c\n1,2,3\n")), "corrupt: this is not an EXPoSE file");
  EXPECT_EQ(refusal(bytes_of("\x93NUMPY")), "corrupt: this is not an EXPoSE file");
}

TEST(ModelFileRefuses, TextModeDamage) {
  Bytes file = small_file();
  file.erase(file.begin() + 6);  // \r\n to \n
  const std::string sentence =
      "corrupt: the line ends of this file were changed, as by a transfer in text mode: it is damaged";
  EXPECT_EQ(refusal(file), sentence);
  file.insert(file.begin() + 6, 2, std::byte{'\r'});  // \r\n to \r\r\n
  EXPECT_EQ(refusal(file), sentence);
}

TEST(ModelFileRefuses, NewerVersions) {
  Writer four, none;
  four.u32(4);
  none.u32(0);
  EXPECT_EQ(refusal(patched(small_file(), 8, four)),
            "incompatible: this file has format version 4, this library reads up to 3; a newer EXPoSE wrote it");
  EXPECT_EQ(refusal(patched(small_file(), 8, none)),
            "corrupt: this file has format version 0, versions count from 1: it is damaged");
}

TEST(ModelFileRefuses, OtherKinds) {
  const Bytes body = body_of(small_file());
  EXPECT_EQ(refusal(frame(FileKind::watcher, 2, "{}", body)),
            "incompatible: this is the file of a watcher, not of a detector");
  EXPECT_EQ(refusal(frame(static_cast<FileKind>(3), 2, "{}", body)),
            "corrupt: this file is of kind 3, the kinds are 1 (detector) and 2 (watcher)");
}

TEST(ModelFileRefuses, EveryTruncation) {
  const Bytes file = small_file();
  for (std::size_t n = 1; n < file.size(); ++n) {
    const std::string sentence = refusal(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_TRUE(sentence.starts_with("corrupt: this file is cut short: it has " + std::to_string(n) + " byte"))
        << sentence;
  }
}

TEST(ModelFileRefuses, BytesAfterTheEnd) {
  Bytes file = small_file();
  file.push_back(std::byte{0});
  EXPECT_TRUE(refusal(file).starts_with("corrupt: this file has more bytes than it should: it has " +
                                        std::to_string(file.size())));
}

TEST(ModelFileRefuses, EveryFlippedByte) {
  Bytes file = small_file();
  for (std::byte& byte : file) {
    const std::byte was = byte;
    for (const int flip : {0x01, 0x80, 0xff}) {
      byte = was ^ static_cast<std::byte>(flip);
      EXPECT_NE(refusal(file), "no complaint") << &byte - file.data();
    }
    byte = was;
  }
  EXPECT_EQ(refusal(file), "no complaint");
}

TEST(ModelFileRefuses, FlippedBytesAreCalledDamage) {
  Bytes file = small_file();
  file[file.size() / 2] ^= std::byte{1};
  EXPECT_TRUE(refusal(file).starts_with("corrupt: this file is damaged: its checksum is ")) << refusal(file);
}

// With a checksum that is right the plan is guarded by its fingerprint, what follows by its own checks. Not every flip
// there can be seen (a sum may be one more), but then there is a detector that can be saved and loaded.
TEST(ModelFileRefuses, OrSurvivesEveryFlippedByteOfABodyWithTheRightChecksum) {
  Bytes body = body_of(small_file());
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::byte was = body[i];
    for (const int flip : {0x01, 0xff}) {
      body[i] = was ^ static_cast<std::byte>(flip);
      const std::string sentence = complaint([&] {
        const Detector detector = detector_from_bytes(frame(FileKind::detector, 2, "", body), 1);
        EXPECT_EQ(detector_from_bytes(to_bytes(detector), 1), detector);
      });
      EXPECT_TRUE(sentence == "no complaint" || sentence.starts_with("corrupt: ")) << i << ": " << sentence;
    }
    body[i] = was;
  }
}

}  // namespace
}  // namespace expose
