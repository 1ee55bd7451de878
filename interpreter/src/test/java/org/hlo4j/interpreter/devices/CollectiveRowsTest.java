package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Collectives of all kinds over groups of all kinds. Device d has x = {10^d, 2 * 10^d}, so that a
 * digit of a sum tells which devices are in it. XLA:CPU of jaxlib 0.10.2 gives the same, but for
 * collective-broadcast, which it does not have.
 *
 * <p>A row is the replicas and partitions, the ids of its groups, the end of a program, and the
 * results of its devices.
 */
@Timeout(60)
final class CollectiveRowsTest {
  private static final String COMPUTATIONS =
      """
      add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
      largest { m = s32[] parameter(0) n = s32[] parameter(1) ROOT o = s32[] maximum(m, n) }
      body { s = (s32[], s32[2]) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        v = s32[2] get-tuple-element(s), index=1
        one = s32[] constant(1)
        next = s32[] add(i, one)
        w = s32[2] all-reduce(v), replica_groups={}, to_apply=add
        q = s32[2] collective-permute(w), source_target_pairs={{0,0}}
        u = s32[2] add(q, v)
        ROOT t = (s32[], s32[2]) tuple(next, u) }
      condition { cs = (s32[], s32[2]) parameter(0)
        ci = s32[] get-tuple-element(cs), index=0
        two = s32[] constant(2)
        ROOT less = pred[] compare(ci, two), direction=LT }
      yes { yp = s32[2] parameter(0)
        ROOT yr = s32[2] all-reduce(yp), replica_groups={}, to_apply=add }
      no { np = s32[2] parameter(0) nn = s32[2] negate(np)
        ROOT nr = s32[2] all-reduce(nn), replica_groups={}, to_apply=add }
      """;

