#include "core/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "core/file_contents.h"
#include "core/signals.h"
#include "core/temporary_folder.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void WriteText(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Runs `action` in a child and returns its status as waitpid() gives it.
int StatusOfChild(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(OutputFile, AppearsWhenCommitted) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.txt";
  OutputFile file(path);
  file.Write("one ");
  file.Write("two");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(std::filesystem::path(file.temporary_path()).parent_path(), folder.path());
  file.Commit();
  EXPECT_EQ(Contents(path), "one two");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(OutputFile, HoldsMoreThanItsBuffer) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < 3'000'000) text += std::to_string(text.size()) + "\n";
  OutputFile file(folder / "out.txt");
  for (size_t i = 0; i < text.size(); i += 70'001) file.Write(std::string_view(text).substr(i, 70'001));
  file.Commit();
  EXPECT_EQ(Contents(folder / "out.txt"), text);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  { OutputFile(folder / "out.txt").Write("half"); }
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(OutputFile, AnotherGoesOnWithWhatIsKept) {
  const TemporaryFolder folder;
  const std::string path = folder / "out";
  {
    OutputFile file(path, OutputFile::Unfinished::kKeep);
    file.Write("header\nfirst\n");
    EXPECT_EQ(file.Sync(), 13u);
    file.Write("not complete");
    file.Flush();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  OutputFile file(path, OutputFile::Unfinished::kKeep);
  file.Write("header\n");
  file.GoOnAt(13);
  file.Write("second\n");
  file.Commit();
  EXPECT_EQ(Contents(path), "header\nfirst\nsecond\n");
  EXPECT_FALSE(std::filesystem::exists(PartialPath(path)));
}

TEST(OutputFile, KeepsTheEarlierFileWithoutCommit) {
  const TemporaryFolder folder;
  WriteText(folder / "out.txt", "earlier");
  { OutputFile(folder / "out.txt").Write("half"); }
  EXPECT_EQ(Contents(folder / "out.txt"), "earlier");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(OutputFile, AnotherWriterMayFillTheTemporaryFile) {
  const TemporaryFolder folder;
  OutputFile file(folder / "out.txt");
  WriteText(file.temporary_path(), "from elsewhere");
  file.Commit();
  EXPECT_EQ(Contents(folder / "out.txt"), "from elsewhere");
}

TEST(OutputFile, TwoOfOneNameDoNotMeet) {
  const TemporaryFolder folder;
  OutputFile first(folder / "out.txt");
  OutputFile second(folder / "out.txt");
  first.Write("first");
  second.Write("second");
  first.Commit();
  EXPECT_EQ(Contents(folder / "out.txt"), "first");
  second.Commit();
  EXPECT_EQ(Contents(folder / "out.txt"), "second");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(OutputFile, WritesThroughASymbolicLink) {
  const TemporaryFolder folder;
  WriteText(folder / "real.txt", "earlier");
  std::filesystem::create_symlink("real.txt", folder / "link.txt");
  OutputFile file(folder / "link.txt");
  file.Write("new");
  file.Commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(Contents(folder / "real.txt"), "new");
}

TEST(OutputFile, WritesWhereALinkToNoFileLeads) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/second.txt", folder / "first.txt");
  std::filesystem::create_symlink(folder / "real.txt", folder / "sub/second.txt");
  OutputFile file(folder / "first.txt");
  file.Write("new");
  file.Commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first.txt"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/second.txt"));
  EXPECT_EQ(Contents(folder / "real.txt"), "new");
  EXPECT_EQ(folder.NumFiles(), 3u);

  std::filesystem::create_symlink("absent/file.txt", folder / "lost.txt");
  EXPECT_THAT(ErrorOf([&] { OutputFile(folder / "lost.txt"); }),
              AllOf(HasSubstr(folder / "lost.txt"), HasSubstr("create the folder")));
  std::filesystem::create_symlink("loop.txt", folder / "loop.txt");
  EXPECT_THAT(ErrorOf([&] { OutputFile(folder / "loop.txt"); }), HasSubstr("Too many levels of symbolic links"));
}

TEST(OutputFile, NamesWithoutAFolderAreInTheCurrentOne) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  OutputFile file("out.txt");
  file.Write("here");
  file.Commit();
  std::filesystem::current_path(before);
  EXPECT_EQ(Contents(folder / "out.txt"), "here");
}

