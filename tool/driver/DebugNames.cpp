//===- DebugNames.cpp - The names that a debugger shows -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugNames.h"
#include "Complaint.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace streamap {

using llvm::StringRef;

namespace {

/// DWARF's strings; gcc -flto keeps them under another name until the link.
bool holdsDebugStrings(StringRef Section) {
  return Section == ".debug_str" || Section == ".gnu.debuglto_.debug_str";
}

/// Offsets in \p Table at which a suffix ends a string that it does not begin.
void findSuffixes(StringRef Table, size_t Base, llvm::SmallVectorImpl<size_t> &Offsets) {
  for (size_t At = Table.find(BodySuffix); At != StringRef::npos; At = Table.find(BodySuffix, At + 1)) {
    const size_t End = At + BodySuffix.size();
    if (At > 0 && Table[At - 1] != '\0' && End < Table.size() && Table[End] == '\0')
      Offsets.push_back(Base + At);
  }
}

/// Offsets in the file at which a string has to end.
llvm::Expected<llvm::SmallVector<size_t>> findCuts(llvm::MemoryBufferRef File) {
  llvm::SmallVector<size_t> Cuts;
  auto Object = llvm::object::ObjectFile::createELFObjectFile(File);
  if (!Object)
    return Object.takeError();
  for (const llvm::object::SectionRef &Section : (*Object)->sections()) {
    auto Name = Section.getName();
    auto Contents = Section.getContents();
    if (!Name || !Contents) {
      llvm::consumeError(Name.takeError());
      llvm::consumeError(Contents.takeError());
      continue;
    }
    if (!holdsDebugStrings(*Name) || Section.isCompressed())
      continue;
    findSuffixes(*Contents, static_cast<size_t>(Contents->data() - File.getBufferStart()), Cuts);
  }
  return Cuts;
}

} // namespace

llvm::Error restoreDebugNames(StringRef Path) {
  if (!llvm::sys::fs::is_regular_file(Path))
    return llvm::Error::success();
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return complain(Diag::CannotRead, {Path.str(), Buffer.getError().message()});
  if (!(*Buffer)->getBuffer().starts_with("\177ELF"))
    return llvm::Error::success();
  auto Cuts = findCuts(**Buffer);
  if (!Cuts)
    return Cuts.takeError();
  if (Cuts->empty())
    return llvm::Error::success();
  const int File = open(Path.str().c_str(), O_WRONLY | O_CLOEXEC);
  bool Written = File >= 0;
  for (size_t Cut : *Cuts)
    Written = Written && pwrite(File, "", 1, static_cast<off_t>(Cut)) == 1;
  const int Problem = errno;
  if (File >= 0)
    close(File);
  return Written ? llvm::Error::success() : complain(Diag::CannotWrite, {Path.str(), std::strerror(Problem)});
}

} // namespace streamap
