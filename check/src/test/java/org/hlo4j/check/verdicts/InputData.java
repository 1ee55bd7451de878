package org.hlo4j.check.verdicts;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;

/** Makes arguments of what a row says: {@code T[4,64] normal}, {@code f32[3] {1, 2, 3}}. */
final class InputData {
  private InputData() {}

  static Literal of(String text, String type, int seed) {
    String typed = ProgramText.typed(text, type);
    int blank = typed.indexOf(' ');
    Shape.Array shape = (Shape.Array) Parser.parseShape(typed.substring(0, blank));
    String data = typed.substring(blank + 1);
    return data.startsWith("{") || shape.isScalar()
        ? Parser.parseLiteral(typed)
        : filled(shape, Splitter.on(' ').splitToList(data), new Random(seed));
  }

  private static Literal filled(Shape.Array shape, List<String> data, Random random) {
    double[] numbers = new double[2 * Math.toIntExact(shape.elementCount())];
    DoubleSupplier source = source(data, random, numbers.length);
    for (int i = 0; i < numbers.length / 2; i++) {
      numbers[i] = source.getAsDouble();
    }
    if (shape.elementType().isComplex()) {
      for (int i = numbers.length / 2; i < numbers.length; i++) {
        numbers[i] = source.getAsDouble();
      }
    }
    return literal(shape, matrix(data.getFirst(), shape, numbers));
  }

  private static double number(List<String> data, int place, double otherwise) {
    return place < data.size() ? Double.parseDouble(data.get(place)) : otherwise;
  }

  private static DoubleSupplier source(List<String> data, Random random, int count) {
    double a = number(data, 1, 0);
    double b = number(data, 2, 1);
    int[] next = {0};
    return switch (data.getFirst()) {
      case "normal" -> () -> random.nextGaussian() * number(data, 1, 1);
      case "uniform" -> () -> a + (b - a) * random.nextDouble();
      case "ints" -> () -> a + random.nextInt((int) (b - a + 1));
      case "full" -> () -> a;
      case "iota" -> () -> a + (next[0]++ % (count / 2));
      case "spread" -> () -> a + (b - a) * (next[0]++ % (count / 2)) / (count / 2 - 1);
      case "powers" ->
          () -> random.nextGaussian() * Math.pow(10, a + (b - a) * random.nextDouble());
      default -> random::nextGaussian;
    };
  }

  /** Makes matrices of the last two dimensions: definite, well conditioned or triangular. */
  private static double[] matrix(String kind, Shape.Array shape, double[] numbers) {
    if (shape.rank() < 2) {
      return numbers;
    }
    int n = (int) shape.size(shape.rank() - 1);
    int m = (int) shape.size(shape.rank() - 2);
    int half = numbers.length / 2;
    double[] made = numbers.clone();
    for (int at = 0; at < half; at++) {
      int column = at % n;
      int row = at / n % m;
      int mirrored = at - at % (m * n) + column * n + row;
      switch (kind) {
        case "definite" -> { // diagonally dominant and Hermitian
          made[at] = row == column ? 2 * n + numbers[at] : numbers[Math.min(at, mirrored)];
          made[half + at] = Integer.signum(row - column) * numbers[half + Math.min(at, mirrored)];
        }
        case "dominant" -> made[at] += row == column ? 2 * n : 0;
        case "lower" -> made[at] = row < column ? 0 : row == column ? 3 + made[at] / 4 : made[at];
        case "upper" -> made[at] = row > column ? 0 : row == column ? 3 + made[at] / 4 : made[at];
        default -> {
          return numbers;
        }
      }
    }
    return made;
  }

  private static Literal literal(Shape.Array shape, double[] numbers) {
    ElementType type = shape.elementType();
    LiteralBuilder made = LiteralBuilder.zeros(shape);
    for (int i = 0; i < numbers.length / 2; i++) {
      if (type.isComplex()) {
        made.setComplex(i, numbers[i], numbers[numbers.length / 2 + i]);
      } else if (type.isFloating()) {
        made.setDouble(i, numbers[i]);
      } else {
        made.setLong(i, Math.round(numbers[i]));
      }
    }
    return made.build();
  }
}
