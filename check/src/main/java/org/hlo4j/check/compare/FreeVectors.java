package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.LapackCall;

/**
 * The vectors of a decomposition, each of which may be multiplied by a sign, or a phase if it is
 * complex, together with its partners: column k of U and row k of V*, so that their product stays.
 */
final class FreeVectors {
  private FreeVectors() {}

  /** Vectors that are multiplied together. */
  record Group(ImmutableList<Place> places) {}

  /**
   * Where the vectors of a group are.
   *
   * @param output the array of the result
   * @param areColumns whether they are its columns, multiplied by the phase
   * @param areRows whether they are its rows, multiplied by the conjugate of the phase
   */
  record Place(int output, boolean areColumns, boolean areRows) {}

  private static Place columns(int output) {
    return new Place(output, true, false);
  }

  private static Place rows(int output) {
    return new Place(output, false, true);
  }

  private static ImmutableList<Group> together(Place... places) {
    return ImmutableList.of(new Group(ImmutableList.copyOf(places)));
  }

  /** Returns the groups of a decomposition; none if it has no vectors. */
  static ImmutableList<Group> of(HloInstruction call) {
    return switch (Factorizations.routine(call)) {
      case "syevd", "heevd", "syevj" -> together(columns(0));
      case "gesdd", "gesvd" ->
          LapackCall.vectors(call) == 'N'
              ? ImmutableList.of()
              : LapackCall.isTransposed(call)
                  ? together(columns(3), rows(2))
                  : together(columns(2), rows(3));
      case "gesvdj", "gesvdp" -> together(columns(2), columns(3));
      case "gees" -> together(columns(1), new Place(0, true, true));
      case "geev" -> eigenvectors(call);
      default -> ImmutableList.of();
    };
  }

  /** Left and right eigenvectors: the matrices of complex numbers, or the last two. */
  private static ImmutableList<Group> eigenvectors(HloInstruction call) {
    int count = ((Shape.Tuple) call.shape()).elements().size();
    return ImmutableList.of(
        new Group(ImmutableList.of(columns(count - 3))),
        new Group(ImmutableList.of(columns(count - 2))));
  }

  /** The factor of a vector, given the phase between it and that of the base. */
  @FunctionalInterface
  interface PhaseFactor {
    /**
     * Returns the factor.
     *
     * @param re the real part of the phase that makes it like the base
     * @param im the imaginary part
     * @param isComplex whether it may be complex
     */
    double[] of(double re, double im, boolean isComplex);
  }

  /** Returns a result with its vectors multiplied, in the order of groups, matrices, vectors. */
  static Literal withPhases(HloInstruction call, Literal base, Literal result, PhaseFactor factor) {
    List<Literal> parts = new ArrayList<>(result.elements());
    for (Group group : of(call)) {
      Matrices now = most(group, result);
      Matrices like = new Matrices(now.place, base.element(now.place.output()));
      List<double[]> factors = new ArrayList<>();
      for (int matrix = 0; matrix < now.count(); matrix++) {
        for (int vector = 0; vector < now.vectors(); vector++) {
          double[] phase = now.phase(like, matrix, vector);
          factors.add(factor.of(phase[0], phase[1], now.isComplex()));
        }
      }
      for (Place place : group.places()) {
        Matrices matrices = new Matrices(place, parts.get(place.output()));
        parts.set(place.output(), matrices.multiplied(factors, now.vectors()));
      }
    }
    return Literal.tuple(parts);
  }

  /** Returns the matrices of a group that have the most vectors. */
  private static Matrices most(Group group, Literal result) {
    return group.places().stream()
        .map(place -> new Matrices(place, result.element(place.output())))
        .reduce((one, other) -> other.vectors() > one.vectors() ? other : one)
        .orElseThrow();
  }

  /**
   * Returns a result in which the vectors that have no partner, and only complete a basis, are
   * another basis of the same space; the result itself if there is at most one of them.
   */
  @SuppressWarnings("ReferenceEquality") // literals whose NaNs have other bits are equal
  static Literal rebased(HloInstruction call, Literal result, int choice) {
    List<Literal> parts = new ArrayList<>(result.elements());
    for (Group group : of(call)) {
      Matrices most = most(group, result);
      int paired =
          group.places().stream()
              .mapToInt(place -> new Matrices(place, result.element(place.output())).vectors())
              .min()
              .orElse(0);
      if (paired + 1 < most.vectors()) {
        parts.set(most.place.output(), most.rotated(paired, choice + 1));
      }
    }
    boolean isSame =
        IntStream.range(0, parts.size()).allMatch(i -> parts.get(i) == result.element(i));
    return isSame ? result : Literal.tuple(parts);
  }

