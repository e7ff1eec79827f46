//===- CheckTask.cpp - What a task may be and take ------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTask.h"
#include "frontend/CheckTaskReach.h"
#include "frontend/Passing.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

#include <string>

using namespace clang;

namespace streamap {

namespace {

/// A pointer inside a value, and the way to it.
struct HeldPointer {
  std::string Path; ///< "member 'next' has type 'struct node *'"
  SourceLocation Where;
};

/// Looks through arrays and _Atomic.
QualType elementType(ASTContext &Context, QualType Type) {
  Type = Context.getBaseElementType(Type);
  while (const auto *Atomic = Type->getAs<AtomicType>())
    Type = Context.getBaseElementType(Atomic->getValueType());
  return Type;
}

bool holdsAddress(QualType Type) {
  return Type->isAnyPointerType() || Type->isReferenceType() || Type->isMemberPointerType() || Type->isBlockPointerType();
}

/// The first pointer in a value of \p Type, through members, bases, unions and
/// arrays. \p Prefix names the member that is looked at.
std::optional<HeldPointer> findPointer(ASTContext &Context, QualType Type, const std::string &Prefix, SourceLocation Where) {
  Type = elementType(Context, Type);
  if (holdsAddress(Type)) {
    std::string Member = Prefix.empty() ? std::string("it") : "member '" + Prefix + "'";
    return HeldPointer{Member + " has type '" + Type.getAsString(Context.getPrintingPolicy()) + "'", Where};
  }
  const RecordDecl *Record = Type->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || Record->isInvalidDecl())
    return std::nullopt;
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Record)) {
    if (Class->isDynamicClass())
      return HeldPointer{"'" + Class->getNameAsString() + "' has virtual functions or bases", Class->getLocation()};
    for (const CXXBaseSpecifier &Base : Class->bases())
      if (std::optional<HeldPointer> Found = findPointer(Context, Base.getType(), Prefix, Base.getBeginLoc()))
        return Found;
  }
  for (const FieldDecl *Field : Record->fields()) {
    std::string Name = Field->getNameAsString();
    std::string Path = Name.empty() || Prefix.empty() ? Prefix + Name : Prefix + "." + Name;
    if (std::optional<HeldPointer> Found = findPointer(Context, Field->getType(), Path, Field->getLocation()))
      return Found;
  }
  return std::nullopt;
}

const FunctionDecl &patternOf(const FunctionDecl &Task) {
  const FunctionDecl *Pattern = Task.getTemplateInstantiationPattern();
  return Pattern ? *Pattern : Task;
}

/// Checks the type of one parameter.
class ParameterCheck {
public:
  ParameterCheck(const FunctionDecl &Task, const ParmVarDecl &Parameter, Reporter &Report)
      : Context(Task.getASTContext()), Parameter(Parameter), Report(Report),
        Names({Parameter.getNameAsString(), Task.getNameAsString()}) {}

  void run() {
    QualType Type = Parameter.getType();
    if (Type->isDependentType())
      return;
    if (Type->isRValueReferenceType())
      Report.report(Diag::RvalueReference, Parameter.getLocation(), Names);
    else if (passingOf(Type) == Passing::Value && (Type->isReferenceType() || Type->isRecordType()))
      checkValue(Type.getNonReferenceType());
    else if (passingOf(Type) == Passing::Span)
      checkPointee(spanElement(Type));
    else if (Type->isReferenceType() || Type->isAnyPointerType())
      checkPointee(Type->getPointeeType());
    else if (std::optional<HeldPointer> Held = findPointer(Context, Type, "", Parameter.getLocation()))
      reportHeld(Diag::PointerInside, *Held);
  }

private:
  /// What is copied at the call.
  void checkValue(QualType Type) {
    if (!Type.isTriviallyCopyableType(Context))
      reportNotCopyable(Type);
    else if (std::optional<HeldPointer> Held = findPointer(Context, Type, "", Parameter.getLocation()))
      reportHeld(Diag::PointerInside, *Held);
  }

  void reportNotCopyable(QualType Type) {
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    const std::string &Name = Names.front();
    bool HasElements = Class && llvm::any_of(Class->methods(), [](const CXXMethodDecl *Method) {
                         return Method->getIdentifier() && Method->getName() == "data";
                       });
    Report.report(Diag::NotCopyable, Parameter.getLocation(),
                  {Name, Names.back(), Type.getUnqualifiedType().getAsString(Context.getPrintingPolicy()),
                   HasElements ? Name + ".data(), " + Name + ".size()" : ""});
  }

