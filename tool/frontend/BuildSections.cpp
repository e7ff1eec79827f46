//===- BuildSections.cpp - Access clauses to sections ---------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/BuildSections.h"
#include "frontend/Passing.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace streamap {

SectionBuilder::SectionBuilder(const FunctionDecl &Function, TaskModel &Model, ClauseWriter &Writer, Reporter &Report)
    : Function(Function), Context(Function.getASTContext()), Model(Model), Writer(Writer), Report(Report) {}

//===--- Types of parameters ----------------------------------------------===//

QualType SectionBuilder::pointee(unsigned Parameter) const {
  return elementsOf(Function.getParamDecl(Parameter)->getType());
}

/// Whether the parameter is a reference to one object that is no array.
bool SectionBuilder::isOneElement(unsigned Parameter) const {
  QualType Type = Function.getParamDecl(Parameter)->getType();
  return Model.Parameters[Parameter].Passed == Passing::Reference && !Type->getPointeeType()->isArrayType();
}

/// How many subscripts lead to an element that is no array.
unsigned SectionBuilder::dimensionsOf(unsigned Parameter) const {
  unsigned Dimensions = isOneElement(Parameter) ? 0 : 1;
  for (QualType Type = pointee(Parameter); const ArrayType *Array = Context.getAsArrayType(Type); Type = Array->getElementType())
    ++Dimensions;
  return Dimensions;
}

QualType SectionBuilder::elementOf(unsigned Parameter) const {
  return Context.getBaseElementType(pointee(Parameter));
}

std::string SectionBuilder::pitchOf(unsigned Parameter, unsigned Dimension) const {
  std::string Element = Model.Parameters[Parameter].Name;
  for (unsigned I = 0; I <= Dimension && !isOneElement(Parameter); ++I)
    Element += "[0]";
  return "sizeof(" + Element + ")";
}

/// From extent(), or from the declared array type.
SectionBuilder::Extent SectionBuilder::extentOf(unsigned Parameter, unsigned Dimension) {
  auto Found = Extents.find({Parameter, Dimension});
  if (Found != Extents.end())
    return Found->second;
  Extent Result;
  if (Dimension > 0) {
    Result.Length = pitchOf(Parameter, Dimension - 1) + " / " + pitchOf(Parameter, Dimension);
    return Result;
  }
  const std::string &Name = Model.Parameters[Parameter].Name;
  switch (Model.Parameters[Parameter].Passed) {
  case Passing::Span:
    Result.Length = Name + ".size()";
    return Result;
  case Passing::Reference:
    Result.Length = isOneElement(Parameter) ? "1" : "sizeof(" + Name + ") / " + pitchOf(Parameter, 0);
    return Result;
  default:
    break;
  }
  QualType Declared = Function.getParamDecl(Parameter)->getOriginalType();
  if (const auto *Decayed = dyn_cast<DecayedType>(Declared))
    Declared = Decayed->getOriginalType();
  const ArrayType *Array = Context.getAsArrayType(Declared);
  if (const auto *Constant = dyn_cast_or_null<ConstantArrayType>(Array)) {
    Result.Length = writtenLength(*Function.getParamDecl(Parameter)).value_or(std::to_string(Constant->getSize().getZExtValue()));
  } else if (const auto *Variable = dyn_cast_or_null<VariableArrayType>(Array); Variable && Variable->getSizeExpr()) {
    ClauseText Text = Writer.write(Variable->getSizeExpr(), nullptr);
    if (reportFault(Text, Variable->getSizeExpr()->getBeginLoc(), Report))
      Result.Length = Text.Text;
  }
  Extents[{Parameter, Dimension}] = Result;
  return Result;
}

/// The number of elements in a declared array as the source has it, where it
/// may differ from one instantiation to the next.
std::optional<std::string> SectionBuilder::writtenLength(const ParmVarDecl &Parameter) const {
  if (Model.Shape != TaskShape::Within || !Parameter.getTypeSourceInfo())
    return std::nullopt;
  TypeLoc Loc = Parameter.getTypeSourceInfo()->getTypeLoc();
  while (auto Adjusted = Loc.getAs<AdjustedTypeLoc>())
    Loc = Adjusted.getOriginalLoc();
  auto Array = Loc.getAs<ArrayTypeLoc>();
  if (!Array || !Array.getSizeExpr())
    return std::nullopt;
  return Writer.textOf(Array.getSizeExpr()->getSourceRange());
}

