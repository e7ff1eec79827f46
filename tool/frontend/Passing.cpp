//===- Passing.cpp - How a parameter leads to its elements ----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/Passing.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace streamap {

QualType spanElement(QualType Type) {
  const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  if (!Class || !Class->isInStdNamespace() || !Class->getIdentifier() || Class->getName() != "span")
    return QualType();
  const TemplateArgumentList &Arguments = Class->getTemplateArgs();
  return Arguments.size() > 0 && Arguments[0].getKind() == TemplateArgument::Type ? Arguments[0].getAsType() : QualType();
}

Passing passingOf(QualType Type) {
  if (Type->isReferenceType()) // to const: copied at the call
    return Type->getPointeeType().isConstQualified() ? Passing::Value : Passing::Reference;
  if (Type->isPointerType() && !Type->isFunctionPointerType())
    return Passing::Pointer;
  return spanElement(Type).isNull() ? Passing::Value : Passing::Span;
}

QualType elementsOf(QualType Type) {
  switch (passingOf(Type)) {
  case Passing::Value:
    return QualType();
  case Passing::Pointer:
    return Type->getPointeeType();
  case Passing::Reference:
    if (const ArrayType *Array = Type->getPointeeType()->getAsArrayTypeUnsafe())
      return Array->getElementType();
    return Type->getPointeeType();
  case Passing::Span:
    return spanElement(Type);
  }
  llvm_unreachable("unknown passing");
}

} // namespace streamap
