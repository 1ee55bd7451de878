package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Nulls;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;

final class VerifierTest {
  private static final Shape X = shape("f32[2,3]");
  private static final Elementwise NEGATE = new Elementwise(Kind.NEGATE);
  private static final Elementwise ADD = new Elementwise(Kind.ADD);

  private static HloInstruction parameter(int number, String name) {
    return HloInstruction.of(name, new Parameter(number, X));
  }

  /** Returns an instruction with a declared shape, right or wrong, that calls no computation. */
  private static HloInstruction declared(
      String name, Shape shape, Op op, HloInstruction... operands) {
    return HloInstruction.create(
        name, op, ImmutableList.copyOf(operands), ImmutableList.of(), shape, Metadata.NONE);
  }

  private static HloInstruction calling(
      String name, Shape shape, HloComputation callee, HloInstruction... operands) {
    return HloInstruction.create(
        name,
        new Call(),
        ImmutableList.copyOf(operands),
        ImmutableList.of(callee),
        shape,
        Metadata.NONE);
  }

  /** Returns a computation of the instructions, whose root is the last one. */
  private static HloComputation computation(String name, HloInstruction... instructions) {
    return HloComputation.create(
        name, ImmutableList.copyOf(instructions), instructions[instructions.length - 1]);
  }

  private static HloModule module(HloInstruction... instructions) {
    return HloModule.create("test", computation("main", instructions));
  }

  private static void assertFindings(HloModule module, String... messages) {
    assertThat(Verifier.strict().findings(module).stream().map(HloException::getMessage))
        .containsExactly((Object[]) messages)
        .inOrder();
  }

  @Test
  void validModulesPass() {
    HloInstruction p = parameter(0, "p");
    HloComputation callee = computation("callee", p, HloInstruction.of("negate", NEGATE, p));
    HloInstruction x = parameter(0, "x");
    HloModule module = module(x, calling("call", X, callee, x), calling("again", X, callee, x));
    Verifier.strict().verify(module);
    Verifier.lenient().verify(module);
    assertThat(module.computations()).containsExactly(callee, module.entry()).inOrder();
  }

  @Test
  void namesMustBeValidHloNames() {
    HloModule module = HloModule.create("a b", computation("1st", parameter(0, "x y")));
    assertFindings(
        module,
        "module a b: name is not a name of HLO text",
        "computation 1st: its name is not a name of HLO text",
        """
        x y is not a name of HLO text
          %x y = f32[2,3] parameter(0)\
        """);
  }

  @Test
  void instructionNamesAreUniqueInTheModule() {
    HloComputation callee = computation("callee", parameter(0, "x"));
    HloInstruction x = parameter(0, "x");
    assertFindings(
        module(x, calling("call", X, callee, x)),
        """
        x is the name of two instructions, want unique names
          %x = f32[2,3] parameter(0)\
        """);
  }

  @Test
  void instructionsAppearOnceInTheirComputation() {
    HloInstruction x = parameter(0, "x");
    HloInstruction negate = HloInstruction.of("negate", NEGATE, x);
    assertFindings(
        module(x, negate, negate),
        """
        negate is the name of two instructions, want unique names
          %negate = f32[2,3] negate(%x)\
        """);
  }

  @Test
  void computationNamesAreUnique() {
    HloComputation callee = computation("main", parameter(0, "p"));
    HloInstruction x = parameter(0, "x");
    assertFindings(
        module(x, calling("call", X, callee, x)),
        "computation main: got another computation of that name, want unique names");
  }

  @Test
  void entryMustBelongToTheModule() {
    HloComputation other = computation("other", parameter(0, "x"));
    HloComputation main = computation("main", parameter(0, "y"));
    assertFindings(
        HloModule.create("test", ImmutableList.of(other), main),
        "module test: entry main got no place among the computations");
    assertFindings(
        HloModule.create("test", ImmutableList.of(), main),
        "module test: entry main got no place among the computations");
  }

  @Test
  void rootMustBelongToItsComputation() {
    HloComputation main =
        HloComputation.create("main", ImmutableList.of(parameter(0, "x")), parameter(0, "y"));
    assertFindings(
        HloModule.create("test", main),
        "computation main: root y got no place among its instructions");
  }

  @Test
  void parameterNumbersAreConsecutive() {
    assertFindings(
        module(parameter(0, "x"), parameter(2, "y")),
        "computation main: parameter numbers got 2 where 1 should be, want each from 0 to 1 once");
    assertFindings(
        module(parameter(0, "x"), parameter(0, "y")),
        "computation main: parameter numbers got 0 where 1 should be, want each from 0 to 1 once");
    Verifier.strict().verify(module(parameter(1, "x"), parameter(0, "y")));
  }

