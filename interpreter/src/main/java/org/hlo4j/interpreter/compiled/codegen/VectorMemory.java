package org.hlo4j.interpreter.compiled.codegen;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.ElementType;

/**
 * Loads, stores and constants of vectors, which are held in local variables. A mask belongs to the
 * type of the vectors that it was made from, and is cast when it is used with others.
 */
abstract sealed class VectorMemory extends CodeEmitter permits VectorEmitter {
  static final ClassDesc COMPARISON = JavaTypes.operatorKind("Comparison");

  /** The indices of the lowest bytes of four 32-bit lanes. */
  private static final int LOWEST_BYTES = 0x0c080400;

  /** The indices of the bytes of the lowest shorts of two 32-bit lanes. */
  private static final int LOWEST_SHORTS = 0x05040100;

  private static final ClassDesc CONVERSION = JavaTypes.operatorKind("Conversion");

  final int width;
  private final Map<Integer, JavaTypes> masks = new HashMap<>();
  private final Map<JavaTypes, VectorClass> classes = new EnumMap<>(JavaTypes.class);
  private final Map<JavaTypes, Value> shifts = new EnumMap<>(JavaTypes.class);
  private final Label impossible;
  private int widestBits;

  VectorMemory(CodeBuilder code, int width) {
    super(code);
    this.width = width;
    this.impossible = code.newLabel();
  }

  @Override
  void beginPrologue() {
    classes.values().forEach(VectorClass::lookUp);
  }

  @Override
  void endMethod() {
    code().labelBinding(impossible).aconst_null().athrow();
  }

  /** Tells C2 the class of a vector that is not the result of a vector operation. */
  private void guardClass(JavaTypes type, int local) {
    VectorClass known = classes.get(type);
    if (known == null) {
      known = new VectorClass(code(), type.vector, type.species(width), impossible);
      classes.put(type, known);
      if (isInPrologue()) {
        known.lookUp();
      }
    }
    known.guard(local);
  }

