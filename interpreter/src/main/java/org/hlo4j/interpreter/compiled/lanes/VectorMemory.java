package org.hlo4j.interpreter.compiled.lanes;

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
 * Vectors in local variables, from constants and arrays and back to arrays. A mask belongs to the
 * vectors that it was made from, and is cast where it meets others.
 */
abstract sealed class VectorMemory extends Lanes permits VectorLanes {
  static final ClassDesc COMPARISON = Types.operatorKind("Comparison");

  /** Where the lowest bytes of lanes of 32 bits are among all bytes: as many as there may be. */
  private static final int LOWEST_BYTES = 0x0c080400;

  /** The same of the lowest shorts of two. */
  private static final int LOWEST_SHORTS = 0x05040100;

  private static final ClassDesc CONVERSION = Types.operatorKind("Conversion");

  final int width;
  private final Map<Integer, Types> masks = new HashMap<>();
  private final Map<Types, VectorClass> classes = new EnumMap<>(Types.class);
  private final Map<Types, Value> shifts = new EnumMap<>(Types.class);
  private final Label impossible;
  private int widestBits;

  VectorMemory(CodeBuilder code, int width) {
    super(code);
    this.width = width;
    this.impossible = code.newLabel();
  }

  @Override
  void beginPrologue() {
    classes.values().forEach(VectorClass::find);
  }

  @Override
  void endMethod() {
    code().labelBinding(impossible).aconst_null().athrow();
  }

  /** Tells C2 the class of a vector that comes from elsewhere than an op of vectors. */
  private void tell(Types type, int local) {
    VectorClass known = classes.get(type);
    if (known == null) {
      known = new VectorClass(code(), type.vector, type.species(width), impossible);
      classes.put(type, known);
      if (isInPrologue()) {
        known.find();
      }
    }
    known.tell(local);
  }