TEST(OutputFile, ADeviceStaysADevice) {
  {
    OutputFile file("/dev/null");
    EXPECT_EQ(file.temporary_path(), "/dev/null");
    file.Write("gone");
    file.Commit();
  }
  { OutputFile abandoned("/dev/null"); }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, DashIsStandardOutput) {
  testing::internal::CaptureStdout();
  OutputFile file("-");
  EXPECT_EQ(file.temporary_path(), "-");
  file.Write("to a pipe\n");
  file.Commit();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "to a pipe\n");
}

TEST(OutputFile, MissingFolderIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorOf([&] { OutputFile(folder / "no/such/out.txt"); }),
              AllOf(HasSubstr(folder / "no/such/out.txt"), HasSubstr("create the folder"), Not(HasSubstr("\n"))));
}

TEST(OutputFile, FolderIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorOf([&] { OutputFile(folder.path().string()); }), HasSubstr("is a folder"));
}

TEST(OutputFile, EmptyNameIsRefused) {
  EXPECT_THAT(ErrorOf([] { OutputFile(""); }), HasSubstr("no name"));
}

TEST(OutputFile, UnwritableFolderIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const int status = StatusOfChild([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(4);  // root may write everywhere
    const std::string error = ErrorOf([&] { OutputFile(folder / "out.txt"); });
    _exit(error == "cannot write " + (folder / "out.txt") + ": Permission denied; choose a folder you may write to"
              ? 2
              : 3);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(OutputFile, FullDiskIsAnInputError) {
  OutputFile file("/dev/full");
  file.Write("text");
  EXPECT_THAT(ErrorOf([&] { file.Commit(); }), AllOf(HasSubstr("/dev/full"), HasSubstr("free space")));
}

// A limit on the size of files fails a write half-way as a full disk does.
TEST(OutputFile, FailedWriteLeavesNothing) {
  const TemporaryFolder folder;
  const int status = StatusOfChild([&] {
    InstallSignalHandlers();
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = ErrorOf([&] {
      OutputFile file(folder / "out.txt");
      for (int i = 0; i < 10; ++i) file.Write(std::string(100'000, 'x'));
      file.Commit();
    });
    _exit(error.find("cannot write " + (folder / "out.txt")) == 0 ? 2 : 3);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(OutputFile, RefusesToReplaceAnInputUnderAnyName) {
  const TemporaryFolder folder;
  const std::string input = folder / "panel.bcf";
  WriteText(input, "panel");
  std::filesystem::create_symlink(input, folder / "symbolic.bcf");
  std::filesystem::create_hard_link(input, folder / "hard.bcf");
  const int status = StatusOfChild([&] {
    ProtectFile(folder / "symbolic.bcf");
    for (const std::string name : {"panel.bcf", "symbolic.bcf", "hard.bcf"}) {
      const std::string error = ErrorOf([&] { OutputFile file(folder / name); });
      if (error.find(name + ": given as input and as output") == std::string::npos) _exit(1);
    }
    OutputFile other(folder / "other.bcf");
    other.Commit();
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(folder.NumFiles(), 4u);
}

class OutputFileSignal : public testing::TestWithParam<int> {};

TEST_P(OutputFileSignal, RemovesTheTemporaryFileAndKeepsTheEarlierOne) {
  const TemporaryFolder folder;
  WriteText(folder / "old.txt", "earlier");
  const int status = StatusOfChild([&] {
    std::signal(GetParam(), SIG_DFL);
    InstallSignalHandlers();
    OutputFile committed(folder / "whole.txt");
    committed.Write("whole");
    committed.Commit();
    OutputFile fresh(folder / "new.txt");
    OutputFile old(folder / "old.txt");
    old.Write(std::string(1'000'000, 'x'));
    std::raise(GetParam());
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), GetParam());
  EXPECT_EQ(Contents(folder / "old.txt"), "earlier");
  EXPECT_EQ(Contents(folder / "whole.txt"), "whole");
  EXPECT_EQ(folder.NumFiles(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Stops, OutputFileSignal, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU));

TEST(OutputFileAssert, FailedAssertionRemovesTheTemporaryFileAndExitsWithOne) {
  const TemporaryFolder folder;
  const int status = StatusOfChild([&] {
    InstallSignalHandlers();
    OutputFile file(folder / "out.txt");
    HS_ASSERT(folder.NumFiles() == 0);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(OutputFileAssert, IgnoredSignalsStayIgnored) {
  const TemporaryFolder folder;
  const int status = StatusOfChild([&] {
    std::signal(SIGHUP, SIG_IGN);
    InstallSignalHandlers();
    OutputFile file(folder / "out.txt");
    file.Write("whole");
    std::raise(SIGHUP);
    file.Commit();
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(Contents(folder / "out.txt"), "whole");
}

}  // namespace
}  // namespace haplospin
