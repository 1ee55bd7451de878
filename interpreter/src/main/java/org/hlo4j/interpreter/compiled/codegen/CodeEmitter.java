package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.jspecify.annotations.Nullable;

/**
 * A writer of bytecode that computes with elements: with one at a time, or with as many as fit a
 * vector. The caller writes loops and index arithmetic with {@link #code}, and the computation on
 * elements with the methods of this class. Each of them returns a new {@link Value}, in a local
 * variable of its own.
 *
 * <p>All code is written within {@link #body}; the code of constants and of {@link #hoist} values
 * is placed before it. Local variables are allocated by {@link #newLocal} only, never by the
 * builder of a block. All code emitters compute the same bits.
 */
public abstract sealed class CodeEmitter extends MethodVariables
    permits ScalarEmitter, VectorMemory {
  private final CodeBuilder code;
  private final Map<List<Object>, Value> constants = new HashMap<>();
  private final List<Runnable> constantsToWrite = new ArrayList<>();
  private final List<Runnable> hoists = new ArrayList<>();
  private final Map<Integer, Number> numbers = new HashMap<>();
  private final Set<Integer> atMostZero = new HashSet<>();

  /** Where {@link #addProduct} has the next value stored; null for a new one. */
  private @Nullable Value accumulator;

  private boolean inPrologue;
  private boolean preservesNaNs = true;
  private int operations;

  CodeEmitter(CodeBuilder code) {
    super(code);
    this.code = code;
  }

  /** Returns an emitter of code for one element at a time. */
  public static CodeEmitter scalar(CodeBuilder code) {
    return new ScalarEmitter(code);
  }

  /**
   * Returns an emitter of code for {@code width} elements at a time. {@link Machine} has to be on.
   */
  public static CodeEmitter vector(CodeBuilder code, int width) {
    return new VectorEmitter(code, width);
  }

  /** Returns the number of elements that an operation computes; 1 in scalar code. */
  public abstract int width();

  /** Returns the number of bits of the widest lane that code has been written for so far. */
  public abstract int widestBits();

  /** Returns the number of operations written so far. */
  public final int operations() {
    return operations;
  }

  /**
   * Allows NaNs that are read or written from here on to lose their payload, which is cheaper. Used
   * for code that only computes with them.
   */
  public final void dropNaNPayloads() {
    preservesNaNs = false;
  }

  /** Returns whether NaNs that are read and written keep their bits. */
  final boolean preservesNaNs() {
    return preservesNaNs;
  }

  // ---- the method

  /**
   * Writes the method: the constants that the body uses, then the body. The body must write the
   * return instruction itself.
   */
  public final void body(Runnable body) {
    Label prologue = code.newLabel();
    Label start = code.newLabel();
    code.goto_(prologue).labelBinding(start);
    body.run();
    code.labelBinding(prologue);
    inPrologue = true;
    beginPrologue();
    constantsToWrite.forEach(Runnable::run);
    hoists.forEach(Runnable::run);
    code.goto_(start);
    endMethod();
  }

  /** Writes the code that has to come before all constants. */
  void beginPrologue() {}

  /** Writes the code that is only reached by jumps. */
  void endMethod() {}

  /** Returns whether the prologue is being written. */
  final boolean isInPrologue() {
    return inPrologue;
  }

  /** Returns the value to assign next: a new one, or the accumulator of a product. */
  protected final Value newValue(Lane lane) {
    operations++;
    Value result = accumulator;
    if (result != null) {
      accumulator = null;
      return result;
    }
    Value value = newTemporary(lane, inPrologue);
    atMostZero.remove(value.local());
    return value;
  }

  // ---- constants, variables

  /** Returns a number in all lanes, which is created once, before the body. A mask is 0 or 1. */
  public final Value constant(Lane lane, Number number) {
    List<Object> key = List.of(lane, bits(lane, number));
    Value known = constants.get(key);
    if (known != null) {
      return known;
    }
    Value value = new Value(lane, newLocal(kind(lane)));
    constants.put(key, value);
    numbers.put(value.local(), number);
    writeInPrologue(constantsToWrite, () -> writeConstant(value, number));
    return value;
  }

  /** Returns the value of a scalar in all lanes. */
  public final Value constant(Literal scalar) {
    ElementType type = scalar.elementType();
    Lane lane = Lane.of(type);
    if (lane.isFloating() && isNonCanonicalNaN(type, scalar.bitsAt(0))) {
      return hoist(lane, () -> ofBits(type, scalar.bitsAt(0)));
    }
    Number number = lane.isFloating() ? (Number) scalar.doubleAt(0) : (Number) scalar.longAt(0);
    return constant(lane, number);
  }

  /**
   * Returns whether bits encode a NaN other than the quiet one, which is the only one that class
   * files represent.
   */
  private static boolean isNonCanonicalNaN(ElementType type, long bits) {
    return Double.isNaN(type.decode(bits)) && bits != type.encode(Double.NaN);
  }

  private Value ofBits(ElementType type, long bits) {
    Value pattern = constant(type.bits() == Double.SIZE ? Lane.I64 : Lane.I32, bits);
    return NarrowFloats.isNarrow(type)
        ? NarrowFloats.decode(this, type, pattern)
        : reinterpret(pattern);
  }

  /** Returns the number, if a value is a constant. */
  public final Optional<Number> constantValue(Value value) {
    return Optional.ofNullable(numbers.get(value.local()));
  }

  /** Records that a value is at most 0, or NaN. Some functions take less time then. */
  public final void assumeAtMostZero(Value value) {
    atMostZero.add(value.local());
  }

  /** Returns whether a value is known to be at most 0, or NaN. */
  public final boolean isAtMostZero(Value value) {
    return atMostZero.contains(value.local());
  }

  private static long bits(Lane lane, Number number) {
    return switch (lane) {
      case F32 -> Float.floatToRawIntBits(number.floatValue());
      case F64 -> Double.doubleToRawLongBits(number.doubleValue());
      case I32, MASK -> number.intValue();
      case I64 -> number.longValue();
    };
  }

  /**
   * Returns a value that is computed once, before the body, from the parameters of the method. The
   * code of the computation is written there.
   */
  public final Value hoist(Lane lane, Supplier<Value> computation) {
    Value value = newPermanentValue(lane);
    writeInPrologue(hoists, () -> assign(value, computation.get()));
    return value;
  }

  /**
   * Adds code that is written before the body, in the order of the calls. The body may use the
   * local variables that it assigns.
   */
  public final void inPrologue(Runnable writing) {
    writeInPrologue(hoists, writing);
  }

  private void writeInPrologue(List<Runnable> later, Runnable writing) {
    if (inPrologue) {
      writing.run();
    } else {
      later.add(writing);
    }
  }

  /** Returns a variable that can be assigned again, such as the accumulator of a loop. */
  public final Value variable(Value initial) {
    Value value = newPermanentValue(initial.lane());
    assign(value, initial);
    return value;
  }

  /**
   * Returns variables of elements of a type, such as the accumulators of a loop, which are zero.
   */
  public final List<Value> zeros(ElementType type, int count) {
    Value zero = constant(Lane.of(type), 0);
    return Stream.generate(() -> variable(zero)).limit(count).toList();
  }

  /** Writes {@code sum = a * b + sum}; of floats, it is rounded once. */
  public final void addProduct(Value sum, Value a, Value b) {
    boolean isFused = sum.lane().isFloating();
    Value product = isFused ? a : multiply(a, b);
    accumulator = sum;
    Value _ = isFused ? fma(a, b, sum) : add(product, sum);
  }

  /**
   * Marks variables that a loop carries from iteration to iteration. Has to be called at the start
   * of the loop's body and after the loop: the code of vectors tells C2 their class there, see
   * {@link VectorClass}.
   */
  public void markLoopCarried(Collection<Value> variables) {}

  /** Returns a value whose local variable is never released nor shared. */
  Value newPermanentValue(Lane lane) {
    return new Value(lane, newLocal(kind(lane)));
  }

  /** Writes {@code target = source}, of the same lane. */
  public abstract void assign(Value target, Value source);

  abstract void writeConstant(Value value, Number number);

  /** Pushes a number as a single element of a lane. */
  final void pushNumber(Lane lane, Number number) {
    switch (lane) {
      case F32 -> code.loadConstant(number.floatValue());
      case F64 -> code.loadConstant(number.doubleValue());
      case I32, MASK -> code.loadConstant(number.intValue());
      case I64 -> code.loadConstant(number.longValue());
    }
  }

  /** Returns the value of a local variable, of the kind {@link Lane#kind}, in all lanes. */
  public abstract Value splat(Lane lane, int scalarLocal);

  /** Returns {@code index, index + 1, ...} for an int local variable. */
  public abstract Value iota(int indexLocal);

  // ---- memory

  /** Loads {@code array[index], array[index + 1], ...} from the storage of elements of a type. */
  public abstract Value load(ElementType type, int arrayLocal, int indexLocal);

  /** Loads {@code arrayLocal[indexLocal]} into all lanes. */
  public abstract Value loadSplat(ElementType type, int arrayLocal, int indexLocal);

  /** Stores {@code array[index] = value, ...}. Floats have to be rounded to the type already. */
  public abstract void store(ElementType type, int arrayLocal, int indexLocal, Value value);

  // ---- choice

  /** Returns a mask of the lanes in which a relation holds. */
  public abstract Value compare(Relation relation, Value lhs, Value rhs);

  /** Returns {@code mask ? onTrue : onFalse}. */
  public abstract Value select(Value mask, Value onTrue, Value onFalse);

  /** Returns elements of two values, which are not masks, in the order of a shuffle. */
  public abstract Value shuffle(LaneShuffle shuffle, Value a, Value b);

  // ---- conversions

  /**
   * Converts numbers to another lane, as casts in Java do. Floats to integers truncate and
   * saturate, and NaN becomes 0; longs to ints wrap; all other conversions round to nearest.
   * Integers are signed. A mask becomes 0 or 1; a number becomes a mask of whether it is not 0.
   */
  public final Value convert(Value value, Lane to) {
    Lane from = value.lane();
    if (from == to) {
      return value;
    } else if (from == Lane.MASK) {
      return select(value, constant(to, 1), constant(to, 0));
    } else if (to == Lane.MASK) {
      return compare(Relation.NE, value, constant(from, 0));
    }
    return cast(value, to);
  }

  abstract Value cast(Value value, Lane to);

  /** Returns unsigned ints as longs. */
  public abstract Value extendUnsigned(Value value);

  /** Returns the bits of floats as integers of the same width, or the reverse. */
  public abstract Value reinterpret(Value value);

  // ---- calls

  /** Returns whether {@link #call} can be used, which is so in scalar code only. */
  public final boolean canCall() {
    return width() == 1;
  }

  /**
   * Returns the result of a public static Java method, of a public class of this module. Its
   * parameters have the types {@link Lane#kind}; a mask is a boolean.
   */
  public abstract Value call(Class<?> owner, String method, Lane result, Value... arguments);

  /**
   * Returns a value in which the lanes where a mask is true are replaced by the result of a method
   * as in {@link #call}. The parameters of the method have the lane of the value. Both emitters
   * support this; it is meant for masks that are hardly ever true.
   */
  public abstract Value callWhere(
      Value value, Value mask, Class<?> owner, String method, Value... arguments);

  /** Returns a non-negative magnitude with the sign of another number. */
  public final Value withSign(Value magnitude, Value sign) {
    Value signBit =
        sign.lane() == Lane.F32
            ? constant(Lane.I32, Integer.MIN_VALUE)
            : constant(Lane.I64, Long.MIN_VALUE);
    return reinterpret(or(reinterpret(magnitude), and(reinterpret(sign), signBit)));
  }
}
