package org.hlo4j.interpreter.compiled.strips;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.PseudoInstruction;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a turn of a loop computes and stores, read from the code of its body. */
final class LoopGraph {
  /**
   * What is stored.
   *
   * @param array the local variable of the array
   * @param index where in it
   * @param value what
   * @param storage what the array holds
   */
  record Stored(int array, Op index, Op value, TypeKind storage) {}

  private static final ImmutableSet<String> BITS =
      ImmutableSet.of(
          "floatToRawIntBits", "intBitsToFloat", "doubleToRawLongBits", "longBitsToDouble");

  /** The methods that C2 has vectors for. */
  private static final ImmutableSet<String> VECTORS =
      ImmutableSet.of(
          "java/lang/Math.max",
          "java/lang/Math.min",
          "java/lang/Math.abs",
          "java/lang/Math.fma",
          "java/lang/Math.sqrt",
          "java/lang/Math.signum",
          "java/lang/Math.floor",
          "java/lang/Math.ceil",
          "java/lang/Math.rint",
          "java/lang/Integer.rotateLeft",
          "java/lang/Integer.bitCount",
          "java/lang/Integer.numberOfLeadingZeros",
          "java/lang/Long.bitCount",
          "java/lang/Long.numberOfLeadingZeros");

  private final int counter;
  private final Set<Integer> set = new HashSet<>();
  private final Map<Integer, Op> locals = new HashMap<>();
  private final Deque<Op> stack = new ArrayDeque<>();
  private final Map<List<Object>, Op> known = new HashMap<>();
  private final List<Stored> stored = new ArrayList<>();

  private @Nullable Label rejoins;
  private @Nullable Op mask;
  private Map<Integer, Op> before = Map.of();
  private int lastSet;

  private LoopGraph(int counter) {
    this.counter = counter;
  }

  /**
   * What a body stores.
   *
   * @param body its code, without that which counts
   * @param counter the local variable that counts
   * @throws Unfit if turns depend on each other, or there is code of another kind
   */
  static List<Stored> of(List<CodeElement> body, int counter) {
    LoopGraph graph = new LoopGraph(counter);
    for (CodeElement element : body) {
      if (element instanceof StoreInstruction store) {
        graph.set.add(store.slot());
      }
    }
    body.forEach(graph::read);
    if (!graph.stack.isEmpty() || graph.rejoins != null) {
      throw new Unfit();
    }
    return graph.stored;
  }

  private void read(CodeElement element) {
    switch (element) {
      case LoadInstruction load -> stack.push(local(load.slot(), load.typeKind()));
      case StoreInstruction store -> {
        locals.put(store.slot(), stack.pop());
        lastSet = store.slot();
      }
      case ConstantInstruction constant ->
          stack.push(
              known(
                  List.of("constant", constant.constantValue()),
                  () -> Op.constant(constant.typeKind(), constant)));
      case OperatorInstruction operator -> {
        int count = isUnary(operator.opcode()) ? 1 : 2;
        apply(operator.opcode(), type(operator), operator, count, false);
      }
      case ConvertInstruction convert ->
          apply(convert.opcode(), convert.toType().asLoadable(), convert, 1, false);
      case InvokeInstruction call -> call(call);
      case ArrayLoadInstruction load -> load(load.typeKind());
      case ArrayStoreInstruction store -> store(store.typeKind());
      case BranchInstruction jump -> jump(jump);
      case LabelTarget target -> rejoin(target.label());
      case PseudoInstruction nothing -> {}
      default -> throw new Unfit();
    }
  }

  private Op local(int slot, TypeKind type) {
    Op value = locals.get(slot);
    if (value != null) {
      return value;
    } else if (slot == counter) {
      return known(List.of("count"), () -> Op.ofLocal(Op.Kind.COUNT, TypeKind.INT, slot));
    } else if (set.contains(slot)) {
      throw new Unfit();
    }
    return known(List.of("local", slot), () -> Op.ofLocal(Op.Kind.INVARIANT, type, slot));
  }

  /** The same things are computed once. */
  private Op known(List<Object> key, Supplier<Op> making) {
    return known.computeIfAbsent(key, _ -> making.get());
  }

  private static boolean isUnary(Opcode opcode) {
    return switch (opcode) {
      case INEG, LNEG, FNEG, DNEG -> true;
      default -> false;
    };
  }

  private static TypeKind type(OperatorInstruction operator) {
    return switch (operator.opcode()) {
      case LCMP, FCMPL, FCMPG, DCMPL, DCMPG -> TypeKind.INT;
      default -> operator.typeKind();
    };
  }

  private Op[] pop(int count) {
    Op[] operands = new Op[count];
    for (int i = count - 1; i >= 0; i--) {
      operands[i] = stack.pop();
    }
    return operands;
  }

  private void apply(Object what, TypeKind type, CodeElement element, int count, boolean isAlone) {
    Op[] operands = pop(count);
    List<Object> key = new ArrayList<>(List.of(what));
    key.addAll(Arrays.asList(operands));
    stack.push(
        known(
            key,
            () ->
                new Op(
                    Op.Kind.APPLY,
                    type,
                    ImmutableList.copyOf(operands),
                    element,
                    -1,
                    type,
                    isAlone)));
  }

