package org.hlo4j.stablehlo.exporter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModuleExportTest {
  private static Operation export(String hlo) {
    return StableHlo.fromHlo(Parser.parse(hlo));
  }

  private static void exports(String hlo, String stableHlo) {
    String text = StableHlo.print(export(hlo));
    assertThat(text).isEqualTo(stableHlo);
    assertThat(StableHlo.print(StableHlo.parse(text))).isEqualTo(text);
  }

  /** The StableHLO text of an instruction with operands x and y. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "f32[2] add(x, y) | stablehlo.add %x, %y : tensor<2xf32>",
        "f32[2] erf(x) | chlo.erf %x : tensor<2xf32> -> tensor<2xf32>",
        "f32[2] tan(x) | stablehlo.tan %x : tensor<2xf32>",
        "pred[2] compare(x, y), direction=LT, type=TOTALORDER"
            + " | stablehlo.compare LT, %x, %y, TOTALORDER"
            + " : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
        "f32[2,3] broadcast(x), dimensions={0}"
            + " | stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>",
        "f32[1] slice(x), slice={[1:2]}"
            + " | stablehlo.slice %x [1:2] : (tensor<2xf32>) -> tensor<1xf32>",
        "f32[2,2] dot(x, y), lhs_contracting_dims={}, rhs_contracting_dims={}"
            + " | stablehlo.dot_general %x, %y, contracting_dims = [] x []"
            + " : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>",
        "f32[2] exponential(x), result_accuracy={tolerance={ulps=2}}"
            + " | stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2,"
            + " mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>",
        "f32[2] erf(x), result_accuracy={mode=default} | chlo.erf %x : tensor<2xf32> ->"
            + " tensor<2xf32>",
        "s32[2] bitcast(x)" + " | stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>",
        "u8[2,4] bitcast(x)"
            + " | stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xui8>",
        "f32[2] call(x), to_apply=f | call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>",
        "f32[2] fusion(x), kind=kLoop, calls=f"
            + " | call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>",
        "f32[2] reshape(x) | stablehlo.reshape %x : (tensor<2xf32>) -> tensor<2xf32>",
        "f32[2] opt-barrier(x), sharding={replicated}"
            + " | stablehlo.optimization_barrier {mhlo.sharding = \"{replicated}\"} %x"
            + " : tensor<2xf32>",
        "f32[2] custom-call(x), custom_call_target=`g`, backend_config=`{n = 1 : i32}`,"
            + " api_version=API_VERSION_TYPED_FFI"
            + " | stablehlo.custom_call @g(%x) {api_version = 4 : i32,"
            + " backend_config = {n = 1 : i32}} : (tensor<2xf32>) -> tensor<2xf32>",
      })
  void instructions(String instruction, String operation) {
    String hlo =
        "HloModule m\nf { a = f32[2] parameter(0)\n ROOT n = f32[2] negate(a) }\n"
            + "ENTRY e { x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n ROOT r = "
            + instruction.replace('`', '"')
            + " }";
    assertThat(StableHlo.print(export(hlo))).contains("    %0 = " + operation + "\n");
  }

  @Test
  void tuplesAreFlattenedAndCopiesOmitted() {
    exports(
        """
        HloModule m
        ENTRY e {
          p = (f32[2], (s32[], pred[])) parameter(0)
          a = f32[2] get-tuple-element(p), index=0
          b = (s32[], pred[]) get-tuple-element(p), index=1
          c = f32[2] copy(a)
          ROOT r = ((s32[], pred[]), f32[2]) tuple(b, c)
        }
        """,
        """
        module @m {
          func.func public @main(%p: tensor<2xf32>, %p_0: tensor<i32>, %p_1: tensor<i1>) -> \
        (tensor<i32>, tensor<i1>, tensor<2xf32>) {
            return %p_0, %p_1, %p : tensor<i32>, tensor<i1>, tensor<2xf32>
          }
        }
        """);
  }

  @Test
  void calledComputationsBecomeRegions() {
    exports(
        """
        HloModule m
        sum { a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT s = f32[] add(a, b) }
        cond { s = (s32[], f32[4]) parameter(0)
          i = s32[] get-tuple-element(s), index=0
          n = s32[] constant(3)
          ROOT l = pred[] compare(i, n), direction=LT }
        body { s = (s32[], f32[4]) parameter(0)
          i = s32[] get-tuple-element(s), index=0
          v = f32[4] get-tuple-element(s), index=1
          j = s32[] negate(i)
          ROOT t = (s32[], f32[4]) tuple(j, v) }
        yes { a = f32[4] parameter(0)
          ROOT n = f32[4] negate(a) }
        no { ROOT a = f32[4] parameter(0) }
        ENTRY e { k = s32[] parameter(0)
          q = f32[4] parameter(1)
          p = pred[] parameter(2)
          s = (s32[], f32[4]) tuple(k, q)
          w = (s32[], f32[4]) while(s), condition=cond, body=body
          x = f32[4] get-tuple-element(w), index=1
          c = f32[4] conditional(p, x, q), true_computation=yes, false_computation=no
          z = f32[] constant(0)
          ROOT r = f32[] reduce(c, z), dimensions={0}, to_apply=sum }
        """,
        """
        module @m {
          func.func public @main(%k: tensor<i32>, %q: tensor<4xf32>, %p: tensor<i1>) -> tensor<f32> {
            %0:2 = stablehlo.while(%arg0 = %k, %arg1 = %q) : tensor<i32>, tensor<4xf32>
            cond {
              %c = stablehlo.constant dense<3> : tensor<i32>
              %3 = stablehlo.compare LT, %arg0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %3 : tensor<i1>
            } do {
              %3 = stablehlo.negate %arg0 : tensor<i32>
              stablehlo.return %3, %arg1 : tensor<i32>, tensor<4xf32>
            }
            %1 = "stablehlo.if"(%p) ({
              %3 = stablehlo.negate %0#1 : tensor<4xf32>
              stablehlo.return %3 : tensor<4xf32>
            }, {
              stablehlo.return %q : tensor<4xf32>
            }) : (tensor<i1>) -> tensor<4xf32>
            %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
            %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : \
        (tensor<4xf32>, tensor<f32>) -> tensor<f32>
            return %2 : tensor<f32>
          }
        }
        """);
  }

  @Test
  void annotationsAreExported() {
    exports(
        """
        HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, \
        num_partitions=2, frontend_attributes={k="v"}
        f { x = f32[4] parameter(0)
          ROOT n = f32[4] negate(x) }
        ENTRY e { p = f32[4] parameter(0), sharding={devices=[2]<=[2]}
          q = f32[4] parameter(1)
          c = f32[4] call(p), to_apply=f, is_composite=true, frontend_attributes=\
        {composite.attributes={n = 1 : i32},composite.name="a.b",composite.version="1"}
          s = f32[4] add(c, q), frontend_attributes={a="b"}, \
        metadata={op_name="jit(f)/add" source_file="a.py" source_line=7}
          ROOT r = (f32[4], f32[4]) tuple(s, c), sharding={{devices=[2]<=[2]}, {replicated}}
        }
        """,
        """
        module @m attributes {mhlo.frontend_attributes = {k = "v"}, mhlo.num_partitions = 2 : i32} {
          func.func public @main(%p: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}", \
        tf.aliasing_output = 0 : i32} loc(#loc1), %q: tensor<4xf32> {jax.buffer_donor = true} \
        loc(#loc2)) -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, \
        tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
            %0 = stablehlo.composite "a.b" %p {composite_attributes = {n = 1 : i32}, \
        decomposition = @f, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32> loc(unknown)
            %1 = stablehlo.add %0, %q {mhlo.frontend_attributes = {a = "b"}} : tensor<4xf32> \
        loc(#loc3)
            return %1, %0 : tensor<4xf32>, tensor<4xf32> loc(unknown)
          } loc(unknown)
          func.func private @f(%x: tensor<4xf32> loc(#loc4)) -> tensor<4xf32> {
            %0 = stablehlo.negate %x : tensor<4xf32> loc(unknown)
            return %0 : tensor<4xf32> loc(unknown)
          } loc(unknown)
        } loc(unknown)
        #loc1 = loc("p")
        #loc2 = loc("q")
        #loc3 = loc("jit(f)/add"("a.py":7:1))
        #loc4 = loc("x")
        """);
  }

  @Test
  void annotationsRoundTrip() {
    String hlo =
        """
        HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, \
        num_partitions=2, frontend_attributes={k="v"}
        ENTRY e { p = f32[4] parameter(0)
          q = f32[4] parameter(1)
          ROOT s = f32[4] add(p, q) }
        """;
    HloModule module = Parser.parse(hlo);
    assertThat(StableHlo.toHlo(StableHlo.fromHlo(module)).attributes())
        .containsExactly(
            "input_output_alias", "{ {}: (0, {}, may-alias) }",
            "buffer_donor", "{ (1, {}) }",
            "num_partitions", "2",
            "frontend_attributes", "{k=\"v\"}");
  }

  @Test
  void errorNamesAllUnsupportedInstructions() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                export(
                    """
                    HloModule m
                    ENTRY e { x = f32[2] parameter(0)
                      b = u32[2] constant({1, 2})
                      d = u64[2] rng-get-and-update-state(), delta=1
                      ROOT s = bf16[2] stochastic-convert(x, b) }
                    """));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            "StableHLO has no counterpart of rng-get-and-update-state %d, stochastic-convert %s");
  }

  @Test
  void artifactsReplaceChloOps() {
    Operation module =
        export(
            """
            HloModule m
            ENTRY e { x = f32[2] parameter(0)
              a = f32[2] erf(x)
              b = f32[2] atan(a)
              t = (f32[1], s32[1]) topk(b), k=1, largest=true
              ROOT v = f32[1] get-tuple-element(t), index=0 }
            """);
    byte[] file = StableHlo.toArtifact(module, Optional.of(Version.parse("1.2.0")));
    assertThat(StableHlo.print(StableHlo.readAll(file).get(0)))
        .isEqualTo(
            """
            module @m {
              func.func public @main(%arg0: tensor<2xf32> loc(#loc1)) -> tensor<1xf32> {
                %0 = stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {}, \
            mhlo.version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32> loc(unknown)
                %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32> loc(unknown)
                %1 = stablehlo.atan2 %0, %cst : tensor<2xf32> loc(unknown)
                %2:2 = stablehlo.custom_call @mhlo.topk(%1) {mhlo.attributes = {k = 1 : i64, \
            largest = true}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> (tensor<1xf32>, \
            tensor<1xi32>) loc(unknown)
                return %2#0 : tensor<1xf32> loc(unknown)
              } loc(unknown)
            } loc(unknown)
            #loc1 = loc("x")
            """);
  }

  /** Each level shares its branches with the next; copies would number 2 to the 200. */
  @Test
  void sharedBranchesAreNotDuplicated() {
    StringBuilder hlo = new StringBuilder("HloModule m\nc0 { ROOT x = f32[] parameter(0) }\n");
    for (int i = 1; i <= 200; i++) {
      hlo.append(
          String.format(
              "c%d { x = f32[] parameter(0)\n p = pred[] constant(true)\n ROOT r = f32[]"
                  + " conditional(p, x, x), true_computation=c%d, false_computation=c%d }\n",
              i, i - 1, i - 1));
    }
    hlo.append("ENTRY e { x = f32[] parameter(0)\n ROOT r = f32[] call(x), to_apply=c200 }");
    assertThat(StableHlo.print(export(hlo.toString())).lines().count()).isLessThan(5000L);
  }
}
