#include "io/parquet.hpp"

#include <arrow/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "expose/base/error.hpp"
#include "expose/encode/field.hpp"
#include "io/arrow_file.hpp"
#include "io/arrow_values.hpp"
#include "io/text_format.hpp"

namespace expose::io {

namespace {

using parquet::arrow::SchemaField;

constexpr std::size_t kLeastRows = 64, kMostRows = 65536;  // a batch
constexpr std::size_t kLongestNumber = 32;                 // characters
constexpr std::int64_t kPageBuffer = 1 << 16;              // bytes that are read at once of a column

// What Arrow says, in a sentence; its first line, as the others are its source code.
[[noreturn]] void fail(const std::string& file, std::string why) {
  why.resize(std::min(why.find('\n'), why.size()));
  throw Error(Code::corrupt, file + ": this parquet file cannot be read: " + why);
}

// The result of a call into Arrow, whichever way it complains.
template <class Call>
auto checked(const std::string& file, const Call& call) {
  try {
    auto result = call();
    if (result.ok()) return std::move(result).ValueOrDie();
    fail(file, result.status().message());
  } catch (const parquet::ParquetException& error) {
    fail(file, error.what());
  }
}

// A column of ours: a leaf of the tree of columns that a parquet file has, or a list with all that is in it.
struct Leaf {
  std::string name;
  std::vector<int> indices;  // of the leaves that parquet counts
};

void add_indices(const SchemaField& field, std::vector<int>& indices) {
  if (field.is_leaf()) indices.push_back(field.column_index);
  for (const SchemaField& child : field.children) add_indices(child, indices);
}

bool is_struct(const SchemaField& field) {
  return field.field->type()->id() == arrow::Type::STRUCT && !field.children.empty();
}

void add_leaves(const SchemaField& field, const std::string& above, std::vector<Leaf>& leaves) {
  const std::string name = above.empty() ? field.field->name() : above + "." + field.field->name();
  if (is_struct(field)) {
    for (const SchemaField& child : field.children) add_leaves(child, name, leaves);
    return;
  }
  leaves.push_back({name, {}});
  add_indices(field, leaves.back().indices);
}

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

// The arrays of the leaves, in their order; none where a leaf was not wanted: Arrow leaves those out, and structs that
// have no other.
void add_arrays(const std::string& file, const SchemaField& field, const std::vector<bool>& wanted,
                std::shared_ptr<arrow::Array> array, std::size_t& leaf, Arrays& arrays) {
  if (!is_struct(field)) {
    arrays[leaf++] = std::move(array);
    return;
  }
  int at = 0;
  for (const SchemaField& child : field.children) {
    std::vector<int> indices;
    add_indices(child, indices);
    const bool there =
        array != nullptr && std::ranges::any_of(indices, [&](int i) { return wanted[static_cast<std::size_t>(i)]; });
    // Where the struct is null, so is what is in it.
    std::shared_ptr<arrow::Array> inner;
    if (there) {
      inner = checked(file, [&] { return static_cast<const arrow::StructArray&>(*array).GetFlattenedField(at++); });
    }
    add_arrays(file, child, wanted, std::move(inner), leaf, arrays);
  }
}

class Parquet final : public TableReader {
 public:
  Parquet(std::unique_ptr<ByteStream> stream, std::string file, const ReadOptions& options)
      : file_(std::move(file)), block_bytes_(options.block_bytes) {
    open(std::move(stream));
    std::vector<std::string> names;
    for (const SchemaField& field : reader_->manifest().schema_fields) add_leaves(field, "", leaves_);
    for (const Leaf& leaf : leaves_) names.push_back(leaf.name);
    if (names.empty()) throw Error(Code::corrupt, file_ + " has no columns");
    names_ = told_apart(std::move(names));
    layout_ = all_texts(names_.size());
  }

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& file() const override { return file_; }
  bool repeatable() const override { return true; }

  void expect(const Layout& layout, Finish finish) override {
    require_valid(layout, names_.size());
    layout_ = layout;
    finish_ = std::move(finish);
  }

  bool next(TableBlock& block) override {
    if (batches_ == nullptr) begin();
    const auto batch = checked(file_, [&]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
      std::shared_ptr<arrow::RecordBatch> some;
      do {
        ARROW_RETURN_NOT_OK(batches_->ReadNext(&some));
      } while (some != nullptr && some->num_rows() == 0);
      return some;
    });
    if (batch == nullptr) return false;
    convert(*batch, block);
    block.file = file_;
    block.first_row = next_row_;
    block.first_line = 0;
    next_row_ += block.rows();
    if (finish_) finish_(block);
    return true;
  }

  bool rewind() override {
    batches_.reset();
    next_row_ = 1;
    return true;
  }

