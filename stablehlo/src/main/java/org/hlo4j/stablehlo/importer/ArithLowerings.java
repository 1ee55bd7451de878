package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of MLIR's dialect {@code arith}, in which other compilers compute sizes. An index is
 * an s64. Integers have no sign of their own: the op says whether it takes them as signed or
 * unsigned, a boolean that is 1 is -1 if it is signed. What the dialect leaves undefined, such as a
 * quotient by zero, is as in StableHLO.
 */
final class ArithLowerings {
  /** Ops on integers, whose result does not depend on a sign. */
  private static final ImmutableMap<String, Kind> SIGNLESS =
      ImmutableMap.of(
          "addi", Kind.ADD,
          "subi", Kind.SUBTRACT,
          "muli", Kind.MULTIPLY,
          "andi", Kind.AND,
          "ori", Kind.OR,
          "xori", Kind.XOR,
          "shli", Kind.SHIFT_LEFT);

  private static final ImmutableMap<String, Kind> SIGNED =
      ImmutableMap.of(
          "divsi", Kind.DIVIDE,
          "remsi", Kind.REMAINDER,
          "maxsi", Kind.MAXIMUM,
          "minsi", Kind.MINIMUM,
          "shrsi", Kind.SHIFT_RIGHT_ARITHMETIC);

  private static final ImmutableMap<String, Kind> UNSIGNED =
      ImmutableMap.of(
          "divui", Kind.DIVIDE,
          "remui", Kind.REMAINDER,
          "maxui", Kind.MAXIMUM,
          "minui", Kind.MINIMUM,
          "shrui", Kind.SHIFT_RIGHT_LOGICAL);

  private static final ImmutableMap<String, Kind> FLOATING =
      ImmutableMap.<String, Kind>builder()
          .put("addf", Kind.ADD)
          .put("subf", Kind.SUBTRACT)
          .put("mulf", Kind.MULTIPLY)
          .put("divf", Kind.DIVIDE)
          .put("remf", Kind.REMAINDER)
          .put("maximumf", Kind.MAXIMUM)
          .put("minimumf", Kind.MINIMUM)
          .put("negf", Kind.NEGATE)
          .buildOrThrow();

  /** The results of sums and products of booleans, which wrap. */
  private static final ImmutableMap<Kind, Kind> OF_BOOLEANS =
      ImmutableMap.of(Kind.ADD, Kind.XOR, Kind.SUBTRACT, Kind.XOR, Kind.MULTIPLY, Kind.AND);

  private static final ImmutableList<Compare.Direction> DIRECTIONS =
      ImmutableList.of(
          Compare.Direction.EQ,
          Compare.Direction.NE,
          Compare.Direction.LT,
          Compare.Direction.LE,
          Compare.Direction.GT,
          Compare.Direction.GE,
          Compare.Direction.LT,
          Compare.Direction.LE,
          Compare.Direction.GT,
          Compare.Direction.GE);

  private static final int FIRST_UNSIGNED = 6;

  /** The predicates of floating-point numbers that HLO's comparisons have, by their number. */
  private static final ImmutableMap<Integer, Compare.Direction> FLOAT_DIRECTIONS =
      ImmutableMap.of(
          1, Compare.Direction.EQ,
          2, Compare.Direction.GT,
          3, Compare.Direction.GE,
          4, Compare.Direction.LT,
          5, Compare.Direction.LE,
          13, Compare.Direction.NE);

  private ArithLowerings() {}

  static void addTo(Lowerings table) {
    SIGNLESS.forEach((name, kind) -> table.one("arith." + name, op -> signless(op, kind)));
    SIGNED.forEach((name, kind) -> table.one("arith." + name, op -> binary(op, kind, true)));
    UNSIGNED.forEach((name, kind) -> table.one("arith." + name, op -> binary(op, kind, false)));
    FLOATING.forEach((name, kind) -> table.one("arith." + name, op -> floating(op, kind)));
    table.one("arith.floordivsi", op -> roundedQuotient(op, true, false));
    table.one("arith.ceildivsi", op -> roundedQuotient(op, true, true));
    table.one("arith.ceildivui", op -> roundedQuotient(op, false, true));
    table.one("arith.index_cast", op -> indexCast(op, true));
    table.one("arith.index_castui", op -> indexCast(op, false));
    table.one("arith.extsi", op -> resized(op, true, true));
    table.one("arith.extui", op -> resized(op, true, false));
    table.one("arith.trunci", op -> resized(op, false, true));
    table.one("arith.sitofp", op -> cast(op, true));
    table.one("arith.uitofp", op -> cast(op, false));
    for (String name : List.of("fptosi", "fptoui", "extf", "truncf")) {
      table.one("arith." + name, op -> fromFloat(op, name.equals("fptoui")));
    }
    table.one("arith.bitcast", op -> op.emit(new BitcastConvert(resultType(op)), only(op)));
    table.one("arith.cmpi", ArithLowerings::compareIntegers);
    table.one("arith.cmpf", ArithLowerings::compareFloats);
    table.one("arith.select", ArithLowerings::select);
  }

