package org.hlo4j.stablehlo.importer;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of MLIR's dialect {@code arith}, in which other compilers compute sizes. An index
 * becomes an s64. Integers are signless: each op reads its operands as signed or as unsigned, and a
 * boolean 1 read as signed is -1. What the dialect leaves undefined, such as a quotient by zero, is
 * as in StableHLO.
 */
final class ArithLowerings {
  /** Ops on integers whose result is the same for signed and for unsigned operands. */
  private static final ImmutableMap<String, Kind> SIGNLESS =
      ElementwiseLowerings.kinds("addi=add subi=subtract muli=multiply andi=and ori=or xori=xor");

  private static final ImmutableMap<String, Kind> SIGNED =
      ElementwiseLowerings.kinds(
          "divsi=divide remsi=remainder maxsi=maximum minsi=minimum shrsi=shift_right_arithmetic");

  private static final ImmutableMap<String, Kind> UNSIGNED =
      ElementwiseLowerings.kinds(
          "divui=divide remui=remainder maxui=maximum minui=minimum shrui=shift_right_logical"
              + " shli=shift_left");

  private static final ImmutableMap<String, Kind> FLOATING =
      ElementwiseLowerings.kinds(
          "addf=add subf=subtract mulf=multiply divf=divide remf=remainder maximumf=maximum"
              + " minimumf=minimum negf=negate");

  /** The ops that compute sums, differences and products of booleans, which are modulo 2. */
  private static final ImmutableMap<Kind, Kind> OF_BOOLEANS =
      ImmutableMap.of(Kind.ADD, Kind.XOR, Kind.SUBTRACT, Kind.XOR, Kind.MULTIPLY, Kind.AND);

  /** The predicates of integers, by their number: slt is 2. */
  private static final ImmutableList<Direction> DIRECTIONS =
      ImmutableList.of(
          Direction.EQ, Direction.NE, Direction.LT, Direction.LE, Direction.GT, Direction.GE);

  /** The difference between an unsigned predicate's number and the signed one's: ult is 6. */
  private static final int UNSIGNED_PREDICATE = 4;

  /** The predicates of floating-point numbers that HLO's comparisons have, by their number. */
  private static final ImmutableMap<Integer, Direction> FLOAT_DIRECTIONS =
      ImmutableMap.of(
          1, Direction.EQ,
          2, Direction.GT,
          3, Direction.GE,
          4, Direction.LT,
          5, Direction.LE,
          13, Direction.NE);

  private ArithLowerings() {}

  static void addTo(Lowerings table) {
    SIGNLESS.forEach((name, kind) -> table.one("arith." + name, op -> signless(op, kind)));
    SIGNED.forEach((name, kind) -> table.one("arith." + name, op -> binary(op, kind, true)));
    UNSIGNED.forEach((name, kind) -> table.one("arith." + name, op -> binary(op, kind, false)));
    FLOATING.forEach((name, kind) -> table.one("arith." + name, op -> floating(op, kind)));
    table.one("arith.floordivsi", op -> roundedQuotient(op, true, false));
    table.one("arith.ceildivsi", op -> roundedQuotient(op, true, true));
    table.one("arith.ceildivui", op -> roundedQuotient(op, false, true));
    String ofIndex = "index and another integer type, one to the other";
    table.one("arith.index_cast", op -> cast(op, true, ArithLowerings::isIndexCast, ofIndex));
    table.one("arith.index_castui", op -> cast(op, false, ArithLowerings::isIndexCast, ofIndex));
    table.one("arith.extsi", op -> cast(op, true, ArithLowerings::isWider, "a wider type"));
    table.one("arith.extui", op -> cast(op, false, ArithLowerings::isWider, "a wider type"));
    table.one("arith.trunci", op -> cast(op, true, (a, b) -> isWider(b, a), "a narrower type"));
    table.one("arith.sitofp", op -> cast(op, true));
    table.one("arith.uitofp", op -> cast(op, false));
    for (String name : List.of("fptosi", "fptoui", "extf", "truncf")) {
      table.one("arith." + name, op -> fromFloat(op, name.equals("fptoui")));
    }
    table.one("arith.bitcast", op -> op.emit(new BitcastConvert(resultType(op)), op.operand(0)));
    table.one("arith.cmpi", ArithLowerings::compareIntegers);
    table.one("arith.cmpf", ArithLowerings::compareFloats);
    table.one("arith.select", ArithLowerings::select);
  }

  private static ElementType resultType(OpImport op) {
    return Shapes.elementType(Shapes.element(op.resultType(0)));
  }

  private static ElementType type(HloInstruction value) {
    return OpImport.arrayShape(value).elementType();
  }

  private static void requireSignless(OpImport op) {
    for (Type type : op.operation().operandTypes()) {
      verify(
          !(Shapes.element(type) instanceof Type.Int integer)
              || integer.signedness() == Type.Signedness.SIGNLESS,
          "operand got %s, want signless integers",
          type);
    }
  }

  private static void requireIntegers(OpImport op) {
    requireSignless(op);
    requireOperand(
        op, op.array(0).elementType().isIntegral() || isBoolean(op.operand(0)), "integers");
  }

  private static void requireFloating(OpImport op) {
    requireOperand(op, op.array(0).elementType().isFloating(), "floating-point numbers");
  }

  private static void requireOperand(OpImport op, boolean holds, String wanted) {
    verify(holds, "operand got %s, want %s", op.array(0), wanted);
  }

  private static boolean isBoolean(HloInstruction value) {
    return type(value) == ElementType.PRED;
  }

