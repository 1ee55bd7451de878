package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import org.hlo4j.hlo.ElementType;

/** The code emitter for one element at a time, in plain Java bytecode that C2 may vectorize. */
sealed class ScalarEmitter extends CodeEmitter permits BranchlessEmitter {
  private int widestBits;

  ScalarEmitter(CodeBuilder code) {
    super(code);
  }

  @Override
  public int width() {
    return 1;
  }

  @Override
  public int widestBits() {
    return widestBits;
  }

  @Override
  TypeKind kind(Lane lane) {
    return lane.kind();
  }

  private CodeBuilder push(Value... values) {
    for (Value value : values) {
      code().loadLocal(value.lane().kind(), value.local());
    }
    return code();
  }

  /** Pops the top of the stack into a new value. */
  private Value pop(Lane lane) {
    Value value = newValue(lane);
    widestBits = Math.max(widestBits, lane.bits());
    code().storeLocal(lane.kind(), value.local());
    return value;
  }

  @Override
  public void assign(Value target, Value source) {
    push(source).storeLocal(target.lane().kind(), target.local());
  }

  @Override
  void writeConstant(Value value, Number number) {
    pushNumber(value.lane(), number);
    code().storeLocal(value.lane().kind(), value.local());
  }

  @Override
  public Value splat(Lane lane, int scalarLocal) {
    code().loadLocal(lane.kind(), scalarLocal);
    return pop(lane);
  }

  @Override
  public Value iota(int indexLocal) {
    return splat(Lane.I32, indexLocal);
  }

  @Override
  public Value load(ElementType type, int arrayLocal, int indexLocal) {
    boolean isNarrow = NarrowFloats.isNarrow(type);
    Value element = load(isNarrow ? Lane.I32 : Lane.of(type), type, arrayLocal, indexLocal);
    return isNarrow ? NarrowFloats.decode(this, type, element) : element;
  }

  /** Loads an element; of narrow floats, the bits. */
  protected Value load(Lane lane, ElementType type, int arrayLocal, int indexLocal) {
    ElementAccess.load(code(), type, arrayLocal, indexLocal);
    return pop(lane);
  }

  @Override
  public Value loadSplat(ElementType type, int arrayLocal, int indexLocal) {
    return load(type, arrayLocal, indexLocal);
  }

  @Override
  public void store(ElementType type, int arrayLocal, int indexLocal, Value value) {
    boolean isNarrow = NarrowFloats.isNarrow(type);
    storeElement(
        type, arrayLocal, indexLocal, isNarrow ? NarrowFloats.encode(this, type, value) : value);
  }

  /** Stores an element; of narrow floats, the bits. */
  protected void storeElement(ElementType type, int arrayLocal, int indexLocal, Value stored) {
    code().aload(arrayLocal).iload(indexLocal);
    push(stored);
    ElementAccess.store(code(), type);
  }

  private Value math(String method, Value... values) {
    return call(Math.class, method, values[0].lane(), values);
  }

  @Override
  Value unary(UnaryOperation operation, Value value) {
    Lane lane = value.lane();
    return switch (operation) {
      case NEGATE -> write("NEG", value);
      case ABS -> math("abs", value);
      case SQRT ->
          lane == Lane.F64
              ? math("sqrt", value)
              : convert(math("sqrt", convert(value, Lane.F64)), Lane.F32);
      case NOT ->
          lane == Lane.MASK ? xor(value, constant(Lane.MASK, 1)) : xor(value, constant(lane, -1));
      case BIT_COUNT -> integerMethod("bitCount", value);
      case LEADING_ZEROS -> integerMethod("numberOfLeadingZeros", value);
    };
  }

  private Value integerMethod(String method, Value value) {
    boolean wide = value.lane() == Lane.I64;
    Value count = call(wide ? Long.class : Integer.class, method, Lane.I32, value);
    return convert(count, value.lane());
  }

  @Override
  public Value extreme(Value integers, boolean isGreatest) {
    return integers;
  }

  @Override
  Value binary(BinaryOperation operation, Value lhs, Value rhs) {
    return switch (operation) {
      case ADD -> write("ADD", lhs, rhs);
      case SUBTRACT -> write("SUB", lhs, rhs);
      case MULTIPLY -> write("MUL", lhs, rhs);
      case DIVIDE -> write("DIV", lhs, rhs);
      case MAX -> math("max", lhs, rhs);
      case MIN -> math("min", lhs, rhs);
      case MAX_UNSIGNED -> select(compare(Relation.UGT, lhs, rhs), lhs, rhs);
      case MIN_UNSIGNED -> select(compare(Relation.ULT, lhs, rhs), lhs, rhs);
      case AND -> write("AND", lhs, rhs);
      case OR -> write("OR", lhs, rhs);
      case XOR -> write("XOR", lhs, rhs);
      case SHIFT_LEFT -> write("SHL", lhs, convert(rhs, Lane.I32));
      case SHIFT_RIGHT -> write("SHR", lhs, convert(rhs, Lane.I32));
      case SHIFT_RIGHT_LOGICAL -> write("USHR", lhs, convert(rhs, Lane.I32));
    };
  }

  /** Writes an operator of the type of the first operand: FADD, DADD, IADD or LADD for ADD. */
  private Value write(String operator, Value... operands) {
    Lane lane = operands[0].lane();
    Opcode opcode = Opcode.valueOf(lane.kind().name().charAt(0) + operator);
    return apply(lane, OperatorInstruction.of(opcode), operands);
  }