  private static HloInstruction only(OpImport op) {
    return ElementwiseLowerings.only(op);
  }

  private static ElementType resultType(OpImport op) {
    return Shapes.elementType(Shapes.element(op.resultType(0)));
  }

  private static boolean isBoolean(HloInstruction value) {
    return OpImport.arrayShape(value).elementType() == ElementType.PRED;
  }

  private static void requireSignless(OpImport op) {
    for (Type type : op.operation().operandTypes()) {
      require(
          !(Shapes.element(type) instanceof Type.Int integer)
              || integer.signedness() == Type.Signedness.SIGNLESS,
          VERIFY,
          "operand got %s, want integers without a sign",
          type);
    }
  }

  private static void requireIntegers(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    requireSignless(op);
    ElementType type = op.array(0).elementType();
    require(
        type.isIntegral() || type == ElementType.PRED,
        VERIFY,
        "operand got %s, want integers",
        op.array(0));
  }

  private static HloInstruction signless(OpImport op, Kind kind) {
    requireIntegers(op);
    Kind applied = isBoolean(op.operand(0)) ? OF_BOOLEANS.getOrDefault(kind, kind) : kind;
    return applied == Kind.SHIFT_LEFT
        ? binary(op, kind, false)
        : op.emit(new Elementwise(applied), op.operands(), List.of());
  }

  private static HloInstruction binary(OpImport op, Kind kind, boolean isSigned) {
    requireIntegers(op);
    return back(
        op,
        op.emit(
            new Elementwise(kind),
            taken(op, op.operand(0), isSigned),
            taken(op, op.operand(1), isSigned)));
  }

  private static HloInstruction floating(OpImport op, Kind kind) {
    ElementwiseLowerings.requireOperands(op, kind == Kind.NEGATE ? 1 : 2);
    require(
        op.array(0).elementType().isFloating(),
        VERIFY,
        "operand got %s, want floating-point numbers",
        op.array(0));
    return op.emit(new Elementwise(kind), op.operands(), List.of());
  }

  /** Returns integers as the signed or the unsigned ones of their bits. */
  private static HloInstruction taken(OpImport op, HloInstruction value, boolean isSigned) {
    if (isBoolean(value)) {
      HloInstruction bits = op.converted(value, isSigned ? ElementType.S8 : ElementType.U8);
      return isSigned ? op.emit(new Elementwise(Kind.NEGATE), bits) : bits;
    }
    ElementType type = OpImport.arrayShape(value).elementType();
    return isSigned ? value : op.converted(value, unsigned(type));
  }

  private static ElementType unsigned(ElementType type) {
    return ElementType.valueOf(type.name().replace('S', 'U'));
  }

  /** Returns integers of the result's type with the same lowest bits. */
  private static HloInstruction back(OpImport op, HloInstruction value) {
    ElementType type = resultType(op);
    if (type != ElementType.PRED || isBoolean(value)) {
      return op.converted(value, type);
    }
    HloInstruction one = like(op, value, 1);
    return op.converted(op.emit(new Elementwise(Kind.AND), value, one), type);
  }

  /** Returns an array of equal numbers, of the shape of a value. */
  static HloInstruction like(OpImport op, HloInstruction value, long number) {
    Shape.Array shape = OpImport.arrayShape(value);
    HloInstruction scalar = op.emit(new Constant(Literal.of(shape.elementType(), number)));
    return op.broadcast(scalar, shape.sizes());
  }

  /** Returns a quotient that is rounded down, or up: the truncated one, moved by one at most. */
  private static HloInstruction roundedQuotient(OpImport op, boolean isSigned, boolean up) {
    requireIntegers(op);
    return back(op, quotient(op, isSigned, up));
  }

  /** Returns the quotient of two sizes, rounded down. */
  static HloInstruction sizeQuotient(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    return quotient(op, true, false);
  }

