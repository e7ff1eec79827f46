//===- Instantiations.cpp - What became of a template's function ----------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Instantiations.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace streamap {

namespace {

/// What \p Record's members are instantiated into; itself where it is no pattern.
std::vector<CXXRecordDecl *> instancesOf(CXXRecordDecl &Record) {
  if (!Record.isDependentContext())
    return {&Record};
  // The declaration that the instances belong to: a partial specialisation's are its primary template's.
  NamedDecl *Named = &Record;
  if (auto *Special = dyn_cast<ClassTemplateSpecializationDecl>(&Record))
    Named = Special->getSpecializedTemplate();
  else if (ClassTemplateDecl *Template = Record.getDescribedClassTemplate())
    Named = Template;
  std::vector<NamedDecl *> Places;
  auto *Outer = dyn_cast<CXXRecordDecl>(Record.getDeclContext());
  if (Outer && Outer->isDependentContext())
    for (CXXRecordDecl *Instance : instancesOf(*Outer))
      for (NamedDecl *Found : Instance->lookup(Named->getDeclName()))
        Places.push_back(Found);
  else
    Places.push_back(Named);
  std::vector<CXXRecordDecl *> Result;
  auto add = [&](CXXRecordDecl *Candidate) {
    const CXXRecordDecl *Pattern = Candidate->getTemplateInstantiationPattern();
    if (Pattern && Pattern->getCanonicalDecl() == Record.getCanonicalDecl() && Candidate->hasDefinition())
      Result.push_back(Candidate->getDefinition());
  };
  for (NamedDecl *Place : Places) {
    if (auto *Template = dyn_cast<ClassTemplateDecl>(Place))
      for (ClassTemplateSpecializationDecl *Special : Template->specializations())
        add(Special);
    else if (auto *Class = dyn_cast<CXXRecordDecl>(Place))
      add(Class);
  }
  return Result;
}

} // namespace

const FunctionDecl *taskKey(const FunctionDecl &Function) {
  const FunctionDecl *Pattern = Function.getTemplateInstantiationPattern();
  return (Pattern ? Pattern : &Function)->getCanonicalDecl();
}

bool isPattern(const FunctionDecl &Function) {
  return Function.isDependentContext();
}

std::vector<FunctionDecl *> instantiationsOf(const FunctionDecl &Function) {
  std::vector<FunctionDecl *> Result;
  auto add = [&](FunctionDecl *Candidate) {
    FunctionDecl *Definition = Candidate->getDefinition();
    if (Definition && !Definition->isDependentContext() && taskKey(*Definition) == Function.getCanonicalDecl() &&
        Definition->getTemplateSpecializationKind() != TSK_ExplicitSpecialization && !llvm::is_contained(Result, Definition))
      Result.push_back(Definition);
  };
  auto addAll = [&](NamedDecl *Found) {
    if (auto *Template = dyn_cast<FunctionTemplateDecl>(Found))
      for (FunctionDecl *Special : Template->specializations())
        add(Special);
    else if (auto *Member = dyn_cast<FunctionDecl>(Found))
      add(Member);
  };
  auto *Outer = dyn_cast<CXXRecordDecl>(const_cast<DeclContext *>(Function.getDeclContext()));
  if (Outer && Outer->isDependentContext()) {
    for (CXXRecordDecl *Instance : instancesOf(*Outer))
      for (NamedDecl *Found : Instance->lookup(Function.getDeclName()))
        addAll(Found);
  } else if (FunctionTemplateDecl *Template = Function.getDescribedFunctionTemplate()) {
    addAll(Template);
  }
  return Result;
}

} // namespace streamap
