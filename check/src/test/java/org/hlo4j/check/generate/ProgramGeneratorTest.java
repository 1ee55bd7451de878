package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ProgramGeneratorTest {
  private static Stream<Program> programs(ProgramGenerator generator, long seeds) {
    return LongStream.range(0, seeds).mapToObj(generator::program).flatMap(Optional::stream);
  }

  private static Stream<HloInstruction> instructions(Program program) {
    return program.module().computations().stream().flatMap(each -> each.instructions().stream());
  }

  /** The instructions of portable programs, which are drawn once. */
  private static final Supplier<List<HloInstruction>> PORTABLE =
      Suppliers.memoize(() ->
          programs(ProgramGenerator.create().portable(), Nightly.isOn() ? 200 : 40)
              .flatMap(ProgramGeneratorTest::instructions)
              .toList());

  private static Set<String> opcodes(ProgramGenerator generator, long seeds) {
    return opcodes(programs(generator, seeds));
  }

  private static Set<String> opcodes(Stream<Program> programs) {
    return programs
        .flatMap(ProgramGeneratorTest::instructions)
        .map(each -> each.op().opcode())
        .collect(toImmutableSet());
  }

  /** But of rows, of which OpRowsTest says so. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ROWS")
  void programsAreValid(Family family) {
    assertThat(
            LongStream.range(0, Nightly.isOn() ? 30 : 4)
                .mapToObj(family::program)
                .flatMap(Optional::stream)
                .flatMap(each -> Verifier.strict().findings(each.module()).stream())
                .toList())
        .isEmpty();
  }

  /** The same seed gives the same program and arguments. */
  @Test
  void seeds() {
    ProgramGenerator generator = ProgramGenerator.create();
    Program first = generator.program(17).orElseThrow();
    Program again = generator.program(17).orElseThrow();
    assertThat(Printer.print(again.module())).isEqualTo(Printer.print(first.module()));
    assertThat(again.arguments()).isEqualTo(first.arguments());
  }

  /** Ops of which none is without others bring these with them. */
  @ParameterizedTest
  @ValueSource(
      strings = {"infeed", "outfeed", "recv", "copy-start", "all-gather-done", "add-dependency"})
  void opsWithCompanions(String op) {
    ProgramGenerator generator = ProgramGenerator.create().withOps(ImmutableSet.of(op));
    assertThat(opcodes(generator, 4)).contains(op);
  }

  @Test
  void dynamicSizes() {
    List<Program> dynamic = programs(ProgramGenerator.create().dynamic(), 60).toList();
    assertThat(opcodes(dynamic.stream())).containsAtLeast("set-dimension-size", "dynamic-reshape");
    assertThat(
            dynamic.stream()
                .map(each -> each.module().entry().root().shape())
                .filter(Shape::isDynamic)
                .count())
        .isAtLeast(3);
  }

  /** Other systems are not asked for what only hlo4j, or only some compilers, define. */
  @Test
  void portableOps() {
    assertThat(PORTABLE.get().stream().map(each -> each.op().opcode()).toList())
        .containsNoneOf(
            "rng",
            "rng-get-and-update-state",
            "async-start",
            "copy-start",
            "domain",
            "infeed",
            "send",
            "custom-call");
  }

  /** Consecutive seeds reach each comparison, conversion and reduction of each common type. */
  @Test
  void ownSteps() {
    Set<String> reached =
        LongStream.range(0, 150)
            .mapToObj(Family.STEPS::program)
            .flatMap(Optional::stream)
            .flatMap(ProgramGeneratorTest::instructions)
            .map(ProgramGeneratorTest::opAndType)
            .collect(toImmutableSet());
    for (ElementType type : Choices.COMMON) {
      for (String each : List.of("EQ", "NE", "GE", "GT", "LT", "LE")) {
        if (!type.isComplex() || each.equals("EQ") || each.equals("NE")) {
          assertThat(reached).contains("compare " + each + " " + type);
        }
      }
      assertThat(reached).contains("convert " + type);
      assertThat(reached).contains("dot " + type);
      assertThat(reached).contains("reduce " + type);
    }
  }

  /** Products and narrow floats are as common as in the programs that people run. */
  @Test
  void weights() {
    List<HloInstruction> all =
        PORTABLE.get().stream()
            .filter(each -> !Restrictions.ALWAYS.contains(each.op().opcode()))
            .toList();
    assertThat(percent(all, each -> each.op() instanceof Dot || each.op() instanceof Convolution))
        .isAtLeast(5);
    assertThat(
            percent(
                all,
                each ->
                    each.shape() instanceof Shape.Array array
                        && array.elementType().isFloating()
                        && array.elementType().bits() == 16))
        .isAtLeast(15);
  }

  private static long percent(List<HloInstruction> all, Predicate<HloInstruction> kind) {
    return 100 * all.stream().filter(kind).count() / all.size();
  }

  @Test
  void opsLeftOut() {
    ProgramGenerator generator = ProgramGenerator.create().withoutOps(Set.of("dot", "while"));
    assertThat(opcodes(generator, 20)).containsNoneOf("dot", "while");
    assertThat(
            assertThrows(HloException.class, () -> generator.withoutOps(Set.of("tuple")))
                .getMessage())
        .isEqualTo("ops to leave out got tuple, which every program may have");
  }

  private static String opAndType(HloInstruction instruction) {
    String type =
        instruction.operands().isEmpty()
                || !(instruction.operands().get(0).shape() instanceof Shape.Array array)
            ? ""
            : array.elementType().toString();
    String direction = instruction.op() instanceof Compare op ? op.direction() + " " : "";
    return instruction.op().opcode() + " " + direction + type;
  }

  @Test
  void chosenOps() {
    ProgramGenerator sums = ProgramGenerator.create().withOps(ImmutableSet.of("add", "dot"));
    assertThat(opcodes(sums, 20))
        .isEqualTo(
            Set.of(
                "parameter", "constant", "broadcast", "tuple", "get-tuple-element", "add", "dot"));
  }

  @Test
  void chosenTypesAndSizes() {
    ProgramGenerator small =
        ProgramGenerator.create().withTypes(ImmutableSet.of(ElementType.BF16)).withMaxElements(10);
    assertThat(
            programs(small, 30)
                .flatMap(ProgramGeneratorTest::instructions)
                .map(HloInstruction::shape)
                .filter(shape -> shape instanceof Shape.Array)
                .map(shape -> (Shape.Array) shape)
                .filter(array ->
                    array.elementCount() > 10
                        || (array.elementType() != ElementType.BF16 && !array.isScalar()))
                .toList())
        .isEmpty();
  }

  @Test
  void finiteResults() {
    ProgramGenerator roots =
        ProgramGenerator.create()
            .withOps(ImmutableSet.of("multiply", "add"))
            .withTypes(ImmutableSet.of(ElementType.F32))
            .finite();
    assertThat(programs(roots, 10).count()).isGreaterThan(4);
  }

  @Test
  void refusals() {
    ProgramGenerator generator = ProgramGenerator.create();
    assertThat(
            assertThrows(HloException.class, () -> generator.withOps(ImmutableSet.of()))
                .getMessage())
        .isEqualTo("generator: ops got none, want at least one");
    assertThat(assertThrows(HloException.class, () -> generator.withMaxElements(0)).getMessage())
        .isEqualTo("generator: max elements got 0, want at least 1");
    assertThat(assertThrows(HloException.class, () -> generator.withSteps(0)).getMessage())
        .isEqualTo("generator: steps got 0, want at least 1");
  }
}
