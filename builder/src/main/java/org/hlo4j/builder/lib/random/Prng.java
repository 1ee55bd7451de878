package org.hlo4j.builder.lib.random;

import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.hlo.ElementType.U16;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U4;
import static org.hlo4j.hlo.ElementType.U64;
import static org.hlo4j.hlo.ElementType.U8;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Random numbers by only integer ops, with the bits of XLA's {@code lib/prng.h}: they are the same
 * on every backend, and equal those of rng-bit-generator for the same key and state.
 */
public final class Prng {
  /**
   * The smallest uniform number from which a normal one is computed, so that the logarithm is
   * finite.
   */
  private static final double LEAST = 1e-7f;

  private Prng() {}

  /**
   * Random bits by Threefry 2x32 of 20 rounds.
   *
   * @param key u64
   * @param initialState u64: the counter to begin with
   * @param shape the shape, of integers or floats
   * @return unsigned integers of as many bits as the element type has, and the counter after
   * @throws HloException if key or state have other shapes, or the type is pred or complex
   */
  public static RngOutput threeFryBitGenerator(XlaOp key, XlaOp initialState, Shape.Array shape) {
    requireShape("threeFryBitGenerator", "key", key, Shape.of(U64));
    requireShape("threeFryBitGenerator", "initialState", initialState, Shape.of(U64));
    ElementType type = unsigned("threeFryBitGenerator", shape.elementType());
    return type == U64
        ? ThreeFry.bits64(key, initialState, shape)
        : narrow(ThreeFry.bits32(key, initialState, shape), shape, type);
  }

  /**
   * Random bits by Philox 4x32 of 10 rounds.
   *
   * @param key u64
   * @param initialState u64[2]: the counter to begin with, low half first
   * @param shape the shape, of integers or floats
   * @return unsigned integers of as many bits as the element type has, and the counter after
   * @throws HloException if key or state have other shapes, or the type is pred or complex
   */
  public static RngOutput philoxBitGenerator(XlaOp key, XlaOp initialState, Shape.Array shape) {
    requireShape("philoxBitGenerator", "key", key, Shape.of(U64));
    requireShape("philoxBitGenerator", "initialState", initialState, Shape.of(U64, 2));
    ElementType type = unsigned("philoxBitGenerator", shape.elementType());
    return type == U64
        ? Philox.bits64(key, initialState, shape)
        : narrow(Philox.bits32(key, initialState, shape), shape, type);
  }

  private static RngOutput narrow(RngOutput output, Shape.Array shape, ElementType type) {
    XlaOp sized = output.value().reshape(shape.sizes());
    return new RngOutput(type == U32 ? sized : sized.convertElementType(type), output.state());
  }

  private static ElementType unsigned(String function, ElementType type) {
    require(
        (type.isIntegral() || type.isFloating()) && type.bits() >= 4,
        "",
        "%s: element type got %s, want an integer or float type of 4 bits at least",
        function,
        type);
    return switch (type.bits()) {
      case 4 -> U4;
      case 8 -> U8;
      case 16 -> U16;
      case 32 -> U32;
      default -> U64;
    };
  }

  private static void requireShape(String function, String role, XlaOp op, Shape want) {
    require(
        op.shape().equals(want), "", "%s: %s got %s, want %s", function, role, op.shape(), want);
  }

  /**
   * Makes a state and a key for {@link #philoxBitGenerator} from any key, even one with few random
   * bits.
   *
   * @param key u64
   * @return the key as value, and the state
   * @throws HloException if the key is no u64
   */
  public static RngOutput scramblePhiloxKey(XlaOp key) {
    requireShape("scramblePhiloxKey", "key", key, Shape.of(U64));
    return Philox.scrambled(key);
  }

  /**
   * Adds to a counter of 128 bits.
   *
   * @param counter u64[2], low half first
   * @param delta u64
   * @return the op, u64[2]
   * @throws HloException if the operands have other shapes
   */
  public static XlaOp philoxIncreaseCounter(XlaOp counter, XlaOp delta) {
    requireShape("philoxIncreaseCounter", "counter", counter, Shape.of(U64, 2));
    requireShape("philoxIncreaseCounter", "delta", delta, Shape.of(U64));
    return Philox.increased(counter, delta);
  }

  /**
   * Returns a vector of scalars.
   *
   * @param builder the builder of the scalars
   * @param scalars scalars of one element type, one at least
   * @return the op, as long as there are scalars
   * @throws HloException if there are none, or not scalars of one type
   */
  public static XlaOp concatScalars(XlaBuilder builder, List<XlaOp> scalars) {
    return builder.concatInDim(scalars.stream().map(scalar -> scalar.reshape(1)).toList(), 0);
  }