 private:
  void open(std::unique_ptr<ByteStream> stream) {
    std::shared_ptr<arrow::io::RandomAccessFile> source;
    try {
      source = arrow_file(std::move(stream));
    } catch (const Error& error) {
      throw Error(error.code(), file_ + ": " + error.what());
    }
    reader_ = checked(file_, [&]() -> arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> {
      parquet::ReaderProperties properties;
      properties.enable_buffered_stream();  // else a column of a row group is in memory as a whole
      properties.set_buffer_size(kPageBuffer);
      parquet::ArrowReaderProperties columns(false);  // our threads are busy elsewhere
      columns.set_pre_buffer(false);
      parquet::arrow::FileReaderBuilder builder;
      ARROW_RETURN_NOT_OK(builder.Open(std::move(source), properties));
      std::unique_ptr<parquet::arrow::FileReader> reader;
      ARROW_RETURN_NOT_OK(builder.properties(columns)->Build(&reader));
      return reader;
    });
  }

  // Asks for the columns of the layout. What is said later is for the next pass.
  void begin() {
    active_ = layout_;
    std::vector<int> indices;
    wanted_.assign(static_cast<std::size_t>(reader_->parquet_reader()->metadata()->num_columns()), false);
    for (std::size_t c = 0; c < leaves_.size(); ++c) {
      if (active_.columns[c].want == Want::skip) continue;
      for (const int i : leaves_[c].indices) wanted_[static_cast<std::size_t>(i)] = true;
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i]) indices.push_back(static_cast<int>(i));
    }
    const std::size_t row_bytes = sizeof(double) * std::max<std::size_t>(1, indices.size());
    reader_->set_batch_size(static_cast<std::int64_t>(std::clamp(block_bytes_ / row_bytes, kLeastRows, kMostRows)));
    std::vector<int> groups(static_cast<std::size_t>(reader_->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    batches_ = checked(file_, [&] { return reader_->GetRecordBatchReader(groups, indices); });
  }

  Arrays arrays_of(const arrow::RecordBatch& batch) const {
    Arrays arrays(leaves_.size());
    std::size_t leaf = 0;
    int at = 0;
    for (const SchemaField& field : reader_->manifest().schema_fields) {
      std::vector<int> indices;
      add_indices(field, indices);
      const bool there = std::ranges::any_of(indices, [&](int i) { return wanted_[static_cast<std::size_t>(i)]; });
      add_arrays(file_, field, wanted_, there ? batch.column(at++) : nullptr, leaf, arrays);
    }
    return arrays;
  }

  void convert(const arrow::RecordBatch& batch, TableBlock& block) const {
    const auto rows = static_cast<std::size_t>(batch.num_rows());
    const Arrays arrays = arrays_of(batch);
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < arrays.size(); ++c) {
      if (active_.columns[c].want == Want::text) bytes += text_bytes(*arrays[c]);
    }
    block.begin(active_, bytes, rows);
    for (std::size_t i = 0; i < rows; ++i) {
      std::fill_n(block.add_row(0), active_.width, std::numeric_limits<double>::quiet_NaN());
    }
    std::vector<TableBlock::Bad> bad;  // marked last: their numbers are infinite
    for (std::size_t c = 0; c < arrays.size(); ++c) {
      const Place& place = active_.columns[c];
      if (place.want == Want::text) set_texts(*arrays[c], place.at, block);
      if (place.want == Want::number) set_numbers(*arrays[c], names_[c], place.at, block, bad);
    }
    for (TableBlock::Bad& row : bad) block.mark_bad(row.row, std::move(row.reason));
  }

  static std::size_t text_bytes(const arrow::Array& array) {
    if (is_number(*array.type())) return kLongestNumber * static_cast<std::size_t>(array.length());
    std::size_t bytes = 0;
    std::string scratch;
    for (std::int64_t i = 0; i < array.length(); ++i) bytes += text_at(array, i, scratch).size();
    return bytes;
  }

  static void set_texts(const arrow::Array& array, std::size_t at, TableBlock& block) {
    std::string scratch;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      block.set_text(i, at, text_at(array, static_cast<std::int64_t>(i), scratch));
    }
  }

  static void set_numbers(const arrow::Array& array, const std::string& name, std::size_t at, TableBlock& block,
                          std::vector<TableBlock::Bad>& bad) {
    double* const first = block.numbers(0) + at;
    const std::size_t stride = block.width();
    if (is_number(*array.type())) {
      read_numbers(array, first, stride);
      for (std::size_t i = 0; i < block.rows(); ++i) {
        if (std::isinf(first[i * stride])) bad.push_back({i, "column '" + name + "': infinity is no number"});
      }
      return;
    }
    std::string scratch;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const std::string_view text = text_at(array, static_cast<std::int64_t>(i), scratch);
      const Field kind = read_number(text, first[i * stride]);
      if (kind != Field::number && kind != Field::missing) bad.push_back({i, no_number(name, text, kind)});
    }
  }

  std::string file_;
  std::size_t block_bytes_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::vector<Leaf> leaves_;  // one a column of ours
  std::vector<std::string> names_;
  Layout layout_;
  Layout active_;             // of batches_
  std::vector<bool> wanted_;  // of the leaves that parquet counts
  Finish finish_;
  std::size_t next_row_ = 1;
};

}  // namespace

bool reads_parquet() { return true; }

std::unique_ptr<TableReader> parquet_table(std::unique_ptr<ByteStream> stream, std::string file,
                                           const ReadOptions& options) {
  return std::make_unique<Parquet>(std::move(stream), std::move(file), options);
}

}  // namespace expose::io
