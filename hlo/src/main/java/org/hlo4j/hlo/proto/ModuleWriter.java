package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.op.Fusion;

/** A writer of modules to protocol buffers. */
final class ModuleWriter {
  private final HloModule module;
  private final IdentityHashMap<HloInstruction, Long> instructionIds;
  private final IdentityHashMap<HloComputation, Long> computationIds;
  private final ImmutableSet<HloComputation> fused;

  ModuleWriter(HloModule module) {
    this.module = module;
    this.computationIds =
        ids("HloComputationProto", module.computations(), HloComputation::unknownFields);
    this.instructionIds =
        ids(
            "HloInstructionProto",
            module.computations().stream()
                .flatMap(computation -> computation.instructions().stream())
                .toList(),
            HloInstruction::unknownFields);
    this.fused =
        instructionIds.keySet().stream()
            .filter(instruction -> instruction.op() instanceof Fusion)
            .flatMap(instruction -> instruction.called().stream())
            .collect(toImmutableSet());
  }

  /**
   * Returns the ids that were read, because XLA orders by them; returns new ids if any is not
   * unique.
   */
  private static <T> IdentityHashMap<T, Long> ids(
      String type, List<T> nodes, Function<T, UnknownFields> unknownFields) {
    IdentityHashMap<T, Long> ids = new IdentityHashMap<>();
    for (T node : nodes) {
      ids.put(node, ProtoMessage.of(type, unknownFields.apply(node).toBytes()).integer("id"));
    }
    if (ImmutableSet.copyOf(ids.values()).size() < nodes.size()) {
      ids.clear();
      nodes.forEach(node -> ids.put(node, ids.size() + 1L));
    }
    return ids;
  }

  ProtoBuilder write() {
    ProtoBuilder message = withoutComputations(module);
    message.put("entry_computation_name", module.entry().name());
    message.put("entry_computation_id", computationIds.getOrDefault(module.entry(), 0L));
    if (module.attributes().getOrDefault(ModuleAttributes.SCHEDULED, "").equals("true")) {
      message.put("schedule", schedule());
    }
    ProtoBuilder restored = Residue.restore(message, module.unknownFields());
    for (HloComputation computation : module.computations()) {
      restored.put("computations", computation(computation));
    }
    return restored;
  }

  /** Writes a module without its computations. */
  static ProtoBuilder withoutComputations(HloModule module) {
    ProtoBuilder message = ProtoBuilder.of("HloModuleProto").put("name", module.name());
    ModuleAttributes.write(message, module.attributes(), module.entry().programShape());
    StackFrames.write(message, module.stackFrames());
    return message;
  }

  private ProtoBuilder computation(HloComputation computation) {
    ProtoBuilder message =
        withoutInstructions(computation)
            .put("id", computationIds.getOrDefault(computation, 0L))
            .put("root_id", instructionIds.getOrDefault(computation.root(), 0L))
            .put("is_fusion_computation", fused.contains(computation));
    ProtoBuilder restored = Residue.restore(message, computation.unknownFields());
    InstructionWriter writer = writer(computation);
    for (HloInstruction instruction : computation.instructions()) {
      restored.put("instructions", writer.write(instruction));
    }
    return restored;
  }

  private InstructionWriter writer(HloComputation computation) {
    Map<String, Long> names = new HashMap<>();
    for (HloInstruction instruction : computation.instructions()) {
      names.put(instruction.name(), instructionIds.getOrDefault(instruction, 0L));
    }
    return new InstructionWriter(instructionIds, ImmutableMap.copyOf(names), computationIds);
  }

  /** Writes a computation without its instructions. */
  static ProtoBuilder withoutInstructions(HloComputation computation) {
    ProtoBuilder shape = Shapes.writeProgram(computation.programShape());
    computation.parameters().forEach(parameter -> shape.add("parameter_names", parameter.name()));
    return ProtoBuilder.of("HloComputationProto")
        .put("name", computation.name())
        .put("program_shape", shape)
        .put("execution_thread", computation.executionThread());
  }

  /** Writes the schedule: instructions are executed in their order in the computation. */
  private ProtoBuilder schedule() {
    ProtoBuilder schedule = ProtoBuilder.of("HloScheduleProto");
    for (HloComputation computation : module.computations()) {
      if (!fused.contains(computation)) {
        long[] order =
            computation.instructions().stream()
                .mapToLong(instruction -> instructionIds.getOrDefault(instruction, 0L))
                .toArray();
        ProtoBuilder entry = ProtoBuilder.of("ScheduleEntry");
        entry.putPresent("key", computationIds.getOrDefault(computation, 0L));
        entry.at("value").put("instruction_ids", Dims.of(order));
        schedule.put("sequences", entry);
      }
    }
    return schedule;
  }
}