  private void call(InvokeInstruction call) {
    if (call.opcode() != Opcode.INVOKESTATIC) {
      throw new Unfit();
    }
    MethodTypeDesc descriptor = call.typeSymbol();
    TypeKind type = TypeKind.from(descriptor.returnType()).asLoadable();
    String name = call.name().stringValue();
    if (BITS.contains(name)) {
      Op of = stack.pop();
      stack.push(
          of.kind == Op.Kind.BITS
              ? of.inputs.get(0)
              : known(
                  List.of(name, of),
                  () -> new Op(Op.Kind.BITS, type, ImmutableList.of(of), call, -1, type, false)));
      return;
    }
    String whole = call.owner().asInternalName() + "." + name;
    List<Object> what = List.of(whole, descriptor);
    apply(what, type, call, descriptor.parameterCount(), !VECTORS.contains(whole));
  }

  private static boolean isNarrow(TypeKind storage) {
    return storage != storage.asLoadable();
  }

  private void load(TypeKind storage) {
    Op index = stack.pop();
    Op array = stack.pop();
    TypeKind type = storage.asLoadable();
    OptionalLong stride = stride(index);
    if (stride.isEmpty() || stride.getAsLong() != 1) {
      Op held =
          known(
              List.of("array", array, storage),
              () ->
                  new Op(
                      Op.Kind.INVARIANT,
                      TypeKind.REFERENCE,
                      ImmutableList.of(),
                      null,
                      array.local,
                      storage,
                      false));
      CodeElement element = ArrayLoadInstruction.of(loading(storage));
      ImmutableList<Op> inputs = ImmutableList.of(held, index);
      stack.push(new Op(Op.Kind.ELEMENT, type, inputs, element, -1, type, true));
      return;
    }
    Op load =
        known(
            List.of("load", array, index),
            () ->
                new Op(
                    Op.Kind.LOAD,
                    type,
                    ImmutableList.of(index),
                    null,
                    array.local,
                    storage,
                    false));
    stack.push(
        isNarrow(storage)
            ? known(List.of("widened", load), () -> Op.of(Op.Kind.WIDENED, type, load))
            : load);
  }

  private static Opcode loading(TypeKind storage) {
    return switch (storage) {
      case BYTE, BOOLEAN -> Opcode.BALOAD;
      case SHORT -> Opcode.SALOAD;
      case CHAR -> Opcode.CALOAD;
      case INT -> Opcode.IALOAD;
      case LONG -> Opcode.LALOAD;
      case FLOAT -> Opcode.FALOAD;
      case DOUBLE -> Opcode.DALOAD;
      case REFERENCE, VOID -> throw new Unfit();
    };
  }

  private void store(TypeKind storage) {
    Op value = stack.pop();
    Op index = stack.pop();
    Op array = stack.pop();
    OptionalLong stride = stride(index);
    if (stride.isEmpty() || stride.getAsLong() != 1 || rejoins != null) {
      throw new Unfit();
    }
    Op held =
        isNarrow(storage)
            ? new Op(Op.Kind.NARROWED, storage, ImmutableList.of(value), null, -1, storage, true)
            : value;
    stored.add(new Stored(array.local, index, held, storage));
  }

  // ---- what replaces a value where a mask holds

  private void jump(BranchInstruction jump) {
    if (jump.opcode() != Opcode.IFEQ || rejoins != null) {
      throw new Unfit();
    }
    mask = stack.pop();
    rejoins = jump.target();
    before = new HashMap<>(locals);
  }

  private void rejoin(Label label) {
    if (!label.equals(rejoins)) {
      throw new Unfit();
    }
    rejoins = null;
    Op otherwise = before.get(lastSet);
    Op call = locals.get(lastSet);
    if (otherwise == null || call == null || !(call.element instanceof InvokeInstruction)) {
      throw new Unfit();
    }
    ImmutableList<Op> inputs =
        ImmutableList.<Op>builder()
            .add(requireNonNull(mask), otherwise)
            .addAll(call.inputs)
            .build();
    locals.clear();
    locals.putAll(before);
    locals.put(
        lastSet, new Op(Op.Kind.REPLACED, call.type, inputs, call.element, -1, call.type, true));
  }

  // ---- indices

  /** By how much a value grows with each turn; empty if not by the same. */
  static OptionalLong stride(Op op) {
    switch (op.kind) {
      case CONSTANT, INVARIANT -> {
        return OptionalLong.of(0);
      }
      case COUNT -> {
        return OptionalLong.of(1);
      }
      case APPLY -> {
        return strideOfOperator(op);
      }
      default -> {
        return OptionalLong.empty();
      }
    }
  }

  private static OptionalLong strideOfOperator(Op op) {
    List<OptionalLong> strides = op.inputs.stream().map(LoopGraph::stride).toList();
    if (strides.stream().anyMatch(OptionalLong::isEmpty)) {
      return OptionalLong.empty();
    } else if (strides.stream().allMatch(stride -> stride.getAsLong() == 0)) {
      return OptionalLong.of(0);
    }
    if (!(op.element instanceof OperatorInstruction operator)) {
      return OptionalLong.empty();
    }
    return switch (operator.opcode()) {
      case IADD -> OptionalLong.of(strides.get(0).getAsLong() + strides.get(1).getAsLong());
      case ISUB -> OptionalLong.of(strides.get(0).getAsLong() - strides.get(1).getAsLong());
      case IMUL -> product(op, strides);
      default -> OptionalLong.empty();
    };
  }

  private static OptionalLong product(Op op, List<OptionalLong> strides) {
    for (int i = 0; i < 2; i++) {
      if (op.inputs.get(i).element instanceof ConstantInstruction constant
          && constant.constantValue() instanceof Integer factor) {
        return OptionalLong.of(strides.get(1 - i).getAsLong() * factor);
      }
    }
    return OptionalLong.empty();
  }
}
