#include "genotypes/variant_io/writing/bgen_index.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "genotypes/variant_io/hts_handles.h"
#include "genotypes/variant_io/reading/bgen_source.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kBytesToCompare = 1000;  // by which bgenix tells that an index belongs to a file

constexpr const char* kTables = R"(
CREATE TABLE Metadata (filename TEXT NOT NULL, file_size INT NOT NULL, last_write_time INT NOT NULL,
  first_1000_bytes BLOB NOT NULL, index_creation_time INT NOT NULL);
CREATE TABLE Variant (chromosome TEXT NOT NULL, position INT NOT NULL, rsid TEXT NOT NULL,
  number_of_alleles INT NOT NULL, allele1 TEXT NOT NULL, allele2 TEXT NULL, file_start_position INT NOT NULL,
  size_in_bytes INT NOT NULL,
  PRIMARY KEY (chromosome, position, rsid, allele1, allele2, file_start_position)) WITHOUT ROWID;)";

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    sqlite3* database = nullptr;
    const int status = sqlite3_open(path.c_str(), &database);
    database_.reset(database);
    Expect(status == SQLITE_OK);
    // The file is made durable and renamed when it is complete; nothing can be rolled back before.
    Run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;");
  }

  void Run(const char* statements) {
    Expect(sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr) == SQLITE_OK);
  }

  // A row to insert: its values one after the other.
  class Row {
   public:
    Row(Database& database, const char* statement) : database_(database) {
      sqlite3_stmt* prepared = nullptr;
      database.Expect(sqlite3_prepare_v2(database.database_.get(), statement, -1, &prepared, nullptr) == SQLITE_OK);
      statement_.reset(prepared);
    }
    Row& Add(std::string_view text) {
      database_.Expect(sqlite3_bind_text(statement_.get(), ++column_, text.data(), static_cast<int>(text.size()),
                                         SQLITE_TRANSIENT) == SQLITE_OK);
      return *this;
    }
    Row& Add(int64_t number) {
      database_.Expect(sqlite3_bind_int64(statement_.get(), ++column_, number) == SQLITE_OK);
      return *this;
    }
    Row& AddBytes(std::string_view bytes) {
      database_.Expect(sqlite3_bind_blob(statement_.get(), ++column_, bytes.data(), static_cast<int>(bytes.size()),
                                         SQLITE_TRANSIENT) == SQLITE_OK);
      return *this;
    }
    void Insert() {
      database_.Expect(sqlite3_step(statement_.get()) == SQLITE_DONE);
      sqlite3_reset(statement_.get());
      column_ = 0;
    }

   private:
    Database& database_;
    std::unique_ptr<sqlite3_stmt, Deleter<sqlite3_finalize>> statement_;
    int column_ = 0;
  };

 private:
  void Expect(bool is_done) const {
    if (is_done) return;
    throw InputError(fmt::format("cannot write {}: {}; no file is kept: free space, or omit --write-index", path_,
                                 sqlite3_errmsg(database_.get())));
  }

  const std::string path_;
  std::unique_ptr<sqlite3, Deleter<sqlite3_close>> database_;
};

}  // namespace

void WriteBgenIndex(const std::string& bgen, const std::string& name, const std::string& index) {
  struct stat status;
  HS_CHECK(stat(bgen.c_str(), &status) == 0);
  std::string head(kBytesToCompare, '\0');
  std::ifstream file(bgen, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));

  Database database(index);
  database.Run("BEGIN");
  database.Run(kTables);
  const auto time = static_cast<int64_t>(status.st_mtime);
  Database::Row(database, "INSERT INTO Metadata VALUES (?, ?, ?, ?, ?)")
      .Add(std::filesystem::path(name).filename().string())
      .Add(static_cast<int64_t>(status.st_size))
      .Add(time)
      .AddBytes(head)
      .Add(time)
      .Insert();
  Database::Row row(database, "INSERT INTO Variant VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  BgenSource reader(bgen, {.kind = RecordKind::kSites});
  for (BgenSite site; reader.NextSite(site);) {
    row.Add(site.contig).Add(int64_t{site.position}).Add(site.rsid).Add(static_cast<int64_t>(site.alleles.size()));
    row.Add(site.alleles[0]).Add(site.alleles[1]);
    row.Add(static_cast<int64_t>(site.offset)).Add(static_cast<int64_t>(site.size)).Insert();
  }
  database.Run("COMMIT");
}

}  // namespace haplospin
