package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutations of valid texts: the parser throws only HloException, and the text printed from an
 * accepted module is printed unchanged after it is parsed again. The verifier throws nothing.
 */
@Tag("thorough")
final class ParserMutationTest {
  private static final int THOUSANDS = Boolean.getBoolean("hlo4j.test.nightly") ? 80 : 3;
  private static final int MUTATIONS = 1_000 * THOUSANDS;
  private static final int MUTATIONS_OF_FORMS = 350 * THOUSANDS;
  private static final int MUTATIONS_OF_PROGRAMS = 70 * THOUSANDS;
  private static final Pattern PLACE = Pattern.compile("^\\d+:\\d+: ");
  private static final List<String> TEXTS =
      List.of(
          """
          HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->(f32[2], pred[])}

          FileNames
          1 "a.py"

          StackFrames
          1 {file_location_id=1 parent_frame_id=1}

          %sum (a: f32[], b: f32[]) -> f32[] {
            %a = f32[] parameter(0)
            %b = f32[] parameter(1)
            ROOT %c = f32[] add(%a, %b), metadata={op_name="jit(f)/add" stack_frame_id=1}
          }

          ENTRY %main (x: f32[2,3]) -> (f32[2], pred[]) {
            %x = f32[2,3]{1,0:T(8,128)} parameter(0), sharding={replicated}
            %zero = f32[] constant(-0.5e1)
            %r = f32[2]{0} reduce(f32[2,3] %x, %zero), dimensions={1}, to_apply=%sum
            %k = f32[2,2] constant({ /*i0=0*/ { 1, nan }, { -inf, 3 } })
            %d = f32[2] dot(%k, %r), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            %p = pred[] constant(true), backend_config={"a":{"b":"}"}}
            ROOT %t = (f32[2]{0}, pred[]) tuple(%d, %p), control-predecessors={%k}
          }
          """,
          """
          add { x = s32[] parameter(0) y = s32[] parameter(1) ROOT s = add(x, y) }
          e {
            v = s32[<=4,2] parameter(0)
            c = c64[2] constant({(1, 2), (nan, -inf)})
            t = (s32[2], (f32[])) constant(( {1, 2}, ( 3 ) ))
            i = s32[4] iota(), iota_dimension=0
            b = s32[4,2]{0,1} broadcast(i), dimensions={0}
            q = compare(b, b), direction=LT, type=SIGNED
            n = select(q, negate(b), s32[4,2] b)
            g = get-tuple-element(t), index=1
            z = s64[4,2] convert(n)
            w = f8e5m2[2] constant({1.5 1e2}), frontend_attributes={a="b"}
          }, execution_thread="main"
          """,
          "ROOT r = multiply(f32[2] add(f32[2] a, f32[2] constant({1 2})), f32[2] b)");
  private static final String LETTERS = "{}()[]<=%,.:/*\"'\\ \n-+0123456789aefnxROT_?\u20ac\0";

  @Test
  void seedTextsAreAccepted() {
    for (String text : TEXTS) {
      assertThat(accepted(text)).isTrue();
    }
  }

  @Test
  void mutatedTexts() {
    assertAcceptedOrRefused(TEXTS, MUTATIONS);
  }

  @Test
  void mutatedForms() throws IOException {
    List<String> texts =
        Stream.concat(FormsTest.full(), FormsTest.canonical())
            .map(block -> (String) block.get()[1])
            .toList();
    assertAcceptedOrRefused(texts, MUTATIONS_OF_FORMS);
  }

  @Test
  void mutatedPrograms() throws IOException {
    List<String> texts = new ArrayList<>();
    for (String name : List.of("program.hlo.txt", "program.opt.hlo.txt")) {
      for (Path file : SharedProgramsTest.programs(name)) {
        texts.add(Files.readString(file));
      }
    }
    texts.removeIf(text -> text.length() > 20_000);
    assertAcceptedOrRefused(texts, MUTATIONS_OF_PROGRAMS);
  }

  private static void assertAcceptedOrRefused(List<String> texts, int mutations) {
    long accepted =
        IntStream.range(0, mutations)
            .parallel()
            .filter(i -> accepted(mutated(texts.get(i % texts.size()), new Random(i))))
            .count();
    assertThat(accepted).isAtLeast(mutations / 50);
    assertThat(accepted).isAtMost(mutations * 3L / 4);
  }

  static boolean accepted(String text) {
    try {
      Optional<HloModule> module = parsed(text);
      module.ifPresent(ParserMutationTest::requireRoundTrip);
      return module.isPresent();
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | AssertionError wrong) {
      throw new AssertionError(text, wrong);
    }
  }

  private static Optional<HloModule> parsed(String text) {
    try {
      return Optional.of(Parser.parse(text));
    } catch (HloException refusal) {
      assertThat(PLACE.matcher(String.valueOf(refusal.getMessage())).find()).isTrue();
      return Optional.empty();
    }
  }

  private static void requireRoundTrip(HloModule module) {
    Verifier.lenient().findings(module);
    for (PrintOptions form : List.of(PrintOptions.FULL, PrintOptions.CANONICAL)) {
      String printed = Printer.print(module, form);
      assertThat(Printer.print(Parser.parse(printed), form)).isEqualTo(printed);
    }
  }

  private static String mutated(String text, Random random) {
    StringBuilder mutated = new StringBuilder(text);
    for (int i = random.nextInt(3); i >= 0 && mutated.length() > 1; i--) {
      int at = random.nextInt(mutated.length());
      int to = Math.min(mutated.length(), at + 1 + random.nextInt(12));
      String part = mutated.substring(at, to);
      switch (random.nextInt(6)) {
        case 0 -> mutated.delete(at, to);
        case 1 -> mutated.insert(random.nextInt(at + 1), part);
        case 2 -> mutated.setLength(Math.max(1, at));
        case 3 -> mutated.insert(at, random.nextLong());
        default -> mutated.setCharAt(at, LETTERS.charAt(random.nextInt(LETTERS.length())));
      }
    }
    return mutated.toString();
  }
}
