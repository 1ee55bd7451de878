package org.hlo4j.hlo.proto;

import com.google.common.collect.Lists;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.While;

/**
 * A writer of instructions to protocol buffers.
 *
 * @param ids the id of each instruction
 * @param names the id of each instruction of the computation, by name
 * @param computations the id of each computation
 */
record InstructionWriter(
    Map<HloInstruction, Long> ids,
    Map<String, Long> names,
    Map<HloComputation, Long> computations) {
  ProtoBuilder write(HloInstruction instruction) {
    ProtoBuilder message = withoutLiteral(instruction);
    if (instruction.op() instanceof Constant constant && !isLeftOut(constant.literal())) {
      Shape shape = instruction.shape();
      boolean same = shape.withoutLayout().equals(constant.literal().shape());
      message.put(
          "literal", Literals.write(constant.literal(), same ? shape : constant.literal().shape()));
    }
    return Residue.restore(message, instruction.unknownFields());
  }

  /** Returns whether the value of a constant is unknown; then it has no literal in the file. */
  private static boolean isLeftOut(Literal literal) {
    return literal.isElided()
        || (!literal.elements().isEmpty()
            && literal.elements().stream().allMatch(InstructionWriter::isLeftOut));
  }

  /** Writes an instruction without the value of a constant. */
  ProtoBuilder withoutLiteral(HloInstruction instruction) {
    ProtoBuilder message =
        ProtoBuilder.of("HloInstructionProto")
            .put("name", instruction.name())
            .put("opcode", instruction.op().opcode())
            .put("shape", Shapes.write(instruction.shape()));
    if (!instruction.metadata().equals(Metadata.NONE)) {
      message.put("metadata", MetadataFields.write(instruction.metadata()));
    }
    OpFields.write(message, instruction.op());
    if (instruction.op() instanceof Compare compare && compare.type().isEmpty()) {
      OpReader.defaultType(instruction.operands())
          .ifPresent(type -> message.put("comparison_type", type.toString()));
    }
    message.put("id", ids.getOrDefault(instruction, 0L));
    message.put("operand_ids", idsOf(instruction.operands(), ids));
    message.put("called_computation_ids", idsOf(called(instruction), computations));
    instruction
        .sharding()
        .ifPresent(sharding -> message.put("sharding", Shardings.write(sharding)));
    InstructionAttributes.write(message, instruction.attributes(), names);
    return message;
  }

  private static <T> Dims idsOf(List<T> nodes, Map<T, Long> ids) {
    return Dims.of(nodes.stream().mapToLong(node -> ids.getOrDefault(node, 0L)).toArray());
  }

  /**
   * Returns the called computations. A loop has its body first in the file, but its condition first
   * in HLO text.
   */
  private static List<HloComputation> called(HloInstruction instruction) {
    return instruction.op() instanceof While
        ? Lists.reverse(instruction.called())
        : instruction.called();
  }
}
