package org.hlo4j.interpreter.compiled.lanes;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;

/**
 * The code of ops that work on each element by itself: {@link Elementwise}, {@link Compare}, {@link
 * Select}, {@link Clamp}, {@link Convert}, {@link BitcastConvert} between types of the same width,
 * {@link ReducePrecision}. All element types but complex ones; results are those of the reference
 * evaluator, bit for bit. What is not said here is not supported.
 *
 * <p>NaNs have no fixed bits: which NaN a {@link BitcastConvert} of a computed one sees is the
 * machine's.
 */
public final class ElementFunctions {
  /**
   * What the code of an op is like.
   *
   * @param isSupported whether there is any
   * @param isVector whether vectors can do it; else only single elements
   * @param widestBits bits of the widest lane it uses on the way, which limits how many elements a
   *     vector has
   * @param operations about how many operations on lanes it takes
   */
  public record Traits(boolean isSupported, boolean isVector, int widestBits, int operations) {}

  private record Use(Op op, List<ElementType> operandTypes, ElementType resultType) {
    Stream<ElementType> types() {
      return Stream.concat(operandTypes.stream(), Stream.of(resultType));
    }
  }

  /** From what bytes have a vector for, up to what vectors of 128 bits have of the widest lanes. */
  private static final ImmutableList<Integer> PROBE_WIDTHS = ImmutableList.of(8, 4, 2, 1);

  private static final int MAX_KEPT = 10_000;
  private static final Kept<List<Object>, Traits> TRAITS = new Kept<>(MAX_KEPT);

  private ElementFunctions() {}

  /** Writes the code of an op. */
  public static Value apply(
      Lanes lanes,
      Op op,
      List<ElementType> operandTypes,
      ElementType resultType,
      List<Value> operands) {
    ElementType type = operandTypes.get(operandTypes.size() - 1);
    Value first = operands.get(0);
    Value last = operands.get(operands.size() - 1);
    return switch (op) {
      case Elementwise elementwise ->
          LaneFunction.of(elementwise.kind()).write(lanes, type, first, last);
      case Compare compare -> LaneComparisons.compare(lanes, compare, type, first, last);
      case Select select -> lanes.select(first, operands.get(1), last);
      case Clamp clamp -> clamp(lanes, type, first, operands.get(1), last);
      case Convert convert -> LaneConversions.convert(lanes, type, resultType, first);
      case BitcastConvert bitcast -> LaneConversions.bitcast(lanes, type, resultType, first);
      case ReducePrecision reduce -> LaneConversions.reducePrecision(lanes, reduce, type, first);
      default -> throw new UnsupportedOperationException("no code for " + op.opcode());
    };
  }

  /** Writes a conversion, which rounds, wraps or saturates as {@link Convert} does. */
  public static Value convert(Lanes lanes, ElementType from, ElementType to, Value value) {
    return LaneConversions.convert(lanes, from, to, value);
  }

  private static Value clamp(Lanes lanes, ElementType type, Value min, Value operand, Value max) {
    Value raised = LaneFunction.of(Elementwise.Kind.MAXIMUM).write(lanes, type, operand, min);
    return LaneFunction.of(Elementwise.Kind.MINIMUM).write(lanes, type, raised, max);
  }

  /** An integer that is in the total order of a type where its float is. */
  public static Value totalOrder(Lanes lanes, ElementType type, Value value) {
    return LaneComparisons.totalOrder(lanes, type, value);
  }

  /** What the code of an op is like: found out by writing it. */
  public static Traits traits(Op op, List<ElementType> operandTypes, ElementType resultType) {
    Use use = new Use(op, List.copyOf(operandTypes), resultType);
    return TRAITS.get(List.of(op, use.operandTypes(), resultType), () -> probe(use));
  }

  private static Traits probe(Use use) {
    if (use.types().anyMatch(ElementType::isComplex)) {
      return new Traits(false, false, 0, 0);
    }
    boolean isScalar = use.types().anyMatch(NarrowFloats::isScalarOnly);
    return PROBE_WIDTHS.stream()
        .filter(width -> width == 1 || !isScalar)
        .flatMap(width -> tried(use, width).stream())
        .findFirst()
        .orElse(new Traits(false, false, 0, 0));
  }

  private static Optional<Traits> tried(Use use, int width) {
    try {
      return Optional.of(probe(use, width));
    } catch (UnsupportedOperationException none) {
      return Optional.empty();
    }
  }

  private static Traits probe(Use use, int width) {
    Lanes[] made = new Lanes[1];
    byte[] unused =
        ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
            .build(
                ClassDesc.of("Probe"),
                builder ->
                    builder.withMethodBody(
                        "probe",
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_STATIC,
                        code -> made[0] = probe(use, width, code)));
    Lanes lanes = made[0];
    return new Traits(unused.length > 0, width > 1, lanes.widestBits(), lanes.operations());
  }

  private static Lanes probe(Use use, int width, CodeBuilder code) {
    Lanes lanes = width == 1 ? Lanes.scalar(code) : Lanes.vector(code, width);
    lanes.body(() -> {
      List<Value> operands =
          use.operandTypes().stream()
              .map(type -> lanes.hoisted(Lane.of(type), () -> lanes.constant(Lane.of(type), 0)))
              .toList();
      apply(lanes, use.op(), use.operandTypes(), use.resultType(), operands);
      code.return_();
    });
    return lanes;
  }
}
