package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  /** An operation on sizes: {@code +}, {@code *}, {@code ^}, floordiv, mod, max, min. */
  record Operation(String name, List<SizeExpression> operands) implements SizeExpression {}

  /** Returns the value if all variables are known. */
  default Optional<Long> value(Map<String, Long> sizes) {
    return switch (this) {
      case Fixed fixed -> Optional.of(fixed.value);
      case Variable variable -> Optional.ofNullable(sizes.get(variable.name));
      case Operation operation -> {
        List<Long> values = new ArrayList<>();
        for (SizeExpression operand : operation.operands) {
          Optional<Long> value = operand.value(sizes);
          if (value.isEmpty()) {
            yield Optional.empty();
          }
          values.add(value.get());
        }
        yield Optional.of(apply(operation.name, values));
      }
    };
  }

  private static long apply(String name, List<Long> values) {
    try {
      long result = values.get(0);
      for (long next : values.subList(1, values.size())) {
        result =
            switch (name) {
              case "+" -> Math.addExact(result, next);
              case "-" -> Math.subtractExact(result, next);
              case "*" -> Math.multiplyExact(result, next);
              case "^" -> power(result, next);
              case "floordiv" -> Math.floorDiv(result, next);
              case "mod" -> Math.floorMod(result, next);
              case "max" -> Math.max(result, next);
              case "min" -> Math.min(result, next);
              default -> throw new HloException(HloException.Kind.PARSE, "size: got " + name);
            };
      }
      return result;
    } catch (ArithmeticException beyond) {
      throw new HloException(
          HloException.Kind.ARGUMENT, "size: " + name + values + " is not a 64-bit number");
    }
  }

  private static long power(long base, long exponent) {
    require(
        exponent >= 0 && exponent < 64,
        HloException.Kind.PARSE,
        "size: exponent got %s, want 0 to 63",
        exponent);
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
      case Operation operation -> operation.operands.forEach(each -> each.variables(names));
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
    Set<String> names = new java.util.TreeSet<>();
    variables(names);
    names.removeAll(sizes.keySet());
    if (names.size() != 1) {
      return Optional.empty();
    }
    String name = names.iterator().next();
    Optional<Long> at0 = with(sizes, name, 0);
    Optional<Long> at1 = with(sizes, name, 1);
    Optional<Long> at1000 = with(sizes, name, 1000);
    if (at0.isEmpty() || at1.isEmpty() || at1000.isEmpty()) {
      return Optional.empty();
    }
    long slope = at1.get() - at0.get();
    boolean linear = slope != 0 && at1000.get() == at0.get() + 1000 * slope;
    return linear && (size - at0.get()) % slope == 0
        ? Optional.of(Map.entry(name, (size - at0.get()) / slope))
        : Optional.empty();
  }

  private Optional<Long> with(Map<String, Long> sizes, String name, long value) {
    Map<String, Long> more = new java.util.HashMap<>(sizes);
    more.put(name, value);
    return value(more);
  }

  /** Parses an expression in JAX's notation. */
  static SizeExpression parse(String text) {
    SizeParser parser = new SizeParser(text);
    SizeExpression expression = parser.sum(0);
    parser.requireEnd();
    return expression;
  }
}
