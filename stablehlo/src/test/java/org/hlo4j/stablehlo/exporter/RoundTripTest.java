package org.hlo4j.stablehlo.exporter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HLO attributes and metadata survive a round trip through StableHLO, or are rejected. */
class RoundTripTest {
  private static String hlo(String instruction) {
    return "HloModule m\n"
        + "ENTRY e { x = f32[2,3] parameter(0)\n"
        + " y = f32[2,3] parameter(1)\n"
        + " i = s32[2] parameter(2)\n"
        + " n = s32[] parameter(3)\n"
        + " t = token[] after-all()\n ROOT r = "
        + instruction.replace('`', '"')
        + " }";
  }

  private static String back(String hlo) {
    HloModule module =
        StableHlo.toHlo(StableHlo.parse(StableHlo.print(StableHlo.fromHlo(Parser.parse(hlo)))));
    Verifier.strict().verify(module);
    return Printer.print(module);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "f32[2,3] tanh(x), result_accuracy={mode=highest} | result_accuracy={mode=highest}",
        "f32[2,3] tanh(x), result_accuracy={tolerance={atol=0,rtol=1e-3,ulps=2}}"
            + " | result_accuracy={tolerance={atol=0,rtol=0.001,ulps=2}}",
        "f32[2,3] custom-call(x), custom_call_target=`f`, literal=s32[2] {7, 8}"
            + " | literal=s32[2]{0} {7, 8}",
        "f32[2,3] custom-call(x), custom_call_target=`f`, literal=s32[2] {7, 7}"
            + " | literal=s32[2]{0} {7, 7}",
        "((f32[2,3]{0,1}, s32[]), token[]) infeed(t), infeed_config=`c`"
            + " | = ((f32[2,3]{0,1}, s32[]), token[]) infeed(%after-all), infeed_config=`c`",
        "f32[2,3]{0,1} custom-call(x), custom_call_target=`f`,"
            + " operand_layout_constraints={f32[2,3]{1,0}}"
            + " | = f32[2,3]{0,1} custom-call(%x), custom_call_target=`f`,"
            + " operand_layout_constraints={f32[2,3]{1,0}}",
        "f32[2,3] copy(x), sharding={devices=[2,1]<=[2]}"
            + " | custom-call(%x), custom_call_target=`Sharding`, sharding={devices=[2,1]<=[2]}",
        "f32[<=2,3] dynamic-reshape(x, n, n) | = f32[<=2,3]{1,0} dynamic-reshape(%x, ",
        "f32[2,3] collective-permute(x), channel_id=1, source_target_pairs={}"
            + " | = f32[2,3]{1,0} collective-permute(%x), channel_id=1, source_target_pairs={}",
        "f32[2,3] ragged-all-to-all(x, y, i, i, i, i), channel_id=1, replica_groups={{0,1}} | ="
            + " f32[2,3]{1,0} ragged-all-to-all(%x, %y, %i, %i, %i, /*index=5*/%i), channel_id=1,"
            + " replica_groups={{0,1}}",
      })
  void instructionsRoundTrip(String instruction, String part) {
    assertThat(back(hlo(instruction))).contains(part.replace('`', '"'));
  }

  /** XLA reads the composite as the op; others evaluate its decomposition, in f64. */
  @Test
  void scaledDotsBecomeComposites() {
    String text =
        StableHlo.print(
            StableHlo.fromHlo(
                Parser.parse(
                    """
                    HloModule m
                    ENTRY e { x = f8e4m3fn[2,4] parameter(0)
                      y = f8e4m3fn[4,3] parameter(1)
                      a = f8e8m0fnu[2,2] parameter(2)
                      b = f32[] parameter(3)
                      ROOT s = f32[2,3] scaled-dot(x, y, a, b), lhs_contracting_dims={1}, \
                    rhs_contracting_dims={0} }
                    """)));
    assertThat(text)
        .contains(
            """
                %0 = stablehlo.composite "xla.scaled_dot" %x, %y, %a, %b {composite_attributes = \
            {dimension_numbers = [[[1], [0]], [[], []]], preferred_element_type = f32}, \
            decomposition = @xla.scaled_dot} : (tensor<2x4xf8E4M3FN>, tensor<4x3xf8E4M3FN>, \
            tensor<2x2xf8E8M0FNU>, tensor<f32>) -> tensor<2x3xf32>
            """);
    assertThat(text)
        .contains(
            """
                %2 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<2x2xf64>) -> \
            tensor<2x1x2x2xf64>
            """);
  }

  @Test
  void entryAttributesRoundTrip() {
    String text =
        back(
            """
            HloModule m, input_output_alias={ {0}: (0, {1}, must-alias), {1}: (1, {}, may-alias) }
            ENTRY e {
              p = (f32[2], f32[4]) parameter(0), parameter_replication={true,false}
              q = f32[3] parameter(1), frontend_attributes={a="b"}
              g = f32[4] get-tuple-element(p), index=1
              ROOT r = (f32[4], f32[3]) tuple(g, q)
            }
            """);
    assertThat(text)
        .contains("input_output_alias={ {0}: (1, {}, must-alias), {1}: (2, {}, may-alias) }");
    assertThat(text).contains("f32[2]{0} parameter(0), parameter_replication={true}");
    assertThat(text).contains("f32[4]{0} parameter(1), parameter_replication={false}");
    assertThat(text).contains("f32[3]{0} parameter(2), frontend_attributes={a=\"b\"}");
  }

  @Test
  void stackFramesBecomeLocations() {
    Operation module =
        StableHlo.fromHlo(
            Parser.parse(
                """
                HloModule m

                FileNames
                1 "a.py"

                FunctionNames
                1 "outer"
                2 "inner"

                FileLocations
                1 {file_name_id=1 function_name_id=1 line=5 end_line=5 column=11 end_column=21}
                2 {file_name_id=1 function_name_id=2 line=3 end_line=3 column=2 end_column=2}

                StackFrames
                1 {file_location_id=1 parent_frame_id=1}
                2 {file_location_id=2 parent_frame_id=2}

                ENTRY e { x = f32[2] parameter(0), metadata={op_name="x"}
                  ROOT s = f32[2] sine(x), metadata={op_name="sin" stack_frame_id=2} }
                """));
    assertThat(StableHlo.print(module)).contains("stablehlo.sine %x : tensor<2xf32> loc(#loc");
    Operation sine =
        module.region(0).block().operations().get(0).region(0).block().operations().get(0);
    assertThat(sine.location().toString())
        .isEqualTo("\"sin\"(callsite(\"inner\"(\"a.py\":3:2) at \"outer\"(\"a.py\":5:11 to :21)))");
  }

  /** One error names everything that XLA's own converter drops or rejects. */
  @Test
  void errorNamesAllUnsupportedConstructs() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                StableHlo.fromHlo(
                    Parser.parse(
                        """
                        HloModule m, is_new=true
                        sum { a = f32[] parameter(0)
                          b = f32[] parameter(1)
                          ROOT s = f32[] add(a, b) }
                        ENTRY e { x = f32[2,2] parameter(0)
                          u = u32[2,2] parameter(1)
                          t = token[] after-all()
                          z = f32[] constant(0)
                          a = f32[2,2] erf(x), result_accuracy={mode=highest}
                          b = bf16[2,2] stochastic-convert(x, u)
                          c = u64[2] rng-get-and-update-state(), delta=1
                          d = f32[2,2] custom-call(x), custom_call_target="f", window={size=2}
                          e = f32[2,2] custom-call(x), custom_call_target="f", literal=() ()
                          f = token[] outfeed(x, t), outfeed_shape=f32[2,2]{0,1}
                          g = (f32[2,2], u32[], token[]) send(x, t), channel_id=1
                          h = ((f32[2,2], u32[], token[])) tuple(g)
                          i = f32[2,2] reduce-window(x, z), window={size=1x2 rhs_reversal=0x1 \
                        pad=0_0x0_1}, to_apply=sum
                          ROOT r = f32[2,2] add(x, a) }
                        """)));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            "StableHLO has no counterpart of HloModule m (with is_new),"
                + " erf %a.1 (with result_accuracy), stochastic-convert %b.1,"
                + " rng-get-and-update-state %c, custom-call %d (with window),"
                + " custom-call %e (with a literal that is no array),"
                + " outfeed %f (with a layout of outfeed_shape), tuple %h (of what is not done),"
                + " reduce-window %i (a reversed window)");
  }
}
