package org.hlo4j.interpreter.compiled.fission;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
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
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The data flow graph of a loop body, built from its bytecode: what an iteration computes and
 * stores.
 */
final class LoopGraph {
  /**
   * A store to an array.
   *
   * @param array the local variable of the array
   * @param index the index in the array
   * @param value the stored value
   * @param storage the element type of the array
   */
  record ArrayStore(int array, FissionNode index, FissionNode value, TypeKind storage) {}

  private static final ImmutableSet<String> BITS =
      ImmutableSet.of(
          "floatToRawIntBits", "intBitsToFloat", "doubleToRawLongBits", "longBitsToDouble");

  /** The methods that C2 vectorizes. */
  private static final ImmutableSet<String> VECTORIZED_METHODS =
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
  private final Set<Integer> assignedSlots = new HashSet<>();
  private final Map<Integer, FissionNode> locals = new HashMap<>();
  private final Deque<FissionNode> stack = new ArrayDeque<>();
  private final Map<List<Object>, FissionNode> interned = new HashMap<>();

  /** The indices at which arrays are read, by the local variables of the arrays. */
  private final SetMultimap<Integer, FissionNode> loaded = HashMultimap.create();

  /** The last store to each array, by the local variable of the array. */
  private final Map<Integer, ArrayStore> stored = new LinkedHashMap<>();

  private @Nullable Label joinLabel;
  private @Nullable FissionNode mask;
  private Map<Integer, FissionNode> localsBeforeBranch = Map.of();
  private int lastAssigned;

  /** Whether an instruction was found that does not allow fission. */
  private boolean isUnsupported;

  private LoopGraph(int counter) {
    this.counter = counter;
  }

  /**
   * Returns the stores of a loop body.
   *
   * @param body its code, without the test and the increment of the counter
   * @param counter the local variable of the loop counter
   * @param end the local variable of the end of the iterations
   * @return the stores; empty if iterations depend on each other, or the code is of another kind
   */
  static Optional<ImmutableList<ArrayStore>> of(List<CodeElement> body, int counter, int end) {
    LoopGraph graph = new LoopGraph(counter);
    for (CodeElement element : body) {
      if (element instanceof StoreInstruction store) {
        graph.assignedSlots.add(store.slot());
      }
    }
    if (graph.assignedSlots.contains(counter) || graph.assignedSlots.contains(end)) {
      return Optional.empty();
    }
    for (CodeElement element : body) {
      graph.read(element);
      if (graph.isUnsupported) {
        return Optional.empty();
      }
    }
    return graph.stack.isEmpty() && graph.joinLabel == null
        ? Optional.of(ImmutableList.copyOf(graph.stored.values()))
        : Optional.empty();
  }

  private void read(CodeElement element) {
    switch (element) {
      case LoadInstruction load -> stack.push(local(load.slot(), load.typeKind()));
      case StoreInstruction store -> {
        locals.put(store.slot(), stack.pop());
        lastAssigned = store.slot();
      }
      case ConstantInstruction constant ->
          stack.push(
              intern(
                  List.of("constant", constant.constantValue()),
                  () -> FissionNode.constant(constant)));
      case OperatorInstruction operator -> {
        int count = isUnary(operator.opcode()) ? 1 : 2;
        apply(operator.opcode(), type(operator), operator, count, false);
      }
      case ConvertInstruction convert ->
          apply(convert.opcode(), convert.toType().asLoadable(), convert, 1, false);
      case InvokeInstruction call -> call(call);
      case ArrayLoadInstruction load -> load(load);
      case ArrayStoreInstruction store -> store(store.typeKind());
      case BranchInstruction jump -> jump(jump);
      case LabelTarget target -> rejoin(target.label());
      case PseudoInstruction nothing -> {}
      default -> isUnsupported = true;
    }
  }

  private FissionNode local(int slot, TypeKind type) {
    FissionNode value = locals.get(slot);
    if (value != null) {
      return value;
    } else if (slot == counter) {
      return intern(List.of("count"), () -> FissionNode.count(slot));
    } else if (assignedSlots.contains(slot)) {
      isUnsupported = true;
    }
    return intern(List.of("local", slot), () -> FissionNode.invariant(type, slot));
  }

