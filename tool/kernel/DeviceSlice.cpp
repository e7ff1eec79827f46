//===- DeviceSlice.cpp - What kernels need of the rest of a source --------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/DeviceSlice.h"
#include "kernel/DeviceFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace streamap {

/// Visits everything that a text mentions.
class DeviceSlice::Finder : public RecursiveASTVisitor<Finder> {
  using Base = RecursiveASTVisitor<Finder>;

public:
  explicit Finder(DeviceSlice &Slice) : Slice(Slice) {}

  // The parts of a directive that Clang made are not in the text.
  bool TraverseStmt(Stmt *S) {
    if (auto *Directive = dyn_cast_or_null<OMPExecutableDirective>(S))
      return !Directive->hasAssociatedStmt() || TraverseStmt(Directive->getRawStmt());
    if (auto *Captured = dyn_cast_or_null<CapturedStmt>(S))
      return TraverseStmt(Captured->getCapturedStmt());
    return Base::TraverseStmt(S);
  }

  bool VisitDecl(Decl *D) {
    Slice.Inside.insert(D);
    if (const auto *Variable = dyn_cast<VarDecl>(D);
        Variable && Variable->isStaticLocal() && !Variable->getType().isConstQualified())
      Slice.Problems->push_back({Diag::KernelGlobal, D->getLocation(), {Variable->getNameAsString()}});
    if (const auto *Variable = dyn_cast<VarDecl>(D);
        Variable && Variable->isLocalVarDecl() && Variable->getType()->isVariablyModifiedType())
      Slice.Problems->push_back({Diag::KernelVariableArray, D->getLocation(), {}});
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Slice.useDecl(E->getDecl(), E->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl()))
      Slice.useType(*Field->getParent());
    return true;
  }
  bool VisitTypedefType(TypedefType *T) {
    Slice.useType(*T->getDecl());
    return true;
  }
  bool VisitTagType(TagType *T) {
    Slice.useType(*T->getDecl());
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee)
      Slice.Problems->push_back({Diag::KernelIndirectCall, Call->getBeginLoc(), {}});
    else
      Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitExpr(Expr *E) {
    QualType Type = E->getType().getCanonicalType();
    if (Type->isAnyComplexType() || Type->isSpecificBuiltinType(BuiltinType::LongDouble) ||
        Type->isSpecificBuiltinType(BuiltinType::Float128))
      Slice.Problems->push_back({Diag::KernelType, E->getBeginLoc(), {E->getType().getAsString()}});
    if (auto *Reference = dyn_cast<DeclRefExpr>(E); Reference && isa<FunctionDecl>(Reference->getDecl()))
      Mentioned.push_back(Reference);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    Slice.Problems->push_back({Diag::KernelAssembly, S->getBeginLoc(), {}});
    return true;
  }
  bool VisitVAArgExpr(VAArgExpr *E) {
    Slice.Problems->push_back({Diag::KernelType, E->getBeginLoc(), {"va_list"}});
    return true;
  }

  /// A function that is mentioned without being called has an address, which is another one on the device.
  void finish() {
    for (const DeclRefExpr *Reference : Mentioned)
      if (!Callees.contains(Reference))
        Slice.Problems->push_back({Diag::KernelIndirectCall, Reference->getBeginLoc(), {}});
  }

private:
  DeviceSlice &Slice;
  llvm::DenseSet<const Expr *> Callees;
  std::vector<const DeclRefExpr *> Mentioned;
};

bool DeviceSlice::isSystem(const Decl &D) const {
  const SourceManager &Sources = Context.getSourceManager();
  return D.getLocation().isInvalid() || Sources.isInSystemHeader(Sources.getExpansionLoc(D.getLocation()));
}

bool DeviceSlice::isLocal(const Decl &D) const {
  return !D.isDefinedOutsideFunctionOrMethod();
}

std::string DeviceSlice::typed(QualType Type, const std::string &Name) const {
  std::string Text = Name;
  Type.getAsStringInternal(Text, Context.getPrintingPolicy());
  return Text;
}

