// Rows that come through a pipe one at a time, while the one who writes them waits for the answer.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "io/source.hpp"
#include "tests/io/packing.hpp"
#include "tests/io/pipes.hpp"

namespace expose::io {
namespace {

// Writes a line only when as many rows were answered as were written. Lines that tell what the table is come first, at
// once. If the reader waited for more than it has, both would wait for ever; so after a long time the pipe is closed,
// and the test sees that not all rows were answered by then.
class SlowWriter {
 public:
  SlowWriter(std::string first, std::size_t rows_in_first, std::vector<std::string> lines, const std::string& name)
      : fifo_(name), writer_([this, first = std::move(first), rows_in_first, lines = std::move(lines)] {
          const FifoEnd end(fifo_.path());
          end.write(first);
          std::size_t written = rows_in_first;
          for (const std::string& line : lines) {
            if (!wait_for(written)) return;
            end.write(line);
            ++written;
          }
          wait_for(written);
        }) {}

  const std::string& path() const { return fifo_.path(); }
  void answered(std::size_t rows) {
    const std::lock_guard lock(mutex_);
    answered_ = std::max(answered_, rows);
    came_.notify_one();
  }
  bool all_answered() {
    writer_.join();
    return !gave_up_;
  }

 private:
  bool wait_for(std::size_t rows) {
    std::unique_lock lock(mutex_);
    gave_up_ = !came_.wait_for(lock, std::chrono::seconds(20), [&] { return answered_ >= rows; });
    return !gave_up_;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::size_t answered_ = 0;
  bool gave_up_ = false;
  Fifo fifo_;
  std::jthread writer_;
};

struct Live {
  std::string name;
  std::string first;
  std::size_t rows_in_first;
  std::vector<std::string> lines;
  ReadOptions options = {};
};

std::vector<Live> streams() {
  std::vector<std::string> csv, json, members;
  for (int i = 2; i <= 40; ++i) {
    const std::string number = std::to_string(i), kind = i % 2 == 0 ? "even" : "odd";
    csv.push_back(number + "," + kind + "\n");
    json.push_back("{\"n\": " + number + ", \"kind\": \"" + kind + "\"}\n");
    members.push_back(gz(csv.back()));
  }
  return {
      {"t.csv", "n,kind\n1,odd\n", 1, csv},
      {"t", "n,kind\n1,odd\n", 1, csv},
      {"said.csv",
       "n,kind\n",
       0,
       [&] {
         auto all = csv;
         all.insert(all.begin(), "1,odd\n");
         return all;
       }(),
       {.delimiter = ',', .header = true}},
      {"t.ndjson", "{\"n\": 1, \"kind\": \"odd\"}\n", 1, json},
      {"j", "{\"n\": 1, \"kind\": \"odd\"}\n", 1, json},
      {"t.csv.gz", gz("n,kind\n1,odd\n"), 1, members},
  };
}

// The first ten rows are answered before the columns are guessed; then they come again, and the others after them.
TEST(LiveThread, EachRowIsAnsweredBeforeTheNextIsWritten) {
  Pool pool(2);
  for (const Live& live : streams()) {
    for (Pool* const threads : {static_cast<Pool*>(nullptr), &pool}) {
      SlowWriter writer(live.first, live.rows_in_first, live.lines, live.name);
      ReadOptions options = live.options;
      options.pool = threads;
      const auto reader = open_table({writer.path()}, options);
      TableBlock first;
      for (std::size_t seen = 0; seen < 10;) {
        ASSERT_TRUE(reader->next(first)) << live.name;
        EXPECT_EQ(first.rows(), 1U) << live.name;
        EXPECT_EQ(first.first_row, seen + 1);
        EXPECT_EQ(first.text(0, 0), std::to_string(seen + 1));
        writer.answered(seen += first.rows());
      }
      ASSERT_TRUE(reader->rewind()) << live.name;
      const Guess guess = guess_columns(*reader, {}, 10);
      EXPECT_EQ(guess.columns.width(), 3U) << guess.columns.description();
      TableSource source(*reader, guess.columns);
      std::size_t rows = 0;
      for (Records block = source.next(); !block.empty(); block = source.next()) {
        for (std::size_t i = 0; i < block.n(); ++i) EXPECT_EQ(block.at(i, 0), static_cast<double>(++rows));
        EXPECT_TRUE(rows <= 11 || block.n() == 1) << "row " << rows << " waited for another one";
        if (rows == 20) reader->no_rewind();
        writer.answered(rows);
      }
      EXPECT_EQ(rows, 40U) << live.name;
      EXPECT_TRUE(writer.all_answered()) << live.name;
      EXPECT_FALSE(reader->rewind()) << "nobody wanted to go back";
    }
  }
}

}  // namespace
}  // namespace expose::io