//===--- Clauses ----------------------------------------------------------===//

std::optional<unsigned> SectionBuilder::parameterOf(const SectionExpr &Section, const PlacedClause &Where) {
  SourceLocation Loc = Where.Pragma.location(Section.Base.Begin);
  std::string Name;
  for (unsigned T = Section.Base.Begin; T < Section.Base.End; ++T)
    Name += Where.Pragma.Tokens[T].Text;
  // The directive speaks the words of its own declaration.
  if (const FunctionDecl *Words = Where.Probed.function())
    for (unsigned I = 0; I < Function.getNumParams(); ++I)
      if (Words->getParamDecl(I)->getName() == Name)
        return I;
  Report.report(Diag::NotAParameter, Loc, {Name, Model.Name});
  return std::nullopt;
}

static const char *clauseWord(ClauseKind Kind) {
  switch (Kind) {
  case ClauseKind::In:
    return "in";
  case ClauseKind::Out:
    return "out";
  case ClauseKind::InOut:
    return "inout";
  case ClauseKind::Reduction:
    return "reduction";
  default:
    return "extent";
  }
}

/// What holds of a parameter in any of these clauses.
bool SectionBuilder::checkParameter(unsigned Parameter, const SectionExpr &Section, const PlacedClause &Where) {
  SourceLocation Loc = Where.Pragma.location(Section.Base.Begin);
  const std::string &Name = Model.Parameters[Parameter].Name;
  if (!Model.Parameters[Parameter].IsPointer) {
    Report.report(Diag::NotMemory, Loc, {Name});
    return false;
  }
  QualType Element = elementOf(Parameter);
  if (Element->isVoidType()) {
    Report.report(Diag::VoidElements, Loc, {Name});
    return false;
  }
  if (Element->isIncompleteType()) {
    Report.report(Diag::IncompleteElements, Loc, {Name, Element.getAsString()});
    return false;
  }
  bool Writes = Where.C.Kind != ClauseKind::In && Where.C.Kind != ClauseKind::Extent;
  if (Writes && Element.isConstQualified()) {
    Report.report(Diag::WritesConst, Loc, {Name, clauseWord(Where.C.Kind)});
    return false;
  }
  if (Section.Axes.size() > dimensionsOf(Parameter)) {
    Report.report(Diag::TooManyDimensions, Loc,
                  {Name, std::to_string(Section.Axes.size()), std::to_string(dimensionsOf(Parameter))});
    return false;
  }
  return true;
}

std::optional<ClauseText> SectionBuilder::expression(Fragment F, const PlacedClause &Where, const std::string &What) {
  ProbedExpr Probed = Where.Probed.find(F);
  if (!Probed.Expression)
    return std::nullopt; // the parser has said why
  SourceLocation Loc = Where.Pragma.location(F.Begin);
  if (!Probed.Expression->getType()->isIntegerType()) {
    Report.report(Diag::NotInteger, Loc, {What, Probed.Expression->getType().getAsString()});
    return std::nullopt;
  }
  ClauseText Text = Writer.write(Probed.Expression, Probed.Split);
  UsesTask |= Text.UsesTask;
  if (!reportFault(Text, Loc, Report))
    return std::nullopt;
  return Text;
}

void SectionBuilder::addExtents(const PlacedClause &Where) {
  for (const SectionExpr &Section : Where.C.Sections) {
    std::optional<unsigned> Parameter = parameterOf(Section, Where);
    if (!Parameter || !checkParameter(*Parameter, Section, Where))
      continue;
    for (unsigned I = 0; I < Section.Axes.size(); ++I) {
      const SectionAxis &Axis = Section.Axes[I];
      Extent Result;
      std::string What = "the extent of '" + Model.Parameters[*Parameter].Name + "'";
      if (!Axis.Lower.empty())
        if (std::optional<ClauseText> Text = expression(Axis.Lower, Where, What))
          Result.Lower = Text->Text;
      if (std::optional<ClauseText> Text = expression(Axis.Length, Where, What))
        Result.Length = Text->Text;
      Extents[{*Parameter, I}] = Result;
    }
  }
}