//===--- Looking ------------------------------------------------------------===//

void DeviceSlice::need(const Stmt *S, std::string &LocalText, std::vector<KernelProblem> &Out) {
  Problems = &Out;
  Inside.clear();
  Locals.clear();
  Finder Look(*this);
  Look.TraverseStmt(const_cast<Stmt *>(S));
  Look.finish();
  for (const NamedDecl *Local : Locals) {
    const auto *Variable = dyn_cast<VarDecl>(Local);
    LocalText += (Variable ? constantText(*Variable) : typeText(*Local)) + "\n";
  }
  Problems = nullptr;
}

void DeviceSlice::needType(QualType Type, SourceLocation Use, std::vector<KernelProblem> &Out) {
  Problems = &Out;
  Locals.clear();
  Inside.clear();
  Finder(*this).TraverseType(Type);
  const TagDecl *Tag = Type.getCanonicalType()->getAsTagDecl();
  if (!Locals.empty() || (Tag && !Tag->getIdentifier() && !Tag->getTypedefNameForAnonDecl()))
    Out.push_back({Diag::KernelType, Use, {Type.getAsString()}});
  Problems = nullptr;
}

void DeviceSlice::useDecl(const NamedDecl *D, SourceLocation Use) {
  if (const auto *Function = dyn_cast<FunctionDecl>(D))
    useFunction(*Function, Use);
  else if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && Variable->hasGlobalStorage())
    useVariable(*Variable, Use);
  else if (const auto *Constant = dyn_cast<EnumConstantDecl>(D))
    useType(*cast<NamedDecl>(Constant->getDeclContext()));
}

void DeviceSlice::useType(const NamedDecl &Declaration) {
  const NamedDecl *D = &Declaration;
  if (const auto *Tag = dyn_cast<TagDecl>(D))
    D = Tag->getDefinition() ? Tag->getDefinition() : Tag;
  if (D->isImplicit() || Inside.contains(D))
    return;
  llvm::SetVector<const NamedDecl *> &Where = isLocal(*D) ? Locals : Types;
  if (Where.contains(D))
    return;
  // What it is made of comes first; a tag may mention itself.
  if (const auto *Typedef = dyn_cast<TypedefNameDecl>(D)) {
    if (!Typedef->getUnderlyingType().getCanonicalType()->isBuiltinType())
      Finder(*this).TraverseType(Typedef->getUnderlyingType());
    Where.insert(D);
    return;
  }
  Inside.insert(D);
  if (const auto *Record = dyn_cast<RecordDecl>(D))
    for (const FieldDecl *Field : Record->fields())
      Finder(*this).TraverseDecl(const_cast<FieldDecl *>(Field));
  if (const auto *Enum = dyn_cast<EnumDecl>(D))
    for (const EnumConstantDecl *Constant : Enum->enumerators())
      Finder(*this).TraverseStmt(const_cast<Expr *>(Constant->getInitExpr()));
  Inside.erase(D);
  Where.insert(D);
}

void DeviceSlice::useVariable(const VarDecl &Variable, SourceLocation Use) {
  if (Inside.contains(&Variable))
    return;
  const VarDecl *Definition = nullptr;
  const Expr *Initializer = Variable.getAnyInitializer(Definition);
  QualType Element = Context.getBaseElementType(Variable.getType());
  if (!Element.isConstQualified() || Element.isVolatileQualified() || !Initializer) {
    Problems->push_back({Element.isConstQualified() && !Initializer ? Diag::KernelConstant : Diag::KernelGlobal,
                         Use,
                         {Variable.getNameAsString()}});
    return;
  }
  if (isLocal(Variable)) {
    Finder(*this).TraverseType(Variable.getType());
    Locals.insert(Definition);
    return;
  }
  if (Constants.contains(Definition))
    return;
  Finder(*this).TraverseType(Variable.getType());
  Finder(*this).TraverseStmt(const_cast<Expr *>(Initializer));
  Constants.insert(Definition);
}

