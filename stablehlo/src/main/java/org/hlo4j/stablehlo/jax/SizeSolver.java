package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A solver for the values of a function's size variables, given the shapes of its arguments.
 *
 * @param functionName the name of the function, for refusals
 * @param inputs what it takes
 */
record SizeSolver(String functionName, ImmutableList<JaxArray> inputs) {
  /** Returns the value of each variable; refuses shapes that do not fit. */
  Map<String, Long> solve(List<Shape> shapes) {
    require(
        shapes.size() == inputs.size(),
        ARGUMENT,
        "%s: got %s arrays, want %s: %s",
        functionName,
        shapes.size(),
        inputs.size(),
        inputs);
    for (int i = 0; i < shapes.size(); i++) {
      requireArray(shapes.get(i), inputs.get(i));
    }
    Map<String, Long> sizes = new TreeMap<>();
    Map<String, String> origins = new LinkedHashMap<>();
    while (solveOne(shapes, sizes, origins)) {
      // A solved variable may determine further ones.
    }
    checkSizes(shapes, sizes, origins);
    return sizes;
  }

  private void requireArray(Shape shape, JaxArray input) {
    boolean isRanked = shape instanceof Shape.Array array && array.rank() == input.rank();
    if (isRanked && ((Shape.Array) shape).elementType() == input.elementType()) {
      return;
    }
    HloException refusal =
        new HloException(
            ARGUMENT, "%s: %s got %s, want %s", functionName, input.path(), shape, wanted(input));
    boolean isConvertible = isRanked && !((Shape.Array) shape).elementType().isComplex();
    throw isConvertible
        ? refusal.with(
            "fits",
            "fits: " + input.path() + ".convertElementType(" + input.elementType().name() + ")")
        : refusal;
  }

  private static String wanted(JaxArray input) {
    return input + (input.keySize() > 0 ? ", a u32 array with " + input.keySize() + " last" : "");
  }

  private boolean solveOne(
      List<Shape> shapes, Map<String, Long> sizes, Map<String, String> origins) {
    for (int i = 0; i < shapes.size(); i++) {
      List<String> expressions = inputs.get(i).sizes();
      for (int d = 0; d < expressions.size(); d++) {
        long size = ((Shape.Array) shapes.get(i)).size(d);
        Optional<Map.Entry<String, Long>> solved =
            SizeExpression.parse(expressions.get(d)).solve(sizes, size);
        if (solved.isPresent() && solved.get().getValue() >= 0) {
          sizes.put(solved.get().getKey(), solved.get().getValue());
          origins.put(solved.get().getKey(), inputs.get(i).path());
          return true;
        }
      }
    }
    return false;
  }

  private void checkSizes(
      List<Shape> shapes, Map<String, Long> sizes, Map<String, String> origins) {
    for (int i = 0; i < shapes.size(); i++) {
      JaxArray input = inputs.get(i);
      long[] got = ((Shape.Array) shapes.get(i)).sizes().toArray();
      Optional<long[]> want = input.sizes(sizes);
      require(
          want.isPresent() && Arrays.equals(got, want.get()),
          ARGUMENT,
          "%s: %s got %s, want %s%s",
          functionName,
          input.path(),
          shapes.get(i),
          wanted(input),
          sizes.isEmpty() ? "" : " with " + told(sizes, origins));
    }
  }

  private static String told(Map<String, Long> sizes, Map<String, String> origins) {
    return sizes.entrySet().stream()
        .map(size -> size.getKey() + " = " + size.getValue() + " of " + origins.get(size.getKey()))
        .collect(Collectors.joining(", "));
  }
}
