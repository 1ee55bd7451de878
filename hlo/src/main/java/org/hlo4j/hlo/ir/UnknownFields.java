package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The serialized fields of a module, a computation or an instruction in a protocol buffer that
 * hlo4j does not interpret. They are written again with it, and are not part of HLO text.
 */
public final class UnknownFields {
  /** No fields. */
  public static final UnknownFields NONE = new UnknownFields(new byte[0]);

  private final byte[] bytes;

  private UnknownFields(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Fields of a message.
   *
   * @param bytes the fields, serialized
   * @return the fields
   */
  public static UnknownFields of(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    return bytes.length == 0 ? NONE : new UnknownFields(bytes.clone());
  }

  /**
   * Returns the fields, serialized.
   *
   * @return a new array
   */
  public byte[] toBytes() {
    return bytes.clone();
  }

  /**
   * Returns whether there are none.
   *
   * @return whether there are none
   */
  public boolean isEmpty() {
    return bytes.length == 0;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UnknownFields that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns how many bytes there are. */
  @Override
  public String toString() {
    return bytes.length + " bytes of unknown fields";
  }
}
