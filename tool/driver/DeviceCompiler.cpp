//===- DeviceCompiler.cpp - Kernels to images inside the object -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCompiler.h"
#include "Complaint.h"
#include "TextFile.h"
#include "kernel/CompilePtx.h"
#include "kernel/DeviceFunctions.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

/// What nvcc's and Clang's own code generators know; the drivers of both load PTX of an older architecture.
constexpr unsigned OldestForClang = 60, NewestForClang = 90, OldestForNvcc = 75;

llvm::Expected<std::string> readBytes(StringRef Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::errorCodeToError(Buffer.getError());
  return (*Buffer)->getBuffer().str();
}

/// 7.5, 75 and sm_75 are the same architecture; 0 if it is none.
unsigned readArchitecture(StringRef Word) {
  if (!Word.consume_front("sm_"))
    Word.consume_front("compute_");
  std::string Digits;
  for (char C : Word)
    if (C != '.')
      Digits += C;
  unsigned Value = 0;
  if (StringRef(Digits).getAsInteger(10, Value) || Value < 20 || Value > 999)
    return 0;
  return Value;
}

void appendLiteral(std::string &Text, StringRef Bytes) {
  constexpr size_t PerLine = 512;
  for (size_t Begin = 0; Begin < Bytes.size(); Begin += PerLine) {
    Text += "\"";
    for (char C : Bytes.substr(Begin, PerLine)) {
      auto Byte = static_cast<unsigned char>(C);
      if (Byte >= 0x20 && Byte < 0x7F && C != '"' && C != '\\' && C != '?') {
        Text += C;
        continue;
      }
      Text += '\\';
      for (int Shift = 6; Shift >= 0; Shift -= 3)
        Text += static_cast<char>('0' + ((Byte >> Shift) & 7));
    }
    Text += "\"\n";
  }
}

std::string archTable(const std::string &Name, const std::vector<uint16_t> &Architectures) {
  if (Architectures.empty())
    return "";
  std::string Text = "static const __UINT16_TYPE__ " + Name + "[] = { ";
  for (uint16_t Architecture : Architectures)
    Text += std::to_string(Architecture) + ", ";
  return Text + "0 };\n";
}

} // namespace

std::string imageDefinitions(const std::vector<DeviceImage> &Images) {
  std::string Text, Rows;
  for (size_t I = 0; I < Images.size(); ++I) {
    const DeviceImage &Image = Images[I];
    std::string Name = "streamap_image_" + std::to_string(I), Binary = Name + "_binary", Ptx = Name + "_text";
    Text += archTable(Binary, Image.BinaryArchitectures) + archTable(Ptx, Image.TextArchitectures);
    Text += "static const unsigned char " + Name + "[] __attribute__((aligned(64))) =\n";
    appendLiteral(Text, Image.Bytes);
    Text += ";\n";
    Rows += std::string(" {") + Image.Form + ", sizeof " + Name + ", " + Name + ", " +
            (Image.BinaryArchitectures.empty() ? "0" : Binary) + ", " + (Image.TextArchitectures.empty() ? "0" : Ptx) + "},";
  }
  return Text + "#define STREAMAP_UNIT_IMAGES" + Rows;
}

std::string DeviceCompiler::sourceText(const DeviceSource &Source) {
  return "#define STREAMAP_DEVICE_SOURCE\n#include <streamap/kernel.h>\n" + Source.Text;
}

bool DeviceCompiler::isFast() const {
  return Current.Line->args().hasFlag(options::OPT_ffast_math, options::OPT_fno_fast_math, false) ||
         llvm::is_contained(Current.Line->args().getAllArgValues(options::OPT_O), "fast");
}

bool DeviceCompiler::contracts() const {
  StringRef Value = Current.Line->args().getLastArgValue(options::OPT_ffp_contract);
  return Value.empty() ? isFast() : Value != "off";
}

/// Where a CUDA toolkit may be, likeliest first.
static void addUsualRoots(std::vector<std::string> &Roots) {
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *Root = std::getenv(Variable))
      Roots.push_back(Root);
  if (llvm::ErrorOr<std::string> InPath = llvm::sys::findProgramByName("nvcc")) {
    llvm::SmallString<128> Real;
    if (!llvm::sys::fs::real_path(*InPath, Real))
      Roots.push_back(path::parent_path(path::parent_path(Real)).str());
  }
  Roots.push_back("/usr/local/cuda");
}