  /**
   * Returns uniformly distributed floats from minval up to but not including maxval: {@code bits /
   * 2^n * (maxval - minval) + minval}, where n is the number of mantissa bits. Because the sum is
   * rounded it may equal maxval.
   *
   * @param key u64
   * @param initialState the state in the form of the generator
   * @param bitGenerator the source of the bits
   * @param minval a scalar of the shape's element type
   * @param maxval likewise, above minval
   * @param shape the shape of the result, of f16, f32 or f64
   * @return the numbers and the state after
   * @throws HloException if the types are others
   */
  public static RngOutput uniformFloatingPointDistribution(
      XlaOp key,
      XlaOp initialState,
      BitGenerator bitGenerator,
      XlaOp minval,
      XlaOp maxval,
      Shape.Array shape) {
    requireFloat("uniformFloatingPointDistribution", shape.elementType());
    requireBounds("uniformFloatingPointDistribution", minval, maxval, shape.elementType());
    RngOutput bits = bitGenerator.generate(key, initialState, shape);
    XlaOp unit = unit(bits.value(), shape.elementType());
    return new RngOutput(unit.mul(maxval.sub(minval)).add(minval), bits.state());
  }

  /**
   * Returns floats from 0 up to but not including 1. For f16 XLA takes the lower bits, else the
   * upper ones.
   */
  private static XlaOp unit(XlaOp bits, ElementType type) {
    int mantissa = type.mantissaBits();
    XlaOp kept =
        type == ElementType.F16
            ? bits.and(Constants.scalarLike(bits, (1 << mantissa) - 1))
            : bits.shiftRightLogical(Constants.scalarLike(bits, type.bits() - mantissa));
    return Floats.times(kept.convertElementType(type), Math.scalb(1.0, -mantissa));
  }

  /**
   * Returns integers from minval up to but not including maxval: the remainder of random bits by
   * {@code maxval - minval}, plus minval. They are nearly uniformly distributed; if minval equals
   * maxval, any integer is possible.
   *
   * @param key u64
   * @param initialState the state in the form of the generator
   * @param bitGenerator the source of the bits
   * @param minval a scalar of the shape's element type
   * @param maxval likewise, above minval
   * @param shape the shape of the result, of s32, u32, s64 or u64
   * @return the numbers and the state after
   * @throws HloException if the types are others
   */
  public static RngOutput uniformIntDistribution(
      XlaOp key,
      XlaOp initialState,
      BitGenerator bitGenerator,
      XlaOp minval,
      XlaOp maxval,
      Shape.Array shape) {
    ElementType type = shape.elementType();
    require(
        type.isIntegral() && type.bits() >= 32,
        "",
        "uniformIntDistribution: element type got %s, want s32, u32, s64 or u64",
        type);
    requireBounds("uniformIntDistribution", minval, maxval, type);
    RngOutput bits = bitGenerator.generate(key, initialState, shape);
    ElementType unsigned = bits.value().arrayShape().elementType();
    XlaOp distance = maxval.bitcastConvertType(unsigned).sub(minval.bitcastConvertType(unsigned));
    XlaOp offset = bits.value().rem(distance).bitcastConvertType(type);
    return new RngOutput(offset.add(minval), bits.state());
  }

  private static void requireBounds(String function, XlaOp minval, XlaOp maxval, ElementType type) {
    requireShape(function, "minval", minval, Shape.of(type));
    requireShape(function, "maxval", maxval, Shape.of(type));
  }

  /**
   * Returns normally distributed floats of mean 0 and standard deviation 1, by the Box-Muller
   * transform of pairs of uniform ones.
   *
   * @param key u64
   * @param initialState the state in the form of the generator
   * @param bitGenerator the source of the bits
   * @param shape the shape of the result, of f16, f32 or f64
   * @return the numbers and the state after
   * @throws HloException if the types are others
   */
  public static RngOutput normalFloatingPointDistribution(
      XlaOp key, XlaOp initialState, BitGenerator bitGenerator, Shape.Array shape) {
    ElementType type = shape.elementType();
    requireFloat("normalFloatingPointDistribution", type);
    XlaBuilder b = key.builder();
    Halves halves = Halves.of(shape);
    RngOutput uniform =
        uniformFloatingPointDistribution(
            key,
            initialState,
            bitGenerator,
            Constants.zero(b, type),
            Constants.one(b, type),
            Shape.of(type, halves.both()));
    XlaOp first = halves.part(uniform.value(), 0);
    XlaOp angle = Floats.times(halves.part(uniform.value(), 1), 2 * Math.PI);
    XlaOp radius = Floats.times(first.max(first.fullLike(LEAST)).log(), -2).sqrt();
    XlaOp normal = halves.combined(List.of(angle.sin().mul(radius), angle.cos().mul(radius)));
    return new RngOutput(normal.reshape(shape.sizes()), uniform.state());
  }

  private static void requireFloat(String function, ElementType type) {
    boolean holds = type == ElementType.F16 || type == ElementType.F32 || type == ElementType.F64;
    require(holds, "", "%s: element type got %s, want f16, f32 or f64", function, type);
  }
}
