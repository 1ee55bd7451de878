package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.MlirPrinter;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Place;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;

class PortableArtifactTest {
  /** Operations that are newer than the library that wrote the artifacts. */
  private static final ImmutableSet<String> NEWER = ImmutableSet.of("stablehlo.collective_reduce");

  @Test
  void olderVersionsReadAsNewest() {
    ImmutableMap<String, String> newest = functions(PortableArtifact.read(newest()));
    for (String version : Artifacts.VERSIONS) {
      ImmutableMap<String, String> older =
          functions(PortableArtifact.read(Artifacts.ofVersion(version)));
      assertWithMessage(version).that(older.size()).isAtLeast(18);
      older.forEach((name, outline) ->
          assertWithMessage("%s in %s", name, version)
              .that(withoutLocations(outline))
              .isEqualTo(withoutLocations(newest.getOrDefault(name, ""))));
    }
  }

  @Test
  void plainBytecodeReadsAsArtifact() {
    ImmutableMap<String, String> newest = functions(PortableArtifact.read(newest()));
    ImmutableMap<String, String> plain =
        functions(PortableArtifact.read(Artifacts.resource("plain.mlirbc")));
    assertThat(plain.size()).isAtLeast(25);
    plain.forEach((name, outline) ->
        assertWithMessage(name)
            .that(withoutDefaults(outline))
            .isEqualTo(withoutLocations(newest.getOrDefault(name, ""))));
  }

  /** Attributes of Shardy and of sub-byte floats; jaxlib 0.10.2 wrote the file. */
  @Test
  void attributesReadAsText() {
    Operation module = PortableArtifact.read(Artifacts.resource("attributes.mlirbc"));
    assertThat(module.attributes().entries().values().stream().map(Attribute::toString))
        .containsExactly(
            "#sdy.op_sharding_rule<([ij, k], [k])->([j, i]) {i=4, j=2, k=8} reduction={k}"
                + " need_replication={i} permutation={j} blocked_propagation={k}>",
            "#sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>",
            "#sdy<all_to_all_param_list[{\"x\"}: 0->1, {\"y\", \"z\"}: 2->0]>",
            "#sdy<list_of_axis_ref_lists[{\"x\"}, {}]>",
            "#sdy<axis_ref_list{\"x\":(1)2, \"y\"}>",
            "#sdy<manual_axes{\"x\", \"y\"}>",
            "#sdy.mesh<[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>",
            "#sdy.sharding<@m, [{\"x\", ?}p1, {}], replicated={\"y\"}, unreduced={\"z\"}>",
            "#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>",
            "dense<[5.000000e-01, 6.000000e+00]> : tensor<2xf4E2M1FN>",
            "dense<[5.000000e-01, 8.000000e+00]> : tensor<2xf8E8M0FNU>",
            "dense<5.000000e-01> : tensor<3xf4E2M1FN>")
        .inOrder();
    String text = MlirPrinter.print(module, StandardDialects.INSTANCE, false);
    assertThat(MlirParser.parse(text, StandardDialects.INSTANCE).attributes().toString())
        .isEqualTo(module.attributes().toString());
  }

  @Test
  void textReadsAsArtifact() {
    ImmutableMap<String, String> newest = functions(PortableArtifact.read(newest()));
    String text = new String(Artifacts.resource("ops.mlir"), StandardCharsets.UTF_8);
    ImmutableMap<String, String> read =
        functions(MlirParser.parse(text, StandardDialects.INSTANCE));
    assertThat(read.size()).isAtLeast(25);
    read.forEach((name, outline) ->
        assertWithMessage(name)
            .that(withoutDefaults(outline))
            .isEqualTo(withoutLocations(newest.getOrDefault(name, ""))));
  }

  /** Removes a default value, which artifacts do not distinguish from an explicit one. */
  private static String withoutDefaults(String outline) {
    return withoutLocations(outline).replace("known_expanding_dimensions = array<i64>, ", "");
  }

