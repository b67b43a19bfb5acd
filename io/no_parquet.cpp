// What stands in the place of parquet.cpp where the build has found no Arrow.
#include "expose/base/error.hpp"
#include "io/parquet.hpp"

namespace expose::io {

bool reads_parquet() { return false; }

std::unique_ptr<TableReader> parquet_table(std::unique_ptr<ByteStream>, std::string file, const ReadOptions&) {
  throw Error(Code::io, file +
                            ": this program was built without Arrow, so it reads no parquet; build it where "
                            "tools/setup python has run, or make csv of the file: duckdb -c \"copy (from 'FILE') to "
                            "'FILE.csv'\", or pandas.read_parquet('FILE').to_csv('FILE.csv')");
}

}  // namespace expose::io
