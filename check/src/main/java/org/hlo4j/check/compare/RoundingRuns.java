package org.hlo4j.check.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * The runs of a module on the reference in which the result of every instruction is shifted by its
 * {@link Tolerance} ({@link Perturbed}). They show which values of each element roundings justify.
 */
final class RoundingRuns {
  /** An element may differ by this times the largest change in a run. */
  private static final double SLACK = 4;

  /** How many times the time of the module itself a run may take. */
  private static final int MAX_TIMES = 20;

  private static final int MAX_REFUSED = 2;

  private final HloModule module;
  private final Perturbed perturbed;
  private final EvaluatorOptions options;
  private final Comparison.Reference reference;
  private final Literal result;

  /**
   * Whether the module has a convolution. Any NaN is then undecided, since a weight times zero
   * padding may be NaN and the reference skips the padding.
   */
  private final boolean convolves;

  /** Whether the module reinterprets the bits of what may round differently. */
  private final boolean readsBits;

  private final List<Literal> shifted = new ArrayList<>();

  /** The runs with another order of what has any. */
  private final List<Literal> reordered = new ArrayList<>();

  private Optional<EvaluatorOptions> limited = Optional.empty();
  private int done;
  private int refused;

  RoundingRuns(
      HloModule module,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Comparison.Reference reference,
      Literal result) {
    this.module = module;
    this.perturbed = Perturbed.of(module, profile);
    this.options = options;
    this.reference = reference;
    this.result = result;
    this.convolves = has(Convolution.class, module);
    this.readsBits = ReadBits.areIn(module, Tolerances.of(profile));
    Verifier.lenient().verify(perturbed.module());
  }

  private static boolean has(Class<? extends Op> kind, HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> kind.isInstance(instruction.op()));
  }

  /** Returns whether no instruction of the module has a tolerance. */
  boolean isExact() {
    return perturbed.isExact();
  }

  /** Returns the least number that is not denormal, if denormal numbers may become zero; or 0. */
  double leastNormal(ElementType type) {
    return perturbed.profile() instanceof ToleranceProfile.Native ? Shift.leastNormal(type) : 0;
  }

  boolean convolves() {
    return convolves;
  }

  /** Runs the module until there are so many runs, or none comes to an end. */
  void run(int runs) {
    for (; done < runs && !isExact() && !areAllRefused(); done++) {
      Shift shift = new Shift(done, perturbed.profile(), perturbed.reorders());
      Optional<Literal> value = shifted(shift);
      value.ifPresentOrElse((shift.reorders() ? reordered : shifted)::add, () -> refused++);
    }
  }

  /**
   * Returns whether the first runs were refused: a loop that terminates with small errors may not
   * terminate if all shift in one direction, or until its values are the same.
   */
  private boolean areAllRefused() {
    return refused >= MAX_REFUSED && shifted.isEmpty();
  }

  /** Returns the result of a perturbed run; empty if it is refused or has another shape. */
  private Optional<Literal> shifted(Shift shift) {
    EvaluatorOptions.Builder shifting = limits().toBuilder();
    perturbed
        .targets()
        .forEach((target, tolerance) ->
            shifting.customCall(target, (call, operands) -> shift.shifted(tolerance, operands)));
    try {
      return Optional.of(reference.run(perturbed.module(), shifting.build()))
          .filter(value -> value.shape().equals(result.shape()));
    } catch (HloException beyondLimits) {
      if (beyondLimits.kind() == HloException.Kind.INTERRUPTED) {
        throw beyondLimits;
      }
      return Optional.empty();
    }
  }

  /** Returns the options with a deadline of many times what the module itself takes. */
  private EvaluatorOptions limits() {
    if (limited.isEmpty()) {
      long start = System.nanoTime();
      reference.run(module, options);
      limited = Optional.of(RelativeDeadline.since(start, MAX_TIMES, options));
    }
    return limited.get();
  }

  /** Returns a view of an array in the result. */
  Part part(List<Integer> path) {
    return new Part(
        at(result, path),
        shifted.stream().map(value -> at(value, path)).toList(),
        reordered.stream().map(value -> at(value, path)).toList());
  }

  private static Literal at(Literal value, List<Integer> path) {
    Literal at = value;
    for (int index : path) {
      at = at.element(index);
    }
    return at;
  }

  /** An array of the result, and what the runs make of it. */
  final class Part {
    private final Literal centre;
    private final List<Literal> others;
    private final List<Literal> reordered;
    private final ElementType type;

    private Part(Literal centre, List<Literal> others, List<Literal> reordered) {
      this.centre = centre;
      this.others = others;
      this.reordered = reordered;
      this.type = centre.elementType().componentType();
    }

    /**
     * Returns how far roundings may move a component: 0 if no run moves it, infinity if they
     * justify any value.
     */
    double reach(int i) {
      long bits = centre.bitsAt(i);
      if (areAllRefused() || reordered.stream().anyMatch(other -> other.bitsAt(i) != bits)) {
        return Double.POSITIVE_INFINITY;
      }
      double value = type.isFloating() ? type.decode(bits) : 0;
      double most = 0;
      boolean moves = false;
      for (Literal other : others) {
        if (other.bitsAt(i) != bits) {
          moves = true;
          most = Math.max(most, change(value, other.bitsAt(i)));
        }
      }
      return moves && readsBits ? Double.POSITIVE_INFINITY : SLACK * most;
    }

    private double change(double value, long other) {
      if (!type.isFloating()) {
        return Double.POSITIVE_INFINITY;
      }
      double moved = type.decode(other);
      if (Double.isNaN(moved) && Double.isNaN(value)) {
        return 0;
      }
      boolean areFinite = Double.isFinite(value) && Double.isFinite(moved);
      // From 0 to -0 is a move.
      return areFinite
          ? Math.max(Math.abs(moved - value), Double.MIN_VALUE)
          : Double.POSITIVE_INFINITY;
    }
  }
}
