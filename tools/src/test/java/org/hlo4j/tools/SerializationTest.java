package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import com.google.common.primitives.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that travel, by Java serialization and by the Kryo that Spark has. */
final class SerializationTest {
  private static final Path EXPORTS = Path.of("src/test/resources/org/hlo4j/tools/exports");

  private static byte[] serialized(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return in.readObject();
    }
  }

  /** As a registrator of Spark's registers what is Serializable. */
  private static Kryo kryo() {
    Kryo kryo = new Kryo();
    for (Class<?> type :
        List.of(Literal.class, HloModule.class, JaxExport.class, EvaluatorOptions.class)) {
      kryo.register(type, new JavaSerializer());
    }
    kryo.addDefaultSerializer(Shape.class, JavaSerializer.class);
    return kryo;
  }

  /** By Java's own form of records. */
  @Test
  void optionsOfPrinters() throws Exception {
    assertThat(read(serialized(PrintOptions.SHORT))).isEqualTo(PrintOptions.SHORT);
  }

  /** What each of the two ways makes of a value. */
  private static List<Object> copies(Object value) throws IOException, ClassNotFoundException {
    Output out = new Output(1 << 10, -1);
    kryo().writeClassAndObject(out, value);
    return List.of(read(serialized(value)), kryo().readClassAndObject(new Input(out.toBytes())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[]",
        "pred[0]",
        "u64[3]",
        "f32[2,3]{0,1}",
        "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}",
        "f32[<=4,?,3]",
        "()",
        "(s32[], (f32[2], token[]), opaque[])",
        "(f32[<=2]{0}, b(f32[3]))",
        "token[]",
        "b(s8[4])",
      })
  void shapes(String text) throws Exception {
    Shape shape = Shape.parse(text);
    assertThat(copies(shape)).containsExactly(shape, shape);
    Shape laidOut = shape.withDefaultLayout(); // of a scalar, too, which its text does not show
    assertThat(copies(laidOut)).containsExactly(laidOut, laidOut);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[] -0",
        "f32[2,2] {{1, nan(0x12345)}, {-inf, 1e-45}}",
        "f64[2] {nan, 0.1}",
        "c64[2] {(1, -0), (nan, 2)}",
        "pred[3] {1, 0, 1}",
        "s4[3] {-8, 0, 7}",
        "u4[2] {15, 1}",
        "f4e2m1fn[3] {-6, 0.5, 6}",
        "f8e8m0fnu[2] {1, nan}",
        "bf16[2] {1.5, -2}",
        "s16[2] {-32768, 1}",
        "u64[1] {18446744073709551615}",
        "f32[0,3] {}",
        "f32[4] {...}",
        "()",
        "(f32[2], (s32[], pred[1])) ({1, 2}, (3, {1}))",
      })
  void literals(String text) throws Exception {
    Literal literal = text.equals("()") ? Literal.tuple() : Parser.parseLiteral(text);
    for (Object copy : copies(literal)) {
      assertThat(copy).isEqualTo(literal);
      assertThat(copy.toString()).isEqualTo(literal.toString()); // the bits of NaNs
      assertThat(((Literal) copy).isElided()).isEqualTo(literal.isElided());
    }
    assertThat(copies(Literal.token())).containsExactly(Literal.token(), Literal.token());
  }

  /** What a tuple has twice is written once, and shared by the copy. */
  @Test
  void sharedElements() throws Exception {
    Literal large = Literal.zeros(Shape.of(F32, 1000));
    Literal pair = Literal.tuple(large, Literal.token(), large);
    Literal tree = Literal.tuple(pair, pair, large);
    assertThat(serialized(tree).length).isLessThan(5000);
    Literal copy = (Literal) read(serialized(tree));
    assertThat(copy).isEqualTo(tree);
    assertThat(copy.element(0)).isSameInstanceAs(copy.element(1));
    assertThat(copy.element(0).element(2)).isSameInstanceAs(copy.element(2));
  }

  /** Longer than a block, than a part, and than its shape. */
  @ParameterizedTest
  @ValueSource(ints = {65_536, 65_537, 5_000_000})
  void longArrays(int count) throws Exception {
    float[] values = new float[count + 1];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    Literal literal = Literal.unsafeOf(Shape.of(F32, count), values);
    assertThat(((Literal) read(serialized(literal))).toFloats())
        .isEqualTo(Arrays.copyOf(values, count));
  }

  @Test
  void modules() throws Exception {
    String text =
        """
        HloModule m, is_scheduled=true

        %add (a: f32[], b: f32[]) -> f32[] {
          %a = f32[] parameter(0)
          %b = f32[] parameter(1)
          ROOT %s = f32[] add(%a, %b)
        }

        ENTRY %main (x: f32[<=3]) -> f32[] {
          %x = f32[<=3]{0} parameter(0)
          %c = f32[] constant(nan), metadata={op_name="zero"}
          ROOT %r = f32[] reduce(%x, %c), dimensions={0}, to_apply=%add, frontend_attributes={a="b"}
        }
        """;
    HloModule module = Parser.parse(text);
    for (Object copy : copies(module)) {
      assertThat(Printer.print((HloModule) copy)).isEqualTo(Printer.print(module));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"batch_mlp", "with_vjp", "narrow_types"})
  void exports(String name) throws Exception {
    JaxExport export = JaxExport.read(EXPORTS.resolve(name).resolve("export.bin"));
    for (Object each : copies(export)) {
      JaxExport copy = (JaxExport) each;
      assertThat(copy.toString()).isEqualTo(export.toString());
      assertThat(copy.serialize()).isEqualTo(export.serialize());
      assertThat(copy.artifact()).isEqualTo(export.artifact());
    }
  }

  @Test
  void exportsOfStreamsAndBuffers() throws IOException {
    byte[] bytes = Files.readAllBytes(EXPORTS.resolve("batch_mlp/export.bin"));
    ByteBuffer within = ByteBuffer.allocateDirect(bytes.length + 5).put(3, bytes);
    within.position(3).limit(3 + bytes.length);
    byte[] changed = bytes.clone();
    JaxExport fromArray = JaxExport.read(changed);
    Arrays.fill(changed, (byte) 0); // the export has its own
    for (JaxExport each :
        List.of(
            fromArray, JaxExport.read(within), JaxExport.read(new ByteArrayInputStream(bytes)))) {
      assertThat(each.serialize()).isEqualTo(bytes);
    }
    HloException refusal =
        assertThrows(
            HloException.class, () -> JaxExport.read(new ByteArrayInputStream(new byte[0])));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo("file: got an empty file, want what Exported.serialize() gives");
  }

  /** The gradient of an export is one that travels by itself. */
  @Test
  void gradients() throws Exception {
    JaxExport export = JaxExport.read(EXPORTS.resolve("with_vjp/export.bin"));
    JaxExport gradient = export.vjp().orElseThrow();
    for (Object copy : copies(gradient)) {
      assertThat(((JaxExport) copy).artifact()).isEqualTo(gradient.artifact());
      assertThat(copy.toString()).isEqualTo(gradient.toString());
    }
    assertThat(export.serialize()).isNotEqualTo(gradient.serialize());
  }

  @Test
  void options() throws Exception {
    CustomCallTarget twice = (CustomCallTarget & Serializable) (call, operands) -> operands.get(0);
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .maxSteps(5)
            .maxBytes(1 << 20)
            .deadline(Duration.ofMillis(1500))
            .seed(7)
            .threads(3)
            .maxCodeBytes(0)
            .checkBounds(true)
            .customCall("twice", twice)
            .build();
    EvaluatorOptions copy = (EvaluatorOptions) read(serialized(options));
    assertThat(copy.toString()).isEqualTo(options.toString());
    HloModule call =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[] parameter(0)
              ROOT y = f32[] custom-call(x), custom_call_target="twice"
            }
            """);
    Literal one = Literal.of(1f);
    EvaluatorOptions more = copy.toBuilder().maxSteps(10).deadline(Duration.ofDays(1)).build();
    assertThat(Interpreter.reference(more).run(call, one)).isEqualTo(one);
    for (Object each : copies(EvaluatorOptions.defaults())) {
      assertThat(each.toString()).isEqualTo(EvaluatorOptions.defaults().toString());
    }
  }

  /** Nothing of the heap and the processors of the sender is in it, for others read it. */
  @Test
  void whatWasNotSetIsNotWritten() throws Exception {
    EvaluatorOptions.Builder same = EvaluatorOptions.builder();
    same.threads(EvaluatorOptions.defaults().threads());
    assertThat(serialized(same.build()).length)
        .isEqualTo(serialized(EvaluatorOptions.defaults()).length + Long.BYTES);
  }

  private static void assertNotSent(Object value, String message) {
    NotSerializableException refusal =
        assertThrows(NotSerializableException.class, () -> serialized(value));
    assertThat(refusal).hasMessageThat().isEqualTo(message);
  }

  @Test
  void whatStaysInItsProcessIsRefused() throws IOException {
    JaxExport export = JaxExport.read(EXPORTS.resolve("batch_mlp/export.bin"));
    assertNotSent(
        new JaxFunction(export, (module, bound) -> Interpreter.compiled().compile(module)::run),
        "JaxFunction of "
            + export.functionName()
            + ": got compiled programs, which stay in their process; send its JaxExport and the"
            + " literals to bind, which are Serializable, and make the function there");
    String stays = ", which stays in its process, want none in what is sent";
    assertNotSent(
        EvaluatorOptions.builder().stepCounter(new LongAdder()).build(),
        "options: got a step counter" + stays);
    assertNotSent(
        EvaluatorOptions.builder().valueListener((device, instruction, value) -> {}).build(),
        "options: got a value listener" + stays);
    EvaluatorOptions calls = EvaluatorOptions.builder().customCall("f", new Stays()).build();
    assertNotSent(
        calls,
        "options: got the function of custom call f of org.hlo4j.tools.SerializationTest$Stays,"
            + " want one that is Serializable, such as (CustomCallTarget & Serializable) f");
  }

  private static final class Stays implements CustomCallTarget {
    @Override
    public Literal call(HloInstruction instruction, List<Literal> operands) {
      return operands.get(0);
    }
  }

  // What is damaged or forged.

  /** Where the data of a form begin: the number of the version. */
  private static int start(byte[] bytes) {
    int at = Bytes.indexOf(bytes, new byte[] {'x', 'p', 'w'});
    return (at < 0 ? Bytes.indexOf(bytes, new byte[] {'x', 'p', 'z'}) + 3 : at) + 4;
  }

  private static Map<String, Object> values() throws IOException {
    return Map.of(
        "literal", Literal.tuple(Literal.of(new int[] {1, 2}), Literal.token()),
        "shape", Shape.parse("(f32[<=2,3]{1,0}, token[])"),
        "module", Parser.parse("HloModule m\nENTRY e { ROOT x = s32[] parameter(0) }"),
        "options", EvaluatorOptions.builder().threads(2).deadline(Duration.ofDays(1)).build(),
        "jax.export file", JaxExport.read(EXPORTS.resolve("batch_mlp/export.bin")));
  }

  /** Each byte of the data is changed in four ways; all are read, or refused by one exception. */
  @Test
  void damagedBytes() throws Exception {
    for (Map.Entry<String, Object> each : values().entrySet()) {
      byte[] bytes = serialized(each.getValue());
      int end = Math.min(bytes.length, start(bytes) + 2000);
      for (int i = start(bytes) + 1; i < end; i++) {
        for (int change : new int[] {0x01, 0x7f, 0x80, 0xff}) {
          byte[] damaged = bytes.clone();
          damaged[i] ^= (byte) change;
          assertReadOrRefused(each.getKey() + " byte " + i, damaged);
        }
      }
    }
  }

  private static void assertReadOrRefused(String what, byte[] bytes) {
    try {
      read(bytes);
    } catch (HloException refusal) {
      assertThat(refusal).hasMessageThat().startsWith("serialized ");
    } catch (IOException | ClassNotFoundException ofTheStream) {
      assertWithMessage(what).that(ofTheStream).isNotNull();
    }
  }

  @Test
  void anotherVersion() throws Exception {
    for (Map.Entry<String, Object> each : values().entrySet()) {
      byte[] bytes = serialized(each.getValue());
      bytes[start(bytes)] = 9;
      HloException refusal = assertThrows(HloException.class, () -> read(bytes));
      assertThat(refusal)
          .hasMessageThat()
          .isEqualTo(
              "serialized "
                  + each.getKey()
                  + ": got version 9 of this form, want 1: use one version of hlo4j on both sides");
      assertThat(refusal.kind()).isEqualTo(HloException.Kind.PARSE);
    }
  }

  /** A shape of 2 billion elements, of which there are two, takes no more memory than they do. */
  @Test
  void announcedElementsThatAreNotThere() throws Exception {
    byte[] bytes = serialized(Literal.of(new int[] {1, 2}));
    int size = Bytes.indexOf(bytes, new byte[] {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2}) + 8;
    bytes[size] = 0x7f;
    HloException refusal = assertThrows(HloException.class, () -> read(bytes));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo("serialized literal: got data that are cut short, want the whole");
    bytes[size - 2] = 1;
    HloException beyond = assertThrows(HloException.class, () -> read(bytes));
    assertThat(beyond)
        .hasMessageThat()
        .isEqualTo(
            "serialized literal: literal: s32[1101642334210] has 1101642334210 elements, want at"
                + " most 2147483639");
  }
}
