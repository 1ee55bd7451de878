package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CompositeFunction;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.TriangularSolve;

/** The allowances of instructions in one profile. */
final class Allowances {
  private static final Allowance EXACT = new Allowance.Exact();

  private static final ImmutableSet<Elementwise.Kind> ROUNDED =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.SUBTRACT,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.DIVIDE,
          Elementwise.Kind.SQRT);

  private final ToleranceProfile profile;

  Allowances(ToleranceProfile profile) {
    this.profile = profile;
  }

  /** Returns whether the system is another one than hlo4j's. */
  boolean isNative() {
    return profile instanceof ToleranceProfile.Native;
  }

  /** Returns whether denormal numbers may be zero. */
  boolean flushes() {
    return profile instanceof ToleranceProfile.Native code && !code.keepsDenormals();
  }

  /**
   * Returns the allowance of an instruction.
   *
   * @param isCombined whether it is part of a reducer, which is applied in any order
   */
  Allowance of(HloInstruction instruction, boolean isCombined) {
    Optional<ElementType> part = part(instruction.shape());
    if (part.isEmpty()) {
      return EXACT;
    }
    ElementType type = part.get();
    Optional<CompositeFunction> function = CompositeFunction.of(instruction);
    if (function.isPresent() && isNative()) {
      return new Allowance.Composite(function.get());
    }
    return switch (instruction.op()) {
      case CustomCall _, Cholesky _, TriangularSolve _ ->
          isAnotherAlgorithm(instruction) ? Factorizations.of(instruction).orElse(EXACT) : EXACT;
      case Contraction op -> contraction(instruction, op, type);
      case Fft fft -> new Allowance.Line(fft, isNative() ? in(type) : in(ElementType.F64));
      case BatchNormTraining _, BatchNormGrad _ -> normalization(instruction.op(), type);
      case BatchNormInference norm -> isNative() ? new Normalization(norm, in(type), false) : EXACT;
      case Elementwise op -> elementwise(instruction, op, type, isCombined);
      case Op other ->
          Reducers.of(instruction).map(does -> reduction(instruction, does, type)).orElse(EXACT);
    };
  }

  /** Returns the allowance of a batch norm; XLA computes what is narrower than f16 in f16. */
  private Allowance normalization(Op norm, ElementType type) {
    return isNative()
        ? new Normalization(norm, type.bits() <= 8 ? in(ElementType.F16) : accumulator(type), false)
        : new Normalization(norm, in(ElementType.F64), true);
  }

  /** Returns the type in which terms of a type are added: at least f32. */
  private Allowance.Accumulator accumulator(ElementType type) {
    ElementType usual = type.bits() < 32 ? ElementType.F32 : type;
    return in(
        profile instanceof ToleranceProfile.Native code && type != ElementType.F64
            ? code.accumulator().orElse(usual)
            : usual);
  }

  private Allowance.Accumulator in(ElementType type) {
    return new Allowance.Accumulator(type, flushes());
  }

  private Allowance contraction(HloInstruction instruction, Contraction op, ElementType type) {
    long terms = terms(instruction, op);
    boolean isComplex = ((Shape.Array) instruction.shape()).elementType().isComplex();
    Allowance.Accumulator accumulator = accumulator(type);
    DotPrecision precision =
        profile instanceof ToleranceProfile.Native code ? code.dot() : DotPrecision.F32;
    Optional<DotAlgorithm> algorithm =
        isNative() && op instanceof Dot dot ? dot.algorithm() : Optional.empty();
    if (algorithm.isPresent()) {
      precision = DotPrecision.of(algorithm.get());
      accumulator = in(DotPrecision.accumulator(algorithm.get(), accumulator.type()));
    }
    double operandError =
        part(instruction.operands().get(0).shape()).map(precision::error).orElse(0.0);
    boolean isProduct = terms * (isComplex ? 2 : 1) < 2; // of which only a zero may differ
    return new Allowance.Sum(
        instruction,
        accumulator,
        isProduct && operandError == 0 ? 0 : (isComplex ? 4 : 1) * terms,
        operandError == 0 ? Optional.empty() : Optional.of(precision),
        operandError,
        type == ElementType.F64,
        false,
        false);
  }

  private static long terms(HloInstruction instruction, Contraction op) {
    return switch (op) {
      case Dot dot -> sizes(instruction, 0, dot.lhsContractingDims().toArray());
      case RaggedDot dot -> sizes(instruction, 0, dot.lhsContractingDims().toArray());
      case ScaledDot dot -> 3 * sizes(instruction, 0, dot.lhsContractingDims().toArray());
      case Convolution convolution ->
          convolution.window().sizes().product()
              * sizes(instruction, 1, convolution.dimLabels().kernelInputFeatureDimension());
    };
  }

  private static long sizes(HloInstruction instruction, int operand, long... dimensions) {
    Shape.Array shape = (Shape.Array) instruction.operands().get(operand).shape();
    long product = 1;
    for (long dimension : dimensions) {
      product *= shape.size((int) dimension);
    }
    return product;
  }

  private Allowance reduction(HloInstruction instruction, Reducers does, ElementType type) {
    boolean writes =
        instruction.op() instanceof Scatter || instruction.op() instanceof SelectAndScatter;
    Allowance.Accumulator accumulator = writes ? in(type) : accumulator(type);
    return switch (does) {
      case CHOICE, OTHER -> EXACT;
      case SUM ->
          new Allowance.Sum(
              instruction,
              accumulator,
              0,
              Optional.empty(),
              0,
              writes || type == ElementType.F64,
              isNative() && !writes && type.bits() == 16,
              false);
      case PRODUCT ->
          isComplex(instruction) && !isNative()
              ? EXACT
              : new Allowance.Product(instruction, accumulator);
    };
  }

  private static boolean isComplex(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && array.elementType().isComplex();
  }

  private Allowance elementwise(
      HloInstruction instruction, Elementwise op, ElementType type, boolean isCombined) {
    boolean isComplex =
        ((Shape.Array) instruction.operands().get(0).shape()).elementType().isComplex();
    Elementwise.Kind kind = op.kind();
    if (isComplex) {
      return complex(kind, type);
    } else if (kind.isTranscendental()) {
      Allowance.Ulps ulps = new Allowance.Ulps(ulps(kind, type));
      return flushes() && kind == Elementwise.Kind.ATAN2 ? new Allowance.Angle(ulps) : ulps;
    } else if (isNative() && type.bits() <= 8 && kind == Elementwise.Kind.SQRT) {
      return new Allowance.ThroughF16();
    }
    if (isNative() && type == ElementType.F32 && kind == Elementwise.Kind.DIVIDE) {
      Allowance.Ulps ulps = new Allowance.Ulps(2); // XLA:GPU's div.full.f32
      return flushes() ? new Allowance.Quotient(ulps) : ulps;
    }
    boolean mayRound =
        (isCombined && ROUNDED.contains(kind))
            || (isNative() && type == ElementType.F32 && kind == Elementwise.Kind.SQRT);
    return mayRound ? new Allowance.Ulps(1) : EXACT;
  }

  private long ulps(Elementwise.Kind kind, ElementType type) {
    if (profile instanceof ToleranceProfile.Native code) {
      long wide =
          type == ElementType.F64 ? FunctionUlps.of(kind).f64() + 1 : FunctionUlps.of(kind).f32();
      return type.bits() <= 16 ? 1 : code.ulps().orElse(wide);
    }
    return type == ElementType.F64 ? 3 : 1;
  }

  private Allowance complex(Elementwise.Kind kind, ElementType type) {
    boolean rounds =
        Set.of(Elementwise.Kind.MULTIPLY, Elementwise.Kind.DIVIDE, Elementwise.Kind.SQRT)
                .contains(kind)
            || kind.isTranscendental()
            || kind == Elementwise.Kind.SIGN
            || kind == Elementwise.Kind.ABS;
    if (!isNative()) {
      boolean isModulus = kind == Elementwise.Kind.ABS && type == ElementType.F32;
      return isModulus ? new Allowance.Ulps(1) : EXACT;
    }
    FunctionUlps ulps = FunctionUlps.of(kind);
    return rounds ? new Allowance.Modulus(ulps.complex(), ulps.least()) : EXACT;
  }

  /** Returns whether a system may use another algorithm than the reference. */
  private boolean isAnotherAlgorithm(HloInstruction instruction) {
    return isNative()
        || Set.of("gesdd", "gesvd", "syevd", "heevd").contains(Factorizations.routine(instruction));
  }

  /** Returns the allowance of an operand where it is used, if there is one. */
  Optional<Allowance> ofOperand(HloInstruction instruction, int index) {
    HloInstruction operand = instruction.operands().get(index);
    Optional<ElementType> part = part(operand.shape());
    boolean isRoutine = !Factorizations.routine(instruction).isEmpty();
    if (part.isEmpty() || !(isRoutine ? isAnotherAlgorithm(instruction) : isNative())) {
      return Optional.empty();
    } else if (isRoutine) {
      return Factorizations.ofOperand(instruction, index);
    }
    boolean isContracted =
        isOf(instruction, Set.of(Elementwise.Kind.ADD, Elementwise.Kind.SUBTRACT))
            && isOf(operand, Set.of(Elementwise.Kind.MULTIPLY));
    return isContracted ? Optional.of(new Allowance.Unrounded(operand)) : Optional.empty();
  }

  /**
   * Returns the allowance of an instruction in the middle of a program. There, arithmetic may keep
   * more digits than those of its type.
   */
  Allowance inside(HloInstruction instruction, boolean isCombined) {
    Allowance own = of(instruction, isCombined);
    boolean isFloat =
        instruction.shape() instanceof Shape.Array array && array.elementType().isFloating();
    boolean rounds = isOf(instruction, ROUNDED) || instruction.op() instanceof Convert;
    if (isNative() && own instanceof Allowance.Sum sum) {
      return sum.inside();
    }
    return isNative() && isFloat && rounds && own instanceof Allowance.Exact
        ? new Allowance.Unrounded(instruction)
        : own;
  }

  private static boolean isOf(HloInstruction instruction, Set<Elementwise.Kind> kinds) {
    return instruction.op() instanceof Elementwise op && kinds.contains(op.kind());
  }

  /** Returns the type of the floats that a result has, or the first of its results. */
  private static Optional<ElementType> part(Shape shape) {
    ImmutableList<Shape> shapes =
        shape instanceof Shape.Tuple tuple
            ? ImmutableList.copyOf(tuple.elements())
            : ImmutableList.of(shape);
    return shapes.stream()
        .flatMap(each ->
            each instanceof Shape.Array array
                ? java.util.stream.Stream.of(array)
                : java.util.stream.Stream.empty())
        .map(each -> each.elementType().componentType())
        .filter(ElementType::isFloating)
        .findFirst();
  }
}