  void checkPointee(QualType Pointee) {
    QualType Element = elementType(Context, Pointee);
    if (Element->isFunctionType() || Element->isFunctionPointerType())
      Report.report(Diag::FunctionPointer, Parameter.getLocation(), Names);
    else if (holdsAddress(Element))
      Report.report(Diag::PointerToPointer, Parameter.getLocation(), Names);
    else if (Element->isRecordType() && !Element->isIncompleteType() && !Element.isTriviallyCopyableType(Context))
      reportElements(Element);
    else if (std::optional<HeldPointer> Held = findPointer(Context, Element, "", Parameter.getLocation()))
      reportHeld(Diag::PointerInElement, *Held);
  }

  void reportElements(QualType Element) {
    if (Parameter.getType()->isReferenceType())
      reportNotCopyable(Element);
    else
      Report.report(Diag::ElementsNotCopyable, Parameter.getLocation(),
                    {Names.front(), Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy())});
  }

  void reportHeld(Diag Id, const HeldPointer &Held) {
    Names.push_back(Held.Path);
    Report.report(Id, Parameter.getLocation(), Names);
    if (Held.Where != Parameter.getLocation())
      Report.note(Held.Where, "declared here");
  }

  ASTContext &Context;
  const ParmVarDecl &Parameter;
  Reporter &Report;
  std::vector<std::string> Names;
};

/// Why a function is of no kind that can be a task.
std::optional<Diag> faultOfKind(const FunctionDecl &Task) {
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Task); Method && !Method->isStatic())
    return Diag::ObjectMember;
  if (isa_and_nonnull<CoroutineBodyStmt>(Task.getBody()))
    return Diag::Coroutine;
  if (Task.isDeletedAsWritten() || Task.isDefaulted())
    return Diag::Deleted;
  if (Task.isConsteval())
    return Diag::Consteval;
  if (Task.getDeclaredReturnType()->getContainedAutoType() != nullptr)
    return Diag::DeducedReturn;
  if (Task.getFriendObjectKind() != Decl::FOK_None && Task.getLexicalDeclContext()->isRecord())
    return Diag::FriendTask;
  return std::nullopt;
}

/// A parameter that stands for any number of them; null if there is none.
const ParmVarDecl *findPack(const FunctionDecl &Task) {
  for (const ParmVarDecl *Parameter : patternOf(Task).parameters())
    if (Parameter->isParameterPack())
      return Parameter;
  return nullptr;
}

void checkSignature(const FunctionDecl &Task, Reporter &Report) {
  std::string Name = Task.getNameAsString();
  const auto &Policy = Task.getASTContext().getPrintingPolicy();
  if (std::optional<Diag> Fault = faultOfKind(Task)) {
    Report.report(*Fault, Task.getLocation(), {Name});
    return;
  }
  if (const ParmVarDecl *Pack = findPack(Task)) {
    Report.report(Diag::ParameterPack, Pack->getLocation(), {Pack->getNameAsString(), Name});
    return;
  }
  if (!Task.getReturnType()->isVoidType())
    Report.report(Diag::NotVoid, Task.getLocation(), {Name, Task.getReturnType().getAsString(Policy)});
  if (Task.isVariadic())
    Report.report(Diag::Variadic, Task.getLocation(), {Name});
  if (!Task.hasPrototype() && Task.getNumParams() > 0)
    Report.report(Diag::NoPrototype, Task.getLocation(), {Name});
  for (const ParmVarDecl *Parameter : Task.parameters())
    ParameterCheck(Task, *Parameter, Report).run();
}

} // namespace

void checkTask(const FunctionDecl &Task, const CallableSet &Callable, Reporter &Report) {
  checkSignature(Task, Report);
  if (Task.doesThisDeclarationHaveABody())
    checkReach(Task, "task '" + Task.getNameAsString() + "'", Callable, Report);
}

bool isTaskKind(const FunctionDecl &Task) {
  return !faultOfKind(Task) && !findPack(Task);
}

void checkCallable(const FunctionDecl &Function, const CallableSet &Callable, Reporter &Report) {
  if (Function.doesThisDeclarationHaveABody())
    checkReach(Function, "'" + Function.getNameAsString() + "', which is declared callable,", Callable, Report);
}

} // namespace streamap
