package org.hlo4j.interpreter.compiled.strips;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cuts loops over single elements into several over strips. C2 makes vectors of short loops only,
 * and not where bits of floats are integers or methods are called: what it can do is parted from
 * what it cannot, and bits are copied from array to array.
 */
public final class Strips {
  /** Fewer elements are not worth it. */
  public static final int LEAST = 64;

  /**
   * An innermost loop.
   *
   * @param first the number of its first element, a label
   * @param last that of the jump back
   * @param counter the local variable that counts
   * @param end that of where it ends
   */
  private record Loop(int first, int last, int counter, int end, Schedule schedule) {}

  private Strips() {}

  /** The class with its loops cut; empty if none is worth it. */
  public static Optional<byte[]> cut(ClassFile classFile, ClassModel model) {
    try {
      return cutAll(classFile, model);
    } catch (Unfit oneLoop) {
      return Optional.empty();
    }
  }

  private static Optional<byte[]> cutAll(ClassFile classFile, ClassModel model) {
    ClassDesc self = model.thisClass().asSymbol();
    List<Schedule> schedules = new ArrayList<>();
    byte[] bytes =
        classFile.transformClass(
            model,
            ClassTransform.transformingMethods(
                    (method, element) -> {
                      List<Loop> loops =
                          element instanceof CodeModel code ? loops(code.elementList()) : List.of();
                      if (element instanceof CodeAttribute code && !loops.isEmpty()) {
                        method.withCode(builder -> write(builder, self, code, loops));
                        loops.forEach(loop -> schedules.add(loop.schedule()));
                      } else {
                        method.with(element);
                      }
                    })
                .andThen(ClassTransform.endHandler(builder -> writeParts(builder, schedules))));
    return schedules.isEmpty() ? Optional.empty() : Optional.of(bytes);
  }

  private static void writeParts(ClassBuilder builder, List<Schedule> schedules) {
    for (int loop = 0; loop < schedules.size(); loop++) {
      Schedule schedule = schedules.get(loop);
      for (int part = 0; part < schedule.parts.size(); part++) {
        PartWriter writer = new PartWriter(schedule, schedule.parts.get(part));
        builder.withMethodBody(
            name(loop) + part,
            writer.type(),
            ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC,
            writer::write);
      }
    }
  }

  private static String name(int loop) {
    return "loop" + loop + "part";
  }

  private static void write(
      CodeBuilder builder, ClassDesc self, CodeAttribute code, List<Loop> loops) {
    List<CodeElement> elements = code.elementList();
    int prologueEnd = lastJump(elements);
    List<StripWriter> writers = new ArrayList<>();
    int firstLocal = code.maxLocals();
    int done = 0;
    for (Loop loop : loops) {
      elements.subList(done, loop.first()).forEach(builder::with);
      StripWriter writer =
          new StripWriter(builder, self, loop.schedule(), loop.counter(), loop.end(), firstLocal);
      writer.write(name(writers.size()));
      writers.add(writer);
      firstLocal = writer.nextLocal();
      done = loop.last() + 1;
    }
    elements.subList(done, prologueEnd).forEach(builder::with);
    writers.forEach(StripWriter::writeArrays);
    elements.subList(prologueEnd, elements.size()).forEach(builder::with);
  }

  /** The jump from behind the prologue to the start. */
  private static int lastJump(List<CodeElement> elements) {
    int last = -1;
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i) instanceof BranchInstruction jump && jump.opcode() == Opcode.GOTO) {
        last = i;
      }
    }
    return last;
  }

  private static List<Loop> loops(List<CodeElement> elements) {
    Map<Label, Integer> heads = new HashMap<>();
    List<Loop> found = new ArrayList<>();
    int lastHead = -1;
    int prologue = lastJump(elements);
    for (int i = 0; i < prologue; i++) {
      if (elements.get(i) instanceof LabelTarget target) {
        heads.put(target.label(), i);
      } else if (elements.get(i) instanceof BranchInstruction jump
          && heads.containsKey(jump.target())) {
        int head = heads.get(jump.target());
        if (head > lastHead) {
          loop(elements, head, i).ifPresent(found::add);
        }
        lastHead = Math.max(lastHead, head);
      }
    }
    return found;
  }

  private static Optional<Loop> loop(List<CodeElement> elements, int first, int last) {
    if (last - first < 6
        || !(elements.get(first + 1) instanceof LoadInstruction counter)
        || !(elements.get(first + 2) instanceof LoadInstruction end)
        || !(elements.get(first + 3) instanceof BranchInstruction test)
        || test.opcode() != Opcode.IF_ICMPGE
        || !(elements.get(last - 1) instanceof IncrementInstruction step)
        || step.slot() != counter.slot()
        || step.constant() != 1) {
      return Optional.empty();
    }
    try {
      List<CodeElement> body = elements.subList(first + 4, last - 1);
      Schedule schedule = new Schedule(LoopGraph.of(body, counter.slot()));
      return schedule.isWorthwhile()
          ? Optional.of(new Loop(first, last, counter.slot(), end.slot(), schedule))
          : Optional.empty();
    } catch (Unfit oneLoop) {
      return Optional.empty();
    }
  }
}