  @Test
  void allOperationsAreRead() {
    TreeSet<String> missing = new TreeSet<>();
    VhloOp.BY_NAME.values().forEach(op -> missing.add(op.definition().name()));
    collect(PortableArtifact.read(newest()), missing);
    assertThat(missing).containsExactlyElementsIn(NEWER);
  }

  @Test
  void sharedArtifactsAreRead() throws IOException {
    assumeFalse(Artifacts.shared().isEmpty(), "no artifacts in ../shared");
    for (Path file : Artifacts.shared()) {
      Operation module = PortableArtifact.read(Files.readAllBytes(file));
      assertWithMessage(file.toString()).that(Outline.of(module)).contains("func.return");
    }
  }

  @Test
  void otherFileFormatIsRejected() {
    refused("HloModule m".getBytes(StandardCharsets.US_ASCII))
        .isEqualTo("byte 0: got a file that does not begin with 4D 4C EF 52, want MLIR bytecode");
  }

  @Test
  void unknownBytecodeVersionIsRejected() {
    byte[] file = newest();
    file[4] = 15;
    refused(file).isEqualTo("byte 4: got version 7 of MLIR bytecode, want at most 6");
  }

  @Test
  void futureVersionIsRejected() {
    refused(renamed("1.17.0", "2.00.0"))
        .isEqualTo("the artifact is of StableHLO 2.0.0, want one of 0.9.0 to 1.x");
    refused(renamed("1.17.0", "1.17-0"))
        .isEqualTo(
            "the artifact is from producer StableHLO_v1.17-0, want one such as StableHLO_v1.0.0");
  }

  @Test
  void errorNamesUnknownOperation() {
    refused(renamed("abs_v1", "abs_v9"))
        .isEqualTo(
            "byte 4102: operation vhlo.abs_v9 is not known, want one of StableHLO up to 1.20.0");
  }

  @Test
  void recursiveAttributeIsRejected() {
    byte[] file = newest();
    // Entry 1 is the dictionary of module attributes; its first name now refers to itself.
    file[900] = 3;
    refused(file).isEqualTo("byte 901: attribute 1: it refers to itself");
  }

  @Test
  void deepNestingIsRejectedWhenItIsWritten() throws InterruptedException {
    assertThat(notWritten(loops(400)))
        .isEqualTo("artifact: operations are nested more than 400 deep, want fewer");
    assertThat(notWritten(holding(nested(1000))))
        .isEqualTo("builtin.module: artifact: got more than 1000 levels of nesting, want fewer");
  }

  /** What is written is read. */
  @Test
  void deepNestingIsRead() throws InterruptedException {
    for (Operation module : List.of(loops(399), holding(nested(990)))) {
      Supplier<Operation> read = () -> PortableArtifact.read(PortableArtifact.write(module));
      assertThat(onALargeStack(read).name()).isEqualTo("builtin.module");
    }
  }

  private static Operation loops(int depth) {
    Operation loops = operation("stablehlo.while", Attributes.NONE);
    for (int i = 1; i < depth; i++) {
      loops = inside(operation("stablehlo.while", Attributes.NONE), loops);
    }
    return inside(operation("builtin.module", Attributes.NONE), loops);
  }

  private static String notWritten(Operation module) throws InterruptedException {
    return onALargeStack(
        () -> assertThrows(HloException.class, () -> PortableArtifact.write(module)).getMessage());
  }

  @Test
  void exponentiallySharedTypesAreRejected() {
    Type type = Type.TOKEN;
    for (int i = 0; i < 7; i++) {
      type = new Type.Tuple(ImmutableList.copyOf(Collections.nCopies(8, type)));
    }
    refused(PortableArtifact.write(holding(type)))
        .endsWith("type 6: it consists of too many entries, 2396745");
  }

