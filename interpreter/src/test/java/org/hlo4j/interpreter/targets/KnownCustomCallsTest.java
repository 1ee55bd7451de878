package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Custom calls that are known without being given. */
class KnownCustomCallsTest {
  private static final Literal EIGHT = Literal.of(new int[] {0, 1, 2, 3, 4, 5, 6, 7});

  private static String run(String instructions, Literal... arguments) {
    return Evaluators.both().run(module("", instructions), arguments).toString();
  }

  private static HloModule module(String header, String instructions) {
    return Parser.parse("HloModule m" + header + "\nENTRY main {\n" + instructions + "\n}");
  }

  private static String refusal(String instructions, Literal... arguments) {
    return assertThrows(HloException.class, () -> run(instructions, arguments)).summary();
  }

  @Test
  void annotationsChangeNothing() {
    assertThat(
            run(
                """
                x = s32[8] parameter(0)
                ROOT y = s32[8] custom-call(x), custom_call_target="Sharding",
                  sharding={devices=[2]<=[2]}
                """,
                EIGHT))
        .isEqualTo("s32[8] {0, 1, 2, 3, 4, 5, 6, 7}");
  }

  @Test
  void anAnnotationOfNothing() {
    assertThat(refusal("ROOT y = s32[] custom-call(), custom_call_target=\"Sharding\""))
        .isEqualTo("custom-call: operand count got 0, want 1");
  }

  private static final String SPARSE =
      """
      elements = s32[4] constant({2, 3, 5, 9})
      starts = s32[4] constant({0, 2, %s, 3})
      columns = s32[4] constant({0, %s, 1, 7})
      x = s32[3,2] constant({{1, 10}, {2, 20}, {4, 40}})
      ROOT y = %s custom-call(elements, starts, columns, x),
        custom_call_target="cpu_csr_sparse_dense_ffi"
      """;

  /** The matrix is {@code {{2, 0, 3}, {0, 0, 0}, {0, 5, 0}}}; the last element lies in no row. */
  @Test
  void sparseTimesDense() {
    assertThat(run(SPARSE.formatted(2, 2, "s32[3,2]")))
        .isEqualTo("s32[3,2] { { 14, 140 }, { 0, 0 }, { 10, 100 } }");
    assertThat(
            run(
                """
                elements = c64[2] constant({(0, 1), (2, 0)})
                starts = s32[2] constant({0, 2})
                columns = s32[2] constant({1, 0})
                x = c64[2] constant({(3, 0), (0, 1)})
                ROOT y = c64[1] custom-call(elements, starts, columns, x),
                  custom_call_target="cpu_csr_sparse_dense_ffi"
                """))
        .isEqualTo("c64[1] {(5, 0)}");
  }

  @Test
  void sparseMatricesThatAreNone() {
    assertThat(refusal(SPARSE.formatted(1, 2, "s32[3,2]")))
        .isEqualTo(
            "custom-call: y: row 2 got start 1, want none before that of the row before, and at"
                + " most 4");
    assertThat(refusal(SPARSE.formatted(2, 3, "s32[3,2]")))
        .isEqualTo("custom-call: y: element 1 got column 3, want one of 3");
    assertThat(refusal(SPARSE.formatted(2, 2, "s32[2,2]")))
        .isEqualTo("custom-call: y: result got s32[2,2], want s32[3,2]");
    assertThat(
            refusal(
                """
                x = f32[2] constant({1, 2})
                ROOT y = f32[2] custom-call(x), custom_call_target="cpu_csr_sparse_dense_ffi"
                """))
        .isEqualTo(
            "custom-call: y: cpu_csr_sparse_dense_ffi got [f32[2]], want elements, s32 starts of"
                + " rows and columns, and a vector or matrix of the elements' type");
  }

  @Test
  void topk() {
    assertThat(
            run(
                """
                x = f32[2,4] parameter(0)
                ROOT best = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target="TopK"
                """,
                Literal.of(new float[][] {{1, 9, 4, 9}, {-1, -3, -2, -4}})))
        .isEqualTo(
            "(f32[2,2], s32[2,2])" + " ( { { 9, 9 }, { -1, -2 } }, { { 1, 3 }, { 0, 2 } } )");
  }

  @Test
  void topkOfAnotherShape() {
    assertThat(
            refusal(
                """
                x = s32[8] parameter(0)
                ROOT best = (s32[2], s32[3]) custom-call(x), custom_call_target="TopK"
                """,
                EIGHT))
        .isEqualTo("custom-call: best: result got (s32[2], s32[3]), want (s32[2], s32[2])");
  }

  @Test
  void theUsersFunctionComesFirst() {
    HloModule module = module("", "ROOT y = s32[] custom-call(), custom_call_target=\"Sharding\"");
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall("Sharding", (call, operands) -> Literal.of(7))
            .build();
    assertThat(Evaluators.both(options).run(module)).isEqualTo(Literal.of(7));
  }

