package org.hlo4j.spark;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import com.google.common.collect.ImmutableList;
import org.apache.spark.serializer.KryoRegistrator;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/**
 * Makes Kryo write hlo4j's values as Java serialization does: literals, shapes, modules, exports
 * and options. It is wanted where Spark serializes such values by Kryo, which by itself writes the
 * fields of an object, and cannot:
 *
 * <pre>{@code
 * spark.serializer        org.apache.spark.serializer.KryoSerializer
 * spark.kryo.registrator  org.hlo4j.spark.HloKryoRegistrator
 * }</pre>
 *
 * <p>A literal of more than {@code spark.kryoserializer.buffer.max}, 64 MB unless set, is refused
 * by Spark.
 */
public final class HloKryoRegistrator implements KryoRegistrator {
  private static final ImmutableList<Class<?>> TYPES =
      ImmutableList.of(
          Literal.class,
          Shape.Array.class,
          Shape.Tuple.class,
          Shape.Buffer.class,
          Shape.Token.class,
          Shape.Opaque.class,
          HloModule.class,
          JaxExport.class,
          JaxFunction.class, // says what to send instead
          EvaluatorOptions.class);

  /** Creates a registrator; Spark does, by the name of the class. */
  public HloKryoRegistrator() {}

  /**
   * Registers the types of hlo4j, and arrays of literals.
   *
   * @param kryo one of Spark's
   */
  @Override
  public void registerClasses(Kryo kryo) {
    TYPES.forEach(type -> kryo.register(type, new JavaSerializer()));
    kryo.register(Literal[].class);
  }
}
