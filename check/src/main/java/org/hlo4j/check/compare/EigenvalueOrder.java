package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingDouble;
import static java.util.stream.Collectors.toCollection;
import static org.hlo4j.interpreter.reference.linalg.ComplexArray.complexAt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * The order of the eigenvalues of nonsymmetric matrices, which LAPACK leaves open: that of the
 * result under test, if it has the same eigenvalues. Those of geev are permuted together with their
 * vectors. A Schur form of gees in another order, or with other rotations of its 2x2 blocks, is
 * accepted if its residual is that of a backward stable algorithm.
 */
final class EigenvalueOrder {
  /** The most that equal eigenvalues may differ, relative to the greatest one. */
  private static final double NEAR = 0.002;

  /** The bound of a residual, in units of n roundings, that LAPACK's own tests take. */
  private static final int RESIDUAL = 60;

  private final Literal result;
  private final Literal matrices;
  private final int n;

  /** The eigenvalues, or their real and their imaginary parts. */
  private final ImmutableList<Literal> values;

  private EigenvalueOrder(Literal result, Literal matrices) {
    this.result = result;
    this.matrices = matrices;
    int rank = matrices.arrayShape().rank();
    this.n = (int) matrices.arrayShape().size(rank - 1);
    this.values =
        result.elements().stream()
            .filter(each -> each.arrayShape().rank() == rank - 1)
            .collect(toImmutableList());
  }

  /** Returns the result of a call, in the order of one of the arrays of the result under test. */
  static Literal like(HloInstruction call, Literal result, Literal matrices, List<Literal> wanted) {
    if (matrices.elementCount() == 0) {
      return result;
    }
    EigenvalueOrder order = new EigenvalueOrder(result, matrices);
    boolean isSchur = FreeVectors.of(call).size() == 1;
    Stream<List<Literal>> found =
        isSchur ? order.schurForms(wanted) : wanted.stream().flatMap(order::like);
    return found.findFirst().map(Literal::tuple).orElse(result);
  }

  private Stream<List<Literal>> schurForms(List<Literal> wanted) {
    List<Literal> alike =
        wanted.stream().filter(each -> each.shape().equals(matrices.shape())).toList();
    return Lists.cartesianProduct(alike, alike).stream()
        .filter(pair -> isOther(pair.get(0)) && isSchurForm(pair.get(0), pair.get(1)))
        .flatMap(pair -> {
          Shape.Array shape = values.get(0).arrayShape().withElementType(matrices.elementType());
          return like(pair.get(0).taken(shape, i -> i / n * n * n + i % n * (n + 1)))
              .map(parts -> Lists.newArrayList(Iterables.concat(pair, Iterables.skip(parts, 2))));
        });
  }

  /** Returns the arrays in the order of some values, if these are the same. */
  private Stream<List<Literal>> like(Literal wanted) {
    return order(wanted)
        .map(order -> result.elements().stream().map(each -> ordered(each, order)).toList())
        .stream();
  }

  private Literal ordered(Literal array, int[] order) {
    int rest = array.elementCount() / order.length;
    return array.arrayShape().rank() < values.get(0).arrayShape().rank()
        ? array
        : array.taken(array.arrayShape(), i -> i - i % n + order[i / (n * rest) * n + i % n]);
  }

  private Complex value(int i) {
    Complex first = complexAt(values.get(0), i);
    return values.size() == 1 ? first : new Complex(first.re(), values.get(1).doubleAt(i));
  }

  /**
   * Returns, for each wanted eigenvalue, the index of the nearest one of its matrix; empty if one
   * has none that is near.
   */
  private Optional<int[]> order(Literal wanted) {
    Dims sizes = values.get(0).arrayShape().sizes();
    if (!wanted.arrayShape().sizes().equals(sizes) || wanted.elementType().isIntegral()) {
      return Optional.empty();
    }
    int[] order = new int[values.get(0).elementCount()];
    for (int first = 0; first < order.length; first += n) {
      int start = first;
      List<Integer> left = IntStream.range(0, n).boxed().collect(toCollection(ArrayList::new));
      double greatest = left.stream().mapToDouble(j -> value(start + j).abs()).max().orElse(0);
      for (int i = first; i < first + n; i++) {
        int at = i;
        ToDoubleFunction<Integer> distance = j -> apart(value(start + j), wanted, at);
        Integer nearest = Collections.min(left, comparingDouble(distance));
        if (!(distance.applyAsDouble(nearest) <= NEAR * greatest)) {
          return Optional.empty();
        }
        left.remove(nearest);
        order[i] = nearest;
      }
    }
    return keepsPairs(order) ? Optional.of(order) : Optional.empty();
  }

  /** Returns how far a number is from one of an array, of which only the real part may be known. */
  private static double apart(Complex z, Literal array, int i) {
    Complex other = complexAt(array, i);
    return array.elementType().isComplex() ? z.minus(other).abs() : Math.abs(z.re() - other.re());
  }

  /** Returns whether the conjugate of each eigenvalue of a real matrix stays beside it. */
  private boolean keepsPairs(int[] order) {
    Literal parts = ordered(values.getLast(), order);
    return values.size() == 1
        || IntStream.range(0, order.length)
            .allMatch(i -> {
              int partner = i + (int) Math.signum(parts.doubleAt(i));
              return Math.floorDiv(partner, n) == i / n
                  && parts.doubleAt(partner) == -parts.doubleAt(i);
            });
  }

  /** Returns whether a Schur form differs from this one in more than the signs of its vectors. */
  private boolean isOther(Literal form) {
    Bounds own = new Bounds(result.element(0));
    Bounds other = new Bounds(form);
    double near = NEAR * IntStream.range(0, n * n).mapToDouble(own::modulus).max().orElse(0);
    return IntStream.range(0, form.elementCount())
        .anyMatch(i -> Math.abs(own.modulus(i) - other.modulus(i)) > near);
  }

  /** Returns whether {@code a q = q t}, q is unitary, and t triangular but for 2x2 blocks. */
  private boolean isSchurForm(Literal forms, Literal vectors) {
    boolean isComplex = matrices.elementType().isComplex();
    double near = RESIDUAL * n * Bounds.unit(matrices.elementType().componentType());
    return IntStream.range(0, Matrix.count(matrices))
        .allMatch(k -> {
          Matrix a = Matrix.read(matrices, k);
          Matrix t = Matrix.read(forms, k);
          Matrix q = Matrix.read(vectors, k);
          boolean isTriangular = true;
          for (int i = 1; i < n; i++) {
            for (int j = 0; j < i; j++) {
              boolean mayBe = !isComplex && j == i - 1 && (j == 0 || t.get(j, j - 1).isZero());
              isTriangular &= mayBe || t.get(i, j).isZero();
            }
          }
          return isTriangular
              && distance(a.times(q), q.times(t)) <= near * a.greatestPart()
              && distance(q.adjoint().times(q), Matrix.identity(n)) <= near;
        });
  }

  private static double distance(Matrix one, Matrix other) {
    int columns = one.columns();
    return IntStream.range(0, one.rows() * columns)
        .mapToDouble(
            i -> one.get(i / columns, i % columns).minus(other.get(i / columns, i % columns)).abs())
        .max()
        .orElse(0);
  }
}
