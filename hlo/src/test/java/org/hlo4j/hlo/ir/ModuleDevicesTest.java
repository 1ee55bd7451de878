package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;

import java.util.stream.Collectors;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For which devices a program is, and whether it takes whole arrays. */
final class ModuleDevicesTest {
  private static final String SPLIT = "sharding={devices=[2]<=[2]}";

  /** The header, what follows parameter 0, another instruction; replicas, partitions, global. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "- | - | - | 1 x 1 of one",
        ", replica_count=2 | - | - | 2 x 1 of one",
        ", num_partitions=4 | - | - | 1 x 4 of one",
        ", replica_count=2, num_partitions=2 | S | - | 2 x 2 global",
        ", num_partitions=2 | S | - | 1 x 2 global",
        ", num_partitions=2, is_scheduled=true | S | - | 1 x 2 of one",
        ", num_partitions=2 | S | i = u32[] partition-id() | 1 x 2 of one",
        ", num_partitions=2 | S | g = f32[4] all-gather(p), dimensions={0} | 1 x 2 of one",
        ", num_partitions=2 | - | c = f32[2] custom-call(p), custom_call_target=\"Sharding\","
            + " sharding={replicated} | 1 x 2 global",
        "- | S | - | 1 x 1 global",
        "- | - | c = f32[1] custom-call(p), custom_call_target=\"SPMDFullToShardShape\","
            + " sharding={devices=[2]<=[2]} | 1 x 2 global",
        ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2, \"y\"=4]>}} | - | c ="
            + " f32[1] custom-call(p), custom_call_target=\"xla.sdy.GlobalToLocalShape\" | 1 x 8"
            + " global",
        ", num_partitions=3, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2]>}} |"
            + " - | c = f32[1] custom-call(p),"
            + " custom_call_target=\"xla.sdy.GlobalToLocalShape\" | 1 x 3 global",
      })
  void devices(String header, String sharding, String instruction, String want) {
    ModuleDevices devices =
        Parser.parse(
                "HloModule m%s\nENTRY e {\np = f32[2] parameter(0)%s\n%s\nROOT r = f32[2] copy(p)\n}"
                    .formatted(
                        header == null ? "" : header,
                        sharding == null ? "" : ", " + SPLIT,
                        instruction == null ? "" : instruction))
            .devices();
    assertThat(
            "%s x %s %s"
                .formatted(
                    devices.replicas(),
                    devices.partitions(),
                    devices.isGlobal() ? "global" : "of one"))
        .isEqualTo(want);
    assertThat(devices.count()).isEqualTo(devices.replicas() * devices.partitions());
  }

  @Test
  void argumentsAndResults() {
    ModuleDevices devices =
        Parser.parse(
                """
                HloModule m, num_partitions=2

                ENTRY e {
                  t = token[] parameter(0)
                  a = (f32[2], (f32[], f32[4])) parameter(1), sharding={{devices=[2]<=[2]}, {replicated}, {devices=[2]1,0}}
                  b = f32[2] parameter(2)
                  ROOT r = (f32[2], token[]) tuple(b, t), sharding={{devices=[2]<=[2]}, {replicated}}
                }
                """)
            .devices();
    assertThat(lines(devices.parameters()))
        .isEqualTo(
            """
            token[] {replicated}
            f32[2] {devices=[2]<=[2]}
            f32[] {replicated}
            f32[4] {devices=[2]1,0}
            f32[2] {replicated}\
            """);
    assertThat(lines(devices.results()))
        .isEqualTo("f32[2] {devices=[2]<=[2]}\ntoken[] {replicated}");
  }

  @Test
  void shapesOfOneDeviceAreThoseOfSlices() {
    ModuleDevices devices =
        Parser.parse("HloModule m, replica_count=2\nENTRY e { ROOT p = f32[2] parameter(0) }")
            .devices();
    assertThat(lines(devices.parameters())).isEqualTo("f32[2] {manual}");
  }

  private static String lines(Iterable<ArraySharding> all) {
    StringBuilder text = new StringBuilder();
    all.forEach(each -> text.append(each).append('\n'));
    return text.toString().lines().collect(Collectors.joining("\n"));
  }
}