  @Test
  void operandsPrecedeTheirUsers() {
    HloInstruction x = parameter(0, "x");
    HloInstruction negate = HloInstruction.of("negate", NEGATE, x);
    assertFindings(
        module(negate, x),
        """
        operand 0 of negate got x, want an earlier instruction of main
          %negate = f32[2,3] negate(%x)\
        """);

    HloComputation callee = computation("callee", x, negate);
    HloInstruction y = parameter(0, "y");
    HloInstruction stranger = HloInstruction.of("add", ADD, y, negate);
    assertFindings(
        module(y, calling("call", X, callee, y), stranger),
        """
        operand 1 of add got negate, want an earlier instruction of main
          %add = f32[2,3] add(%y, %negate)\
        """);
  }

  @Test
  void calleesPrecedeCallers() {
    HloComputation callee = computation("callee", parameter(0, "p"));
    HloInstruction x = parameter(0, "x");
    HloComputation main = computation("main", x, calling("call", X, callee, x));
    String message =
        """
        call calls callee, want an earlier computation of the module
          %call = f32[2,3] call(%x)\
        """;
    assertFindings(HloModule.create("test", ImmutableList.of(main, callee), main), message);
    assertFindings(HloModule.create("test", ImmutableList.of(main), main), message);
  }

  @Test
  void calleeParametersMatchOperands() {
    HloComputation callee = computation("callee", parameter(0, "p"));
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape("f32[2]")));
    assertFindings(
        module(x, calling("call", X, callee, x)),
        """
        call: parameter 0 of to_apply got f32[2,3], want f32[2]
          %call = f32[2,3] call(%x)\
        """);
  }

  @Test
  void numberOfCalledComputationsIsChecked() {
    HloComputation callee = computation("callee", parameter(0, "p"));
    HloInstruction x = parameter(0, "x");
    HloInstruction copy =
        HloInstruction.create(
            "copy", new Copy(), ImmutableList.of(x), ImmutableList.of(callee), X, Metadata.NONE);
    assertFindings(
        module(x, copy, declared("call", X, new Call(), x)),
        """
        copy: called computations got 1, want 0
          %copy = f32[2,3] copy(%x)\
        """,
        """
        call: called computations got 0, want 1
          %call = f32[2,3] call(%x)\
        """);
  }

  @Test
  void declaredShapesMatchInferredShapes() {
    HloInstruction x = parameter(0, "x");
    assertFindings(
        module(
            x,
            declared("sizes", shape("f32[3,2]"), NEGATE, x),
            declared("type", shape("s32[2,3]"), NEGATE, x),
            declared("dynamic", shape("f32[2,<=3]"), NEGATE, x),
            declared("tuple", Shape.tuple(X), NEGATE, x)),
        """
        negate: declared shape got f32[3,2], want f32[2,3] as inferred
          %sizes = f32[3,2] negate(%x)\
        """,
        """
        negate: declared shape got s32[2,3], want f32[2,3] as inferred
          %type = s32[2,3] negate(%x)\
        """,
        """
        negate: declared shape got f32[2,<=3], want f32[2,3] as inferred
          %dynamic = f32[2,<=3] negate(%x)\
        """,
        """
        negate: declared shape got (f32[2,3]), want f32[2,3] as inferred
          %tuple = (f32[2,3]) negate(%x)\
        """);
  }

  @Test
  void shapeRulesOfOpsAreChecked() {
    HloInstruction x = parameter(0, "x");
    assertFindings(
        module(x, declared("add", X, ADD, x)),
        """
        add: operand count got 1, want 2
          %add = f32[2,3] add(%x)\
        """);
  }

  @Test
  void layoutsArePermutations() {
    Shape.Array matrix = shape("f32[2,3]");
    Shape columns = matrix.withLayout(new Layout(Dims.of(0, 1), "T(2,128)"));
    Shape once = matrix.withLayout(new Layout(Dims.of(0), ""));
    Shape twice = matrix.withLayout(new Layout(Dims.of(0, 0), ""));
    HloInstruction x = parameter(0, "x");
    assertFindings(
        module(
            x,
            declared("columns", columns, NEGATE, x),
            declared("once", once, NEGATE, x),
            declared("twice", Shape.tuple(twice), new Tuple(), x)),
        """
        layout of f32[2,3]{0}, want a permutation of its 2 dimensions
          %once = f32[2,3]{0} negate(%x)\
        """,
        """
        layout of f32[2,3]{0,0}, want a permutation of its 2 dimensions
          %twice = (f32[2,3]{0,0}) tuple(%x)\
        """);
  }

  @Test
  void broadcastDimensionsIncreaseUnlessLenient() {
    HloInstruction x = parameter(0, "x");
    Broadcast permuted = new Broadcast(shape("f32[3,2]"), dims("1 0"));
    HloModule module = module(x, HloInstruction.of("turned", permuted, x));
    assertFindings(
        module,
        """
        broadcast: dimensions got (1, 0), want strictly increasing; Verifier.lenient() permits\
         others [broadcast B8]
          %turned = f32[3,2] broadcast(%x)\
        """);
    Verifier.lenient().verify(module);
  }

  @Test
  void lenientVerifierStillChecksShapes() {
    HloInstruction x = parameter(0, "x");
    HloModule module = module(x, declared("negate", shape("f32[]"), NEGATE, x));
    assertRefused(
        """
        negate: declared shape got f32[], want f32[2,3] as inferred
          %negate = f32[] negate(%x)\
        """,
        () -> Verifier.lenient().verify(module));
  }

  @Test
  void findingsHaveTheSourceLine() {
    HloInstruction x = parameter(0, "x");
    HloInstruction negate =
        HloInstruction.create(
            "negate",
            NEGATE,
            ImmutableList.of(x),
            ImmutableList.of(),
            shape("f32[]"),
            Metadata.at(new SourceLine("Model.java", 27)));
    assertRefused(
        """
        negate: declared shape got f32[], want f32[2,3] as inferred
          %negate = f32[] negate(%x)
          at Model.java:27\
        """,
        () -> Verifier.strict().verify(module(x, negate)));
  }

  @Test
  void findingsHaveTheTextPosition() {
    HloModule module =
        Parser.parse(
            """
            HloModule m, replica_count=0
            ENTRY e {
              ROOT p = f32[2] parameter(1)
              s = ((f32[2]), f32[3], u32[]) negate-start(p)
              d = f32[3] negate-done(s)
            }
            """);
    ImmutableList<HloException> findings = Verifier.lenient().findings(module);

    assertThat(findings.stream().map(found -> found.position() + " " + found.instruction()))
        .containsExactly(
            "Optional[4:3] Optional[s.root]",
            "Optional[2:7] Optional.empty",
            "Optional.empty Optional.empty")
        .inOrder();
    assertThat(findings.stream().map(HloException::kind).distinct())
        .containsExactly(HloException.Kind.VERIFY);
  }

  private static String entry(String instruction) {
    return """
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
    ENTRY e {
      x = f32[2,3] parameter(0)
      t = (f32[2,3]{0,1}) parameter(1)
      h = bf16[2,3] parameter(2)
      ROOT r = %s
    }
    """
        .formatted(instruction);
  }

  @Test
  void layoutSensitiveVerifierChecksForwardingOps() {
    Verifier verifier = Verifier.lenient().layoutSensitive();
    verifier.verify(Parser.parse(entry("f32[2,3]{0,1} get-tuple-element(t), index=0")));
    verifier.verify(Parser.parse(entry("f32[2,3]{0,1} negate(x)")));
    HloModule module = Parser.parse(entry("f32[2,3] get-tuple-element(t), index=0"));
    Verifier.lenient().verify(module);
    assertRefused(
        """
        get-tuple-element: layout of the result got f32[2,3]{1,0}, want f32[2,3]{0,1}
          %r = f32[2,3] get-tuple-element(%t)\
        """,
        () -> verifier.verify(module));
    assertRefused(
        """
        tuple: layout of the result got (f32[2,3]{0,1}), want (f32[2,3]{1,0})
          %r = (f32[2,3]{0,1}) tuple(%x)\
        """,
        () -> verifier.verify(Parser.parse(entry("(f32[2,3]{0,1}) tuple(x)"))));
  }

  @Test
  void mixedPrecisionIsAllowedOnRequest() {
    Verifier verifier = Verifier.lenient().allowingMixedPrecision();
    verifier.verify(Parser.parse(entry("f32[2,3] add(x, h)")));
    verifier.verify(Parser.parse(entry("bf16[2,3] tanh(x)")));
    verifier.verify(Parser.parse(entry("bf16[2,3] all-reduce(h), to_apply=add")));
    assertRefused(
        """
        add: lhs got f32[2,3] and rhs got bf16[2,3], want the same shape
          %r = f32[2,3] add(%x, %h)\
        """,
        () -> Verifier.lenient().verify(Parser.parse(entry("f32[2,3] add(x, h)"))));
    assertRefused(
        """
        tanh: declared shape got s32[2,3], want f32[2,3] as inferred
          %r = s32[2,3] tanh(%x)\
        """,
        () -> verifier.verify(Parser.parse(entry("s32[2,3] tanh(x)"))));
  }

  @Test
  void allFindingsAreReportedAtOnce() {
    HloInstruction x = parameter(1, "x");
    HloModule module =
        module(
            x,
            declared("x", shape("f32[]"), NEGATE, parameter(0, "elsewhere")),
            declared("add", X, ADD, x));
    assertRefused(
        """
        module test: 5 findings
          - computation main: parameter numbers got 1 where 0 should be, want each from 0 to 0 once
          - x is the name of two instructions, want unique names
            %x = f32[] negate(%elsewhere)
          - operand 0 of x got elsewhere, want an earlier instruction of main
            %x = f32[] negate(%elsewhere)
          - negate: declared shape got f32[], want f32[2,3] as inferred
            %x = f32[] negate(%elsewhere)
          - add: operand count got 1, want 2
            %add = f32[2,3] add(%x)\
        """,
        () -> Verifier.strict().verify(module));
  }

  /** Each op with operands that do not suit it gives one finding, and throws nothing. */
  @Test
  void invalidModulesGiveFindingsOnly() {
    HloInstruction tuple = declared("tuple", Shape.tuple(), new Tuple());
    HloInstruction huge =
        HloInstruction.of("huge", new Parameter(0, shape("f32[9223372036854775807]")));
    Dims far = Dims.of(Long.MAX_VALUE, Long.MIN_VALUE);
    List<Op> ops =
        List.of(
            NEGATE,
            ADD,
            new Broadcast(shape("f32[2]"), far),
            new Call(),
            new Clamp(),
            new Constant(Literal.of(1f)),
            Dot.general(far, far, far, far),
            new GetTupleElement(-1),
            new Iota(shape("f32[2]"), 7),
            new Reduce(far),
            new Reshape(shape("f32[0,9223372036854775807]")),
            new Select(),
            new Transpose(far));
    for (Op op : ops) {
      for (HloInstruction operand : List.of(tuple, huge)) {
        for (int count = 0; count <= 4; count++) {
          HloInstruction[] operands = new HloInstruction[count];
          Arrays.fill(operands, operand);
          HloModule module = module(operand, declared("odd", Shape.token(), op, operands));
          assertWithMessage("%s of %s times %s", op, count, operand)
              .that(Verifier.strict().findings(module))
              .hasSize(1);
        }
      }
    }
  }

  @Test
  void manyFindingsAreReportedQuickly() {
    List<HloInstruction> instructions = new ArrayList<>();
    for (int i = 0; i < 8_000; i++) {
      instructions.add(declared("c" + i, shape("f32[]"), new Constant(Literal.of(i))));
    }
    HloModule module = module(instructions.toArray(HloInstruction[]::new));
    assertTimeout(
        Duration.ofSeconds(8),
        () -> assertThrows(HloException.class, () -> Verifier.strict().verify(module)));
  }

  @Test
  void nullPartsAreRejected() {
    HloInstruction x = parameter(0, "x");
    HloComputation main = computation("main", x);
    assertThrows(NullPointerException.class, () -> x.renamed(Nulls.of(String.class)));
    assertThrows(NullPointerException.class, () -> declared("copy", X, Nulls.of(Op.class), x));
    assertThrows(
        NullPointerException.class, () -> declared("copy", Nulls.of(Shape.class), new Copy(), x));
    assertThrows(
        NullPointerException.class,
        () -> declared("copy", X, new Copy(), Nulls.of(HloInstruction.class)));
    assertThrows(
        NullPointerException.class,
        () -> HloComputation.create(Nulls.of(String.class), ImmutableList.of(x), x));
    assertThrows(
        NullPointerException.class,
        () -> HloComputation.create("main", ImmutableList.of(x), Nulls.of(HloInstruction.class)));
    assertThrows(NullPointerException.class, () -> HloModule.create(Nulls.of(String.class), main));
    assertThrows(
        NullPointerException.class,
        () -> HloModule.create("test", ImmutableList.of(main), Nulls.of(HloComputation.class)));
  }
}
