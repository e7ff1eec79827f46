//===- SourceEdits.cpp - A source with pieces replaced --------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/SourceEdits.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace streamap {

std::string quoted(const std::string &Text) {
  std::string Result = "\"";
  for (unsigned char C : Text) {
    if (C == '"' || C == '\\') {
      Result += '\\';
      Result += static_cast<char>(C);
    } else if (C < 0x20 || C == 0x7f) {
      // Three octal digits end by themselves, whatever follows.
      const char Digits[] = {'\\', static_cast<char>('0' + C / 64), static_cast<char>('0' + C / 8 % 8),
                             static_cast<char>('0' + C % 8), 0};
      Result += Digits;
    } else {
      Result += static_cast<char>(C);
    }
  }
  return Result + "\"";
}

namespace {

/// Writes one file after another into one text.
class Printer {
public:
  explicit Printer(const HostSource &Source) : Source(Source) {}

  std::string run() {
    const SourceFile &Main = Source.Files.front();
    marker(Main.Lines.front().Line, Main.Lines.front().File, "");
    for (const std::string &Line : Source.Prologue)
      Text += Line + "\n";
    if (!Source.Prologue.empty())
      marker(Main.Lines.front().Line, Main.Lines.front().File, "");
    printFile(Main);
    return std::move(Text);
  }

private:
  /// An edit or an inlined file, in the order of the source.
  struct Step {
    size_t Begin = 0, End = 0;
    size_t Order = 0; ///< of those that begin at one place
    const SourceEdit *Edit = nullptr;
    size_t File = 0;
  };

  void marker(unsigned Line, const std::string &File, const char *Flags) {
    if (!Text.empty() && Text.back() != '\n')
      Text += '\n';
    if (Source.Style == MarkerStyle::Standard)
      Text += "#line " + std::to_string(Line) + " " + quoted(File) + "\n";
    else
      Text += "# " + std::to_string(Line) + " " + quoted(File) + Flags + "\n";
  }

  static const LineMapping &mappingAt(const SourceFile &File, size_t Offset) {
    auto After = std::upper_bound(File.Lines.begin(), File.Lines.end(), Offset,
                                  [](size_t Value, const LineMapping &Line) { return Value < Line.Offset; });
    assert(After != File.Lines.begin() && "the first mapping holds from the start");
    return *std::prev(After);
  }

  static unsigned lineAt(const SourceFile &File, size_t Offset) {
    const LineMapping &Mapping = mappingAt(File, Offset);
    auto Start = File.Text.begin();
    return Mapping.Line + static_cast<unsigned>(std::count(Start + static_cast<std::ptrdiff_t>(Mapping.Offset),
                                                           Start + static_cast<std::ptrdiff_t>(Offset), '\n'));
  }

  /// Goes back to the user's line and column at \p Offset, with \p Flags for
  /// the include stack.
  void resume(const SourceFile &File, size_t Offset, std::string Flags) {
    if (File.IsSystem)
      Flags += " 3";
    marker(lineAt(File, Offset), mappingAt(File, Offset).File, Flags.c_str());
    size_t LineBegin = Offset == 0 ? 0 : File.Text.rfind('\n', Offset - 1) + 1;
    for (size_t I = LineBegin; I < Offset; ++I)
      Text += File.Text[I] == '\t' ? '\t' : ' ';
  }

  void blank(const SourceFile &File, size_t Begin, size_t End) {
    // Blanks are for the column of what follows on the line; before a line break they only are in the way.
    for (size_t I = Begin; I < End; ++I) {
      char C = File.Text[I];
      if (C == '\n') {
        Text.erase(Text.find_last_not_of(" \t") + 1);
        Text += C;
      } else {
        Text += C == '\t' ? '\t' : ' ';
      }
    }
    if (End < File.Text.size() && File.Text[End] == '\n')
      Text.erase(Text.find_last_not_of(" \t") + 1);
  }

  void generated(const SourceFile &File, const SourceEdit &Edit) {
    const std::string &Name = mappingAt(File, Edit.Begin).File;
    // Where text cannot be marked as the system's, its warnings are switched off one by one.
    bool Quiet = Source.Style == MarkerStyle::Standard && Edit.AtFileScope;
    if (Quiet)
      switchWarningsOff();
    for (const GeneratedLine &Line : Edit.Lines) {
      if (Source.EveryLineMarked || &Line == &Edit.Lines.front() || Line.UsersColumn)
        marker(Line.At ? Line.At : lineAt(File, Edit.Begin), Name, Line.UsersColumn ? "" : " 3");
      if (Line.UsersColumn)
        Text.append(Line.UsersColumn - 1, ' ');
      Text += Line.Text + "\n";
    }
    if (Quiet)
      Text += "#pragma GCC diagnostic pop\n";
  }

  void switchWarningsOff() {
    if (Text.back() != '\n')
      Text += '\n';
    Text += "#pragma GCC diagnostic push\n";
    for (const char *Warning : {"unused-parameter", "unused-function", "unused-variable", "conversion", "sign-conversion",
                                "cast-qual", "cast-align", "shadow", "missing-declarations", "redundant-decls", "vla", "padded"})
      Text += std::string("#pragma GCC diagnostic ignored \"-W") + Warning + "\"\n";
  }

  static std::vector<Step> stepsOf(const SourceFile &File) {
    std::vector<Step> Steps;
    for (const SourceEdit &Edit : File.Edits)
      Steps.push_back({Edit.Begin, Edit.End, Steps.size(), &Edit, 0});
    for (const InlinedInclude &Include : File.Includes)
      Steps.push_back({Include.Begin, Include.End, Steps.size(), nullptr, Include.File});
    std::sort(Steps.begin(), Steps.end(),
              [](const Step &A, const Step &B) { return std::pair(A.Begin, A.Order) < std::pair(B.Begin, B.Order); });
    return Steps;
  }

  void printFile(const SourceFile &File) {
    // A byte order mark is one only where a file begins.
    size_t At = File.Text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
    bool Away = false; // generated text was last: the place must be restored before user text
    std::string Flags;
    auto userText = [&](size_t End) {
      if (At == End)
        return;
      if (Away)
        resume(File, At, Flags);
      Away = false;
      Flags.clear();
      Text.append(File.Text, At, End - At);
      At = End;
    };
    for (const Step &Next : stepsOf(File)) {
      assert(Next.Begin >= At && "edits overlap");
      userText(Next.Begin);
      if (!Next.Edit) {
        const SourceFile &Included = Source.Files[Next.File];
        marker(Included.Lines.front().Line, Included.Lines.front().File, Included.IsSystem ? " 1 3" : " 1");
        printFile(Included);
        Away = true;
        Flags = " 2";
      } else if (Next.Edit->EditKind == SourceEdit::Kind::Generated) {
        generated(File, *Next.Edit);
        Away = true;
      } else {
        if (Away)
          resume(File, Next.Begin, Flags);
        Away = false;
        Flags.clear();
        if (Next.Edit->EditKind == SourceEdit::Kind::InPlace)
          Text += Next.Edit->Lines.front().Text;
        blank(File, Next.Begin, Next.End);
      }
      At = std::max(At, Next.End);
    }
    userText(File.Text.size());
    if (!Text.empty() && Text.back() != '\n')
      Text += '\n';
  }

  const HostSource &Source;
  std::string Text;
};

} // namespace

std::string printHostSource(const HostSource &Source) {
  assert(!Source.Files.empty() && "no main file");
  return Printer(Source).run();
}

} // namespace streamap
