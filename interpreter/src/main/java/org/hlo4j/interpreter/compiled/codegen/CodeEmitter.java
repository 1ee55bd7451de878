package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * Writes code that computes with elements: one at a time, or as many as fit a vector. The caller
 * writes loops and index arithmetic with {@link #code}, and between them the elements with the
 * methods here; each gives a new {@link Value}, in a local variable of its own.
 *
 * <p>All happens within {@link #body}: constants and what is {@link #hoisted} come to lie before
 * it. Local variables are taken by {@link #newLocal} only, never by a block's own builder. Both
 * back ends compute the same bits.
 */
public abstract sealed class CodeEmitter extends LaneArithmetic
    permits ScalarEmitter, VectorMemory {
  /** Four bytecodes store two slots, so that no method of the greatest size has more. */
  private static final int MAX_SLOT = HiddenClasses.MAX_METHOD / 2;

  private final CodeBuilder code;
  private final Map<List<Object>, Value> constants = new HashMap<>();
  private final List<Runnable> constantsToWrite = new ArrayList<>();
  private final List<Runnable> hoists = new ArrayList<>();
  private final List<Value> temporaries = new ArrayList<>();
  private final Map<TypeKind, Deque<Integer>> freed = new HashMap<>();
  private final Map<Integer, Number> numbers = new HashMap<>();
  private final Set<Integer> atMostZero = new HashSet<>();
  private boolean inPrologue;
  private boolean keepsNaNs = true;
  private int operations;

  CodeEmitter(CodeBuilder code) {
    this.code = code;
  }

  /** Code for one element at a time. */
  public static CodeEmitter scalar(CodeBuilder code) {
    return new ScalarEmitter(code);
  }

  /** Code for one element at a time without branches, see {@link BranchlessEmitter}. */
  public static CodeEmitter branchless(CodeBuilder code) {
    return new BranchlessEmitter(code);
  }

  /** Code for so many elements at a time, where {@link VectorSupport} is on. */
  public static CodeEmitter vector(CodeBuilder code, int width) {
    return new VectorEmitter(code, width);
  }

  /** Where the caller writes what has nothing to do with elements. */
  public final CodeBuilder code() {
    return code;
  }

  /** How many elements at a time; 1 in the scalar back end. */
  public abstract int width();

  /** Bits of the widest lane that code was written for, so far. */
  public abstract int widestBits();

  /** How many operations were written, so far. */
  public final int operations() {
    return operations;
  }

  /**
   * From here on NaNs that are read or written may lose their payload, which takes less: for code
   * that only computes with them.
   */
  public final void forgetNaNs() {
    keepsNaNs = false;
  }

  /** Whether NaNs that are read and written keep their bits. */
  final boolean keepsNaNs() {
    return keepsNaNs;
  }

  // ---- the method

  /**
   * Writes the method: what body writes, after the constants it asks for. The body must return by
   * itself.
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

  /** Writes what has to come before all constants. */
  void beginPrologue() {}

  /** Writes what is only jumped to. */
  void endMethod() {}

  /** Whether the prologue is being written. */
  final boolean isInPrologue() {
    return inPrologue;
  }

  /** A new local variable of the method, for indices and arrays. */
  public final int newLocal(TypeKind kind) {
    int local = code.allocateLocal(kind);
    if (local > MAX_SLOT) {
      throw new TooLargeException("locals", HiddenClasses.MAX_METHOD);
    }
    return local;
  }

  /** A new local variable for {@code arrays[number]}, the storage of elements of a type. */
  public final int array(int arraysLocal, int number, ElementType type) {
    int local = newLocal(TypeKind.REFERENCE);
    loadArray(arraysLocal, number, type, local);
    return local;
  }

  /** Puts {@code arrays[number]} into a local variable. */
  public final void loadArray(int arraysLocal, int number, ElementType type, int local) {
    code.aload(arraysLocal).loadConstant(number).aaload();
    code.checkcast(JavaTypes.storage(type).array()).astore(local);
  }

  /** Remembers which values there are, for {@link #release}. */
  public final int mark() {
    return temporaries.size();
  }

  /** Gives back the local variables of the values made since, other than constants. */
  public final void release(int mark) {
    List<Value> since = temporaries.subList(mark, temporaries.size());
    for (Value value : since) {
      freed.computeIfAbsent(kind(value.lane()), k -> new ArrayDeque<>()).push(value.local());
    }
    since.clear();
  }

  /** The same, but some values are kept. */
  public final void release(int mark, Collection<Value> kept) {
    List<Value> since = temporaries.subList(mark, temporaries.size());
    List<Value> left = since.stream().filter(kept::contains).toList();
    since.removeAll(left);
    release(mark);
    temporaries.addAll(left);
  }

  /** A new value, not yet assigned. */
  final Value newValue(Lane lane) {
    Deque<Integer> free = freed.getOrDefault(kind(lane), new ArrayDeque<>());
    int local = free.isEmpty() || inPrologue ? newLocal(kind(lane)) : free.pop();
    Value value = new Value(lane, local);
    atMostZero.remove(local);
    temporaries.add(value);
    operations++;
    return value;
  }

  /** The kind of local variable that holds values of a lane. */
  abstract TypeKind kind(Lane lane);

  // ---- constants, variables

  /** The same number in all elements; made once, before the body. For a mask 0 or 1. */
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

  /** The value of a scalar in all elements. */
  public final Value constant(Literal scalar) {
    ElementType type = scalar.elementType();
    Lane lane = Lane.of(type);
    if (lane.isFloating() && isOddNaN(type, scalar.bitsAt(0))) {
      return hoisted(lane, () -> ofBits(type, scalar.bitsAt(0)));
    }
    Number number = lane.isFloating() ? (Number) scalar.doubleAt(0) : (Number) scalar.longAt(0);
    return constant(lane, number);
  }

  /** Whether bits are of a NaN other than the one that is computed: class files know that only. */
  private static boolean isOddNaN(ElementType type, long bits) {
    return Double.isNaN(type.decode(bits)) && bits != type.encode(Double.NaN);
  }

  private Value ofBits(ElementType type, long bits) {
    Value pattern = constant(type.bits() == Double.SIZE ? Lane.I64 : Lane.I32, bits);
    return NarrowFloats.isNarrow(type)
        ? NarrowFloats.decode(this, type, pattern)
        : reinterpret(pattern);
  }

  /** The number, if the value is a constant. */
  public final Optional<Number> known(Value value) {
    return Optional.ofNullable(numbers.get(value.local()));
  }

  /** Remembers that a value is at most 0, or NaN: some functions take less then. */
  public final void knowAtMostZero(Value value) {
    atMostZero.add(value.local());
  }

  /** Whether it is known to be at most 0, or NaN. */
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
   * A value that is computed once, before the body, from what the method's parameters hold: its
   * code is written there.
   */
  public final Value hoisted(Lane lane, Supplier<Value> computation) {
    Value value = declared(lane);
    writeInPrologue(hoists, () -> assign(value, computation.get()));
    return value;
  }

  /** Code that is written before the body, in the order asked for; what it sets is there for it. */
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

  /** A variable that can be assigned again, such as the accumulator of a loop. */
  public final Value variable(Value initial) {
    Value value = declared(initial.lane());
    assign(value, initial);
    return value;
  }

  /**
   * Variables that a loop assigns, to be called at the start of its body and behind it: vectors are
   * told to be what they were, see {@link VectorClass}.
   */
  public void carried(Collection<Value> variables) {}

  /** A value whose local variable is never released nor shared. */
  Value declared(Lane lane) {
    return new Value(lane, newLocal(kind(lane)));
  }

  /** {@code target = source}, of the same lane. */
  public abstract void assign(Value target, Value source);

  abstract void writeConstant(Value value, Number number);

  /** The same value in all elements, of a local variable as {@link Lane#kind} has it. */
  public abstract Value splat(Lane lane, int scalarLocal);

  /** {@code index, index + 1, ...} of an int local variable. */
  public abstract Value iota(int indexLocal);

  // ---- memory

  /** {@code array[index], array[index + 1], ...} of the storage of elements of a type. */
  public abstract Value load(ElementType type, int arrayLocal, int indexLocal);

  /** {@code array[index]} in all elements. */
  public abstract Value loadSplat(ElementType type, int arrayLocal, int indexLocal);

  /** {@code array[index] = value, ...}; floats have to be rounded to the type. */
  public abstract void store(ElementType type, int arrayLocal, int indexLocal, Value value);

  // ---- choice

  /** Whether a relation holds: a mask. */
  public abstract Value compare(Relation relation, Value lhs, Value rhs);

  /** {@code mask ? onTrue : onFalse} */
  public abstract Value select(Value mask, Value onTrue, Value onFalse);

  /** Elements of two values that are no masks, in the order of an arrangement. */
  public abstract Value arranged(LaneShuffle arrangement, Value a, Value b);

  // ---- conversions

  /**
   * The numbers in another lane, as Java casts: floats to integers truncate and saturate, NaN gives
   * 0; longs to ints wrap; else to the nearest. Integers are signed. A mask gives 0 and 1, and
   * others a mask of whether not 0.
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

  /** Ints as unsigned numbers in longs. */
  public abstract Value extendUnsigned(Value value);

  /** The bits of floats as integers of the same width, or the other way round. */
  public abstract Value reinterpret(Value value);

  // ---- calls

  /** Whether {@link #call} can be used: by the scalar back end only. */
  public final boolean canCall() {
    return width() == 1;
  }

  /**
   * The result of a public static Java method, of a public class of this module, parameters as
   * {@link Lane#kind} has them; a mask is a boolean.
   */
  public abstract Value call(Class<?> owner, String method, Lane result, Value... arguments);

  /**
   * The value, but where the mask holds the result of a method as {@link #call} has it, on elements
   * of the lane of the value. In both back ends; meant for masks that hardly ever hold.
   */
  public abstract Value replaced(
      Value value, Value mask, Class<?> owner, String method, Value... arguments);
}
