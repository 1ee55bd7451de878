package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import org.hlo4j.hlo.serial.LiteralForm;
import org.jspecify.annotations.Nullable;

/**
 * A value: a dense array or a tuple of values, on the Java heap.
 *
 * <p>Arrays lie row-major in one primitive array by storage width: {@code byte[]} (8 bits and
 * fewer, one element a byte), {@code short[]}, {@code int[]}, {@code long[]}, {@code float[]},
 * {@code double[]}; complex numbers interleave real and imaginary parts. Layouts do not matter
 * here. The sizes of a literal are static: made with the shape {@code f32[<=2,3]}, or read as one,
 * it is {@code f32[2,3]}.
 *
 * <p>Immutable, equal by content; any NaN equals any NaN, while 0 and -0 differ. Serializable, bit
 * by bit, as a form of a version that is checked; what several elements of a tuple share is written
 * once.
 *
 * @serial exclude
 */
public final class Literal extends LiteralElements implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int TO_STRING_LIMIT = 1000;

  private final ImmutableList<Literal> elements;

  Literal(Shape.Array shape, Object storage) {
    super(shape, storage);
    this.elements = ImmutableList.of();
  }

  private Literal(Shape shape, ImmutableList<Literal> elements) {
    super(shape, elements);
    this.elements = elements;
  }

  /**
   * Returns the literal of a boxed value or a Java array, nested to any rank: {@code boolean} gives
   * pred, {@code byte short int long} s8 s16 s32 s64, {@code float double} f32 f64.
   *
   * @param value a boxed scalar, or an array such as {@code new float[][] {{1, 2}, {3, 4}}}, or a
   *     list or another {@code Iterable} such as {@code List.of(List.of(1f, 2f), List.of(3f, 4f))};
   *     an empty outer array has size 0 in all inner dimensions
   * @return the literal
   * @throws HloException if the array is ragged, has null in it, its elements are of another type,
   *     or a list has none
   */
  public static Literal of(Object value) {
    return new NestedArray(value).toLiteral();
  }

  /**
   * {@return the literal of a boxed value or nested Java array, as an element type of choice}
   * Numbers are rounded to a floating-point type, once, to nearest even, as HLO's {@code convert}
   * does; an integer type takes only what it can hold. A {@code long} gives the bits of u64. For a
   * complex type the innermost arrays are pairs of real and imaginary part.
   *
   * @param elementType the type of the literal's elements
   * @param value a boxed scalar or a nested array of a Java primitive type, or of {@code
   *     BigInteger}, {@code BigDecimal} or another {@code Number}, or lists of them
   * @throws HloException if the array is ragged, or a value does not fit the type
   */
  public static Literal of(ElementType elementType, Object value) {
    requireNonNull(elementType, "elementType");
    return new NestedArray(value).toLiteral(elementType);
  }

  /**
   * Returns the array of a shape whose elements, row-major, are those of a flat Java array or a
   * buffer; they are copied. For complex types real and imaginary parts alternate.
   *
   * <p>A primitive array, or a {@code FloatBuffer}, {@code DoubleBuffer}, {@code ShortBuffer},
   * {@code IntBuffer} or {@code LongBuffer} from its position to its limit, holds values: they
   * become the element type as in {@link #of(ElementType, Object)}. A {@code ByteBuffer} or {@code
   * MemorySegment} holds bits: each element as wide as its type, or a byte if that is narrower, in
   * the byte order of the buffer (which is big-endian if nobody set another) and the machine's for
   * segments. So bytes that are u8 are given as {@code ByteBuffer.wrap(bytes)}. A list has values.
   *
   * @param shape the shape of an array; dynamic dimensions have their bounds
   * @param values as many values, or bytes, as the shape asks for; the position of a buffer stays
   * @return the literal
   * @throws HloException if there are more or fewer, or a value does not fit the element type
   */
  public static Literal of(Shape shape, Object values) {
    return FlatValues.literal(shape, values);
  }

  /**
   * Returns an array of components with given bits.
   *
   * @param shape the shape; dynamic dimensions have their bounds
   * @param bits gives the bits of a component, as {@link LiteralBuilder#setBits(int, long)} takes
   *     them: for complex types, an element has two
   * @return the literal
   */
  public static Literal ofBits(Shape.Array shape, IntToLongFunction bits) {
    requireNonNull(shape, "shape");
    requireNonNull(bits, "bits");
    LiteralBuilder literal = new LiteralBuilder((Shape.Array) shape.withoutLayout());
    int components = (int) shape.elementCount() * shape.elementType().componentCount();
    for (int i = 0; i < components; i++) {
      literal.setBits(i, bits.applyAsLong(i));
    }
    return literal.build();
  }

  /**
   * Returns an array of some elements of this one.
   *
   * @param newShape an array shape of the same element type
   * @param from gives the row-major position here of each element there
   * @return the literal
   * @throws HloException if this is no array, or of another type
   */
  public Literal taken(Shape.Array newShape, IntUnaryOperator from) {
    LiteralBuilder taken = new LiteralBuilder(requireNonNull(newShape, "newShape"));
    requireNonNull(from, "from");
    for (int i = 0; i < newShape.elementCount(); i++) {
      taken.copy(i, this, from.applyAsInt(i));
    }
    return taken.build();
  }

  /**
   * Returns an array with the same value everywhere.
   *
   * @param shape the shape; dynamic dimensions have their bounds
   * @param value the value; a {@code Boolean} or a {@code Number}
   * @return the literal
   * @throws HloException if the value does not fit the element type
   */
  public static Literal full(Shape.Array shape, Object value) {
    requireNonNull(shape, "shape");
    ElementType type = shape.elementType();
    Literal scalar =
        type.isComplex()
            ? complex(type, NestedArray.toDouble(value, type.componentType()), 0)
            : of(type, value);
    return scalar.repeated(shape.sizes());
  }

  /**
   * {@return an array of zeros}
   *
   * @param shape the shape; dynamic dimensions have their bounds
   */
  public static Literal zeros(Shape.Array shape) {
    return LiteralBuilder.zeros(shape).build();
  }

  /**
   * Returns a complex scalar.
   *
   * @param elementType c64 or c128
   * @param real the real part
   * @param imaginary the imaginary part
   * @return the literal
   * @throws HloException if the type is not complex
   */
  public static Literal complex(ElementType elementType, double real, double imaginary) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(elementType));
    builder.setComplex(0, real, imaginary);
    return builder.build();
  }

  /**
   * {@return a tuple}
   *
   * @param elements its elements, maybe none
   */
  public static Literal tuple(Literal... elements) {
    requireNonNull(elements, "elements");
    return tuple(Arrays.asList(elements));
  }

  /**
   * {@return a tuple}
   *
   * @param elements its elements, maybe none
   */
  public static Literal tuple(Iterable<Literal> elements) {
    requireNonNull(elements, "elements");
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (Literal element : elements) {
      require(element != null, "", "literal: an element of a tuple is null, want a literal");
      all.add(element);
    }
    ImmutableList<Literal> list = all.build();
    Shape[] shapes = new Shape[list.size()];
    Arrays.setAll(shapes, i -> list.get(i).shape());
    return new Literal(Shape.tuple(shapes), list);
  }

  /**
   * {@return an array whose elements are not known, as HLO text leaves out large constants}
   *
   * @param shape the shape; whoever asks for an element is refused. An array without elements is
   *     known
   */
  public static Literal elided(Shape.Array shape) {
    requireNonNull(shape, "shape");
    return shape.elementCount() == 0
        ? zeros(shape)
        : new Literal((Shape) shape, ImmutableList.of());
  }

  /** {@return whether this is an array whose elements are not known} */
  public boolean isElided() {
    return shape instanceof Shape.Array && storage == elements;
  }

  /** {@return the literal of a token: no data} */
  public static Literal token() {
    return new Literal(Shape.token(), ImmutableList.of());
  }

  /** {@return the elements of a tuple; none for an array} */
  public ImmutableList<Literal> elements() {
    return elements;
  }

  /** {@return the arrays in this value, in order: itself, or those of a tuple's elements} */
  public ImmutableList<Literal> arrays() {
    if (shape instanceof Shape.Array) {
      return ImmutableList.of(this);
    }
    ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
    addArrays(arrays);
    return arrays.build();
  }

  private void addArrays(ImmutableList.Builder<Literal> arrays) {
    if (shape instanceof Shape.Array) {
      arrays.add(this);
    } else {
      elements.forEach(element -> element.addArrays(arrays));
    }
  }

  /**
   * {@return the value of a shape that has some arrays, the opposite of {@link #arrays}}
   *
   * @param shape its shape, of arrays, tokens and tuples of them
   * @param arrays of which the next ones are taken, as many as the shape has
   * @throws HloException of kind {@code UNSUPPORTED} if the shape has something else
   */
  public static Literal ofArrays(Shape shape, Iterator<Literal> arrays) {
    requireNonNull(arrays, "arrays");
    return switch (requireNonNull(shape, "shape")) {
      case Shape.Array _ -> arrays.next();
      case Shape.Token _ -> token();
      case Shape.Tuple tuple -> {
        ImmutableList.Builder<Literal> elements = ImmutableList.builder();
        tuple.elements().forEach(element -> elements.add(ofArrays(element, arrays)));
        yield tuple(elements.build());
      }
      case Shape.Buffer _, Shape.Opaque _ ->
          throw new HloException(
              HloException.Kind.UNSUPPORTED, "literal: got " + shape + ", want arrays and tokens");
    };
  }

  /** {@return whether no number in this value is NaN or infinite} */
  public boolean isFinite() {
    return arrays().stream().allMatch(Literal::hasFiniteComponents);
  }

  private boolean hasFiniteComponents() {
    ElementType part = elementType().componentType();
    int components = elementCount() * elementType().componentCount();
    for (int i = 0; part.isFloating() && i < components; i++) {
      if (!Double.isFinite(part.decode(bitsAt(i)))) {
        return false;
      }
    }
    return true;
  }

  /**
   * {@return an element of a tuple}
   *
   * @param index from 0
   * @throws HloException if there is no such element
   */
  public Literal element(int index) {
    if (index < 0 || index >= elements.size()) { // asked in each iteration of a loop
      throw new HloException(
          "",
          "literal: got element " + index + " of " + shape + ", want one below " + elements.size());
    }
    return elements.get(index);
  }

  /**
   * {@return the same elements under another shape, shared with this literal}
   *
   * @param newShape an array shape of the same element type and count
   * @throws HloException if type or count differ
   */
  public Literal withShape(Shape.Array newShape) {
    requireNonNull(newShape, "newShape");
    require(
        newShape.elementType() == elementType() && newShape.elementCount() == elementCount(),
        "",
        "literal: got %s, want as many elements of the same type as %s",
        newShape,
        shape);
    return new Literal((Shape.Array) newShape.withoutLayout(), storage);
  }

  /**
   * Converts each element to another type by value, exactly as HLO's {@code convert} does: a float
   * becomes an integer by rounding towards zero, saturated, NaN as 0; an integer becomes a narrower
   * one by wrapping; numbers become floats by rounding to nearest even, and pred by a test for not
   * zero; a complex number becomes a real one by dropping the imaginary part.
   *
   * <pre>{@code
   * Literal weights = Npz.read(path).get("w").convertElementType(F32); // NumPy's default is f64
   * }</pre>
   *
   * @param newElementType the element type of the result
   * @return an array of the same sizes; this literal itself if it has that type already
   * @throws HloException if this is not an array, or its elements were left out
   */
  public Literal convertElementType(ElementType newElementType) {
    require(newElementType != null, "", "literal: element type is null");
    if (newElementType == elementType()) {
      return this;
    }
    LiteralBuilder converted = new LiteralBuilder(arrayShape().withElementType(newElementType));
    int count = elementCount();
    for (int i = 0; i < count; i++) {
      converted.convert(i, this, i);
    }
    return converted.build();
  }

  /**
   * {@return an array with this scalar everywhere}
   *
   * @param sizes the sizes of the array
   */
  public Literal repeated(Dims sizes) {
    requireNonNull(sizes, "sizes");
    LiteralBuilder builder = new LiteralBuilder(arrayShape().withSizes(sizes));
    int count = (int) sizes.product();
    for (int i = 0; i < count; i++) {
      builder.copy(i, this, 0);
    }
    return builder.build();
  }

  /**
   * {@return a tuple of a shape that is known, without a look at its elements}
   *
   * @param shape the shape
   * @param elements the elements, of the shapes of the tuple's elements; nobody checks
   */
  public static Literal unsafeTuple(Shape.Tuple shape, ImmutableList<Literal> elements) {
    return new Literal(shape, elements);
  }

  /**
   * Returns a literal that wraps the caller's array without a copy: for servers that refill the
   * same argument arrays, and for evaluators.
   *
   * <p>Runs read their arguments and never write to them, and what a run returns, feeds out or
   * sends has no array of an argument. So the caller may write to the array while no run that was
   * given the literal is under way, on any thread. The next run sees what was written. What must
   * not be written to any more: the array of a literal that became a constant of a module, is
   * bound, was fed in or sent, that a custom call's function returned, or that a {@code Map} or
   * {@code Set} has by its hash. The functions of custom calls and listeners get arguments as they
   * are.
   *
   * <p>An array that is longer than the shape asks for is for values that never leave an evaluator:
   * such a literal is not equal to another of the same elements.
   *
   * @param shape the shape, static
   * @param storage as {@link #unsafeStorage} gives it, of as many components or more
   * @return the literal
   * @throws HloException if the storage does not suit the shape
   */
  public static Literal unsafeOf(Shape.Array shape, Object storage) {
    requireNonNull(shape, "shape");
    requireNonNull(storage, "storage");
    Shape.Array plain = shape.layout().isEmpty() ? shape : shape.withLayout(null);
    if (!Storage.holds(storage, plain)) {
      String got = storage.getClass().getSimpleName();
      throw new HloException("", "literal: got " + got + ", want an array that holds " + plain);
    }
    return new Literal(plain, storage);
  }

  /** {@return this literal as HLO text writes it, complete, without its shape} */
  public String toHloText() {
    return new LiteralText(Integer.MAX_VALUE).append(this).toString();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (this == other) {
      return true;
    }
    if (!(other instanceof Literal that) || elements.size() != that.elements.size()) {
      return false;
    }
    // Tuples are equal if their elements are: a look at the shape too would walk all that is below
    // once more at each level.
    return elements.isEmpty()
        ? shape.equals(that.shape) && Storage.equal(content(), that.content())
        : elements.equals(that.elements);
  }

  @Override
  public int hashCode() {
    return elements.isEmpty()
        ? 31 * shape.hashCode() + Storage.hash(content())
        : elements.hashCode();
  }

  /** Returns the shape and the value as HLO text writes it, cut short after 1,000 elements. */
  @Override
  public String toString() {
    return shape + " " + new LiteralText(TO_STRING_LIMIT).append(this);
  }

  private Object writeReplace() {
    return new LiteralForm(this);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("literal: got its fields, want its serial form");
  }
}
