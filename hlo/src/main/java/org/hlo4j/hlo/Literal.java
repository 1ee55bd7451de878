package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value: a dense array or a tuple of values, on the Java heap.
 *
 * <p>Arrays lie row-major in one primitive array by storage width: {@code byte[]} (8 bits and
 * fewer, one element a byte), {@code short[]}, {@code int[]}, {@code long[]}, {@code float[]},
 * {@code double[]}; complex numbers interleave real and imaginary parts. Layouts do not matter
 * here.
 *
 * <p>Immutable, equal by content; any NaN equals any NaN, while 0 and -0 differ.
 */
public final class Literal {
  private static final int TO_STRING_LIMIT = 1000;

  private final Shape shape;
  private final Object storage;
  private final ImmutableList<Literal> elements;

  Literal(Shape.Array shape, Object storage) {
    this.shape = shape;
    this.storage = storage;
    this.elements = ImmutableList.of();
  }

  private Literal(Shape shape, ImmutableList<Literal> elements) {
    this.shape = shape;
    this.storage = elements;
    this.elements = elements;
  }

  /**
   * The literal of a boxed value or a Java array, nested to any rank: {@code boolean} gives pred,
   * {@code byte short int long} s8 s16 s32 s64, {@code float double} f32 f64.
   *
   * @param value a boxed scalar, or an array such as {@code new float[][] {{1, 2}, {3, 4}}}; an
   *     empty outer array has size 0 in all inner dimensions
   * @return the literal
   * @throws HloException if the array is ragged, has null in it, or its elements are of another
   *     type
   */
  public static Literal of(Object value) {
    return new NestedArray(value).toLiteral();
  }

  /**
   * {@return the literal of a boxed value or nested Java array, as an element type of choice}
   * Floating-point values are rounded to a floating-point type; an integer type takes only what it
   * can hold. For a complex type the innermost arrays are pairs of real and imaginary part.
   *
   * @param elementType the type of the literal's elements
   * @param value a boxed scalar or a nested array of a Java primitive type
   * @throws HloException if the array is ragged, or a value does not fit the type
   */
  public static Literal of(ElementType elementType, Object value) {
    return new NestedArray(value).toLiteral(elementType);
  }

  /**
   * An array with the same value everywhere.
   *
   * @param shape the shape; dynamic dimensions have their bounds
   * @param value the value; a {@code Boolean} or a {@code Number}
   * @return the literal
   * @throws HloException if the value does not fit the element type
   */
  public static Literal full(Shape.Array shape, Object value) {
    Literal scalar =
        shape.elementType().isComplex()
            ? complex(shape.elementType(), NestedArray.toDouble(value), 0)
            : of(shape.elementType(), value);
    return scalar.repeated(shape.sizes());
  }

  /**
   * {@return an array of zeros}
   *
   * @param shape the shape; dynamic dimensions have their bounds
   */
  public static Literal zeros(Shape.Array shape) {
    return new LiteralBuilder(shape).build();
  }

