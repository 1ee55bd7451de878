package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.schema.AttributeText;

/** The collective methods of {@link XlaOp}: ops in which several devices take part. */
abstract class DeviceOps extends NamedOps {
  private static final Sharding MANUAL = Sharding.of(Sharding.Uniform.MANUAL);

  private List<XlaOp> self() {
    return Collections.singletonList((XlaOp) this);
  }

  private Shape.Array array(String opcode) {
    return ((XlaOp) this).arrayShape(opcode);
  }

  /**
   * Reduces over devices, element by element; every device gets the result.
   *
   * @param body from two scalars to one; it should be associative and commutative
   * @param participants the devices that communicate
   * @return the op, of this one's shape
   * @throws HloException if the groups are wrong, or the body's result is of another type
   */
  public XlaOp allReduce(BinaryOperator<XlaOp> body, Participants participants) {
    return owner().allReduceTuple(self(), body, participants);
  }

  /**
   * Reduces over devices, element by element, with a computation already built.
   *
   * @param body from two scalars to one; it should be associative and commutative
   * @param participants the devices that communicate
   * @return the op, of this one's shape
   * @throws HloException if the groups are wrong, or the signature is another
   */
  public XlaOp allReduce(HloComputation body, Participants participants) {
    return owner().allReduceTuple(self(), body, participants);
  }

  /**
   * Returns the sum over replicas; of pred whether any holds.
   *
   * @param replicaGroups groups of replica ids
   * @return the op, of this one's shape
   * @throws HloException if the groups are wrong
   */
  public XlaOp crossReplicaSum(ReplicaGroups replicaGroups) {
    return allReduce((a, b) -> a.add(b), Participants.replicas(replicaGroups));
  }

  /**
   * Concatenates over devices; every device gets the result.
   *
   * @param allGatherDimension the dimension along which to concatenate
   * @param shardCount how many devices take part together
   * @param participants the devices that take part
   * @return the op, that dimension shardCount times as large
   * @throws HloException if there is no such dimension, the size overflows, or groups are wrong
   */
  public XlaOp allGather(int allGatherDimension, long shardCount, Participants participants) {
    return owner().allGatherTuple(self(), allGatherDimension, shardCount, participants);
  }

  /** Returns the shape of this array concatenated over devices. */
  final Shape gathered(int dimension, long shardCount) {
    Shape.Array operand = array("all-gather");
    requireDimensionOf("all-gather", operand, dimension);
    requireCount("all-gather", "shard_count", shardCount);
    requireNoOverflow("all-gather", operand, dimension, shardCount);
    long size = operand.size(dimension) * shardCount;
    return operand
        .withSizes(operand.sizes().with(dimension, size))
        .withDynamic(operand.dynamicDimensions());
  }

  /**
   * Reduces over devices, and gives each its part of the result.
   *
   * @param body from two scalars to one; it should be associative and commutative
   * @param scatterDimension the dimension along which the result is cut
   * @param shardCount how many devices take part together
   * @param participants the devices that take part
   * @return the op, that dimension shardCount times smaller
   * @throws HloException if the dimension cannot be cut so, or groups or body are wrong
   */
  public XlaOp reduceScatter(
      BinaryOperator<XlaOp> body,
      int scatterDimension,
      long shardCount,
      Participants participants) {
    return owner()
        .guarded(
            self(),
            () -> {
              ElementType type = array("reduce-scatter").elementType();
              ReduceScatter op = reduceScatter(scatterDimension, shardCount, participants);
              return owner().append(op, self(), List.of(owner().scalarBody(type, body)));
            });
  }

  /**
   * Reduces over devices with a computation already built and gives each a part of the result.
   *
   * @param body from two scalars to one; it should be associative and commutative
   * @param scatterDimension the dimension along which to cut
   * @param shardCount how many devices take part together
   * @param participants the devices that take part
   * @return the op, that dimension shardCount times smaller
   * @throws HloException if the dimension cannot be cut so, or groups or signature are wrong
   */
  public XlaOp reduceScatter(
      HloComputation body, int scatterDimension, long shardCount, Participants participants) {
    return owner()
        .guarded(
            self(),
            () ->
                owner()
                    .apply(
                        reduceScatter(scatterDimension, shardCount, participants),
                        self(),
                        Collections.singletonList(body)));
  }

  private ReduceScatter reduceScatter(int dimension, long shardCount, Participants participants) {
    Shape.Array operand = array("reduce-scatter");
    requireParts("reduce-scatter", operand, dimension, shardCount);
    long size = operand.size(dimension) / shardCount;
    return new ReduceScatter(
        participants.channelId(),
        participants.replicaGroups(),
        false,
        participants.useGlobalDeviceIds(),
        Dims.of(dimension),
        operand
            .withSizes(operand.sizes().with(dimension, size))
            .withDynamic(operand.dynamicDimensions()));
  }

