//===- ParameterList.cpp - A function's parameters as text ----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/ParameterList.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace streamap {

namespace {

/// The first token of parameter \p Parameter with its attributes: what follows
/// the comma before it, or \p Open.
size_t beginOf(const TokenStream &Stream, size_t Open, size_t Parameter) {
  int Depth = 0;
  for (size_t At = Parameter; At > Open; --At) {
    const Token &T = Stream[At - 1];
    if (T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
      ++Depth;
    else if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
      --Depth;
    else if (Depth == 0 && T.is(tok::comma))
      return At;
  }
  return Open;
}

/// The `=` of a default argument in [Begin, End); End if there is none.
size_t defaultOf(const TokenStream &Stream, size_t Begin, size_t End) {
  int Depth = 0;
  for (size_t At = Begin; At < End; ++At) {
    const Token &T = Stream[At];
    if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
      ++Depth;
    else if (T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace))
      --Depth;
    else if (Depth == 0 && T.is(tok::equal))
      return At;
  }
  return End;
}

} // namespace

std::string parameterName(const FunctionDecl &Function, unsigned Index) {
  const ParmVarDecl *Parameter = Function.getParamDecl(Index);
  return Parameter->getIdentifier() ? Parameter->getName().str() : "streamap_unnamed_" + std::to_string(Index);
}

namespace {

/// A parameter in the token stream, without its default argument.
struct ParameterTokens {
  size_t Begin = 0, End = 0;
};

/// The tokens of all parameters; nothing if some were not seen.
std::optional<std::vector<ParameterTokens>> tokensOf(const FunctionDecl &Function, const TokenStream &Stream, size_t Open,
                                                     size_t Close) {
  std::vector<ParameterTokens> Result;
  for (const ParmVarDecl *Parameter : Function.parameters()) {
    std::optional<size_t> First = Stream.indexOf(Parameter->getBeginLoc());
    if (!First)
      return std::nullopt;
    size_t Begin = beginOf(Stream, Open + 1, *First);
    if (!Result.empty())
      Result.back().End = Begin - 1;
    Result.push_back({Begin, Close});
  }
  for (ParameterTokens &Range : Result)
    Range.End = defaultOf(Stream, Range.Begin, Range.End);
  return Result;
}

/// Whether a name can be put behind the type: there is no array or function in it.
bool endsWithItsType(const ParmVarDecl &Parameter) {
  if (!Parameter.getTypeSourceInfo())
    return false;
  for (TypeLoc Loc = Parameter.getTypeSourceInfo()->getTypeLoc(); !Loc.isNull(); Loc = Loc.getNextTypeLoc())
    if (Loc.getAs<ArrayTypeLoc>() || Loc.getAs<FunctionTypeLoc>() || Loc.getAs<ParenTypeLoc>())
      return false;
  return true;
}

/// The parentheses of the parameter list as indices.
std::optional<std::pair<size_t, size_t>> parenthesesOf(const FunctionDecl &Function, const TokenStream &Stream) {
  FunctionTypeLoc Type = Function.getFunctionTypeLoc();
  if (Type.isNull())
    return std::nullopt;
  std::optional<size_t> Open = Stream.indexOf(Type.getLParenLoc()), Close = Stream.indexOf(Type.getRParenLoc());
  if (!Open || !Close)
    return std::nullopt;
  return std::pair(*Open, *Close);
}

} // namespace

std::optional<std::string> parameterListText(const FunctionDecl &Function, const TokenStream &Stream) {
  // What is between the parentheses of an old-style definition are only names.
  if (!Function.getFunctionTypeLoc().isNull() && (Function.getNumParams() == 0 || !Function.hasPrototype()))
    return "";
  std::optional<std::pair<size_t, size_t>> Parentheses = parenthesesOf(Function, Stream);
  if (!Parentheses)
    return std::nullopt;
  auto [Open, Close] = *Parentheses;
  bool AsWritten = namesItsParameters(Function) &&
                   llvm::none_of(Function.parameters(), [](const ParmVarDecl *Parameter) { return Parameter->hasDefaultArg(); });
  if (AsWritten || !Function.getASTContext().getLangOpts().CPlusPlus)
    return Stream.text(Open + 1, Close);
  std::optional<std::vector<ParameterTokens>> Ranges = tokensOf(Function, Stream, Open, Close);
  if (!Ranges)
    return std::nullopt;
  std::string Result;
  for (unsigned I = 0; I < Ranges->size(); ++I) {
    const ParmVarDecl *Parameter = Function.getParamDecl(I);
    Result += (I == 0 ? "" : ", ") + Stream.text((*Ranges)[I].Begin, (*Ranges)[I].End);
    if (Parameter->getIdentifier())
      continue;
    if (!endsWithItsType(*Parameter))
      return std::nullopt;
    Result += " " + parameterName(Function, I);
  }
  return Result;
}

