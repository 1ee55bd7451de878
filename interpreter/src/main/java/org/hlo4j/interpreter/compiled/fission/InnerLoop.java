package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A loop in a method's bytecode that contains no other loop, and for which fission pays.
 *
 * @param first the index of its first element, a label
 * @param last the index of the jump back
 * @param counter the local variable of the loop counter
 * @param end the local variable of the end of the iterations
 * @param schedule the loops that replace it
 */
record InnerLoop(int first, int last, int counter, int end, FissionSchedule schedule) {
  /** Returns the loops of a method, in order. */
  static ImmutableList<InnerLoop> of(List<CodeElement> elements) {
    Map<Label, Integer> heads = new HashMap<>();
    List<InnerLoop> found = new ArrayList<>();
    int lastHead = -1;
    int prologue = jumpToStart(elements);
    for (int i = 0; i < prologue; i++) {
      if (elements.get(i) instanceof LabelTarget target) {
        heads.put(target.label(), i);
      } else if (elements.get(i) instanceof BranchInstruction jump
          && heads.containsKey(jump.target())) {
        int head = heads.get(jump.target());
        if (head > lastHead) {
          match(elements, head, i).ifPresent(found::add);
        }
        lastHead = Math.max(lastHead, head);
      }
    }
    return ImmutableList.copyOf(found);
  }

  /**
   * Returns the index of the jump from the end of the prologue, which is the end of the code, to
   * the start; -1 if there is no prologue.
   */
  static int jumpToStart(List<CodeElement> elements) {
    for (int i = elements.size() - 1; i >= 0; i--) {
      if (elements.get(i) instanceof Instruction last) {
        return last.opcode() == Opcode.GOTO ? i : -1;
      }
    }
    return -1;
  }

  private static Optional<InnerLoop> match(List<CodeElement> elements, int first, int last) {
    if (last - first < 6
        || last + 1 == elements.size()
        || !(elements.get(first + 1) instanceof LoadInstruction counter)
        || !(elements.get(first + 2) instanceof LoadInstruction end)
        || !(elements.get(first + 3) instanceof BranchInstruction test)
        || test.opcode() != Opcode.IF_ICMPGE
        || !(elements.get(last + 1) instanceof LabelTarget exit)
        || !exit.label().equals(test.target())
        || ((BranchInstruction) elements.get(last)).opcode() != Opcode.GOTO
        || !(elements.get(last - 1) instanceof IncrementInstruction step)
        || step.slot() != counter.slot()
        || step.constant() != 1) {
      return Optional.empty();
    }
    List<CodeElement> body = elements.subList(first + 4, last - 1);
    return LoopGraph.of(body, counter.slot(), end.slot())
        .map(FissionSchedule::new)
        .filter(FissionSchedule::isPossible)
        .filter(FissionSchedule::isWorthwhile)
        .map(schedule -> new InnerLoop(first, last, counter.slot(), end.slot(), schedule));
  }
}
