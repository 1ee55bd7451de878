package org.hlo4j.stablehlo.dialect;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * The custom text form that most ops have: operands, attributes by keyword, other attributes in
 * braces, and types.
 */
final class KeywordSyntax implements OpSyntax {
  private record Keyword(String word, String attribute, boolean optional) {}

  private final TypeSignatureForm typeSignature;
  private final boolean isBehindAttributes;
  private final ImmutableList<Keyword> keywords;

  private KeywordSyntax(
      TypeSignatureForm typing, boolean isBehindAttributes, ImmutableList<Keyword> keywords) {
    this.typeSignature = typing;
    this.isBehindAttributes = isBehindAttributes;
    this.keywords = keywords;
  }

  /** Reads {@code typing keyword=attribute ...} or {@code typing {} keyword=attribute ...}. */
  static KeywordSyntax of(List<String> words) {
    ImmutableList.Builder<Keyword> keywords = ImmutableList.builder();
    boolean isBehindAttributes = words.contains("{}");
    for (String word : words.subList(isBehindAttributes ? 2 : 1, words.size())) {
      int equals = word.indexOf('=');
      boolean optional = word.endsWith("?");
      keywords.add(
          new Keyword(
              word.substring(0, equals),
              word.substring(equals + 1, word.length() - (optional ? 1 : 0)),
              optional));
    }
    return new KeywordSyntax(
        TypeSignatureForm.valueOf(Ascii.toUpperCase(words.get(0))),
        isBehindAttributes,
        keywords.build());
  }

  @Override
  public void parse(OpParser parser, OpState state) {
    if (isBehindAttributes) {
      parser.optionalAttributes(state.attributes());
      if (parser.eat("(")) { // of no operands
        parser.expect(")");
        return;
      }
    }
    List<OpParser.Use> uses = new ArrayList<>(parser.uses());
    boolean comma = !uses.isEmpty();
    for (Keyword keyword : keywords) {
      int before = parser.position();
      boolean here = (!comma || parser.eat(",")) && parser.eatWord(keyword.word);
      if (!here) {
        parser.goTo(before);
        if (keyword.optional || parser.looksAt("{") || parser.looksAt(":")) {
          continue; // it is in the braces
        }
        throw parser.wrong("'" + keyword.word + " = ...'");
      }
      parser.expect("=");
      state.attributes().put(keyword.attribute, ValueText.parse(parser, row(state, keyword)));
      comma = true;
    }
    parser.optionalAttributes(state.attributes());
    parser.expect(":");
    typeSignature.parse(parser, uses, state);
  }

  private static AttributeDefinition row(OpState state, Keyword keyword) {
    return row(state.name(), keyword.attribute);
  }

  private static AttributeDefinition row(String op, String attribute) {
    AttributeDefinition row = OpTable.find(op).orElseThrow().attributes().get(attribute);
    if (row == null) {
      throw new IllegalStateException(op + " has no attribute " + attribute);
    }
    return row;
  }

  @Override
  public boolean print(OpPrinter printer, Operation operation) {
    if (!operation.regions().isEmpty()
        || (typeSignature == TypeSignatureForm.RESULT && !operation.operands().isEmpty())
        || (isBehindAttributes && operation.operands().isEmpty())) {
      return false;
    }
    List<String> shown = new ArrayList<>();
    String separator = " ";
    if (isBehindAttributes) {
      printer.attributes(operation.attributes());
    }
    if (!operation.operands().isEmpty()) {
      printer.text(" ").operands(operation.operands());
      separator = ", ";
    }
    for (Keyword keyword : keywords) {
      Attribute value = operation.attributes().get(keyword.attribute);
      if (value != null) {
        printer.text(separator + keyword.word + " = ");
        printer.text(ValueText.print(value, row(operation.name(), keyword.attribute)));
        shown.add(keyword.attribute);
        separator = ", ";
      }
    }
    if (!isBehindAttributes) {
      printer.attributes(operation.attributes().without(shown));
    }
    printer.text(" : ");
    typeSignature.print(printer, operation);
    return true;
  }
}
