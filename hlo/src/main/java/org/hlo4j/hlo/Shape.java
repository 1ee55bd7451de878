package org.hlo4j.hlo;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.serial.ShapeForm;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a value: an {@link Array}, a {@link Tuple} of values, a {@link Buffer} that custom
 * calls write in place, a {@link Token} that orders effects, or an {@link Opaque} object of the
 * host.
 *
 * <p>{@code toString} returns the HLO text: {@code f32[2,3]}, {@code (s32[], f32[<=4,?])}, {@code
 * b(f32[2])}. Shapes are serializable.
 */
public sealed interface Shape extends Serializable {
  /** The size of a dimension of which nothing is known, written {@code ?}. */
  long UNBOUNDED = Long.MIN_VALUE;

  /**
   * The most dimensions of an array, as many as an array of Java can have. NumPy's arrays have 64
   * at most, and XLA has no limit.
   */
  int MAX_RANK = 255;

  /**
   * Returns the shape of an array with static sizes.
   *
   * @param elementType the type of its elements
   * @param sizes the size of each dimension
   * @return the shape
   * @throws HloException if a size is negative, the element count overflows, or there are more
   *     sizes than {@link #MAX_RANK}
   */
  static Array of(ElementType elementType, long... sizes) {
    requireNonNull(sizes, "sizes");
    return of(elementType, Dims.of(sizes));
  }

  /**
   * Returns the shape of an array with static sizes.
   *
   * @param elementType the type of its elements
   * @param sizes the size of each dimension
   * @return the shape
   * @throws HloException if a size is negative, the element count overflows, or there are more
   *     sizes than {@link #MAX_RANK}
   */
  static Array of(ElementType elementType, Dims sizes) {
    return new Array(elementType, sizes, ImmutableSortedSet.of(), Optional.empty());
  }

  /**
   * Returns the shape of an HLO text, such as {@code f32[2,<=3]}, {@code (s32[], token[])} or, with
   * its layout, {@code f32[2,3]{1,0}}; what {@code toString} gives.
   *
   * @param text a shape
   * @return the shape
   * @throws HloException if the text is no shape; it says where
   */
  static Shape parse(String text) {
    return org.hlo4j.hlo.text.Parser.parseShape(text);
  }

  /**
   * Returns the shape of a tuple.
   *
   * @param elements the shapes of its elements
   * @return the shape
   * @throws HloException if one is null, or as {@link Tuple} does
   */
  static Tuple tuple(Shape... elements) {
    requireNonNull(elements, "elements");
    for (Shape element : elements) {
      require(element != null, "", "shape: an element of a tuple is null, want a shape");
    }
    return new Tuple(ImmutableList.copyOf(elements));
  }

  /**
   * Returns the shape of a buffer.
   *
   * @param array the shape of the array that it holds
   * @return the shape
   */
  static Buffer buffer(Array array) {
    return new Buffer(array);
  }

  /**
   * Returns the shape of a token.
   *
   * @return the shape
   */
  static Token token() {
    return new Token();
  }

  /**
   * Returns whether this and another shape agree in all but layout.
   *
   * @param other the other shape
   * @return whether they are the same without their layouts
   */
  default boolean compatible(Shape other) {
    requireNonNull(other, "other");
    return this == other || withoutLayout().equals(other.withoutLayout());
  }

  /**
   * Returns whether this and another shape agree in all but layout and which sizes are bounds:
   * {@code f32[<=2,3]} and {@code f32[2,3]} do.
   *
   * @param other the other shape
   * @return whether element types, sizes and bounds are the same
   */
  default boolean hasSameBounds(Shape other) {
    if (this == other) {
      return true;
    }
    return switch (this) {
      case Array array ->
          other instanceof Array that
              && array.elementType() == that.elementType()
              && array.sizes().equals(that.sizes());
      case Tuple tuple ->
          other instanceof Tuple that
              && tuple.elements().size() == that.elements().size()
              && IntStream.range(0, tuple.elements().size())
                  .allMatch(i -> tuple.elements().get(i).hasSameBounds(that.elements().get(i)));
      case Buffer buffer ->
          other instanceof Buffer that && buffer.array().hasSameBounds(that.array());
      case Token token -> token.equals(other);
      case Opaque opaque -> opaque.equals(other);
    };
  }

