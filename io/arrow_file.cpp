#include "io/arrow_file.hpp"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <utility>

#include "expose/base/error.hpp"

namespace expose::io {

namespace {

class StreamFile final : public arrow::io::RandomAccessFile {
 public:
  StreamFile(std::unique_ptr<ByteStream> stream, std::size_t size) : stream_(std::move(stream)), size_(size) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return static_cast<std::int64_t>(at_); }
  arrow::Result<std::int64_t> GetSize() override { return static_cast<std::int64_t>(size_); }

  arrow::Status Seek(std::int64_t position) override {
    at_ = static_cast<std::size_t>(position);
    return arrow::Status::OK();
  }

  // Exceptions do not go through Arrow.
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override {
    try {
      if (!stream_->seek(at_)) return arrow::Status::IOError("this byte cannot be reached");
      const std::size_t n = read_fully(*stream_, std::span(static_cast<char*>(out), static_cast<std::size_t>(bytes)));
      at_ += n;
      return static_cast<std::int64_t>(n);
    } catch (const Error& error) {
      return arrow::Status::IOError(error.what());
    }
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override {
    const std::int64_t left = static_cast<std::int64_t>(size_ - std::min(at_, size_));
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(std::min(bytes, left)));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t n, Read(buffer->size(), buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(n));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::size_t size_;
  std::size_t at_ = 0;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> arrow_file(std::unique_ptr<ByteStream> stream) {
  const std::optional<std::size_t> size = stream->size();
  if (!size) {
    throw Error(Code::invalid_argument,
                "a parquet file is read from its end, which a packed one cannot give; unpack it");
  }
  return std::make_shared<StreamFile>(std::move(stream), *size);
}

}  // namespace expose::io
