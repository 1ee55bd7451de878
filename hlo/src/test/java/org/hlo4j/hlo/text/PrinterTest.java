package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.PrintOptions.Part;
import org.junit.jupiter.api.Test;

/** XLA's parser accepts the expected texts. */
final class PrinterTest {
  private static HloInstruction parameter(int number, String name, String shape) {
    return HloInstruction.of(name, new Parameter(number, shape(shape)));
  }

  private static HloInstruction scalar(int number, String name) {
    return parameter(number, name, "f32[]");
  }

  private static HloInstruction made(
      String name,
      Op op,
      ImmutableList<HloInstruction> operands,
      ImmutableList<HloComputation> called,
      Metadata metadata) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    return HloInstruction.create(name, op, operands, called, shape, metadata);
  }

  private static HloModule module(HloInstruction... instructions) {
    ImmutableList<HloInstruction> list = ImmutableList.copyOf(instructions);
    HloInstruction root = instructions[instructions.length - 1];
    return HloModule.create("test", HloComputation.create("main", list, root));
  }

  /** Returns the line of an instruction in short form. */
  private static String line(Op op, HloInstruction... operands) {
    HloInstruction[] instructions = {HloInstruction.of("r", op, operands)};
    return lastLine(module(instructions), PrintOptions.SHORT);
  }

  /** Returns the line of the entry's root, without {@code ROOT}. */
  private static String lastLine(HloModule module, PrintOptions options) {
    return Printer.print(module, options)
        .lines()
        .filter(line -> line.startsWith("  ROOT "))
        .reduce((earlier, later) -> later)
        .orElseThrow()
        .substring("  ROOT ".length());
  }

  /** Returns a module of a bias add and a sum over rows, which has one of each part of a module. */
  private static HloModule biasAndSum() {
    HloInstruction a = scalar(0, "a");
    HloInstruction b = scalar(1, "b");
    HloInstruction sum = HloInstruction.of("sum", new Elementwise(Kind.ADD), a, b);
    HloComputation region = HloComputation.create("region", ImmutableList.of(a, b, sum), sum);

    HloInstruction x = parameter(0, "x", "f32[2,3]");
    HloInstruction v = parameter(1, "v", "f32[3]");
    HloInstruction rows = HloInstruction.of("rows", new Broadcast(shape("f32[2,3]"), dims("1")), v);
    HloInstruction add =
        made(
            "add",
            new Elementwise(Kind.ADD),
            ImmutableList.of(x, rows),
            ImmutableList.of(),
            new Metadata("model/bias", Optional.of(new SourceLine("Model.java", 27))));
    HloInstruction zero = HloInstruction.of("zero", new Constant(Literal.of(0f)));
    HloInstruction reduce =
        made(
            "reduce",
            new Reduce(dims("1")),
            ImmutableList.of(add, zero),
            ImmutableList.of(region),
            Metadata.at(new SourceLine("Model.java", 28)));
    HloComputation main =
        HloComputation.create("main", ImmutableList.of(x, v, rows, add, zero, reduce), reduce);
    return HloModule.create("bias_and_sum", main);
  }

  @Test
  void fullForm() {
    assertThat(Printer.print(biasAndSum()))
        .isEqualTo(
            """
            HloModule bias_and_sum, entry_computation_layout={(f32[2,3]{1,0}, f32[3]{0})->f32[2]{0}}

            %region (a: f32[], b: f32[]) -> f32[] {
              %a = f32[] parameter(0)
              %b = f32[] parameter(1)
              ROOT %sum = f32[] add(%a, %b)
            }

            ENTRY %main (x: f32[2,3], v: f32[3]) -> f32[2] {
              %x = f32[2,3]{1,0} parameter(0)
              %v = f32[3]{0} parameter(1)
              %rows = f32[2,3]{1,0} broadcast(%v), dimensions={1}
              %add = f32[2,3]{1,0} add(%x, %rows), metadata={op_name="model/bias" source_file="Model.java" source_line=27}
              %zero = f32[] constant(0)
              ROOT %reduce = f32[2]{0} reduce(%add, %zero), dimensions={1}, to_apply=%region, metadata={source_file="Model.java" source_line=28}
            }
            """);
  }

  @Test
  void shortParsableForm() {
    assertThat(Printer.print(biasAndSum(), PrintOptions.SHORT_PARSABLE))
        .isEqualTo(
            """
            HloModule bias_and_sum, entry_computation_layout={(f32[2,3]{1,0}, f32[3]{0})->f32[2]{0}}

            region {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT sum = f32[] add(a, b)
            }

            ENTRY main {
              x = f32[2,3]{1,0} parameter(0)
              v = f32[3]{0} parameter(1)
              rows = f32[2,3]{1,0} broadcast(v), dimensions={1}
              add = f32[2,3]{1,0} add(x, rows)
              zero = f32[] constant(0)
              ROOT reduce = f32[2]{0} reduce(add, zero), dimensions={1}, to_apply=region
            }
            """);
  }

  @Test
  void operandShapes() {
    PrintOptions options =
        PrintOptions.FULL.without(Part.METADATA, Part.PROGRAM_SHAPES).with(Part.OPERAND_SHAPES);
    assertThat(lastLine(biasAndSum(), options))
        .isEqualTo(
            "%reduce = f32[2]{0} reduce(f32[2,3]{1,0} %add, f32[] %zero), dimensions={1},"
                + " to_apply=%region");
    PrintOptions withoutLayouts =
        PrintOptions.SHORT.with(Part.LARGE_CONSTANTS, Part.OPERAND_SHAPES);
    assertThat(lastLine(biasAndSum(), withoutLayouts))
        .isEqualTo(
            "reduce = f32[2] reduce(f32[2,3] add, f32[] zero), dimensions={1}, to_apply=region");
  }

  @Test
  void shortFormElidesLargeConstants() {
    HloInstruction ten = HloInstruction.of("ten", new Constant(Literal.of(new int[10])));
    HloInstruction eleven = HloInstruction.of("eleven", new Constant(Literal.of(new int[11])));
    HloInstruction tuple = HloInstruction.of("tuple", new Constant(Literal.tuple(Literal.of(1))));
    assertThat(lastLine(module(ten), PrintOptions.SHORT))
        .isEqualTo("ten = s32[10] constant({0, 0, 0, 0, 0, 0, 0, 0, 0, 0})");
    assertThat(lastLine(module(eleven), PrintOptions.SHORT))
        .isEqualTo("eleven = s32[11] constant({...})");
    assertThat(lastLine(module(eleven), PrintOptions.SHORT_PARSABLE))
        .isEqualTo("eleven = s32[11]{0} constant({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})");
    assertThat(lastLine(module(tuple), PrintOptions.SHORT))
        .isEqualTo("tuple = (s32[]) constant({...})");
    assertThat(lastLine(module(tuple), PrintOptions.FULL))
        .isEqualTo("%tuple = (s32[]) constant(( 1 ))");
  }

  @Test
  void attributes() {
    HloInstruction x = parameter(0, "x", "f32[2,3]");
    HloInstruction p = parameter(1, "p", "pred[2,3]");
    HloInstruction one = scalar(2, "one");
    assertThat(line(new Parameter(7, shape("f32[]")))).isEqualTo("r = f32[] parameter(7)");
    assertThat(line(new Constant(Literal.of(new boolean[] {true, false}))))
        .isEqualTo("r = pred[2] constant({1, 0})");
    assertThat(line(new Iota(shape("s32[2,3]"), 1)))
        .isEqualTo("r = s32[2,3] iota(), iota_dimension=1");
    assertThat(line(new Broadcast(shape("f32[2]"), Dims.of()), one))
        .isEqualTo("r = f32[2] broadcast(one), dimensions={}");
    assertThat(line(new Broadcast(shape("f32[4,2,3]"), dims("1 2")), x))
        .isEqualTo("r = f32[4,2,3] broadcast(x), dimensions={1,2}");
    assertThat(line(new Reshape(shape("f32[6]")), x)).isEqualTo("r = f32[6] reshape(x)");
    assertThat(line(new Transpose(dims("1 0")), x))
        .isEqualTo("r = f32[3,2] transpose(x), dimensions={1,0}");
    assertThat(line(new Select(), p, x, x)).isEqualTo("r = f32[2,3] select(p, x, x)");
    assertThat(line(new Clamp(), one, x, one)).isEqualTo("r = f32[2,3] clamp(one, x, one)");
    assertThat(line(new Convert(ElementType.BF16), x)).isEqualTo("r = bf16[2,3] convert(x)");
    assertThat(line(new BitcastConvert(ElementType.U16), x))
        .isEqualTo("r = u16[2,3,2] bitcast-convert(x)");
    assertThat(line(new ReducePrecision(5, 10), x))
        .isEqualTo("r = f32[2,3] reduce-precision(x), exponent_bits=5, mantissa_bits=10");
    assertThat(line(new Tuple())).isEqualTo("r = () tuple()");
    assertThat(line(new GetTupleElement(1), HloInstruction.of("t", new Tuple(), x, p)))
        .isEqualTo("r = pred[2,3] get-tuple-element(t), index=1");
    assertThat(line(new Copy(), x)).isEqualTo("r = f32[2,3] copy(x)");
    assertThat(line(new Elementwise(Kind.ROUND_NEAREST_AFZ), x))
        .isEqualTo("r = f32[2,3] round-nearest-afz(x)");
  }

  @Test
  void attributesOfCompare() {
    HloInstruction x = parameter(0, "x", "f32[2]");
    assertThat(line(new Compare(Direction.LT, Optional.empty()), x, x))
        .isEqualTo("r = pred[2] compare(x, x), direction=LT");
    assertThat(line(new Compare(Direction.GE, Optional.of(Compare.Type.TOTALORDER)), x, x))
        .isEqualTo("r = pred[2] compare(x, x), direction=GE, type=TOTALORDER");
  }

  @Test
  void attributesOfDot() {
    HloInstruction x = parameter(0, "x", "f32[8,2,3]");
    HloInstruction y = parameter(1, "y", "f32[8,3,4]");
    HloInstruction v = parameter(2, "v", "bf16[3]");
    assertThat(line(Dot.general(dims("0"), dims("2"), dims("0"), dims("1")), x, y))
        .isEqualTo(
            "r = f32[8,2,4] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={2},"
                + " rhs_batch_dims={0}, rhs_contracting_dims={1}");
    assertThat(line(Dot.matrix(1), v, v))
        .isEqualTo("r = bf16[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
    assertThat(line(Dot.matrix(1).withPreferredElementType(ElementType.F32), v, v))
        .isEqualTo("r = f32[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  }

  @Test
  void calls() {
    HloInstruction p = scalar(0, "p");
    HloComputation callee = HloComputation.create("callee", ImmutableList.of(p), p);
    HloInstruction x = scalar(0, "x");
    HloInstruction call =
        made("call", new Call(), ImmutableList.of(x), ImmutableList.of(callee), Metadata.NONE);
    assertThat(lastLine(module(x, call), PrintOptions.FULL))
        .isEqualTo("%call = f32[] call(%x), to_apply=%callee");
  }

  @Test
  void everyFifthOperandIsPrecededByItsIndex() {
    HloInstruction x = scalar(0, "x");
    HloInstruction[] operands = Collections.nCopies(6, x).toArray(HloInstruction[]::new);
    HloModule module = module(x, HloInstruction.of("t", new Tuple(), operands));
    assertThat(lastLine(module, PrintOptions.FULL))
        .isEqualTo(
            "%t = (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[]) tuple(%x, %x, %x, %x, %x,"
                + " /*index=5*/%x)");
    assertThat(lastLine(module, PrintOptions.SHORT)).endsWith(" tuple(x, x, x, x, x, x)");
  }

  @Test
  void metadataIsEscaped() {
    Metadata odd =
        new Metadata("a\"b\\c\nd\te\rf", Optional.of(new SourceLine("C:\\Model.java", 1)));
    HloInstruction x =
        made("x", new Parameter(0, shape("f32[]")), ImmutableList.of(), ImmutableList.of(), odd);
    assertThat(lastLine(module(x), PrintOptions.FULL))
        .isEqualTo(
            "%x = f32[] parameter(0), metadata={op_name=\"a\\\"b\\\\c\\nd\\te\\rf\""
                + " source_file=\"C:\\\\Model.java\" source_line=1}");
  }

  @Test
  void metadataWithNameOnly() {
    Metadata name = new Metadata("layer", Optional.empty());
    HloInstruction x =
        made("x", new Parameter(0, shape("f32[]")), ImmutableList.of(), ImmutableList.of(), name);
    assertThat(lastLine(module(x), PrintOptions.FULL))
        .isEqualTo("%x = f32[] parameter(0), metadata={op_name=\"layer\"}");
  }

  @Test
  void layoutsAreKept() {
    Shape columns = shape("f32[2,3]").withLayout(new Layout(Dims.of(0, 1), "T(2,128)"));
    HloInstruction x = HloInstruction.of("x", new Parameter(0, columns));
    assertThat(Printer.print(module(x)))
        .isEqualTo(
            """
            HloModule test, entry_computation_layout={(f32[2,3]{0,1:T(2,128)})->f32[2,3]{0,1:T(2,128)}}

            ENTRY %main (x: f32[2,3]) -> f32[2,3] {
              ROOT %x = f32[2,3]{0,1:T(2,128)} parameter(0)
            }
            """);
    assertThat(lastLine(module(x), PrintOptions.SHORT)).isEqualTo("x = f32[2,3] parameter(0)");
  }

  @Test
  void dynamicAndTupleShapes() {
    Shape shape = Shape.tuple(shape("f32[<=2,?]"), Shape.token(), Shape.tuple());
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape));
    assertThat(Printer.print(module(x)))
        .isEqualTo(
            """
            HloModule test, entry_computation_layout={((f32[<=2,?]{1,0}, token[], ()))->(f32[<=2,?]{1,0}, token[], ())}

            ENTRY %main (x: (f32[<=2,?], token[], ())) -> (f32[<=2,?], token[], ()) {
              ROOT %x = (f32[<=2,?]{1,0}, token[], ()) parameter(0)
            }
            """);
  }

  /** Includes the instructions of a computation that the text of the module omits. */
  @Test
  void instructionsArePrintedIndividually() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              p = f32[4] parameter(0)
              s = ((f32[4]), f32[2], s32[]) slice-start(p), slice={[0:2]}
              ROOT d = f32[2] slice-done(s)
            }
            """);
    assertThat(Printer.instructions(module, PrintOptions.SHORT).values())
        .containsExactly(
            "s.p0 = f32[4] parameter(0)",
            "s.root = f32[2] slice(s.p0), slice={[0:2]}",
            "p = f32[4] parameter(0)",
            "s = ((f32[4]), f32[2], s32[]) slice-start(p), slice={[0:2]}",
            "d = f32[2] slice-done(s)")
        .inOrder();
  }
}