  /** A writer that went through all that a type stands for would not end. */
  @Test
  void typesThatAreSharedAreWrittenOnce() {
    Type type = Type.TOKEN;
    for (int i = 0; i < 60; i++) {
      type = new Type.Tuple(ImmutableList.of(type, type));
    }
    refused(PortableArtifact.write(holding(type))).contains("it consists of too many entries");
  }

  /** Writing recurses for each level of a type. */
  private static <T> T onALargeStack(Supplier<T> work) throws InterruptedException {
    AtomicReference<T> result = new AtomicReference<>();
    Thread thread = new Thread(null, () -> result.set(work.get()), "writer", 64 << 20);
    thread.start();
    thread.join();
    return requireNonNull(result.get());
  }

  private static Type nested(int depth) {
    Type type = Type.TOKEN;
    for (int i = 0; i < depth; i++) {
      type = new Type.Tuple(ImmutableList.of(type));
    }
    return type;
  }

  @Test
  void typesTooDeepToWriteAreRejected() {
    HloException refusal =
        assertThrows(HloException.class, () -> PortableArtifact.write(holding(nested(100_000))));
    assertThat(refusal.getMessage())
        .isEqualTo("artifact: got too much nesting for the stack of this thread");
  }

  /** A module with a type in its attributes. */
  private static Operation holding(Type type) {
    Attributes attributes = Attributes.of(Map.of("my.type", new Attribute.OfType(type)));
    return inside(
        operation("builtin.module", attributes), operation("func.return", Attributes.NONE));
  }

  private static Operation inside(Operation outer, Operation inner) {
    Region region = Region.of(new Block(ImmutableList.of(), ImmutableList.of(inner)));
    return outer.withRegions(ImmutableList.of(region));
  }

  private static Operation operation(String name, Attributes attributes) {
    return new Operation(
        name,
        ImmutableList.of(),
        ImmutableList.of(),
        attributes,
        ImmutableList.of(),
        Location.unknown(),
        Place.NONE);
  }

  @Test
  void truncatedFilesAreRejected() {
    byte[] file = newest();
    for (int length = 0; length < file.length; length += 31) {
      byte[] cut = java.util.Arrays.copyOf(file, length);
      assertThrows(HloException.class, () -> PortableArtifact.read(cut));
    }
  }

  @Test
  void corruptedFilesParseOrFailCleanly() {
    Random random = new Random(4711);
    for (String version : Artifacts.VERSIONS) {
      byte[] file = Artifacts.ofVersion(version);
      for (int i = 0; i < (Nightly.isOn() ? 60 : 9); i++) {
        byte[] damaged = file.clone();
        for (int flips = 0; flips <= i % 3; flips++) {
          damaged[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
        }
        readOrRefuse(damaged);
      }
    }
  }

  private static void readOrRefuse(byte[] file) {
    try {
      Outline.of(PortableArtifact.read(file));
    } catch (HloException refusal) {
      assertThat(refusal).hasMessageThat().isNotEmpty();
    }
  }

  private static com.google.common.truth.StringSubject refused(byte[] file) {
    return assertThat(
        assertThrows(HloException.class, () -> PortableArtifact.read(file)).getMessage());
  }

  private static byte[] newest() {
    return Artifacts.ofVersion("1.17.0");
  }

  /** The newest artifact with one string replaced by another of the same length. */
  private static byte[] renamed(String from, String to) {
    String text = new String(newest(), StandardCharsets.ISO_8859_1);
    return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String withoutLocations(String outline) {
    return outline.replaceAll(" loc\\(.*", "");
  }

  private static ImmutableMap<String, String> functions(Operation module) {
    return module.region(0).block().operations().stream()
        .collect(
            toImmutableMap(
                function -> function.attributes().find("sym_name").orElseThrow().toString(),
                Outline::of));
  }

  private static void collect(Operation operation, Set<String> missing) {
    missing.remove(operation.name());
    operation
        .regions()
        .forEach(region ->
            region
                .blocks()
                .forEach(block -> block.operations().forEach(inner -> collect(inner, missing))));
  }
}
