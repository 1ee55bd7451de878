package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every device begins with its own vector; the expected rows are one for each device. */
@Timeout(60)
final class CollectivesTest {
  private static final DeviceGrid TWO = new DeviceGrid(2, 1);
  private static final DeviceGrid TWO_BY_TWO = new DeviceGrid(2, 2);

  private static HloModule module(long size, Function<XlaOp, XlaOp> body) {
    XlaBuilder builder = new XlaBuilder("test");
    XlaOp result = body.apply(builder.parameter(0, Shape.of(S32, size), "x"));
    HloModule module = builder.build(result);
    Verifier.strict().verify(module);
    return module;
  }

  private static String run(DeviceGrid grid, int[][] inputs, Function<XlaOp, XlaOp> body) {
    List<List<Literal>> arguments = new ArrayList<>();
    for (int[] input : inputs) {
      arguments.add(List.of(Literal.of(input)));
    }
    HloModule module = module(inputs[0].length, body);
    ImmutableList<Literal> results = Evaluators.both().runOnDevices(module, grid, arguments);
    return String.join(" ", results.stream().map(Literal::toHloText).toList());
  }

  private static Participants replicas(long[]... groups) {
    return Participants.replicas(ReplicaGroups.of(groups));
  }

  private static final int[][] PAIR = {{1, 2}, {30, 40}};
  private static final int[][] FOUR = {{1, 2}, {3, 4}, {50, 60}, {70, 80}};

  @Test
  void allReduceOverReplicas() {
    assertThat(run(TWO, PAIR, x -> x.allReduce(XlaOp::add, Participants.allReplicas())))
        .isEqualTo("{31, 42} {31, 42}");
  }

  /** In f16 alone, 2048 + 1 is 2048, whatever is added later. */
  @Test
  void reducersMayComputeInAWiderType() {
    String text =
        """
        HloModule wide
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY e {
          x = f16[3] parameter(0)
          r = f16[3] all-reduce(x), replica_groups={}, to_apply=add
          s = f16[1] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=add
          ROOT t = (f16[3], f16[1]) tuple(r, s)
        }
        """;
    List<List<Literal>> arguments =
        Stream.of("{2048, 1, 0}", "{1, 2, 60000}", "{1, 3, 60000}")
            .map(values -> List.of(Parser.parseLiteral("f16[3] " + values)))
            .toList();
    ImmutableList<Literal> results =
        Evaluators.both().runOnDevices(Parser.parse(text), new DeviceGrid(3, 1), arguments);
    assertThat(results.stream().map(Literal::toHloText))
        .containsExactly(
            "( {2050, 6, inf}, {2050} )", "( {2050, 6, inf}, {6} )", "( {2050, 6, inf}, {inf} )")
        .inOrder();
  }

  private static String permutedInPlace(String pairs, int start) {
    String text =
        """
        HloModule in_place
        ENTRY e {
          x = s32[2,2] parameter(0)
          zero = s32[] constant(0)
          one = s32[] constant(%s)
          output = s32[2,3] broadcast(zero), dimensions={}
          upper = (s32[], s32[]) tuple(zero, zero)
          lower = (s32[], s32[]) tuple(one, one)
          both = ((s32[], s32[]), (s32[], s32[])) tuple(upper, lower)
          turned = ((s32[], s32[]), (s32[], s32[])) tuple(lower, upper)
          s = (s32[2,2], s32[2,3]) collective-permute-start(x, output, both, turned),
            source_target_pairs=%s, slice_sizes={{1,2},{1,1}}
          ROOT r = s32[2,3] collective-permute-done(s)
        }
        """
            .formatted(start, pairs);
    List<List<Literal>> arguments =
        Stream.of("{{1, 2}, {3, 4}}", "{{5, 6}, {7, 8}}")
            .map(values -> List.of(Parser.parseLiteral("s32[2,2] " + values)))
            .toList();
    ImmutableList<Literal> results =
        Evaluators.both().runOnDevices(Parser.parse(text), TWO, arguments);
    return String.join(" ", results.stream().map(Literal::toHloText).toList());
  }

