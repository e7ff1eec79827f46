//===- PragmaScan.cpp - Which sources have directives -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PragmaScan.h"
#include "StandardInput.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;

namespace {

/// Whether the text alone shows that there is nothing to find.
bool mayHaveDirectives(StringRef Text, const llvm::opt::InputArgList &Args) {
  return Text.contains("streamap") || Text.contains("include") || Args.hasArg(options::OPT_include, options::OPT_imacros);
}

/// Options that would change what -E prints, or write other files.
bool disturbsScan(const llvm::opt::Arg &A) {
  const llvm::opt::Option &O = A.getOption();
  return isInput(A) || isDependenceOption(A) || isStepOption(A) || isLinkOption(A) || O.matches(options::OPT_x) ||
         O.matches(options::OPT_P) || O.matches(options::OPT_C) || O.matches(options::OPT_CC) ||
         O.matches(options::OPT_d_Group) || O.matches(options::OPT_v) || O.matches(options::OPT_H) ||
         O.matches(options::OPT_save_temps_EQ) || StringRef(A.getSpelling()) == "-fdirectives-only";
}

/// `# 12 "file" 1 3`, or `#line 12 "file"`.
bool takeLineMarker(StringRef Line, unsigned &Number, std::string &File) {
  if (!Line.consume_front("#"))
    return false;
  Line = Line.ltrim(" \t");
  Line.consume_front("line ");
  if (Line.consumeInteger(10, Number))
    return false;
  Line = Line.ltrim(" \t");
  if (Line.consume_front("\"")) {
    File.clear();
    for (size_t I = 0; I < Line.size() && Line[I] != '"'; ++I)
      File += Line[I] == '\\' && I + 1 < Line.size() ? Line[++I] : Line[I];
  }
  return true;
}

bool isDirective(StringRef Line) {
  return Line.consume_front("#") && (Line = Line.ltrim(" \t")).consume_front("pragma") &&
         (Line = Line.ltrim(" \t")).consume_front("streamap") &&
         (Line.empty() || Line.front() == ' ' || Line.front() == '\t' || Line.front() == '\r');
}

/// The end of the raw string that is open at the end of \p Line, `)x"`; empty
/// if there is none.
std::string openRawString(StringRef Line) {
  if (Line.contains("R\"")) {
    for (size_t At = 0; At < Line.size(); ++At) {
      const char C = Line[At];
      const bool Raw = C == '"' && At > 0 && Line[At - 1] == 'R' &&
                       (At < 2 || !llvm::isAlnum(Line[At - 2]) || StringRef("uUL8").contains(Line[At - 2]));
      if (C == '"' && Raw) {
        const size_t Open = Line.find('(', At);
        if (Open == StringRef::npos)
          return {};
        const std::string End = (")" + Line.slice(At + 1, Open) + "\"").str();
        const size_t Close = Line.find(End, Open);
        if (Close == StringRef::npos)
          return End;
        At = Close + End.size() - 1;
      } else if (C == '"' || (C == '\'' && (At == 0 || !llvm::isAlnum(Line[At - 1])))) {
        for (++At; At < Line.size() && Line[At] != C; ++At)
          At += Line[At] == '\\';
      }
    }
  }
  return {};
}

} // namespace

ScanResult scanPreprocessed(StringRef Text) {
  ScanResult Result;
  std::string File;
  unsigned Number = 1, RawLines = 0;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    const StringRef Trimmed = Line.ltrim(" \t");
    if (!Trimmed.starts_with("#")) {
      ++Number;
      if (Result.HostMacros.empty() && Trimmed.starts_with("streamap_host "))
        Result.HostMacros = Trimmed.str();
      // A line in a raw string may look like anything.
      if (std::string End = openRawString(Line); !End.empty()) {
        const size_t Close = Text.find(End);
        const StringRef Inside = Close == StringRef::npos ? Text : Text.take_front(Text.find('\n', Close) + 1);
        Number += static_cast<unsigned>(Inside.count('\n'));
        RawLines += static_cast<unsigned>(Inside.count('\n'));
        Text = Text.drop_front(Inside.size());
      }
      continue;
    }
    unsigned Marked = 0;
    if (takeLineMarker(Trimmed, Marked, File)) {
      Number = Marked;
      RawLines = 0;
      Result.UsesHeader |= StringRef(File).ends_with("streamap/streamap.h");
      continue;
    }
    if (isDirective(Trimmed))
      Result.Directives.push_back({File, Number, RawLines});
    ++Number;
  }
  return Result;
}

llvm::Expected<ScanResult> scanForDirectives(const Session &Current, const Input &Source) {
  if (!Source.isStandardInput() && !llvm::sys::fs::is_regular_file(Source.Path))
    return ScanResult(); // a pipe or a device can be read only once, and that is for the host compiler to do
  auto Buffer = Source.isStandardInput() ? rereadStandardInput() : llvm::MemoryBuffer::getFile(Source.Path);
  if (!Buffer || !mayHaveDirectives((*Buffer)->getBuffer(), Current.Line->args()))
    return ScanResult();

  std::vector<std::string> Arguments = Current.standardArguments();
  for (std::string &Kept : Current.Line->without(disturbsScan))
    Arguments.push_back(std::move(Kept));
  // One run answers two questions: what is in the source, and what compiler this is.
  Arguments.insert(Arguments.end(), {"-include", Current.Places.IncludeDirectory + "/streamap/host_facts.h", "-w", "-v", "-E",
                                     "-x", types::getTypeName(Source.Type), Source.Path});
  llvm::Expected<Captured> Answer = captureOutput(Current.Host.command(Arguments), /*WithErrors=*/true);
  if (!Answer)
    return Answer.takeError();
  if (Answer->Status != 0)
    return ScanResult();
  ScanResult Result = scanPreprocessed(Answer->Output);
  Result.Facts = readHostFacts(Result.HostMacros, Answer->Errors, *Current.Line);
  return Result;
}

} // namespace streamap
