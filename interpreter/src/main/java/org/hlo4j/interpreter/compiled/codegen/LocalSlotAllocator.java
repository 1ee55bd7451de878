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
 * Numbers local variables anew: those first that are set in no loop, then those of outer loops.
 * When C2 asks what a loop changes, it knows of the first 63 only, and takes all others to be
 * changed: of an array among these it checks each access, and makes no vectors.
 */
final class LocalSlotAllocator {
  /** So many local variables need no order. */
  static final int KNOWN = 63;

  private record Local(int slot, TypeKind kind) {}

  private LocalSlotAllocator() {}

  /** Orders the local variables of the methods that have more than are known. */
  static ClassTransform transform() {
    return ClassTransform.transformingMethods(LocalSlotAllocator::hasMany, ofMethod());
  }

  /** Whether a method has more local variables than are known. */
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

  /** How many slots the object, if there is one, and the parameters take. */
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

  /** The new numbers of all local variables but the parameters. */
  private static Map<Integer, Integer> numbers(List<CodeElement> elements, int parameters) {
    int[] depths = depths(elements);
    Map<Local, Integer> locals = new TreeMap<>(Comparator.comparingInt(Local::slot));
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i) instanceof StoreInstruction store && store.slot() >= parameters) {
        locals.merge(new Local(store.slot(), store.typeKind()), depths[i], Math::max);
      } else if (elements.get(i) instanceof IncrementInstruction increment
          && increment.slot() >= parameters) {
        locals.merge(new Local(increment.slot(), TypeKind.INT), depths[i], Math::max);
      }
    }
    Map<Integer, Integer> numbers = new HashMap<>();
    int[] next = {parameters};
    locals.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .forEach(local -> {
          numbers.put(local.slot(), next[0]);
          next[0] += local.kind().slotSize();
        });
    return numbers;
  }

  /** In how many loops each element is: from where a jump back goes to, to the last such jump. */
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