void SectionBuilder::addSections(const PlacedClause &Where) {
  unsigned Access = Where.C.Kind == ClauseKind::In      ? STREAMAP_IN
                    : Where.C.Kind == ClauseKind::Out   ? STREAMAP_OUT
                    : Where.C.Kind == ClauseKind::InOut ? STREAMAP_INOUT
                                                        : STREAMAP_REDUCTION;
  for (const SectionExpr &Section : Where.C.Sections) {
    std::optional<unsigned> Parameter = parameterOf(Section, Where);
    if (!Parameter || !checkParameter(*Parameter, Section, Where))
      continue;
    ValueModel &Value = Model.Parameters[*Parameter];
    if (Value.Access && ((Value.Access ^ Access) & STREAMAP_REDUCTION)) {
      Report.report(Diag::ReductionAndOther, Where.Pragma.location(Section.Base.Begin), {Value.Name});
      continue;
    }
    Value.Access |= Access;
    if (Access == STREAMAP_REDUCTION)
      checkReduction(*Parameter, Section, Where);
    addSection(*Parameter, Section, Where, Access);
  }
}

static unsigned operatorOf(llvm::StringRef Text) {
  return llvm::StringSwitch<unsigned>(Text)
      .Case("+", STREAMAP_OP_ADD)
      .Case("*", STREAMAP_OP_MUL)
      .Case("min", STREAMAP_OP_MIN)
      .Case("max", STREAMAP_OP_MAX)
      .Case("&", STREAMAP_OP_BITAND)
      .Case("|", STREAMAP_OP_BITOR)
      .Case("^", STREAMAP_OP_BITXOR)
      .Case("&&", STREAMAP_OP_AND)
      .Case("||", STREAMAP_OP_OR)
      .Default(STREAMAP_OP_NONE);
}

static unsigned scalarOf(QualType Type, const ASTContext &Context) {
  if (const auto *Complex = Type->getAs<ComplexType>()) {
    unsigned Part = scalarOf(Complex->getElementType(), Context);
    return Part == STREAMAP_F32 ? STREAMAP_C32 : Part == STREAMAP_F64 ? STREAMAP_C64 : STREAMAP_NOT_SCALAR;
  }
  const auto *Builtin = Type->getAs<BuiltinType>();
  if (!Builtin)
    return STREAMAP_NOT_SCALAR;
  switch (Builtin->getKind()) {
  case BuiltinType::Bool:
    return STREAMAP_BOOL;
  case BuiltinType::Float:
    return STREAMAP_F32;
  case BuiltinType::Double:
    return STREAMAP_F64;
  case BuiltinType::LongDouble:
    return STREAMAP_F80;
  default:
    break;
  }
  if (!Builtin->isInteger())
    return STREAMAP_NOT_SCALAR;
  bool Signed = Builtin->isSignedInteger();
  switch (Context.getTypeSize(Type)) {
  case 8:
    return Signed ? STREAMAP_I8 : STREAMAP_U8;
  case 16:
    return Signed ? STREAMAP_I16 : STREAMAP_U16;
  case 32:
    return Signed ? STREAMAP_I32 : STREAMAP_U32;
  case 64:
    return Signed ? STREAMAP_I64 : STREAMAP_U64;
  default:
    return STREAMAP_NOT_SCALAR;
  }
}

void SectionBuilder::checkReduction(unsigned Parameter, const SectionExpr &Section, const PlacedClause &Where) {
  ValueModel &Value = Model.Parameters[Parameter];
  QualType Type = elementOf(Parameter).getUnqualifiedType();
  Value.Operator = operatorOf(Where.C.Operator);
  Value.Scalar = scalarOf(Type, Context);
  bool Real = Type->isRealFloatingType(), Complex = Type->isAnyComplexType();
  bool Fits = Value.Scalar != STREAMAP_NOT_SCALAR;
  switch (Value.Operator) {
  case STREAMAP_OP_BITAND:
  case STREAMAP_OP_BITOR:
  case STREAMAP_OP_BITXOR:
    Fits &= !Real && !Complex;
    break;
  case STREAMAP_OP_MIN:
  case STREAMAP_OP_MAX:
    Fits &= !Complex;
    break;
  default:
    break;
  }
  if (!Fits)
    Report.report(Diag::ReductionType, Where.Pragma.location(Section.Base.Begin),
                  {Value.Name, Type.getAsString(), Where.C.Operator});
}

void SectionBuilder::addSection(unsigned Parameter, const SectionExpr &Expr, const PlacedClause &Where, unsigned Access) {
  SectionModel Section;
  Section.Parameter = Parameter;
  Section.Access = Access;
  Section.Assumed = Expr.Assume;
  for (unsigned T = Expr.Whole.Begin; T < Expr.Whole.End; ++T)
    Section.Shown += Where.Pragma.Tokens[T].Text;
  if (Expr.Axes.empty()) {
    if (!addWhole(Section, Where.Pragma.location(Expr.Base.Begin)))
      return;
  }
  for (const SectionAxis &Axis : Expr.Axes)
    if (!addAxis(Section, Expr, Axis, Where))
      return;
  Model.Sections.push_back(std::move(Section));
}