  private static HloInstruction signless(OpImport op, Kind kind) {
    requireIntegers(op);
    Kind applied = isBoolean(op.operand(0)) ? OF_BOOLEANS.getOrDefault(kind, kind) : kind;
    return op.emit(new Elementwise(applied), op.operands(), List.of());
  }

  private static HloInstruction binary(OpImport op, Kind kind, boolean isSigned) {
    requireIntegers(op);
    return wrapped(op, op.emit(new Elementwise(kind), operands(op, isSigned), List.of()));
  }

  private static HloInstruction floating(OpImport op, Kind kind) {
    requireFloating(op);
    return op.emit(new Elementwise(kind), op.operands(), List.of());
  }

  /** Returns the signed or unsigned integers of the same bits. */
  private static HloInstruction withSign(OpImport op, HloInstruction value, boolean isSigned) {
    if (isBoolean(value)) {
      HloInstruction bits = op.converted(value, isSigned ? ElementType.S8 : ElementType.U8);
      return isSigned ? op.emit(new Elementwise(Kind.NEGATE), bits) : bits;
    }
    return isSigned ? value : op.converted(value, unsigned(type(value)));
  }

  private static ImmutableList<HloInstruction> operands(OpImport op, boolean isSigned) {
    return ImmutableList.of(
        withSign(op, op.operand(0), isSigned), withSign(op, op.operand(1), isSigned));
  }

  private static ElementType unsigned(ElementType type) {
    return ElementType.valueOf(type.name().replace('S', 'U'));
  }

  /** Returns integers of the result's type with the same lowest bits. */
  private static HloInstruction wrapped(OpImport op, HloInstruction value) {
    HloInstruction bits =
        resultType(op) == ElementType.PRED && !isBoolean(value)
            ? op.emit(new Elementwise(Kind.AND), value, op.like(value, 1))
            : value;
    return op.converted(bits, resultType(op));
  }

  private static HloInstruction roundedQuotient(OpImport op, boolean isSigned, boolean up) {
    requireIntegers(op);
    return wrapped(op, quotient(op, isSigned, up));
  }

  /** Returns a quotient rounded down, or up: the truncated one, plus or minus 1 where needed. */
  static HloInstruction quotient(OpImport op, boolean isSigned, boolean up) {
    return op.inlineLibraryFunction(
        x -> {
          XlaOp quotient = x.get(0).div(x.get(1));
          XlaOp remainder = x.get(0).rem(x.get(1));
          XlaOp isAdjusted = remainder.ne(0);
          if (isSigned) {
            XlaOp isNegative = remainder.lt(0);
            XlaOp isDivisorNegative = x.get(1).lt(0);
            isAdjusted =
                isAdjusted.and(
                    up ? isNegative.eq(isDivisorNegative) : isNegative.ne(isDivisorNegative));
          }
          return isAdjusted.select(up ? quotient.add(1) : quotient.sub(1), quotient);
        },
        operands(op, isSigned));
  }

  private static boolean isIndexCast(Type from, Type to) {
    return (from == Type.Simple.INDEX) != (to == Type.Simple.INDEX);
  }

  private static boolean isWider(Type from, Type to) {
    return from instanceof Type.Int given
        && to instanceof Type.Int wanted
        && given.width() < wanted.width();
  }

  /** Lowers a cast of integers between certain types. */
  private static HloInstruction cast(
      OpImport op, boolean isSigned, BiPredicate<Type, Type> fits, String wanted) {
    Type from = Shapes.element(op.operation().operand(0).type());
    Type to = Shapes.element(op.resultType(0));
    verify(fits.test(from, to), "got %s to %s, want %s", from, to, wanted);
    return cast(op, isSigned);
  }

  private static HloInstruction cast(OpImport op, boolean isSigned) {
    requireSignless(op);
    HloInstruction value = withSign(op, op.operand(0), isSigned);
    requireOperand(op, type(value).isIntegral(), "integers");
    return wrapped(op, value);
  }

  private static HloInstruction fromFloat(OpImport op, boolean isUnsigned) {
    HloInstruction value = op.operand(0);
    requireFloating(op);
    ElementType type = resultType(op);
    return isUnsigned && type != ElementType.PRED
        ? op.converted(op.converted(value, unsigned(type)), type)
        : op.converted(value, type);
  }

  private static HloInstruction compareIntegers(OpImport op) {
    requireIntegers(op);
    int predicate = op.fields().int32("predicate");
    boolean isSigned = predicate < DIRECTIONS.size();
    int direction = isSigned ? predicate : predicate - UNSIGNED_PREDICATE;
    verify(
        direction >= 0 && direction < DIRECTIONS.size(),
        "predicate got %s, want one from 0 to %s",
        predicate,
        DIRECTIONS.size() - 1 + UNSIGNED_PREDICATE);
    return op.emit(
        new Compare(DIRECTIONS.get(direction), Optional.empty()),
        operands(op, isSigned),
        List.of());
  }

  private static HloInstruction compareFloats(OpImport op) {
    int predicate = op.fields().int32("predicate");
    require(
        FLOAT_DIRECTIONS.containsKey(predicate),
        UNSUPPORTED,
        "predicate got %s, want oeq, ogt, oge, olt, ole or une, which HLO has",
        predicate);
    Direction direction = requireNonNull(FLOAT_DIRECTIONS.get(predicate));
    return op.emit(new Compare(direction, Optional.empty()), op.operands(), List.of());
  }

  private static HloInstruction select(OpImport op) {
    return op.emit(new Select(), op.operands(), List.of());
  }
}
