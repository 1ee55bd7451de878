package org.hlo4j.check.compare;

import java.util.BitSet;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * The least and the greatest value that each component of one array of an instruction's result may
 * have. At first, both are the value itself; {@link Allowance}s move them apart.
 */
final class Bounds {
  /** The shape of the array. */
  final Shape.Array shape;

  /** The type of the components. */
  final ElementType type;

  /** How many components an element has: 2 if it is complex. */
  final int parts;

  /** The values of the components. */
  final double[] values;

  final double[] low;
  final double[] high;

  /** Which of the instruction's results it is, and the values of its operands. */
  final int output;

  final List<Literal> operands;

  private final Literal value;
  private final BitSet anything = new BitSet();

  /** Creates the bounds of an array by itself. */
  Bounds(Literal value) {
    this(value, 0, List.of());
  }

  Bounds(Literal value, int output, List<Literal> operands) {
    this.value = value;
    this.output = output;
    this.operands = operands;
    this.shape = value.arrayShape();
    this.type = value.elementType().componentType();
    this.parts = value.elementType().componentCount();
    this.values = new double[value.elementCount() * parts];
    for (int i = 0; i < values.length; i++) {
      values[i] = type.decode(value.bitsAt(i));
    }
    this.low = values.clone();
    this.high = values.clone();
  }

  /** Returns an element of one of the operands. */
  double operand(int number, int i) {
    return operands.get(number).doubleAt(i);
  }

  /** Returns how many elements each matrix has. */
  int each() {
    return (shape.rank() < 2 ? 1 : (int) shape.size(shape.rank() - 2)) * columns();
  }

  int columns() {
    return shape.rank() < 1 ? 1 : (int) shape.size(shape.rank() - 1);
  }

  /** Returns a copy of one of the matrices. */
  Matrix matrix(int n) {
    return Matrix.read(value, n);
  }

  int size() {
    return values.length;
  }

  /** Returns whether a component may have another value. */
  boolean isOpen(int i) {
    double number = values[i];
    return anything.get(i)
        || Double.compare(low[i], number) != 0
        || Double.compare(high[i], number) != 0;
  }

  /** Returns the absolute value of an element. */
  double modulus(int element) {
    return parts == 1
        ? Math.abs(values[element])
        : Math.hypot(values[2 * element], values[2 * element + 1]);
  }

  void setAnything(int i) {
    anything.set(i);
  }

  boolean isAnything(int i) {
    return anything.get(i);
  }

  void include(int i, double number) {
    low[i] = Math.min(low[i], number);
    high[i] = Math.max(high[i], number);
  }

  /** Allows either zero in place of a zero. */
  void includeZeros(int i) {
    if (values[i] == 0) {
      include(i, 0.0);
      include(i, -0.0);
    }
  }

  /** Allows a number of representable values to each side; 0, infinity and NaN stay. */
  void step(int i, long steps) {
    double number = values[i];
    if (number != 0 && Double.isFinite(number)) {
      low[i] = Math.min(low[i], type.stepped(number, -steps));
      high[i] = Math.max(high[i], type.stepped(number, steps));
    }
  }

  /**
   * Allows an error before the result is rounded. As the other result is rounded, too, from a
   * number that is not known, the ends are one representable value further away.
   */
  void widen(int i, double error) {
    double number = values[i];
    if (error > 0 && Double.isFinite(number)) {
      low[i] = Math.min(low[i], type.stepped(type.round(number - error), -1));
      high[i] = Math.max(high[i], type.stepped(type.round(number + error), 1));
    }
  }

  /** Allows zero in place of numbers that are denormal, or that may have been before rounding. */
  void flush() {
    double least = leastNormal(type);
    for (int i = 0; i < low.length; i++) {
      if (Math.abs(low[i]) <= least) {
        include(i, Math.copySign(0.0, low[i]));
      }
      if (Math.abs(high[i]) <= least) {
        include(i, Math.copySign(0.0, high[i]));
      }
    }
  }

  /** Returns half of the step from 1 to the next number. */
  double unit() {
    return unit(type);
  }

  static double unit(ElementType type) {
    return Math.scalb(1.0, -type.mantissaBits() - 1);
  }

  /** Returns the least number that is not denormal; 0 for what is computed in a wider type. */
  static double leastNormal(ElementType type) {
    return switch (type) {
      case F64 -> Double.MIN_NORMAL;
      case F32, BF16 -> Float.MIN_NORMAL;
      default -> 0;
    };
  }
}
