package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.stablehlo.dialect.AccuracyForm;
import org.hlo4j.stablehlo.mlir.Attribute;

/** The lowering of element-wise ops. Unlike in HLO, dimensions of size 1 are not stretched. */
final class ElementwiseLowerings {
  /** The kinds by the names that StableHLO and CHLO give them. */
  static final ImmutableMap<String, Elementwise.Kind> KINDS =
      Arrays.stream(Elementwise.Kind.values())
          .collect(
              toImmutableMap(
                  kind -> new Elementwise(kind).opcode().replace('-', '_'), kind -> kind));

  private ElementwiseLowerings() {}

  static void addTo(Lowerings table) {
    table.one("stablehlo.convert", ElementwiseLowerings::convert);
    table.one("stablehlo.select", ElementwiseLowerings::select);
  }

  /** Adds an element-wise op, which has the name that it has in HLO. */
  static void add(Lowerings table, String name, Elementwise elementwise) {
    table
        .one(name, op -> elementwise(op, elementwise.kind()))
        .checkedBy(ElementwiseLowerings::requireAccuracy)
        .onlyCheckedIf(op -> isComplexRemainder(op, elementwise.kind()))
        .inferring(op -> op.array(0));
  }

  static Elementwise.Kind kind(String name) {
    return requireNonNull(KINDS.get(name));
  }

  /** Returns the kinds of ops of other names: {@code addi=add subi=subtract}. */
  static ImmutableMap<String, Elementwise.Kind> kinds(String names) {
    return ImmutableMap.copyOf(
        Maps.transformValues(
            Splitter.on(' ').withKeyValueSeparator('=').split(names), ElementwiseLowerings::kind));
  }

  /** Returns whether an op is one of complex numbers that StableHLO has and HLO has not. */
  static boolean isComplexRemainder(OpImport op, Elementwise.Kind kind) {
    return kind == Elementwise.Kind.REMAINDER && op.array(0).elementType().isComplex();
  }

  static HloInstruction elementwise(OpImport op, Elementwise.Kind kind) {
    return op.emit(new Elementwise(kind), op.operands(), List.of(), accuracy(op));
  }

  private static Map<String, String> accuracy(OpImport op) {
    return op.fields()
        .find("result_accuracy", Attribute.Struct.class)
        .flatMap(AccuracyForm::text)
        .map(text -> Map.of("result_accuracy", text))
        .orElse(Map.of());
  }

  /** Requires that {@code result_accuracy} has tolerances only in the mode TOLERANCE. */
  private static void requireAccuracy(OpImport op) {
    if (!op.fields().has("result_accuracy")) {
      return;
    }
    Fields accuracy = op.fields().struct("result_accuracy");
    double atol = accuracy.real("atol", 0);
    double rtol = accuracy.real("rtol", 0);
    long ulps = accuracy.int64("ulps", 0);
    String mode = accuracy.word("mode").orElse("DEFAULT");
    boolean tolerance = mode.equals("TOLERANCE");
    verify(
        tolerance ? atol >= 0 && rtol >= 0 && ulps >= 0 : atol == 0 && rtol == 0 && ulps == 0,
        "result_accuracy got atol %s, rtol %s and ulps %s in mode %s, want %s",
        atol,
        rtol,
        ulps,
        mode,
        tolerance ? "at least 0" : "zeros");
  }

  /**
   * Lowers a conversion. From complex to real numbers it takes the real part; HLO needs both a real
   * and a convert op if the width also changes.
   */
  private static HloInstruction convert(OpImport op) {
    HloInstruction operand = op.operand(0);
    ElementType type = op.declaredElementType();
    boolean drops = op.array(0).elementType().isComplex() && !type.isComplex();
    HloInstruction value =
        drops ? op.emit(new Elementwise(Elementwise.Kind.REAL), operand) : operand;
    return drops && type == op.array(0).elementType().componentType()
        ? value
        : op.emit(new Convert(type), value);
  }

  static Compare compareOp(OpImport op) {
    return (Compare) op.mirrored("stablehlo.compare", Map.of());
  }

  /** Lowers a selection; a single predicate is repeated, unless sizes are symbolic. */
  private static HloInstruction select(OpImport op) {
    Shape.Array result = op.array(1);
    HloInstruction pred =
        op.array(0).isScalar() && !result.hasUnbounded()
            ? op.broadcast(op.operand(0), result.sizes())
            : op.operand(0);
    return op.emit(new Select(), pred, op.operand(1), op.operand(2));
  }
}
