package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.interpreter.compiled.expr.SingleOp;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.passes.ComplexFormulas.Parts;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.jspecify.annotations.Nullable;

/**
 * The lowering of complex arithmetic to arithmetic on real and imaginary parts, which loops can
 * compute: {@code a + b} becomes {@code complex(real(a) + real(b), imag(a) + imag(b))}. The
 * formulas and the rounding are the reference's: products and quotients of c64 are computed in f64.
 */
final class ComplexParts extends Pass {
  /** The functions of complex numbers that are simple formulas of the parts, for all types. */
  private static final ImmutableSet<Kind> FORMULAS =
      Sets.immutableEnumSet(
          Kind.ADD,
          Kind.IMAG,
          Kind.MAKE_COMPLEX,
          Kind.MULTIPLY,
          Kind.NEGATE,
          Kind.REAL,
          Kind.SUBTRACT);

  @Override
  boolean mayApply(HloModule module) {
    return occurIn(module);
  }

  /** Returns whether any instruction of a module gives complex numbers. */
  static boolean occurIn(HloModule module) {
    return anyMatch(module, instruction -> isOrHoldsComplex(instruction.shape()));
  }

  private static boolean isOrHoldsComplex(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().anyMatch(ComplexParts::isOrHoldsComplex)
        : isComplex(shape);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return rewriteEach((_, instruction, rewriter) -> {
      HloInstruction split =
          new Writer(instruction, rewriter, new ComplexFormulas(rewriter)).split();
      if (split == null) {
        return instruction;
      }
      session.count(instruction.op().opcode() + " of complex numbers split");
      return split;
    });
  }

