package org.hlo4j.interpreter.compiled.codegen;

/**
 * Floats as integers in the same order, -0 below 0, where a reduction by the greater or the lesser
 * goes through many: x86 knows the greater of two integers, but makes Java's rules for floats of
 * six instructions. NaNs of either sign lie beyond all numbers, where the reduction ends: integers
 * wrap.
 */
public final class FloatOrder {
  private static final boolean IS_X86 = System.getProperty("os.arch", "").equals("amd64");

  private final CodeEmitter emitter;
  private final boolean isMaximum;
  private final boolean isUsed;

  /**
   * The order of the floats of a lane, for a reduction by the greater or the lesser.
   *
   * @param emitter where to write
   * @param lane of what is reduced; what is no float stays as it is
   * @param isMaximum whether the greater is wanted
   */
  public FloatOrder(CodeEmitter emitter, Lane lane, boolean isMaximum) {
    this.emitter = emitter;
    this.isMaximum = isMaximum;
    this.isUsed = IS_X86 && !emitter.canCall() && isFast(lane);
  }

  /** Integers of 64 bits are compared in one step with vectors of 512 bits only. */
  private static boolean isFast(Lane lane) {
    return lane == Lane.F32 || (lane == Lane.F64 && VectorSupport.bits() == 512);
  }

  /** {@return what is compared in place of a float} */
  public Value key(Value value) {
    return isUsed
        ? emitter.subtract(flipped(emitter.reinterpret(value)), nans(value.lane()))
        : value;
  }

  /** {@return the float of a key} */
  public Value value(Value key) {
    return isUsed ? emitter.reinterpret(flipped(emitter.add(key, nans(key.lane())))) : key;
  }

  /** {@return the key that wins} */
  public Value winner(Value lhs, Value rhs) {
    return isMaximum ? emitter.max(lhs, rhs) : emitter.min(lhs, rhs);
  }

  /** Of what is negative all bits but the sign: more is less there. Twice, it changes nothing. */
  private Value flipped(Value bits) {
    int sign = bits.lane().bits() - 1;
    Value negative = emitter.shiftRight(bits, sign);
    return emitter.xor(bits, emitter.shiftRightLogical(negative, 1));
  }

  /** How many bit patterns of one sign are NaNs: so far they are moved to the other end. */
  private Value nans(Lane lane) {
    long count = lane.bits() == Integer.SIZE ? 0x7fffffL : 0xfffffffffffffL;
    Lane integers = lane.bits() == Integer.SIZE ? Lane.I32 : Lane.I64;
    return emitter.constant(integers, isMaximum ? count : -count);
  }
}