  /**
   * Returns this shape with bounds where it has bounds or another shape has.
   *
   * @param other a shape of which {@link #hasSameBounds} is true
   * @return the shape
   * @throws HloException if it is not
   */
  default Shape withBoundsOf(Shape other) {
    requireNonNull(other, "other");
    if (this == other || !other.isDynamic()) {
      return this;
    }
    require(hasSameBounds(other), "", "shape: got bounds of %s, want those of %s", other, this);
    return switch (this) {
      case Array array ->
          array.withDynamic(
              Sets.union(array.dynamicDimensions(), ((Array) other).dynamicDimensions()));
      case Tuple tuple ->
          new Tuple(
              IntStream.range(0, tuple.elements().size())
                  .mapToObj(
                      i -> tuple.elements().get(i).withBoundsOf(((Tuple) other).elements().get(i)))
                  .collect(ImmutableList.toImmutableList()));
      case Buffer buffer -> buffer;
      case Token token -> token;
      case Opaque opaque -> opaque;
    };
  }

  /**
   * Returns this shape, and those in it, without layout.
   *
   * @return the shape
   */
  default Shape withoutLayout() {
    return this instanceof Tuple tuple && !tuple.hasLayout
        ? this
        : mapArrays(array -> array.withLayout(null));
  }

  /**
   * Returns this shape with row-major layout on every array that has none.
   *
   * @return the shape
   */
  default Shape withDefaultLayout() {
    return mapArrays(array ->
        array.layout().isPresent() ? array : array.withLayout(Layout.rowMajor(array.rank())));
  }

  /**
   * Returns this shape with each array in it replaced.
   *
   * @param change the replacement of an array
   * @return the shape; the same one if no array of a tuple is replaced by another
   */
  default Shape mapArrays(Function<Array, Array> change) {
    requireNonNull(change, "change");
    return switch (this) {
      case Array array -> change.apply(array);
      case Tuple tuple -> tuple.mapped(change, new IdentityHashMap<>());
      case Buffer buffer -> new Buffer(change.apply(buffer.array()));
      case Token token -> token;
      case Opaque opaque -> opaque;
    };
  }

  /**
   * Returns the arrays in this shape, those of buffers too, in order.
   *
   * @return the arrays at any depth, maybe none
   */
  default ImmutableList<Array> arrays() {
    return switch (this) {
      case Array array -> ImmutableList.of(array);
      case Tuple tuple ->
          tuple.elements().stream()
              .flatMap(each -> each.arrays().stream())
              .collect(ImmutableList.toImmutableList());
      case Buffer buffer -> ImmutableList.of(buffer.array());
      case Token _, Opaque _ -> ImmutableList.of();
    };
  }

  /**
   * Returns this shape with each buffer replaced by the shape of its array.
   *
   * @return the shape; the same one if it has no buffers
   */
  default Shape withoutBuffers() {
    return switch (this) {
      case Array array -> array;
      case Tuple tuple when !tuple.hasBuffers() -> tuple;
      case Tuple tuple ->
          new Tuple(
              tuple.elements().stream()
                  .map(Shape::withoutBuffers)
                  .collect(ImmutableList.toImmutableList()));
      case Buffer buffer -> buffer.array();
      case Token token -> token;
      case Opaque opaque -> opaque;
    };
  }

  /**
   * Returns whether this is a buffer or a tuple with one in it.
   *
   * @return whether it has
   */
  default boolean hasBuffers() {
    return switch (this) {
      case Array array -> false;
      case Tuple tuple -> tuple.hasBuffers;
      case Buffer buffer -> true;
      case Token token -> false;
      case Opaque opaque -> false;
    };
  }

  /**
   * Returns whether any array in this shape has a dynamic dimension.
   *
   * @return whether it has
   */
  default boolean isDynamic() {
    return switch (this) {
      case Array array -> !array.dynamicDimensions().isEmpty();
      case Tuple tuple -> tuple.isDynamic;
      case Buffer buffer -> buffer.array().isDynamic();
      case Token token -> false;
      case Opaque opaque -> false;
    };
  }

