package org.hlo4j.interpreter.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The check of one step by a kernel: it allocates each array of its result that is not forwarded
 * exactly once, in order, and nothing else, and gives these arrays in its result; and it works in
 * place of an operand only if it has said that it can.
 */
final class StepCheck {
  private record Allocation(Shape.Array shape, Object storage) {}

  private final HloInstruction instruction;
  private final Kernel kernel;
  private final Literal[] operands;
  private final List<Allocation> allocations = new ArrayList<>();
  private long reserved;

  StepCheck(HloInstruction instruction, Kernel kernel, Literal[] operands) {
    this.instruction = instruction;
    this.kernel = kernel;
    this.operands = operands;
  }

  /**
   * Notes storage that the kernel is given, and fills it with garbage unless it is an operand's.
   */
  void allocated(Shape.Array shape, Object storage) {
    allocations.add(new Allocation(BufferPlan.storageShape(shape), storage));
    boolean isOperand = false;
    for (int i = 0; i < operands.length; i++) {
      if (holds(operands[i], storage)) {
        isOperand = true;
        require(kernel.canReuseOperandBuffer(i), "is given the storage of operand " + i);
      }
    }
    if (!isOperand) {
      CheckMode.poison(storage);
    }
  }

  private static boolean holds(Literal operand, Object storage) {
    return operand.arrays().stream()
        .anyMatch(leaf -> !leaf.isElided() && leaf.unsafeStorage() == storage);
  }

  /** Notes that the kernel needs memory beside its result, of any thread. */
  synchronized void reserved(long bytes) {
    reserved += bytes;
    long most = PeakMemory.workspace(instruction);
    require(reserved <= most, "needs " + reserved + " bytes beside its result, more than " + most);
  }

  /** Notes that it has let go of them. */
  synchronized void unreserved(long bytes) {
    reserved -= bytes;
  }

  /** Compares the allocations with the arrays of the result. */
  void end(Literal result) {
    List<Literal> arrays = result.arrays();
    List<Literal> given = Arrays.stream(operands).flatMap(o -> o.arrays().stream()).toList();
    int next = 0;
    for (int i = 0; i < arrays.size(); i++) {
      Object storage = arrays.get(i).unsafeStorage();
      int forwarded = kernel.forwardedOperand(i);
      if (forwarded >= 0) {
        require(given.get(forwarded).unsafeStorage() == storage, "does not forward array " + i);
      } else {
        require(
            next < allocations.size() && allocations.get(next).storage == storage,
            "has array " + i + " of its result not in allocation " + next);
        require(
            allocations.get(next).shape.equals(BufferPlan.storageShape(arrays.get(i).arrayShape())),
            "has allocated another shape for array " + i);
        next++;
      }
    }
    require(next == allocations.size(), "has allocated more than its result");
  }

  /** Throws if an array of a value is also one of the operands. */
  static void requireOwnStorage(HloInstruction instruction, List<Literal> operands, Literal value) {
    for (Literal array : value.arrays()) {
      if (operands.stream().anyMatch(operand -> holds(operand, array.unsafeStorage()))) {
        throw new AssertionError("the reference gives an operand as the result of " + instruction);
      }
    }
  }

  private void require(boolean holds, String mistake) {
    if (!holds) {
      throw new AssertionError(
          kernel.describe()
              + " ("
              + kernel.getClass().getName()
              + ") of "
              + instruction
              + " "
              + mistake
              + "; allocated "
              + allocations.stream().map(Allocation::shape).toList());
    }
  }
}