void DeviceSlice::useFunction(const FunctionDecl &Function, SourceLocation Use) {
  StringRef Name = Function.getIdentifier() ? Function.getName() : "";
  if (Name == "streamap_task_index" || Name == "streamap_task_count") {
    if (!Active.empty())
      Problems->push_back({Diag::KernelNoBody, Use, {Name.str()}});
    return;
  }
  const FunctionDecl *Definition = nullptr;
  bool HasBody = Function.hasBody(Definition) && !isSystem(*Definition);
  if (!HasBody) {
    if (Name.starts_with("__builtin_") ? isDeviceBuiltin(Name) : findDeviceFunction(Name).has_value()) {
      if (!Name.starts_with("__builtin_"))
        Library.insert(Function.getCanonicalDecl());
      return;
    }
    HostOnly Why = whyHostOnly(Name);
    Problems->push_back({Why == HostOnly::Allocates     ? Diag::KernelAllocates
                         : Why == HostOnly::InputOutput ? Diag::KernelInputOutput
                                                        : Diag::KernelNoBody,
                         Use,
                         {Function.getNameAsString()}});
    return;
  }
  if (llvm::is_contained(Active, Definition)) {
    Problems->push_back({Diag::KernelRecursion, Use, {Function.getNameAsString()}});
    return;
  }
  if (Function.isVariadic())
    Problems->push_back({Diag::KernelNoBody, Use, {Function.getNameAsString()}});
  if (Functions.contains(Definition))
    return;
  Active.push_back(Definition);
  // The function's own declarations are not those of the kernel.
  llvm::DenseSet<const Decl *> InsideBefore = std::move(Inside);
  llvm::SetVector<const NamedDecl *> LocalsBefore = std::move(Locals);
  Inside.clear();
  Locals.clear();
  Finder Look(*this);
  Look.TraverseType(Definition->getReturnType());
  for (const ParmVarDecl *Parameter : Definition->parameters())
    Look.TraverseType(Parameter->getType());
  Look.TraverseStmt(Definition->getBody());
  Look.finish();
  Inside = std::move(InsideBefore);
  Locals = std::move(LocalsBefore);
  Active.pop_back();
  Functions.insert(Definition);
  // Whatever cannot be printed is told now, while there is someone to tell.
  functionText(*Definition, /*WithBody=*/true);
}

void DeviceSlice::forget(const Mark &Before) {
  while (Types.size() > Before.Types)
    Types.pop_back();
  while (Constants.size() > Before.Constants)
    Constants.pop_back();
  while (Functions.size() > Before.Functions)
    Functions.pop_back();
  while (Library.size() > Before.Library)
    Library.pop_back();
}

//===--- Writing ------------------------------------------------------------===//

std::string DeviceSlice::tagText(const TagDecl &Tag) const {
  std::string Text;
  std::optional<std::pair<size_t, size_t>> Range = Stream.indices(Tag.getSourceRange());
  if (Range && !isSystem(Tag)) {
    std::vector<KernelProblem> None;
    KernelText Printer(Context, Stream, None);
    TokenStream::Replacements Replaced;
    Text = Printer.tokens(Range->first, Range->second, Replaced);
  } else {
    llvm::raw_string_ostream Out(Text);
    Tag.print(Out, Context.getPrintingPolicy());
  }
  // Attributes behind the brace do not belong to its range.
  if (Tag.hasAttr<PackedAttr>() && Text.find("packed") == std::string::npos)
    Text += " __attribute__((packed))";
  if (const auto *Aligned = Tag.getAttr<AlignedAttr>(); Aligned && Text.find("align") == std::string::npos)
    Text += " __attribute__((aligned(" + std::to_string(Context.getTypeAlignInChars(Context.getTagDeclType(&Tag)).getQuantity()) +
            ")))";
  return Text;
}

