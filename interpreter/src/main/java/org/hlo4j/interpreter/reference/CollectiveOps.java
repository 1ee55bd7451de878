package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.DeviceGroup;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Execution;

/** The collective ops, in which the devices of a group exchange values. */
final class CollectiveOps {
  private static final Effects EFFECTS = new Effects();

  private CollectiveOps() {}

  /**
   * Returns the value of a collective on this device. Waits until all devices of its group have
   * arrived.
   */
  static Literal evaluate(
      Collective op,
      HloInstruction instruction,
      Shape shape,
      List<Literal> in,
      Execution execution) {
    Group group = new Group(op, instruction, shape, in, execution);
    List<Literal> results =
        switch (op) {
          case AllReduce r -> group.allReduce(r);
          case AllGather g -> group.allGather(g);
          case ReduceScatter s -> group.reduceScatter(s);
          case AllToAll a -> group.allToAll(a);
          case CollectivePermute p -> group.collectivePermute(p);
          case CollectiveBroadcast b -> group.collectiveBroadcast(b);
          case RaggedAllToAll a -> group.raggedAllToAll(a);
        };
    return shape instanceof Shape.Tuple ? Literal.tuple(results) : results.get(0);
  }

  /**
   * Returns the result of the start op of an asynchronous collective: for all-reduce the value,
   * otherwise a tuple of the operands, the value and the contexts.
   */
  static Literal start(
      CollectiveStart op,
      HloInstruction instruction,
      Shape shape,
      List<Literal> in,
      Execution execution) {
    Collective collective = op.collective();
    if (collective instanceof AllReduce) {
      return evaluate(collective, instruction, shape, in, execution);
    }
    List<Shape> shapes = ((Shape.Tuple) shape).elements();
    List<Literal> parts = new ArrayList<>();
    boolean isInPlace = collective instanceof CollectivePermute permute && permute.isInPlace();
    parts.add(in.size() == 1 || isInPlace ? in.get(0) : Literal.tuple(in));
    parts.add(evaluate(collective, instruction, shapes.get(1), in, execution));
    shapes.stream().skip(2).map(ControlFlow::zeros).forEach(parts::add);
    return Literal.tuple(parts);
  }

