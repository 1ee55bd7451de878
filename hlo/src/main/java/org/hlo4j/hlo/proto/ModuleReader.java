package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;

/** A reader of modules in protocol buffers. */
final class ModuleReader {
  private static final ImmutableSet<String> APART =
      ImmutableSet.of("computations", "entry_computation_name", "entry_computation_id", "schedule");

  private final ProtoMessage message;
  private final Map<Long, HloComputation> computations = new LinkedHashMap<>();

  ModuleReader(ProtoMessage message) {
    this.message = message;
  }

  HloModule read() {
    Map<Long, ProtoMessage> schedule = schedule();
    for (ProtoMessage computation : message.messages("computations")) {
      long id = computation.integer("id");
      Optional<ProtoMessage> order = Optional.ofNullable(schedule.get(id));
      HloComputation read = new ComputationReader(computation, computations, order).read();
      if (computations.put(id, read) != null) {
        throw computation.refusal("id", "got " + id + " twice, want it once");
      }
    }
    List<HloComputation> all = new ArrayList<>(computations.values());
    HloComputation entry = entry();
    message.message("host_program_shape").ifPresent(said -> check(said, entry.programShape()));
    HloModule module =
        AsyncChain.withThreads(
            HloModule.create(message.string("name"), all, entry)
                .withText(ModuleAttributes.read(message), StackFrames.read(message)));
    return module.withUnknownFields(
        Residue.of(
            message, message.located(() -> ModuleWriter.withoutComputations(module)), APART));
  }

  /**
   * Checks that the signature stored in the module matches its entry computation, except for
   * layouts.
   */
  private void check(ProtoMessage said, ProgramShape want) {
    ProgramShape got = Shapes.readProgram(said);
    if (!got.compatible(want)) {
      throw message.refusal(
          "host_program_shape", "got " + got + ", want " + want + " as the entry");
    }
  }

  private HloComputation entry() {
    long id = message.integer("entry_computation_id");
    Optional<HloComputation> entry = Optional.ofNullable(computations.get(id));
    return entry.orElseThrow(() ->
        message.refusal(
            "entry_computation_id", "got " + id + ", want one of " + shortened(computations)));
  }

  /** Returns the first of the known ids, for a message. */
  static String shortened(Map<Long, ?> known) {
    ImmutableList<Long> first =
        known.keySet().stream().limit(10).collect(ImmutableList.toImmutableList());
    return first + (known.size() > first.size() ? " and others" : "");
  }

  private Map<Long, ProtoMessage> schedule() {
    Map<Long, ProtoMessage> schedule = new HashMap<>();
    for (ProtoMessage entry : message.messageOrEmpty("schedule").messages("sequences")) {
      schedule.put(entry.integer("key"), entry.messageOrEmpty("value"));
    }
    return schedule;
  }
}