std::string DeviceCompiler::toolkitFile(StringRef Name) const {
  std::vector<std::string> Roots;
  if (const std::string &Asked = Current.Line->own().CudaPath; !Asked.empty()) {
    Roots.push_back(Asked);
  } else {
    addUsualRoots(Roots);
  }
  for (const std::string &Root : Roots) {
    llvm::SmallString<128> Path(Root);
    path::append(Path, Name);
    if (llvm::sys::fs::exists(Path))
      return std::string(Path);
  }
  return "";
}

std::string DeviceCompiler::findNvcc() const {
  std::string Asked = Current.Line->own().DeviceCompiler;
  if (const char *Variable = std::getenv("STREAMAP_DEVICE_COMPILER"); Variable && Asked.empty())
    Asked = Variable;
  if (Asked == "clang")
    return "";
  return Asked.empty() ? toolkitFile("bin/nvcc") : Asked;
}

/// Ascending. \p Nvcc is empty for Clang.
llvm::Expected<std::vector<unsigned>> DeviceCompiler::architectures(StringRef Nvcc) const {
  const std::string &Asked = Current.Line->own().CudaArch;
  std::set<unsigned> Result;
  if (!Asked.empty() && Asked != "all-major") {
    llvm::SmallVector<StringRef, 8> Words;
    StringRef(Asked).split(Words, ',');
    for (StringRef Word : Words) {
      unsigned Architecture = readArchitecture(Word);
      if (Architecture == 0)
        return complain(Diag::OwnOptionValue, {"--streamap-cuda-arch=" + Asked, "names no architecture", "a list such as 75,90"});
      Result.insert(Architecture);
    }
  } else if (Nvcc.empty()) {
    Result.insert(OldestForClang);
  } else {
    llvm::Expected<Captured> Known = captureOutput({{Nvcc.str(), "--list-gpu-code"}});
    if (!Known)
      return Known.takeError();
    std::set<unsigned> Majors;
    llvm::SmallVector<StringRef, 32> Lines;
    StringRef(Known->Output).split(Lines, '\n', -1, false);
    for (StringRef Line : Lines)
      if (unsigned Architecture = readArchitecture(Line.trim()); Architecture != 0 && Majors.insert(Architecture / 10).second)
        Result.insert(Architecture);
    if (Result.empty())
      Result.insert(OldestForNvcc);
  }
  return std::vector<unsigned>(Result.begin(), Result.end());
}

llvm::Expected<std::vector<DeviceImage>> DeviceCompiler::compileWithNvcc(StringRef Nvcc, const DeviceSource &Source,
                                                                         StringRef Shown) {
  llvm::Expected<std::vector<unsigned>> Asked = architectures(Nvcc);
  if (!Asked)
    return Asked.takeError();
  const std::string Input = Files.file("kernels.cu"), Output = Files.file("kernels.fatbin");
  if (llvm::Error Problem = writeTextFile(Input, sourceText(Source)))
    return Problem;
  DeviceImage Image{"STREAMAP_IMAGE_FATBIN", "", {}, {}};
  Command Compile{
      {Nvcc.str(), "-fatbin", "-std=c++17", "-O3", "-w", "-idirafter", Current.Places.IncludeDirectory, "-o", Output}};
  Compile.Words[5] = "-I"; // nvcc has no -idirafter of its own
  Compile.Words.push_back(contracts() ? "-fmad=true" : "-fmad=false");
  if (isFast())
    Compile.Words.push_back("-use_fast_math");
  if (Asked->size() > 1)
    Compile.Words.insert(Compile.Words.end(), {"--threads", "0"});
  for (unsigned Architecture : *Asked) {
    std::string Number = std::to_string(Architecture);
    Compile.Words.insert(Compile.Words.end(), {"-gencode", "arch=compute_" + Number + ",code=sm_" + Number});
    Image.BinaryArchitectures.push_back(static_cast<uint16_t>(Architecture));
  }
  // Text of the newest, for devices that are newer still.
  std::string Newest = std::to_string(Asked->back());
  Compile.Words.insert(Compile.Words.end(), {"-gencode", "arch=compute_" + Newest + ",code=compute_" + Newest, Input});
  Image.TextArchitectures.push_back(static_cast<uint16_t>(Asked->back()));
  Compile.TemporaryDirectory = Files.directory().str();
  llvm::Expected<Captured> Done = captureOutput(Compile, /*WithErrors=*/true);
  if (!Done)
    return Done.takeError();
  if (Done->Status != 0)
    return complain(Diag::DeviceCompilerFailed, {Nvcc.str(), Shown.str(), Done->Errors + Done->Output});
  llvm::Expected<std::string> Bytes = readBytes(Output);
  if (!Bytes)
    return Bytes.takeError();
  Image.Bytes = std::move(*Bytes);
  return std::vector<DeviceImage>{std::move(Image)};
}