  /** Returns the node for a key. Equal computations share one node. */
  private FissionNode intern(List<Object> key, Supplier<FissionNode> making) {
    return interned.computeIfAbsent(key, _ -> making.get());
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

  private FissionNode[] pop(int count) {
    FissionNode[] operands = new FissionNode[count];
    for (int i = count - 1; i >= 0; i--) {
      operands[i] = stack.pop();
    }
    return operands;
  }

  private void apply(
      Object what, TypeKind type, CodeElement element, int count, boolean blocksVectorization) {
    List<FissionNode> operands = List.of(pop(count));
    stack.push(
        intern(
            List.of(what, operands),
            () -> FissionNode.apply(type, operands, element, blocksVectorization)));
  }

  private void call(InvokeInstruction call) {
    if (call.opcode() != Opcode.INVOKESTATIC) {
      isUnsupported = true;
      return;
    }
    MethodTypeDesc descriptor = call.typeSymbol();
    TypeKind type = TypeKind.from(descriptor.returnType()).asLoadable();
    String name = call.name().stringValue();
    if (BITS.contains(name)) {
      FissionNode of = stack.pop();
      stack.push(
          of.kind == FissionNode.Kind.BITS
              ? of.inputs.get(0)
              : intern(List.of(name, of), () -> FissionNode.bits(type, of, call)));
      return;
    }
    String whole = call.owner().asInternalName() + "." + name;
    List<Object> what = List.of(whole, descriptor);
    apply(what, type, call, descriptor.parameterCount(), !VECTORIZED_METHODS.contains(whole));
  }

  // ---- arrays

  private static boolean isNarrow(TypeKind storage) {
    return storage != storage.asLoadable();
  }

  private static boolean isContiguous(FissionNode index) {
    return index.stride.equals(OptionalLong.of(1));
  }

  private void load(ArrayLoadInstruction instruction) {
    TypeKind storage = instruction.typeKind();
    if (storage == TypeKind.REFERENCE) {
      isUnsupported = true;
      return;
    }
    FissionNode index = stack.pop();
    int array = stack.pop().local;
    loaded.put(array, index);
    ArrayStore before = stored.get(array);
    if (before != null) {
      isUnsupported |= before.index() != index || isNarrow(storage);
      stack.push(before.value());
      return;
    } else if (!isContiguous(index)) {
      FissionNode held =
          intern(List.of("array", array, storage), () -> FissionNode.array(storage, array));
      stack.push(FissionNode.element(storage, held, index, instruction));
      return;
    }
    FissionNode load =
        intern(List.of("load", array, index), () -> FissionNode.load(storage, array, index));
    stack.push(
        isNarrow(storage)
            ? intern(List.of("widened", load), () -> FissionNode.widened(load))
            : load);
  }

  /**
   * Reads a store. An array that is stored to may be read, and stored to again, at the same index
   * only. Then it makes no difference that, after fission, all iterations of a strip read before
   * any of them stores, and that only the last store takes place.
   */
  private void store(TypeKind storage) {
    FissionNode value = stack.pop();
    FissionNode index = stack.pop();
    int array = stack.pop().local;
    ArrayStore before = stored.get(array);
    if (!isContiguous(index)
        || joinLabel != null
        || (before != null && before.index() != index)
        || !loaded.get(array).stream().allMatch(index::equals)) {
      isUnsupported = true;
      return;
    }
    FissionNode held = isNarrow(storage) ? FissionNode.narrowed(storage, value) : value;
    stored.put(array, new ArrayStore(array, index, held, storage));
  }

  // ---- calls under a mask

  private void jump(BranchInstruction jump) {
    if (jump.opcode() != Opcode.IFEQ || joinLabel != null) {
      isUnsupported = true;
      return;
    }
    mask = stack.pop();
    joinLabel = jump.target();
    localsBeforeBranch = new HashMap<>(locals);
  }

  private void rejoin(Label label) {
    if (!label.equals(joinLabel)) {
      isUnsupported = true;
      return;
    }
    joinLabel = null;
    FissionNode otherwise = localsBeforeBranch.get(lastAssigned);
    FissionNode call = locals.get(lastAssigned);
    if (otherwise == null || call == null || !(call.element instanceof InvokeInstruction)) {
      isUnsupported = true;
      return;
    }
    locals.clear();
    locals.putAll(localsBeforeBranch);
    locals.put(lastAssigned, FissionNode.replaced(requireNonNull(mask), otherwise, call));
  }
}
