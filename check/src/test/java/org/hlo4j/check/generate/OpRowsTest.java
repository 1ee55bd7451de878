package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
final class OpRowsTest {
  /** The seeds of one round: each op in each place. */
  private static final int ROUND = OpRows.ALL.size() * Place.ALL.size();

  /** From one seed of a round to the next that is drawn: so all places and most ops are. */
  private static final int STRIDE = Nightly.isOn() ? 13 : 61;

  private static final int PROGRAMS = Nightly.isOn() ? 400 : 150;
  private static final int SEEDS = Nightly.isOn() ? 40 : 6;

  /** Of all seeds of a round; drawn once. */
  private static final Map<Long, Optional<HloModule>> MODULES = new ConcurrentHashMap<>();

  private static Optional<HloModule> module(long seed) {
    return MODULES.computeIfAbsent(
        seed, each -> ProgramGenerator.create().program(each).map(Program::module));
  }

  private static ImmutableList<HloModule> modules(long seeds) {
    return LongStream.range(0, seeds)
        .mapToObj(OpRowsTest::module)
        .flatMap(Optional::stream)
        .collect(toImmutableList());
  }

  @Test
  void eachOpHasARow() {
    assertThat(OpRows.ALL.keySet()).containsExactlyElementsIn(OpSchema.opcodes());
  }

  static ImmutableList<String> opcodes() {
    return ImmutableList.copyOf(OpRows.ALL.keySet());
  }

  /** What is drawn from a row mostly applies, and has the op. */
  @ParameterizedTest
  @MethodSource("opcodes")
  void rowsApply(String opcode) {
    int applied = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Choices choices = new Choices(seed, new Restrictions());
      Block entry = Block.entry(ProgramDraft.varied(choices, true));
      boolean has =
          OpRows.take(entry, 1, OpRows.row(opcode))
              && entry.instructions().stream().anyMatch(each -> each.op().opcode().equals(opcode));
      applied += has ? 1 : 0;
    }
    assertWithMessage("of %s", SEEDS).that(applied).isAtLeast(SEEDS / 2);
  }

  /** Of 100 seeds 99 give a program, and the verifier accepts all of them. */
  @Test
  void programsAreValid() {
    ImmutableList<HloModule> modules = modules(PROGRAMS);
    assertThat(modules.size()).isAtLeast(PROGRAMS * 99 / 100);
    assertThat(
            modules.stream()
                .flatMap(each -> Verifier.lenient().findings(each).stream())
                .collect(toImmutableList()))
        .isEmpty();
  }

  @Test
  void allOpsAreReached() {
    Set<String> reached =
        modules(PROGRAMS).stream()
            .flatMap(HloModule::instructions)
            .map(each -> each.op().opcode())
            .collect(toImmutableSet());
    assertThat(Sets.difference(OpSchema.opcodes(), reached)).isEmpty();
  }

  /** Returns the opcodes of the computations that stand in each place. */
  private static SetMultimap<Place, String> opsByPlace(List<HloModule> modules) {
    SetMultimap<Place, String> ops = LinkedHashMultimap.create();
    for (HloModule module : modules) {
      module.entry().instructions().forEach(each -> ops.put(Place.ENTRY, each.op().opcode()));
      for (HloComputation computation : module.computations()) {
        for (HloInstruction caller : computation.instructions()) {
          for (int i = 0; i < caller.called().size(); i++) {
            Place place = new Place(caller.op().opcode(), i);
            caller
                .called()
                .get(i)
                .instructions()
                .forEach(each -> ops.put(place, each.op().opcode()));
          }
        }
      }
    }
    return ops;
  }

  /** Of seeds from a whole round, nearly each has its op in its place. */
  @Test
  void opsStandInTheirPlaces() {
    ImmutableList<String> opcodes = opcodes();
    List<String> missing = new ArrayList<>();
    for (int seed = 0; seed < ROUND; seed += STRIDE) {
      String opcode = opcodes.get(seed % opcodes.size());
      Place place = Place.ALL.get(seed / opcodes.size());
      boolean stands =
          opsByPlace(module(seed).stream().toList()).containsEntry(place, opcode)
              || place.isOf("async-start"); // its only op is a call; what that calls is a call's
      if (!stands) {
        missing.add(opcode + " in " + place);
      }
    }
    assertWithMessage("%s", missing).that(missing.size()).isAtMost(ROUND / STRIDE / 20);
  }

  /** In one round, nearly each op is in each place, and most functions have each of their types. */
  @Test
  @Tag("nightly")
  void oneRound() {
    ImmutableList<HloModule> modules = modules(ROUND);
    SetMultimap<Place, String> ops = opsByPlace(modules);
    for (Place place : Place.ALL) {
      TreeSet<String> missing = new TreeSet<>(Sets.difference(OpRows.ALL.keySet(), ops.get(place)));
      if (!place.isOf("async-start")) { // its only op is a call; what that calls is a call's
        assertWithMessage("%s lacks %s", place, missing).that(missing.size()).isAtMost(3);
      }
    }
    Set<String> found = functions(modules);
    int missing = 0;
    for (Elementwise.Kind kind : Elementwise.Kind.values()) {
      for (ElementType type : ElementType.values()) {
        missing += kind.accepts(type) && !found.contains(kind + " " + type) ? 1 : 0;
      }
    }
    assertThat(missing).isAtMost(60); // of about 900
  }

  /** Returns the element-wise functions of some modules, each with the type of its operand. */
  private static ImmutableSet<String> functions(List<HloModule> modules) {
    return modules.stream()
        .flatMap(HloModule::instructions)
        .flatMap(each ->
            each.op() instanceof Elementwise op
                ? Stream.of(
                    op.kind() + " " + ((Shape.Array) each.operands().get(0).shape()).elementType())
                : Stream.of())
        .collect(toImmutableSet());
  }
}