  private static void refusedInPlace(String message, String pairs, int start) {
    HloException refusal = assertThrows(HloException.class, () -> permutedInPlace(pairs, start));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  /** The upper row goes to the lower right, the lower right number to the upper left. */
  @Test
  void slicesArePermutedInPlace() {
    assertThat(permutedInPlace("{{0,1},{1,0}}", 1))
        .isEqualTo("{ { 0, 0, 0 }, { 0, 5, 6 } } { { 0, 0, 0 }, { 0, 1, 2 } }");
    assertThat(permutedInPlace("{{0,1},{0,1}}", 1))
        .isEqualTo("{ { 0, 0, 0 }, { 0, 0, 0 } } { { 4, 0, 0 }, { 0, 1, 2 } }");
    refusedInPlace(
        "run: s: source_target_pairs got (0, 1) as pair 1 of its source and 0 of its target, want"
            + " the same",
        "{{0,0},{0,1}}",
        1);
    refusedInPlace(
        "run: s: start index 0 got 2, want from 0 to 1 for slice (1, 2) of s32[2,3]", "{{0,1}}", 2);
  }

  /** Both arrays move, each by its slices: the row {1, 2} and the number 9 from device 0 to 1. */
  @Test
  void tuplesArePermutedInPlace() {
    String text =
        """
        ENTRY e {
          x = s32[2,2] parameter(0)
          y = s32[2] parameter(1)
          zero = s32[] constant(0)
          one = s32[] constant(1)
          wide = s32[2,3] broadcast(zero), dimensions={}
          first = (s32[], s32[]) tuple(zero, zero)
          low = (s32[], s32[]) tuple(one, zero)
          at = (s32[]) tuple(one)
          from = ((s32[], s32[]), (s32[])) tuple(first, at)
          to = ((s32[], s32[]), (s32[])) tuple(low, at)
          in = (s32[2,2], s32[2]) tuple(x, y)
          out = (s32[2,3], s32[2]) tuple(wide, y)
          ROOT r = (s32[2,3], s32[2]) collective-permute(in, out, from, to),
            source_target_pairs={{0,1}}, slice_sizes={{1,2},{1}}
        }
        """;
    List<List<Literal>> arguments =
        List.of(
            List.of(Literal.of(new int[][] {{1, 2}, {3, 4}}), Literal.of(new int[] {8, 9})),
            List.of(Literal.of(new int[][] {{5, 6}, {7, 8}}), Literal.of(new int[] {6, 7})));
    assertThat(
            Evaluators.both().runOnDevices(Parser.parse(text), TWO, arguments).stream()
                .map(Literal::toHloText)
                .toList())
        .containsExactly(
            "( { { 0, 0, 0 }, { 0, 0, 0 } }, {8, 9} )", "( { { 0, 0, 0 }, { 1, 2, 0 } }, {6, 9} )")
        .inOrder();
  }

  /** Several collectives in one asynchronous computation. */
  @Test
  void groupsOfCollectives() {
    String text =
        """
        add { m = s32[] parameter(0) n = s32[] parameter(1) ROOT s = s32[] add(m, n) }
        group {
          p = s32[2] parameter(0)
          a = s32[2] all-reduce(p), replica_groups={{0,1}}, to_apply=add
          b = s32[2] collective-permute(p), source_target_pairs={{0,1},{1,0}}
          ROOT t = (s32[2], s32[2]) tuple(a, b)
        }
        ENTRY e {
          x = s32[2] parameter(0)
          s = ((s32[2]), (s32[2], s32[2])) async-start(x), calls=group,
            frontend_attributes={_collectives_group=""}
          ROOT d = (s32[2], s32[2]) async-done(s)
        }
        """;
    List<List<Literal>> arguments =
        List.of(List.of(Literal.of(new int[] {1, 2})), List.of(Literal.of(new int[] {30, 40})));
    assertThat(
            Evaluators.both().runOnDevices(Parser.parse(text), TWO, arguments).stream()
                .map(Literal::toHloText)
                .toList())
        .containsExactly("( {31, 42}, {30, 40} )", "( {31, 42}, {1, 2} )")
        .inOrder();
  }

  @Test
  void allReduceKeepsToItsPartition() {
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.allReduce(XlaOp::add, Participants.allReplicas())))
        .isEqualTo("{51, 62} {73, 84} {51, 62} {73, 84}");
  }

  @Test
  void allReduceWithChannelSpansPartitions() {
    Participants all = Participants.channel(1, ReplicaGroups.of(new long[] {0}, new long[] {1}));
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.allReduce(XlaOp::add, all)))
        .isEqualTo("{4, 6} {4, 6} {120, 140} {120, 140}");
  }

  @Test
  void allGatherWithChannelSpansPartitions() {
    Participants all = Participants.channel(1, ReplicaGroups.of(new long[] {1, 0}));
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.allGather(0, 4, all)).split(" (?=\\{)"))
        .asList()
        .containsExactlyElementsIn(Collections.nCopies(4, "{50, 60, 70, 80, 1, 2, 3, 4}"));
  }

  @Test
  void reduceScatterWithChannelSpansPartitions() {
    Participants rows = Participants.channel(1, ReplicaGroups.of(new long[] {0}, new long[] {1}));
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.reduceScatter(XlaOp::add, 0, 2, rows)))
        .isEqualTo("{4} {6} {120} {140}");
  }

  @Test
  void allReduceByGlobalDeviceIds() {
    Participants crossed =
        Participants.devices(1, ReplicaGroups.of(new long[] {0, 3}, new long[] {2, 1}));
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.allReduce(XlaOp::add, crossed)))
        .isEqualTo("{71, 82} {53, 64} {53, 64} {71, 82}");
  }

  @Test
  void allReduceReductionsInTheOrderOfTheGroup() {
    Participants backwards = replicas(new long[] {1, 0});
    assertThat(run(TWO, PAIR, x -> x.allReduce(XlaOp::sub, backwards)))
        .isEqualTo("{29, 38} {29, 38}");
  }

  @Test
  void allGather() {
    assertThat(run(TWO, PAIR, x -> x.allGather(0, 2, Participants.allReplicas())))
        .isEqualTo("{1, 2, 30, 40} {1, 2, 30, 40}");
  }

  @Test
  void allGatherAlongTheInnerDimension() {
    assertThat(run(TWO, PAIR, x -> x.reshape(2, 1).allGather(1, 2, Participants.allReplicas())))
        .isEqualTo("{ { 1, 30 }, { 2, 40 } } { { 1, 30 }, { 2, 40 } }");
  }

  @Test
  void allGatherByIota() {
    Participants rows = Participants.devices(1, ReplicaGroups.iota(2, 2));
    assertThat(run(TWO_BY_TWO, FOUR, x -> x.allGather(0, 2, rows)))
        .isEqualTo("{1, 2, 3, 4} {1, 2, 3, 4} {50, 60, 70, 80} {50, 60, 70, 80}");
  }

  @Test
  void allGatherOverAxesOfAMesh() {
    assertThat(gatheredOverMesh(2, MESH, 1))
        .isEqualTo("{1, 2, 3, 4} {1, 2, 3, 4} {50, 60, 70, 80} {50, 60, 70, 80}");
    assertThat(gatheredOverMesh(2, MESH, 0))
        .isEqualTo("{1, 2, 50, 60} {3, 4, 70, 80} {1, 2, 50, 60} {3, 4, 70, 80}");
    assertThat(gatheredOverMesh(4, MESH, 1, 0)).startsWith("{1, 2, 50, 60, 3, 4, 70, 80} ");
  }

  @Test
  void allGatherOverAxesOfAPermutedMesh() {
    Mesh permuted =
        new Mesh(MESH.names(), new TileAssignment.Listed(Dims.of(2, 2), Dims.of(3, 0, 1, 2)));
    assertThat(gatheredOverMesh(2, permuted, 1))
        .isEqualTo("{70, 80, 1, 2} {3, 4, 50, 60} {3, 4, 50, 60} {70, 80, 1, 2}");
  }

  private static final Mesh MESH = Mesh.of(ImmutableList.of("x", "y"), Dims.of(2, 2));

  private static String gatheredOverMesh(long size, Mesh mesh, int... axes) {
    ImmutableList<AxisRef> refs =
        Arrays.stream(axes).mapToObj(AxisRef::of).collect(ImmutableList.toImmutableList());
    Participants devices = Participants.devices(1, ReplicaGroups.mesh(mesh, refs));
    return run(TWO_BY_TWO, FOUR, x -> x.allGather(0, size, devices));
  }

  @Test
  void reduceScatter() {
    assertThat(run(TWO, PAIR, x -> x.reduceScatter(XlaOp::add, 0, 2, Participants.allReplicas())))
        .isEqualTo("{31} {42}");
  }

  @Test
  void allToAllAlongOneDimension() {
    assertThat(run(TWO, PAIR, x -> x.allToAll(0, 0, 2, replicas(new long[] {0, 1}))))
        .isEqualTo("{1, 30} {2, 40}");
  }

  @Test
  void allToAllSplitsOneDimensionAndConcatenatesAnother() {
    int[][] inputs = {{1, 2, 3, 4}, {10, 20, 30, 40}};
    assertThat(
            run(TWO, inputs, x -> x.reshape(2, 2).allToAll(1, 0, 2, replicas(new long[] {0, 1}))))
        .isEqualTo("{ {1}, {3}, {10}, {30} } { {2}, {4}, {20}, {40} }");
  }

  @Test
  void allToAllTuple() {
    assertThat(
            run(
                TWO,
                PAIR,
                x -> x.builder().allToAllTuple(List.of(x, x.neg()), replicas(new long[] {0, 1}))))
        .isEqualTo("( {1, 2}, {30, 40} ) ( {-1, -2}, {-30, -40} )");
  }

  @Test
  void collectivePermuteGivesZerosWhereNothingComes() {
    assertThat(run(TWO, PAIR, x -> x.collectivePermute(Optional.empty(), new long[] {0, 1})))
        .isEqualTo("{0, 0} {1, 2}");
  }

  @Test
  void collectivePermuteOverPartitions() {
    assertThat(
            run(
                TWO_BY_TWO,
                FOUR,
                x -> x.collectivePermute(Optional.of(1L), new long[] {0, 1}, new long[] {1, 0})))
        .isEqualTo("{3, 4} {1, 2} {70, 80} {50, 60}");
  }

  @Test
  void collectiveBroadcast() {
    assertThat(run(TWO, PAIR, x -> x.collectiveBroadcast(replicas(new long[] {1, 0}))))
        .isEqualTo("{30, 40} {30, 40}");
    assertThat(run(TWO, PAIR, x -> x.collectiveBroadcast(replicas(new long[] {1}))))
        .isEqualTo("{0, 0} {30, 40}");
  }

  @Test
  void raggedAllToAll() {
    assertThat(
            run(
                TWO,
                new int[][] {{1, 2, 3}, {10, 20, 30}},
                x -> {
                  XlaBuilder b = x.builder();
                  XlaOp sizes = b.constant(new int[] {1, 2});
                  XlaOp first = b.constant(new int[] {1, 1});
                  XlaOp second = b.constant(new int[] {2, 2});
                  XlaOp received = b.replicaId().eq(b.constant(U32, 0)).select(first, second);
                  return x.raggedAllToAll(
                      b.constant(new int[] {0, 1}),
                      sizes,
                      b.constant(new int[] {7, 7, 7, 7, 8}),
                      b.constant(new int[] {2, 0}),
                      received,
                      replicas(new long[] {0, 1}));
                }))
        .isEqualTo("{7, 7, 10, 7, 8} {20, 30, 7, 7, 8}");
  }

  @Test
  void offsetsBeyondAllRowsAreRefused() {
    long last = Long.MAX_VALUE;
    assertThat(ragged(new long[] {last, last}, new long[] {1, 1}))
        .isEqualTo("run: ragged-all-to-all got 1 rows from " + last + " on, want rows of s32[2]");
    assertThat(ragged(new long[] {0, 0}, new long[] {last, last}))
        .isEqualTo("run: ragged-all-to-all got " + last + " rows from 0 on, want rows of s32[2]");
    assertThat(ragged(new long[] {-1, -1}, new long[] {1, 1}))
        .isEqualTo("run: ragged-all-to-all got 1 rows from -1 on, want rows of s32[2]");
  }

  private static String ragged(long[] offsets, long[] sizes) {
    return refusal(
        TWO,
        PAIR,
        x -> {
          XlaBuilder b = x.builder();
          XlaOp given = b.constant(sizes);
          return x.raggedAllToAll(
              b.constant(offsets),
              given,
              b.constant(new int[2]),
              b.constant(new long[2]),
              given,
              replicas(new long[] {0, 1}));
        });
  }

  private static String inBranches(String yes, String no) {
    String text =
        """
        HloModule branches
        add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
        yes { y = s32[2] parameter(0) ROOT in_yes = YES }
        no { n = s32[2] parameter(0) m = s32[2] negate(n) ROOT in_no = NO }
        ENTRY e {
          x = s32[2] parameter(0)
          one = u32[] constant(1)
          r = u32[] partition-id()
          is_second = pred[] compare(r, one), direction=EQ
          ROOT c = s32[2] conditional(is_second, x, x), true_computation=yes, false_computation=no
        }
        """
            .replace("YES", yes)
            .replace("NO", no);
    List<List<Literal>> arguments =
        Arrays.stream(PAIR).map(values -> List.of(Literal.of(values))).toList();
    return String.join(
        " ",
        Evaluators.both().runOnDevices(Parser.parse(text), new DeviceGrid(1, 2), arguments).stream()
            .map(Literal::toHloText)
            .toList());
  }

  @Test
  void collectivesOnOneChannelMeetAcrossBranches() {
    String sum =
        "s32[2] all-reduce(%s), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true,"
            + " to_apply=add";
    assertThat(inBranches(sum.formatted("y"), sum.formatted("m"))).isEqualTo("{29, 38} {29, 38}");
    String permuted = "s32[2] collective-permute(%s), channel_id=1, source_target_pairs={{0,0}}";
    assertThat(inBranches(permuted.formatted("y"), permuted.formatted("m")))
        .isEqualTo("{-1, -2} {0, 0}");
  }

  /** One computation is called in two branches; the sums in the branches have no channel. */
  @Test
  void collectivesWithoutChannelMeetAcrossBranchesAndCalls() {
    String text =
        """
        HloModule m
        add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
        sum { p = s32[2] parameter(0)
          ROOT q = s32[2] all-reduce(p), replica_groups={}, to_apply=add }
        zero { x0 = s32[2] parameter(0) s0 = s32[2] call(x0), to_apply=sum
          n0 = s32[2] negate(s0)
          ROOT r0 = s32[2] all-reduce(n0), replica_groups={}, to_apply=add }
        one { x1 = s32[2] parameter(0) s1 = s32[2] call(x1), to_apply=sum
          t1 = s32[2] add(s1, x1) ROOT r1 = s32[2] all-reduce(t1), replica_groups={}, to_apply=add }
        ENTRY e { x = s32[2] parameter(0) d = u32[] replica-id() i = s32[] convert(d)
          k = s32[2] constant({1, 2}) kk = s32[2] multiply(x, k)
          ROOT r = s32[2] conditional(i, x, kk), branch_computations={zero, one} }
        """;
    List<List<Literal>> arguments =
        Arrays.stream(PAIR).map(values -> List.of(Literal.of(values))).toList();
    assertThat(
            Evaluators.both().runOnDevices(Parser.parse(text), TWO, arguments).stream()
                .map(Literal::toHloText))
        .containsExactly("{30, 80}", "{30, 80}")
        .inOrder();
  }

  @Test
  void collectivesOfAnotherKindOrChannelDoNotMeet() {
    String sum =
        "s32[2] all-reduce(%s), channel_id=%s, replica_groups={{0,1}}, use_global_device_ids=true,"
            + " to_apply=add";
    String refusal =
        "run: devices wait for others that do not come: device 0 at in_no for device 1; device 1"
            + " at in_yes for device 0";
    assertThat(
            assertThrows(
                    HloException.class,
                    () -> inBranches(sum.formatted("y", 1), sum.formatted("m", 2)))
                .summary())
        .isEqualTo(refusal);
    String broadcast = "s32[2] collective-broadcast(m), channel_id=1, replica_groups={{0,1}}";
    assertThat(
            assertThrows(HloException.class, () -> inBranches(sum.formatted("y", 1), broadcast))
                .summary())
        .isEqualTo(refusal);
  }

  /** There are more rows of nothing than one can count one by one. */
  @Test
  void arraysOfNoElementsAreGathered() {
    String text =
        "HloModule m ENTRY e { x = s32[2147483647,0] parameter(0) ROOT r = s32[2147483647,0]"
            + " all-gather(x), dimensions={1}, replica_groups={} }";
    Literal nothing = Literal.zeros(Shape.of(S32, Integer.MAX_VALUE, 0));
    assertThat(
            Evaluators.both()
                .runOnDevices(Parser.parse(text), TWO, List.of(List.of(nothing), List.of(nothing)))
                .get(1)
                .shape())
        .isEqualTo(nothing.shape());
  }

  @Test
  void oneDeviceAloneMeetsItself() {
    HloModule module = module(2, x -> x.allReduce(XlaOp::add, Participants.allReplicas()));
    assertThat(Evaluators.both().run(module, Literal.of(new int[] {1, 2})).toHloText())
        .isEqualTo("{1, 2}");
  }

  private static String refusal(DeviceGrid grid, int[][] inputs, Function<XlaOp, XlaOp> body) {
    HloException refusal = assertThrows(HloException.class, () -> run(grid, inputs, body));
    return refusal.summary();
  }

  @Test
  void groupsThatLeaveADeviceOutAreRefused() {
    assertThat(refusal(TWO, PAIR, x -> x.allReduce(XlaOp::add, replicas(new long[] {0}))))
        .isEqualTo("run: all-reduce: replica_groups got {{0}}, want device 1 in one of them");
  }

  @Test
  void groupsThatNameADeviceTooManyAreRefused() {
    assertThat(refusal(TWO, PAIR, x -> x.allReduce(XlaOp::add, replicas(new long[] {0, 1, 2}))))
        .isEqualTo(
            "run: device id got 2, want below 2, as there are DeviceGrid[replicas=2,"
                + " partitions=1]");
  }

  @Test
  void groupsThatDoNotSuitTheDeclaredShapeAreRefused() {
    assertThat(refusal(TWO, PAIR, x -> x.allGather(0, 3, Participants.allReplicas())))
        .isEqualTo(
            "run: all-gather gives s32[4] for the devices that take part, want s32[6] as"
                + " declared");
  }

  @Test
  void wrongNumberOfDevicesIsRefused() {
    HloModule module = module(2, x -> x);
    HloException refusal =
        assertThrows(
            HloException.class, () -> Evaluators.both().runOnDevices(module, TWO, List.of()));
    assertThat(refusal).hasMessageThat().isEqualTo("run: got arguments for 0 devices, want 2");
  }
}
