package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.FreeVectors.Space;
import org.hlo4j.check.compare.Perturbed.Choice;
import org.hlo4j.check.compare.Perturbed.Site;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * The signs (phases) that the {@link FreeVectors} of a module have in its runs. Each run multiplies
 * them so that they are like those of the first one, and then by the factors that bring the result
 * nearest to the one under test.
 */
final class VectorPhases {
  /** How many other bases of a space are tried. */
  private static final int BASES = 3;

  private static final Complex I = Complex.ONE.timesI();

  /** A result of a decomposition in the first run. */
  private record Based(Site site, Literal result, ImmutableSet<Space> spaces) {
    boolean isLike(Site other, Literal value) {
      return site.equals(other) && result.shape().equals(value.shape());
    }
  }

  private final List<Based> bases = new ArrayList<>();

  /** The space of each vector. */
  private final List<Space> vectors = new ArrayList<>();

  /** On which vector each component of the arrays of a result depends; -1 for none, or several. */
  private final List<int[]> followed = new ArrayList<>();

  /** By what the vectors of a space are multiplied. */
  private Function<Space, Matrix> chosen = space -> Matrix.identity(space.size());

  private boolean isRecorded;

  /** Returns how many vectors there are. */
  int count() {
    return vectors.size();
  }

  /**
   * Returns whether a component is that of one vector, so that the chosen factors bring it as near
   * to the result under test as any do.
   */
  boolean follows(int array, int i) {
    return !followed.isEmpty() && followed.get(array)[i] >= 0;
  }

  Function<Space, Matrix> chosen() {
    return chosen;
  }

  /** Returns the choice of one run with some factors. */
  Choice in(Choice others, Function<Space, Matrix> factors) {
    boolean isFirst = !isRecorded;
    isRecorded = true;
    AtomicInteger calls = new AtomicInteger();
    return (site, operands) -> {
      if (!site.row().equals(Optional.of(LeftOpen.VECTOR_SIGNS))) {
        return others.of(site, operands);
      }
      Literal value = operands.get(0);
      if (isFirst) {
        List<Space> spaces = FreeVectors.spaces(site.instruction(), value, count());
        vectors.addAll(spaces);
        bases.add(new Based(site, value, ImmutableSet.copyOf(spaces)));
      }
      int call = calls.getAndIncrement();
      if (call >= bases.size() || !bases.get(call).isLike(site, value)) {
        return value;
      }
      Based base = bases.get(call);
      return FreeVectors.mixed(base.result(), value, base.spaces(), factors);
    };
  }

  /** Returns the runs in which one half of the vectors is negated each time, by their numbers. */
  List<Optional<Literal>> halves(Function<Function<Space, Matrix>, Optional<Literal>> run) {
    return IntStream.range(0, Integer.SIZE - Integer.numberOfLeadingZeros(count()))
        .mapToObj(bit ->
            run.apply(space -> {
              Matrix signs = Matrix.identity(space.size());
              IntStream.range(0, space.size())
                  .filter(i -> ((space.number() + i + 1) >> bit) % 2 == 1)
                  .forEach(signs::negateColumn);
              return signs;
            }))
        .toList();
  }

  /** Returns whether several vectors have no partner, and only complete a basis. */
  boolean areBasesFree() {
    return vectors.stream().anyMatch(each -> each.size() - each.paired() > 1);
  }

  /** Returns the runs in which the vectors without partners are other bases of the same space. */
  List<Optional<Literal>> bases(Function<Function<Space, Matrix>, Optional<Literal>> run) {
    return IntStream.rangeClosed(1, BASES)
        .mapToObj(radians ->
            run.apply(space -> {
              Matrix rotated = Matrix.identity(space.size());
              for (int i = space.paired(); i + 1 < space.size(); i++) {
                rotated.rotateRows(i, i + 1, Math.cos(radians), Math.sin(radians));
              }
              return chosen.apply(space).times(rotated);
            }))
        .toList();
  }

  /**
   * Chooses the factors that bring a result nearest to another one, and returns it; empty if runs
   * are refused. A component of the result that depends on one vector alone changes in those of the
   * halves that have it. Where it does, the sum of the products of what vectors of its cluster give
   * in its place and of the wanted number says how much of each is wanted.
   */
  Optional<Literal> nearest(
      Function<Function<Space, Matrix>, Optional<Literal>> run, Literal result, Literal wanted) {
    List<Optional<Literal>> halves = halves(run);
    if (halves.stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    for (int array = 0; array < result.arrays().size(); array++) {
      followed.add(followed(halves, result.arrays().get(array), array));
    }
    Map<Space, Matrix> sums = new HashMap<>();
    int largest = vectors.stream().mapToInt(Space::size).max().orElse(0);
    boolean areComplex = vectors.stream().anyMatch(Space::isComplex);
    for (int by = 0; by < largest; by++) {
      for (Complex factor : ImmutableSet.of(Complex.ONE, areComplex ? I : Complex.ONE)) {
        Optional<Literal> moved = run.apply(moved(by, factor));
        if (moved.isEmpty()) {
          return Optional.empty();
        }
        add(sums, by, factor, moved.get().arrays(), wanted.arrays());
      }
    }
    chosen =
        space ->
            FreeVectors.unitary(sums.getOrDefault(space, new Matrix(space.size(), space.size())));
    return run.apply(chosen);
  }

  private int[] followed(List<Optional<Literal>> halves, Literal array, int number) {
    int[] numbers = new int[array.elementCount() * array.elementType().componentCount()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = -1;
      for (int bit = 0; bit < halves.size(); bit++) {
        Literal half = halves.get(bit).orElseThrow().arrays().get(number);
        numbers[i] += half.bitsAt(i) == array.bitsAt(i) ? 0 : 1 << bit;
      }
      numbers[i] = numbers[i] < count() ? numbers[i] : -1;
    }
    return numbers;
  }

  /**
   * Returns the factors that move each vector to the place of one before it in its cluster.
   *
   * @param by how many places before
   * @param factor by what complex ones are multiplied, too
   */
  private Function<Space, Matrix> moved(int by, Complex factor) {
    return space -> {
      int size = space.size();
      Matrix moved = new Matrix(size, size);
      Complex times = space.isComplex() ? factor : Complex.ONE;
      IntStream.range(0, size).forEach(to -> moved.set((to + by) % size, to, times));
      return moved;
    };
  }

  /** Adds what the arrays of a run say of the factors of each cluster. */
  private void add(
      Map<Space, Matrix> sums, int by, Complex factor, List<Literal> moved, List<Literal> wanted) {
    for (int array = 0; array < moved.size(); array++) {
      ElementType type = moved.get(array).elementType().componentType();
      int[] numbers = type.isFloating() ? followed.get(array) : new int[0];
      for (int i = 0; i < numbers.length; i++) {
        double product =
            type.decode(moved.get(array).bitsAt(i)) * type.decode(wanted.get(array).bitsAt(i));
        Space space = vectors.get(Math.max(0, numbers[i]));
        boolean isOfFactor = factor.equals(Complex.ONE) || space.isComplex();
        if (numbers[i] >= 0 && by < space.size() && Double.isFinite(product) && isOfFactor) {
          int to = numbers[i] - space.number();
          int from = (to + by) % space.size();
          Matrix none = new Matrix(space.size(), space.size());
          Matrix sum = sums.computeIfAbsent(space, at -> none);
          sum.set(from, to, sum.get(from, to).plus(factor.times(new Complex(product, 0))));
        }
      }
    }
  }
}