  /**
   * Returns whether an op that takes or gives complex numbers can be lowered to ops on their parts.
   */
  static boolean isFormula(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Elementwise op -> isFormula(op.kind(), array(instruction).elementType());
      case Compare _, Convert _, Select _ -> true;
      default -> false;
    };
  }

  private static boolean isFormula(Kind kind, ElementType result) {
    return FORMULAS.contains(kind)
        || (kind == Kind.ABS && result == ElementType.F32)
        || ((kind == Kind.DIVIDE || kind == Kind.EXPONENTIAL) && result == ElementType.C64);
  }

  /** Returns whether an op is a movement that can be applied to the parts instead. */
  static boolean isMovement(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).has(Trait.ON_PARTS);
  }

  /** Returns whether a shape is one of complex numbers. */
  static boolean isComplex(Shape shape) {
    return shape instanceof Shape.Array array && array.elementType().isComplex();
  }

  /**
   * The lowering of one instruction to ops on parts. {@code split} gives null if there is no simple
   * formula.
   */
  private record Writer(HloInstruction instruction, Rewriter rewriter, ComplexFormulas formulas) {
    @Nullable HloInstruction split() {
      if (instruction.op() instanceof Compare compare) {
        return isComplex(operand(0)) ? compared(compare) : null;
      }
      if (!isComplex(instruction)) {
        return switch (instruction.op()) {
          case Elementwise op when op.kind() == Kind.ABS -> modulus();
          case Elementwise op when op.kind() == Kind.REAL || op.kind() == Kind.IMAG ->
              part(op.kind());
          case Convert op when isComplex(operand(0)) -> convertedToReal(op);
          default -> null;
        };
      }
      return switch (instruction.op()) {
        case Elementwise op -> computed(op.kind());
        case Convert op -> converted();
        case Select op -> onParts(op);
        case Dot op -> dot(op);
        case Reduce op when isSum() -> complex(summed(op, Kind.REAL), summed(op, Kind.IMAG));
        case Movement op when isMovement(instruction) && isInParts(operand(0)) ->
            onParts(withPart(op));
        default -> null;
      };
    }

    /**
     * Returns whether a number is assembled from computed parts in this computation, and not from
     * parameters by a program for any two numbers.
     */
    private static boolean isInParts(HloInstruction number) {
      return number.op().equals(new Elementwise(Kind.MAKE_COMPLEX))
          && number.operands().stream().noneMatch(part -> part.op() instanceof Parameter);
    }

    private @Nullable HloInstruction part(Kind kind) {
      return isInParts(operand(0)) ? part(kind, operand(0)) : null;
    }

    /** Returns the complex number whose parts an op computes from the parts of the operands. */
    private HloInstruction onParts(Op op) {
      return complex(onPart(op, Kind.REAL), onPart(op, Kind.IMAG));
    }

    /** Applies an op to a part of each complex operand, and to the other operands. */
    private HloInstruction onPart(Op op, Kind part) {
      return rewriter.add(
          op,
          instruction.operands().stream()
              .map(operand -> isComplex(operand) ? part(part, operand) : operand)
              .toList());
    }

    /**
     * Returns the movement for the parts. Some ops state the type of their result, which changes.
     */
    private static Op withPart(Movement op) {
      return switch (op) {
        case Broadcast broadcast ->
            new Broadcast(ofPart(broadcast.shape()), broadcast.dimensions());
        case Reshape reshape -> new Reshape(ofPart(reshape.shape()));
        default -> op;
      };
    }

    private static Shape.Array ofPart(Shape.Array shape) {
      return shape.withElementType(shape.elementType().componentType());
    }

    private @Nullable HloInstruction computed(Kind kind) {
      boolean isNarrow = array(instruction).elementType() == ElementType.C64;
      return switch (kind) {
        case ADD, SUBTRACT, NEGATE -> onParts(new Elementwise(kind));
        case MULTIPLY -> complex(formulas.product(wide(0), wide(1), formulas::times));
        case DIVIDE -> isNarrow ? complex(formulas.quotient(wide(0), wide(1))) : null;
        case EXPONENTIAL -> isNarrow ? complex(formulas.exponential(wide(0))) : null;
        default -> null;
      };
    }

    private @Nullable HloInstruction modulus() {
      return isComplex(operand(0)) && array(operand(0)).elementType() == ElementType.C64
          ? rewriter.newReplacement(
              instruction, new Convert(ElementType.F32), formulas.modulus(wide(0)))
          : null;
    }

    /** Returns whether a reduction is the sum of one array. */
    private boolean isSum() {
      return SingleOp.of(instruction.called().get(0)).equals(Optional.of(Kind.ADD));
    }

    private HloInstruction summed(Reduce op, Kind part) {
      HloInstruction initial = part(part, operand(1));
      HloComputation addition = rewriter.addition(array(initial).elementType());
      return rewriter.reduce(part(part, operand(0)), initial, addition, op.dimensions());
    }

    /** Returns a dot as four real dots in f64, if it has enough steps for them. */
    private @Nullable HloInstruction dot(Dot op) {
      double steps = array(operand(0)).sizes().at(op.lhsContractingDims()).product();
      if (!isComplex(operand(0))
          || !isComplex(operand(1))
          || steps <= DotKernels.FEW_COMPLEX_STEPS) {
        return null;
      }
      Dot ofParts =
          Dot.general(
                  op.lhsBatchDims(),
                  op.lhsContractingDims(),
                  op.rhsBatchDims(),
                  op.rhsContractingDims())
              .withPreferredElementType(ElementType.F64);
      return complex(
          formulas.product(
              parts(operand(0)), parts(operand(1)), (x, y) -> rewriter.add(ofParts, x, y)));
    }

    /** Returns the parts of an operand in f64. */
    private Parts wide(int operand) {
      Parts parts = parts(operand(operand));
      return new Parts(
          rewriter.convert(parts.re(), ElementType.F64),
          rewriter.convert(parts.im(), ElementType.F64));
    }

    private Parts parts(HloInstruction number) {
      return new Parts(part(Kind.REAL, number), part(Kind.IMAG, number));
    }

    /** Returns the number of these parts, rounded to its type. */
    private HloInstruction complex(Parts parts) {
      ElementType type = array(instruction).elementType().componentType();
      return complex(rewriter.convert(parts.re(), type), rewriter.convert(parts.im(), type));
    }

    private HloInstruction converted() {
      Convert toPart = new Convert(array(instruction).elementType().componentType());
      if (isComplex(operand(0))) {
        return onParts(toPart);
      }
      HloInstruction part = rewriter.add(toPart, operand(0));
      Literal zero = Literal.zeros(Shape.of(array(part).elementType()));
      return complex(part, rewriter.full(zero, array(part)));
    }

    /** Returns the real part, converted; for pred, whether either part is not 0. */
    private HloInstruction convertedToReal(Convert op) {
      return array(instruction).elementType() == ElementType.PRED
          ? rewriter.newReplacement(
              instruction, new Elementwise(Kind.OR), onPart(op, Kind.REAL), onPart(op, Kind.IMAG))
          : rewriter.newReplacement(instruction, op, part(Kind.REAL, operand(0)));
    }

    /**
     * Returns a comparison: numbers are equal if both parts are. The verifier refuses other
     * relations.
     */
    private @Nullable HloInstruction compared(Compare compare) {
      HloInstruction re = onPart(compare, Kind.REAL);
      HloInstruction im = onPart(compare, Kind.IMAG);
      return switch (compare.direction()) {
        case EQ -> rewriter.newReplacement(instruction, new Elementwise(Kind.AND), re, im);
        case NE -> rewriter.newReplacement(instruction, new Elementwise(Kind.OR), re, im);
        case GE, GT, LE, LT -> null;
      };
    }

    private HloInstruction operand(int number) {
      return instruction.operands().get(number);
    }

    private HloInstruction part(Kind kind, HloInstruction number) {
      return number.op().equals(new Elementwise(Kind.MAKE_COMPLEX))
          ? number.operands().get(kind == Kind.REAL ? 0 : 1)
          : rewriter.add(kind, number);
    }

    private HloInstruction complex(HloInstruction re, HloInstruction im) {
      return rewriter.newReplacement(instruction, new Elementwise(Kind.MAKE_COMPLEX), re, im);
    }

    private static boolean isComplex(HloInstruction number) {
      return ComplexParts.isComplex(number.shape());
    }
  }
}
