package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.Refusals.assertRefused;

import com.google.common.base.Splitter;
import com.google.common.io.BaseEncoding;
import com.google.common.io.Resources;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Shardings and replica groups, compared with the text and protos that XLA writes. */
final class ShardingsTest {
  private static final BaseEncoding HEX = BaseEncoding.base16().lowerCase();

  /**
   * A sharding or replica groups with the output of XLA.
   *
   * @param input the text that XLA read
   * @param printed the text that XLA printed
   * @param bytes the proto that XLA wrote, in hexadecimal
   */
  private record Row(String input, String printed, String bytes) {
    static Stream<Row> all(String file) throws IOException {
      String text = Resources.toString(Resources.getResource(Row.class, file), UTF_8);
      return Splitter.on("\n\n").omitEmptyStrings().splitToStream(text).skip(1).map(Row::of);
    }

    private static Row of(String block) {
      List<String> lines = block.lines().toList();
      String input = lines.get(0);
      String printed = lines.get(1).strip().substring("=> ".length());
      String same = input.substring(input.indexOf("  ") + 1).strip();
      return new Row(
          input,
          printed.equals("the same") ? same : printed,
          lines.get(2).strip().replace("no bytes", ""));
    }
  }

  @TestFactory
  Stream<DynamicTest> shardings() throws IOException {
    return Row.all("shardings.txt")
        .map(row -> DynamicTest.dynamicTest(row.input(), () -> checkSharding(row)));
  }

  private static void checkSharding(Row row) {
    int end = row.input().indexOf("  ");
    Shape shape = Parser.parseShape(row.input().substring(0, end));
    Sharding sharding = Parser.parseSharding(row.input().substring(end)).forShape(shape);
    assertThat(sharding.toString()).isEqualTo(row.printed());
    assertThat(Parser.parseSharding(row.printed())).isEqualTo(sharding);
    assertThat(HEX.encode(Shardings.write(sharding).toBytes())).isEqualTo(row.bytes());
    assertThat(read(row.bytes())).isEqualTo(sharding);
  }

  private static Sharding read(String hex) {
    return Shardings.read(ProtoMessage.of(Schema.message("OpSharding"), HEX.decode(hex)));
  }

  @TestFactory
  Stream<DynamicTest> replicaGroups() throws IOException {
    return Row.all("replica_groups.txt")
        .map(row -> DynamicTest.dynamicTest(row.input(), () -> checkGroups(row)));
  }

  private static void checkGroups(Row row) {
    ReplicaGroups groups = groups(row.input());
    assertThat(groups.toString()).isEqualTo(row.printed());
    assertThat(groups(row.printed())).isEqualTo(groups);
    ProtoBuilder instruction = ProtoBuilder.of("HloInstructionProto");
    DeviceGroups.write(instruction, "replica_groups", groups);
    ProtoMessage message = ProtoMessage.of(instruction.type(), instruction.toBytes());
    String written = message.number(0) + " " + HEX.encode(message.raw(0));
    assertThat(written.strip()).isEqualTo(row.bytes());
    assertThat(DeviceGroups.read(message, "replica_groups")).isEqualTo(groups);
  }

  private static ReplicaGroups groups(String text) {
    HloModule module =
        Parser.parse(
            """
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
            ENTRY e {
              x = f32[4] parameter(0)
              ROOT r = f32[4] all-reduce(x), channel_id=1, replica_groups=%s, to_apply=add
            }
            """
                .formatted(text));
    return ((AllReduce) module.entry().root().op()).replicaGroups();
  }

  /**
   * Fields 12 and 14 of a module that XLA has partitioned over 4 devices, as its CPU plugin has it.
   */
  @Test
  void shardingsOfAPartitionedProgram() {
    HloModule module =
        Parser.parse("HloModule m\nENTRY e {\n  ROOT x = f32[3,8] parameter(0)\n}\n")
            .withUnknownFields(
                UnknownFields.of(
                    HEX.decode(
                        "621e08022a0c08031a0204014a01045201002a0c08031a0204014a0104520100"
                            + "720c08031a0204014a0104520100")));
    assertThat(HloProtos.spmdShardings(module).toString())
        .isEqualTo("[{devices=[4,1]<=[4]}, {{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}]");
    assertThat(HloProtos.spmdShardings(module.withUnknownFields(UnknownFields.NONE))).isEmpty();
  }

  /** The expected groups are those of an all-gather of device ids that XLA ran on eight devices. */
  @Test
  void groupsOverAMesh() {
    assertGroups("mesh['a'=2,'b'=4] {'a'}", "{{0,4},{1,5},{2,6},{3,7}}");
    assertGroups("mesh['a'=2,'b'=4] {'b'}", "{{0,1,2,3},{4,5,6,7}}");
    assertGroups("mesh['a'=2,'b'=4] {'b','a'}", "{{0,4,1,5,2,6,3,7}}");
    assertGroups("mesh['a'=2,'b'=4] {'b':(2)2}", "{{0,1},{2,3},{4,5},{6,7}}");
    assertGroups("mesh['a'=2,'b'=4] {'b':(1)2}", "{{0,2},{1,3},{4,6},{5,7}}");
    assertGroups("mesh['a'=2,'b'=4] {'b':(2)2,'a'}", "{{0,4,1,5},{2,6,3,7}}");
    assertGroups("mesh['a'=8] {'a':(4)2,'a':(1)2}", "{{0,4,1,5},{2,6,3,7}}");
    assertGroups("[4,2]<=[2,2,2]T(2,0,1)", "{{0,2},{4,6},{1,3},{5,7}}");
  }