  private static HloInstruction quotient(OpImport op, boolean isSigned, boolean up) {
    HloInstruction a = taken(op, op.operand(0), isSigned);
    HloInstruction b = taken(op, op.operand(1), isSigned);
    HloInstruction quotient = op.emit(new Elementwise(Kind.DIVIDE), a, b);
    HloInstruction rest = op.emit(new Elementwise(Kind.REMAINDER), a, b);
    HloInstruction zero = like(op, rest, 0);
    HloInstruction isMoved = compared(op, Compare.Direction.NE, rest, zero);
    if (isSigned) {
      Compare.Direction signs = up ? Compare.Direction.EQ : Compare.Direction.NE;
      HloInstruction negativeRest = compared(op, Compare.Direction.LT, rest, zero);
      HloInstruction negativeDivisor = compared(op, Compare.Direction.LT, b, zero);
      isMoved =
          op.emit(
              new Elementwise(Kind.AND),
              isMoved,
              compared(op, signs, negativeRest, negativeDivisor));
    }
    HloInstruction moved =
        op.emit(new Elementwise(up ? Kind.ADD : Kind.SUBTRACT), quotient, like(op, quotient, 1));
    return op.emit(new Select(), isMoved, moved, quotient);
  }

  private static HloInstruction compared(
      OpImport op, Compare.Direction direction, HloInstruction a, HloInstruction b) {
    return op.emit(new Compare(direction, Optional.empty()), a, b);
  }

  private static HloInstruction indexCast(OpImport op, boolean isSigned) {
    Type from = Shapes.element(op.operation().operand(0).type());
    Type to = Shapes.element(op.resultType(0));
    require(
        (from == Type.Simple.INDEX) != (to == Type.Simple.INDEX),
        VERIFY,
        "got %s to %s, want a type index and another integer",
        from,
        to);
    return cast(op, isSigned);
  }

  private static HloInstruction resized(OpImport op, boolean isWider, boolean isSigned) {
    Type from = Shapes.element(op.operation().operand(0).type());
    Type to = Shapes.element(op.resultType(0));
    boolean fits =
        from instanceof Type.Int given
            && to instanceof Type.Int wanted
            && (isWider ? given.width() < wanted.width() : given.width() > wanted.width());
    require(fits, VERIFY, "got %s to %s, want a %s type", from, to, isWider ? "wider" : "narrower");
    return cast(op, isSigned);
  }

  private static HloInstruction cast(OpImport op, boolean isSigned) {
    requireSignless(op);
    HloInstruction value = taken(op, only(op), isSigned);
    require(
        OpImport.arrayShape(value).elementType().isIntegral(),
        VERIFY,
        "operand got %s, want integers",
        op.array(0));
    return back(op, value);
  }

  private static HloInstruction fromFloat(OpImport op, boolean isUnsigned) {
    HloInstruction value = only(op);
    require(
        OpImport.arrayShape(value).elementType().isFloating(),
        VERIFY,
        "operand got %s, want floating-point numbers",
        op.array(0));
    return isUnsigned && resultType(op) != ElementType.PRED
        ? back(op, op.converted(value, unsigned(resultType(op))))
        : op.converted(value, resultType(op));
  }

  private static HloInstruction compareIntegers(OpImport op) {
    requireIntegers(op);
    int predicate = op.fields().int32("predicate");
    require(
        predicate >= 0 && predicate < DIRECTIONS.size(),
        VERIFY,
        "predicate got %s, want one from 0 to %s",
        predicate,
        DIRECTIONS.size() - 1);
    boolean isSigned = predicate < FIRST_UNSIGNED;
    return compared(
        op,
        DIRECTIONS.get(predicate),
        taken(op, op.operand(0), isSigned),
        taken(op, op.operand(1), isSigned));
  }

  private static HloInstruction compareFloats(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 2);
    Compare.Direction direction = FLOAT_DIRECTIONS.get(op.fields().int32("predicate"));
    if (direction == null) {
      throw new HloException(
          UNSUPPORTED,
          "predicate got "
              + op.fields().int32("predicate")
              + ", want oeq, ogt, oge, olt, ole or une, which HLO has");
    }
    return compared(op, direction, op.operand(0), op.operand(1));
  }

  private static HloInstruction select(OpImport op) {
    ElementwiseLowerings.requireOperands(op, 3);
    return op.emit(new Select(), op.operands(), List.of());
  }

  /** Returns an index as a constant. */
  static HloInstruction index(OpImport op, long value) {
    return op.emit(new Constant(Literal.of(value)));
  }

  /** Returns indices as a constant. */
  static HloInstruction indices(OpImport op, Dims values) {
    return op.emit(
        new Constant(
            Literal.of(Shape.of(ElementType.S64, values.count()), values.stream().toArray())));
  }
}
