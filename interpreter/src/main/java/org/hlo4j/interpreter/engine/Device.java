package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
   * Returns the numbers of the devices in this device's group, in order; empty if it is in none.
   *
   * @param groups the ids of each group; an empty list stands for one group of all devices
   */
  public Optional<List<Integer>> peers(List<Dims> groups, GroupMode mode) {
    int count = idCount(mode);
    for (Dims group : groups) {
      for (long id : group.toArray()) {
        require(
            id < count,
            "",
            "run: device id got %s, want below %s, as there are %s",
            id,
            count,
            grid);
      }
    }
    Dims everybody = Dims.range(0, count);
    return (groups.isEmpty() ? List.of(everybody) : groups)
        .stream()
            .filter(group -> group.contains(id(mode)))
            .findFirst()
            .map(group -> numbers(group, mode));
  }

  private List<Integer> numbers(Dims group, GroupMode mode) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < group.count(); i++) {
      int id = group.getInt(i);
      switch (mode) {
        case CROSS_REPLICA -> numbers.add(id * grid.partitions() + partitionId());
        case CROSS_PARTITION -> numbers.add(replicaId() * grid.partitions() + id);
        case CROSS_REPLICA_AND_PARTITION ->
            IntStream.range(0, grid.partitions())
                .forEach(partition -> numbers.add(id * grid.partitions() + partition));
        case FLATTENED_ID -> numbers.add(id);
      }
    }
    return numbers;
  }

  /**
   * Returns the operands of all devices of a group, in its order. Waits until all of them have
   * arrived.
   */
  public List<List<Literal>> exchange(
      HloInstruction instruction, List<Integer> group, List<Literal> operands) {
    if (group.size() > 1) {
      operands.forEach(HandedOut::note);
    }
    return rendezvous.exchange(instruction, number, group, operands);
  }
}
