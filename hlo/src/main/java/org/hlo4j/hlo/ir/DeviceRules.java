package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.primitives.Longs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.GroupMode;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;

/**
 * The rules of collectives that depend on the number of devices: {@code replica_count} and {@code
 * num_partitions} in the header of the module. A count that is not written is unknown.
 */
final class DeviceRules {
  private final HloModule module;
  private final Map<Long, HloInstruction> channels = new HashMap<>();

  DeviceRules(HloModule module) {
    this.module = module;
  }

  OptionalLong replicas() {
    return count("replica_count");
  }

  OptionalLong partitions() {
    return count("num_partitions");
  }

  private OptionalLong count(String attribute) {
    String text = module.attributes().get(attribute);
    Long count = text == null ? null : Longs.tryParse(text.strip());
    return count == null || count < 1 ? OptionalLong.empty() : OptionalLong.of(count);
  }

  /** Checks what the header says: counts, and collectives that fix layouts or do not. */
  void checkModule() {
    for (String attribute : new String[] {"replica_count", "num_partitions"}) {
      require(
          !module.attributes().containsKey(attribute) || count(attribute).isPresent(),
          "",
          "%s got %s, want an integer of at least 1",
          attribute,
          module.attributes().getOrDefault(attribute, ""));
    }
    long reductions = allReduces(false) + allReduces(true);
    require(
        allReduces(true) == 0 || allReduces(true) == reductions,
        "",
        "constrain_layout got true in %s of %s all-reduces, want it in all or none",
        allReduces(true),
        reductions);
  }

