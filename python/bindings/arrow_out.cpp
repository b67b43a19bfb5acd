// Verdicts out, as an Arrow table: similarity, p_value, anomalous, status.
#include <array>
#include <limits>
#include <memory>

#include "python/bindings/arrow.hpp"
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

constexpr std::size_t kColumns = 4;
constexpr std::array<const char*, kColumns> kNames = {"similarity", "p_value", "anomalous", "status"};
constexpr std::array<const char*, kColumns> kFormats = {"g", "g", "b", "u"};

void release_child(ArrowSchema* schema) { schema->release = nullptr; }
void release_child(ArrowArray* array) { array->release = nullptr; }

struct SchemaHolder {
  std::array<ArrowSchema, kColumns> children = {};
  std::array<ArrowSchema*, kColumns> pointers = {};
};

void write_schema(ArrowSchema* out) {
  auto holder = std::make_unique<SchemaHolder>();
  for (std::size_t c = 0; c < kColumns; ++c) {
    holder->children[c] = {.format = kFormats[c],
                           .name = kNames[c],
                           .metadata = nullptr,
                           .flags = 0,
                           .n_children = 0,
                           .children = nullptr,
                           .dictionary = nullptr,
                           .release = release_child,
                           .private_data = nullptr};
    holder->pointers[c] = &holder->children[c];
  }
  *out = {.format = "+s",
          .name = "",
          .metadata = nullptr,
          .flags = 0,
          .n_children = kColumns,
          .children = holder->pointers.data(),
          .dictionary = nullptr,
          .release =
              [](ArrowSchema* schema) {
                delete static_cast<SchemaHolder*>(schema->private_data);
                schema->release = nullptr;
              },
          .private_data = nullptr};
  out->private_data = holder.release();
}

// The numbers of a table, its buffers, and what stands around them.
struct ArrayHolder {
  std::vector<double> similarity, p_value;
  std::vector<std::uint8_t> flags;  // bits
  std::vector<std::int32_t> offsets;
  std::string words;
  std::array<std::array<const void*, 3>, kColumns> buffers = {};
  std::array<const void*, 1> none = {nullptr};
  std::array<ArrowArray, kColumns> children = {};
  std::array<ArrowArray*, kColumns> pointers = {};
};

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<ArrayHolder> hold(const Numbers& similarity, const Numbers& p_value, const Bytes& anomalous,
                                  const Bytes& status) {
  auto holder = std::make_unique<ArrayHolder>();
  const std::size_t n = similarity.size();
  holder->similarity.assign(similarity.data(), similarity.data() + n);
  holder->p_value.assign(p_value.data(), p_value.data() + n);
  holder->flags.assign(n / 8 + 1, 0);
  holder->offsets.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    if (anomalous.data()[i] != 0)
      holder->flags[i / 8] = static_cast<std::uint8_t>(holder->flags[i / 8] | (1U << (i % 8)));
    holder->words += name(static_cast<Status>(status.data()[i]));
    if (holder->words.size() > std::numeric_limits<std::int32_t>::max()) {
      throw Error(Code::overflow, "there are too many verdicts for one Arrow table; take them in slices");
    }
    holder->offsets.push_back(static_cast<std::int32_t>(holder->words.size()));
  }
  holder->buffers = {{{nullptr, holder->similarity.data(), nullptr},
                      {nullptr, holder->p_value.data(), nullptr},
                      {nullptr, holder->flags.data(), nullptr},
                      {nullptr, holder->offsets.data(), holder->words.data()}}};
  return holder;
}

void write_array(std::unique_ptr<ArrayHolder> holder, ArrowArray* out) {
  const auto n = static_cast<std::int64_t>(holder->similarity.size());
  for (std::size_t c = 0; c < kColumns; ++c) {
    holder->children[c] = {.length = n,
                           .null_count = 0,
                           .offset = 0,
                           .n_buffers = c == 3 ? 3 : 2,
                           .n_children = 0,
                           .buffers = holder->buffers[c].data(),
                           .children = nullptr,
                           .dictionary = nullptr,
                           .release = release_child,
                           .private_data = nullptr};
    holder->pointers[c] = &holder->children[c];
  }
  *out = {.length = n,
          .null_count = 0,
          .offset = 0,
          .n_buffers = 1,
          .n_children = kColumns,
          .buffers = holder->none.data(),
          .children = holder->pointers.data(),
          .dictionary = nullptr,
          .release =
              [](ArrowArray* array) {
                delete static_cast<ArrayHolder*>(array->private_data);
                array->release = nullptr;
              },
          .private_data = nullptr};
  out->private_data = holder.release();
}

template <class T>
nb::capsule capsule_of(std::unique_ptr<T> given, const char* its_name) {
  return nb::capsule(given.release(), its_name, [](void* p) noexcept {
    auto* const kept = static_cast<T*>(p);
    if (kept->release != nullptr) kept->release(kept);
    delete kept;
  });
}

// A stream of one batch.
struct StreamHolder {
  std::unique_ptr<ArrayHolder> table;
};

int stream_schema(ArrowArrayStream*, ArrowSchema* out) {
  write_schema(out);
  return 0;
}
int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& table = static_cast<StreamHolder*>(stream->private_data)->table;
  *out = {};
  if (table) write_array(std::move(table), out);
  return 0;
}
const char* stream_error(ArrowArrayStream*) { return nullptr; }
void stream_release(ArrowArrayStream* stream) {
  delete static_cast<StreamHolder*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void bind_arrow_out(nb::module_& m) {
  m.def("verdicts_to_arrow", [](const Numbers& similarity, const Numbers& p_value, const Bytes& anomalous,
                                const Bytes& status) {
    auto schema = std::make_unique<ArrowSchema>();
    auto array = std::make_unique<ArrowArray>();
    write_schema(schema.get());
    write_array(hold(similarity, p_value, anomalous, status), array.get());
    return nb::make_tuple(capsule_of(std::move(schema), "arrow_schema"), capsule_of(std::move(array), "arrow_array"));
  });
  m.def("verdicts_to_arrow_stream",
        [](const Numbers& similarity, const Numbers& p_value, const Bytes& anomalous, const Bytes& status) {
          auto stream = std::make_unique<ArrowArrayStream>();
          *stream = {stream_schema, stream_next, stream_error, stream_release,
                     new StreamHolder{hold(similarity, p_value, anomalous, status)}};
          return capsule_of(std::move(stream), "arrow_array_stream");
        });
}

}  // namespace expose::python