  /**
   * The same as {@link #allToAll}, by slices, an all-to-all of many operands, and a concatenation.
   *
   * @param splitDimension the dimension along which to cut
   * @param concatDimension the dimension along which to concatenate
   * @param splitCount how many devices take part together
   * @param participants the devices that communicate; without global device ids
   * @return the op
   * @throws HloException if the dimensions are wrong, or cannot be cut so
   */
  public XlaOp allToAllTuple(
      int splitDimension, int concatDimension, long splitCount, Participants participants) {
    return owner()
        .guarded(
            self(),
            () -> {
              Shape.Array operand = array("all-to-all");
              requireDimensionOf("all-to-all", operand, concatDimension);
              requireParts("all-to-all", operand, splitDimension, splitCount);
              long size = operand.size(splitDimension) / splitCount;
              List<XlaOp> parts = new ArrayList<>();
              for (int i = 0; i < splitCount; i++) {
                parts.add(((XlaOp) this).sliceInDim(i * size, (i + 1) * size, 1, splitDimension));
              }
              XlaOp exchanged = owner().allToAllTuple(parts, participants);
              List<XlaOp> received = new ArrayList<>();
              for (int i = 0; i < splitCount; i++) {
                received.add(splitCount == 1 ? exchanged : exchanged.getTupleElement(i));
              }
              return owner().concatInDim(received, concatDimension);
            });
  }

  /**
   * Splits the value along one dimension, sends part i to device i, and concatenates the received
   * parts along another. If the two differ, reshape, transpose and reshape follow the all-to-all.
   *
   * @param splitDimension the dimension along which to cut
   * @param concatDimension the dimension along which to concatenate
   * @param splitCount how many devices take part together
   * @param participants the devices that communicate; without global device ids
   * @return the op
   * @throws HloException if the dimensions are wrong, or cannot be cut so
   */
  public XlaOp allToAll(
      int splitDimension, int concatDimension, long splitCount, Participants participants) {
    return owner()
        .guarded(
            self(),
            () -> {
              Shape.Array operand = array("all-to-all");
              requireDimensionOf("all-to-all", operand, concatDimension);
              requireParts("all-to-all", operand, splitDimension, splitCount);
              requireNoOverflow("all-to-all", operand, concatDimension, splitCount);
              XlaOp exchanged =
                  owner()
                      .append(
                          new AllToAll(
                              participants.channelId(),
                              participants.replicaGroups(),
                              false,
                              Optional.of(Dims.of(splitDimension))),
                          self(),
                          List.of());
              return splitDimension == concatDimension
                  ? exchanged
                  : moved(exchanged, splitDimension, concatDimension, splitCount);
            });
  }

  /** Splits the parts again and concatenates them along another dimension. */
  private static XlaOp moved(XlaOp exchanged, int from, int to, long parts) {
    Dims sizes = exchanged.arrayShape().sizes();
    Dims cut = sizes.with(from, sizes.get(from) / parts).inserted(from, parts);
    Dims order = Dims.range(0, cut.count()).without(Dims.of(from));
    Dims permutation = order.inserted(to, from);
    Dims result = sizes.with(from, sizes.get(from) / parts).with(to, sizes.get(to) * parts);
    return exchanged.reshape(cut).transpose(permutation.toArray()).reshape(result);
  }

  /**
   * Sends the value from device to device; a device that is no target gets zeros.
   *
   * @param channelId the channel if ids number partitions; empty if they number replicas
   * @param sourceTargetPairs pairs of source and target id
   * @return the op, of this one's shape
   * @throws HloException if a source or a target occurs twice
   */
  public XlaOp collectivePermute(Optional<Long> channelId, long[]... sourceTargetPairs) {
    ImmutableList<Dims> pairs =
        Arrays.stream(sourceTargetPairs).map(Dims::of).collect(ImmutableList.toImmutableList());
    return owner().apply(new CollectivePermute(channelId, pairs), self());
  }

  /**
   * Gives every device of a group the value of the first one; a device in no group gets zeros.
   *
   * @param participants the devices that communicate; without global device ids
   * @return the op, of this one's shape
   * @throws HloException if the groups are wrong
   */
  public XlaOp collectiveBroadcast(Participants participants) {
    return owner()
        .apply(
            new CollectiveBroadcast(participants.channelId(), participants.replicaGroups()),
            self());
  }

