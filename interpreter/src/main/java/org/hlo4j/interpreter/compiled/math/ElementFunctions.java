package org.hlo4j.interpreter.compiled.math;

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
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.codegen.NarrowFloats;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The generated code of element-wise ops: {@link Elementwise}, {@link Compare}, {@link Select},
 * {@link Clamp}, {@link Convert}, {@link BitcastConvert} between types of the same width, and
 * {@link ReducePrecision}. All element types are supported but complex ones; results are those of
 * the reference evaluator, bit for bit. Other ops are not supported.
 *
 * <p>NaNs have no fixed bits: which NaN a {@link BitcastConvert} of a computed one sees depends on
 * the machine.
 */
public final class ElementFunctions {
  /**
   * The properties of the code of an op.
   *
   * @param isSupported whether there is code
   * @param isVectorizable whether there is vector code; otherwise only code for single elements
   * @param widestBits the bits of the widest lane that the code uses, which limits the number of
   *     elements of a vector
   * @param operations roughly how many operations on lanes the code takes
   */
  public record Traits(
      boolean isSupported, boolean isVectorizable, int widestBits, int operations) {}

  private record OpSignature(Op op, List<ElementType> operandTypes, ElementType resultType) {
    Stream<ElementType> types() {
      return Stream.concat(operandTypes.stream(), Stream.of(resultType));
    }
  }

  /** The vector lengths to try: from 8, for which bytes have a vector type, down to 1. */
  private static final ImmutableList<Integer> PROBE_WIDTHS = ImmutableList.of(8, 4, 2, 1);

  private static final int MAX_KEPT = 10_000;
  private static final LruCache<List<Object>, Traits> TRAITS = new LruCache<>(MAX_KEPT);

  private ElementFunctions() {}

  /** Writes the code of an op. */
  public static Value apply(
      CodeEmitter emitter,
      Op op,
      List<ElementType> operandTypes,
      ElementType resultType,
      List<Value> operands) {
    ElementType type = operandTypes.get(operandTypes.size() - 1);
    Value first = operands.get(0);
    Value last = operands.get(operands.size() - 1);
    return switch (op) {
      case Elementwise elementwise ->
          LaneFunction.of(elementwise.kind()).write(emitter, type, first, last);
      case Compare compare -> LaneComparisons.compare(emitter, compare, type, first, last);
      case Select select -> emitter.select(first, operands.get(1), last);
      case Clamp clamp -> clamp(emitter, type, first, operands.get(1), last);
      case Convert convert -> LaneConversions.convert(emitter, type, resultType, first);
      case BitcastConvert bitcast -> LaneConversions.bitcast(emitter, type, resultType, first);
      case ReducePrecision reduce -> LaneConversions.reducePrecision(emitter, reduce, type, first);
      default -> throw new NoCodeException("no code for " + op.opcode());
    };
  }

  /** Writes a conversion, which rounds, wraps or saturates as {@link Convert} does. */
  public static Value convert(CodeEmitter emitter, ElementType from, ElementType to, Value value) {
    return LaneConversions.convert(emitter, from, to, value);
  }

  private static Value clamp(
      CodeEmitter emitter, ElementType type, Value min, Value operand, Value max) {
    Value raised = LaneFunction.of(Elementwise.Kind.MAXIMUM).write(emitter, type, operand, min);
    return LaneFunction.of(Elementwise.Kind.MINIMUM).write(emitter, type, raised, max);
  }

  /**
   * Writes an integer that is ordered among integers as the float is in the total order of its
   * type.
   */
  public static Value totalOrder(CodeEmitter emitter, ElementType type, Value value) {
    return LaneComparisons.totalOrder(emitter, type, value);
  }

  /** Returns the properties of the code of an op, which are found by writing it. */
  public static Traits traits(Op op, List<ElementType> operandTypes, ElementType resultType) {
    OpSignature use = new OpSignature(op, List.copyOf(operandTypes), resultType);
    return TRAITS.get(List.of(op, use.operandTypes(), resultType), () -> probe(use));
  }

  private static Traits probe(OpSignature use) {
    boolean isSource = use.operandTypes().isEmpty(); // partition-id, iota: no element-wise op
    if (isSource || use.types().anyMatch(ElementType::isComplex)) {
      return new Traits(false, false, 0, 0);
    }
    boolean isScalar = use.types().anyMatch(NarrowFloats::isScalarOnly);
    return PROBE_WIDTHS.stream()
        .filter(width -> width == 1 || !isScalar)
        .flatMap(width -> tryProbe(use, width).stream())
        .findFirst()
        .orElse(new Traits(false, false, 0, 0));
  }

  private static Optional<Traits> tryProbe(OpSignature use, int width) {
    try {
      return Optional.of(probe(use, width));
    } catch (NoCodeException none) {
      return Optional.empty();
    }
  }

  private static Traits probe(OpSignature use, int width) {
    CodeEmitter[] made = new CodeEmitter[1];
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
    CodeEmitter emitter = made[0];
    return new Traits(unused.length > 0, width > 1, emitter.widestBits(), emitter.operations());
  }

  private static CodeEmitter probe(OpSignature use, int width, CodeBuilder code) {
    CodeEmitter emitter = width == 1 ? CodeEmitter.scalar(code) : CodeEmitter.vector(code, width);
    emitter.body(() -> {
      List<Value> operands =
          use.operandTypes().stream()
              .map(type -> emitter.hoist(Lane.of(type), () -> emitter.constant(Lane.of(type), 0)))
              .toList();
      apply(emitter, use.op(), use.operandTypes(), use.resultType(), operands);
      code.return_();
    });
    return emitter;
  }
}
