package org.hlo4j.hlo.proto;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.source.ReadLimits;

/** A reader of one computation of a module in protocol buffers. */
final class ComputationReader {
  private static final ImmutableSet<String> APART =
      ImmutableSet.of("instructions", "root_id", "is_fusion_computation");

  private static final ImmutableSet<String> INSTRUCTION_APART =
      ImmutableSet.of(
          "operand_ids", "control_predecessor_ids", "called_computation_ids", "literal");

  private final ProtoMessage message;
  private final Map<Long, HloComputation> computations;
  private final Optional<ProtoMessage> order;
  private final Map<Long, ProtoMessage> messages = new LinkedHashMap<>();
  private final Map<Long, HloInstruction> instructions = new LinkedHashMap<>();
  private final Supplier<Map<String, Long>> idsByName = Suppliers.memoize(this::idsByName);

  /**
   * Creates a reader of a computation.
   *
   * @param computations the computations that may be called
   * @param order the ids of the instructions in the order of their execution, if there is one
   */
  ComputationReader(
      ProtoMessage message, Map<Long, HloComputation> computations, Optional<ProtoMessage> order) {
    this.message = message;
    this.computations = computations;
    this.order = order;
  }

  HloComputation read() {
    message.limits().take(ReadLimits.INSTRUCTION * message.count("instructions"));
    for (ProtoMessage instruction : message.messages("instructions")) {
      long id = instruction.integer("id");
      if (messages.put(id, instruction) != null) {
        throw instruction.refusal("id", "got " + id + " twice, want it once");
      }
    }
    for (long id : order.map(this::checkedOrder).orElseGet(this::orderOfTheFile)) {
      ReadLimits.checkInterrupt("file");
      instructions.put(id, instruction(known(messages, id, message, "instructions")));
    }
    HloInstruction root = known(instructions, message.integer("root_id"), message, "root_id");
    HloComputation computation =
        HloComputation.create(
            message.string("name"),
            ImmutableList.copyOf(instructions.values()),
            root,
            message.string("execution_thread"));
    return computation.withUnknownFields(
        Residue.of(message, ModuleWriter.withoutInstructions(computation), APART));
  }

  private long[] orderOfTheFile() {
    return messages.keySet().stream().mapToLong(id -> id).toArray();
  }

  private long[] checkedOrder(ProtoMessage sequence) {
    long[] ids = sequence.integers("instruction_ids");
    if (ids.length != messages.size()) {
      throw sequence.refusal(
          "instruction_ids",
          "got "
              + ids.length
              + " instructions, want "
              + messages.size()
              + " as in "
              + message.string("name"));
    }
    return ids;
  }

  private static <T> T known(Map<Long, T> known, long id, ProtoMessage message, String field) {
    return Optional.ofNullable(known.get(id))
        .orElseThrow(() ->
            message.refusal(field, "got " + id + ", want one of " + ModuleReader.shortened(known)));
  }

  private HloInstruction instruction(ProtoMessage from) {
    Shape written = Shapes.read(from.messageOrEmpty("shape"));
    Shape shape =
        from.string("opcode").equals("constant")
            ? from.located(() -> written.mapArrays(Shape.Array::withStaticSizes))
            : written;
    ImmutableList<HloInstruction> operands = operands(from);
    ImmutableList<HloComputation> called = called(from);
    Op op = new OpReader(from, shape, operands, called).read();
    HloInstruction instruction =
        HloInstruction.create(
                from.string("name"),
                op,
                operands,
                called,
                shape,
                from.message("metadata").map(MetadataFields::read).orElse(Metadata.NONE),
                InstructionAttributes.read(from, this::name))
            .withSharding(from.message("sharding").map(Shardings::read));
    return instruction.withUnknownFields(residue(from, instruction));
  }

  private UnknownFields residue(ProtoMessage from, HloInstruction instruction) {
    InstructionWriter writer = new InstructionWriter(Map.of(), names(instruction), Map.of());
    ProtoBuilder written = from.located(() -> writer.withoutLiteral(instruction));
    return Residue.of(from, written, INSTRUCTION_APART);
  }

  /**
   * Returns the ids of the control predecessors by name. They are needed only to compute the
   * residue, which depends on the names alone.
   */
  private Map<String, Long> names(HloInstruction instruction) {
    boolean isNeeded = instruction.attributes().containsKey("control-predecessors");
    return isNeeded ? idsByName.get() : Map.of();
  }

  private Map<String, Long> idsByName() {
    Map<String, Long> names = new HashMap<>();
    messages.forEach((id, other) -> names.put(other.string("name"), id));
    return names;
  }

  private String name(long id) {
    return known(messages, id, message, "instructions").string("name");
  }

  private ImmutableList<HloInstruction> operands(ProtoMessage from) {
    ImmutableList.Builder<HloInstruction> operands = ImmutableList.builder();
    for (long id : from.integers("operand_ids")) {
      operands.add(known(instructions, id, from, "operand_ids"));
    }
    return operands.build();
  }

  /**
   * Returns the called computations. A loop has its body first in the file, but its condition first
   * in HLO text.
   */
  private ImmutableList<HloComputation> called(ProtoMessage from) {
    ImmutableList.Builder<HloComputation> called = ImmutableList.builder();
    for (long id : from.integers("called_computation_ids")) {
      called.add(known(computations, id, from, "called_computation_ids"));
    }
    List<HloComputation> list = called.build();
    return ImmutableList.copyOf(from.string("opcode").equals("while") ? Lists.reverse(list) : list);
  }
}