  /**
   * A dense array.
   *
   * @param elementType the type of its elements
   * @param sizes the size of each dimension; for a dynamic one its bound, or {@link #UNBOUNDED}
   * @param dynamicDimensions the dimensions whose size is known only at run time
   * @param layout the memory layout; empty if it is not specified
   * @serial exclude
   */
  record Array(
      ElementType elementType,
      Dims sizes,
      ImmutableSortedSet<Integer> dynamicDimensions,
      Optional<Layout> layout)
      implements Shape {
    /**
     * Checks the sizes.
     *
     * @throws HloException if a static size is negative, the element count overflows, a dynamic
     *     dimension does not exist, there are more than {@link #MAX_RANK}, or the element type is
     *     null
     */
    public Array {
      requireNonNull(dynamicDimensions, "dynamicDimensions");
      requireNonNull(sizes, "sizes");
      require(elementType != null, "", "shape: element type is null");
      ArrayChecks.requireRight(elementType, sizes, dynamicDimensions);
    }

    /**
     * Returns the number of dimensions.
     *
     * @return the rank
     */
    public int rank() {
      return sizes.count();
    }

    /**
     * Returns the size of a dimension; for a dynamic one its bound, or {@link #UNBOUNDED}.
     *
     * @param dimension the dimension number
     * @return the size
     */
    public long size(int dimension) {
      return sizes.get(dimension);
    }

    /**
     * Returns whether the size of a dimension is known only at run time.
     *
     * @param dimension the dimension number
     * @return whether it is dynamic
     */
    public boolean isDynamic(int dimension) {
      return dynamicDimensions.contains(dimension);
    }

    /**
     * Returns whether nothing is known of the size of a dimension.
     *
     * @param dimension the dimension number
     * @return whether it is unbounded
     */
    public boolean isUnbounded(int dimension) {
      return sizes.get(dimension) == UNBOUNDED;
    }

    /**
     * Returns whether nothing is known of the size of any dimension.
     *
     * @return whether it has an unbounded dimension
     */
    public boolean hasUnbounded() {
      return sizes.contains(UNBOUNDED);
    }

    /**
     * Returns whether this has rank 0.
     *
     * @return whether it is a scalar
     */
    public boolean isScalar() {
      return rank() == 0;
    }

    /**
     * Returns the largest possible number of elements.
     *
     * @return the product of the sizes
     * @throws HloException if a dimension is unbounded
     */
    public long elementCount() {
      require(!hasUnbounded(), "", "shape: element count of %s got ?, want a bound", this);
      return sizes.product();
    }

    /**
     * Returns the same shape with other sizes, all static, and no layout.
     *
     * @param newSizes the sizes
     * @return the shape
     */
    public Array withSizes(Dims newSizes) {
      requireNonNull(newSizes, "newSizes");
      return of(elementType, newSizes);
    }

    /**
     * Returns the same shape with another element type.
     *
     * @param newElementType the element type
     * @return the shape
     */
    public Array withElementType(ElementType newElementType) {
      return newElementType == elementType
          ? this
          : new Array(newElementType, sizes, dynamicDimensions, layout);
    }

    /**
     * Returns the same shape with another layout.
     *
     * @param newLayout the layout, or null for none
     * @return the shape
     */
    public Array withLayout(@Nullable Layout newLayout) {
      return newLayout == null && layout.isEmpty()
          ? this
          : new Array(elementType, sizes, dynamicDimensions, Optional.ofNullable(newLayout));
    }

    /**
     * Returns the same shape with other dimensions dynamic. A dimension made static keeps its
     * bound.
     *
     * @param dimensions the dimensions to be dynamic
     * @return the shape
     */
    public Array withDynamic(Iterable<Integer> dimensions) {
      return new Array(
          elementType,
          sizes,
          ImmutableSortedSet.copyOf(requireNoNulls(dimensions, "dimensions")),
          layout);
    }

    /**
     * Returns the same shape with all dimensions static, of the sizes that were bounds: {@code
     * f32[2,3]} for {@code f32[<=2,3]}.
     *
     * @return the shape; this one if it is static
     * @throws HloException if a dimension is unbounded
     */
    public Array withStaticSizes() {
      require(!hasUnbounded(), "", "shape: got %s, want a bound for each size", this);
      return isDynamic() ? withDynamic(ImmutableSortedSet.of()) : this;
    }

    /**
     * Returns the shape of some of the dimensions, in the order given, each as dynamic as it was.
     *
     * @param dimensions dimension numbers of this shape
     * @return the shape, of as many dimensions
     */
    public Array select(Dims dimensions) {
      return of(elementType, Dims.of()).append(this, dimensions);
    }

    /**
     * Returns this shape with dimensions of another shape appended, each of which stays static or
     * dynamic.
     *
     * @param from the other shape
     * @param dimensions dimension numbers of the other shape
     * @return the shape
     */
    public Array append(Array from, Dims dimensions) {
      requireNonNull(dimensions, "dimensions");
      requireNonNull(from, "from");
      ImmutableSortedSet<Integer> dynamic =
          IntStream.range(0, rank() + dimensions.count())
              .filter(
                  i -> i < rank() ? isDynamic(i) : from.isDynamic(dimensions.getInt(i - rank())))
              .boxed()
              .collect(toImmutableSortedSet(Comparator.naturalOrder()));
      return new Array(
          elementType, sizes.concat(from.sizes.at(dimensions)), dynamic, Optional.empty());
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Array that
              && elementType == that.elementType
              && sizes.equals(that.sizes)
              && dynamicDimensions.equals(that.dynamicDimensions)
              && layout.equals(that.layout));
    }