/// \p Type's size, for the compilers to agree on. Not in a function's own declarations, which C has to read too.
std::string DeviceSlice::sizeCheck(const NamedDecl &Declaration, QualType Type, const std::string &Name) const {
  if (isLocal(Declaration))
    return "";
  return " static_assert(sizeof(" + Name + ") == " + std::to_string(Context.getTypeSizeInChars(Type).getQuantity()) +
         ", \"another layout\");";
}

std::string DeviceSlice::typeText(const NamedDecl &Declaration) const {
  if (const auto *Tag = dyn_cast<TagDecl>(&Declaration)) {
    if (Tag->getTypedefNameForAnonDecl())
      return ""; // its typedef writes it
    std::string Text = tagText(*Tag) + ";";
    if (isa<RecordDecl>(Tag) && Tag->getIdentifier() && Tag->isCompleteDefinition())
      Text += sizeCheck(*Tag, Context.getTagDeclType(Tag), typed(Context.getTagDeclType(Tag), ""));
    return Text;
  }
  const auto &Typedef = cast<TypedefNameDecl>(Declaration);
  QualType Type = Typedef.getUnderlyingType();
  std::string Name = Typedef.getNameAsString();
  if (const TagDecl *Tag = Type->getAsTagDecl(); Tag && Tag->getTypedefNameForAnonDecl() == &Typedef)
    return "typedef " + tagText(*Tag) + " " + Name + ";" + (Tag->isCompleteDefinition() ? sizeCheck(Typedef, Type, Name) : "");
  return "typedef " + typed(Type.getCanonicalType()->isBuiltinType() ? Type.getCanonicalType() : Type, Name) + ";";
}

std::string DeviceSlice::constantText(const VarDecl &Variable) {
  std::vector<KernelProblem> None;
  KernelText Printer(Context, Stream, Problems ? *Problems : None);
  std::string Text = typed(Variable.getType(), Variable.getNameAsString());
  // The text of a macro's value: whatever it was made of has been expanded.
  return Text + " = " + Printer.expression(Variable.getInit()) + ";";
}

/// \p Function for a device: parameters that C++ cannot declare as written become what they decay to.
std::string DeviceSlice::functionText(const FunctionDecl &Function, bool WithBody) {
  std::vector<KernelProblem> None;
  std::vector<KernelProblem> &Told = Problems ? *Problems : None;
  KernelText Printer(Context, Stream, Told);
  std::optional<size_t> Begin = Stream.indexOf(Function.getBeginLoc());
  std::optional<size_t> Open = Stream.indexOf(Function.getBody()->getBeginLoc());
  if (!Begin || !Open || !Function.hasPrototype()) {
    Told.push_back({Diag::KernelMacro, Function.getLocation(), {}});
    return "";
  }
  TokenStream::Replacements Replaced;
  std::string Strides;
  for (const ParmVarDecl *Parameter : Function.parameters()) {
    if (!Parameter->getOriginalType()->isArrayType() && !pointsToVariableArray(Parameter->getType()))
      continue;
    QualType Type = Parameter->getType();
    if (pointsToVariableArray(Type)) {
      QualType Element = Type->getPointeeType();
      for (unsigned Level = 0; Level < flatLevels(Context, Type); ++Level) {
        const VariableArrayType *Array = Context.getAsVariableArrayType(Element);
        Element = Array->getElementType();
        std::string Size = Array->getSizeExpr() ? "(streamap_int)(" + Printer.expression(Array->getSizeExpr()) + ")" : "0";
        for (QualType Inner = Element; const VariableArrayType *Next = Context.getAsVariableArrayType(Inner);
             Inner = Next->getElementType())
          Size += " * (streamap_int)(" + Printer.expression(Next->getSizeExpr()) + ")";
        Strides += " const streamap_int " + strideName(*Parameter, Level) + " = " + Size + "; (void)" +
                   strideName(*Parameter, Level) + ";";
      }
      Type = Context.getPointerType(flatElement(Context, Type));
    }
    if (std::optional<std::pair<size_t, size_t>> Range = Stream.indices(Parameter->getSourceRange()))
      Replaced[Range->first] = {Range->second, typed(Type, Parameter->getNameAsString())};
  }
  std::string Text = "__device__ " + Printer.tokens(*Begin, *Open, Replaced);
  if (!WithBody)
    return Text + ";";
  std::string Body = Printer.statement(Function.getBody());
  return Text + "{" + Strides + Body.substr(Body.find('{') + 1);
}