  /** One collective from the point of view of one device of the group. */
  private record Group(
      Collective op,
      HloInstruction instruction,
      Shape shape,
      List<Literal> in,
      Execution execution) {
    /** Returns the group of this device. Throws if it is in none. */
    private DeviceGroup requireGroup(ReplicaGroups groups) {
      return group(groups)
          .orElseThrow(() ->
              new HloException(
                  "",
                  String.format(
                      "run: %s: replica_groups got %s, want device %s in one of them",
                      instruction.name(), groups.shown(), execution.device().number())));
    }

    private Optional<DeviceGroup> group(ReplicaGroups groups) {
      return execution.device().group(instruction, groups.groups(), op.groupMode());
    }

    private int positionInGroup(DeviceGroup group) {
      return group.members().indexOf(execution.device().number());
    }

    /** Returns what the group computes from the operands of all its devices, once for all. */
    private <T> T meet(DeviceGroup group, Function<List<List<Literal>>, T> together) {
      return execution
          .device()
          .meet(
              instruction,
              group,
              in,
              all -> {
                requireSameShapes(group, all);
                return together.apply(all);
              });
    }

    private void requireSameShapes(DeviceGroup group, List<List<Literal>> all) {
      List<Shape> first = shapes(all.get(0));
      for (int i = 1; i < all.size(); i++) {
        require(
            shapes(all.get(i)).equals(first),
            "",
            "run: %s: sizes at run time got %s on device %s, but %s on device %s, want the same",
            instruction.name(),
            first,
            group.members().get(0),
            shapes(all.get(i)),
            group.members().get(i));
      }
    }

    private static List<Shape> shapes(List<Literal> values) {
      return values.stream().map(Literal::shape).toList();
    }

    /** Returns what the group computes from each operand of its devices. */
    private List<Literal> meetForEach(
        DeviceGroup group, Function<List<Literal>, Literal> together) {
      return meet(
          group,
          all ->
              IntStream.range(0, in.size())
                  .mapToObj(o -> together.apply(all.stream().map(each -> each.get(o)).toList()))
                  .map(HandedOut::note)
                  .toList());
    }

    /** {@code result[o][i] = body(... body(device 0's in[o][i], device 1's) ..., device n's)} */
    List<Literal> allReduce(AllReduce reduce) {
      DeviceGroup group = requireGroup(reduce.replicaGroups());
      return EFFECTS.containsEffect(reducer())
          ? reduced(meet(group, all -> all))
          : meetForEach(group, values -> ArrayReduction.reduce(reducer(), values, execution));
    }

    private HloComputation reducer() {
      return instruction.called().get(0);
    }

    /** Returns the sums of what each device of the group gives. */
    private List<Literal> reduced(List<List<Literal>> all) {
      return IntStream.range(0, in.size())
          .mapToObj(o -> all.stream().map(each -> each.get(o)).toList())
          .map(values -> ArrayReduction.reduce(reducer(), values, execution))
          .toList();
    }

    /** {@code result[o] = concatenation of the devices' in[o]} */
    List<Literal> allGather(AllGather gather) {
      int dimension = gather.dimensions().getInt(0);
      List<Literal> results =
          meetForEach(
              requireGroup(gather.replicaGroups()),
              values -> ArrayParts.concatenated(values, dimension));
      results.forEach(this::requireDeclared);
      return results;
    }

    private void requireDeclared(Literal result) {
      boolean fits =
          shape instanceof Shape.Tuple tuple
              ? tuple.elements().stream().anyMatch(result.shape()::compatible)
              : shape.compatible(result.shape());
      require(
          fits,
          "",
          "run: %s gives %s for the devices that take part, want %s as declared",
          instruction.name(),
          result.shape(),
          shape);
    }

    /**
     * {@code result[o] = sum of the parts of the devices' in[o] that are at this device's position
     * in the group}
     */
    List<Literal> reduceScatter(ReduceScatter scatter) {
      DeviceGroup group = requireGroup(scatter.replicaGroups());
      int dimension = scatter.dimensions().getInt(0);
      requireDivisible(in.get(0), dimension, group.size());
      List<List<Literal>> all = meet(group, each -> each);
      int place = positionInGroup(group);
      List<Literal> results =
          EFFECTS.containsEffect(reducer())
              ? reduced(all).stream().map(sum -> part(sum, dimension, place, group.size())).toList()
              : reduced(
                  all.stream()
                      .map(each ->
                          each.stream()
                              .map(value -> part(value, dimension, place, group.size()))
                              .toList())
                      .toList());
      results.forEach(this::requireDeclared);
      return results;
    }

    private void requireDivisible(Literal operand, int dimension, int parts) {
      require(
          operand.arrayShape().size(dimension) % parts == 0,
          "",
          "run: %s: size of dimension %s of %s, want a multiple of the %s devices",
          instruction.name(),
          dimension,
          operand.shape(),
          parts);
    }

    private Literal part(Literal array, int dimension, int place, int parts) {
      return parts == 1 ? array : ArrayParts.part(array, dimension, place, parts);
    }

    List<Literal> allToAll(AllToAll a) {
      DeviceGroup group = requireGroup(a.replicaGroups());
      int place = positionInGroup(group);
      if (a.dimensions().isEmpty()) {
        requireOneForEach(group);
        // result[d] = device d's in[place]
        return meet(group, all -> all).stream().map(each -> each.get(place)).toList();
      }
      int dimension = a.dimensions().get().getInt(0);
      requireDivisible(in.get(0), dimension, group.size());
      List<Literal> operands = meet(group, all -> all.stream().map(each -> each.get(0)).toList());
      return List.of(ArrayParts.concatenatedParts(operands, dimension, place));
    }

    private void requireOneForEach(DeviceGroup group) {
      require(
          in.size() == group.size(),
          "",
          "run: %s got %s operands, want one for each of the %s devices",
          instruction.name(),
          in.size(),
          group.size());
    }

    /** {@code result = source's in}, zeros if no device sends to this one */
    List<Literal> collectivePermute(CollectivePermute permute) {
      Device device = execution.device();
      DeviceGroup all = device.group(instruction, List.of(), op.groupMode()).orElseThrow();
      for (Dims pair : permute.sourceTargetPairs()) {
        require(
            pair.stream().allMatch(id -> id < all.size()),
            "",
            "run: %s: source_target_pairs got %s, want ids below %s",
            instruction.name(),
            pair,
            all.size());
      }
      List<List<Literal>> operands = meet(all, each -> each);
      if (permute.isInPlace()) {
        return permuteInPlace(permute, operands);
      }
      Optional<Dims> pair =
          permute.sourceTargetPairs().stream()
              .filter(candidate -> candidate.get(1) == device.id(op.groupMode()))
              .findFirst();
      return pair.map(found -> operands.get(found.getInt(0))).orElseGet(this::zeros);
    }

    /** {@code result = output}, with the slices that devices send here written over it */
    private List<Literal> permuteInPlace(CollectivePermute permute, List<List<Literal>> operands) {
      long here = execution.device().id(op.groupMode());
      List<Literal> results = parts(1, in).stream().map(Boxes::copy).toList();
      Multiset<Long> sent = HashMultiset.create();
      int received = 0;
      for (Dims pair : permute.sourceTargetPairs()) {
        int slice = sent.add(pair.get(0), 1);
        if (pair.get(1) == here) {
          requireSameSlice(pair, slice, received++);
          overwrite(permute, operands.get(pair.getInt(0)), slice, results);
        }
      }
      return results;
    }

    /** Writes a slice of each array of a device over its result here. */
    private void overwrite(
        CollectivePermute permute, List<Literal> sender, int slice, List<Literal> results) {
      int slices = permute.slices(in.get(0).shape());
      for (int i = 0; i < results.size(); i++) {
        Dims sizes = permute.sliceSizes().get(i * slices + slice);
        Literal source = parts(0, sender).get(i);
        Literal target = results.get(i);
        Dims from = start(parts(2, sender).get(i), slice, sizes, source);
        Boxes.overwrite(
            target,
            Boxes.slice(source, from, sizes),
            start(parts(3, in).get(i), slice, sizes, target));
      }
    }

    /** Returns an operand for each array of the input: its elements if that is a tuple. */
    private static List<Literal> parts(int operand, List<Literal> operands) {
      return operands.get(0).shape() instanceof Shape.Tuple
          ? operands.get(operand).elements()
          : operands.subList(operand, operand + 1);
    }

    private void requireSameSlice(Dims pair, int sent, int received) {
      if (sent != received) {
        throw new HloException(
            HloException.Kind.UNSUPPORTED,
            String.format(
                "run: %s: source_target_pairs got %s as pair %s of its source and %s of its target,"
                    + " want the same",
                instruction.name(), pair, sent, received));
      }
    }

    /**
     * Returns the start of a slice, from a tuple of indices or, for several slices, a tuple of such
     * tuples.
     */
    private Dims start(Literal indices, int slice, Dims sizes, Literal array) {
      boolean isOfSeveral =
          !indices.elements().isEmpty() && indices.element(0).shape() instanceof Shape.Tuple;
      Literal vector = isOfSeveral ? indices.element(slice) : indices;
      Dims start =
          Dims.of(vector.elements().stream().mapToLong(index -> index.longAt(0)).toArray());
      for (int i = 0; i < start.count(); i++) {
        long room = array.arrayShape().size(i) - sizes.get(i);
        require(
            start.get(i) >= 0 && start.get(i) <= room,
            "",
            "run: %s: start index %s got %s, want from 0 to %s for slice %s of %s",
            instruction.name(),
            i,
            start.get(i),
            room,
            sizes,
            array.shape());
      }
      return start;
    }

    /** {@code result = in of the group's first device}, zeros if this device is in no group */
    List<Literal> collectiveBroadcast(CollectiveBroadcast broadcast) {
      return group(broadcast.replicaGroups())
          .map(group -> meet(group, all -> all.get(0)))
          .orElseGet(this::zeros);
    }

    private List<Literal> zeros() {
      return in.stream().map(operand -> Literal.zeros(operand.arrayShape())).toList();
    }

    /** {@code result = output}, with the rows that each device sends here written over it */
    List<Literal> raggedAllToAll(RaggedAllToAll ragged) {
      DeviceGroup group = requireGroup(ragged.replicaGroups());
      RaggedAllToAll.requireUpdates(in.get(2).arrayShape(), group.size());
      List<List<Literal>> all = meet(group, each -> each);
      int updates = in.get(2).elementCount() / group.size();
      int here = positionInGroup(group) * updates;
      Literal result = Boxes.copy(in.get(1));
      for (int peer = 0; peer < all.size(); peer++) {
        for (int i = 0; i < updates; i++) {
          writeRows(all.get(peer), here + i, result);
          requireAnnounced(group, peer, all.get(peer).get(3).longAt(here + i), peer * updates + i);
        }
      }
      return List.of(result);
    }

    /** Refuses rows of a device that are not as many as this one says it receives. */
    private void requireAnnounced(DeviceGroup group, int peer, long sent, int update) {
      long announced = in.get(5).longAt(update);
      require(
          sent == announced,
          "",
          "run: %s: recv_sizes got %s rows of device %s, want the %s of its send_sizes",
          instruction.name(),
          announced,
          group.members().get(peer),
          sent);
    }

    /** Writes the rows of one update of a device over a result. */
    private void writeRows(List<Literal> sender, int update, Literal result) {
      Literal input = sender.get(0);
      long from = sender.get(2).longAt(update);
      long size = sender.get(3).longAt(update);
      long to = sender.get(4).longAt(update);
      requireRows(input, from, size);
      requireRows(result, to, size);
      if (result.elementCount() > 0 && size > 0) {
        int row = result.elementCount() / (int) result.arrayShape().size(0);
        row *= result.elementType().componentCount();
        System.arraycopy(
            input.unsafeStorage(),
            (int) from * row,
            result.unsafeStorage(),
            (int) to * row,
            (int) size * row);
      }
    }

    private void requireRows(Literal array, long from, long size) {
      require(
          from >= 0 && size >= 0 && from <= array.arrayShape().size(0) - size,
          "",
          "run: %s got %s rows from %s on, want rows of %s",
          instruction.name(),
          size,
          from,
          array.shape());
    }
  }
}
