package org.hlo4j.interpreter.check;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * Comparison of the results that two evaluators give for a module.
 *
 * <p>The results agree if they have the same bits, where any two NaNs count as equal. Otherwise,
 * the reference runs the module several more times, each time with the result of every instruction
 * shifted by its {@link Tolerance} ({@link Perturbed}). An element that no run changes must match
 * bit for bit; an element that some runs change may differ by {@value #SLACK} times the largest
 * change. A module of exact instructions must therefore match exactly, and errors may grow through
 * a chain of functions as much as the chain amplifies them. Any value is accepted for an element if
 * one run gives NaN or infinity and another does not, if an integer changes, or if the bits of a
 * changed number are reinterpreted as another type. If 2 runs do not explain a difference, 8 and
 * then 64 runs are tried: a choice may depend on one sum that overflows in one order only.
 */
public final class Agreement {
  /** How many runs explain a difference: a few, else more. */
  private static final ImmutableList<Integer> RUNS = ImmutableList.of(2, 8, 64);

  private static final double SLACK = 4;

  /**
   * Whether the module has a convolution. NaN is then accepted, since a weight times zero padding
   * may be NaN and the reference skips the padding.
   */
  private final boolean convolves;

  /**
   * Whether the module reinterprets bits, so that the last bit of one number may be the first bit
   * of another.
   */
  private final boolean readsBits;

  private Agreement(HloModule module) {
    this.convolves = has(Convolution.class, module);
    this.readsBits = has(BitcastConvert.class, module);
  }

  /** Runs a module on the reference with the arguments under test. */
  @FunctionalInterface
  public interface Runner {
    /**
     * Runs a module.
     *
     * @param module the module
     * @param options the options of the evaluator
     * @return the result under test
     */
    Literal run(HloModule module, EvaluatorOptions options);
  }

  /**
   * Compares two results of a module.
   *
   * @param module the module
   * @param options the options of both evaluators
   * @param got the result under test
   * @param want the result of the reference
   * @param reference runs a module on the reference, with the same arguments
   * @return the first difference that no tolerance explains; empty if the results agree
   */
  public static Optional<String> difference(
      HloModule module, EvaluatorOptions options, Literal got, Literal want, Runner reference) {
    if (got.equals(want)) {
      return Optional.empty();
    }
    if (!got.shape().equals(want.shape())) {
      return Optional.of("shape got " + got.shape() + ", want " + want.shape());
    }
    Agreement agreement = new Agreement(module);
    Perturbed perturbed = Perturbed.of(module);
    Verifier.lenient().verify(perturbed.module());
    List<Literal> shifted = new ArrayList<>();
    Optional<String> difference = agreement.difference("", got, want, shifted);
    int done = 0;
    for (int runs : RUNS) {
      if (difference.isEmpty() || perturbed.isExact()) {
        return difference;
      }
      for (; done < runs; done++) {
        shifted(done, perturbed, options, reference).ifPresent(shifted::add);
      }
      difference = agreement.difference("", got, want, shifted);
    }
    return difference;
  }

  private static boolean has(Class<? extends Op> kind, HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> kind.isInstance(instruction.op()));
  }

  /** Returns the result of a perturbed run; empty if it is refused. */
  private static Optional<Literal> shifted(
      int run, Perturbed perturbed, EvaluatorOptions options, Runner reference) {
    Shift shift = new Shift(run);
    EvaluatorOptions shifting = options;
    for (var target : perturbed.targets().entrySet()) {
      shifting =
          shifting.toBuilder()
              .customCall(
                  target.getKey(), (call, operands) -> shift.shifted(target.getValue(), operands))
              .build();
    }
    try {
      return Optional.of(reference.run(perturbed.module(), shifting));
    } catch (HloException beyondLimits) {
      // A loop that terminates with small errors may not terminate if all shift in one direction.
      return Optional.empty();
    }
  }

  private Optional<String> difference(
      String path, Literal got, Literal want, List<Literal> shifted) {
    if (!want.elements().isEmpty()) {
      return IntStream.range(0, want.elements().size())
          .mapToObj(i ->
              difference(
                  path + "element " + i + ", ",
                  got.element(i),
                  want.element(i),
                  shifted.stream().map(value -> value.element(i)).toList()))
          .flatMap(Optional::stream)
          .findFirst();
    }
    if (got.equals(want) || !(want.shape() instanceof Shape.Array array)) {
      return Optional.empty();
    }
    ElementType part = array.elementType().componentType();
    int components = want.elementCount() * (array.elementType().isComplex() ? 2 : 1);
    for (int i = 0; i < components; i++) {
      int at = i;
      long[] others = shifted.stream().mapToLong(value -> value.bitsAt(at)).toArray();
      boolean isNaN = part.isFloating() && Double.isNaN(part.decode(got.bitsAt(i)));
      if (!(convolves && isNaN) && !agree(part, got.bitsAt(i), want.bitsAt(i), others)) {
        return Optional.of(told(path + array + " at " + i, part, got, want, i, others));
      }
    }
    return Optional.empty();
  }

  private boolean agree(ElementType part, long got, long want, long[] others) {
    if (got == want) {
      return true;
    }
    boolean moves = Arrays.stream(others).anyMatch(other -> other != want);
    if (!part.isFloating() || (readsBits && moves)) {
      return moves;
    }
    double wanted = part.decode(want);
    double was = part.decode(got);
    if (Double.isNaN(wanted) && Double.isNaN(was)) {
      return true;
    }
    double most = 0;
    for (long other : others) {
      boolean sameKind = Double.isFinite(wanted) && Double.isFinite(part.decode(other));
      if (other != want && !sameKind) {
        return true;
      }
      most = Math.max(most, sameKind ? Math.abs(part.decode(other) - wanted) : 0);
    }
    return moves && Math.abs(was - wanted) <= SLACK * most;
  }

  private static ImmutableList<Long> boxed(long[] values) {
    return Arrays.stream(values).boxed().collect(toImmutableList());
  }

  private static String told(
      String place, ElementType part, Literal got, Literal want, int i, long[] others) {
    return place
        + " got "
        + text(part, got.bitsAt(i))
        + ", want "
        + text(part, want.bitsAt(i))
        + (others.length == 0 ? ", exactly" : ", or near it as far as its errors may grow to ")
        + String.join(
            " ", boxed(others).stream().distinct().map(other -> text(part, other)).toList());
  }

  private static String text(ElementType part, long bits) {
    return part.isFloating()
        ? part.decode(bits) + " (0x" + Long.toHexString(bits) + ")"
        : Long.toString(part.wrap(bits));
  }
}