  @Override
  public void markLoopCarried(Collection<Value> variables) {
    for (Value variable : variables) {
      if (variable.lane() != Lane.MASK) {
        guardClass(JavaTypes.of(variable.lane()), variable.local());
      }
    }
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public int widestBits() {
    return widestBits;
  }

  @Override
  TypeKind kind(Lane lane) {
    return TypeKind.REFERENCE;
  }

  final CodeBuilder push(Value value) {
    return code().aload(value.local());
  }

  /**
   * Pops the top of the stack into a new value, and tells C2 its class, which the signatures of the
   * Vector API do not give.
   */
  final Value popGuarded(Lane lane) {
    Value value = pop(lane);
    guardClass(JavaTypes.of(lane), value.local());
    return value;
  }

  /** Pops the top of the stack into a new value. */
  final Value pop(Lane lane) {
    Value value = newValue(lane);
    if (lane != Lane.MASK) {
      widestBits = Math.max(widestBits, lane.bits());
    }
    code().astore(value.local());
    return value;
  }

  final Value popMask(JavaTypes of) {
    Value value = pop(Lane.MASK);
    masks.put(value.local(), of);
    return value;
  }

  /** Pushes a mask, cast to vectors of a type. */
  final CodeBuilder pushMask(Value mask, JavaTypes type) {
    push(mask);
    if (maskType(mask) != type) {
      type.species(code(), width);
      code()
          .invokevirtual(
              JavaTypes.MASK, "cast", MethodTypeDesc.of(JavaTypes.MASK, JavaTypes.SPECIES));
    }
    return code();
  }

  final JavaTypes maskType(Value mask) {
    return masks.getOrDefault(mask.local(), JavaTypes.INT);
  }

  @Override
  Value newPermanentValue(Lane lane) {
    Value value = super.newPermanentValue(lane);
    masks.put(value.local(), JavaTypes.INT);
    return value;
  }

  @Override
  public void assign(Value target, Value source) {
    if (target.lane() == Lane.MASK) {
      pushMask(source, maskType(target));
    } else {
      push(source);
    }
    code().astore(target.local());
  }

  @Override
  void writeConstant(Value value, Number number) {
    JavaTypes type = JavaTypes.of(value.lane());
    if (value.lane() == Lane.MASK) {
      JavaTypes.INT.species(code(), width);
      code().loadConstant(number.intValue() == 0 ? 0L : -1L >>> (64 - width));
      code()
          .invokestatic(
              JavaTypes.MASK,
              "fromLong",
              MethodTypeDesc.of(JavaTypes.MASK, JavaTypes.SPECIES, ConstantDescs.CD_long));
      code().astore(value.local());
      return;
    }
    type.species(code(), width);
    pushNumber(value.lane(), number);
    broadcast(type);
    code().astore(value.local());
    guardClass(type, value.local());
  }

  private void broadcast(JavaTypes type) {
    MethodTypeDesc descriptor = MethodTypeDesc.of(type.vector, JavaTypes.SPECIES, type.scalar);
    code().invokestatic(type.vector, "broadcast", descriptor);
  }

  @Override
  public Value splat(Lane lane, int scalarLocal) {
    JavaTypes type = lane == Lane.MASK ? JavaTypes.INT : JavaTypes.of(lane);
    type.species(code(), width);
    code().loadLocal(lane.kind(), scalarLocal);
    broadcast(type);
    Value value = popGuarded(lane == Lane.MASK ? Lane.I32 : lane);
    return convert(value, lane);
  }

  @Override
  public Value iota(int indexLocal) {
    Value start = splat(Lane.I32, indexLocal);
    push(start).iconst_1();
    JavaTypes.INT.call(code(), "addIndex", JavaTypes.INT.vector, CD_int);
    return popGuarded(Lane.I32);
  }

  /** Returns 0, 1, ... */
  final Value iotaFromZero() {
    int zero = newLocal(TypeKind.INT);
    code().iconst_0().istore(zero);
    return iota(zero);
  }

  // ---- memory

  @Override
  public Value load(ElementType type, int arrayLocal, int indexLocal) {
    JavaTypes storage = JavaTypes.storage(type);
    if (isPacked(storage)) {
      return loadPacked(type, arrayLocal, indexLocal);
    }
    storage.species(code(), width);
    code().aload(arrayLocal).iload(indexLocal);
    code()
        .invokestatic(
            storage.vector,
            "fromArray",
            MethodTypeDesc.of(storage.vector, JavaTypes.SPECIES, storage.array(), CD_int));
    return widened(type, storage);
  }

  /** Converts the storage vector on the stack to its lane. */
  private Value widened(ElementType type, JavaTypes storage) {
    if (type == ElementType.PRED) {
      JavaTypes.operator(code(), "NE", "Comparison");
      code().iconst_0();
      JavaTypes.BYTE.call(code(), "compare", JavaTypes.MASK, COMPARISON, ConstantDescs.CD_byte);
      return popMask(JavaTypes.BYTE);
    } else if (storage.bits >= Integer.SIZE) {
      return popGuarded(Lane.of(type));
    }
    String extension = type.kind() == ElementType.Kind.SIGNED ? "" : "ZERO_EXTEND_";
    convertStack(extension + storage.letter() + "2I", storage, JavaTypes.INT);
    Value bits = popGuarded(Lane.I32);
    return type.isFloating() ? NarrowFloats.decode(this, type, bits) : bits;
  }

  @Override
  public Value loadSplat(ElementType type, int arrayLocal, int indexLocal) {
    boolean isNarrow = NarrowFloats.isNarrow(type);
    Lane lane = isNarrow ? Lane.I32 : Lane.of(type);
    int local = newLocal(lane.kind());
    ElementAccess.load(code(), type, arrayLocal, indexLocal);
    code().storeLocal(lane.kind(), local);
    Value value = splat(lane, local);
    return isNarrow ? NarrowFloats.decode(this, type, value) : value;
  }

  @Override
  public void store(ElementType type, int arrayLocal, int indexLocal, Value value) {
    JavaTypes storage = JavaTypes.storage(type);
    Value stored = NarrowFloats.isNarrow(type) ? NarrowFloats.encode(this, type, value) : value;
    if (isPacked(storage)) {
      storePacked(storage, arrayLocal, indexLocal, stored);
      return;
    }
    if (type == ElementType.PRED) {
      pushBooleans(stored);
    } else {
      push(stored);
      if (storage.bits < Integer.SIZE) {
        convertStack("I2" + storage.letter(), JavaTypes.INT, storage);
      }
    }
    code().aload(arrayLocal).iload(indexLocal);
    storage.call(code(), "intoArray", CD_void, storage.array(), CD_int);
  }

  private void pushBooleans(Value mask) {
    JavaTypes.BYTE.species(code(), width);
    code().iconst_0();
    broadcast(JavaTypes.BYTE);
    code().iconst_1();
    pushMask(mask, JavaTypes.BYTE);
    JavaTypes.BYTE.call(
        code(), "blend", JavaTypes.BYTE.vector, ConstantDescs.CD_byte, JavaTypes.MASK);
  }

  /** Returns whether a vector of these elements would be shorter than the Vector API supports. */
  private boolean isPacked(JavaTypes storage) {
    return storage.bits < Integer.SIZE && storage.bits * width < Long.SIZE;
  }

  private Value loadPacked(ElementType type, int arrayLocal, int indexLocal) {
    JavaTypes storage = JavaTypes.storage(type);
    code().aload(arrayLocal).iload(indexLocal);
    callPacked("load", CD_int, storage.array(), CD_int);
    int all = newLocal(TypeKind.INT);
    code().istore(all);
    Value moved = shiftRightLogical(splat(Lane.I32, all), shifts(storage));
    if (type.kind() == ElementType.Kind.SIGNED) {
      int above = Integer.SIZE - storage.bits;
      return shiftRight(shiftLeft(moved, above), above);
    }
    Value bits = and(moved, constant(Lane.I32, (1 << storage.bits) - 1));
    if (type == ElementType.PRED) {
      return convert(bits, Lane.MASK);
    }
    return type.isFloating() ? NarrowFloats.decode(this, type, bits) : bits;
  }

  /** Stores few narrow elements. The lowest bits of all lanes are packed first. */
  private void storePacked(JavaTypes storage, int arrayLocal, int indexLocal, Value value) {
    Value bits = convert(value, Lane.I32);
    int order = storage == JavaTypes.BYTE ? LOWEST_BYTES : LOWEST_SHORTS;
    JavaTypes.INT.call(
        push(constant(Lane.I32, order)), "reinterpretAsBytes", JavaTypes.BYTE.vector);
    JavaTypes.INT.call(push(bits), "reinterpretAsBytes", JavaTypes.BYTE.vector);
    JavaTypes.BYTE.call(code(), "selectFrom", JavaTypes.BYTE.vector, JavaTypes.VECTOR);
    JavaTypes.BYTE.call(code(), "reinterpretAsInts", JavaTypes.INT.vector);
    code().iconst_0();
    JavaTypes.INT.call(code(), "lane", CD_int, CD_int);
    code().aload(arrayLocal).iload(indexLocal);
    callPacked("store", CD_void, CD_int, storage.array(), CD_int);
  }

  private void callPacked(String method, ClassDesc result, ClassDesc... parameters) {
    ClassDesc owner = NarrowVectors.class.describeConstable().orElseThrow();
    code().invokestatic(owner, method + width, MethodTypeDesc.of(result, parameters));
  }

  /** Returns the position of each element's bits in the packed integer. */
  private Value shifts(JavaTypes storage) {
    return shifts.computeIfAbsent(
        storage,
        _ -> hoist(Lane.I32, () -> multiply(iotaFromZero(), constant(Lane.I32, storage.bits))));
  }

  /** Converts the vector on the stack. */
  final void convertStack(String conversion, JavaTypes from, JavaTypes to) {
    JavaTypes.operator(code(), conversion, "Conversion");
    to.species(code(), width);
    code().iconst_0();
    from.call(code(), "convertShape", JavaTypes.VECTOR, CONVERSION, JavaTypes.SPECIES, CD_int);
    code().checkcast(to.vector);
  }
}
