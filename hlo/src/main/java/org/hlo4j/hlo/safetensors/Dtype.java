package org.hlo4j.hlo.safetensors;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
import com.google.common.math.LongMath;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * The element types of the format, under its names. In written files the tensors of the last type
 * come first, which aligns all of them.
 */
enum Dtype {
  BOOL(8, ElementType.PRED),
  /** Two elements per byte, the first in the low bits. */
  F4(4, ElementType.F4E2M1FN),
  F6_E2M3(6, null),
  F6_E3M2(6, null),
  U8(8, ElementType.U8),
  I8(8, ElementType.S8),
  F8_E5M2(8, ElementType.F8E5M2),
  F8_E4M3(8, ElementType.F8E4M3FN),
  F8_E8M0(8, ElementType.F8E8M0FNU),
  F8_E4M3FNUZ(8, ElementType.F8E4M3FNUZ),
  F8_E5M2FNUZ(8, ElementType.F8E5M2FNUZ),
  I16(16, ElementType.S16),
  U16(16, ElementType.U16),
  F16(16, ElementType.F16),
  BF16(16, ElementType.BF16),
  I32(32, ElementType.S32),
  U32(32, ElementType.U32),
  F32(32, ElementType.F32),
  C64(64, ElementType.C64),
  F64(64, ElementType.F64),
  I64(64, ElementType.S64),
  U64(64, ElementType.U64);

  private static final ImmutableMap<String, Dtype> BY_NAME =
      Arrays.stream(values()).collect(toImmutableMap(Dtype::name, Function.identity()));

  private static final ImmutableMap<ElementType, Dtype> BY_TYPE =
      Arrays.stream(values())
          .filter(dtype -> dtype.elementType.isPresent())
          .collect(toImmutableMap(Dtype::elementType, Function.identity()));

  private final int bits;
  private final Optional<ElementType> elementType;

  Dtype(int bits, @Nullable ElementType elementType) {
    this.bits = bits;
    this.elementType = Optional.ofNullable(elementType);
  }

  /** Returns the type of a name in a header. */
  static Dtype named(String name) {
    return Optional.ofNullable(BY_NAME.get(name))
        .orElseThrow(
            () -> new HloException("", "dtype got " + name + ", want one of " + BY_NAME.keySet()));
  }

  /** Returns the type that stores elements of an HLO type. */
  static Dtype of(ElementType type) {
    return Optional.ofNullable(BY_TYPE.get(type))
        .orElseThrow(() ->
            new HloException(
                HloException.Kind.UNSUPPORTED,
                "got "
                    + type
                    + ", which safetensors has no type for, want one of "
                    + BY_TYPE.keySet()));
  }

  /** HLO's type of the elements; refused if it has none. */
  ElementType elementType() {
    return elementType.orElseThrow(() ->
        new HloException(
            HloException.Kind.UNSUPPORTED, "dtype got " + this + ", which HLO has no type for"));
  }

  /** Returns whether elements share bytes. */
  boolean isPacked() {
    return bits < Byte.SIZE;
  }

  /**
   * Returns the number of bytes that some elements take.
   *
   * @throws HloException if the last byte is not full
   */
  long bytes(long elements) {
    long all = LongMath.saturatedMultiply(elements, bits);
    HloException.require(
        all % Byte.SIZE == 0 || all == Long.MAX_VALUE,
        "",
        "got %s elements of %s, want as many as fill whole bytes",
        elements,
        this);
    return all == Long.MAX_VALUE ? all : all / Byte.SIZE;
  }
}
