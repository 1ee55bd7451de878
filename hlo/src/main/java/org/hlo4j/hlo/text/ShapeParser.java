package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of shapes: {@code f32[2,<=3,?]{2,1,0:T(8,128)}}, {@code (s32[], token[], b(f32[2]))}.
 */
final class ShapeParser {
  private static final int MAX_DEPTH = 100;

  private final Lexer text;
  private boolean beforeValue;

  ShapeParser(Lexer text) {
    this.text = text;
  }

  /** Returns whether a shape comes next: a bracketed tuple, a buffer, or a type with its sizes. */
  static boolean isNext(Lexer text) {
    int start = text.skipBlanks();
    if (text.here() == '(') {
      return true;
    }
    String word = text.word();
    char next = text.peek();
    text.moveTo(start);
    return next == '[' ? !word.isEmpty() : next == '(' && word.equals("b");
  }

  Shape shape() {
    return shape(0);
  }

  /** Reads a shape that precedes a value: a brace after a blank belongs to the value. */
  Shape shapeBeforeValue() {
    beforeValue = true;
    return shape(0);
  }

  private Shape shape(int depth) {
    int start = text.skipBlanks();
    if (depth > MAX_DEPTH) {
      throw new ParseException(start, "got tuples nested more than " + MAX_DEPTH + " deep");
    }
    if (text.accept("(")) {
      return tuple(start, depth);
    }
    String word = text.word();
    return switch (word) {
      case "" -> throw text.wanted("a shape such as f32[2,3]");
      case "token" -> empty(Shape.token());
      case "opaque" -> empty(new Shape.Opaque());
      case "b" -> buffer(start, depth);
      default -> array(start, elementType(start, word));
    };
  }

  private Shape empty(Shape shape) {
    text.expect("[", "[]");
    text.expect("]", "]");
    return shape;
  }

  private Shape tuple(int start, int depth) {
    ImmutableList.Builder<Shape> elements = ImmutableList.builder();
    if (!text.accept(")")) {
      do {
        elements.add(shape(depth + 1));
      } while (text.accept(","));
      text.expect(")", ", or )");
    }
    return checked(start, () -> new Shape.Tuple(elements.build()));
  }

  private Shape buffer(int start, int depth) {
    text.expect("(", "( and the array of a buffer");
    Shape inside = shape(depth + 1);
    if (!(inside instanceof Shape.Array array)) {
      throw new ParseException(start, "got a buffer of " + inside + ", want one of an array");
    }
    text.expect(")", ")");
    return Shape.buffer(array);
  }

  static ElementType elementType(int start, String word) {
    return ElementType.named(word)
        .orElseThrow(() ->
            new ParseException(
                start, "got the unknown element type " + word, Nearest.to(word, typeNames())));
  }

  private static ImmutableList<String> typeNames() {
    return Stream.concat(
            Arrays.stream(ElementType.values()).map(ElementType::toString),
            Stream.of("token", "opaque"))
        .collect(ImmutableList.toImmutableList());
  }

  private Shape.Array array(int start, ElementType type) {
    text.expect("[", "[ and the sizes of " + type);
    long[] sizes = new long[Shape.MAX_RANK];
    ImmutableSortedSet.Builder<Integer> dynamic =
        new ImmutableSortedSet.Builder<>(Comparator.naturalOrder());
    int rank = 0;
    if (!text.accept("]")) {
      do {
        if (rank == Shape.MAX_RANK) {
          throw new ParseException(
              start, "got more than " + Shape.MAX_RANK + " dimensions, want fewer");
        }
        sizes[rank] = size(rank, dynamic);
        rank++;
      } while (text.accept(","));
      text.expect("]", ", or ]");
    }
    Dims dims = Dims.of(Arrays.copyOf(sizes, rank));
    Optional<Layout> layout = layout(rank);
    return checked(start, () -> new Shape.Array(type, dims, dynamic.build(), layout));
  }

  private long size(int dimension, ImmutableSortedSet.Builder<Integer> dynamic) {
    if (text.accept("?")) {
      dynamic.add(dimension);
      return Shape.UNBOUNDED;
    }
    if (text.accept("<=")) {
      dynamic.add(dimension);
    }
    return text.integer("a size");
  }

  /**
   * Reads a layout, if there is one. A brace after the sizes opens a layout only if a number or a
   * colon follows.
   */
  private Optional<Layout> layout(int rank) {
    int end = text.position();
    boolean isEmpty = rank == 0 && text.here() == '{' && text.here(1) == '}';
    if (!isEmpty && !layoutIsNext()) {
      text.moveTo(end);
      return Optional.empty();
    }
    int start = text.position();
    text.skipBracketed();
    Lexer inside = text.part(start + 1, text.position() - 1);
    List<Long> order = new ArrayList<>();
    while (Lexer.isDigit(inside.peek())) {
      order.add(inside.integer("a dimension"));
      inside.accept(",");
    }
    String details = inside.accept(":") ? new LayoutParser(inside).details() : "";
    inside.expectEnd("} or : behind the order of dimensions");
    if (order.isEmpty() && rank > 0) {
      throw new ParseException(start, "got a layout without dimensions, want " + rank);
    }
    return Optional.of(new Layout(Dims.copyOf(order), details));
  }

  /** Moves to the brace. */
  private boolean layoutIsNext() {
    if (!beforeValue) {
      text.skipBlanks();
    }
    int brace = text.position();
    boolean opens =
        text.here() == '{'
            && text.accept("{")
            && (Lexer.isDigit(text.peek()) || text.here() == ':');
    text.moveTo(brace);
    return opens;
  }

  /** Runs a constructor, and adds the position in the text to its errors. */
  static <T> T checked(int position, Supplier<T> make) {
    try {
      return make.get();
    } catch (HloException refusal) {
      throw new ParseException(position, refusal);
    }
  }
}
