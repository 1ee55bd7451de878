package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
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
import org.hlo4j.interpreter.engine.Device;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** The collective ops, in which the devices of a group exchange values. */
final class CollectiveOps {
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
          case AllReduce r -> group.allReduce(group.requirePeers(r.replicaGroups()));
          case AllGather g -> group.allGather(group.requirePeers(g.replicaGroups()), g);
          case ReduceScatter s -> group.reduceScatter(group.requirePeers(s.replicaGroups()), s);
          case AllToAll a -> group.allToAll(group.requirePeers(a.replicaGroups()), a);
          case CollectivePermute p -> group.collectivePermute(p);
          case CollectiveBroadcast b -> group.collectiveBroadcast(b.replicaGroups());
          case RaggedAllToAll a -> group.raggedAllToAll(group.requirePeers(a.replicaGroups()));
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
    /** Returns the numbers of the devices of the group. Throws if this device is not in any. */
    List<Integer> requirePeers(ReplicaGroups groups) {
      Device device = execution.device();
      return device
          .peers(groups.groups(), op.groupMode())
          .orElseThrow(() ->
              new HloException(
                  "",
                  String.format(
                      "run: %s: replica_groups got %s, want device %s in one of them",
                      instruction.name(), groups.shown(), device.number())));
    }

    private List<List<Literal>> exchange(List<Integer> peers) {
      List<List<Literal>> all = execution.device().exchange(instruction, peers, in);
      List<Shape> first = shapes(all.get(0));
      for (int i = 1; i < all.size(); i++) {
        require(
            shapes(all.get(i)).equals(first),
            "",
            "run: %s: sizes at run time got %s on device %s, but %s on device %s, want the same",
            instruction.name(),
            first,
            peers.get(0),
            shapes(all.get(i)),
            peers.get(i));
      }
      return all;
    }

    private static List<Shape> shapes(List<Literal> values) {
      return values.stream().map(Literal::shape).toList();
    }

    private int positionInGroup(List<Integer> peers) {
      return peers.indexOf(execution.device().number());
    }

    /** {@code result[o][i] = body(... body(device 0's in[o][i], device 1's) ..., device n's)} */
    List<Literal> allReduce(List<Integer> peers) {
      List<List<Literal>> all = exchange(peers);
      return IntStream.range(0, in.size())
          .mapToObj(o -> reduce(all.stream().map(operands -> operands.get(o)).toList()))
          .toList();
    }

    /** Reduces in the type of the computation, which may be wider than that of the operands. */
    private Literal reduce(List<Literal> values) {
      HloComputation body = instruction.called().get(0);
      ElementType type = ((Shape.Array) body.root().shape()).elementType();
      Literal sum = converted(values.get(0), type);
      for (Literal value : values.subList(1, values.size())) {
        Literal next = converted(value, type);
        LiteralBuilder result = new LiteralBuilder(sum.arrayShape());
        for (int i = 0; i < next.elementCount(); i++) {
          List<Literal> pair = Reductions.elements(List.of(sum, next), i);
          result.copy(i, execution.call(body, pair), 0);
        }
        sum = result.build();
      }
      return converted(sum, values.get(0).elementType());
    }

    private static Literal converted(Literal value, ElementType type) {
      return value.elementType() == type
          ? value
          : Conversions.convert(value, value.arrayShape().withElementType(type));
    }

