package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;
import static java.util.stream.Collectors.toCollection;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.Matrix;
import org.hlo4j.interpreter.reference.linalg.Reflectors;

/**
 * The vectors of a decomposition, each of which may be multiplied by a sign, or a phase if it is
 * complex, together with its partners: column k of U and row k of V*, so that their product stays.
 * Those of equal values may be multiplied by any orthogonal (unitary) matrix.
 */
final class FreeVectors {
  /**
   * How many roundings of each row values may be apart whose vectors are mixed: with fewer, more
   * than a hundredth of a vector is that of another value.
   */
  private static final double NEAR = 160;

  private FreeVectors() {}

  /**
   * Vectors that are multiplied together.
   *
   * @param values the array with their values, in order; -1 if those that have the same value are
   *     not orthogonal
   */
  record Group(int values, ImmutableList<Place> places) {
    private Literal first(Literal result) {
      return result.element(places.get(0).output());
    }

    /** Returns the vectors of one matrix of each place, as columns. */
    private List<Matrix> read(Literal result, int n) {
      return places.stream()
          .map(place -> place.columns(Matrix.read(result.element(place.output()), n)))
          .collect(toCollection(ArrayList::new));
    }
  }

  /**
   * Where the vectors of a group are.
   *
   * @param output the array of the result
   * @param areColumns whether they are its columns, multiplied by the phase
   * @param areRows whether they are its rows, multiplied by the conjugate of the phase
   */
  record Place(int output, boolean areColumns, boolean areRows) {
    /** Returns an array as a matrix whose columns are the vectors, or such a matrix as an array. */
    private Matrix columns(Matrix array) {
      return areColumns ? array : array.adjoint();
    }

    private Matrix mixed(Matrix vectors, Cluster cluster, Matrix by) {
      Matrix mixed = cluster.multiplied(vectors, by);
      return areColumns && areRows ? cluster.multiplied(mixed.adjoint(), by).adjoint() : mixed;
    }
  }

  /**
   * Vectors of one value, any orthonormal basis of whose space may take their place.
   *
   * @param first the first of them
   * @param size how many
   * @param isZero whether the value is zero, so that partners need not change together
   */
  record Cluster(int first, int size, boolean isZero) {
    private Matrix of(Matrix vectors) {
      return vectors.withColumns(IntStream.range(first, first + size).toArray());
    }

    private Cluster within(int vectors) {
      return new Cluster(first, Math.clamp(vectors - first, 0, size), isZero);
    }

    /** Returns vectors of which these are multiplied by a matrix, if all are there. */
    private Matrix multiplied(Matrix vectors, Matrix by) {
      Matrix result = vectors.copy();
      boolean isThere = first + size <= vectors.columns();
      Matrix product = isThere ? of(vectors).times(by) : new Matrix(0, 0);
      for (int row = 0; row < product.rows(); row++) {
        for (int i = 0; i < size; i++) {
          result.set(row, first + i, product.get(row, i));
        }
      }
      return result;
    }
  }

  /** Returns the groups of a decomposition; none if it has no vectors. */
  static ImmutableList<Group> of(HloInstruction call) {
    return Factorizations.routine(call).stream()
        .flatMap(routine -> routine.vectors().stream())
        .filter(text -> !text.contains("row:") || LapackCall.vectors(call) != 'N')
        .map(text -> group(call, text))
        .collect(toImmutableList());
  }

  /**
   * Returns the group that {@code routines.table} names: the output of the values, and places, of
   * which negative ones are counted from the end. Of vectors in rows the transposed ones may be
   * computed.
   */
  private static Group group(HloInstruction call, String text) {
    boolean isSwapped = text.contains("row:") && LapackCall.isTransposed(call);
    int count = ((Shape.Tuple) call.shape()).elements().size();
    List<String> words = Splitter.on(' ').splitToList(text);
    ImmutableList.Builder<Place> places = ImmutableList.builder();
    for (String word : words.subList(1, words.size())) {
      int output = Integer.parseInt(word.substring(word.indexOf(':') + 1));
      places.add(
          new Place(
              isSwapped ? 5 - output : Math.floorMod(output, count),
              !word.startsWith("row"),
              !word.startsWith("column")));
    }
    return new Group(Integer.parseInt(words.get(0)), places.build());
  }

  /** How the vectors of a cluster are mixed. */
  @FunctionalInterface
  interface Mixing {
    /**
     * Returns the unitary matrix that they are multiplied by.
     *
     * @param like the one that makes them like the base
     * @param isComplex whether it may be complex
     * @param paired how many of them have partners
     */
    Matrix of(Matrix like, boolean isComplex, int paired);
  }