  /** The groups contain device ids in the order of the mesh. */
  @Test
  void groupsOverAPermutedMesh() {
    assertGroups("mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'b'}", "{{0,2,4,6},{1,3,5,7}}");
    assertGroups(
        "mesh['a'=2,'b'=4], device_ids=(7,6,4,5,3,2,1,0) {'a'}", "{{7,3},{6,2},{4,1},{5,0}}");
  }

  private static void assertGroups(String text, String want) {
    assertThat(ReplicaGroups.of(groups(text).groups()).toString()).isEqualTo(want);
  }

  /** The oldest messages list ids in {@code replica_groups}; later ones nest the iota form. */
  @Test
  void olderFormsOfGroupsAreRead() {
    ProtoBuilder oldest = ProtoBuilder.of("HloInstructionProto");
    oldest.put("replica_groups", ProtoBuilder.of("ReplicaGroup").put("replica_ids", Dims.of(1, 0)));
    assertThat(read(oldest)).isEqualTo(ReplicaGroups.of(new long[] {1, 0}));
    ProtoBuilder nested = ProtoBuilder.of("HloInstructionProto");
    nested
        .at("collective_device_list")
        .at("iota_replica_group_list")
        .put("num_replica_groups", 2)
        .put("num_devices_per_group", 1)
        .put("iota_reshape_dims", Dims.of(2))
        .put("iota_transpose_perm", Dims.of(0));
    assertThat(read(nested)).isEqualTo(ReplicaGroups.iota(2, 1));
  }

  private static ReplicaGroups read(ProtoBuilder instruction) {
    return DeviceGroups.read(
        ProtoMessage.of(instruction.type(), instruction.toBytes()), "replica_groups");
  }

  @Test
  void malformedShardingProtosAreRefused() {
    assertRefused("proto: at byte 1: type got 9, want a type of OpSharding", () -> read("0809"));
    assertRefused(
        "proto: at byte 8: last_tile_dims got 2, want a type of OpSharding",
        () -> read("08031a0201024201024a0102520100"));
    assertRefused(
        "proto: at byte 4: tile_assignment_devices got 2 devices, want the one of maximal",
        () -> read("080122020001"));
    assertRefused(
        "proto: at byte 0: [2]0,1,2 got 3 devices, want 2 as its tiles",
        () -> read("08031a01022203000102"));
    assertRefused(
        "proto: at byte 0: T got [], want a permutation of the dimensions of [2]",
        () -> read("08031a01024a0102"));
    assertRefused(
        "proto: at byte 4 in named_sharding: tuple_shardings got a tuple, want a sharding of one"
            + " array",
        () -> read("72020a00"));
    assertRefused(
        "proto: at byte 4 in named_sharding.mesh: sizes got [0], want each at least 1 and fewer"
            + " than 2^63 devices",
        () -> read("720712050a030a0178"));
    assertRefused(
        "proto: at byte 2 in named_sharding: axis got 1, want one of the 1 axes of mesh['x'=2]",
        () -> read("720d12070a050a0178100222020801"));
  }

  @Test
  void domainsOfOtherKindsAreRefused() {
    Domain.Border border = new Domain.Border("place", "{}", "{}");
    assertRefused(
        "proto: kind of a domain got place, want sharding, of which alone hlo.proto knows",
        () -> Shardings.writeBorder(ProtoBuilder.of("HloInstructionProto"), "", border));
  }

  /** A sharding is written to its own field only, and not also as text. */
  @Test
  void shardingsAreNotKeptAsText() {
    HloModule module =
        Parser.parse(
            """
            HloModule m, num_partitions=2
            ENTRY e {
              a = f32[4] parameter(0), sharding={replicated metadata={op_name="a"}}
              ROOT t = (f32[4], f32[4]) tuple(a, a), sharding={{replicated}, /*x*/{devices=[2]0,1}}
            }
            """);
    byte[] bytes = HloProtos.writeModule(module);
    assertThat(HloProtos.print(bytes)).doesNotContain("key: \"sharding\"");
    HloModule again = HloProtos.readModule(bytes);
    assertThat(again.entry().instructions().stream().map(HloInstruction::sharding).toList())
        .isEqualTo(module.entry().instructions().stream().map(HloInstruction::sharding).toList());
  }

  @Test
  void longDeviceListsAreRead() {
    String ids = IntStream.range(0, 8192).mapToObj(String::valueOf).collect(joining(","));
    String text = "{devices=[8192]" + ids + "}";
    assertThat(Parser.parseSharding(text).toString()).isEqualTo(text);
    HloModule module =
        Parser.parse("ENTRY e { ROOT p = f32[8192] parameter(0), sharding=" + text + " }");
    Verifier.strict().verify(module);
  }
}
