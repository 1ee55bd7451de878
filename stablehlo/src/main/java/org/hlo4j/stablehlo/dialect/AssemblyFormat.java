package org.hlo4j.stablehlo.dialect;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpPrinter;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.OpSyntax;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * The custom form of an op: the elements of its row in {@code stablehlo.formats}, which are read
 * and printed in their order.
 *
 * @param types what stands behind the colon
 * @param elements what stands before it
 * @param attributes those that the elements say
 */
record AssemblyFormat(
    TypeSignatureForm types,
    ImmutableList<FormatElement> elements,
    ImmutableList<String> attributes)
    implements OpSyntax {
  private AssemblyFormat(TypeSignatureForm types, ImmutableList<FormatElement> elements) {
    this(types, elements, new FormatElement.Group(elements).attributes());
  }

  /** Returns the usual form of an op that is applied to each element. */
  static OpSyntax elementwise(OpDefinition op) {
    return of(ImmutableList.of(op.name(), op.name().startsWith("chlo.") ? "arrow" : "same"));
  }

  /** Reads {@code name types element ...}. */
  static OpSyntax of(ImmutableList<String> row) {
    boolean isGeneric = row.get(1).equals("generic");
    int first = isGeneric ? 2 : 1;
    TypeSignatureForm types = TypeSignatureForm.valueOf(Ascii.toUpperCase(row.get(first)));
    List<String> words = new ArrayList<>(row.subList(first + 1, row.size()));
    if (words.stream().allMatch(word -> word.indexOf('=') > 0)) {
      words.add(0, "operands");
    }
    if (!words.contains("{}") && !words.contains("attributes")) {
      words.add("{}");
    }
    ImmutableList<FormatElement> elements =
        FormatElement.parseAll(
            words.iterator(), OpTable.find(Mhlo.renamed(row.get(0))).orElseThrow());
    AssemblyFormat format = new AssemblyFormat(types, elements);
    return isGeneric ? OpSyntax.of(format::parse, (printer, op) -> false) : format;
  }

  /** An op that is being read; its operands are resolved when their types have been read. */
  static final class Reading {
    final OpParser parser;
    final OpState state;
    final List<OpParser.Use> uses = new ArrayList<>();

    /** Whether a comma stands before a keyword, which follows operands or another one. */
    boolean hasComma;

    private Reading(OpParser parser, OpState state) {
      this.parser = parser;
      this.state = state;
    }
  }

  @Override
  public void parse(OpParser parser, OpState state) {
    Reading in = new Reading(parser, state);
    elements.forEach(element -> element.parse(in));
    types.parse(parser, in.uses, state);
    elements.forEach(element -> element.addResults(state));
  }

  /** An op that is being printed. */
  static final class Printing {
    final OpPrinter printer;
    final Operation op;

    /** The attributes of all elements, which the braces do not repeat. */
    final ImmutableList<String> attributes;

    /** How many operands have been printed. */
    int operands;

    boolean hasComma;

    /** Whether the next element follows without a blank. */
    boolean isJoined;

    /** Whether the form can express the op. */
    boolean isWhole;

    private Printing(OpPrinter printer, Operation op, ImmutableList<String> attributes) {
      this.printer = printer;
      this.op = op;
      this.attributes = attributes;
    }

    /** Prints an element, with a blank before it. */
    OpPrinter element(String text) {
      printer.text(isJoined ? text : " " + text);
      isJoined = false;
      return printer;
    }
  }

  @Override
  public boolean print(OpPrinter printer, Operation op) {
    Printing out = new Printing(printer, op, attributes);
    out.isWhole =
        types.isFor(op)
            && op.regions().size() == elements.stream().filter(FormatElement::isRegion).count();
    for (FormatElement element : elements) {
      if (out.isWhole) {
        element.print(out);
      }
    }
    types.print(printer, op);
    return out.isWhole && out.operands == op.operands().size();
  }
}