  private static final String SCATTER =
      """
      scatter { wp = s32[2] parameter(0)
        ROOT wr = s32[1] reduce-scatter(wp), replica_groups={}, dimensions={0}, to_apply=add }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          4 | 1 | ROOT r = s32[2] all-reduce(x), replica_groups={{3,0},{1},{2}}, to_apply=add | {1001, 2002} {10, 20} {100, 200} {1001, 2002}
          4 | 1 | ROOT r = s32[2] all-reduce(x), replica_groups={{0,1,2},{3}}, to_apply=largest | {100, 200} {100, 200} {100, 200} {1000, 2000}
          2 | 2 | ROOT r = s32[2] all-reduce(x), replica_groups={}, to_apply=add | {101, 202} {1010, 2020} {101, 202} {1010, 2020}
          2 | 2 | ROOT r = s32[2] all-reduce(x), replica_groups={{1},{0}}, to_apply=add | {1, 2} {10, 20} {100, 200} {1000, 2000}
          2 | 2 | ROOT r = s32[2] all-reduce(x), channel_id=1, replica_groups={}, to_apply=add | {1111, 2222} {1111, 2222} {1111, 2222} {1111, 2222}
          2 | 2 | ROOT r = s32[2] all-reduce(x), channel_id=1, replica_groups={{0},{1}}, to_apply=add | {11, 22} {11, 22} {1100, 2200} {1100, 2200}
          2 | 2 | ROOT r = s32[2] all-reduce(x), channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true, to_apply=add | {1001, 2002} {110, 220} {110, 220} {1001, 2002}
          2 | 2 | ROOT r = s32[2] all-reduce(x), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true, to_apply=add | {101, 202} {1010, 2020} {101, 202} {1010, 2020}
          2 | 2 | ROOT r = s32[2] all-reduce(x), channel_id=1, replica_groups={{3,0,1},{2}}, use_global_device_ids=true, to_apply=add | {1011, 2022} {1011, 2022} {100, 200} {1011, 2022}
          1 | 4 | ROOT r = s32[4] all-gather(x), channel_id=1, replica_groups={{2,0},{1,3}}, use_global_device_ids=true, dimensions={0} | {100, 200, 1, 2} {10, 20, 1000, 2000} {100, 200, 1, 2} {10, 20, 1000, 2000}
          4 | 1 | ROOT r = s32[4] all-gather(x), replica_groups={{2,0},{1,3}}, dimensions={0} | {100, 200, 1, 2} {10, 20, 1000, 2000} {100, 200, 1, 2} {10, 20, 1000, 2000}
          4 | 1 | c = s32[2,1] reshape(x) ROOT r = s32[2,2] all-gather(c), replica_groups={{2,0},{1,3}}, dimensions={1} | { { 100, 1 }, { 200, 2 } } { { 10, 1000 }, { 20, 2000 } } { { 100, 1 }, { 200, 2 } } { { 10, 1000 }, { 20, 2000 } }
          2 | 2 | ROOT r = s32[4] all-gather(x), replica_groups={{1,0}}, dimensions={0} | {100, 200, 1, 2} {1000, 2000, 10, 20} {100, 200, 1, 2} {1000, 2000, 10, 20}
          4 | 1 | ROOT r = s32[1] reduce-scatter(x), replica_groups={{2,0},{1,3}}, dimensions={0}, to_apply=add | {202} {1010} {101} {2020}
          2 | 2 | ROOT r = s32[1] reduce-scatter(x), channel_id=1, replica_groups={{0,3},{1,2}}, use_global_device_ids=true, dimensions={0}, to_apply=add | {1001} {110} {220} {2002}
          4 | 1 | ROOT r = s32[2] all-to-all(x), replica_groups={{2,0},{1,3}}, dimensions={0} | {200, 2} {10, 1000} {100, 1} {20, 2000}
          2 | 2 | ROOT r = s32[2] all-to-all(x), channel_id=1, replica_groups={{1,0}}, dimensions={0} | {20, 2} {10, 1} {2000, 200} {1000, 100}
          4 | 1 | ROOT r = (s32[2], s32[2]) all-to-all(x, n), replica_groups={{2,0},{1,3}} | ( {-100, -200}, {-1, -2} ) ( {10, 20}, {1000, 2000} ) ( {100, 200}, {1, 2} ) ( {-10, -20}, {-1000, -2000} )
          2 | 2 | ROOT r = s32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}} | {100, 200} {1000, 2000} {1, 2} {10, 20}
          2 | 2 | ROOT r = s32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1}} | {0, 0} {1, 2} {0, 0} {100, 200}
          4 | 1 | ROOT r = s32[2] collective-permute(x), source_target_pairs={{0,1},{1,2},{3,3}} | {0, 0} {1, 2} {10, 20} {1000, 2000}
          4 | 1 | ROOT r = s32[2] collective-broadcast(x), replica_groups={{2,0},{1}} | {100, 200} {10, 20} {100, 200} {0, 0}
          2 | 1 | ROOT r = (s32[2], s32[2]) all-reduce(x, n), replica_groups={}, to_apply=add | ( {11, 22}, {-11, -22} ) ( {11, 22}, {-11, -22} )
          2 | 1 | ROOT r = (s32[4], s32[4]) all-gather(x, n), replica_groups={{1,0}}, dimensions={0} | ( {10, 20, 1, 2}, {-10, -20, -1, -2} ) ( {10, 20, 1, 2}, {-10, -20, -1, -2} )
          2 | 1 | ROOT r = (s32[1], s32[1]) reduce-scatter(x, n), replica_groups={{1,0}}, dimensions={0}, to_apply=add | ( {22}, {-22} ) ( {11}, {-11} )
          2 | 1 | s = s32[2] all-reduce-start(x), replica_groups={}, to_apply=add ROOT r = s32[2] all-reduce-done(s) | {11, 22} {11, 22}
          2 | 1 | s = (s32[2], s32[4]) all-gather-start(x), replica_groups={}, dimensions={0} ROOT r = s32[4] all-gather-done(s) | {1, 2, 10, 20} {1, 2, 10, 20}
          2 | 1 | s = (s32[2], s32[2]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}} ROOT r = s32[2] collective-permute-done(s) | {10, 20} {1, 2}
          2 | 1 | s = ((s32[2]), s32[1]) async-start(x), calls=scatter ROOT r = s32[1] async-done(s) | {11} {22}
          2 | 1 | z = s32[] constant(0) b = (s32[], s32[2]) tuple(z, x) w = (s32[], s32[2]) while(b), condition=condition, body=body ROOT r = s32[2] get-tuple-element(w), index=1 | {34, 68} {10, 20}
          2 | 1 | d = u32[] replica-id() z = u32[] constant(0) p = pred[] compare(d, z), direction=EQ ROOT r = s32[2] conditional(p, x, x), true_computation=yes, false_computation=no | {-9, -18} {-9, -18}
          """)
  void row(int replicas, int partitions, String end, String results) {
    HloModule module =
        Parser.parse(
            "HloModule m, replica_count=%d, num_partitions=%d\n".formatted(replicas, partitions)
                + COMPUTATIONS
                + (end.contains("calls=scatter") ? SCATTER : "")
                + "ENTRY e { x = s32[2] parameter(0) n = s32[2] negate(x) "
                + end
                + " }");
    Verifier.strict().verify(module);
    List<List<Literal>> arguments = new ArrayList<>();
    for (int power = 1; arguments.size() < replicas * partitions; power *= 10) {
      arguments.add(List.of(Literal.of(new int[] {power, 2 * power})));
    }
    DeviceGrid grid = new DeviceGrid(replicas, partitions);
    assertThat(
            Evaluators.both().runOnDevices(module, grid, arguments).stream()
                .map(Literal::toHloText)
                .collect(Collectors.joining(" ")))
        .isEqualTo(results);
  }
}
