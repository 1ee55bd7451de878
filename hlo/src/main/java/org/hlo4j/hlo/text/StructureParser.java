package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.source.ParseException;

/** A parser of the attributes that have their own syntax. Each of their types prints itself. */
final class StructureParser {
  private StructureParser() {}

  /** Reads a shape and drops a default layout. */
  static Shape shape(Lexer text) {
    Shape shape = new ShapeParser(text).shape();
    Shape plain = shape.withoutLayout();
    return shape.equals(plain.withDefaultLayout()) ? plain : shape;
  }

  /** {@code f32[2]{0} {1, 2}}, {@code ( s32[] 1, pred[] true )} or {@code (s32[]) ( 1 )}. */
  static Literal literal(Lexer text) {
    int start = text.skipBlanks();
    boolean isTuple = text.here() == '(';
    if (isTuple) {
      text.skipBracketed();
      boolean isShape = text.peek() == '(';
      text.moveTo(start);
      if (!isShape) {
        return tuple(text);
      }
    }
    Shape shape = new ShapeParser(text).shapeBeforeValue().withoutLayout();
    return new LiteralParser(text).literal(shape);
  }

  /** Reads a tuple in which each element has its shape. */
  private static Literal tuple(Lexer text) {
    List<Literal> elements = new ArrayList<>();
    text.expect("(", "(");
    while (!text.accept(")")) {
      elements.add(literal(text));
      text.accept(",");
    }
    return Literal.tuple(elements.toArray(Literal[]::new));
  }

  /** <code>{size=3x3 pad=1_1x1_1}</code>. */
  static Window window(Lexer text) {
    return ownForm(text, Window::parse);
  }

  /** {@code b01f_01io->b01f}. */
  static ConvolutionDimensionNumbers dimLabels(Lexer text) {
    return ownForm(text, ConvolutionDimensionNumbers::fromLabels);
  }

  private static <T> T ownForm(Lexer text, Function<String, T> parse) {
    int start = text.skipBlanks();
    String value = text.value();
    return ShapeParser.checked(start, () -> parse.apply(value));
  }

  /** <code>{[0:2], [1:3:1]}</code>. */
  static SliceRanges sliceRanges(Lexer text) {
    ImmutableList<Dims> ranges = Codec.parseList(text, StructureParser::range);
    return new SliceRanges(column(ranges, 0), column(ranges, 1), column(ranges, 2));
  }

  private static Dims range(Lexer text) {
    text.expect("[", "[start:limit]");
    long start = text.integer("the first index");
    text.expect(":", ": and the limit");
    long limit = text.integer("the limit");
    long stride = text.accept(":") ? text.integer("the stride") : 1;
    text.expect("]", "]");
    return Dims.of(start, limit, stride);
  }

  /** {@code 1_2x0_0} or {@code 1_2_1x0_0_0}; the text is empty for a scalar. */
  static PadConfig padConfig(Lexer text) {
    List<Dims> edges = new ArrayList<>();
    if (!text.atEnd()) {
      do {
        edges.add(edge(text));
      } while (text.accept("x"));
    }
    return new PadConfig(column(edges, 0), column(edges, 1), column(edges, 2));
  }

  private static Dims edge(Lexer text) {
    long low = text.integer("the padding before");
    text.expect("_", "_ and the padding behind");
    long high = text.integer("the padding behind");
    long interior = text.accept("_") ? text.integer("the padding between") : 0;
    return Dims.of(low, high, interior);
  }

  private static Dims column(List<Dims> rows, int column) {
    return Dims.copyOf(rows.stream().map(row -> row.get(column)).toList());
  }

  /** {@code {1}: (0, {})}. */
  static Aliasing aliasing(Lexer text) {
    Dims output = Codec.parseDims(text);
    text.expect(":", ": and the operand");
    text.expect("(", "( and the operand");
    int operand = text.smallInteger("the number of the operand");
    text.expect(",", ", and the index in the operand");
    Dims operandIndex = Codec.parseDims(text);
    text.expect(")", ")");
    return new Aliasing(output, operand, operandIndex);
  }

  /** <code>{kind="sharding", entry={replicated}, exit={manual}}</code>. */
  static Domain.Border border(Lexer text) {
    text.expect("{", "{kind=");
    text.expect("kind=", "kind=");
    int at = text.skipBlanks();
    String kind = text.string("the kind in quotes");
    if (!kind.equals("sharding")) {
      throw new ParseException(
          at, "got the kind " + Ascii.truncate(kind, 30, "…") + ", want sharding");
    }
    text.expect(",", ", entry=");
    text.expect("entry=", "entry=");
    String entry = ShardingParser.sharding(text).toString();
    text.expect(",", ", exit=");
    text.expect("exit=", "exit=");
    String exit = ShardingParser.sharding(text).toString();
    text.expect("}", "}");
    return new Domain.Border(kind, entry, exit);
  }
}
