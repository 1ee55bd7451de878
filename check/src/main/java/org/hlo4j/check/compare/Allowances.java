package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.hlo4j.check.compare.ToleranceProfile.DotPrecision;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.TriangularSolve;

/** The allowances of instructions in one profile. */
final class Allowances {
  private static final ImmutableSet<Elementwise.Kind> ROUNDED =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.SUBTRACT,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.DIVIDE,
          Elementwise.Kind.SQRT);

  /** What another system than hlo4j's may do; empty for hlo4j's compiled evaluator. */
  private final Optional<ToleranceProfile.Native> code;

  private final Map<HloComputation, Combiner.Folding> foldings = new ConcurrentHashMap<>();

  Allowances(ToleranceProfile profile) {
    this.code =
        profile instanceof ToleranceProfile.Native given ? Optional.of(given) : Optional.empty();
  }

  /** Returns whether the system is another one than hlo4j's. */
  boolean isNative() {
    return code.isPresent();
  }

  /** Returns whether denormal numbers may be zero. */
  boolean flushes() {
    return code.filter(each -> !each.keepsDenormals()).isPresent();
  }

  /**
   * Returns the allowance of an instruction. In the middle of a program, arithmetic may keep more
   * digits than those of its type.
   *
   * @param isOwn whether its result is only moved to the result of the program
   * @param isCombined whether it is part of a reducer, which is applied in any order
   */
  Allowance of(HloInstruction instruction, boolean isOwn, boolean isCombined) {
    Allowance own =
        part(instruction.shape())
            .map(type -> of(instruction, type, isOwn, isCombined))
            .orElse(Allowance.EXACT);
    boolean mayKeepDigits =
        isNative()
            && !isOwn
            && instruction.shape() instanceof Shape.Array array
            && array.elementType().isFloating()
            && (isOf(instruction, ROUNDED) || instruction.op() instanceof Convert);
    return mayKeepDigits && own.isExact() ? Allowance.unrounded(instruction) : own;
  }

  private Allowance of(
      HloInstruction instruction, ElementType type, boolean isOwn, boolean isCombined) {
    Optional<CompositeFunction> function = CompositeFunction.of(instruction);
    boolean isInside = isNative() && !isOwn;
    if (function.isPresent() && isNative()) {
      return Allowance.composite(function.get());
    }
    Allowance.Accumulator own = in(isNative() ? type : ElementType.F64);
    return switch (instruction.op()) {
      case CustomCall _, Cholesky _, TriangularSolve _ ->
          routine(instruction).map(each -> each.of(instruction)).orElse(Allowance.EXACT);
      case Contraction op -> contraction(instruction, op, type, isInside).allowance();
      case Fft fft -> Allowance.lines(fft, own);
      case BatchNormTraining _, BatchNormGrad _ ->
          Normalization.allowance(instruction.op(), statistics(type), !isNative());
      case BatchNormInference _ ->
          isNative() ? Normalization.allowance(instruction.op(), own, false) : Allowance.EXACT;
      case Elementwise op ->
          instruction.operands().get(0).arrayShape().elementType().isComplex()
              ? complex(op.kind(), type)
              : real(op.kind(), type, isCombined);
      case Op other ->
          folding(instruction)
              .map(does -> reduction(instruction, does, type, isInside))
              .orElse(Allowance.EXACT);
    };
  }

  /** Returns what a reduction does in all of its results; empty if an instruction is none. */
  Optional<Combiner.Folding> folding(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Reduce _, ReduceWindow _, Scatter _, SelectAndScatter _ ->
          Optional.of(
              foldings.computeIfAbsent(
                  instruction.called().getLast(), body -> new Combiner(body).folding()));
      default -> Optional.empty();
    };
  }

  /** Returns the routine that an instruction is, if a system may use another algorithm for it. */
  private Optional<Factorizations.Routine> routine(HloInstruction instruction) {
    return Factorizations.routine(instruction).filter(each -> isNative() || each.isAnother());
  }

  /**
   * Returns in what the sums of a batch norm are; XLA computes what is narrower than f16 in f16.
   */
  private Allowance.Accumulator statistics(ElementType type) {
    if (!isNative()) {
      return in(ElementType.F64);
    }
    return type.bits() <= 8 ? in(ElementType.F16) : accumulator(type);
  }

  /** Returns the type in which terms of a type are added: at least f32. */
  private Allowance.Accumulator accumulator(ElementType type) {
    ElementType usual = type.bits() < 32 ? ElementType.F32 : type;
    return in(
        code.filter(each -> type != ElementType.F64)
            .flatMap(ToleranceProfile.Native::accumulator)
            .orElse(usual));
  }

  private Allowance.Accumulator in(ElementType type) {
    return new Allowance.Accumulator(type, flushes());
  }

  private Sum contraction(
      HloInstruction instruction, Contraction op, ElementType type, boolean isInside) {
    DotPrecision precision = code.map(ToleranceProfile.Native::dot).orElse(DotPrecision.F32);
    if (isNative() && op instanceof Dot dot && dot.algorithm().isPresent()) {
      DotAlgorithm algorithm = dot.algorithm().get();
      ElementType sums = DotPrecision.accumulator(algorithm, accumulator(type).type());
      return new Sum(instruction, in(sums), DotPrecision.of(algorithm), true, isInside);
    }
    return new Sum(instruction, accumulator(type), precision, isNative(), isInside);
  }

  private Allowance reduction(
      HloInstruction instruction, Combiner.Folding does, ElementType type, boolean isInside) {
    boolean writes =
        instruction.op() instanceof Scatter || instruction.op() instanceof SelectAndScatter;
    boolean isComplex =
        instruction.shape() instanceof Shape.Array array && array.elementType().isComplex();
    Allowance.Accumulator sums = writes ? in(type) : accumulator(type);
    return switch (does) {
      case CHOICE, OTHER -> Allowance.EXACT;
      case SUM -> new Sum(instruction, sums, DotPrecision.F32, isNative(), isInside).allowance();
      case PRODUCT -> isComplex && !isNative() ? Allowance.EXACT : Sum.product(instruction, sums);
    };
  }

  private Allowance real(Elementwise.Kind kind, ElementType type, boolean isCombined) {
    if (isNative() && type.bits() <= 8 && kind == Elementwise.Kind.SQRT) {
      return Allowance.rootThroughF16();
    }
    long least = isCombined && ROUNDED.contains(kind) ? 1 : 0;
    Allowance ulps = Allowance.ulps(Math.max(least, ulps(kind, type)));
    return switch (kind) {
      case ATAN2 -> flushes() ? ulps.orAngleOfZeros() : ulps;
      case DIVIDE -> flushes() && type == ElementType.F32 ? ulps.orZeroReciprocal() : ulps;
      default -> ulps;
    };
  }

  private long ulps(Elementwise.Kind kind, ElementType type) {
    boolean isFunction = kind.isTranscendental();
    if (code.isEmpty() || type.bits() <= 16) {
      return isFunction ? (type == ElementType.F64 ? 3 : 1) : 0;
    }
    long ulps = FunctionUlps.of(kind).of(type);
    return isFunction ? code.get().ulps().orElse(ulps) : ulps;
  }

  private Allowance complex(Elementwise.Kind kind, ElementType type) {
    if (!isNative()) {
      boolean isRounded = kind == Elementwise.Kind.ABS && type == ElementType.F32;
      return Allowance.ulps(isRounded ? 1 : 0);
    }
    FunctionUlps ulps = FunctionUlps.of(kind);
    return ulps.complex() > 0
        ? Allowance.modulus((double) ulps.complex(), ulps.least())
        : Allowance.EXACT;
  }

  /** Returns the allowance of an operand where it is used, if there is one. */
  Optional<Allowance> ofOperand(HloInstruction instruction, int index) {
    HloInstruction operand = instruction.operands().get(index);
    if (part(operand.shape()).isEmpty()) {
      return Optional.empty();
    }
    return isContracted(instruction, operand)
        ? Optional.of(Allowance.unrounded(operand))
        : routine(instruction).map(each -> each.ofOperand(operand));
  }

  /** Returns whether an operand may be used without its own rounding: a product that is added. */
  private boolean isContracted(HloInstruction instruction, HloInstruction operand) {
    return isNative()
        && isOf(instruction, Set.of(Elementwise.Kind.ADD, Elementwise.Kind.SUBTRACT))
        && isOf(operand, Set.of(Elementwise.Kind.MULTIPLY));
  }

  private static boolean isOf(HloInstruction instruction, Set<Elementwise.Kind> kinds) {
    return instruction.op() instanceof Elementwise op && kinds.contains(op.kind());
  }

  /** Returns the type of the floats that a result has, or the first of its results. */
  private static Optional<ElementType> part(Shape shape) {
    return (shape instanceof Shape.Tuple tuple ? tuple.elements() : List.of(shape))
        .stream()
            .flatMap(each -> each instanceof Shape.Array array ? Stream.of(array) : Stream.empty())
            .map(each -> each.elementType().componentType())
            .filter(ElementType::isFloating)
            .findFirst();
  }
}
