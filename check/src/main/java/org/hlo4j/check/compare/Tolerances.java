package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.function.Predicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.LapackCall;

/** The tolerances of the instructions of a computation. */
@FunctionalInterface
interface Tolerances {
  /** Returns the tolerance of an instruction. */
  Tolerance of(HloInstruction instruction);

  /**
   * Returns the tolerance of an instruction's operand where it is used: of a product that an
   * addition may take without its own rounding.
   */
  default Tolerance ofOperand(HloInstruction instruction, HloInstruction operand) {
    return new Tolerance.None();
  }

  static Tolerances of(ToleranceProfile profile) {
    return switch (profile) {
      case ToleranceProfile.Compiled _ -> Tolerance::of;
      case ToleranceProfile.Native code -> new OfNative(code.ulps());
    };
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
  record OfNative(long ulps) implements Tolerances {
    private static final ImmutableSet<Elementwise.Kind> ROUNDED =
        Sets.immutableEnumSet(
            Elementwise.Kind.ADD,
            Elementwise.Kind.SUBTRACT,
            Elementwise.Kind.MULTIPLY,
            Elementwise.Kind.DIVIDE,
            Elementwise.Kind.REMAINDER,
            Elementwise.Kind.SQRT);

    @Override
    public Tolerance ofOperand(HloInstruction instruction, HloInstruction operand) {
      if (instruction.op() instanceof Sort sort && !sort.isStable()) {
        return new Tolerance.Order(sort.dimensions().getInt(0));
      }
      if (instruction.op() instanceof Cholesky || instruction.op() instanceof TriangularSolve) {
        Shape.Array shape = (Shape.Array) instruction.operands().get(0).shape();
        return new Tolerance.Ulps(shape.size(shape.rank() - 1));
      }
      boolean isSum = isSum(instruction);
      boolean isLogOfRoot =
          isOf(instruction, Elementwise.Kind.LOG) && isOf(operand, Elementwise.Kind.SQRT);
      return ((isSum && isProduct(moved(operand).op())) || isLogOfRoot)
              && instruction.shape() instanceof Shape.Array array
              && array.elementType().isFloating()
          ? new Tolerance.Ulps(1)
          : new Tolerance.None();
    }

    private static boolean isSum(HloInstruction instruction) {
      return isOf(instruction, Elementwise.Kind.ADD)
          || isOf(instruction, Elementwise.Kind.SUBTRACT);
    }

    private static boolean isOf(HloInstruction instruction, Elementwise.Kind kind) {
      return instruction.op().equals(new Elementwise(kind));
    }

    /**
     * Returns whether a compiler may combine a constant of an instruction with one of its operand,
     * as in {@code (x + 1) + 2}.
     */
    private static boolean combinesConstants(
        HloInstruction instruction, Predicate<HloInstruction> isKind) {
      return isKind.test(instruction)
          && instruction.operands().stream().anyMatch(OfNative::isConstant)
          && instruction.operands().stream()
              .anyMatch(inner ->
                  isKind.test(inner) && inner.operands().stream().anyMatch(OfNative::isConstant));
    }

    private static boolean isConstant(HloInstruction instruction) {
      return moved(instruction).op() instanceof Constant;
    }

    private static boolean isProduct(Op op) {
      return op instanceof Dot || op.equals(new Elementwise(Elementwise.Kind.MULTIPLY));
    }

    @Override
    public Tolerance of(HloInstruction instruction) {
      if (Tolerance.combinesComplex(instruction, Elementwise.Kind.ADD)) {
        return new Tolerance.Sum(Tolerance.terms(instruction), true);
      }
      if (Tolerance.combinesComplex(instruction, Elementwise.Kind.MULTIPLY)) {
        return new Tolerance.Modulus(4 * Tolerance.terms(instruction));
      }
      if (instruction.op() instanceof CustomCall call) {
        return LapackCall.routine(call.customCallTarget())
            .map(routine -> decomposed(routine, instruction))
            .orElse(new Tolerance.None());
      }
      Tolerance compiled = Tolerance.of(instruction);
      return switch (compiled) {
        case Tolerance.Ulps some when instruction.op() instanceof Elementwise ->
            new Tolerance.Ulps(Math.max(ulps, some.count()));
        case Tolerance.Sum sum -> new Tolerance.Sum(sum.terms(), true);
        case Tolerance.Spread spread ->
            new Tolerance.Spread(spread.roundings(), true, spread.together());
        case Tolerance.None none when instruction.shape() instanceof Shape.Array array ->
            ofExact(instruction, array);
        case Tolerance other -> other;
      };
    }

    private static Tolerance decomposed(String routine, HloInstruction call) {
      long most =
          call.operands().stream()
              .filter(operand -> operand.shape() instanceof Shape.Array)
              .mapToLong(operand -> ((Shape.Array) operand.shape()).elementCount())
              .max()
              .orElse(1);
      Tolerance spread = new Tolerance.Spread(64 * most, true);
      return switch (routine) {
        case "gesdd", "gesvd", "gesvdj", "syevd", "heevd", "syevj" ->
            new Tolerance.Decomposition(spread);
        case "geev", "gees" -> new Tolerance.Decomposition(new Tolerance.Any());
        default -> spread;
      };
    }

    /** Returns the tolerance of an instruction whose bits are the same in hlo4j's evaluators. */
    private Tolerance ofExact(HloInstruction instruction, Shape.Array shape) {
      ElementType part = shape.elementType().componentType();
      if (!part.isFloating()) {
        return new Tolerance.None();
      }
      return switch (instruction.op()) {
        case BatchNormInference _ -> new Tolerance.Spread(64, true); // of a dynamic size
        case ScaledDot dot -> new Tolerance.Sum(contracted(instruction, dot), true);
        case Cholesky _, TriangularSolve _ ->
            new Tolerance.Spread(
                8 * shape.size(shape.rank() - 1) * shape.size(shape.rank() - 1), true);
        case Elementwise op when shape.elementType().isComplex() && isRounded(op.kind()) ->
            new Tolerance.Modulus(2 * ulps);
        case Elementwise op when op.kind() == Elementwise.Kind.ABS && isComplex(instruction) ->
            new Tolerance.Ulps(ulps);
        case Elementwise op when combinesConstants(instruction, OfNative::isSum) ->
            new Tolerance.Constants();
        case Elementwise op when isArithmetic(op.kind()) ->
            new Tolerance.Arithmetic(
                combinesConstants(instruction, each -> isOf(each, Elementwise.Kind.MULTIPLY))
                    ? 1
                    : roundings(op, part),
                op.kind());
        case Elementwise op -> new Tolerance.Ulps(roundings(op, part));
        case Convert _ -> new Tolerance.Ulps(part.bits() == 16 ? 1 : 0);
        case Parameter _, Constant _, Pointwise _ -> new Tolerance.Ulps(0);
        default -> new Tolerance.None();
      };
    }

    private static long contracted(HloInstruction instruction, ScaledDot dot) {
      Shape.Array lhs = (Shape.Array) instruction.operands().get(0).shape();
      return lhs.sizes().at(dot.lhsContractingDims()).product();
    }

    private static boolean isRounded(Elementwise.Kind kind) {
      return ROUNDED.contains(kind) || kind == Elementwise.Kind.SIGN || kind.isTranscendental();
    }

    private static boolean isArithmetic(Elementwise.Kind kind) {
      return switch (kind) {
        case ADD, SUBTRACT, MULTIPLY, DIVIDE -> true;
        default -> false;
      };
    }

    private static boolean isComplex(HloInstruction instruction) {
      return ((Shape.Array) instruction.operands().get(0).shape()).elementType().isComplex();
    }

    private static long roundings(Elementwise op, ElementType part) {
      boolean isFree = part.bits() == 16 || op.kind() == Elementwise.Kind.DIVIDE;
      return ROUNDED.contains(op.kind()) && isFree ? 1 : 0;
    }
  }
}
