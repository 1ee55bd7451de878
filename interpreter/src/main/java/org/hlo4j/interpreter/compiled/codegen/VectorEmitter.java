package org.hlo4j.interpreter.compiled.codegen;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** The code emitter for vectors, which writes calls of the Vector API. */
final class VectorEmitter extends VectorMemory {
  private static final ClassDesc BINARY = JavaTypes.operatorKind("Binary");
  private static final ClassDesc UNARY = JavaTypes.operatorKind("Unary");
  private static final double WHOLE_FROM_F32 = 0x1p23;
  private static final double WHOLE_FROM_F64 = 0x1p52;

  private final Map<Lane, Map<LaneShuffle, Value>> orders = new EnumMap<>(Lane.class);

  VectorEmitter(CodeBuilder code, int width) {
    super(code, width);
  }

  // ---- arithmetic

  @Override
  Value unary(UnaryOperation operation, Value value) {
    JavaTypes type = JavaTypes.of(value.lane());
    if (value.lane() == Lane.MASK) {
      push(value).invokevirtual(JavaTypes.MASK, "not", MethodTypeDesc.of(JavaTypes.MASK));
      return popMask(maskType(value));
    } else if (operation == UnaryOperation.ABS && value.lane() == Lane.I64) {
      return max(value, negate(value)); // a single instruction with vectors of 512 bits only
    }
    push(value);
    JavaTypes.operator(code(), operation.operator, "Unary");
    type.call(code(), "lanewise", type.vector, UNARY);
    return pop(value.lane());
  }

  @Override
  Value binary(BinaryOperation operation, Value lhs, Value rhs) {
    if (lhs.lane() == Lane.MASK) {
      return maskBinary(operation, lhs, rhs);
    }
    JavaTypes type = JavaTypes.of(lhs.lane());
    push(lhs);
    JavaTypes.operator(code(), operation.operator, operation.operatorKind);
    push(rhs);
    type.call(code(), "lanewise", type.vector, BINARY, JavaTypes.VECTOR);
    return pop(lhs.lane());
  }

  private Value maskBinary(BinaryOperation operation, Value lhs, Value rhs) {
    String method =
        switch (operation) {
          case AND -> "and";
          case OR -> "or";
          case XOR -> "xor";
          default -> throw new IllegalArgumentException("no " + operation + " of masks");
        };
    JavaTypes type = maskType(lhs);
    push(lhs);
    pushMask(rhs, type)
        .invokevirtual(JavaTypes.MASK, method, MethodTypeDesc.of(JavaTypes.MASK, JavaTypes.MASK));
    return popMask(type);
  }

  @Override
  public Value extreme(Value integers, boolean isGreatest) {
    Lane lane = integers.lane();
    JavaTypes type = JavaTypes.of(lane);
    int extreme = newLocal(lane.kind());
    push(integers);
    JavaTypes.operator(code(), isGreatest ? "MAX" : "MIN", "Associative");
    type.call(code(), "reduceLanes", type.scalar, JavaTypes.operatorKind("Associative"));
    code().storeLocal(lane.kind(), extreme);
    return splat(lane, extreme);
  }

  @Override
  Value shift(BinaryOperation operation, Value value, int amount) {
    JavaTypes type = JavaTypes.of(value.lane());
    push(value);
    JavaTypes.operator(code(), operation.operator, "Binary");
    pushNumber(value.lane(), amount);
    type.call(code(), "lanewise", type.vector, BINARY, type.scalar);
    return pop(value.lane());
  }

