package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.Nightly;

/** Programs of the client libraries, run on vectors of floats, and how far off they are. */
final class Accuracy {
  /** What a function should give, of inputs already rounded to the element type. */
  interface Exact {
    double at(double... inputs);
  }

  private Accuracy() {}

  /** By day these functions run on the reference only, at night also compiled. */
  private static final Evaluator EVALUATOR =
      Nightly.isOn() ? Evaluators.both() : Interpreter.reference();

  /** The result of a program on literals, built, verified and run. */
  static Literal run(Function<List<XlaOp>, XlaOp> program, Literal... inputs) {
    XlaBuilder b = new XlaBuilder("lib");
    List<XlaOp> parameters = new ArrayList<>();
    for (Literal input : inputs) {
      parameters.add(b.parameter(parameters.size(), input.shape(), "p" + parameters.size()));
    }
    HloModule module = b.build(program.apply(parameters));
    Verifier.strict().verify(module);
    return EVALUATOR.run(module, inputs);
  }

  /** A vector, each number rounded to the element type. */
  static Literal vector(ElementType type, double... values) {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, values.length));
    for (int i = 0; i < values.length; i++) {
      literal.setDouble(i, values[i]);
    }
    return literal.build();
  }

  /**
   * Fails unless each result is right to so many units: distances from 1 to the next number of the
   * type, times the result or, if that is greater, the floor.
   */
  static void holds(
      String name,
      ElementType type,
      Function<List<XlaOp>, XlaOp> program,
      Exact exact,
      double units,
      double floor,
      double[]... inputs) {
    Literal[] literals =
        Arrays.stream(inputs).map(input -> vector(type, input)).toArray(Literal[]::new);
    Literal got = run(program, literals);
    double leastNormal = type == F32 ? Float.MIN_NORMAL : Double.MIN_NORMAL;
    for (int i = 0; i < got.elementCount(); i++) {
      int row = i;
      double[] arguments =
          Arrays.stream(literals).mapToDouble(input -> input.doubleAt(row)).toArray();
      double want = exact.at(arguments);
      String place = name + Arrays.toString(arguments) + " in " + type;
      if (!Double.isFinite(type.round(want))) {
        assertWithMessage(place).that(got.doubleAt(i)).isEqualTo(type.round(want));
        continue;
      }
      double scale = Math.max(Math.max(Math.abs(want), floor), leastNormal);
      double allowed = units * Math.scalb(scale, -type.mantissaBits());
      assertWithMessage(place).that(got.doubleAt(i)).isWithin(allowed).of(want);
    }
  }

  /** Rows of inputs and one result, as in the tables of the tests. */
  static void holdsTable(
      String name,
      ElementType type,
      Function<List<XlaOp>, XlaOp> program,
      double units,
      double floor,
      int inputCount,
      String table) {
    double[] numbers =
        Arrays.stream(table.trim().split("\\s+")).mapToDouble(Double::parseDouble).toArray();
    int rows = numbers.length / (inputCount + 1);
    double[][] inputs = new double[inputCount][rows];
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < inputCount; k++) {
        inputs[k][i] = numbers[i * (inputCount + 1) + k];
      }
    }
    int[] next = {0};
    Exact exact = arguments -> numbers[(inputCount + 1) * next[0]++ + inputCount];
    holds(name, type, program, exact, units, floor, inputs);
  }

  /** So many numbers of an interval, evenly random, the same in each run. */
  static double[] between(double low, double high, int count) {
    return new SplittableRandom(7).doubles(count, low, high).toArray();
  }

  /** So many numbers whose logarithms are evenly random, of both signs if so wanted. */
  static double[] scales(double low, double high, int count, boolean both) {
    double[] positive =
        Arrays.stream(between(Math.log(low), Math.log(high), count)).map(Math::exp).toArray();
    return both
        ? DoubleStream.concat(Arrays.stream(positive), Arrays.stream(positive).map(value -> -value))
            .toArray()
        : positive;
  }
}
