package org.hlo4j.interpreter.compiled.codegen;

/**
 * A map from floats to integers of the same order, with -0 below 0, for maximum and minimum
 * reductions over many elements. x86 computes the maximum of two integers in one instruction, but
 * needs six for the floating-point maximum of Java. NaNs of either sign are mapped beyond all
 * numbers, at the end that the reduction selects; this relies on the wrap-around of integers.
 */
public final class FloatOrder {
  private static final boolean IS_X86 = System.getProperty("os.arch", "").equals("amd64");

  private final CodeEmitter emitter;
  private final boolean isMaximum;
  private final boolean isUsed;

  /**
   * Creates the map of the floats of a lane, for a maximum or minimum reduction.
   *
   * @param emitter the emitter of the code
   * @param lane the lane that is reduced; values that are not floats are left unchanged
   * @param isMaximum whether the reduction computes the maximum
   */
  public FloatOrder(CodeEmitter emitter, Lane lane, boolean isMaximum) {
    this.emitter = emitter;
    this.isMaximum = isMaximum;
    this.isUsed = IS_X86 && !emitter.canCall() && isFast(lane);
  }

  /**
   * Returns whether the comparison takes one instruction. For integers of 64 bits, only vectors of
   * 512 bits have it.
   */
  private static boolean isFast(Lane lane) {
    return lane == Lane.F32 || (lane == Lane.F64 && Machine.vectorBits() == 512);
  }

  /** {@return the integer that is compared in place of a float} */
  public Value key(Value value) {
    return isUsed
        ? emitter.subtract(flipped(emitter.reinterpret(value)), nans(value.lane()))
        : value;
  }

  /** {@return the float of an integer that {@link #key} gives} */
  public Value value(Value key) {
    return isUsed ? emitter.reinterpret(flipped(emitter.add(key, nans(key.lane())))) : key;
  }

  /** {@return the greater of two keys for a maximum, the lesser for a minimum} */
  public Value winner(Value lhs, Value rhs) {
    return isMaximum ? emitter.max(lhs, rhs) : emitter.min(lhs, rhs);
  }

  /**
   * Flips all bits of negative numbers but the sign, which reverses their order. It is its own
   * inverse.
   */
  private Value flipped(Value bits) {
    int sign = bits.lane().bits() - 1;
    Value negative = emitter.shiftRight(bits, sign);
    return emitter.xor(bits, emitter.shiftRightLogical(negative, 1));
  }

  /**
   * Returns the number of NaN bit patterns of one sign. Keys are shifted by it, so that the NaNs of
   * the other sign wrap around.
   */
  private Value nans(Lane lane) {
    long count = lane.bits() == Integer.SIZE ? 0x7fffffL : 0xfffffffffffffL;
    Lane integers = lane.bits() == Integer.SIZE ? Lane.I32 : Lane.I64;
    return emitter.constant(integers, isMaximum ? count : -count);
  }
}
