package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A product has the bits of its shapes wherever it stands, in all runs, whichever arguments are
 * bound. At night each product stands in each place, otherwise in a loop and in some, other ones
 * than the product before it.
 */
final class ProductPlacesTest {
  private static final int ITERATIONS = 3;
  private static final List<String> ROWS =
      Splitter.on('\n')
          .splitToStream(ProductPlaces.resource("products.txt"))
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();

  /** From one place of a product to the next in which it is tried. */
  private static final int STEP = Nightly.isOn() ? 1 : 32;

  /** Where each product is tried by day as well: loops choose among forms of their own. */
  private static final String LOOP = "body of a loop";

  static List<String> rows() {
    return ROWS;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void sameBits(String row) {
    ProductPlaces product = ProductPlaces.of(row);
    Random random = new Random(57);
    Literal x = values(product.lhs(), random);
    Literal y = values(product.rhs(), random);
    Literal want = Interpreter.compiled().run(product.module("alone"), x, y);
    List<Literal> all = new ArrayList<>(List.of(x, y, Literal.of(ITERATIONS), want));
    product.identities().stream().map(ProductPlacesTest::identity).forEach(all::add);
    Set<String> differing = new LinkedHashSet<>();
    List<String> places = product.places();
    Set<String> tried = new LinkedHashSet<>(List.of(LOOP));
    for (int i = ROWS.indexOf(row) % STEP; i < places.size(); i += STEP) {
      tried.add(places.get(i));
    }
    for (String place : tried) {
      HloModule module = product.module(place);
      List<Literal> arguments = all.subList(0, module.entry().parameters().size());
      if (place.equals("behind transposes")) {
        arguments = List.of(ProductPlaces.reversed(x), ProductPlaces.reversed(y));
      }
      Literal expected = product.expected(place, want);
      runs(module, arguments)
          .forEach((run, result) -> {
            if (!result.equals(expected)) {
              differing.add(place + ", " + run);
            }
          });
    }
    assertThat(differing).isEmpty();
  }

  /** {@return random numbers that can be negated} */
  private static Literal values(Shape.Array shape, Random random) {
    Literal values = KernelTester.Values.UP_TO_ONE.literal(shape, random);
    ElementType type = shape.elementType();
    if (type.isFloating() || type.isComplex()) {
      return values;
    }
    LiteralBuilder some = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      some.setLong(i, Math.max(values.longAt(i), -type.maxLong()));
    }
    return some.build();
  }

  /** {@return the results of runs of a program, the later ones with all code that is compiled} */
  private static Map<String, Literal> runs(HloModule module, List<Literal> arguments) {
    Map<String, Literal> results = new HashMap<>();
    Executable program = Interpreter.compiled().compile(module);
    results.put("first run", program.run(arguments.toArray(Literal[]::new)));
    results.put("next run", program.run(arguments.toArray(Literal[]::new)));
    List<String> names = program.parameterNames();
    for (int some : new int[] {0b01, 0b10, 0b11}) {
      Map<String, Literal> bound = new HashMap<>();
      List<Literal> others = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        if (i < 2 && (some >> i & 1) > 0) {
          bound.put(names.get(i), arguments.get(i));
        } else {
          others.add(arguments.get(i));
        }
      }
      results.put(
          bound.keySet() + " bound", program.bind(bound).run(others.toArray(Literal[]::new)));
    }
    return results;
  }

  private static Literal identity(Shape.Array shape) {
    LiteralBuilder identity = LiteralBuilder.zeros(shape);
    int features = (int) shape.size(0);
    for (int i = 0; i < features; i++) {
      identity.setDouble(i * (features + 1), 1);
    }
    return identity.build();
  }
}
