package org.hlo4j.interpreter.check;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.TriangularSolve;

/** The tolerances of the instructions of a computation. */
@FunctionalInterface
interface Tolerances {
  /** Returns the tolerance of an instruction. */
  Tolerance of(HloInstruction instruction);

  static Tolerances of(ToleranceProfile profile, HloComputation computation) {
    return switch (profile) {
      case ToleranceProfile.Compiled _ -> Tolerance::of;
      case ToleranceProfile.Native code -> new OfNative(code.ulps(), contracted(computation));
    };
  }

  /** Returns the products that an addition may take without their own rounding. */
  private static Set<HloInstruction> contracted(HloComputation computation) {
    Set<HloInstruction> contracted = new HashSet<>();
    for (HloInstruction instruction : computation.instructions()) {
      if (instruction.op() instanceof Elementwise op
          && (op.kind() == Elementwise.Kind.ADD || op.kind() == Elementwise.Kind.SUBTRACT)) {
        instruction.operands().stream().map(Tolerances::moved).forEach(contracted::add);
      }
    }
    return contracted;
  }

  /** Returns what an instruction only moves. */
  private static HloInstruction moved(HloInstruction instruction) {
    HloInstruction at = instruction;
    while ((at.op() instanceof Movement || isNegation(at)) && !at.operands().isEmpty()) {
      at = at.operands().get(0);
    }
    return at;
  }

  private static boolean isNegation(HloInstruction instruction) {
    return instruction.op().equals(new Elementwise(Elementwise.Kind.NEGATE));
  }

  /** The tolerances of native compilers. */
  record OfNative(long ulps, Set<HloInstruction> contracted) implements Tolerances {
    private static final ImmutableSet<Elementwise.Kind> ROUNDED =
        Sets.immutableEnumSet(
            Elementwise.Kind.ADD,
            Elementwise.Kind.SUBTRACT,
            Elementwise.Kind.MULTIPLY,
            Elementwise.Kind.DIVIDE,
            Elementwise.Kind.REMAINDER,
            Elementwise.Kind.SQRT);

    @Override
    public Tolerance of(HloInstruction instruction) {
      Tolerance compiled = Tolerance.of(instruction);
      return switch (compiled) {
        case Tolerance.Ulps some when instruction.op() instanceof Elementwise ->
            new Tolerance.Ulps(Math.max(ulps, some.count()));
        case Tolerance.Sum sum -> new Tolerance.Sum(sum.terms(), true);
        case Tolerance.Spread spread -> new Tolerance.Spread(spread.roundings(), true);
        case Tolerance.None none when instruction.shape() instanceof Shape.Array array ->
            ofExact(instruction, array);
        case Tolerance other -> other;
      };
    }

    /** Returns the tolerance of an instruction whose bits are the same in hlo4j's evaluators. */
    private Tolerance ofExact(HloInstruction instruction, Shape.Array shape) {
      ElementType part = shape.elementType().componentType();
      if (!part.isFloating() || !shape.dynamicDimensions().isEmpty()) {
        return new Tolerance.None();
      }
      return switch (instruction.op()) {
        case BatchNormInference _ -> new Tolerance.Spread(64, true);
        case Cholesky _, TriangularSolve _ ->
            new Tolerance.Spread(
                8 * shape.size(shape.rank() - 1) * shape.size(shape.rank() - 1), true);
        case Elementwise op when shape.elementType().isComplex() && isRounded(op.kind()) ->
            new Tolerance.Modulus(2 * ulps);
        case Elementwise op -> new Tolerance.Ulps(roundings(instruction, op, part));
        case Convert _ -> new Tolerance.Ulps(part.bits() == 16 ? 1 : 0);
        case Parameter _, Constant _, Pointwise _ -> new Tolerance.Ulps(0);
        default -> new Tolerance.None();
      };
    }

    private static boolean isRounded(Elementwise.Kind kind) {
      return ROUNDED.contains(kind) || kind.isTranscendental();
    }

    private long roundings(HloInstruction instruction, Elementwise op, ElementType part) {
      boolean isFree =
          part.bits() == 16
              || op.kind() == Elementwise.Kind.DIVIDE
              || contracted.contains(instruction);
      return ROUNDED.contains(op.kind()) && isFree ? 1 : 0;
    }
  }
}