    @Override
    public int hashCode() {
      return 31 * elementType.hashCode() + sizes.hashCode();
    }

    /** As {@code f32[2,<=3,?]}, followed by the layout if there is one. */
    @Override
    public String toString() {
      String dims =
          IntStream.range(0, rank()).mapToObj(this::sizeText).collect(Collectors.joining(","));
      String order =
          layout
              .filter(given -> rank() > 0 || !given.details().isEmpty())
              .map(Layout::toString)
              .orElse("");
      return elementType + "[" + dims + "]" + order;
    }

    /**
     * Returns a size as HLO text writes it: {@code 3}, {@code <=3} or {@code ?}.
     *
     * @param dimension the dimension number
     * @return the text
     */
    public String sizeText(int dimension) {
      if (isUnbounded(dimension)) {
        return "?";
      }
      return (isDynamic(dimension) ? "<=" : "") + size(dimension);
    }

    private Object writeReplace() {
      return new ShapeForm(this);
    }
  }

  /**
   * A tuple of values.
   *
   * @serial exclude
   */
  final class Tuple implements Shape {
    private static final long serialVersionUID = 1L;

    private static final int MAX_DEPTH = 200;
    private static final long MAX_LEAVES = 1_000_000;

    /** The maximum number of values at all levels: what a walk over a shape may cost. */
    private static final long MAX_VALUES = 2_000_000;

    private final ImmutableList<Shape> elements;
    private final int depth;
    private final long leaves;
    private final long values;
    private final int hash;
    private final boolean hasBuffers;
    private final boolean isDynamic;
    private final boolean hasLayout;

    /**
     * Creates a tuple of values of these shapes.
     *
     * @param elements the shapes, maybe none
     * @throws HloException if tuples nest deeper than 200, or hold more than a million values, or
     *     two million with the tuples among them
     */
    public Tuple(ImmutableList<Shape> elements) {
      requireNonNull(elements, "elements");
      this.elements = elements;
      int deepest = 0;
      long leaves = 0;
      long values = elements.size();
      for (Shape element : elements) {
        deepest = Math.max(deepest, depth(element));
        leaves += leaves(element);
        values += element instanceof Tuple tuple ? tuple.values : 0;
      }
      this.depth = 1 + deepest;
      this.leaves = leaves;
      this.values = values;
      this.hash = elements.hashCode();
      this.hasBuffers = elements.stream().anyMatch(Shape::hasBuffers);
      this.isDynamic = elements.stream().anyMatch(Shape::isDynamic);
      this.hasLayout = elements.stream().anyMatch(Tuple::hasLayout);
      require(
          depth <= MAX_DEPTH, "", "shape: tuple nested %s deep, want at most %s", depth, MAX_DEPTH);
      require(
          leaves <= MAX_LEAVES,
          "",
          "shape: tuple of %s values, want at most %s",
          leaves,
          MAX_LEAVES);
      require(
          values <= MAX_VALUES,
          "",
          "shape: tuple of %s values and tuples, want at most %s",
          values,
          MAX_VALUES);
    }

    private static int depth(Shape shape) {
      return shape instanceof Tuple tuple ? tuple.depth : 0;
    }

    private static boolean hasLayout(Shape shape) {
      return switch (shape) {
        case Array array -> array.layout().isPresent();
        case Tuple tuple -> tuple.hasLayout;
        case Buffer buffer -> buffer.array().layout().isPresent();
        case Token token -> false;
        case Opaque opaque -> false;
      };
    }

    /** Replaces the arrays of each tuple once, however often it occurs in this one. */
    private Tuple mapped(Function<Array, Array> change, IdentityHashMap<Tuple, Tuple> done) {
      Tuple known = done.get(this);
      if (known != null) {
        return known;
      }
      boolean isSame = true;
      ImmutableList.Builder<Shape> next = ImmutableList.builderWithExpectedSize(elements.size());
      for (Shape element : elements) {
        Shape mapped =
            element instanceof Tuple inner ? inner.mapped(change, done) : element.mapArrays(change);
        isSame &= mapped == element;
        next.add(mapped);
      }
      Tuple mapped = isSame ? this : new Tuple(next.build());
      done.put(this, mapped);
      return mapped;
    }

    private static long leaves(Shape shape) {
      return shape instanceof Tuple tuple ? tuple.leaves : 1;
    }

    /**
     * Returns the shapes of its elements.
     *
     * @return the shapes, maybe none
     */
    public ImmutableList<Shape> elements() {
      return elements;
    }

    /**
     * Returns how many values it holds at any depth that are no tuples.
     *
     * @return the count, a million at most
     */
    public int leafCount() {
      return (int) leaves;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Tuple that && hash == that.hash && elements.equals(that.elements));
    }

    @Override
    public int hashCode() {
      return hash;
    }

    /** Returns the HLO text, such as {@code (f32[2], s32[])}. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("(");
      for (int i = 0; i < elements.size(); i++) {
        text.append(i == 0 ? "" : ", ").append(i > 0 && i % 5 == 0 ? "/*index=" + i + "*/" : "");
        text.append(elements.get(i));
      }
      return text.append(")").toString();
    }

    private Object writeReplace() {
      return new ShapeForm(this);
    }

    private void readObject(ObjectInputStream in) throws InvalidObjectException {
      throw new InvalidObjectException("shape: got fields of a tuple, want its serial form");
    }
  }

  /**
   * A memory buffer that holds an array and that custom calls write in place. Custom calls to
   * {@code Pin} and {@code CreateBuffer} create one, and {@code Unpin} returns its array; tuples
   * and loops may forward it. Source: the shape rules of XLA's buffer type and its verifier.
   *
   * @param array the shape of the array that it holds
   * @serial exclude
   */
  record Buffer(Array array) implements Shape {
    /**
     * Checks the array.
     *
     * @throws HloException if it is null
     */
    public Buffer {
      require(array != null, "", "shape: array of a buffer is null");
    }

    /** As {@code b(f32[2,3])}. */
    @Override
    public String toString() {
      return "b(" + array + ")";
    }
  }

  /**
   * A token: no data, it only orders effects.
   *
   * @serial exclude
   */
  record Token() implements Shape {
    /** Returns {@code token[]}. */
    @Override
    public String toString() {
      return "token[]";
    }
  }

  /**
   * An object of the host that is opaque to HLO.
   *
   * @serial exclude
   */
  record Opaque() implements Shape {
    /** As {@code opaque[]}. */
    @Override
    public String toString() {
      return "opaque[]";
    }
  }
}