  private long allReduces(boolean constrainLayout) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .filter(instruction ->
            instruction.op() instanceof AllReduce op && op.constrainLayout() == constrainLayout)
        .count();
  }

  /** Checks the ids of a collective. */
  void check(HloInstruction instruction) {
    Op op =
        instruction.op() instanceof CollectiveStart start ? start.collective() : instruction.op();
    if (op instanceof Collective collective) {
      try {
        checkIds(collective);
        checkParts(collective, instruction.operands());
        checkChannel(collective);
      } catch (HloException refusal) {
        throw refusal.prefixed(instruction.op().opcode() + ": ");
      }
    }
  }

  private void checkIds(Collective collective) {
    switch (collective) {
      case AllGather op -> checkGroups(op, op.replicaGroups());
      case AllReduce op -> checkGroups(op, op.replicaGroups());
      case AllToAll op -> checkGroups(op, op.replicaGroups());
      case RaggedAllToAll op -> checkGroups(op, op.replicaGroups());
      case ReduceScatter op -> checkGroups(op, op.replicaGroups());
      case CollectiveBroadcast op ->
          op.replicaGroups().groups().forEach(group -> checkKnown("replica_groups", op, group));
      case CollectivePermute op ->
          op.sourceTargetPairs().forEach(pair -> checkKnown("source_target_pairs", op, pair));
    }
  }

  private void checkGroups(Collective op, ReplicaGroups groups) {
    require(
        !groups.groups().isEmpty() || op.groupMode() != GroupMode.FLATTENED_ID,
        "",
        "replica_groups got {} with use_global_device_ids, want groups");
    long ids = groups.groups().stream().mapToLong(Dims::count).sum();
    OptionalLong wanted = idCount(op.groupMode());
    if (ids > 0 && wanted.isPresent() && ids != wanted.getAsLong()) {
      throw new HloException(
          "", "replica_groups got " + groups.shown() + ", want all " + wanted.getAsLong() + " ids");
    }
  }

  /**
   * Refuses parts that are not as many as the devices of a group: all of them, or replicas with all
   * of their partitions. Shape rules know the other groups. As in XLA, a group of one may be one of
   * a module that does not say how many there are.
   */
  private void checkParts(Collective collective, List<HloInstruction> operands) {
    if (collective instanceof AllToAll op && op.replicaGroups().groups().isEmpty()) {
      idCount(op.groupMode()).ifPresent(all -> checkParts(op, operands, all));
    }
    if (collective instanceof RaggedAllToAll op && op.replicaGroups().groups().isEmpty()) {
      Shape.Array offsets = first(operands.get(2).shape());
      idCount(op.groupMode()).ifPresent(all -> RaggedAllToAll.requireUpdates(offsets, all));
    }
    switch (collective) {
      case AllGather op -> checkParts(op, op.replicaGroups(), op.shape(), operands.get(0).shape());
      case ReduceScatter op ->
          checkParts(op, op.replicaGroups(), operands.get(0).shape(), op.shape());
      default -> {}
    }
  }

  private void checkParts(Collective op, ReplicaGroups groups, Shape whole, Shape part) {
    long elements = first(part).elementCount();
    long members = members(op, groups);
    require(
        elements == 0 || members <= 1 || first(whole).elementCount() == elements * members,
        "",
        "replica_groups got %s, groups of %s devices, want groups of %s, the number of parts",
        groups.shown(),
        members,
        elements == 0 ? 0 : first(whole).elementCount() / elements);
  }

  /** Returns the devices of a group, or 0 if the module does not specify them. */
  private long members(Collective op, ReplicaGroups groups) {
    long all = idCount(op.groupMode()).orElse(0);
    long ids = groups.groups().stream().mapToLong(Dims::count).max().orElse(all);
    return op.groupMode() == GroupMode.CROSS_REPLICA_AND_PARTITION
        ? ids * partitions().orElse(0)
        : ids;
  }

  /** Checks the parts of an all-to-all of all devices. */
  private static void checkParts(AllToAll op, List<HloInstruction> operands, long devices) {
    require(
        op.dimensions().isPresent() || operands.size() == devices,
        "",
        "operand count got %s, want %s, a part for each device",
        operands.size(),
        devices);
    if (op.dimensions().isPresent()) {
      Shape.Array operand = first(operands.get(0).shape());
      int dimension = op.dimensions().get().getInt(0);
      require(
          operand.isUnbounded(dimension) || operand.size(dimension) % devices == 0,
          "all_to_all C2",
          "dimension %s got the size of %s, want a multiple of %s devices",
          dimension,
          operand,
          devices);
    }
  }

  private static Shape.Array first(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? first(tuple.elements().get(0))
        : (Shape.Array) shape;
  }

  private void checkKnown(String role, Collective op, Dims ids) {
    OptionalLong known = idCount(op.groupMode());
    require(
        known.isEmpty() || ids.stream().allMatch(id -> id < known.getAsLong()),
        "",
        "%s got %s, want ids below %s",
        role,
        ids,
        known.orElse(0));
  }

  /**
   * Returns the number of valid ids; empty if the module does not specify a count that it depends
   * on.
   */
  private OptionalLong idCount(GroupMode mode) {
    return switch (mode) {
      case CROSS_REPLICA, CROSS_REPLICA_AND_PARTITION -> replicas();
      case CROSS_PARTITION -> partitions();
      case FLATTENED_ID ->
          replicas().isPresent() && partitions().isPresent()
              ? OptionalLong.of(replicas().getAsLong() * partitions().getAsLong())
              : OptionalLong.empty();
    };
  }

  /** Refuses a channel that collectives of another kind use as well. */
  void requireOneKind(HloInstruction instruction) {
    Op op =
        instruction.op() instanceof CollectiveStart start ? start.collective() : instruction.op();
    Optional<Long> channel =
        op instanceof Collective collective ? collective.channelId() : Optional.empty();
    if (channel.isEmpty()) {
      return;
    }
    HloInstruction first = channels.computeIfAbsent(channel.get(), id -> instruction);
    Op other = first.op() instanceof CollectiveStart start ? start.collective() : first.op();
    require(
        other.opcode().equals(op.opcode()),
        "",
        "%s: channel_id got %s, which %s, %s, has, want one kind of op on a channel;"
            + " Verifier.lenient() permits several",
        instruction.op().opcode(),
        channel.get(),
        first.name(),
        first.op().opcode());
  }

  private static void checkChannel(Collective collective) {
    if (collective instanceof AllReduce op) {
      require(
          op.channelId().orElse(1L) > 0,
          "",
          "channel_id got %s, want at least 1",
          op.channelId().orElse(1L));
    }
  }
}
