package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.LapackCall;

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
  record Group(int values, ImmutableList<Place> places) {}

  /**
   * Where the vectors of a group are.
   *
   * @param output the array of the result
   * @param areColumns whether they are its columns, multiplied by the phase
   * @param areRows whether they are its rows, multiplied by the conjugate of the phase
   */
  record Place(int output, boolean areColumns, boolean areRows) {}

  /**
   * Vectors of one value, any orthonormal basis of whose space may take their place.
   *
   * @param first the first of them
   * @param size how many
   * @param isZero whether the value is zero, so that partners need not change together
   */
  record Cluster(int first, int size, boolean isZero) {
    Cluster within(int vectors) {
      return new Cluster(first, Math.min(size, vectors - first), isZero);
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

  /** How the vectors of a cluster are mixed, given what makes them like those of the base. */
  @FunctionalInterface
  interface Mixing {
    /**
     * Returns the matrix that they are multiplied by.
     *
     * @param like the one that makes them like the base
     * @param isComplex whether it may be complex
     */
    Mix of(Mix like, boolean isComplex);
  }

  /** Returns a result with its vectors mixed, in the order of groups, matrices, vectors. */
  static Literal mixed(HloInstruction call, Literal base, Literal result, Mixing mixing) {
    List<Literal> parts = new ArrayList<>(result.elements());
    boolean isBase = result.equals(base);
    for (Group group : of(call)) {
      List<Matrices> matrices = matrices(group, result);
      List<Matrices> like = matrices(group, base);
      int count = matrices.get(0).count();
      for (int matrix = 0; matrix < count; matrix++) {
        for (Cluster each : clusters(group, base, matrix, most(matrices).vectors(), count)) {
          mix(each, matrix, matrices, isBase ? List.of() : like, mixing);
        }
      }
      matrices.forEach(each -> parts.set(each.place.output(), each.literal()));
    }
    return Literal.tuple(parts);
  }

  private static void mix(
      Cluster cluster, int matrix, List<Matrices> all, List<Matrices> like, Mixing mixing) {
    for (List<Matrices> some : cluster.isZero() ? Lists.partition(all, 1) : List.of(all)) {
      Matrices most = most(some);
      Cluster part = cluster.within(most.vectors());
      if (part.size() > 0) {
        Mix mix =
            like.isEmpty()
                ? Mix.moved(part.size(), 0)
                : most.towards(like.get(all.indexOf(most)), matrix, part).orthonormal();
        Mix by = mixing.of(mix, most.isComplex());
        some.forEach(each -> each.multiply(matrix, part, by));
      }
    }
  }

  /**
   * Returns the vectors of a matrix by their values: those that are so near that roundings mix the
   * vectors are one cluster; so are those of zero and those that only complete a basis.
   */
  private static List<Cluster> clusters(
      Group group, Literal base, int matrix, int vectors, int matrices) {
    double[] values = new double[0];
    if (group.values() >= 0) {
      Literal all = base.element(group.values());
      values = new double[all.elementCount() / matrices];
      for (int i = 0; i < values.length; i++) {
        values[i] = all.doubleAt(matrix * values.length + i);
      }
    }
    double greatest = Arrays.stream(values).map(Math::abs).max().orElse(0);
    Literal vector = base.element(group.places().get(0).output());
    double near = NEAR * vectors * Bounds.unit(vector.elementType().componentType()) * greatest;
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

  private static List<Matrices> matrices(Group group, Literal result) {
    return group.places().stream()
        .map(place -> new Matrices(place, result.element(place.output())))
        .toList();
  }

  /** Returns the matrices that have the most vectors. */
  private static Matrices most(List<Matrices> some) {
    return some.stream()
        .reduce((one, other) -> other.vectors() > one.vectors() ? other : one)
        .orElseThrow();
  }

  /**
   * Returns a result in which the vectors that have no partner, and only complete a basis, are
   * another basis of the same space; empty if there is at most one of them.
   */
  static Optional<Literal> rebased(HloInstruction call, Literal result, int choice) {
    List<Literal> parts = new ArrayList<>(result.elements());
    boolean isSame = true;
    for (Group group : of(call)) {
      List<Matrices> all = matrices(group, result);
      Matrices most = most(all);
      int paired = all.stream().mapToInt(Matrices::vectors).min().orElse(0);
      for (int matrix = 0; paired + 1 < most.vectors() && matrix < most.count(); matrix++) {
        Cluster unpaired = new Cluster(paired, most.vectors() - paired, true);
        most.multiply(matrix, unpaired, Mix.rotation(unpaired.size(), choice + 1));
        parts.set(most.place.output(), most.literal());
        isSame = false;
      }
    }
    return isSame ? Optional.empty() : Optional.of(Literal.tuple(parts));
  }

  /** An array of matrices, whose vectors are multiplied. */
  private static final class Matrices {
    private final Place place;
    private final Literal array;
    private final int rows;
    private final int columns;
    private final double[] re;
    private final double[] im;

    Matrices(Place place, Literal array) {
      this.place = place;
      this.array = array;
      Shape.Array shape = array.arrayShape();
      this.rows = (int) shape.size(shape.rank() - 2);
      this.columns = (int) shape.size(shape.rank() - 1);
      this.re = new double[array.elementCount()];
      this.im = new double[array.elementCount()];
      for (int i = 0; i < re.length; i++) {
        re[i] = isComplex() ? array.realAt(i) : array.doubleAt(i);
        im[i] = isComplex() ? array.imaginaryAt(i) : 0;
      }
    }

    boolean isComplex() {
      return array.elementType().isComplex();
    }

    int count() {
      return rows * columns == 0 ? 0 : re.length / (rows * columns);
    }

    /** Returns how many vectors a matrix has. */
    int vectors() {
      return place.areColumns() ? columns : rows;
    }

    /** Returns where a component of a vector is. */
    private int at(int matrix, int vector, int component, boolean areColumns) {
      int in = areColumns ? component * columns + vector : vector * columns + component;
      return matrix * rows * columns + in;
    }

    /** Returns the products of the vectors of a cluster with those of another array. */
    Mix towards(Matrices like, int matrix, Cluster cluster) {
      Mix mix = new Mix(cluster.size());
      boolean areColumns = place.areColumns();
      for (int from = 0; from < cluster.size(); from++) {
        for (int to = 0; to < cluster.size(); to++) {
          for (int component = 0; component < (areColumns ? rows : columns); component++) {
            int i = at(matrix, cluster.first() + from, component, areColumns);
            int k = at(matrix, cluster.first() + to, component, areColumns);
            double imaginary = like.im[k] * re[i] - like.re[k] * im[i];
            mix.add(
                from,
                to,
                like.re[k] * re[i] + like.im[k] * im[i],
                areColumns ? imaginary : -imaginary); // rows are multiplied by the conjugate
          }
        }
      }
      return mix;
    }

    void multiply(int matrix, Cluster cluster, Mix mix) {
      if (place.areColumns() && cluster.first() + cluster.size() <= columns) {
        for (int row = 0; row < rows; row++) {
          multiply(matrix, cluster, row, true, mix);
        }
      }
      if (place.areRows() && cluster.first() + cluster.size() <= rows) {
        for (int column = 0; column < columns; column++) {
          multiply(matrix, cluster, column, false, mix);
        }
      }
    }

    private void multiply(int matrix, Cluster cluster, int component, boolean areColumns, Mix mix) {
      int[] at = new int[cluster.size()];
      double[] fromRe = new double[at.length];
      double[] fromIm = new double[at.length];
      for (int i = 0; i < at.length; i++) {
        at[i] = at(matrix, cluster.first() + i, component, areColumns);
        fromRe[i] = re[at[i]];
        fromIm[i] = im[at[i]];
      }
      for (int i = 0; i < at.length; i++) {
        double[] mixed = mix.mixed(fromRe, fromIm, i, areColumns ? 1 : -1);
        re[at[i]] = mixed[0];
        im[at[i]] = mixed[1];
      }
    }

    Literal literal() {
      ElementType part = array.elementType().componentType();
      int parts = array.elementType().componentCount();
      return Literal.ofBits(
          array.arrayShape(),
          i -> part.encode(parts == 1 ? re[i] : i % 2 == 0 ? re[i / 2] : im[i / 2]));
    }
  }
}
