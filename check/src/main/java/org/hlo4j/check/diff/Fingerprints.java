package org.hlo4j.check.diff;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;

/** Hash codes of what instructions compute, whatever they and their operands are called. */
final class Fingerprints {
  /** What of an instruction counts. */
  enum Detail {
    /** The op with its attributes, the shape with its layout, and all operands. */
    ALL,
    /** The opcode, the shape without layout, and all operands. */
    SHAPES,
    /** The opcode and the shape without layout. */
    ALONE
  }

  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private final Detail detail;
  private final IdentityHashMap<HloInstruction, Long> known = new IdentityHashMap<>();
  private final IdentityHashMap<HloComputation, Long> computations = new IdentityHashMap<>();

  Fingerprints(Detail detail) {
    this.detail = detail;
  }

  /** Returns the fingerprint of an instruction; its operands have to be asked for before. */
  long of(HloInstruction instruction) {
    Long found = known.get(instruction);
    if (found != null) {
      return found;
    }
    Shape shape = detail == Detail.ALL ? instruction.shape() : instruction.shape().withoutLayout();
    long hash = Objects.hash(instruction.op().opcode(), shape.toString());
    if (detail == Detail.ALL) {
      hash = mixed(hash, opHash(instruction));
      for (HloComputation called : instruction.called()) {
        hash = mixed(hash, of(called));
      }
    }
    if (detail != Detail.ALONE) {
      List<HloInstruction> operands = instruction.operands();
      if (isCommutative(instruction)) {
        hash = mixed(hash, of(operands.get(0)) + of(operands.get(1)));
      } else {
        for (HloInstruction operand : operands) {
          hash = mixed(hash, of(operand));
        }
      }
    }
    known.put(instruction, hash);
    return hash;
  }

  /** Returns whether the two operands may be in either order. */
  static boolean isCommutative(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Elementwise op ->
          switch (op.kind()) {
            case ADD, MULTIPLY, MAXIMUM, MINIMUM, AND, OR, XOR, MULHI -> true;
            default -> false;
          };
      case Compare op ->
          op.direction() == Compare.Direction.EQ || op.direction() == Compare.Direction.NE;
      default -> false;
    };
  }

  private static long opHash(HloInstruction instruction) {
    return instruction.op() instanceof Constant constant
        ? constant.literal().hashCode()
        : instruction.op().hashCode();
  }

  /** Returns the fingerprint of a computation. */
  long of(HloComputation computation) {
    Long found = computations.get(computation);
    if (found != null) {
      return found;
    }
    long hash = 1;
    for (HloInstruction instruction : computation.instructions()) {
      hash = mixed(hash, of(instruction));
    }
    hash = mixed(hash, of(computation.root()));
    computations.put(computation, hash);
    return hash;
  }

  private static long mixed(long hash, long next) {
    long mixed = (hash ^ next) * PRIME;
    return Long.rotateLeft(mixed, 29) + hash * 31;
  }
}