    /** {@code result[o] = concatenation of the devices' in[o]} */
    List<Literal> allGather(List<Integer> peers, AllGather gather) {
      int dimension = gather.dimensions().getInt(0);
      List<List<Literal>> all = exchange(peers);
      return IntStream.range(0, in.size())
          .mapToObj(
              o -> concatenated(all.stream().map(operands -> operands.get(o)).toList(), dimension))
          .peek(this::requireDeclared)
          .toList();
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
     * {@code result[o] = part of the sum of the devices' in[o], by this device's position in the
     * group}
     */
    List<Literal> reduceScatter(List<Integer> peers, ReduceScatter scatter) {
      int dimension = scatter.dimensions().getInt(0);
      requireDivisible(in.get(0), dimension, peers.size());
      return allReduce(peers).stream()
          .map(sum -> part(sum, dimension, positionInGroup(peers), peers.size()))
          .peek(this::requireDeclared)
          .toList();
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

    List<Literal> allToAll(List<Integer> peers, AllToAll a) {
      if (a.dimensions().isEmpty()) {
        return allToAllOperands(peers);
      }
      int dimension = a.dimensions().get().getInt(0);
      requireDivisible(in.get(0), dimension, peers.size());
      List<Literal> parts =
          exchange(peers).stream()
              .map(operands ->
                  part(operands.get(0), dimension, positionInGroup(peers), peers.size()))
              .toList();
      return List.of(concatenated(parts, dimension));
    }

    /** {@code result[d] = device d's in[p]}, with p the position of this device in the group */
    private List<Literal> allToAllOperands(List<Integer> peers) {
      require(
          in.size() == peers.size(),
          "",
          "run: %s got %s operands, want one for each of the %s devices",
          instruction.name(),
          in.size(),
          peers.size());
      return exchange(peers).stream()
          .map(operands -> operands.get(positionInGroup(peers)))
          .toList();
    }

    /** {@code result = source's in}, zeros if no device sends to this one */
    List<Literal> collectivePermute(CollectivePermute permute) {
      Device device = execution.device();
      List<Integer> all = device.peers(List.of(), op.groupMode()).orElseThrow();
      for (Dims pair : permute.sourceTargetPairs()) {
        require(
            pair.stream().allMatch(id -> id < all.size()),
            "",
            "run: %s: source_target_pairs got %s, want ids below %s",
            instruction.name(),
            pair,
            all.size());
      }
      List<List<Literal>> operands = exchange(all);
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
    List<Literal> collectiveBroadcast(ReplicaGroups groups) {
      return execution
          .device()
          .peers(groups.groups(), op.groupMode())
          .map(peers -> exchange(peers).get(0))
          .orElseGet(this::zeros);
    }

    private List<Literal> zeros() {
      return in.stream().map(operand -> Literal.zeros(operand.arrayShape())).toList();
    }

    /** {@code result = output}, with the rows that each device sends here written over it */
    List<Literal> raggedAllToAll(List<Integer> peers) {
      List<List<Literal>> all = exchange(peers);
      Literal output = in.get(1);
      LiteralBuilder result = new LiteralBuilder(output.arrayShape());
      for (int i = 0; i < output.elementCount(); i++) {
        Limits.checkAt(i);
        result.copy(i, output, i);
      }
      int row = (int) output.arrayShape().sizes().with(0, 1).product();
      for (List<Literal> sender : all) {
        int here = positionInGroup(peers);
        require(
            sender.get(2).elementCount() == peers.size(),
            "",
            "run: %s: input_offsets got %s, want one for each of the %s devices",
            instruction.name(),
            sender.get(2).shape(),
            peers.size());
        long from = sender.get(2).longAt(here);
        long size = sender.get(3).longAt(here);
        long to = sender.get(4).longAt(here);
        requireRows(sender.get(0), from, size);
        requireRows(output, to, size);
        for (int i = 0; i < size * row; i++) {
          Limits.checkAt(i);
          result.copy((int) to * row + i, sender.get(0), (int) from * row + i);
        }
      }
      return List.of(result.build());
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

  /** Concatenates arrays along a dimension. */
  static Literal concatenated(List<Literal> parts, int dimension) {
    Shape.Array first = parts.get(0).arrayShape();
    long size = parts.stream().mapToLong(p -> p.arrayShape().size(dimension)).sum();
    Shape.Array whole = first.withSizes(first.sizes().with(dimension, size));
    if (whole.elementCount() == 0) { // of which there may be more rows than one can count
      return Literal.zeros(whole);
    }
    LiteralBuilder result = new LiteralBuilder(whole);
    int inner = inner(first, dimension);
    List<Integer> rows = new ArrayList<>();
    for (Literal p : parts) {
      rows.add((int) p.arrayShape().size(dimension) * inner);
    }
    int outer = (int) first.sizes().subList(0, dimension).product();
    int next = 0;
    for (int o = 0; o < outer; o++) {
      for (int p = 0; p < parts.size(); p++) {
        for (int i = 0; i < rows.get(p); i++) {
          Limits.checkAt(next);
          result.copy(next++, parts.get(p), o * rows.get(p) + i);
        }
      }
    }
    return result.build();
  }

  /** Returns one of the equal parts of an array that is split along a dimension. */
  private static Literal part(Literal array, int dimension, int place, int parts) {
    Shape.Array whole = array.arrayShape();
    long size = whole.size(dimension) / parts;
    Shape.Array shape = whole.withSizes(whole.sizes().with(dimension, size));
    int row = (int) size * inner(whole, dimension);
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      Limits.checkAt(i);
      result.copy(i, array, (i / row * parts + place) * row + i % row);
    }
    return result.build();
  }

  private static int inner(Shape.Array shape, int dimension) {
    return (int) shape.sizes().subList(dimension + 1, shape.rank()).product();
  }
}