  @Override
  public Value fma(Value a, Value b, Value c) {
    JavaTypes type = JavaTypes.of(a.lane());
    push(a);
    push(b);
    push(c);
    type.call(code(), "fma", type.vector, JavaTypes.VECTOR, JavaTypes.VECTOR);
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

  /**
   * Adding and subtracting 2^mantissa bits rounds smaller magnitudes. All others are integers
   * already.
   */
  @Override
  public Value rint(Value value) {
    Lane lane = value.lane();
    Value large = constant(lane, lane == Lane.F32 ? WHOLE_FROM_F32 : WHOLE_FROM_F64);
    Value magnitude = abs(value);
    Value rounded = subtract(add(magnitude, large), large);
    Value signed = withSign(rounded, value);
    return select(compare(Relation.LT, magnitude, large), signed, value);
  }

  // ---- choice

  @Override
  public Value compare(Relation relation, Value lhs, Value rhs) {
    JavaTypes type = JavaTypes.of(lhs.lane());
    push(lhs);
    JavaTypes.operator(code(), relation.name(), "Comparison");
    push(rhs);
    type.call(code(), "compare", JavaTypes.MASK, COMPARISON, JavaTypes.VECTOR);
    return popMask(type);
  }

  @Override
  public Value select(Value mask, Value onTrue, Value onFalse) {
    if (onTrue.lane() == Lane.MASK) {
      return or(and(onTrue, mask), and(onFalse, not(mask)));
    }
    JavaTypes type = JavaTypes.of(onTrue.lane());
    push(onFalse);
    push(onTrue);
    pushMask(mask, type);
    type.call(code(), "blend", type.vector, JavaTypes.VECTOR, JavaTypes.MASK);
    return pop(onTrue.lane());
  }

  /**
   * Floats are shuffled as integers, because the indices of a shuffle have the lane of its
   * operands.
   */
  @Override
  public Value shuffle(LaneShuffle shuffle, Value a, Value b) {
    if (a.lane().isFloating()) {
      Value first = reinterpret(a);
      return reinterpret(shuffle(shuffle, first, b.equals(a) ? first : reinterpret(b)));
    }
    Lane lane = a.lane();
    Value order =
        orders
            .computeIfAbsent(lane, _ -> new EnumMap<>(LaneShuffle.class))
            .computeIfAbsent(shuffle, _ -> order(shuffle, lane));
    push(order);
    push(a);
    push(b);
    JavaTypes type = JavaTypes.of(lane);
    type.call(code(), "selectFrom", type.vector, JavaTypes.VECTOR, JavaTypes.VECTOR);
    return pop(lane);
  }

  private Value order(LaneShuffle shuffle, Lane lane) {
    return hoist(lane, () -> shuffle.order(this, convert(iotaFromZero(), lane)));
  }

  // ---- conversions

  @Override
  Value cast(Value value, Lane to) {
    JavaTypes from = JavaTypes.of(value.lane());
    JavaTypes target = JavaTypes.of(to);
    boolean isOfLongs = value.lane() == Lane.I64 || to == Lane.I64;
    if (isOfLongs && value.lane().isFloating() != to.isFloating()) {
      Machine.requireLongsAsFloats();
    }
    push(value);
    convertStack(from.letter() + "2" + target.letter(), from, target);
    return popGuarded(to);
  }

  @Override
  public Value extendUnsigned(Value value) {
    push(value);
    convertStack("ZERO_EXTEND_I2L", JavaTypes.INT, JavaTypes.LONG);
    return popGuarded(Lane.I64);
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
    JavaTypes.of(value.lane()).call(code(), method, JavaTypes.of(to).vector);
    return popGuarded(to);
  }

  @Override
  public Value call(Class<?> owner, String method, Lane result, Value... arguments) {
    throw new NoCodeException("vectors cannot call " + method);
  }

  /**
   * Passes the elements through arrays. These are allocated only when needed, so that C2 can leave
   * the branch out.
   */
  @Override
  public Value callWhere(
      Value value, Value mask, Class<?> owner, String method, Value... arguments) {
    JavaTypes type = JavaTypes.of(value.lane());
    Value result = variable(value);
    Label done = code().newLabel();
    push(mask)
        .invokevirtual(JavaTypes.MASK, "anyTrue", MethodTypeDesc.of(ConstantDescs.CD_boolean));
    code().ifeq(done);
    int[] arrays = Arrays.stream(arguments).mapToInt(argument -> toArray(type, argument)).toArray();
    callForEach(type, owner.describeConstable().orElseThrow(), method, arrays);
    push(value);
    type.species(code(), width);
    code().aload(arrays[0]).iconst_0();
    MethodTypeDesc fromArray =
        MethodTypeDesc.of(type.vector, JavaTypes.SPECIES, type.array(), CD_int);
    code().invokestatic(type.vector, "fromArray", fromArray);
    pushMask(mask, type);
    type.call(code(), "blend", type.vector, JavaTypes.VECTOR, JavaTypes.MASK);
    code().astore(result.local());
    code().labelBinding(done);
    return result;
  }

  private int toArray(JavaTypes type, Value value) {
    int array = newLocal(TypeKind.REFERENCE);
    code().loadConstant(width).newarray(value.lane().kind()).astore(array);
    push(value).aload(array).iconst_0();
    type.call(code(), "intoArray", CD_void, type.array(), CD_int);
    return array;
  }

  /** Writes {@code arrays[0][i] = method(arrays[0][i], arrays[1][i] ...)} for all i. */
  private void callForEach(JavaTypes type, ClassDesc owner, String method, int[] arrays) {
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
