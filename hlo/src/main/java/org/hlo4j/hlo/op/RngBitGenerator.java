package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Random bits from a state, and the next state: {@code (newState, bits) = f(state)}. The same state
 * gives the same bits, those of XLA.
 *
 * <p>The state is u64[2]: key and counter; Philox also takes u64[3]: key, low and high half of the
 * counter. A narrower type takes the low bits of a word of 32 random bits; a 64-bit type takes two
 * words, the low one first.
 *
 * @param shape the shape of the result: a tuple of the new state and the bits, of integers or
 *     floats; see {@link #of}
 * @param algorithm the generator
 */
public record RngBitGenerator(Shape shape, Algorithm algorithm) implements Routine {
  /** The generators. Both apply a keyed function to a counter. */
  public enum Algorithm {
    /** The one that suits the machine; here, as on XLA's CPU, Philox. */
    RNG_DEFAULT,
    /** Threefry 2x32 of 20 rounds. */
    RNG_THREE_FRY,
    /** Philox 4x32 of 10 rounds. */
    RNG_PHILOX;

    private boolean takesState(long words) {
      return words == 2 || (words == 3 && this != RNG_THREE_FRY);
    }

    /** Returns the HLO text, in lower case. */
    @Override
    public String toString() {
      return Ascii.toLowerCase(name());
    }
  }

  /**
   * Returns a generator of bits of this shape.
   *
   * @param algorithm the generator
   * @param state the shape of the state
   * @param bits the shape of the bits
   * @return the op
   */
  public static RngBitGenerator of(Algorithm algorithm, Shape state, Shape.Array bits) {
    requireNonNull(state, "state");
    requireNonNull(bits, "bits");
    return new RngBitGenerator(new Shape.Tuple(ImmutableList.of(state, bits)), algorithm);
  }

  @Override
  public String opcode() {
    return "rng-bit-generator";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array state = in.array(0, "initial_state");
    require(
        state.elementType() == ElementType.U64 && state.rank() == 1,
        "",
        "initial_state got %s, want u64 of rank 1",
        state);
    require(
        algorithm.takesState(state.size(0)) && !state.isDynamic(),
        "",
        "initial_state got %s, want u64[2]%s for %s",
        state,
        algorithm == Algorithm.RNG_THREE_FRY ? "" : " or u64[3]",
        algorithm);
    require(
        shape instanceof Shape.Tuple tuple && tuple.elements().size() == 2,
        "",
        "shape got %s, want a tuple of new state and bits",
        shape);
    ImmutableList<Shape> parts = ((Shape.Tuple) shape).elements();
    require(
        parts.get(0).compatible(state),
        "rng_bit_generator C1",
        "new state got %s, want %s as initial_state",
        parts.get(0),
        state);
    Shape.Array bits = Operands.requireArray(parts.get(1), "bits");
    require(
        bits.elementType().isIntegral() || bits.elementType().isFloating(),
        "",
        "bits got %s, want integers or floats",
        bits);
    require(!bits.isDynamic(), "", "bits got %s, want static sizes", bits);
    return shape.withoutLayout();
  }
}
