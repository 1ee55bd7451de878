package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.io.Resources;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small files that stand for much are read quickly, or refused by kind LIMIT. */
@Timeout(60)
final class SmallFilesTest {
  private static final int USES = 100;

  private static String each(int count, IntFunction<String> line) {
    return IntStream.range(0, count).mapToObj(line).collect(joining("\n")) + "\n";
  }

  /** A tuple of 1,024 values, by 10 types of which each has the one before twice. */
  private static String withTuple(String body) {
    return "!t0 = tuple<tensor<f32>, tensor<f32>>\n"
        + each(9, i -> "!t%d = tuple<!t%d, !t%d>".formatted(i + 1, i, i))
        + "module { func.func @main(%a0: !t9, %p: tensor<i1>) -> !t9 {\n"
        + body
        + "return %a0 : !t9\n}\nfunc.func private @f(%x: !t9) -> !t9 { return %x : !t9 }}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stablehlo.optimization_barrier %%a%d : !t9",
        "stablehlo.custom_call @g(%%a%d) : (!t9) -> !t9",
        "func.call @f(%%a%d) : (!t9) -> !t9",
        "stablehlo.while(%%x = %%a%d) : !t9 cond { stablehlo.return %%p : tensor<i1> } do {"
            + " stablehlo.return %%x : !t9 }",
        "\"stablehlo.if\"(%%p) ({ stablehlo.return %%a%d : !t9 }, { stablehlo.return %%a0 : !t9"
            + " }) : (tensor<i1>) -> !t9",
      })
  void typesOfTuplesAreSharedByTheirUses(String op) {
    String text = withTuple(each(USES, i -> "%a" + (i + 1) + " = " + op.formatted(i)));
    byte[] artifact = StableHlo.toArtifact(StableHlo.parse(text), Optional.empty());
    for (byte[] file : new byte[][] {text.getBytes(UTF_8), artifact}) {
      HloModule module = HloFiles.readModule(file);
      assertThat(Verifier.lenient().findings(module)).isEmpty();
      Set<Shape> objects = Collections.newSetFromMap(new IdentityHashMap<>());
      module.entry().instructions().forEach(each -> addAll(each.shape(), objects));
      assertThat(objects.size()).isLessThan(20 * USES);
    }
  }

  private static void addAll(Shape shape, Set<Shape> objects) {
    if (objects.add(shape) && shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(each -> addAll(each, objects));
    }
  }

  private static String refusal(byte[] file) {
    HloException refusal = assertThrows(HloException.class, () -> HloFiles.readModule(file));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
    return refusal.summary();
  }

  /** Each level of a dictionary has the one before twice, and each op writes all of it as text. */
  @Test
  void attributesThatAliasesMakeLargeAreCounted() {
    String text =
        "#d0 = \"%s\"\n".formatted("x".repeat(4_000))
            + each(8, i -> "#d%d = {a = #d%d, b = #d%d}".formatted(i + 1, i, i))
            + "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
            + each(
                USES,
                i ->
                    "%%b%d = stablehlo.custom_call @f(%%a) {mhlo.backend_config = #d8} :"
                            .formatted(i)
                        + " (tensor<f32>) -> tensor<f32>")
            + "return %a : tensor<f32>\n}";
    assertThat(refusal(text.getBytes(UTF_8)))
        .containsMatch("import: got what stands for more than \\d+ bytes in memory, want less");
  }

  @Test
  void aliasesOfAliasesAreCounted() {
    assertThat(
            refusal(
                ("!t0 = tuple<tensor<f32>, tensor<f32>>\n"
                        + each(15, i -> "!t%d = tuple<!t%d, !t%d>".formatted(i + 1, i, i))
                        + "func.func @main() { return }")
                    .getBytes(UTF_8)))
        .isEqualTo("16:1: got an alias of aliases that stand for 1507375 characters, want fewer");
  }

  @Test
  void replicaGroupsAreCounted() {
    String text =
        "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a,b)"
            + " }\nENTRY e { x = f32[2] parameter(0)\n"
            + each(
                USES,
                i ->
                    "r"
                        + i
                        + " = f32[2] all-reduce(x), replica_groups=[1,1048576]<=[1048576],"
                        + " to_apply=add")
            + "ROOT t = f32[2] abs(x) }";
    assertThat(refusal(text.getBytes(UTF_8)))
        .containsMatch("^HLO text: got what stands for more than \\d+ bytes in memory, want less");
  }

  /** Each node of the tree of arguments has the one before several times. */
  @Test
  void treesOfSharedNodesAreCounted() throws IOException {
    byte[] file = Resources.toByteArray(JaxExport.class.getResource("shared-nodes.bin"));
    HloException refusal = assertThrows(HloException.class, () -> JaxExport.read(file));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
    assertThat(refusal)
        .hasMessageThat()
        .containsMatch("^jax.export file: got what stands for more than \\d+ bytes in memory");
  }
}
