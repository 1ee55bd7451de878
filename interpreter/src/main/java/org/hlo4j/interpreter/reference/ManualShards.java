package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The borders of a manual computation, as JAX's {@code shard_map} leaves them in HLO: outside every
 * device holds whole arrays, inside its own shard.
 */
final class ManualShards {
  private final HloInstruction call;
  private final Execution execution;
  private final List<Sharding> shardings;

  private ManualShards(HloInstruction call, String attribute, Execution execution) {
    this.call = call;
    this.execution = execution;
    this.shardings = Sharding.of(call, attribute, execution.module());
  }

  /** xla.sdy.GlobalToLocalShape: of each array this device's shard. */
  static Literal globalToLocal(HloInstruction call, List<Literal> in, Execution execution) {
    ManualShards borders = new ManualShards(call, "xla.sdy.in_shardings", execution);
    List<Shape.Array> shapes = borders.shapes(in.size());
    return borders.result(
        IntStream.range(0, in.size())
            .mapToObj(i -> borders.shard(i, in.get(i), shapes.get(i)))
            .toList());
  }

  /** xla.sdy.LocalToGlobalShape: the arrays that the shards of all devices make. */
  static Literal localToGlobal(HloInstruction call, List<Literal> in, Execution execution) {
    ManualShards borders = new ManualShards(call, "xla.sdy.out_shardings", execution);
    List<Shape.Array> shapes = borders.shapes(in.size());
    List<Integer> everybody = IntStream.range(0, borders.deviceCount()).boxed().toList();
    List<List<Literal>> all = execution.device().exchange(call, everybody, in);
    return borders.result(
        IntStream.range(0, in.size())
            .mapToObj(
                i -> borders.whole(i, all.stream().map(o -> o.get(i)).toList(), shapes.get(i)))
            .toList());
  }

  private int deviceCount() {
    return execution.device().grid().deviceCount();
  }

  private Literal result(List<Literal> parts) {
    return call.shape() instanceof Shape.Tuple ? Literal.tuple(parts) : parts.get(0);
  }

  private List<Shape.Array> shapes(int operands) {
    List<Shape.Array> shapes = new ArrayList<>();
    List<Shape> parts =
        call.shape() instanceof Shape.Tuple tuple ? tuple.elements() : List.of(call.shape());
    parts.forEach(part -> shapes.add((Shape.Array) part.withoutLayout()));
    require(
        operands == shapes.size() && operands == shardings.size(),
        "",
        "run: %s: got %s operands, %s results and %s shardings, want as many of each",
        call.name(),
        operands,
        shapes.size(),
        shardings.size());
    return shapes;
  }

  private Literal shard(int i, Literal whole, Shape.Array local) {
    LiteralBuilder shard = new LiteralBuilder(local);
    int[] from = places(i, whole.arrayShape(), local, execution.device().number());
    for (int k = 0; k < from.length; k++) {
      shard.copy(k, whole, from[k]);
    }
    return shard.build();
  }

  private Literal whole(int i, List<Literal> shards, Shape.Array global) {
    LiteralBuilder whole = new LiteralBuilder(global);
    for (int device = 0; device < shards.size(); device++) {
      int[] to = places(i, global, shards.get(device).arrayShape(), device);
      for (int k = 0; k < to.length; k++) {
        whole.copy(to[k], shards.get(device), k);
      }
    }
    return whole.build();
  }

  /** Where the elements of a device's shard are in the whole array. */
  private int[] places(int i, Shape.Array global, Shape.Array local, int device) {
    Dims start = shardings.get(i).shardOf(device, global.rank(), deviceCount());
    start = start.times(local.sizes());
    require(
        local.rank() == global.rank()
            && shardings.get(i).shards(global.rank()).times(local.sizes()).equals(global.sizes()),
        "",
        "run: %s: got %s and %s, want the one cut into the other by sharding %s",
        call.name(),
        global,
        local,
        shardings.get(i));
    Dims strides = Offsets.strides(global.sizes());
    int offset = (int) start.times(strides).stream().sum();
    int[] places = Offsets.all(local.sizes(), strides);
    for (int k = 0; k < places.length; k++) {
      places[k] += offset;
    }
    return places;
  }
}
