package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.hlo4j.hlo.HloException;

/**
 * The size of a dimension: a number, or an expression of size variables such as {@code 4*h}, {@code
 * 2*b + -1} or {@code floordiv(b, 2)}.
 */
sealed interface SizeExpression {
  /** A number. */
  record Fixed(long value) implements SizeExpression {}

  /** A size variable. */
  record Variable(String name) implements SizeExpression {}

  /** An operation on two sizes: {@code + - * ^}, floordiv, mod, max, min. */
  record Operation(String name, SizeExpression left, SizeExpression right)
      implements SizeExpression {}

  /** Returns the value if all variables are known. */
  default Optional<Long> value(Map<String, Long> sizes) {
    return switch (this) {
      case Fixed fixed -> Optional.of(fixed.value);
      case Variable variable -> Optional.ofNullable(sizes.get(variable.name));
      case Operation(String name, SizeExpression left, SizeExpression right) ->
          left.value(sizes).flatMap(a -> right.value(sizes).map(b -> apply(name, a, b)));
    };
  }

  private static long apply(String name, long left, long right) {
    try {
      return switch (name) {
        case "+" -> Math.addExact(left, right);
        case "-" -> Math.subtractExact(left, right);
        case "*" -> Math.multiplyExact(left, right);
        case "^" -> power(left, right);
        case "floordiv" -> Math.floorDiv(left, right);
        case "mod" -> Math.floorMod(left, right);
        case "max" -> Math.max(left, right);
        case "min" -> Math.min(left, right);
        default -> throw new HloException(PARSE, "size: got %s", name);
      };
    } catch (ArithmeticException beyond) {
      throw new HloException(
          ARGUMENT, "size: %s%s has no value of 64 bits", name, List.of(left, right));
    }
  }

  private static long power(long base, long exponent) {
    require(exponent >= 0 && exponent < 64, PARSE, "size: exponent got %s, want 0 to 63", exponent);
    long result = 1;
    for (long i = 0; i < exponent; i++) {
      result = Math.multiplyExact(result, base);
    }
    return result;
  }

  /** Adds the names of all variables. */
  default void variables(Set<String> names) {
    switch (this) {
      case Fixed fixed -> {}
      case Variable variable -> names.add(variable.name);
      case Operation operation -> {
        operation.left.variables(names);
        operation.right.variables(names);
      }
    }
  }

  /** A value that is linear in one variable, {@code slope * variable + constant}. */
  record Linear(long slope, long constant) {
    Linear plus(Linear other, long factor) {
      Linear more = other.times(factor);
      return new Linear(Math.addExact(slope, more.slope), Math.addExact(constant, more.constant));
    }

    Linear times(long factor) {
      return new Linear(Math.multiplyExact(slope, factor), Math.multiplyExact(constant, factor));
    }
  }

  /**
   * Solves the expression for its only unknown variable, if it is linear in it.
   *
   * @param sizes the variables that are known
   * @param size the value of the expression
   * @return the name and value; empty if it cannot be solved
   */
  default Optional<Map.Entry<String, Long>> solve(Map<String, Long> sizes, long size) {
    Set<String> names = new TreeSet<>();
    variables(names);
    names.removeAll(sizes.keySet());
    if (names.size() != 1) {
      return Optional.empty();
    }
    String name = names.iterator().next();
    try {
      return linear(sizes)
          .filter(line -> line.slope != 0)
          .filter(line -> Math.subtractExact(size, line.constant) % line.slope == 0)
          .map(line -> Map.entry(name, (size - line.constant) / line.slope));
    } catch (ArithmeticException beyond) {
      return Optional.empty();
    }
  }

  /**
   * Returns the expression as a linear function of its only unknown variable; empty if its form
   * does not show that it is one, such as a power, a minimum or a remainder of the variable.
   */
  private Optional<Linear> linear(Map<String, Long> sizes) {
    return switch (this) {
      case Fixed fixed -> Optional.of(new Linear(0, fixed.value));
      case Variable(String name) when sizes.containsKey(name) ->
          value(sizes).map(known -> new Linear(0, known));
      case Variable _ -> Optional.of(new Linear(1, 0));
      case Operation(String name, SizeExpression left, SizeExpression right) ->
          left.linear(sizes).flatMap(a -> right.linear(sizes).flatMap(b -> linear(name, a, b)));
    };
  }

  private static Optional<Linear> linear(String name, Linear a, Linear b) {
    if (a.slope == 0 && b.slope == 0) {
      return Optional.of(new Linear(0, apply(name, a.constant, b.constant)));
    }
    return switch (name) {
      case "+" -> Optional.of(a.plus(b, 1));
      case "-" -> Optional.of(a.plus(b, -1));
      case "*" ->
          a.slope != 0 && b.slope != 0
              ? Optional.empty()
              : Optional.of(a.slope == 0 ? b.times(a.constant) : a.times(b.constant));
      case "^" -> b.equals(new Linear(0, 1)) ? Optional.of(a) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** Parses an expression in JAX's notation. */
  @CanIgnoreReturnValue
  static SizeExpression parse(String text) {
    SizeParser parser = new SizeParser(text);
    SizeExpression expression = parser.sum(0);
    parser.requireEnd();
    return expression;
  }
}
