package org.hlo4j.interpreter.compiled.lanes;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.ElementType;

/**
 * As many elements at a time as a vector has, in flat calls of the Vector API. A mask belongs to
 * the vectors that it was made from, and is cast where it meets others.
 */
final class VectorLanes extends Lanes {
  private static final ClassDesc BINARY = Types.operatorKind("Binary");
  private static final ClassDesc UNARY = Types.operatorKind("Unary");
  private static final ClassDesc COMPARISON = Types.operatorKind("Comparison");
  private static final ClassDesc CONVERSION = Types.operatorKind("Conversion");
  private static final double WHOLE_FROM_F32 = 0x1p23;
  private static final double WHOLE_FROM_F64 = 0x1p52;

  private final int width;
  private final Map<Integer, Types> masks = new HashMap<>();
  private int widestBits;

  VectorLanes(CodeBuilder code, int width) {
    super(code);
    this.width = width;
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

  private CodeBuilder push(Value value) {
    return code().aload(value.local());
  }

  /** Stores what is on the stack. */
  private Value pop(Lane lane) {
    Value value = newValue(lane);
    if (lane != Lane.MASK) {
      widestBits = Math.max(widestBits, lane.bits());
    }
    code().astore(value.local());
    return value;
  }

  private Value popMask(Types of) {
    Value value = pop(Lane.MASK);
    masks.put(value.local(), of);
    return value;
  }

  /** Pushes a mask as one for vectors of a type. */
  private CodeBuilder pushMask(Value mask, Types type) {
    push(mask);
    if (maskType(mask) != type) {
      type.species(code(), width);
      code().invokevirtual(Types.MASK, "cast", MethodTypeDesc.of(Types.MASK, Types.SPECIES));
    }
    return code();
  }

  private Types maskType(Value mask) {
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
    Value value = pop(lane == Lane.MASK ? Lane.I32 : lane);
    return convert(value, lane);
  }

  @Override
  public Value iota(int indexLocal) {
    Value start = splat(Lane.I32, indexLocal);
    push(start).iconst_1();
    Types.INT.call(code(), "addIndex", Types.INT.vector, CD_int);
    return pop(Lane.I32);
  }

  // ---- memory

  @Override
  public Value load(ElementType type, int arrayLocal, int indexLocal) {
    Types storage = Types.storage(type);
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
      case INT, LONG, FLOAT, DOUBLE -> pop(Lane.of(type));
      case SHORT -> {
        convertStack(unsigned ? "ZERO_EXTEND_S2I" : "S2I", Types.SHORT, Types.INT);
        Value bits = pop(Lane.I32);
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
        Value bits = pop(Lane.I32);
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

  /** Converts the vector on the stack. */
  private void convertStack(String conversion, Types from, Types to) {
    Types.operator(code(), conversion, "Conversion");
    to.species(code(), width);
    code().iconst_0();
    from.call(code(), "convertShape", Types.VECTOR, CONVERSION, Types.SPECIES, CD_int);
    code().checkcast(to.vector);
  }

  // ---- arithmetic

  @Override
  Value unary(UnaryOperation operation, Value value) {
    Types type = Types.of(value.lane());
    if (value.lane() == Lane.MASK) {
      push(value).invokevirtual(Types.MASK, "not", MethodTypeDesc.of(Types.MASK));
      return popMask(maskType(value));
    }
    push(value);
    Types.operator(
        code(),
        switch (operation) {
          case NEGATE -> "NEG";
          case ABS -> "ABS";
          case SQRT -> "SQRT";
          case NOT -> "NOT";
          case BIT_COUNT -> "BIT_COUNT";
          case LEADING_ZEROS -> "LEADING_ZEROS_COUNT";
        },
        "Unary");
    type.call(code(), "lanewise", type.vector, UNARY);
    return pop(value.lane());
  }

  @Override
  Value binary(BinaryOperation operation, Value lhs, Value rhs) {
    if (lhs.lane() == Lane.MASK) {
      return maskBinary(operation, lhs, rhs);
    }
    Types type = Types.of(lhs.lane());
    push(lhs);
    Types.operator(code(), name(operation), isAssociative(operation) ? "Associative" : "Binary");
    push(rhs);
    type.call(code(), "lanewise", type.vector, BINARY, Types.VECTOR);
    return pop(lhs.lane());
  }

  private static boolean isAssociative(BinaryOperation operation) {
    return switch (operation) {
      case ADD, MULTIPLY, MAX, MIN, MAX_UNSIGNED, MIN_UNSIGNED, AND, OR, XOR -> true;
      case SUBTRACT, DIVIDE, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_LOGICAL -> false;
    };
  }

  private static String name(BinaryOperation operation) {
    return switch (operation) {
      case ADD -> "ADD";
      case SUBTRACT -> "SUB";
      case MULTIPLY -> "MUL";
      case DIVIDE -> "DIV";
      case MAX -> "MAX";
      case MIN -> "MIN";
      case MAX_UNSIGNED -> "UMAX";
      case MIN_UNSIGNED -> "UMIN";
      case AND -> "AND";
      case OR -> "OR";
      case XOR -> "XOR";
      case SHIFT_LEFT -> "LSHL";
      case SHIFT_RIGHT -> "ASHR";
      case SHIFT_RIGHT_LOGICAL -> "LSHR";
    };
  }

  private Value maskBinary(BinaryOperation operation, Value lhs, Value rhs) {
    String method =
        switch (operation) {
          case AND -> "and";
          case OR -> "or";
          case XOR -> "xor";
          default -> throw new IllegalArgumentException("no " + operation + " of masks");
        };
    Types type = maskType(lhs);
    push(lhs);
    pushMask(rhs, type)
        .invokevirtual(Types.MASK, method, MethodTypeDesc.of(Types.MASK, Types.MASK));
    return popMask(type);
  }

  @Override
  Value shift(BinaryOperation operation, Value value, int amount) {
    Types type = Types.of(value.lane());
    push(value);
    Types.operator(code(), name(operation), "Binary");
    switch (value.lane()) {
      case I64 -> code().loadConstant((long) amount);
      default -> code().loadConstant(amount);
    }
    type.call(code(), "lanewise", type.vector, BINARY, type.scalar);
    return pop(value.lane());
  }

  @Override
  public Value fma(Value a, Value b, Value c) {
    Types type = Types.of(a.lane());
    push(a);
    push(b);
    push(c);
    type.call(code(), "fma", type.vector, Types.VECTOR, Types.VECTOR);
    return pop(a.lane());
  }

  @Override
  public Value floor(Value value) {
    Value whole = rint(value);
    Value less = subtract(whole, constant(value.lane(), 1));
    return select(compare(Relation.GT, whole, value), less, whole);
  }

  @Override
  public Value ceil(Value value) {
    return negate(floor(negate(value)));
  }

  /** Adding and subtracting 2^mantissa bits rounds what is below that; all else is whole. */
  @Override
  public Value rint(Value value) {
    Lane lane = value.lane();
    Value large = constant(lane, lane == Lane.F32 ? WHOLE_FROM_F32 : WHOLE_FROM_F64);
    Value magnitude = abs(value);
    Value rounded = subtract(add(magnitude, large), large);
    Value signed = FloatFunctions.withSign(this, rounded, value);
    return select(compare(Relation.LT, magnitude, large), signed, value);
  }

  // ---- choice

  @Override
  public Value compare(Relation relation, Value lhs, Value rhs) {
    Types type = Types.of(lhs.lane());
    push(lhs);
    Types.operator(code(), relation.name(), "Comparison");
    push(rhs);
    type.call(code(), "compare", Types.MASK, COMPARISON, Types.VECTOR);
    return popMask(type);
  }

  @Override
  public Value select(Value mask, Value onTrue, Value onFalse) {
    if (onTrue.lane() == Lane.MASK) {
      return or(and(onTrue, mask), and(onFalse, not(mask)));
    }
    Types type = Types.of(onTrue.lane());
    push(onFalse);
    push(onTrue);
    pushMask(mask, type);
    type.call(code(), "blend", type.vector, Types.VECTOR, Types.MASK);
    return pop(onTrue.lane());
  }

  // ---- conversions

  @Override
  Value cast(Value value, Lane to) {
    Types from = Types.of(value.lane());
    Types target = Types.of(to);
    push(value);
    convertStack(from.name().charAt(0) + "2" + target.name().charAt(0), from, target);
    return pop(to);
  }

  @Override
  public Value extendUnsigned(Value value) {
    push(value);
    convertStack("ZERO_EXTEND_I2L", Types.INT, Types.LONG);
    return pop(Lane.I64);
  }

  @Override
  public Value reinterpret(Value value) {
    return switch (value.lane()) {
      case F32 -> reinterpreted(value, "reinterpretAsInts", Lane.I32);
      case F64 -> reinterpreted(value, "reinterpretAsLongs", Lane.I64);
      case I32 -> reinterpreted(value, "reinterpretAsFloats", Lane.F32);
      case I64 -> reinterpreted(value, "reinterpretAsDoubles", Lane.F64);
      case MASK -> throw new IllegalArgumentException("a mask has no bits");
    };
  }

  private Value reinterpreted(Value value, String method, Lane to) {
    push(value);
    Types.of(value.lane()).call(code(), method, Types.of(to).vector);
    return pop(to);
  }

  @Override
  public Value call(Class<?> owner, String method, Lane result, Value... arguments) {
    throw new UnsupportedOperationException("vectors cannot call " + method);
  }

  /** By way of arrays, made only when needed, so that C2 can leave the branch out. */
  @Override
  Value replaced(Value value, Value mask, Class<?> owner, String method, Value... arguments) {
    Types type = Types.of(value.lane());
    Value result = variable(value);
    Label done = code().newLabel();
    push(mask).invokevirtual(Types.MASK, "anyTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
    code().ifeq(done);
    int[] arrays = Arrays.stream(arguments).mapToInt(argument -> toArray(type, argument)).toArray();
    callForEach(type, owner.describeConstable().orElseThrow(), method, arrays);
    push(value);
    type.species(code(), width);
    code().aload(arrays[0]).iconst_0();
    MethodTypeDesc fromArray = MethodTypeDesc.of(type.vector, Types.SPECIES, type.array(), CD_int);
    code().invokestatic(type.vector, "fromArray", fromArray);
    pushMask(mask, type);
    type.call(code(), "blend", type.vector, Types.VECTOR, Types.MASK);
    code().astore(result.local());
    code().labelBinding(done);
    return result;
  }

  private int toArray(Types type, Value value) {
    int array = newLocal(TypeKind.REFERENCE);
    code().loadConstant(width).newarray(value.lane().kind()).astore(array);
    push(value).aload(array).iconst_0();
    type.call(code(), "intoArray", CD_void, type.array(), CD_int);
    return array;
  }

  /** {@code arrays[0][i] = method(arrays[0][i], arrays[1][i] ...)} for all i. */
  private void callForEach(Types type, ClassDesc owner, String method, int[] arrays) {
    TypeKind kind = TypeKind.from(type.scalar);
    int index = newLocal(TypeKind.INT);
    Label next = code().newLabel();
    code().iconst_0().istore(index).labelBinding(next);
    code().aload(arrays[0]).iload(index);
    for (int array : arrays) {
      code().aload(array).iload(index).arrayLoad(kind);
    }
    ClassDesc[] parameters = new ClassDesc[arrays.length];
    Arrays.fill(parameters, type.scalar);
    code().invokestatic(owner, method, MethodTypeDesc.of(type.scalar, parameters));
    code().arrayStore(kind).iinc(index, 1).iload(index).loadConstant(width).if_icmplt(next);
  }
}
