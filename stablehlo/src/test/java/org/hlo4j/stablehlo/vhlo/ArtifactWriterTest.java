package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.truth.StringSubject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Place;
import org.hlo4j.stablehlo.mlir.Region;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArtifactWriterTest {
  /** The minimum version of each function that needs a later one than 1.0.0, by name. */
  private static final ImmutableMap<String, String> NEWER =
      ImmutableMap.<String, String>builder()
          .put("\"f2\"", "1.4.0") // tan
          .put("\"f10\"", "1.1.0") // batching dimensions of gather
          .put("\"f13\"", "1.6.0") // the algorithm of dot_general
          .put("\"f19\"", "1.3.0") // a dictionary as backend_config
          .put("\"f23\"", "1.12.0") // source_target_pairs of send
          .put("\"f24\"", "1.15.0") // futures
          .put("\"f25\"", "1.10.0") // result_accuracy of tanh
          .put("\"f26\"", "1.16.0") // groups of devices as axes of a mesh
          .put("\"f30\"", "1.8.0") // f4E2M1FN
          .buildOrThrow();

  @Test
  void artifactsRoundTrip() {
    for (String version : Artifacts.VERSIONS) {
      Operation module = functions(version, Set.of(), false);
      Operation again =
          PortableArtifact.read(PortableArtifact.write(module, Version.parse(version)));
      assertWithMessage(version).that(Outline.of(again)).isEqualTo(Outline.of(module));
    }
  }

  /** Numbers whose sign is their highest bit, alone and in lists. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1 : si1",
        "true",
        "-2 : i8",
        "-3 : index",
        "-4 : i128",
        "array<f32: -1.0>",
        "array<f64: -1.0, 0x7FF0000000000000>",
        "array<i1: true, false>",
        "array<i8: -1, 127>",
        "array<i16: -1>",
        "array<i64: -1>",
      })
  void numbersAreReadFromBytecodeAsFromText(String number) {
    Operation module = StableHlo.parse("module attributes {a.b = " + number + "} {}");
    Operation again = PortableArtifact.read(PortableArtifact.write(module));
    assertThat(again.attributes()).isEqualTo(module.attributes());
  }

  /** Upstream's reader does not convert older versions of operations inside of others. */
  @Test
  void operationsInRegionsAreWrittenInTheirNewestVersion() {
    String plain = "%0 = stablehlo.sine %a : tensor<f32>\nreturn %0 : tensor<f32>";
    String inRegion =
        """
        %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.sine %a : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }, {
          stablehlo.return %a : tensor<f32>
        }) : (tensor<i1>) -> tensor<f32>
        return %0 : tensor<f32>
        """;
    assertThat(leastVersion(plain)).isEqualTo("1.0.0");
    assertThat(leastVersion(inRegion)).isEqualTo("1.10.0");
  }

  /** Of all versions, with the ops that earlier ones lack. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%0 = stablehlo.negate %a : tensor<f32> | 0.9.0",
        "%0 = stablehlo.tan %a : tensor<f32> | `1.4.0, for stablehlo.tan`",
        "%0 = chlo.erf %a : tensor<f32> -> tensor<f32> | 0.9.0",
        "%0 = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E4M3> | `1.7.0, for"
            + " stablehlo.convert`",
      })
  void leastVersionOfAll(String line, String least) {
    String text = "func.func @main(%a: tensor<f32>) {\n" + line + "\nreturn\n}\n";
    assertThat(StableHlo.leastVersion(StableHlo.parse(text)).toString()).isEqualTo(least);
  }

  private static String leastVersion(String body) {
    String head = "func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {\n";
    return PortableArtifact.leastVersion(StableHlo.parse(head + body + "\n}\n")).toString();
  }

  /** A reader of a known version converts nothing: what is nested may have that version. */
  @ParameterizedTest
  @CsvSource({"1.9.0, StableHLO_v1.9.0", "1.20.0, StableHLO_v1.20.0", "1.99.0, StableHLO_v1.20.0"})
  void artifactsForAKnownReader(String reader, String producer) {
    Operation module =
        StableHlo.parse(
            """
            func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
              %0 = "stablehlo.if"(%p) ({
                %1 = stablehlo.sine %a : tensor<f32>
                stablehlo.return %1 : tensor<f32>
              }, {
                stablehlo.return %a : tensor<f32>
              }) : (tensor<i1>) -> tensor<f32>
              return %0 : tensor<f32>
            }
            """);
    byte[] artifact = StableHlo.toArtifactFor(module, Version.parse(reader));
    assertThat(new String(artifact, StandardCharsets.ISO_8859_1)).contains(producer);
    assertThat(Outline.of(PortableArtifact.read(artifact))).isEqualTo(Outline.of(module));
  }

  @Test
  void aKnownReaderLacksWhatItsVersionLacks() {
    Operation module =
        StableHlo.parse(
            "func.func @main(%a: tensor<f32>) { %0 = stablehlo.tan %a : tensor<f32> return }");
    HloException error =
        assertThrows(
            HloException.class, () -> StableHlo.toArtifactFor(module, Version.parse("1.3.0")));
    assertThat(error)
        .hasMessageThat()
        .isEqualTo("StableHLO 1.3.0 has no stablehlo.tan as it is used here (since 1.4.0)");
  }

  /** Readers from before 2024-11 have no ranges. */
  @ParameterizedTest
  @CsvSource({"1.20.0, '\"f.py\":1:2 to 3:4'", "1.13.3, '\"f.py\":1:2'"})
  void rangesBecomeTheirStartsForOlderReaders(String reader, String location) {
    Operation module =
        StableHlo.parse(
            """
            func.func @main(%a: tensor<f32>) -> tensor<f32> {
              %0 = stablehlo.sine %a : tensor<f32> loc("f.py":1:2 to 3:4)
              return %0 : tensor<f32>
            }
            """);
    Operation read = PortableArtifact.read(StableHlo.toArtifactFor(module, Version.parse(reader)));
    assertThat(StableHlo.print(read)).contains("loc(" + location + ")");
  }

  @Test
  void meshesAreReferredToBySymbols() {
    String groups =
        "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name ="
            + " \"x\">]>";
    Operation module =
        StableHlo.parse(
            """
            module {
              func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {
                %%0 = "stablehlo.all_gather"(%%a) <{all_gather_dim = 0 : i64, replica_groups = %s}>             : (tensor<4xf32>) -> tensor<4xf32>
                return %%0 : tensor<4xf32>
              }
            }
            """
                .formatted(groups));
    Operation read = PortableArtifact.read(PortableArtifact.write(module));
    assertThat(StableHlo.print(read)).contains(groups);
  }

  /** No layout is written like no list of layouts. */
  @Test
  void layoutsOfCallsWithoutOperandsOrResultsAreRead() {
    for (String call :
        List.of(
            "stablehlo.custom_call @f(%a) {operand_layouts = [dense<0> : tensor<1xindex>],"
                + " result_layouts = []} : (tensor<2xf32>) -> ()",
            "%0 = stablehlo.custom_call @f() {operand_layouts = [],"
                + " result_layouts = [dense<0> : tensor<1xindex>]} : () -> tensor<2xf32>")) {
      String text =
          "module {\n  func.func @main(%a: tensor<2xf32>) {\n    "
              + call
              + "\n    return\n  }\n}\n";
      Operation read = PortableArtifact.read(PortableArtifact.write(StableHlo.parse(text)));
      assertThat(StableHlo.print(read)).contains(call.replace("%a", "%arg0"));
      assertThat(StableHlo.verify(read)).isEmpty();
    }
  }

  @Test
  void newestOperationVersionsRoundTrip() {
    Operation module = functions("1.17.0", Set.of(), false);
    byte[] file = PortableArtifact.write(module, Version.NEWEST);
    assertThat(new String(file, StandardCharsets.ISO_8859_1)).contains("custom_call_v2");
    assertThat(Outline.of(PortableArtifact.read(file))).isEqualTo(Outline.of(module));
  }

  @Test
  void sharedArtifactsRoundTrip() throws IOException {
    assumeFalse(Artifacts.shared().isEmpty(), "no artifacts in ../shared");
    for (Path file : Artifacts.shared()) {
      Operation module = PortableArtifact.read(Files.readAllBytes(file));
      Operation again = PortableArtifact.read(PortableArtifact.write(module));
      assertWithMessage(file.toString()).that(Outline.of(again)).isEqualTo(Outline.of(module));
    }
  }

  @Test
  void leastVersionSupportsAllUsedFeatures() {
    for (Operation function : functions("1.17.0", Set.of(), false).region(0).block().operations()) {
      String name = function.attributes().find("sym_name").orElseThrow().toString();
      Operation module = functions("1.17.0", Set.of(name), true);
      Version least = PortableArtifact.leastVersion(module);
      assertWithMessage(name).that(least.toString()).isEqualTo(NEWER.getOrDefault(name, "1.0.0"));
    }
  }

  @Test
  void producerNamesVersion() {
    byte[] file = PortableArtifact.write(functions("1.17.0", Set.of("\"f2\""), true));
    assertThat(new String(file, StandardCharsets.ISO_8859_1))
        .startsWith("ML\u00efR\rStableHLO_v1.4.0\0");
  }

  @Test
  void errorNamesAllFeaturesMissingFromVersion() {
    refused(functions("1.17.0", Set.of("\"f2\"", "\"f10\""), true), Version.STABLE)
        .isEqualTo(
            "StableHLO 1.0.0 has no stablehlo.gather as it is used here (since 1.1.0),"
                + " no stablehlo.tan as it is used here (since 1.4.0)");
  }

  @Test
  void errorNamesUnsupportedOperations() {
    refused(
            module(ImmutableList.of(operation("chlo.erf"), operation("check.expect_eq"))),
            Version.STABLE)
        .isEqualTo("portable artifacts have no operation check.expect_eq, chlo.erf");
  }

  @Test
  void unknownVersionIsRejected() {
    refused(module(ImmutableList.of()), new Version(0, 8, 0))
        .isEqualTo("got StableHLO version 0.8.0, want one of 0.9.0 to 1.20.0");
    assertThat(assertThrows(HloException.class, () -> Version.parse("1.x")))
        .hasMessageThat()
        .isEqualTo("got StableHLO version 1.x, want one such as 1.0.0");
  }

  private static StringSubject refused(Operation module, Version version) {
    return assertThat(
        assertThrows(HloException.class, () -> PortableArtifact.write(module, version))
            .getMessage());
  }

  /** The module of all operations, restricted to the named functions or without them. */
  private static Operation functions(String version, Set<String> names, boolean only) {
    Operation module = PortableArtifact.read(Artifacts.ofVersion(version));
    ImmutableList<Operation> some =
        module.region(0).block().operations().stream()
            .filter(function ->
                names.contains(function.attributes().find("sym_name").orElseThrow().toString())
                    == only)
            .collect(toImmutableList());
    return module.withRegions(ImmutableList.of(Region.of(new Block(ImmutableList.of(), some))));
  }

  private static Operation module(ImmutableList<Operation> operations) {
    return operation("builtin.module")
        .withRegions(ImmutableList.of(Region.of(new Block(ImmutableList.of(), operations))));
  }

  private static Operation operation(String name) {
    return new Operation(
        name,
        ImmutableList.of(),
        ImmutableList.of(),
        Attributes.NONE,
        ImmutableList.of(),
        Location.unknown(),
        Place.NONE);
  }
}