  /**
   * A complex scalar.
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
    return tuple(Arrays.asList(elements));
  }

  /**
   * {@return a tuple}
   *
   * @param elements its elements, maybe none
   */
  public static Literal tuple(Iterable<Literal> elements) {
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (Literal element : elements) {
      require(element != null, "", "literal: an element of a tuple got null, want a literal");
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
   * @param shape the shape; whoever asks for an element is refused
   */
  public static Literal elided(Shape.Array shape) {
    return new Literal((Shape) shape, ImmutableList.of());
  }

  /** {@return whether this is an array whose elements are not known} */
  public boolean isElided() {
    return shape instanceof Shape.Array && storage == elements;
  }

  /** {@return the literal of a token: no data} */
  public static Literal token() {
    return new Literal(Shape.token(), ImmutableList.of());
  }

  /** {@return the shape, without layout} */
  public Shape shape() {
    return shape;
  }

  /**
   * {@return the shape of an array}
   *
   * @throws HloException if this is a tuple or a token
   */
  public Shape.Array arrayShape() {
    if (shape instanceof Shape.Array array) {
      return array;
    }
    throw new HloException("", "literal: got " + shape + ", want an array");
  }

  /**
   * {@return the type of an array's elements}
   *
   * @throws HloException if this is a tuple or a token
   */
  public ElementType elementType() {
    return arrayShape().elementType();
  }

  /**
   * {@return how many elements an array has}
   *
   * @throws HloException if this is a tuple or a token
   */
  public int elementCount() {
    return (int) arrayShape().elementCount();
  }

  /** {@return the elements of a tuple; none for an array} */
  public ImmutableList<Literal> elements() {
    return elements;
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
   * {@return the row-major position of an index}
   *
   * @param index as many numbers as dimensions
   * @throws HloException if the index is not one of this array
   */
  public int linear(long... index) {
    Shape.Array array = arrayShape();
    Dims position = Dims.of(index);
    require(
        index.length == array.rank() && position.inBounds(array.sizes()),
        "",
        "literal: got index %s, want one of %s",
        position,
        array);
    long linear = 0;
    for (int i = 0; i < index.length; i++) {
      linear = linear * array.size(i) + index[i];
    }
    return (int) linear;
  }

  /**
   * {@return an element of a pred array}
   *
   * @param linear the row-major position
   */
  public boolean booleanAt(int linear) {
    return longAt(linear) != 0;
  }

  /**
   * {@return an element of a pred or integer array, as carrier: u64 as its bit pattern}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are neither pred nor integers
   */
  public long longAt(int linear) {
    ElementType type = elementType();
    require(
        type.isIntegral() || type == ElementType.PRED,
        "",
        "literal: got %s, want integers or pred; floats are read by doubleAt",
        shape);
    return type.wrap(bitsAt(linear));
  }

  /**
   * {@return an element of a floating-point array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not floats
   */
  public double doubleAt(int linear) {
    ElementType type = elementType();
    require(
        type.isFloating(),
        "",
        "literal: got %s, want floats; integers are read by longAt, complex numbers by realAt",
        shape);
    if (storage instanceof float[] floats && linear >= 0 && linear < floats.length) {
      return floats[linear];
    }
    if (storage instanceof double[] doubles && linear >= 0 && linear < doubles.length) {
      return doubles[linear];
    }
    return type.decode(bitsAt(linear));
  }

  /**
   * {@return the real part of an element of a complex array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not complex
   */
  public double realAt(int linear) {
    return partAt(linear, 0);
  }

  /**
   * {@return the imaginary part of an element of a complex array, exactly}
   *
   * @param linear the row-major position
   * @throws HloException if the elements are not complex
   */
  public double imaginaryAt(int linear) {
    return partAt(linear, 1);
  }

  private double partAt(int linear, int part) {
    ElementType type = elementType();
    require(
        type.isComplex(),
        "",
        "literal: got %s, want complex numbers; floats are read by doubleAt, integers by longAt",
        shape);
    return type.componentType().decode(bitsAt(2 * linear + part));
  }

  /**
   * The bits of one component.
   *
   * @param component the row-major position; for complex types twice that, plus 1 for the imaginary
   *     part
   * @return the bit pattern, zero-extended
   */
  public long bitsAt(int component) {
    try {
      return componentMask() & Storage.bits(Storage.known(storage, shape), component);
    } catch (ArrayIndexOutOfBoundsException none) {
      throw Storage.outside(component, shape);
    }
  }

  /**
   * Writes the bits of many components, as many as a buffer has room for.
   *
   * @param component the row-major position of the first, as in {@link #bitsAt(int)}
   * @param into gets the bit patterns in its byte order, each as wide as its type, or a byte if
   *     that is narrower; its position stays
   */
  public void bitsAt(int component, ByteBuffer into) {
    if (elementType().componentType().bits() < Byte.SIZE) {
      for (int i = 0; i < into.remaining(); i++) {
        into.put(into.position() + i, (byte) bitsAt(component + i));
      }
      return;
    }
    try {
      Storage.bits(Storage.known(storage, shape), component, into);
    } catch (IndexOutOfBoundsException beyond) {
      throw Storage.outside(component, shape);
    }
  }

  private long componentMask() {
    return -1L >>> (Long.SIZE - elementType().componentType().bits());
  }

  /**
   * {@return the value of a pred scalar or of an element}
   *
   * @param index as many numbers as dimensions
   */
  public boolean getBoolean(long... index) {
    return booleanAt(linear(index));
  }

  /**
   * {@return the value of an integer or pred scalar or of an element, u64 as its bit pattern}
   *
   * @param index as many numbers as dimensions
   */
  public long getLong(long... index) {
    return longAt(linear(index));
  }

  /**
   * {@return the value of a floating-point scalar or of an element, exactly}
   *
   * @param index as many numbers as dimensions
   */
  public double getDouble(long... index) {
    return doubleAt(linear(index));
  }

  /** {@return a new array of the elements of a pred array, row-major} */
  public boolean[] toBooleans() {
    return Elements.toBooleans(this);
  }

  /** {@return a new array of the elements of a pred or integer array, row-major} */
  public long[] toLongs() {
    return Elements.toLongs(this);
  }

  /**
   * The elements of a floating-point array, row-major; for complex numbers both parts in turn.
   *
   * @return a new array
   */
  public double[] toDoubles() {
    return Elements.toDoubles(this);
  }

  /**
   * The elements of an f32 array or one of a narrower float type, row-major.
   *
   * @return a new array
   * @throws HloException if the elements are not floats of at most 32 bits
   */
  public float[] toFloats() {
    return Elements.toFloats(this);
  }

  /**
   * {@return the same elements under another shape, shared with this literal}
   *
   * @param newShape an array shape of the same element type and count
   * @throws HloException if type or count differ
   */
  public Literal withShape(Shape.Array newShape) {
    require(
        newShape.elementType() == elementType() && newShape.elementCount() == elementCount(),
        "",
        "literal: got %s, want as many elements of the same type as %s",
        newShape,
        shape);
    return new Literal((Shape.Array) newShape.withoutLayout(), storage);
  }

  /**
   * {@return an array with this scalar everywhere}
   *
   * @param sizes the sizes of the array
   */
  public Literal repeated(Dims sizes) {
    LiteralBuilder builder = new LiteralBuilder(arrayShape().withSizes(sizes));
    int count = (int) sizes.product();
    for (int i = 0; i < count; i++) {
      builder.copy(i, this, 0);
    }
    return builder.build();
  }

  /**
   * The primitive array that holds the elements, itself and not a copy. For evaluators that promise
   * never to write to it; all else uses the typed accessors.
   *
   * @return {@code byte[] short[] int[] long[] float[]} or {@code double[]}
   */
  public Object unsafeStorage() {
    arrayShape();
    return Storage.known(storage, shape);
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
   * An array whose elements are held by a primitive array, itself and not a copy. For evaluators
   * that promise not to write to it as long as anyone has the literal; all else uses {@link
   * LiteralBuilder}. An array that is longer than the shape asks for is for values that never leave
   * an evaluator: such a literal is not equal to another of the same elements.
   *
   * @param shape the shape, static
   * @param storage as {@link #unsafeStorage} gives it, of as many components or more
   * @return the literal
   * @throws HloException if the storage does not suit the shape
   */
  public static Literal unsafeOf(Shape.Array shape, Object storage) {
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
    return other instanceof Literal that
        && shape.equals(that.shape)
        && elements.equals(that.elements)
        && Storage.equal(Elements.content(this, storage), Elements.content(that, that.storage));
  }

  @Override
  public int hashCode() {
    return 31 * shape.hashCode() + Storage.hash(Elements.content(this, storage));
  }

  /** The shape and the value as HLO text writes it, cut short after 1,000 elements. */
  @Override
  public String toString() {
    return shape + " " + new LiteralText(TO_STRING_LIMIT).append(this);
  }
}