  /**
   * Sends rows of this to the other devices of a group; see {@link RaggedAllToAll}.
   *
   * @param inputOffsets from which row on, for each device
   * @param sendSizes how many rows, for each device
   * @param output what the result is where nothing comes
   * @param outputOffsets to which row on, for each device
   * @param recvSizes how many rows come from each device
   * @param participants the devices that communicate; without global device ids
   * @return the op, of the shape of output
   * @throws HloException if shapes are incompatible
   */
  public XlaOp raggedAllToAll(
      XlaOp inputOffsets,
      XlaOp sendSizes,
      XlaOp output,
      XlaOp outputOffsets,
      XlaOp recvSizes,
      Participants participants) {
    return owner()
        .apply(
            new RaggedAllToAll(participants.channelId(), participants.replicaGroups()),
            Arrays.asList((XlaOp) this, output, inputOffsets, sendSizes, outputOffsets, recvSizes));
  }

  /**
   * Returns the shard of a partition, for manual partitioning: adds custom calls {@code Sharding}
   * and {@code SPMDFullToShardShape}, for XLA's partitioner.
   *
   * @param sharding how this is cut, such as {@code Sharding.tiled(2, 1)}
   * @param shardShape the shape of a part
   * @param unspecifiedDims dimensions whose sharding is left to the partitioner
   * @return the op
   * @throws HloException if the part is of another element type or rank
   */
  public XlaOp convertSpmdFullToShardShape(
      Sharding sharding, Shape.Array shardShape, long... unspecifiedDims) {
    return converted(
        "SPMDFullToShardShape", sharding, MANUAL, shardShape, Dims.of(unspecifiedDims));
  }

  /**
   * Returns the full value from the shards of the partitions: adds custom calls {@code Sharding}
   * and {@code SPMDShardToFullShape}, for XLA's partitioner.
   *
   * @param sharding how the whole is cut
   * @param outputShape the shape of the whole
   * @param unspecifiedDims dimensions whose sharding is left to the partitioner
   * @return the op
   * @throws HloException if the whole is of another element type or rank
   */
  public XlaOp convertSpmdShardToFullShape(
      Sharding sharding, Shape.Array outputShape, long... unspecifiedDims) {
    return converted(
        "SPMDShardToFullShape", MANUAL, sharding, outputShape, Dims.of(unspecifiedDims));
  }

  private XlaOp converted(
      String target, Sharding before, Sharding after, Shape.Array shape, Dims unspecified) {
    return owner()
        .guarded(
            self(),
            () -> {
              Shape.Array operand = array(target);
              require(
                  operand.elementType() == shape.elementType() && operand.rank() == shape.rank(),
                  "",
                  "%s: result got %s, want the element type and rank of %s",
                  target,
                  shape,
                  operand);
              String opaque =
                  unspecified.isEmpty()
                      ? ""
                      : "unspecified_dims=["
                          + Joiner.on(',').join(unspecified.stream().iterator())
                          + "]";
              XlaOp annotated =
                  sharded(CustomCallOptions.of("Sharding", operand), opaque, before, self());
              return sharded(
                  CustomCallOptions.of(target, shape), opaque, after, List.of(annotated));
            });
  }

  private XlaOp sharded(
      CustomCallOptions call, String opaque, Sharding sharding, List<XlaOp> operands) {
    ImmutableMap<String, String> attributes =
        opaque.isEmpty()
            ? ImmutableMap.of()
            : ImmutableMap.of("backend_config", AttributeText.quoted(opaque));
    return owner().apply(call.op(), operands, List.of(), attributes, Optional.of(sharding));
  }

  private static void requireParts(String opcode, Shape.Array operand, int dimension, long count) {
    requireDimensionOf(opcode, operand, dimension);
    requireCount(opcode, "shard count", count);
    require(
        operand.size(dimension) % count == 0,
        "",
        "%s: size of dimension %s of %s, want a multiple of %s",
        opcode,
        dimension,
        operand,
        count);
  }

  private static void requireDimensionOf(String opcode, Shape.Array operand, int dimension) {
    requireDimension(
        dimension,
        operand.rank(),
        "",
        "%s: dimension got %s, want one of %s",
        opcode,
        dimension,
        operand);
  }

  private static void requireNoOverflow(
      String opcode, Shape.Array operand, int dimension, long count) {
    require(
        operand.size(dimension) <= Long.MAX_VALUE / count,
        "",
        "%s: %s times dimension %s of %s, want a size below 2^63",
        opcode,
        count,
        dimension,
        operand);
  }

  private static void requireCount(String opcode, String what, long count) {
    require(
        count >= 1 && count <= Integer.MAX_VALUE,
        "",
        "%s: %s got %s, want at least 1",
        opcode,
        what,
        count);
  }
}