/// The parameter's whole extent.
bool SectionBuilder::addWhole(SectionModel &Section, SourceLocation Loc) {
  Extent Known = extentOf(Section.Parameter, 0);
  if (Known.Length.empty()) {
    Report.report(Diag::MissingExtent, Loc, {Model.Parameters[Section.Parameter].Name});
    return false;
  }
  AxisModel Axis;
  Axis.Lower = Axis.ExtentLower = Known.Lower;
  Axis.Length = Axis.ExtentLength = Known.Length;
  Axis.Pitch = pitchOf(Section.Parameter, 0);
  Section.Axes.push_back(std::move(Axis));
  return true;
}

bool SectionBuilder::addAxis(SectionModel &Section, const SectionExpr &Expr, const SectionAxis &Written,
                             const PlacedClause &Where) {
  unsigned Dimension = Section.Axes.size();
  const std::string &Name = Model.Parameters[Section.Parameter].Name;
  Extent Known = extentOf(Section.Parameter, Dimension);
  AxisModel Axis;
  Axis.ExtentLower = Known.Lower;
  Axis.ExtentLength = Known.Length;
  Axis.Pitch = pitchOf(Section.Parameter, Dimension);
  auto part = [&](Fragment F, const char *What, std::string &Out) {
    std::optional<ClauseText> Text = expression(F, Where, std::string(What) + " of the section of '" + Name + "'");
    if (!Text)
      return false;
    ProbedExpr Probed = Where.Probed.find(F);
    if (Text->UsesSplit && !isAffine(Probed.Expression, Probed.Split)) {
      Report.report(Diag::NotAffine, Where.Pragma.location(F.Begin), {Name, Probed.Split->getNameAsString()});
      return false;
    }
    Axis.UsesSplit |= Text->UsesSplit;
    Out = Text->Text;
    return true;
  };

  Axis.Lower = Known.Lower;
  if (!Written.Lower.empty() && !part(Written.Lower, "the lower bound", Axis.Lower))
    return false;
  if (!Written.HasColon) {
    Axis.Length = "1";
  } else if (Written.Length.empty()) {
    if (Known.Length.empty()) {
      Report.report(Diag::MissingExtent, Where.Pragma.location(Expr.Base.Begin), {Name});
      return false;
    }
    Axis.Length =
        "(streamap_int)(" + Known.Lower + ") + (streamap_int)(" + Known.Length + ") - (streamap_int)(" + Axis.Lower + ")";
  } else {
    if (!part(Written.Length, "the length", Axis.Length))
      return false;
    Expr::EvalResult Value;
    const clang::Expr *Length = Where.Probed.find(Written.Length).Expression;
    if (Length->EvaluateAsInt(Value, Context) && Value.Val.getInt().isNegative()) {
      Report.report(Diag::NegativeLength, Where.Pragma.location(Written.Length.Begin),
                    {Name, std::to_string(Value.Val.getInt().getExtValue())});
      return false;
    }
  }
  Section.Axes.push_back(std::move(Axis));
  return true;
}

void SectionBuilder::addUnnamed(SourceLocation Directive) {
  for (unsigned I = 0; I < Function.getNumParams(); ++I) {
    ValueModel &Value = Model.Parameters[I];
    if (!Value.IsPointer || Value.Access)
      continue;
    bool IsConst = elementOf(I).isConstQualified();
    if (Value.Passed == Passing::Pointer && !isa<DecayedType>(Function.getParamDecl(I)->getOriginalType()) &&
        !Function.getParamDecl(I)->getOriginalType()->isArrayType()) {
      Report.report(Diag::MissingAccess, Directive,
                    {Value.Name, std::string(IsConst ? "in(" : "inout(") + Value.Name + "[0:n])"});
      continue;
    }
    SectionModel Section;
    Section.Parameter = I;
    Section.Access = IsConst ? STREAMAP_IN : STREAMAP_INOUT;
    Section.FromType = true;
    Section.Shown = Value.Name;
    if (!addWhole(Section, Directive))
      continue;
    Value.Access = Section.Access;
    Model.Sections.push_back(std::move(Section));
  }
}

} // namespace streamap
