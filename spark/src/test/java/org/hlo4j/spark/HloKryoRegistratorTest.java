package org.hlo4j.spark;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Throwables;
import java.io.NotSerializableException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.reflect.ClassTag;

/** What Spark's two serializers make of hlo4j's values. */
final class HloKryoRegistratorTest {
  private static final Path EXPORT =
      Path.of("../tools/src/test/resources/org/hlo4j/tools/exports/batch_mlp/export.bin");

  private static SerializerInstance serializer(String name) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.kryo.registrator", HloKryoRegistrator.class.getName())
            .set("spark.kryo.registrationRequired", "true");
    Serializer serializer =
        name.equals("Kryo") ? new KryoSerializer(conf) : new JavaSerializer(conf);
    return serializer.newInstance();
  }

  private static <T> T copy(String name, T value) {
    ClassTag<T> tag = ClassTag.apply(value.getClass());
    ByteBuffer bytes = serializer(name).serialize(value, tag);
    return serializer(name).deserialize(bytes, tag);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Kryo", "Java"})
  void values(String serializer) throws Exception {
    Literal literal = Literal.tuple(Literal.of(new float[][] {{1, 2}, {3, 4}}), Literal.token());
    assertThat(copy(serializer, literal)).isEqualTo(literal);
    assertThat(copy(serializer, new Literal[] {literal, literal}))
        .isEqualTo(new Literal[] {literal, literal});
    Shape shape = Shape.parse("(f32[<=2,3]{0,1}, token[], opaque[], b(s8[2]))");
    assertThat(copy(serializer, shape)).isEqualTo(shape);
    for (Shape each : ((Shape.Tuple) shape).elements()) {
      assertThat(copy(serializer, each)).isEqualTo(each);
    }
    HloModule module = Parser.parse("HloModule m\nENTRY e { ROOT x = s32[] parameter(0) }");
    assertThat(Printer.print(copy(serializer, module))).isEqualTo(Printer.print(module));
    JaxExport export = JaxExport.read(EXPORT);
    assertThat(copy(serializer, export).serialize()).isEqualTo(export.serialize());
    EvaluatorOptions options = EvaluatorOptions.builder().threads(1).seed(3).build();
    assertThat(copy(serializer, options).toString()).isEqualTo(options.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Kryo", "Java"})
  void functionsSayWhatToSend(String serializer) throws Exception {
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(EXPORT),
            (module, bound) -> Interpreter.reference().compile(module)::run);
    Exception refusal = assertThrows(Exception.class, () -> copy(serializer, function));
    Throwable cause = Throwables.getRootCause(refusal);
    assertThat(cause).isInstanceOf(NotSerializableException.class);
    assertThat(cause).hasMessageThat().contains("send its JaxExport and the literals to bind");
  }

  /** Exceptions of tasks travel to the driver. */
  @ParameterizedTest
  @ValueSource(strings = {"Java"})
  void exceptions(String serializer) {
    HloException refusal = assertThrows(HloException.class, () -> Parser.parse("HloModule m {"));
    HloException copy = copy(serializer, refusal);
    assertThat(copy.getMessage()).isEqualTo(refusal.getMessage());
    assertThat(copy.position()).isEqualTo(refusal.position());
    assertThat(copy.facts()).isEqualTo(refusal.facts());
  }
}