llvm::Expected<std::vector<DeviceImage>> DeviceCompiler::compileWithClang(const DeviceSource &Source, StringRef Shown) {
  llvm::Expected<std::vector<unsigned>> Asked = architectures("");
  if (!Asked)
    return Asked.takeError();
  PtxRequest Request;
  Request.Libdevice = toolkitFile("nvvm/libdevice/libdevice.10.bc");
  std::string Declarations;
  for (const LibraryUse &Use : Source.Uses) {
    DeviceFunction Function = *findDeviceFunction(Use.Name);
    if (Function.Builtin.empty() && Request.Libdevice.empty()) {
      llvm::WithColor::warning(llvm::errs(), Current.ToolName)
          << fillText(findDiagnostic(Diag::NoLibdevice)->Text, {Shown.str(), Use.Name}) << " [SM1711]\n";
      return std::vector<DeviceImage>();
    }
    auto head = [&](const std::string &Name) {
      std::string Head = Use.Head;
      return Head.replace(Head.find('%'), 1, Name);
    };
    if (Function.Builtin.empty())
      Declarations += "extern \"C\" __device__ " + head(Function.Libdevice) + ";\n";
    Declarations += "namespace streamap_unit { static __device__ inline " + head(Use.Name) + " { return " +
                    (Function.Builtin.empty() ? Function.Libdevice : Function.Builtin) + "(" + Use.Arguments + "); } }\n";
  }
  // The text of the oldest runs on all.
  unsigned Architecture = std::min(std::max(Asked->front(), OldestForClang), NewestForClang);
  Request.Text =
      "#define STREAMAP_DEVICE_SOURCE\n#define STREAMAP_NO_TOOLKIT\n#include <streamap/kernel.h>\n" + Declarations + Source.Text;
  Request.IncludeDirectory = Current.Places.IncludeDirectory;
  Request.Architecture = Architecture;
  Request.Contract = contracts();
  Request.Fast = isFast();
  PtxResult Ptx = compilePtx(Request);
  if (!Ptx.Succeeded)
    return complain(Diag::DeviceCompilerFailed, {"clang", Shown.str(), Ptx.Messages});
  return std::vector<DeviceImage>{{"STREAMAP_IMAGE_PTX", std::move(Ptx.Text), {}, {static_cast<uint16_t>(Architecture)}}};
}

llvm::Expected<std::vector<DeviceImage>> DeviceCompiler::compileWithHipcc(const DeviceSource &Source, StringRef Shown) {
  llvm::ErrorOr<std::string> Hipcc = llvm::sys::findProgramByName("hipcc");
  if (!Hipcc)
    return complain(Diag::NoHipcc);
  const std::string Input = Files.file("kernels.hip"), Output = Files.file("kernels.hsaco");
  if (llvm::Error Problem = writeTextFile(Input, sourceText(Source)))
    return Problem;
  Command Compile{{*Hipcc, "--genco", "-std=c++17", "-O3", "-w", "-I", Current.Places.IncludeDirectory, "-o", Output,
                   std::string("-ffp-contract=") + (contracts() ? "fast" : "off"), "-x", "hip", Input}};
  Compile.TemporaryDirectory = Files.directory().str();
  llvm::Expected<Captured> Done = captureOutput(Compile, /*WithErrors=*/true);
  if (!Done)
    return Done.takeError();
  if (Done->Status != 0)
    return complain(Diag::DeviceCompilerFailed, {*Hipcc, Shown.str(), Done->Errors + Done->Output});
  llvm::Expected<std::string> Bytes = readBytes(Output);
  if (!Bytes)
    return Bytes.takeError();
  return std::vector<DeviceImage>{{"STREAMAP_IMAGE_HSACO", std::move(*Bytes), {}, {}}};
}

llvm::Expected<std::vector<DeviceImage>> DeviceCompiler::compile(const DeviceSource &Source, StringRef Shown) {
  const std::string &Device = Current.Line->own().Device;
  if (Source.empty() || Device == "none")
    return std::vector<DeviceImage>();
  if (Device == "hip")
    return compileWithHipcc(Source, Shown);
  if (!Device.empty() && Device != "cuda")
    return complain(Diag::OwnOptionValue, {"--streamap-device=" + Device, "names no kind of device", "none, cuda or hip"});
  std::string Nvcc = findNvcc();
  return Nvcc.empty() ? compileWithClang(Source, Shown) : compileWithNvcc(Nvcc, Source, Shown);
}

} // namespace streamap
