package org.hlo4j.check.verdicts;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Changes some elements of an array: {@code all half}, {@code element 3 times 1.01}, {@code row 0
 * zero}, {@code swap 1 2}, {@code shift 1}.
 */
final class ElementChanges {
  private final Literal before;
  private final Shape.Array shape;
  private final ElementType part;
  private final int parts;
  private final LiteralBuilder after;

  private ElementChanges(Literal before) {
    this.before = before;
    this.shape = before.arrayShape();
    this.part = shape.elementType().componentType();
    this.parts = shape.elementType().isComplex() ? 2 : 1;
    this.after = LiteralBuilder.zeros(shape);
    for (int i = 0; i < before.elementCount(); i++) {
      after.copy(i, before, i);
    }
  }

  static Literal of(Literal before, String change) {
    List<String> words = Splitter.on(' ').splitToList(change);
    ElementChanges changes = new ElementChanges(before);
    if (!changes.moved(words)) {
      changes.change(words);
    }
    return changes.after.build();
  }

  private boolean moved(List<String> words) {
    int n = before.elementCount();
    switch (words.getFirst()) {
      case "reverse" -> move(i -> n - 1 - i);
      case "shift" -> move(i -> Math.floorMod(i - number(words, 1), n));
      case "swap" ->
          move(i ->
              i == place(words, 1) ? place(words, 2) : i == place(words, 2) ? place(words, 1) : i);
      case "transpose" -> move(i -> i - i % (rows() * columns()) + transposed(i));
      default -> {
        return false;
      }
    }
    return true;
  }

  private int transposed(int i) {
    int inMatrix = i % (rows() * columns());
    return rows() == columns()
        ? inMatrix % columns() * columns() + inMatrix / columns()
        : inMatrix % rows() * columns() + inMatrix / rows(); // read as if column-major
  }

  private void move(java.util.function.IntUnaryOperator source) {
    for (int i = 0; i < before.elementCount(); i++) {
      after.copy(i, before, source.applyAsInt(i));
    }
  }

  private static int number(List<String> words, int at) {
    return Integer.parseInt(words.get(at));
  }

  private int place(List<String> words, int at) {
    return Math.floorMod(number(words, at), before.elementCount());
  }

  private int columns() {
    return shape.rank() == 0 ? 1 : (int) shape.size(shape.rank() - 1);
  }

  private int rows() {
    return shape.rank() < 2 ? 1 : (int) shape.size(shape.rank() - 2);
  }

  private void change(List<String> words) {
    int used = words.getFirst().matches("element|row|column|every|first|batch") ? 2 : 1;
    IntPredicate chosen = chosen(words);
    for (int i = 0; i < before.elementCount(); i++) {
      if (chosen.test(i)) {
        change(i, words.subList(used, words.size()));
      }
    }
  }

  private IntPredicate chosen(List<String> words) {
    int n = before.elementCount();
    IntPredicate matrix =
        i -> {
          int row = i / columns() % rows();
          int column = i % columns();
          return switch (words.getFirst()) {
            case "row" -> row == number(words, 1);
            case "column" -> column == number(words, 1);
            case "lower" -> row > column;
            case "upper" -> row < column;
            case "triangle" -> row >= column;
            case "diagonal" -> row == column;
            default -> throw new IllegalArgumentException("no choice of elements: " + words);
          };
        };
    return switch (words.getFirst()) {
      case "all" -> i -> true;
      case "element" -> i -> i == place(words, 1);
      case "every" -> i -> i % number(words, 1) == 0;
      case "first" -> i -> i < number(words, 1);
      case "batch" -> i -> i / (rows() * columns()) == number(words, 1);
      case "second-half" -> i -> i >= n / 2;
      case "largest" -> i -> i == largest();
      default -> matrix;
    };
  }

  private int largest() {
    int found = 0;
    for (int i = 1; i < before.elementCount(); i++) {
      found = magnitude(i) > magnitude(found) ? i : found;
    }
    return found;
  }

  private double magnitude(int i) {
    return parts == 2
        ? Math.hypot(before.realAt(i), before.imaginaryAt(i))
        : Math.abs(part.isFloating() ? before.doubleAt(i) : before.longAt(i));
  }

  private void change(int element, List<String> action) {
    if (action.getFirst().equals("previous")) {
      after.copy(element, before, Math.floorMod(element - 1, before.elementCount()));
      return;
    }
    for (int c = element * parts; c < (element + 1) * parts; c++) {
      change(c, element, action);
    }
  }

  private void change(int component, int element, List<String> action) {
    boolean imaginary = parts == 2 && component % 2 == 1;
    double by = action.size() < 2 ? 0 : Double.parseDouble(action.get(1).replace("±", ""));
    boolean odd =
        action.size() > 1 && action.get(1).startsWith("±") && (element * 7 + component) % 3 == 0;
    if (action.getFirst().equals("ulp") && part.isFloating()) {
      after.setBits(component, stepped(before.bitsAt(component), (long) (odd ? -by : by)));
    } else if (part.isFloating()) {
      double x = part.decode(before.bitsAt(component));
      after.setBits(component, part.encode(real(x, action.getFirst(), by, imaginary)));
    } else {
      after.setLong(component, integer(before.longAt(component), action.getFirst(), (long) by));
    }
  }

  /** Steps away from zero; zeros, infinities and NaNs stay. */
  private long stepped(long bits, long by) {
    double x = part.decode(bits);
    double next = part.decode(bits + by);
    boolean stays = x == 0 || Double.isNaN(x) || Double.isInfinite(x) || Double.isNaN(next);
    return stays || next * x <= 0 ? bits : bits + by;
  }

  private double real(double x, String action, double by, boolean imaginary) {
    return switch (action) {
      case "zero" -> 0;
      case "half" -> x / 2;
      case "twice" -> x * 2;
      case "times" -> x * by;
      case "plus" -> imaginary ? x : x + by;
      case "set" -> imaginary ? 0 : by;
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "max" -> Math.copySign(part.maxFinite(), x);
      case "negate" -> -x;
      case "abs" -> Math.abs(x);
      case "conjugate" -> imaginary ? -x : x;
      case "flush" -> Math.abs(x) < leastNormal() ? Math.copySign(0, x) : x;
      case "flush-at-least" -> Math.abs(x) <= leastNormal() ? Math.copySign(0, x) : x;
      default -> throw new IllegalArgumentException("no change of elements: " + action);
    };
  }

  private double leastNormal() {
    return switch (part) {
      case F64 -> Double.MIN_NORMAL;
      case F16 -> 0x1p-14;
      default -> Float.MIN_NORMAL;
    };
  }

  private static long integer(long x, String action, long by) {
    return switch (action) {
      case "zero" -> 0;
      case "half" -> x / 2;
      case "twice" -> x * 2;
      case "plus", "ulp" -> x + by;
      case "set" -> by;
      case "times" -> x * by;
      case "negate" -> -x;
      case "not" -> x == 0 ? 1 : 0;
      case "complement" -> ~x;
      case "high-bit" -> x ^ 0x80;
      default -> throw new IllegalArgumentException("no change of integers: " + action);
    };
  }
}
