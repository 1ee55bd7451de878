package org.hlo4j.interpreter.engine.sizes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;

/** The instructions of a computation that is being written. */
final class ComputationBuilder {
  private final Computations computations;
  private final List<HloInstruction> written = new ArrayList<>();

  ComputationBuilder(Computations computations) {
    this.computations = computations;
  }

  /** Returns the instructions so far. */
  List<HloInstruction> written() {
    return written;
  }

  HloInstruction add(HloInstruction instruction) {
    written.add(instruction);
    return instruction;
  }

  /** Adds an instruction of an inferred shape. */
  HloInstruction add(String name, Op op, HloInstruction... operands) {
    return add(name, op, ImmutableList.copyOf(operands), ImmutableList.of());
  }

  /** Adds an instruction of an inferred shape that calls computations. */
  HloInstruction add(
      String name, Op op, List<HloInstruction> operands, List<HloComputation> called) {
    return add(
        HloInstruction.create(
            computations.unique(name),
            op,
            operands,
            called,
            op.infer(HloInstruction.inputs(operands, called)),
            Metadata.NONE));
  }

  HloInstruction constant(String name, Literal literal) {
    return add(name, new Constant(literal));
  }

  HloInstruction element(HloInstruction tuple, int index) {
    return add(tuple.name() + "." + index, new GetTupleElement(index), tuple);
  }

  HloComputation build(String name, HloInstruction root) {
    return HloComputation.create(computations.unique(name), written, root);
  }
}