/// How types are printed where no scope is around them.
static PrintingPolicy printingAnywhere(const ASTContext &Context) {
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.FullyQualifiedName = true;
  Policy.SuppressUnwrittenScope = true;
  Policy.PrintCanonicalTypes = true;
  return Policy;
}

std::optional<std::string> calledParameterList(const FunctionDecl &Function, const TokenStream &Stream) {
  if (!Function.getTemplateInstantiationPattern() && !Function.isCXXClassMember())
    return parameterListText(Function, Stream);
  std::string Result;
  for (unsigned I = 0; I < Function.getNumParams(); ++I) {
    std::string Declared = parameterName(Function, I);
    Function.getParamDecl(I)->getType().getAsStringInternal(Declared, printingAnywhere(Function.getASTContext()));
    Result += (I == 0 ? "" : ", ") + Declared;
  }
  return Result;
}

std::vector<std::string> argumentAliases(const FunctionDecl &Function) {
  std::vector<std::string> Result;
  const ASTContext &Context = Function.getASTContext();
  auto add = [&](const TemplateParameterList &Parameters, const TemplateArgumentList &Arguments) {
    for (unsigned I = 0; I < std::min(Parameters.size(), Arguments.size()); ++I) {
      const IdentifierInfo *Name = Parameters.getParam(I)->getIdentifier();
      if (!Name)
        continue;
      std::string Text = Name->getName().str();
      if (Arguments[I].getKind() == TemplateArgument::Integral) {
        Result.push_back("enum : long { " + Text + " = " + std::to_string(Arguments[I].getAsIntegral().getExtValue()) + " };");
      } else if (Arguments[I].getKind() == TemplateArgument::Type) {
        Arguments[I].getAsType().getAsStringInternal(Text, printingAnywhere(Context));
        Result.push_back("typedef " + Text + ";");
      }
    }
  };
  if (const FunctionTemplateDecl *Primary = Function.getPrimaryTemplate())
    if (const TemplateArgumentList *Arguments = Function.getTemplateSpecializationArgs())
      add(*Primary->getTemplateParameters(), *Arguments);
  if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(Function.getDeclContext()))
    add(*Class->getSpecializedTemplate()->getTemplateParameters(), Class->getTemplateArgs());
  return Result;
}

const ParmVarDecl *findAutoParameter(const FunctionDecl &Function, const TokenStream &Stream) {
  std::optional<std::pair<size_t, size_t>> Parentheses = parenthesesOf(Function, Stream);
  if (!Parentheses)
    return nullptr;
  if (auto Ranges = tokensOf(Function, Stream, Parentheses->first, Parentheses->second))
    for (unsigned I = 0; I < Ranges->size(); ++I)
      for (size_t At = (*Ranges)[I].Begin; At < (*Ranges)[I].End; ++At)
        if (Stream[At].is(tok::kw_auto))
          return Function.getParamDecl(I);
  return nullptr;
}

std::vector<std::pair<SourceLocation, std::string>> unnamedParameters(const FunctionDecl &Function, const TokenStream &Stream) {
  std::vector<std::pair<SourceLocation, std::string>> Result;
  std::optional<std::pair<size_t, size_t>> Parentheses = parenthesesOf(Function, Stream);
  if (!Parentheses || namesItsParameters(Function))
    return Result;
  if (auto Ranges = tokensOf(Function, Stream, Parentheses->first, Parentheses->second))
    for (unsigned I = 0; I < Ranges->size(); ++I)
      if (!Function.getParamDecl(I)->getIdentifier())
        Result.emplace_back(Stream[(*Ranges)[I].End - 1].getLocation(), parameterName(Function, I));
  return Result;
}

bool namesItsParameters(const FunctionDecl &Function) {
  return llvm::all_of(Function.parameters(), [](const ParmVarDecl *Parameter) { return Parameter->getIdentifier(); });
}

} // namespace streamap
