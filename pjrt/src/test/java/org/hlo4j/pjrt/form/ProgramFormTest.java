package org.hlo4j.pjrt.form;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
import org.hlo4j.stablehlo.vhlo.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In which form a program goes to a plugin. No plugin is needed. */
final class ProgramFormTest {
  private static final String HEAD =
      """
      HloModule m
      add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
      ENTRY e {
        x = f32[4] parameter(0)
      """;

  private static HloModule module(String body) {
    return Parser.parse(HEAD + body.replace(";", "\n") + "\n}\n");
  }

  private static ProgramReader reader(String version) {
    return new ProgramReader(
        Optional.of(version).filter(v -> !v.equals("none")).map(Version::parse), true);
  }

  private static String text(HloModule module, String version) {
    ProgramForm form = ProgramForm.of(module, reader(version), false);
    assertThat(form.format()).isEqualTo("mlir");
    return StableHlo.print(PortableArtifact.read(form.code()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1.13.3 | mlir: StableHLO 1.13.3, the plugin's version
          1.20.0 | mlir: StableHLO 1.20.0, the plugin's version
          1.99.0 | mlir: StableHLO 1.20.0, the newest one we write; the plugin has 1.99.0
          none   | mlir: StableHLO 1.16.2, 12 weeks old, since the plugin does not say its version
          """)
  void theVersionIsTheLowerOfOursAndThePlugins(String version, String form) {
    assertThat(
            ProgramForm.of(module("ROOT n = f32[4] negate(x)"), reader(version), false).toString())
        .isEqualTo(form);
  }

  @Test
  void theVersionOfAPluginIsAmongItsAttributes() {
    assertThat(
            ProgramReader.of(Map.of("stablehlo_current_version", new long[] {1, 13, 3}))
                .stableHlo())
        .hasValue(new Version(1, 13, 3));
    assertThat(ProgramReader.of(Map.of("xla_version", 2L)).stableHlo()).isEmpty();
    assertThat(refusal(() -> ProgramReader.of(Map.of("stablehlo_current_version", "1.13.3"))))
        .isEqualTo("plugin: stablehlo_current_version got 1.13.3, want three numbers");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          r = u32[4] iota(), iota_dimension=0; ROOT s = f16[4] stochastic-convert(x, r) | hlo: StableHLO has no counterpart of stochastic-convert %s
          ROOT s = (f32[2], s32[2]) topk(x), k=2, largest=false                         | hlo: StableHLO takes only the largest, not topk %s
          ROOT s = u64[2] rng-get-and-update-state(), delta=1                           | hlo: StableHLO has no counterpart of rng-get-and-update-state %s
          """)
  void whatStableHloLacksGoesAsHlo(String body, String form) {
    assertThat(ProgramForm.of(module(body), reader("1.13.3"), false).toString()).startsWith(form);
    assertThat(
            refusal(() ->
                ProgramForm.of(module(body), new ProgramReader(Optional.empty(), false), false)))
        .startsWith("pjrt: the plugin takes StableHLO only; StableHLO ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          t = token[] after-all(); ROOT f = (f32[4], token[]) infeed(t)      | infeed %f
          t = token[] after-all(); ROOT f = token[] outfeed(x, t), outfeed_shape=f32[4] | outfeed %f
          """)
  void whatWaitsForTheHostIsRefused(String body, String waiting) {
    assertThat(refusal(() -> ProgramForm.of(module(body), reader("1.13.3"), false)))
        .isEqualTo(
            "pjrt: got "
                + waiting
                + ", want a program without queues to the host, which plugins do not have");
  }

  /** An older reader of HloModuleProto would skip the mesh, and take one group of all. */
  @Test
  void axesOfAMeshBecomeLists() {
    HloModule module =
        module(
            "ROOT r = f32[4] all-reduce(x), replica_groups=mesh['a'=2,'b'=2] {'a'}, to_apply=add,"
                + " channel_id=1, use_global_device_ids=true");
    assertThat(text(module, "1.13.3")).contains("dense<[[0, 2], [1, 3]]>");
  }

  @Test
  void wantedAccuraciesAreLeftOutForVersionsWithoutThem() {
    HloModule module = module("ROOT r = f32[4] tanh(x), result_accuracy={mode=highest}");
    assertThat(text(module, "1.13.3")).contains("HIGHEST");
    assertThat(text(module, "1.9.0")).doesNotContain("HIGHEST");
  }

  /** Version 2 of composites came with 1.14.0; upstream's reader does not convert nested ones. */
  @Test
  void compositesInBranchesAreOfTheVersionOfTheReader() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            relu { a = f32[] parameter(0)  z = f32[] constant(0)  ROOT r = f32[] maximum(a, z) }
            yes {
              a = f32[] parameter(0)
              ROOT c = f32[] call(a), to_apply=relu, is_composite=true, frontend_attributes={composite.attributes={},composite.name="my.relu",composite.version="1"}
            }
            no { ROOT b = f32[] parameter(0) }
            ENTRY e {
              p = pred[] parameter(0)
              x = f32[] parameter(1)
              ROOT i = f32[] conditional(p, x, x), true_computation=yes, false_computation=no
            }
            """);
    assertThat(text(module, "1.13.3")).contains("stablehlo.composite \"my.relu\"");
    assertThat(
            refusal(() ->
                StableHlo.toArtifact(
                    StableHlo.fromHlo(module), Optional.of(new Version(1, 13, 3)))))
        .contains("stablehlo.composite as it is used here (since 1.14.0)");
  }

  /** Plugins take and give arrays only. */
  @Test
  void tuplesAndTokensOfTheEntryBecomeArrays() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[4] parameter(0)
              t = (f32[4], (s32[], token[])) parameter(1)
              f = f32[4] get-tuple-element(t), index=0
              i = (s32[], token[]) get-tuple-element(t), index=1
              s = f32[4] add(x, f)
              ROOT o = (f32[4], (s32[], token[])) tuple(s, i)
            }
            """);
    assertThat(text(module, "1.13.3"))
        .containsMatch(
            "@main\\(%\\w+: tensor<4xf32>[^,]*, %\\w+: tensor<4xf32>[^,]*, %\\w+:"
                + " tensor<i32>[^,]*\\) -> \\(tensor<4xf32>, tensor<i32>\\)");
  }

  /** XLA ends the process where it finds what its own passes make; layouts it assigns anew. */
  @Test
  void fusionsAndBitcastsBecomeCallsAndReshapes() {
    HloModule module =
        Parser.parse(
            """
            HloModule m, is_scheduled=true
            fused { a = f32[4] parameter(0)  ROOT n = f32[4] negate(a) }
            ENTRY e {
              x = f32[4]{0} parameter(0)
              r = u32[2,2]{1,0} iota(), iota_dimension=0
              f = f32[4]{0} fusion(x), kind=kLoop, calls=fused
              b = f32[2,2]{1,0} bitcast(f)
              ROOT s = f16[2,2]{1,0} stochastic-convert(b, r)
            }
            """);
    ProgramForm form = ProgramForm.of(module, reader("1.13.3"), false);
    assertThat(Printer.print(HloProtos.readModule(form.code())))
        .containsMatch("HloModule m, entry_computation_layout.*\\n[^$]*call\\(.*\\n.*reshape\\(");
    HloModule byLayouts =
        module(
            "y = f32[2,2]{0,1} bitcast(x); r = u32[2,2] iota(), iota_dimension=0; ROOT s = f16[2,2]"
                + " stochastic-convert(y, r)");
    assertThat(refusal(() -> ProgramForm.of(byLayouts, reader("1.13.3"), false)))
        .endsWith(
            "; as HLO: bitcast %y from f32[4] to f32[2,2]{0,1}, want row-major arrays of one type");
  }

  @Test
  void invalidProgramsAreRefusedUnlessThePluginIsToJudge() {
    HloModule invalid = module("ROOT n = f32[5] negate(x)");
    assertThat(refusal(() -> ProgramForm.of(invalid, reader("1.13.3"), false))).contains("negate");
    assertThat(ProgramForm.unverified(invalid).toString()).isEqualTo("hlo: not verified");
  }

  private static String refusal(org.junit.jupiter.api.function.Executable call) {
    return String.valueOf(assertThrows(HloException.class, call).getMessage());
  }
}
