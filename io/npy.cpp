#include "io/npy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/base/text.hpp"
#include "expose/encode/columns.hpp"
#include "io/npy_header.hpp"

namespace expose::io {

namespace {

constexpr std::size_t kLongestNumber = 32;  // characters of text(double)

template <class T>
double as_double(const char* bytes, bool swapped) {
  char buffer[sizeof(T)];  // NOLINT(modernize-avoid-c-arrays)
  std::memcpy(buffer, bytes, sizeof(T));
  if (swapped) std::reverse(buffer, buffer + sizeof(T));
  T value;
  std::memcpy(&value, buffer, sizeof(T));
  return static_cast<double>(value);
}

using Convert = double (*)(const char*, bool);

Convert converter(const NpyHeader& header) {
  switch (header.kind) {
    case 'f':
      return header.bytes == 4 ? as_double<float> : as_double<double>;
    case 'i':
      return header.bytes == 1   ? as_double<std::int8_t>
             : header.bytes == 2 ? as_double<std::int16_t>
             : header.bytes == 4 ? as_double<std::int32_t>
                                 : as_double<std::int64_t>;
    default:  // a boolean is one byte, 0 or 1
      return header.bytes == 1   ? as_double<std::uint8_t>
             : header.bytes == 2 ? as_double<std::uint16_t>
             : header.bytes == 4 ? as_double<std::uint32_t>
                                 : as_double<std::uint64_t>;
  }
}

class Npy final : public TableReader {
 public:
  Npy(std::unique_ptr<ByteStream> stream, std::string file, const ReadOptions& options)
      : stream_(std::move(stream)), file_(std::move(file)), block_bytes_(options.block_bytes) {
    try {
      header_ = read_npy_header(*stream_);
      if (header_.fortran && header_.columns > 1) require_seekable();
    } catch (const Error& error) {
      throw Error(error.code(), file_ + ": " + error.what());
    }
    convert_ = converter(header_);
    const Columns columns = Columns::numbers(header_.columns);
    for (const Column& column : columns.all()) names_.push_back(column.name);
    layout_ = all_texts(header_.columns);
  }

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& file() const override { return file_; }
  bool repeatable() const override { return stream_->repeatable(); }
  void no_rewind() override { stream_->no_rewind(); }

  void expect(const Layout& layout, Finish finish) override {
    require_valid(layout, names_.size());
    layout_ = layout;
    finish_ = std::move(finish);
  }

  bool next(TableBlock& block) override {
    if (row_ == header_.rows) return false;
    const std::size_t row_bytes = header_.columns * header_.bytes;
    const std::size_t wanted = std::min(std::max<std::size_t>(1, block_bytes_ / row_bytes), header_.rows - row_);
    const std::size_t got = header_.fortran && header_.columns > 1 ? read_columns(wanted) : read_rows(wanted);
    if (got == 0) {
      throw Error(Code::corrupt, file_ + ": it was cut after " + std::to_string(row_) + " of " +
                                     std::to_string(header_.rows) + " rows");
    }
    convert(block, got);
    block.file = file_;
    block.first_row = row_ + 1;
    block.first_line = 0;
    row_ += got;
    if (finish_) finish_(block);
    return true;
  }

  bool rewind() override {
    if (!stream_->rewind()) return false;
    std::vector<char> header(header_.data);
    read_fully(*stream_, header);
    row_ = 0;
    return true;
  }

 private:
  void require_seekable() {
    const std::size_t numbers = header_.rows * header_.columns;
    char last = 0;
    if (!stream_->seek(header_.data + (numbers == 0 ? 0 : numbers * header_.bytes - 1))) {
      throw Error(
          Code::invalid_argument,
          "it is in Fortran order, column after column, which a pipe or a packed file cannot give as rows; save "
          "numpy.ascontiguousarray(array)");
    }
    if (numbers > 0 && stream_->read(std::span(&last, 1)) == 0)
      throw Error(Code::corrupt, "it was cut: numbers are missing");
  }

  // bytes_ holds the rows as they stand in a file of C order.
  std::size_t read_rows(std::size_t rows) {
    const std::size_t row_bytes = header_.columns * header_.bytes;
    bytes_.resize(rows * row_bytes);
    stride_ = row_bytes;
    step_ = header_.bytes;
    return read_fully(*stream_, bytes_) / row_bytes;
  }

  // The same, a run of each column after the other.
  std::size_t read_columns(std::size_t rows) {
    bytes_.resize(rows * header_.columns * header_.bytes);
    stride_ = header_.bytes;
    step_ = rows * header_.bytes;
    for (std::size_t c = 0; c < header_.columns; ++c) {
      const bool there = stream_->seek(header_.data + (c * header_.rows + row_) * header_.bytes);
      if (!there || read_fully(*stream_, std::span(bytes_).subspan(c * step_, step_)) < step_) return 0;
    }
    return rows;
  }

  void convert(TableBlock& block, std::size_t rows) const {
    block.begin(layout_, rows * layout_.texts * kLongestNumber, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      double* const row = block.add_row(0);
      std::fill_n(row, layout_.width, std::numeric_limits<double>::quiet_NaN());
      std::size_t infinite = header_.columns;
      for (std::size_t c = 0; c < header_.columns; ++c) {
        const Place& place = layout_.columns[c];
        if (place.want == Want::skip) continue;
        const double value = convert_(bytes_.data() + i * stride_ + c * step_, header_.swapped);
        if (place.want == Want::text) {
          block.set_text(i, place.at, text(value));
        } else {
          row[place.at] = value;
          if (std::isinf(value)) infinite = std::min(infinite, c);
        }
      }
      if (infinite < header_.columns) block.mark_bad(i, "column '" + names_[infinite] + "': infinity is no number");
    }
  }

  std::unique_ptr<ByteStream> stream_;
  std::string file_;
  std::size_t block_bytes_;
  NpyHeader header_;
  Convert convert_ = nullptr;
  std::vector<std::string> names_;
  Layout layout_;
  Finish finish_;
  std::size_t row_ = 0;  // the next one
  std::vector<char> bytes_;
  std::size_t stride_ = 0;  // bytes from row to row
  std::size_t step_ = 0;    // and from column to column
};

}  // namespace

std::unique_ptr<TableReader> npy_table(std::unique_ptr<ByteStream> stream, std::string file,
                                       const ReadOptions& options) {
  return std::make_unique<Npy>(std::move(stream), std::move(file), options);
}

}  // namespace expose::io
