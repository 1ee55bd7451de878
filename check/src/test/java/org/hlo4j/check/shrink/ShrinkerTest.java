package org.hlo4j.check.shrink;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private static Program program(String text, Literal... arguments) {
    return Program.of(Parser.parse(text), arguments);
  }

  private static Predicate<Program> has(String text) {
    return program -> Printer.print(program.module()).contains(text);
  }

  private static String shrunk(Program program, Predicate<Program> check) {
    Program small = Shrinker.of(check).shrink(program);
    return Printer.print(small.module())
        + small.arguments().stream().map(ShrinkerTest::argument).collect(Collectors.joining());
  }

  private static String argument(Literal value) {
    boolean isZero = value.equals(Literal.zeros(value.arrayShape()));
    return "argument " + (isZero ? "of zeros" : value.toHloText()) + "\n";
  }

  private static final Literal THREE = Literal.of(new float[] {1, 2, 3});

  /** Returns the program of an op alone, on a zero. */
  private static String only(String opcode) {
    return """
    HloModule shrunk, entry_computation_layout={(f32[1]{0})->f32[1]{0}}

    ENTRY %%main (p0: f32[1]) -> f32[1] {
      %%p0 = f32[1]{0} parameter(0)
      ROOT %%%1$s = f32[1]{0} %1$s(%%p0)
    }
    argument of zeros
    """
        .formatted(opcode);
  }

  /** Half of the chain goes, the rest too; the value of the operand is then made simple. */
  @Test
  void oneInstructionOfAChain() {
    Program chain =
        program(
            """
            HloModule chain, entry_computation_layout={(f32[3]{0})->(f32[3]{0}, f32[])}
            ENTRY %main (x: f32[3]) -> (f32[3], f32[]) {
              %x = f32[3]{0} parameter(0)
              %a = f32[3]{0} add(%x, %x), metadata={op_name="a"}
              %b = f32[3]{0} tanh(%a)
              %c = f32[3]{0} multiply(%b, %x)
              %one = f32[] constant(1)
              ROOT %r = (f32[3]{0}, f32[]) tuple(%c, %one)
            }
            """,
            THREE);
    assertThat(shrunk(chain, has("tanh"))).isEqualTo(only("tanh"));
  }

  /** The values that the reference computes take the place of what has computed them. */
  @Test
  void valuesOfTheReference() {
    Program sum =
        program(
            """
            HloModule sum
            ENTRY %main (x: f32[3]) -> f32[3] {
              %x = f32[3] parameter(0)
              %a = f32[3] exponential(%x)
              %b = f32[3] add(%a, %a)
              ROOT %c = f32[3] negate(%b)
            }
            """,
            THREE);
    Literal result = sum.run(Interpreter.reference());
    assertThat(shrunk(sum, each -> result.equals(each.run(Interpreter.reference()))))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[3]{0})->f32[3]{0}}

            ENTRY %main (p0: f32[3]) -> f32[3] {
              ROOT %p0 = f32[3]{0} parameter(0)
            }
            argument {-5.43656349, -14.7781124, -40.1710739}
            """);
  }

  @Test
  void insideALoop() {
    Program loop =
        program(
            """
            HloModule loop
            %cond (s: (s32[], f32[3])) -> pred[] {
              %s = (s32[], f32[3]) parameter(0)
              %i = s32[] get-tuple-element(%s), index=0
              %n = s32[] constant(100)
              ROOT %lt = pred[] compare(%i, %n), direction=LT
            }
            %body (t: (s32[], f32[3])) -> (s32[], f32[3]) {
              %t = (s32[], f32[3]) parameter(0)
              %j = s32[] get-tuple-element(%t), index=0
              %one = s32[] constant(1)
              %k = s32[] add(%j, %one)
              %v = f32[3] get-tuple-element(%t), index=1
              %w = f32[3] tanh(%v)
              %u = f32[3] cosine(%w)
              ROOT %next = (s32[], f32[3]) tuple(%k, %u)
            }
            ENTRY %main (x: f32[3]) -> f32[3] {
              %x = f32[3] parameter(0)
              %zero = s32[] constant(0)
              %start = (s32[], f32[3]) tuple(%zero, %x)
              %end = (s32[], f32[3]) while(%start), condition=%cond, body=%body
              ROOT %y = f32[3] get-tuple-element(%end), index=1
            }
            """,
            THREE);
    assertThat(shrunk(loop, has("tanh"))).isEqualTo(only("tanh"));
    assertThat(shrunk(loop, each -> has("while").test(each) && has("tanh").test(each)))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={()->s32[]}

            %condition (p0: s32[]) -> pred[] {
              %p0 = s32[] parameter(0)
              ROOT %constant.2 = pred[] constant(false)
            }

            %body (p0.2: s32[]) -> s32[] {
              ROOT %p0.2 = s32[] parameter(0)
              %constant.3 = f32[1]{0} constant({0})
              %tanh = f32[1]{0} tanh(%constant.3)
            }

            ENTRY %main () -> s32[] {
              %constant = s32[] constant(0)
              ROOT %while = s32[] while(%constant), condition=%condition, body=%body
            }
            """);
  }

  /** Of six elements of the state, the check needs the counter and the one that is doubled. */
  @Test
  void stateOfALoop() {
    Program loop =
        program(
            """
            HloModule loop
            %cond (s: (s32[], f32[], f32[4], f32[], s32[], f32[2])) -> pred[] {
              %s = (s32[], f32[], f32[4], f32[], s32[], f32[2]) parameter(0)
              %i = s32[] get-tuple-element(%s), index=0
              %n = s32[] get-tuple-element(%s), index=4
              ROOT %lt = pred[] compare(%i, %n), direction=LT
            }
            %body (t: (s32[], f32[], f32[4], f32[], s32[], f32[2])) -> (s32[], f32[], f32[4], f32[], s32[], f32[2]) {
              %t = (s32[], f32[], f32[4], f32[], s32[], f32[2]) parameter(0)
              %j = s32[] get-tuple-element(%t), index=0
              %one = s32[] constant(1)
              %k = s32[] add(%j, %one)
              %a = f32[] get-tuple-element(%t), index=1
              %b = f32[4] get-tuple-element(%t), index=2
              %c = f32[] get-tuple-element(%t), index=3
              %e = f32[2] get-tuple-element(%t), index=5
              %m = s32[] get-tuple-element(%t), index=4
              %b2 = f32[4] tanh(%b)
              %c2 = f32[] add(%c, %c)
              %a2 = f32[] multiply(%a, %c2)
              ROOT %next = (s32[], f32[], f32[4], f32[], s32[], f32[2]) tuple(%k, %a2, %b2, %c2, %m, %e)
            }
            ENTRY %main (x: f32[], y: f32[4], n: s32[], z: f32[2]) -> f32[] {
              %x = f32[] parameter(0)
              %y = f32[4] parameter(1)
              %n = s32[] parameter(2)
              %z = f32[2] parameter(3)
              %zero = s32[] constant(0)
              %start = (s32[], f32[], f32[4], f32[], s32[], f32[2]) tuple(%zero, %x, %y, %x, %n, %z)
              %end = (s32[], f32[], f32[4], f32[], s32[], f32[2]) while(%start), condition=%cond, body=%body
              ROOT %r = f32[] get-tuple-element(%end), index=3
            }
            """,
            Literal.of(1f),
            Literal.of(new float[] {1, 2, 3, 4}),
            Literal.of(3),
            Literal.of(new float[] {1, 2}));
    Evaluator bounded = Interpreter.reference(EvaluatorOptions.builder().maxSteps(1000).build());
    Predicate<Program> doubles =
        each -> {
          try {
            return has("while(").test(each)
                && each.run(bounded).arrays().stream().anyMatch(Literal.of(8f)::equals);
          } catch (HloException endless) {
            return false;
          }
        };
    assertThat(shrunk(loop, doubles))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[], s32[])->(s32[], f32[], s32[])}

            %condition (p0.2: (s32[], f32[], s32[])) -> pred[] {
              %p0.2 = (s32[], f32[], s32[]) parameter(0)
              %get-tuple-element = s32[] get-tuple-element(%p0.2), index=0
              %get-tuple-element.2 = s32[] get-tuple-element(%p0.2), index=2
              ROOT %compare = pred[] compare(%get-tuple-element, %get-tuple-element.2), direction=LT
            }

            %body (p0.3: (s32[], f32[], s32[])) -> (s32[], f32[], s32[]) {
              %p0.3 = (s32[], f32[], s32[]) parameter(0)
              %get-tuple-element.3 = s32[] get-tuple-element(%p0.3), index=0
              %get-tuple-element.4 = f32[] get-tuple-element(%p0.3), index=1
              %get-tuple-element.5 = s32[] get-tuple-element(%p0.3), index=2
              %constant.2 = s32[] constant(1)
              %add = s32[] add(%get-tuple-element.3, %constant.2)
              %add.2 = f32[] add(%get-tuple-element.4, %get-tuple-element.4)
              ROOT %tuple.2 = (s32[], f32[], s32[]) tuple(%add, %add.2, %get-tuple-element.5)
            }

            ENTRY %main (p0: f32[], p1: s32[]) -> (s32[], f32[], s32[]) {
              %p0 = f32[] parameter(0)
              %p1 = s32[] parameter(1)
              %constant = s32[] constant(0)
              %tuple = (s32[], f32[], s32[]) tuple(%constant, %p0, %p1)
              ROOT %while = (s32[], f32[], s32[]) while(%tuple), condition=%condition, body=%body
            }
            argument 1
            argument 3
            """);
  }

  /** The first of two groups of a convolution is enough. */
  @Test
  void groupsOfAConvolution() {
    Program groups =
        program(
            """
            HloModule groups
            ENTRY %main (x: f32[1,3,4], w: f32[1,2,6]) -> f32[1,3,6] {
              %x = f32[1,3,4] parameter(0)
              %w = f32[1,2,6] parameter(1)
              %c = f32[1,3,6] convolution(%x, %w), window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=2
              ROOT %n = f32[1,3,6] negate(%c)
            }
            """,
            Literal.zeros(Shape.of(ElementType.F32, 1, 3, 4)),
            Literal.zeros(Shape.of(ElementType.F32, 1, 2, 6)));
    assertThat(shrunk(groups, has("convolution")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[1,1,1]{2,1,0})->f32[1,1,1]{2,1,0}}

            ENTRY %main (p0: f32[1,1,1]) -> f32[1,1,1] {
              %p0 = f32[1,1,1]{2,1,0} parameter(0)
              ROOT %convolution = f32[1,1,1]{2,1,0} convolution(%p0, %p0), window={size=1}, dim_labels=b0f_0io->b0f
            }
            argument of zeros
            """);
  }

  @Test
  void computationsOfAReductionAndABranch() {
    Program branches =
        program(
            """
            HloModule branches
            %add (a: f32[], b: f32[]) -> f32[] {
              %a = f32[] parameter(0)
              %b = f32[] parameter(1)
              %c = f32[] add(%a, %b)
              %d = f32[] multiply(%c, %c)
              ROOT %e = f32[] maximum(%c, %d)
            }
            %yes (p: f32[4,6]) -> f32[4] {
              %p = f32[4,6] parameter(0)
              %z = f32[] constant(0)
              ROOT %q = f32[4] reduce(%p, %z), dimensions={1}, to_apply=%add
            }
            %no (o: f32[4]) -> f32[4] {
              ROOT %o = f32[4] parameter(0)
            }
            ENTRY %main (w: pred[], x: f32[4,6], y: f32[4]) -> f32[4] {
              %w = pred[] parameter(0)
              %x = f32[4,6] parameter(1)
              %y = f32[4] parameter(2)
              ROOT %r = f32[4] conditional(%w, %x, %y), true_computation=%yes, false_computation=%no
            }
            """,
            Literal.of(true),
            Literal.full(Shape.of(ElementType.F32, 4, 6), 3f),
            Literal.of(new float[] {1, 2, 3, 4}));
    assertThat(shrunk(branches, has("reduce")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[])->f32[]}

            %to_apply (p0.2: f32[], p1: f32[]) -> f32[] {
              ROOT %p0.2 = f32[] parameter(0)
              %p1 = f32[] parameter(1)
            }

            ENTRY %main (p0: f32[]) -> f32[] {
              %p0 = f32[] parameter(0)
              ROOT %reduce = f32[] reduce(%p0, %p0), dimensions={}, to_apply=%to_apply
            }
            argument of zeros
            """);
  }

  /** A constant that a loop returns becomes its state. */
  @Test
  void constantsOfALoop() {
    Program loop =
        program(
            """
            HloModule loop
            %on (s: s32[]) -> pred[] {
              %s = s32[] parameter(0)
              ROOT %no = pred[] constant(false)
            }
            %body (t: s32[]) -> s32[] {
              %t = s32[] parameter(0)
              ROOT %zero = s32[] constant(0)
            }
            ENTRY %main (x: s32[]) -> s32[] {
              %x = s32[] parameter(0)
              ROOT %w = s32[] while(%x), condition=%on, body=%body
            }
            """,
            Literal.of(1));
    assertThat(shrunk(loop, has("while(")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(s32[])->s32[]}

            %condition (p0.2: s32[]) -> pred[] {
              %p0.2 = s32[] parameter(0)
              ROOT %constant = pred[] constant(false)
            }

            %body (p0.3: s32[]) -> s32[] {
              ROOT %p0.3 = s32[] parameter(0)
            }

            ENTRY %main (p0: s32[]) -> s32[] {
              %p0 = s32[] parameter(0)
              ROOT %while = s32[] while(%p0), condition=%condition, body=%body
            }
            argument of zeros
            """);
  }

  /** One element is scattered as a scalar: its operand and the updates have one shape. */
  @Test
  void scatterOfOneElement() {
    Program scatter =
        program(
            """
            HloModule scatter
            %last (a: s32[], b: s32[]) -> s32[] {
              %a = s32[] parameter(0)
              ROOT %b = s32[] parameter(1)
            }
            ENTRY %main (x: s32[3,2], i: s32[], u: s32[3]) -> s32[3,2] {
              %x = s32[3,2] parameter(0)
              %i = s32[] parameter(1)
              %u = s32[3] parameter(2)
              ROOT %s = s32[3,2] scatter(%x, %i, %u), update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=0, to_apply=%last
            }
            """,
            Literal.zeros(Shape.of(ElementType.S32, 3, 2)),
            Literal.of(1),
            Literal.zeros(Shape.of(ElementType.S32, 3)));
    assertThat(shrunk(scatter, has("scatter(")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(s32[])->s32[]}

            %to_apply (p0.2: s32[], p1: s32[]) -> s32[] {
              %p0.2 = s32[] parameter(0)
              ROOT %p1 = s32[] parameter(1)
            }

            ENTRY %main (p0: s32[]) -> s32[] {
              %p0 = s32[] parameter(0)
              %constant = s32[0]{0} constant({})
              ROOT %scatter = s32[] scatter(%p0, %constant, %p0), update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=%to_apply
            }
            argument of zeros
            """);
  }

  @Test
  void sizesAndAttributes() {
    Program convolution =
        program(
            """
            HloModule convolution
            ENTRY %main (x: f32[1,12,12,6], w: f32[3,3,3,6]) -> f32[1,6,6,6] {
              %x = f32[1,12,12,6] parameter(0)
              %w = f32[3,3,3,6] parameter(1)
              ROOT %r = f32[1,6,6,6] convolution(%x, %w), window={size=3x3 pad=1_1x1_1 stride=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=2, operand_precision={highest,highest}
            }
            """,
            Literal.full(Shape.of(ElementType.F32, 1, 12, 12, 6), 3f),
            Literal.full(Shape.of(ElementType.F32, 3, 3, 3, 6), 3f));
    assertThat(shrunk(convolution, has(" convolution(")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[1,1,1,1]{3,2,1,0})->f32[1,1,1,1]{3,2,1,0}}

            ENTRY %main (p0: f32[1,1,1,1]) -> f32[1,1,1,1] {
              %p0 = f32[1,1,1,1]{3,2,1,0} parameter(0)
              ROOT %convolution = f32[1,1,1,1]{3,2,1,0} convolution(%p0, %p0), window={size=1x1}, dim_labels=b01f_01io->b01f
            }
            argument of zeros
            """);
    assertThat(shrunk(convolution, has("size=3x3 stride=2x2 pad=1_1x1_1")))
        .isEqualTo(
            """
            HloModule shrunk, entry_computation_layout={(f32[1,1,1,3]{3,2,1,0}, f32[3,3,3,3]{3,2,1,0})->f32[1,1,1,3]{3,2,1,0}}

            ENTRY %main (p0: f32[1,1,1,3], p1: f32[3,3,3,3]) -> f32[1,1,1,3] {
              %p0 = f32[1,1,1,3]{3,2,1,0} parameter(0)
              %p1 = f32[3,3,3,3]{3,2,1,0} parameter(1)
              ROOT %convolution = f32[1,1,1,3]{3,2,1,0} convolution(%p0, %p1), window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
            }
            argument of zeros
            argument of zeros
            """);
  }

  /** The reference knows no such call; random numbers are its result. */
  @Test
  void whatTheReferenceCannotEvaluate() {
    Program custom =
        program(
            """
            HloModule custom
            ENTRY %main (x: f32[3]) -> f32[3] {
              %x = f32[3] parameter(0)
              %a = f32[3] custom-call(%x), custom_call_target="unknown"
              ROOT %b = f32[3] negate(%a)
            }
            """,
            THREE);
    assertThat(shrunk(custom, has("negate"))).isEqualTo(only("negate"));
  }

  @Test
  void limitsAndProgress() {
    Program program =
        program(
            """
            HloModule outputs
            ENTRY %main (x: f32[3]) -> (f32[3], f32[3], f32[3], f32[3]) {
              %x = f32[3] parameter(0)
              %dead = f32[3] cosine(%x)
              %a = f32[3] tanh(%x)
              %b = f32[3] sine(%x)
              %c = f32[3] exponential(%x)
              %d = f32[3] negate(%x)
              ROOT %r = (f32[3], f32[3], f32[3], f32[3]) tuple(%a, %b, %c, %d)
            }
            """,
            THREE);
    List<String> progress = new ArrayList<>();
    Shrinker.of(each -> true)
        .withListener(each -> progress.add(each.checks() + " " + each.reduction()))
        .shrink(program);
    assertThat(progress.subList(0, 4))
        .containsExactly("2 names", "3 dead code", "4 outputs", "5 outputs")
        .inOrder();
    HloException refused =
        assertThrows(HloException.class, () -> Shrinker.of(each -> false).shrink(program));
    assertThat(refused)
        .hasMessageThat()
        .isEqualTo("shrink: the check does not hold for the program itself");
  }

  private static final Program NAMED =
      Program.of(
          Parser.parse(
              """
              HloModule jit_tanh
              ENTRY main {
                x = f32[2] parameter(0)
                tanh.3 = f32[2] tanh(x), metadata={op_name="jit(f)/tanh"}
                ROOT y = f32[2] exponential(tanh.3), metadata={op_name="jit(tanh)/exp"}
              }
              """),
          Literal.of(new float[] {1, 2}));

  /** No parameter, module or metadata has the name of what was replaced. */
  @Test
  void namesOfWhatIsGoneDoNotSurvive() {
    Program small =
        Shrinker.of(program -> Printer.print(program.module()).contains("tanh")).shrink(NAMED);
    assertThat(small.module().entry().root().op().opcode()).isEqualTo("tanh");
    Program other =
        Shrinker.of(program -> Printer.print(program.module()).contains(" exponential("))
            .shrink(NAMED);
    assertThat(Printer.print(other.module())).doesNotContain("tanh");
  }

  /** The check that runs when the time is over is stopped, and its answer does not count. */
  @Test
  void theDeadlineBindsInsideOfACheck() {
    AtomicInteger checks = new AtomicInteger();
    Shrinker shrinker =
        Shrinker.of(
                program -> {
                  if (checks.incrementAndGet() > 1) {
                    try {
                      Thread.sleep(60_000);
                    } catch (InterruptedException stopped) {
                      Thread.currentThread().interrupt();
                      throw new HloException(HloException.Kind.INTERRUPTED, "stopped");
                    }
                  }
                  return true;
                })
            .within(Duration.ofMillis(500));
    long start = System.nanoTime();
    assertThat(shrinker.shrink(NAMED)).isEqualTo(NAMED);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(checks.get()).isAtMost(2);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(assertThrows(HloException.class, () -> shrinker.shrink(NAMED)))
        .hasMessageThat()
        .isEqualTo("shrink: the check of the program itself has not ended after 500 ms");
  }

  /** A check that says yes to every third question about what is too small loses nothing. */
  @Test
  void whatIsKeptIsConfirmed() {
    AtomicInteger count = new AtomicInteger();
    Program small =
        Shrinker.of(program ->
                Printer.print(program.module()).contains(" tanh(")
                    || count.incrementAndGet() % 3 == 0)
            .confirming(2)
            .shrink(NAMED);
    assertThat(Printer.print(small.module())).contains(" tanh(");
  }
}
