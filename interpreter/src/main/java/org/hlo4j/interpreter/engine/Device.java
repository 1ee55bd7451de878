package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GroupMode;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.DeviceGrid;

/**
 * One of the devices of a run.
 *
 * @param grid all devices
 * @param number the number of this device; the partitions of one replica have consecutive numbers
 * @param rendezvous where the devices exchange values
 */
public record Device(DeviceGrid grid, int number, Rendezvous rendezvous) {
  /** Returns the only device of a run without replicas and partitions. */
  public static Device single() {
    return new Device(DeviceGrid.SINGLE, 0, new Rendezvous(DeviceGrid.SINGLE));
  }

  public int replicaId() {
    return number / grid.partitions();
  }

  public int partitionId() {
    return number % grid.partitions();
  }

  /** Returns the id of this device in groups of a mode. */
  public int id(GroupMode mode) {
    return switch (mode) {
      case CROSS_REPLICA, CROSS_REPLICA_AND_PARTITION -> replicaId();
      case CROSS_PARTITION -> partitionId();
      case FLATTENED_ID -> number;
    };
  }

  /** Returns the number of ids in a mode. */
  private int idCount(GroupMode mode) {
    return switch (mode) {
      case CROSS_REPLICA, CROSS_REPLICA_AND_PARTITION -> grid.replicas();
      case CROSS_PARTITION -> grid.partitions();
      case FLATTENED_ID -> grid.deviceCount();
    };
  }

  /**
   * Returns this device's group at a collective; empty if it is in none.
   *
   * @param groups the ids of each group; an empty list stands for one group of all devices
   */
  public Optional<DeviceGroup> group(
      HloInstruction instruction, List<Dims> groups, GroupMode mode) {
    return Optional.ofNullable(
        rendezvous.groups(instruction, () -> byDevice(groups, mode)).get(number));
  }

  /** Returns the groups of all devices that are in one. */
  private Map<Integer, DeviceGroup> byDevice(List<Dims> groups, GroupMode mode) {
    Dims everybody = Dims.range(0, idCount(mode));
    Map<Integer, DeviceGroup> byDevice = new HashMap<>();
    for (Dims group : groups.isEmpty() ? List.of(everybody) : groups) {
      requireKnown(group, everybody.count());
      for (List<Integer> members : groupsOfDevices(group, mode)) {
        DeviceGroup all = DeviceGroup.of(members);
        members.forEach(member -> byDevice.putIfAbsent(member, all));
      }
    }
    return byDevice;
  }

  private void requireKnown(Dims group, int count) {
    for (long id : group.toArray()) {
      require(
          id < count, "", "run: device id got %s, want below %s, as there are %s", id, count, grid);
    }
  }

  /**
   * Returns the numbers of the devices that ids stand for: one group, or one in each of the
   * partitions or replicas that the ids do not number.
   */
  private List<List<Integer>> groupsOfDevices(Dims ids, GroupMode mode) {
    int partitions = grid.partitions();
    return switch (mode) {
      case FLATTENED_ID -> List.of(numbers(ids, 0, 1, 1));
      case CROSS_REPLICA_AND_PARTITION -> List.of(numbers(ids, 0, partitions, partitions));
      case CROSS_REPLICA ->
          IntStream.range(0, partitions)
              .mapToObj(partition -> numbers(ids, partition, partitions, 1))
              .toList();
      case CROSS_PARTITION ->
          IntStream.range(0, grid.replicas())
              .mapToObj(replica -> numbers(ids, replica * partitions, 1, 1))
              .toList();
    };
  }

  /** Returns {@code base + id * stride + i} for each id, and each i below the count. */
  private static List<Integer> numbers(Dims ids, int base, int stride, int count) {
    return ids.stream()
        .boxed()
        .flatMap(
            id -> IntStream.range(0, count).mapToObj(i -> base + Math.toIntExact(id) * stride + i))
        .toList();
  }

  /**
   * Meets the other devices of a group, and returns what the operands of all of them, in the order
   * of the group, give together. That is computed once, by the device that comes last, and shared.
   *
   * @param together is given the operands of each device; runs in the thread of one of them
   */
  public <T> T meet(
      HloInstruction instruction,
      DeviceGroup group,
      List<Literal> operands,
      Function<List<List<Literal>>, T> together) {
    if (group.size() == 1) {
      return together.apply(List.of(operands));
    }
    operands.forEach(HandedOut::note);
    return rendezvous.meet(instruction, number, group, operands, together);
  }
}
