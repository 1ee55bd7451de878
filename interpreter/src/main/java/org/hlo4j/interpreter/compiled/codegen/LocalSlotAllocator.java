package org.hlo4j.interpreter.compiled.codegen;

import static java.util.Objects.requireNonNull;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.reflect.AccessFlag;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The renumbering of the local variables of a method: those that no loop assigns come first, then
 * those of outer loops, then those of inner loops. C2 tracks only the first 63 local variables when
 * it determines what a loop changes, and assumes that all others change. If an array is among
 * these, C2 checks each access to it, and does not vectorize the loop.
 */
final class LocalSlotAllocator {
  /** The number of local variables that C2 tracks. Methods with no more need no renumbering. */
  static final int KNOWN = 63;

  /**
   * A local variable.
   *
   * @param size the most slots that it takes: it may hold values of several kinds in turn
   * @param depth the depth of the innermost loop that assigns it
   */
  private record Local(int slot, int size, int depth) {
    Local and(Local other) {
      return new Local(slot, Math.max(size, other.size), Math.max(depth, other.depth));
    }
  }

  private LocalSlotAllocator() {}

  /** Returns a transform that renumbers the local variables of methods that have too many. */
  static ClassTransform transform() {
    return ClassTransform.transformingMethods(LocalSlotAllocator::hasMany, ofMethod());
  }

  /** Returns whether a method has more local variables than C2 tracks. */
  static boolean hasMany(MethodModel method) {
    return method
        .findAttribute(Attributes.code())
        .filter(code -> code.maxLocals() > KNOWN)
        .isPresent();
  }

  private static MethodTransform ofMethod() {
    return (method, element) -> {
      if (element instanceof CodeModel code) {
        int parameters = parameters(code.parent().orElseThrow());
        method.withCode(builder -> write(code.elementList(), parameters, builder));
      } else {
        method.with(element);
      }
    };
  }

  /** Returns the number of slots of the parameters, including the receiver if there is one. */
  private static int parameters(MethodModel method) {
    int self = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
    return self
        + method.methodTypeSymbol().parameterList().stream()
            .mapToInt(parameter -> TypeKind.from(parameter).slotSize())
            .sum();
  }

  private static void write(List<CodeElement> elements, int parameters, CodeBuilder builder) {
    Map<Integer, Integer> numbers = numbers(elements, parameters);
    for (CodeElement element : elements) {
      switch (element) {
        case StoreInstruction store ->
            builder.storeLocal(store.typeKind(), number(numbers, store.slot()));
        case LoadInstruction load ->
            builder.loadLocal(load.typeKind(), number(numbers, load.slot()));
        case IncrementInstruction increment ->
            builder.iinc(number(numbers, increment.slot()), increment.constant());
        default -> builder.with(element);
      }
    }
  }

  private static int number(Map<Integer, Integer> numbers, int slot) {
    return numbers.getOrDefault(slot, slot);
  }

  /** Returns the new numbers of all local variables except parameters. */
  private static Map<Integer, Integer> numbers(List<CodeElement> elements, int parameters) {
    int[] depths = depths(elements);
    Map<Integer, Local> locals = new TreeMap<>();
    for (int i = 0; i < elements.size(); i++) {
      Local local =
          switch (elements.get(i)) {
            case StoreInstruction store ->
                new Local(store.slot(), store.typeKind().slotSize(), depths[i]);
            case IncrementInstruction increment ->
                new Local(increment.slot(), TypeKind.INT.slotSize(), depths[i]);
            default -> null;
          };
      if (local != null && local.slot() >= parameters) {
        locals.merge(local.slot(), local, Local::and);
      }
    }
    Map<Integer, Integer> numbers = new HashMap<>();
    int[] next = {parameters};
    locals.values().stream()
        .sorted(Comparator.comparingInt(Local::depth))
        .forEach(local -> {
          numbers.put(local.slot(), next[0]);
          next[0] += local.size();
        });
    return numbers;
  }

  /**
   * Returns the loop depth of each element. A loop extends from the target of a backward jump to
   * the last such jump.
   */
  private static int[] depths(List<CodeElement> elements) {
    Map<Label, Integer> heads = new HashMap<>();
    Map<Integer, Integer> ends = new HashMap<>();
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i) instanceof LabelTarget target) {
        heads.put(target.label(), i);
      } else if (elements.get(i) instanceof BranchInstruction jump
          && heads.containsKey(jump.target())) {
        ends.put(requireNonNull(heads.get(jump.target())), i);
      }
    }
    int[] depths = new int[elements.size()];
    ends.forEach((head, end) -> {
      for (int i = head; i < end; i++) {
        depths[i]++;
      }
    });
    return depths;
  }
}
