//===- LinkInputs.cpp - Which files a link takes, and which have tasks -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkInputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/SymbolicFile.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace streamap {

using namespace clang::driver;
using namespace llvm::object;
using llvm::StringRef;
using llvm::opt::Arg;

namespace {

//===--- Finding files ----------------------------------------------------===//

/// Resolves -l as the linker does.
class LibrarySearch {
public:
  explicit LibrarySearch(const Session &Current)
      : Current(Current), StaticOnly(Current.Line->args().hasArg(options::OPT_static, options::OPT_static_pie)) {
    for (const Arg *A : Current.Line->args().filtered(options::OPT_L))
      Directories.push_back(A->getValue());
  }

  /// The file of `-l<Name>`, or empty.
  std::string find(StringRef Name) {
    if (std::string Found = findIn(Directories, Name); !Found.empty() || isPartOfSystem(Name))
      return Found;
    if (!AskedHost)
      Defaults = Current.Host.libraryDirectories();
    AskedHost = true;
    return findIn(Defaults, Name);
  }

private:
  /// Libraries that nearly every link names, and that have no tasks.
  static bool isPartOfSystem(StringRef Name) {
    return llvm::is_contained({"c", "m", "dl", "rt", "pthread", "util", "gcc", "gcc_s", "stdc++", "gomp", "omp", "streamap"},
                              Name);
  }

  std::string findIn(llvm::ArrayRef<std::string> Where, StringRef Name) const {
    llvm::SmallVector<std::string, 2> Candidates;
    if (Name.starts_with(":"))
      Candidates.push_back(Name.drop_front().str());
    else {
      if (!StaticOnly)
        Candidates.push_back(("lib" + Name + ".so").str());
      Candidates.push_back(("lib" + Name + ".a").str());
    }
    for (const std::string &Directory : Where)
      for (const std::string &Candidate : Candidates)
        if (std::string Path = Directory + "/" + Candidate; llvm::sys::fs::exists(Path))
          return Path;
    return {};
  }

  const Session &Current;
  bool StaticOnly;
  std::vector<std::string> Directories, Defaults;
  bool AskedHost = false;
};

//===--- Looking into files -----------------------------------------------===//

constexpr StringRef RuntimePrefix = "streamap_";

bool isRuntimeSymbol(StringRef Name) {
  return Name.starts_with(RuntimePrefix);
}

template <class Range> bool anyUndefinedRuntimeSymbol(Range Symbols) {
  for (const auto &Symbol : Symbols) {
    auto Flags = Symbol.getFlags();
    if (!Flags) {
      llvm::consumeError(Flags.takeError());
      continue;
    }
    if (!(*Flags & BasicSymbolRef::SF_Undefined))
      continue;
    std::string Name;
    llvm::raw_string_ostream OS(Name);
    if (llvm::Error Problem = Symbol.printName(OS)) {
      llvm::consumeError(std::move(Problem));
      continue;
    }
    if (isRuntimeSymbol(OS.str()))
      return true;
  }
  return false;
}

/// gcc -flto leaves no symbol table but a section of its own, which is not
/// compressed and holds names with an end of string behind each.
bool hasRuntimeNameInGccLto(const ObjectFile &Object) {
  for (const SectionRef &Section : Object.sections()) {
    auto Name = Section.getName();
    auto Contents = Section.getContents();
    if (!Name || !Contents) {
      llvm::consumeError(Name.takeError());
      llvm::consumeError(Contents.takeError());
    } else if (Name->starts_with(".gnu.lto_.symtab") && Contents->contains(RuntimePrefix)) {
      return true;
    }
  }
  return false;
}

bool symbolsReferToRuntime(llvm::MemoryBufferRef File, llvm::file_magic Kind) {
  llvm::LLVMContext Context;
  auto Symbolic = SymbolicFile::createSymbolicFile(File, Kind, &Context);
  if (!Symbolic) {
    llvm::consumeError(Symbolic.takeError());
    return false;
  }
  if (anyUndefinedRuntimeSymbol((*Symbolic)->symbols()))
    return true;
  if (auto *Elf = llvm::dyn_cast<ELFObjectFileBase>(Symbolic->get()))
    return anyUndefinedRuntimeSymbol(Elf->getDynamicSymbolIterators()) || hasRuntimeNameInGccLto(*Elf);
  return false;
}

bool isText(StringRef Contents) {
  return !Contents.contains('\0');
}

bool archiveRefersToRuntime(llvm::MemoryBufferRef File);

bool bufferRefersToRuntime(llvm::MemoryBufferRef File) {
  const llvm::file_magic Kind = llvm::identify_magic(File.getBuffer());
  // A symbol's name is in the file as it is spelt, so most files are done with after one look. A thin archive has only names of
  // members.
  if (!File.getBuffer().contains(RuntimePrefix) && !File.getBuffer().starts_with("!<thin>"))
    return false;
  switch (Kind) {
  case llvm::file_magic::archive:
    return archiveRefersToRuntime(File);
  case llvm::file_magic::bitcode:
  case llvm::file_magic::elf_relocatable:
  case llvm::file_magic::elf_shared_object:
    return symbolsReferToRuntime(File, Kind);
  case llvm::file_magic::unknown:
    return isText(File.getBuffer()); // assembly, or preprocessed
  default:
    return false;
  }
}

bool archiveRefersToRuntime(llvm::MemoryBufferRef File) {
  auto Members = Archive::create(File);
  if (!Members) {
    llvm::consumeError(Members.takeError());
    return false;
  }
  llvm::Error Problem = llvm::Error::success();
  bool Found = false;
  for (const Archive::Child &Member : (*Members)->children(Problem)) {
    auto Contents = Member.getMemoryBufferRef();
    if (!Contents)
      llvm::consumeError(Contents.takeError());
    else if ((Found = bufferRefersToRuntime(*Contents)))
      break;
  }
  llvm::consumeError(std::move(Problem));
  return Found;
}

} // namespace

std::vector<std::string> findLinkFiles(const Session &Current) {
  std::vector<std::string> Files;
  for (const Input &In : Current.Line->inputs())
    if (In.isLinkerInput() || In.isFinishedText())
      Files.push_back(In.Path);
  LibrarySearch Search(Current);
  for (const Arg *A : Current.Line->args()) {
    if (A->getOption().matches(options::OPT_l)) {
      if (std::string Path = Search.find(A->getValue()); !Path.empty())
        Files.push_back(Path);
    } else if (A->getOption().matches(options::OPT_Wl_COMMA) || A->getOption().matches(options::OPT_Xlinker)) {
      for (const char *Value : A->getValues())
        if (llvm::sys::fs::is_regular_file(Value))
          Files.push_back(Value); // perhaps only the value of an option; one file more to look into does no harm
    }
  }
  return Files;
}

bool refersToRuntime(StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Buffer && bufferRefersToRuntime(**Buffer);
}

} // namespace streamap