std::string DeviceSlice::text() {
  const SourceManager &Sources = Context.getSourceManager();
  std::string Text;
  auto place = [&](SourceLocation Loc) {
    PresumedLoc Place = Sources.getPresumedLoc(Sources.getExpansionLoc(Loc));
    return Place.isValid() ? "#line " + std::to_string(Place.getLine()) + " \"" + Place.getFilename() + "\"\n" : std::string();
  };
  // Each was taken in behind what it is made of.
  for (const NamedDecl *Declaration : Types)
    if (std::string Written = typeText(*Declaration); !Written.empty())
      Text += Written + "\n";
  for (const VarDecl *Constant : Constants)
    Text += "static __device__ " + constantText(*Constant) + "\n";
  for (const FunctionDecl *Function : Functions)
    Text += functionText(*Function, /*WithBody=*/false) + "\n";
  for (const FunctionDecl *Function : Functions)
    Text += place(Function->getBeginLoc()) + functionText(*Function, /*WithBody=*/true) + "\n";
  return Text;
}

std::vector<LibraryUse> DeviceSlice::library() const {
  std::vector<LibraryUse> Uses;
  for (const FunctionDecl *Function : Library) {
    LibraryUse Use;
    Use.Name = Function->getNameAsString();
    std::string List;
    for (unsigned I = 0; I < Function->getNumParams(); ++I) {
      std::string Name = "streamap_x" + std::to_string(I);
      List += (I ? ", " : "") + typed(Function->getParamDecl(I)->getType().getCanonicalType(), Name);
      Use.Arguments += (I ? ", " : "") + Name;
    }
    Use.Head = typed(Function->getReturnType().getCanonicalType(), "%(" + List + ")");
    Uses.push_back(std::move(Use));
  }
  return Uses;
}

std::string renameKeywords(const std::string &Text) {
  static const llvm::StringSet<> Keywords = {
      "alignas",  "alignof",     "asm",       "bool",       "catch",        "char16_t",  "char32_t",
      "class",    "concept",     "constexpr", "const_cast", "decltype",     "delete",    "dynamic_cast",
      "explicit", "export",      "false",     "friend",     "mutable",      "namespace", "new",
      "noexcept", "nullptr",     "operator",  "private",    "protected",    "public",    "reinterpret_cast",
      "requires", "static_cast", "template",  "this",       "thread_local", "throw",     "true",
      "try",      "typeid",      "typename",  "using",      "virtual",      "wchar_t",   "threadIdx",
      "blockIdx", "blockDim",    "gridDim",   "warpSize"};
  // C says these with a macro or an underscore, so as plain words they are keywords of its later editions too.
  static const llvm::StringSet<> Shared = {"alignas", "alignof", "asm",          "bool", "constexpr",
                                           "false",   "nullptr", "thread_local", "true", "wchar_t"};
  llvm::StringSet<> Seen;
  std::string Defines;
  for (size_t I = 0; I < Text.size();) {
    if (!isalpha(static_cast<unsigned char>(Text[I])) && Text[I] != '_') {
      ++I;
      continue;
    }
    size_t End = I;
    while (End < Text.size() && (isalnum(static_cast<unsigned char>(Text[End])) || Text[End] == '_'))
      ++End;
    StringRef Word(Text.data() + I, End - I);
    if (Keywords.contains(Word) && !Shared.contains(Word) && Seen.insert(Word).second)
      Defines += "#define " + Word.str() + " streamap_c_" + Word.str() + "\n";
    I = End;
  }
  return Defines;
}

} // namespace streamap