  /** Returns a result with its vectors mixed, in the order of groups, matrices, vectors. */
  static Literal mixed(HloInstruction call, Literal base, Literal result, Mixing mixing) {
    List<Literal> parts = new ArrayList<>(result.elements());
    for (Group group : of(call)) {
      boolean isComplex = group.first(base).elementType().isComplex();
      List<LiteralBuilder> builders =
          group.places().stream()
              .map(place -> new LiteralBuilder(result.element(place.output()).arrayShape()))
              .toList();
      for (int n = 0; n < Matrix.count(group.first(result)); n++) {
        List<Matrix> vectors = group.read(result, n);
        List<Matrix> like = result.equals(base) ? List.of() : group.read(base, n);
        mix(group, vectors, like, base, n, mixing);
        for (int i = 0; i < vectors.size(); i++) {
          group.places().get(i).columns(vectors.get(i)).write(builders.get(i), n, isComplex);
        }
      }
      for (int i = 0; i < builders.size(); i++) {
        parts.set(group.places().get(i).output(), builders.get(i).build());
      }
    }
    return Literal.tuple(parts);
  }

  /**
   * Mixes the vectors of one matrix of a group, each cluster as its longest matrix has it.
   *
   * @param like those of the base; none if they are the same
   */
  private static void mix(
      Group group, List<Matrix> vectors, List<Matrix> like, Literal base, int n, Mixing mixing) {
    boolean isComplex = group.first(base).elementType().isComplex();
    List<Integer> all = IntStream.range(0, vectors.size()).boxed().toList();
    int paired = vectors.stream().mapToInt(Matrix::columns).min().orElse(0);
    int most = vectors.stream().mapToInt(Matrix::columns).max().orElse(0);
    for (Cluster each : clusters(group, base, n, most)) {
      for (List<Integer> some : Lists.partition(all, each.isZero() ? 1 : all.size())) {
        int longest = Collections.max(some, comparingInt(i -> vectors.get(i).columns()));
        Cluster part = each.within(vectors.get(longest).columns());
        if (part.size() > 0) {
          Matrix own = part.of(vectors.get(longest));
          Matrix towards =
              like.isEmpty()
                  ? Matrix.identity(part.size())
                  : unitary(own.adjoint().times(part.of(like.get(longest))));
          Matrix by =
              mixing.of(towards, isComplex, Math.clamp(paired - part.first(), 0, part.size()));
          some.forEach(i -> vectors.set(i, group.places().get(i).mixed(vectors.get(i), part, by)));
        }
      }
    }
  }

  /**
   * Returns the nearest unitary matrix with the same first column, and so on: Q of the
   * factorization QR in which the diagonal of R is positive; the identity if it is not finite.
   */
  static Matrix unitary(Matrix of) {
    Matrix q = Matrix.identity(of.rows());
    if (!Double.isFinite(of.greatestPart())) {
      return q;
    }
    Matrix r = of.copy();
    List<Complex> taus = new ArrayList<>();
    for (int k = 0; k < r.columns(); k++) {
      taus.add(Reflectors.reflect(r, k, k));
      Reflectors.applyToColumns(r, k, k, taus.get(k).conjugate(), r, k + 1);
    }
    for (int k = r.columns() - 1; k >= 0; k--) {
      Reflectors.applyToColumns(r, k, k, taus.get(k), q, 0);
    }
    IntStream.range(0, r.columns()).filter(k -> r.get(k, k).re() < 0).forEach(q::negateColumn);
    return q;
  }

  /**
   * Returns the vectors of a matrix by their values: those that are so near that roundings mix the
   * vectors are one cluster; so are those of zero and those that only complete a basis.
   */
  private static List<Cluster> clusters(Group group, Literal base, int matrix, int vectors) {
    double[] values = new double[0];
    if (group.values() >= 0) {
      Literal all = base.element(group.values());
      values = new double[all.elementCount() / Matrix.count(group.first(base))];
      for (int i = 0; i < values.length; i++) {
        values[i] = all.doubleAt(matrix * values.length + i);
      }
    }
    double greatest = Arrays.stream(values).map(Math::abs).max().orElse(0);
    ElementType type = group.first(base).elementType().componentType();
    double near = NEAR * vectors * Bounds.unit(type) * greatest;
    List<Cluster> clusters = new ArrayList<>();
    for (int first = 0, next; first < vectors; first = next) {
      next = first + 1;
      while (next < values.length && Math.abs(values[next] - values[next - 1]) <= near) {
        next++;
      }
      boolean hasValue = first < values.length;
      boolean isZero = values.length > 0 && !(hasValue && Math.abs(values[first]) > near);
      next = isZero && next >= values.length ? vectors : next;
      clusters.add(new Cluster(first, next - first, isZero));
    }
    return clusters;
  }
}