  /** An array of matrices. */
  private static final class Matrices {
    private final Place place;
    private final Literal array;
    private final int rows;
    private final int columns;

    Matrices(Place place, Literal array) {
      this.place = place;
      this.array = array;
      Shape.Array shape = array.arrayShape();
      this.rows = (int) shape.size(shape.rank() - 2);
      this.columns = (int) shape.size(shape.rank() - 1);
    }

    boolean isComplex() {
      return array.elementType().isComplex();
    }

    int count() {
      return rows * columns == 0 ? 0 : array.elementCount() / (rows * columns);
    }

    /** Returns how many vectors a matrix has. */
    int vectors() {
      return place.areColumns() ? columns : rows;
    }

    /** Returns where a component of a vector is. */
    private int at(int matrix, int vector, int component) {
      int in = place.areColumns() ? component * columns + vector : vector * columns + component;
      return matrix * rows * columns + in;
    }

    private int length() {
      return place.areColumns() ? rows : columns;
    }

    private double re(int i) {
      return isComplex() ? array.realAt(i) : array.doubleAt(i);
    }

    private double im(int i) {
      return isComplex() ? array.imaginaryAt(i) : 0;
    }

    /** Returns the phase by which a column must be multiplied to be like another one. */
    double[] phase(Matrices like, int matrix, int vector) {
      double re = 0;
      double im = 0;
      for (int component = 0; component < length(); component++) {
        int i = at(matrix, vector, component);
        re += like.re(i) * re(i) + like.im(i) * im(i);
        im += like.im(i) * re(i) - like.re(i) * im(i);
      }
      im = place.areColumns() ? im : -im; // rows are multiplied by the conjugate
      double size = Math.hypot(re, im);
      return size > 0 && Double.isFinite(size)
          ? new double[] {re / size, im / size}
          : new double[] {1, 0};
    }

    /** Returns the matrices with each vector multiplied by its factor. */
    Literal multiplied(List<double[]> factors, int each) {
      LiteralBuilder product = new LiteralBuilder(array.arrayShape());
      for (int i = 0; i < array.elementCount(); i++) {
        int matrix = i / (rows * columns);
        int column = i % columns;
        int row = i / columns % rows;
        double[] value = {re(i), im(i)};
        if (place.areColumns() && column < each) {
          multiply(value, factors.get(matrix * each + column), 1);
        }
        if (place.areRows() && row < each) {
          multiply(value, factors.get(matrix * each + row), -1);
        }
        set(product, i, value[0], value[1]);
      }
      return product.build();
    }

    private void set(LiteralBuilder into, int i, double re, double im) {
      ElementType part = array.elementType().componentType();
      into.setBits(isComplex() ? 2 * i : i, part.encode(re));
      if (isComplex()) {
        into.setBits(2 * i + 1, part.encode(im));
      }
    }

    /** Returns the matrices with each vector from one on rotated towards the next. */
    Literal rotated(int from, double angle) {
      LiteralBuilder rotated = new LiteralBuilder(array.arrayShape());
      for (int i = 0; i < array.elementCount(); i++) {
        rotated.copy(i, array, i);
      }
      for (int matrix = 0; matrix < count(); matrix++) {
        for (int component = 0; component < length(); component++) {
          double re = re(at(matrix, from, component));
          double im = im(at(matrix, from, component));
          for (int vector = from; vector + 1 < vectors(); vector++) {
            int next = at(matrix, vector + 1, component);
            double cos = Math.cos(angle);
            double sin = Math.sin(angle);
            set(
                rotated,
                at(matrix, vector, component),
                cos * re + sin * re(next),
                cos * im + sin * im(next));
            re = cos * re(next) - sin * re;
            im = cos * im(next) - sin * im;
          }
          set(rotated, at(matrix, vectors() - 1, component), re, im);
        }
      }
      return rotated.build();
    }

    private static void multiply(double[] value, double[] factor, int sign) {
      double re = value[0];
      if (factor[1] == 0) { // keeps the signs of zeros
        value[0] = re * factor[0];
        value[1] *= factor[0];
        return;
      }
      double im = sign * factor[1];
      value[0] = re * factor[0] - value[1] * im;
      value[1] = re * im + value[1] * factor[0];
    }
  }
}
