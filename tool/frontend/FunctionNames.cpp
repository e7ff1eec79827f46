//===- FunctionNames.cpp - What generated code calls a function -----------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/FunctionNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"

#include <algorithm>

using namespace clang;

namespace streamap {

namespace {

/// `<T, N, Rest...>`; empty when no parameter has a name.
std::string argumentsOf(const TemplateParameterList &List) {
  std::string Result;
  for (const NamedDecl *Parameter : List) {
    if (!Parameter->getIdentifier())
      break; // those behind it have defaults too, or are deduced
    Result += (Result.empty() ? "<" : ", ") + Parameter->getName().str();
    if (Parameter->isParameterPack())
      Result += "...";
  }
  return Result.empty() ? "" : Result + ">";
}

} // namespace

std::string symbolOf(const FunctionDecl &Function) {
  if (const auto *Label = Function.getAttr<AsmLabelAttr>())
    return Label->getLabel().str();
  if (!Function.getASTContext().getLangOpts().CPlusPlus || Function.isExternC())
    return Function.getNameAsString();
  if (Function.isDependentContext() || isa<CXXConstructorDecl, CXXDestructorDecl>(Function))
    return Function.getNameAsString();
  std::unique_ptr<MangleContext> Mangler(Function.getASTContext().createMangleContext());
  if (!Mangler->shouldMangleDeclName(&Function))
    return Function.getNameAsString();
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  Mangler->mangleName(GlobalDecl(&Function), Out);
  // Names within the unit may hold characters that no identifier has.
  std::replace_if(Result.begin(), Result.end(), [](char C) { return !llvm::isAlnum(C) && C != '_'; }, '_');
  return Result;
}

std::vector<std::string> namespacesOf(const FunctionDecl &Function) {
  std::vector<std::string> Result;
  for (const DeclContext *Context = Function.getDeclContext(); Context; Context = Context->getParent())
    if (const auto *Space = dyn_cast<NamespaceDecl>(Context))
      Result.insert(Result.begin(), Space->getNameAsString());
  return Result;
}

std::string namespaceScope(const FunctionDecl &Function) {
  std::string Result = "::";
  for (const std::string &Name : namespacesOf(Function))
    if (!Name.empty())
      Result += Name + "::";
  return Result;
}

std::vector<std::string> namespacesAround(const FunctionDecl &Function) {
  std::vector<std::string> Result = namespacesOf(Function);
  size_t Open = 0;
  for (const DeclContext *Context = Function.getLexicalDeclContext(); Context; Context = Context->getLexicalParent())
    Open += isa<NamespaceDecl>(Context);
  Result.erase(Result.begin(), Result.begin() + static_cast<std::ptrdiff_t>(std::min(Open, Result.size())));
  return Result;
}

std::string selfName(const FunctionDecl &Function) {
  std::string Arguments;
  const FunctionTemplateDecl *Template = Function.getDescribedFunctionTemplate();
  if (Template)
    Arguments = argumentsOf(*Template->getTemplateParameters());
  std::string Name = Function.getNameAsString();
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Function.getDeclContext())) {
    // The class's own name, within it, is the class that is being looked at.
    bool InTemplate = Class->isDependentContext();
    return Class->getNameAsString() + "::" + (InTemplate && !Arguments.empty() ? "template " : "") + Name + Arguments;
  }
  // The cast to its type chooses an explicit specialisation.
  return namespaceScope(Function) + Name + Arguments;
}

} // namespace streamap
