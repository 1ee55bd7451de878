package org.hlo4j.check.compare;

import java.util.Locale;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** What makes a right array wrong, unless it looks the same. */
enum Plant {
  ZEROS,
  HALF,
  TWICE,
  /** Each number 1 % too large, each integer 1. */
  MORE,
  /** The elements in reverse order. */
  REVERSED;

  /** Stands for all slices of an array. */
  static final int ALL = -1;

  /** A component of the wrong array. */
  @FunctionalInterface
  private interface Change {
    double at(int component);
  }

  /** Returns an array with this fault. */
  Literal in(Literal right) {
    int components = components(right);
    int parts = right.elementType().isComplex() ? 2 : 1;
    return switch (this) {
      case ZEROS -> changed(right, i -> 0);
      case HALF -> changed(right, i -> number(right, i) / 2);
      case TWICE -> changed(right, i -> number(right, i) * 2);
      case MORE -> changed(right, i -> more(right, number(right, i)));
      case REVERSED -> changed(right, i -> number(right, components - parts - i + i % parts * 2));
    };
  }

  private static double more(Literal of, double number) {
    return switch (of.elementType().kind()) {
      case PRED -> number;
      case SIGNED, UNSIGNED -> number + 1;
      case FLOAT, COMPLEX -> number * 1.01;
    };
  }

  /** Returns an array of which a slice along a dimension, or all, is multiplied by -1. */
  static Literal negated(Literal of, int dimension, int slice) {
    Shape.Array shape = of.arrayShape();
    int inner = of.elementType().isComplex() ? 2 : 1;
    for (int d = dimension + 1; d < shape.rank(); d++) {
      inner *= (int) shape.size(d);
    }
    int step = inner;
    int size = (int) shape.size(dimension);
    return changed(
        of, i -> slice == ALL || i / step % size == slice ? -number(of, i) : number(of, i));
  }

  /** Returns whether two arrays hold the same numbers. */
  static boolean areEqual(Literal one, Literal other) {
    for (int i = 0; i < components(one); i++) {
      double number = number(one, i);
      if (number != number(other, i) && !(Double.isNaN(number) && Double.isNaN(number(other, i)))) {
        return false;
      }
    }
    return true;
  }

  private static int components(Literal of) {
    return of.elementCount() * (of.elementType().isComplex() ? 2 : 1);
  }

  private static double number(Literal of, int component) {
    ElementType type = of.elementType();
    return switch (type.kind()) {
      case PRED -> of.bitsAt(component) & 1;
      case SIGNED, UNSIGNED -> of.longAt(component);
      case FLOAT, COMPLEX -> type.componentType().decode(of.bitsAt(component));
    };
  }

  private static Literal changed(Literal of, Change change) {
    LiteralBuilder changed = new LiteralBuilder(of.arrayShape());
    for (int i = 0; i < of.elementCount(); i++) {
      switch (of.elementType().kind()) {
        case PRED -> changed.setBoolean(i, change.at(i) >= 1);
        case SIGNED, UNSIGNED -> changed.setLong(i, (long) change.at(i));
        case FLOAT -> changed.setDouble(i, change.at(i));
        case COMPLEX -> changed.setComplex(i, change.at(2 * i), change.at(2 * i + 1));
      }
    }
    return changed.build();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
