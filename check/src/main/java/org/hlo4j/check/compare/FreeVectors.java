package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.collect.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
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
  record Group(int values, ImmutableList<Place> places) {}

  /**
   * Where the vectors of a group are.
   *
   * @param output the array of the result
   * @param areColumns whether they are its columns, multiplied by the phase
   * @param areRows whether they are its rows, multiplied by the conjugate of the phase
   */
  record Place(int output, boolean areColumns, boolean areRows) {
    /** Returns how many vectors there are. */
    private int count(Literal result) {
      Shape.Array shape = result.element(output).arrayShape();
      return (int) shape.size(shape.rank() - (areColumns ? 1 : 2));
    }

    /** Returns one of the matrices, with its vectors as columns. */
    private Matrix read(Literal result, int n) {
      Matrix array = Matrix.read(result.element(output), n);
      return areColumns ? array : array.adjoint();
    }

    /** Returns the array of a result whose vectors are multiplied by matrices. */
    private Literal times(Literal result, Map<Integer, Matrix> factors) {
      Literal array = result.element(output);
      LiteralBuilder builder = new LiteralBuilder(array.arrayShape());
      factors.forEach((n, by) -> {
        Matrix mixed = read(result, n).times(by);
        mixed = areColumns && areRows ? mixed.adjoint().times(by).adjoint() : mixed;
        (areColumns ? mixed : mixed.adjoint()).write(builder, n, array.elementType().isComplex());
      });
      return builder.build();
    }
  }

  /**
   * Vectors of one value, any orthonormal basis of whose space may take their place.
   *
   * @param number how many vectors were before in the first run
   * @param places where they are, in the longest array first
   * @param matrix the number of the matrix there
   * @param first the first of them
   * @param size how many
   * @param paired how many of them have partners
   * @param isComplex whether a factor may be complex
   */
  record Space(
      int number,
      ImmutableList<Place> places,
      int matrix,
      int first,
      int size,
      int paired,
      boolean isComplex) {
    private Matrix of(Literal result) {
      int[] columns = IntStream.range(first, first + size).toArray();
      return places.get(0).read(result, matrix).withColumns(columns);
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

  /** Returns a result with its vectors like those of a base, and then multiplied by factors. */
  static Literal mixed(
      Literal base, Literal result, Set<Space> spaces, Function<Space, Matrix> factors) {
    Table<Place, Integer, Matrix> all = HashBasedTable.create();
    for (Space space : spaces) {
      Matrix own = space.of(result).adjoint();
      Matrix by =
          result.equals(base)
              ? factors.apply(space)
              : unitary(own.times(space.of(base))).times(factors.apply(space));
      for (Place place : space.places()) {
        int count = place.count(result);
        all.row(place).computeIfAbsent(space.matrix(), n -> Matrix.identity(count));
        Matrix of = requireNonNull(all.get(place, space.matrix()));
        boolean isThere = space.first() + space.size() <= count;
        for (int i = 0; isThere && i < by.rows() * by.rows(); i++) {
          int row = i / by.rows();
          int column = i % by.rows();
          of.set(space.first() + row, space.first() + column, by.get(row, column));
        }
      }
    }
    List<Literal> parts = new ArrayList<>(result.elements());
    all.rowMap().forEach((place, by) -> parts.set(place.output(), place.times(result, by)));
    return Literal.tuple(parts);
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
   * Returns the space of each vector of a decomposition.
   *
   * @param before how many vectors were before
   */
  static List<Space> spaces(HloInstruction call, Literal base, int before) {
    List<Space> spaces = new ArrayList<>();
    for (Group group : of(call)) {
      int matrices = Matrix.count(base.element(group.places().get(0).output()));
      for (int n = 0; n < matrices; n++) {
        double[] values = new double[0];
        if (group.values() >= 0) {
          Literal all = base.element(group.values());
          int count = all.elementCount() / matrices;
          values = IntStream.range(n * count, (n + 1) * count).mapToDouble(all::doubleAt).toArray();
        }
        addSpaces(group, n, values, base, before, spaces);
      }
    }
    return spaces;
  }

  /**
   * Adds the spaces of a matrix by the values: those that are so near that roundings mix the
   * vectors have one; so have those of zero and those that only complete a basis, whose partners
   * need not change together.
   */
  private static void addSpaces(
      Group group, int n, double[] values, Literal base, int before, List<Space> spaces) {
    Comparator<Place> byCount = comparingInt(place -> place.count(base));
    ImmutableList<Place> places = ImmutableList.sortedCopyOf(byCount.reversed(), group.places());
    int vectors = places.get(0).count(base);
    ElementType type = base.element(places.get(0).output()).elementType();
    double greatest = Arrays.stream(values).map(Math::abs).max().orElse(0);
    double near = NEAR * vectors * Bounds.unit(type.componentType()) * greatest;
    for (int first = 0, next; first < vectors; first = next) {
      next = first + 1;
      while (next < values.length && Math.abs(values[next] - values[next - 1]) <= near) {
        next++;
      }
      boolean hasValue = first < values.length;
      boolean isZero = values.length > 0 && !(hasValue && Math.abs(values[first]) > near);
      next = isZero && next >= values.length ? vectors : next;
      for (List<Place> some : Lists.partition(places, isZero ? 1 : places.size())) {
        int size = Math.clamp(some.get(0).count(base) - first, 0, next - first);
        int paired = Math.clamp(places.getLast().count(base) - first, 0, size);
        if (size > 0) {
          Space space =
              new Space(
                  before + spaces.size(),
                  ImmutableList.copyOf(some),
                  n,
                  first,
                  size,
                  paired,
                  type.isComplex());
          spaces.addAll(Collections.nCopies(size, space));
        }
      }
    }
  }
}
