package org.hlo4j.stablehlo.importer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.ElementRuns;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Select;
import org.jspecify.annotations.Nullable;

/**
 * Constant folding of small integer arrays while a module is imported: sizes, and what programs
 * compute from sizes. The elements are row-major.
 */
final class KnownValues {
  /** Larger arrays are data, not sizes. */
  private static final long MAX_ELEMENTS = 1024;

  private final Map<HloInstruction, long[]> values = new HashMap<>();

  /** Returns the elements of an instruction, or null if they are not known. */
  long @Nullable [] of(HloInstruction instruction) {
    return values.get(instruction);
  }

  void put(HloInstruction instruction, long @Nullable [] elements) {
    if (elements != null) {
      values.put(instruction, elements);
    }
  }

  /** Computes the elements of a new instruction if those of its operands are known. */
  void compute(HloInstruction instruction) {
    if (instruction.shape() instanceof Shape.Array shape
        && shape.elementCount() <= MAX_ELEMENTS
        && !shape.isDynamic()
        && (shape.elementType().isIntegral() || shape.elementType() == ElementType.PRED)) {
      put(instruction, elements(instruction, shape));
    }
  }

  private long @Nullable [] elements(HloInstruction instruction, Shape.Array shape) {
    Op op = instruction.op();
    if (op instanceof Constant constant) {
      return literal(constant.literal());
    }
    if (op instanceof GetDimensionSize size) {
      Shape.Array operand = OpImport.arrayShape(instruction.operands().get(0));
      int dimension = size.dimensions().getInt(0);
      return operand.isDynamic(dimension) ? null : new long[] {operand.size(dimension)};
    }
    List<long[]> operands = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      long[] known = values.get(operand);
      if (known == null) {
        return null;
      }
      operands.add(known);
    }
    return operands.isEmpty() && !(op instanceof Iota)
        ? null
        : computed(instruction, shape, operands);
  }

  private static long @Nullable [] literal(Literal literal) {
    return literal.isElided()
        ? null
        : IntStream.range(0, literal.elementCount()).mapToLong(literal::longAt).toArray();
  }

  private static long @Nullable [] computed(
      HloInstruction instruction, Shape.Array shape, List<long[]> operands) {
    List<Shape.Array> shapes = instruction.operands().stream().map(OpImport::arrayShape).toList();
    return instruction.op() instanceof Movement movement
        ? moved(movement, shape, shapes, operands)
        : computed(instruction.op(), shape, shapes.get(0), operands);
  }

  private static long @Nullable [] computed(
      Op op, Shape.Array shape, Shape.Array from, List<long[]> operands) {
    long[] first = operands.get(0);
    return switch (op) {
      case Convert _ ->
          from.elementType().isFloating() ? null : fillByPosition(shape, i -> first[i]);
      case Select _ ->
          fillByPosition(shape, i -> first[i] != 0 ? operands.get(1)[i] : operands.get(2)[i]);
      case Clamp _ -> fillByPosition(shape, i -> clamped(operands, i, shape.elementType()));
      case Compare compare ->
          fillByPosition(
              shape,
              i -> {
                int order = compare(from.elementType(), first[i], operands.get(1)[i]);
                return compare.direction().holds(order) ? 1 : 0;
              });
      case Elementwise elementwise -> elementwise(elementwise.kind(), shape, operands);
      default -> null;
    };
  }

  private static long clamped(List<long[]> operands, int i, ElementType type) {
    long[] min = operands.get(0);
    long[] max = operands.get(2);
    long low = min[min.length == 1 ? 0 : i];
    long high = max[max.length == 1 ? 0 : i];
    long value = operands.get(1)[i];
    long raised = compare(type, value, low) < 0 ? low : value;
    return compare(type, raised, high) > 0 ? high : raised;
  }

  private static int compare(ElementType type, long a, long b) {
    return type.kind() == ElementType.Kind.SIGNED ? Long.compare(a, b) : Long.compareUnsigned(a, b);
  }

  /** Evaluates the element-wise ops that programs apply to sizes; returns null for all others. */
  private static long @Nullable [] elementwise(
      Elementwise.Kind kind, Shape.Array shape, List<long[]> operands) {
    long[] a = operands.get(0);
    if (operands.size() == 1) {
      return unary(kind, shape, a);
    }
    LongBinaryOperator operator = binary(kind, shape.elementType());
    long[] b = operands.get(1);
    return operator == null || a.length != b.length
        ? null
        : fillByPosition(shape, i -> operator.applyAsLong(a[i], b[i]));
  }

  private static long @Nullable [] unary(Elementwise.Kind kind, Shape.Array shape, long[] a) {
    boolean pred = shape.elementType() == ElementType.PRED;
    return switch (kind) {
      case NEGATE -> fillByPosition(shape, i -> -a[i]);
      case SIGN -> fillByPosition(shape, i -> Long.signum(a[i]));
      case ABS -> fillByPosition(shape, i -> Math.abs(a[i]));
      case NOT -> pred ? fillByPosition(shape, i -> 1 - a[i]) : null;
      default -> null;
    };
  }

  private static @Nullable LongBinaryOperator binary(Elementwise.Kind kind, ElementType type) {
    boolean signed = type.kind() == ElementType.Kind.SIGNED;
    return switch (kind) {
      case ADD -> type == ElementType.PRED ? (a, b) -> a | b : (a, b) -> a + b;
      case MULTIPLY -> (a, b) -> a * b;
      case SUBTRACT -> (a, b) -> a - b;
      case MAXIMUM -> (a, b) -> compare(type, a, b) >= 0 ? a : b;
      case MINIMUM -> (a, b) -> compare(type, a, b) <= 0 ? a : b;
      case AND -> (a, b) -> a & b;
      case OR -> (a, b) -> a | b;
      case XOR -> (a, b) -> a ^ b;
      case DIVIDE -> signed ? (a, b) -> b == 0 ? -1 : a / b : KnownValues::unsignedQuotient;
      case REMAINDER ->
          signed
              ? (a, b) -> b == 0 ? a : a % b
              : (a, b) -> b == 0 ? a : Long.remainderUnsigned(a, b);
      case SHIFT_LEFT -> (a, b) -> isWithin(type, b) ? a << b : 0;
      case SHIFT_RIGHT_ARITHMETIC ->
          signed ? (a, b) -> a >> (isWithin(type, b) ? b : Long.SIZE - 1) : null;
      case SHIFT_RIGHT_LOGICAL -> signed ? null : (a, b) -> isWithin(type, b) ? a >>> b : 0;
      case POWER -> signed ? KnownValues::power : null;
      default -> null;
    };
  }

  private static boolean isWithin(ElementType type, long shift) {
    return Long.compareUnsigned(shift, type.bits()) < 0;
  }

  private static long unsignedQuotient(long a, long b) {
    return b == 0 ? -1 : Long.divideUnsigned(a, b);
  }

  /** Returns a power, wrapping; a negative exponent gives 0 except for bases 1 and -1. */
  private static long power(long base, long exponent) {
    if (exponent < 0) {
      return Math.abs(base) != 1 ? 0 : exponent % 2 == 0 ? 1 : base;
    }
    long result = 1;
    long square = base;
    for (long rest = exponent; rest != 0; rest >>= 1) {
      result *= rest % 2 == 0 ? 1 : square;
      square *= square;
    }
    return result;
  }

  /** A function from the row-major position of an element to its value. */
  @FunctionalInterface
  private interface ByPosition {
    long at(int position);
  }

  private static long[] fillByPosition(Shape.Array shape, ByPosition element) {
    long[] result = new long[(int) shape.elementCount()];
    for (int i = 0; i < result.length; i++) {
      result[i] = shape.elementType().wrap(element.at(i));
    }
    return result;
  }

  /** Returns the elements of a result, each from where the op takes it. */
  private static long @Nullable [] moved(
      Movement op, Shape.Array shape, List<Shape.Array> shapes, List<long[]> operands) {
    if (!shapes.isEmpty() && shapes.get(0).elementType() != shape.elementType()) {
      return null;
    }
    long[] result = new long[(int) shape.elementCount()];
    new ElementRuns(op, shapes, shape, (operand, position) -> operands.get(operand)[position])
        .forEach(
            new ElementRuns.Consumer() {
              @Override
              public void copy(int to, int count, int operand, int from, int step) {
                for (int i = 0; i < count; i++) {
                  result[to + i] = operands.get(operand)[from + i * step];
                }
              }

              @Override
              public void count(int to, int count, long first, long step) {
                for (int i = 0; i < count; i++) {
                  result[to + i] = shape.elementType().wrap(first + i * step);
                }
              }
            });
    return result;
  }
}