  /** Writes an instruction that pops its operands and pushes a value. */
  protected Value apply(Lane lane, Instruction instruction, Value... operands) {
    push(operands).with(instruction);
    return pop(lane);
  }

  @Override
  Value shift(BinaryOperation operation, Value value, int amount) {
    Value count = constant(Lane.I32, amount);
    return binary(operation, value, count);
  }

  @Override
  public Value fma(Value a, Value b, Value c) {
    return math("fma", a, b, c);
  }

  @Override
  public Value floor(Value value) {
    return throughDouble("floor", value);
  }

  @Override
  public Value ceil(Value value) {
    return throughDouble("ceil", value);
  }

  @Override
  public Value rint(Value value) {
    return throughDouble("rint", value);
  }

  /** Calls a method of doubles, whose results fit a float exactly. */
  private Value throughDouble(String method, Value value) {
    return convert(math(method, convert(value, Lane.F64)), value.lane());
  }

  @Override
  public Value compare(Relation relation, Value lhs, Value rhs) {
    Label holds = code().newLabel();
    Label end = code().newLabel();
    writeBranch(relation, lhs, rhs, holds);
    code().iconst_0().goto_(end).labelBinding(holds).iconst_1().labelBinding(end);
    return pop(Lane.MASK);
  }

  private void writeBranch(Relation relation, Value lhs, Value rhs, Label holds) {
    push(lhs, rhs);
    boolean less = relation == Relation.LT || relation == Relation.LE;
    switch (lhs.lane()) {
      case F32 -> code().with(OperatorInstruction.of(less ? Opcode.FCMPG : Opcode.FCMPL));
      case F64 -> code().with(OperatorInstruction.of(less ? Opcode.DCMPG : Opcode.DCMPL));
      case I64 -> {
        if (relation.isUnsigned()) {
          code().invokestatic(ConstantDescs.CD_Long, "compareUnsigned", COMPARE_LONGS);
        } else {
          code().lcmp();
        }
      }
      case I32, MASK -> {
        if (!relation.isUnsigned()) {
          code().branch(jump("IF_ICMP", relation), holds);
          return;
        }
        code().invokestatic(ConstantDescs.CD_Integer, "compareUnsigned", COMPARE_INTS);
      }
    }
    code().branch(jump("IF", relation), holds);
  }

  private static final MethodTypeDesc COMPARE_LONGS =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_long, ConstantDescs.CD_long);
  private static final MethodTypeDesc COMPARE_INTS =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);

  /** Returns a conditional jump, such as IFLT or IF_ICMPLT for {@link Relation#LT}. */
  private static Opcode jump(String prefix, Relation relation) {
    return Opcode.valueOf(prefix + relation.name().substring(relation.isUnsigned() ? 1 : 0));
  }

  @Override
  public Value select(Value mask, Value onTrue, Value onFalse) {
    Label otherwise = code().newLabel();
    Label end = code().newLabel();
    push(mask).ifeq(otherwise);
    push(onTrue).goto_(end).labelBinding(otherwise);
    push(onFalse).labelBinding(end);
    return pop(onTrue.lane());
  }

  @Override
  public Value shuffle(LaneShuffle shuffle, Value a, Value b) {
    return switch (shuffle) {
      case LOWER, EVEN, ALTERNATE, REVERSED -> a;
      case UPPER, ODD -> b;
    };
  }

  @Override
  Value cast(Value value, Lane to) {
    return apply(to, ConvertInstruction.of(value.lane().kind(), to.kind()), value);
  }

  @Override
  public Value extendUnsigned(Value value) {
    return call(Integer.class, "toUnsignedLong", Lane.I64, value);
  }

  @Override
  public Value reinterpret(Value value) {
    return switch (value.lane()) {
      case F32 -> call(Float.class, "floatToRawIntBits", Lane.I32, value);
      case F64 -> call(Double.class, "doubleToRawLongBits", Lane.I64, value);
      case I32 -> call(Float.class, "intBitsToFloat", Lane.F32, value);
      case I64 -> call(Double.class, "longBitsToDouble", Lane.F64, value);
      case MASK -> throw new IllegalArgumentException("a mask has no bits");
    };
  }

  @Override
  public Value call(Class<?> owner, String method, Lane result, Value... arguments) {
    ClassDesc[] parameters =
        Arrays.stream(arguments).map(value -> type(value.lane())).toArray(ClassDesc[]::new);
    MethodTypeDesc descriptor = MethodTypeDesc.of(type(result), parameters);
    ClassDesc of = owner.describeConstable().orElseThrow();
    MemberRefEntry called = code().constantPool().methodRefEntry(of, method, descriptor);
    return apply(result, InvokeInstruction.of(Opcode.INVOKESTATIC, called), arguments);
  }

  @Override
  public Value callWhere(
      Value value, Value mask, Class<?> owner, String method, Value... arguments) {
    Value result = variable(value);
    Label done = code().newLabel();
    push(mask).ifeq(done);
    assign(result, call(owner, method, value.lane(), arguments));
    code().labelBinding(done);
    return result;
  }

  private static ClassDesc type(Lane lane) {
    return lane == Lane.MASK ? ConstantDescs.CD_boolean : JavaTypes.of(lane).scalar;
  }
}