  @Override
  public void carried(Collection<Value> variables) {
    for (Value variable : variables) {
      if (variable.lane() != Lane.MASK) {
        tell(Types.of(variable.lane()), variable.local());
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

  /** Stores what is on the stack, which the library does not say the class of. */
  final Value popTold(Lane lane) {
    Value value = pop(lane);
    tell(Types.of(lane), value.local());
    return value;
  }

  /** Stores what is on the stack. */
  final Value pop(Lane lane) {
    Value value = newValue(lane);
    if (lane != Lane.MASK) {
      widestBits = Math.max(widestBits, lane.bits());
    }
    code().astore(value.local());
    return value;
  }

  final Value popMask(Types of) {
    Value value = pop(Lane.MASK);
    masks.put(value.local(), of);
    return value;
  }

  /** Pushes a mask as one for vectors of a type. */
  final CodeBuilder pushMask(Value mask, Types type) {
    push(mask);
    if (maskType(mask) != type) {
      type.species(code(), width);
      code().invokevirtual(Types.MASK, "cast", MethodTypeDesc.of(Types.MASK, Types.SPECIES));
    }
    return code();
  }

  final Types maskType(Value mask) {
    return masks.getOrDefault(mask.local(), Types.INT);
  }

  @Override
  Value declared(Lane lane) {
    Value value = super.declared(lane);
    masks.put(value.local(), Types.INT);
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
    Types type = Types.of(value.lane());
    if (value.lane() == Lane.MASK) {
      Types.INT.species(code(), width);
      code().loadConstant(number.intValue() == 0 ? 0L : -1L >>> (64 - width));
      code()
          .invokestatic(
              Types.MASK,
              "fromLong",
              MethodTypeDesc.of(Types.MASK, Types.SPECIES, ConstantDescs.CD_long));
      code().astore(value.local());
      return;
    }
    type.species(code(), width);
    switch (value.lane()) {
      case F32 -> code().loadConstant(number.floatValue());
      case F64 -> code().loadConstant(number.doubleValue());
      case I32, MASK -> code().loadConstant(number.intValue());
      case I64 -> code().loadConstant(number.longValue());
    }
    broadcast(type);
    code().astore(value.local());
    tell(type, value.local());
  }

  private void broadcast(Types type) {
    MethodTypeDesc descriptor = MethodTypeDesc.of(type.vector, Types.SPECIES, type.scalar);
    code().invokestatic(type.vector, "broadcast", descriptor);
  }

  @Override
  public Value splat(Lane lane, int scalarLocal) {
    Types type = lane == Lane.MASK ? Types.INT : Types.of(lane);
    type.species(code(), width);
    code().loadLocal(lane.kind(), scalarLocal);
    broadcast(type);
    Value value = popTold(lane == Lane.MASK ? Lane.I32 : lane);
    return convert(value, lane);
  }

  @Override
  public Value iota(int indexLocal) {
    Value start = splat(Lane.I32, indexLocal);
    push(start).iconst_1();
    Types.INT.call(code(), "addIndex", Types.INT.vector, CD_int);
    return popTold(Lane.I32);
  }

  // ---- memory

  @Override
  public Value load(ElementType type, int arrayLocal, int indexLocal) {
    Types storage = Types.storage(type);
    if (areFew(storage)) {
      return loadFew(type, arrayLocal, indexLocal);
    }
    storage.species(code(), width);
    code().aload(arrayLocal).iload(indexLocal);
    code()
        .invokestatic(
            storage.vector,
            "fromArray",
            MethodTypeDesc.of(storage.vector, Types.SPECIES, storage.array(), CD_int));
    return widened(type, storage);
  }

  /** From the storage vector on the stack. */
  private Value widened(ElementType type, Types storage) {
    boolean unsigned = type.kind() != ElementType.Kind.SIGNED;
    return switch (storage) {
      case INT, LONG, FLOAT, DOUBLE -> popTold(Lane.of(type));
      case SHORT -> {
        convertStack(unsigned ? "ZERO_EXTEND_S2I" : "S2I", Types.SHORT, Types.INT);
        Value bits = popTold(Lane.I32);
        yield type.isFloating() ? NarrowFloats.decode(this, type, bits) : bits;
      }
      case BYTE -> {
        if (type == ElementType.PRED) {
          Types.operator(code(), "NE", "Comparison");
          code().iconst_0();
          Types.BYTE.call(code(), "compare", Types.MASK, COMPARISON, ConstantDescs.CD_byte);
          yield popMask(Types.BYTE);
        }
        convertStack(unsigned ? "ZERO_EXTEND_B2I" : "B2I", Types.BYTE, Types.INT);
        Value bits = popTold(Lane.I32);
        yield type.isFloating() ? NarrowFloats.decode(this, type, bits) : bits;
      }
    };
  }

  @Override
  public Value loadSplat(ElementType type, int arrayLocal, int indexLocal) {
    boolean isNarrow = NarrowFloats.isNarrow(type);
    Lane lane = isNarrow ? Lane.I32 : Lane.of(type);
    int local = newLocal(lane.kind());
    Storage.load(code(), type, arrayLocal, indexLocal);
    code().storeLocal(lane.kind(), local);
    Value value = splat(lane, local);
    return isNarrow ? NarrowFloats.decode(this, type, value) : value;
  }

  @Override
  public void store(ElementType type, int arrayLocal, int indexLocal, Value value) {
    Types storage = Types.storage(type);
    Value stored = NarrowFloats.isNarrow(type) ? NarrowFloats.encode(this, type, value) : value;
    if (areFew(storage)) {
      storeFew(storage, arrayLocal, indexLocal, stored);
      return;
    }
    switch (storage) {
      case INT, LONG, FLOAT, DOUBLE -> push(stored);
      case SHORT -> {
        push(stored);
        convertStack("I2S", Types.INT, Types.SHORT);
      }
      case BYTE -> pushBytes(type, stored);
    }
    code().aload(arrayLocal).iload(indexLocal);
    storage.call(code(), "intoArray", CD_void, storage.array(), CD_int);
  }

  private void pushBytes(ElementType type, Value value) {
    if (type == ElementType.PRED) {
      Types.BYTE.species(code(), width);
      code().iconst_0();
      broadcast(Types.BYTE);
      code().iconst_1();
      pushMask(value, Types.BYTE);
      Types.BYTE.call(code(), "blend", Types.BYTE.vector, ConstantDescs.CD_byte, Types.MASK);
    } else {
      push(value);
      convertStack("I2B", Types.INT, Types.BYTE);
    }
  }

  /** Whether there are no vectors of so few elements. */
  private boolean areFew(Types storage) {
    return storage.bits < Integer.SIZE && storage.bits * width < Long.SIZE;
  }

  private Value loadFew(ElementType type, int arrayLocal, int indexLocal) {
    Types storage = Types.storage(type);
    code().aload(arrayLocal).iload(indexLocal);
    callFew("load", CD_int, storage.array(), CD_int);
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

  /** The lowest bits of all lanes are brought side by side. */
  private void storeFew(Types storage, int arrayLocal, int indexLocal, Value value) {
    Value bits = convert(value, Lane.I32);
    int order = storage == Types.BYTE ? LOWEST_BYTES : LOWEST_SHORTS;
    Types.INT.call(push(constant(Lane.I32, order)), "reinterpretAsBytes", Types.BYTE.vector);
    Types.INT.call(push(bits), "reinterpretAsBytes", Types.BYTE.vector);
    Types.BYTE.call(code(), "selectFrom", Types.BYTE.vector, Types.VECTOR);
    Types.BYTE.call(code(), "reinterpretAsInts", Types.INT.vector);
    code().iconst_0();
    Types.INT.call(code(), "lane", CD_int, CD_int);
    code().aload(arrayLocal).iload(indexLocal);
    callFew("store", CD_void, CD_int, storage.array(), CD_int);
  }

  private void callFew(String method, ClassDesc result, ClassDesc... parameters) {
    ClassDesc owner = FewLanes.class.describeConstable().orElseThrow();
    code().invokestatic(owner, method + width, MethodTypeDesc.of(result, parameters));
  }

  /** How far the element of each lane is from the lowest bits. */
  private Value shifts(Types storage) {
    return shifts.computeIfAbsent(
        storage,
        _ ->
            hoisted(
                Lane.I32,
                () -> {
                  int zero = newLocal(TypeKind.INT);
                  code().iconst_0().istore(zero);
                  return multiply(iota(zero), constant(Lane.I32, storage.bits));
                }));
  }

  /** Converts the vector on the stack. */
  final void convertStack(String conversion, Types from, Types to) {
    Types.operator(code(), conversion, "Conversion");
    to.species(code(), width);
    code().iconst_0();
    from.call(code(), "convertShape", Types.VECTOR, CONVERSION, Types.SPECIES, CD_int);
    code().checkcast(to.vector);
  }
}