  /** The shard of each device, and what they put together again. */
  private static List<Literal> shards(String mesh, String sharding, String manual, int devices) {
    HloModule module =
        module(
            ", frontend_attributes={xla.sdy.meshes={mesh = #sdy." + mesh + "}}",
            """
            x = s32[8] parameter(0)
            local = s32[4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape",
              frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[SHARDING]>",
                xla.sdy.manual_axes="#sdy<manual_axes{MANUAL}>"}
            global = s32[8] custom-call(local), custom_call_target="xla.sdy.LocalToGlobalShape",
              frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[SHARDING]>",
                xla.sdy.manual_axes="#sdy<manual_axes{MANUAL}>"}
            ROOT both = (s32[4], s32[8]) tuple(local, global)
            """
                .replace("SHARDING", sharding.replace("\"", "\\\""))
                .replace("MANUAL", manual.replace("\"", "\\\"")));
    return Evaluators.both()
        .runOnDevices(
            module, new DeviceGrid(1, devices), Collections.nCopies(devices, List.of(EIGHT)));
  }

  private static void assertShards(List<Literal> results, int... begins) {
    for (int device = 0; device < begins.length; device++) {
      int from = begins[device];
      assertThat(results.get(device))
          .isEqualTo(
              Literal.tuple(Literal.of(new int[] {from, from + 1, from + 2, from + 3}), EIGHT));
    }
  }

  @Test
  void shardsOfManualComputations() {
    assertShards(shards("mesh<[\"r\"=2]>", "<@mesh, [{\"r\"}]>", "\"r\"", 2), 0, 4);
  }

  @Test
  void devicesInAnotherOrder() {
    String mesh = "mesh<[\"r\"=2], device_ids=[1, 0]>";
    assertShards(shards(mesh, "<@mesh, [{\"r\", ?}]>", "\"r\"", 2), 4, 0);
  }

  @Test
  void aMeshWrittenInPlaceAndAPartOfAnAxis() {
    assertShards(shards("mesh<[]>", "<mesh<[\"r\"=4]>, [{\"r\":(2)2}]>", "\"r\"", 4), 0, 4, 0, 4);
    assertShards(shards("mesh<[]>", "<mesh<[\"r\"=4]>, [{\"r\":(1)2}]>", "\"r\"", 4), 0, 0, 4, 4);
  }

  @Test
  void axesThatAreNotManualDoNotShard() {
    assertShards(
        shards("mesh<[\"a\"=2, \"b\"=2]>", "<@mesh, [{\"b\", \"a\"}]>", "\"b\"", 4), 0, 4, 0, 4);
  }

  @Test
  void refusalsOfManualComputations() {
    assertThat(summary("mesh<[\"r\"=2]>", "<@mesh, [{\"r\"}]>", "\"r\"", 4))
        .isEqualTo(
            "custom-call: mesh<[\"r\"=2]> is of 2 devices, want as many as run the program: 4");
    assertThat(summary("mesh<[\"r\"=4]>", "<@mesh, [{\"r\"}]>", "\"r\"", 4))
        .isEqualTo("custom-call: dimension 0 of s32[8] got size 8, want 4 shards of 4");
    assertThat(summary("mesh<[\"r\"=2]>", "<@other, [{\"r\"}]>", "\"r\"", 2))
        .isEqualTo("custom-call: mesh got @other, want one of {mesh = #sdy.mesh<[\"r\"=2]>}");
    assertThat(summary("mesh<[\"r\"=2]>", "<@mesh, [{\"q\"}]>", "\"r\"", 2))
        .isEqualTo("custom-call: axis got q, want one of [r]");
    assertThat(summary("mesh<[\"r\"=2]>", "", "\"r\"", 2))
        .isEqualTo(
            "custom-call: xla.sdy.in_shardings got #sdy.sharding_per_value<[]>, want shardings of"
                + " 1 arrays");
    assertThat(summary("mesh<[\"r\"=2], device_ids=[1, 1]>", "<@mesh, [{\"r\"}]>", "\"r\"", 2))
        .isEqualTo("custom-call: device_ids got 1,1, want each id from 0 to 1 once");
    assertThat(summary("mesh<[\"r\"=2], device_ids=[x, 1]>", "<@mesh, [{\"r\"}]>", "\"r\"", 2))
        .isEqualTo("custom-call: device_ids got [x, 1], want numbers");
    assertThat(summary("mesh<[\"r\"=2]>", "<@mesh, [{\"r\":(1)2}]>", "\"r\"", 2))
        .isEqualTo("custom-call: axis got 'r':(1)2, want a part of its 2 devices");
    assertThat(summary("mesh<[\"r\"=2]>", "<@mesh, [{\"r\":(0)2}]>", "\"r\"", 2))
        .isEqualTo("custom-call: part of an axis got (0)2, want at least (1)2");
    assertThat(summary("mesh<[\"r\"=2]>", "<@mesh, [{\"r\"}, {}]>", "\"r\"", 2))
        .isEqualTo("custom-call: s32[4] as shard of s32[8] got a sharding of 2 dimensions, want 1");
  }

  private static String summary(String mesh, String sharding, String manual, int devices) {
    return assertThrows(HloException.class, () -> shards(mesh, sharding, manual, devices))
        .summary();
  }
}
