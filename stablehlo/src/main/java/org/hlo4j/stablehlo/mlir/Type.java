package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/** A type of MLIR; {@code toString} returns its text form. */
public sealed interface Type {
  /** The size of a dimension of unknown size, written {@code ?}. */
  long DYNAMIC = Shape.UNBOUNDED;

  /** The signedness of an integer type. */
  enum Signedness {
    /** {@code i32}: StableHLO's signed integers, and booleans as {@code i1}. */
    SIGNLESS("i"),
    /** {@code si32}. */
    SIGNED("si"),
    /** {@code ui32}. */
    UNSIGNED("ui");

    private final String prefix;

    Signedness(String prefix) {
      this.prefix = prefix;
    }
  }

  /**
   * An integer type.
   *
   * @param width the number of bits
   * @param signedness its signedness
   */
  record Int(int width, Signedness signedness) implements Type {
    @Override
    public String toString() {
      return signedness.prefix + width;
    }
  }

  /**
   * A floating-point type.
   *
   * @param name its name in the text, such as {@code bf16} and {@code f8E4M3FN}
   */
  record Floating(String name) implements Type {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A type without parameters. */
  enum Simple implements Type {
    /** An integer of the machine's width. */
    INDEX("index"),
    /** No value. */
    NONE("none");

    private final String text;

    Simple(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * A complex type.
   *
   * @param element the type of its parts
   */
  record Complex(Type element) implements Type {
    @Override
    public String toString() {
      return "complex<" + element + ">";
    }
  }

  /**
   * A ranked tensor type.
   *
   * @param sizes the size of each dimension, {@link #DYNAMIC} if unknown
   * @param element the type of its elements
   * @param encoding an attribute of a dialect, such as bounds
   */
  record Tensor(ImmutableList<Long> sizes, Type element, Optional<Attribute> encoding)
      implements Type {
    /**
     * {@return the tensor type without encoding}
     *
     * @param element the type of the elements
     * @param sizes the size of each dimension
     */
    public static Tensor of(Type element, Iterable<Long> sizes) {
      return new Tensor(ImmutableList.copyOf(sizes), element, Optional.empty());
    }

    /** {@return the number of dimensions} */
    public int rank() {
      return sizes.size();
    }

    /** {@return whether all sizes are known} */
    public boolean isStatic() {
      return !sizes.contains(DYNAMIC);
    }

    @Override
    public String toString() {
      String tail = encoding.map(attribute -> ", " + attribute).orElse("");
      return "tensor<" + dimensions(sizes) + element + tail + ">";
    }
  }

  /**
   * An unranked tensor type.
   *
   * @param element the type of its elements
   */
  record UnrankedTensor(Type element) implements Type {
    @Override
    public String toString() {
      return "tensor<*x" + element + ">";
    }
  }

  /**
   * A buffer type.
   *
   * @param sizes the size of each dimension, {@link #DYNAMIC} if unknown
   * @param element the type of its elements
   */
  record MemRef(ImmutableList<Long> sizes, Type element) implements Type {
    @Override
    public String toString() {
      return "memref<" + dimensions(sizes) + element + ">";
    }
  }

  /** A tuple type. */
  final class Tuple implements Type {
    private final ImmutableList<Type> elements;
    private final int hash;

    /**
     * Creates a tuple type.
     *
     * @param elements the types of its elements
     */
    public Tuple(ImmutableList<Type> elements) {
      this.elements = elements;
      this.hash = elements.hashCode();
    }

    /** {@return the types of its elements} */
    public ImmutableList<Type> elements() {
      return elements;
    }

    /**
     * Returns the types in this one, at any depth, that are no tuples: each once, however often it
     * occurs. A type of a few lines may stand for millions of values.
     *
     * @return the types
     */
    public ImmutableSet<Type> innermost() {
      Set<Type> found = new LinkedHashSet<>();
      addInnermost(found, Collections.newSetFromMap(new IdentityHashMap<>()));
      return ImmutableSet.copyOf(found);
    }

    private void addInnermost(Set<Type> found, Set<Tuple> seen) {
      for (Type element : elements) {
        if (!(element instanceof Tuple tuple)) {
          found.add(element);
        } else if (seen.add(tuple)) {
          tuple.addInnermost(found, seen);
        }
      }
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

    @Override
    public String toString() {
      return "tuple<" + list(elements) + ">";
    }
  }

  /**
   * The type of a function or of an operation.
   *
   * @param inputs the types of the arguments
   * @param results the types of the results
   */
  record Function(ImmutableList<Type> inputs, ImmutableList<Type> results) implements Type {
    @Override
    public String toString() {
      boolean bare = results.size() == 1 && !(results.get(0) instanceof Function);
      String result = bare ? list(results) : "(" + list(results) + ")";
      return "(" + list(inputs) + ") -> " + result;
    }
  }

  /**
   * A quantized type, whose numbers are stored as integers, {@code !quant.uniform<i8:f32, 0.5:3>}:
   * {@code expressed = scale * (storage - zeroPoint)}. Source: the constraints C1 to C11 of
   * StableHLO's specification and MLIR's verifier.
   *
   * @param storage the storage type: 2, 4, 8, 16 or 32 bits, unsigned or signless
   * @param expressed the type of the numbers that are represented
   * @param min the least storage value
   * @param max the greatest storage value
   * @param axis the quantization dimension, along which scales and zero points vary; empty for
   *     per-tensor quantization
   * @param scales one scale, or one for each index of the axis; from the least positive number of
   *     the expressed type to its largest
   * @param zeroPoints a zero point for each scale, from {@code min} to {@code max}
   */
  record Quantized(
      Int storage,
      Type expressed,
      long min,
      long max,
      OptionalInt axis,
      ImmutableList<Double> scales,
      ImmutableList<Long> zeroPoints)
      implements Type {
    /**
     * Creates a quantized type.
     *
     * @throws org.hlo4j.hlo.HloException if it breaks a constraint
     */
    public Quantized {
      QuantizedTypes.check(storage, expressed, min, max, axis, scales, zeroPoints);
    }

    /**
     * {@return the least value of a storage type}
     *
     * @param storage the storage type
     */
    public static long defaultMin(Int storage) {
      return storage.signedness == Signedness.UNSIGNED ? 0 : -1L << (storage.width - 1);
    }

    /**
     * {@return the greatest value of a storage type}
     *
     * @param storage the storage type
     */
    public static long defaultMax(Int storage) {
      return storage.signedness == Signedness.UNSIGNED
          ? (1L << storage.width) - 1
          : (1L << (storage.width - 1)) - 1;
    }

    @Override
    public String toString() {
      boolean whole = min == defaultMin(storage) && max == defaultMax(storage);
      String prefix = storage.signedness == Signedness.UNSIGNED ? "u" : "i";
      String name = (prefix.equals("u") ? "u" : "i") + storage.width;
      StringBuilder text = new StringBuilder("!quant.uniform<").append(name);
      if (!whole) {
        text.append('<').append(min).append(':').append(max).append('>');
      }
      text.append(':').append(expressed);
      if (axis.isEmpty()) {
        return text.append(", ").append(parameters(0)).append('>').toString();
      }
      text.append(':').append(axis.getAsInt()).append(", {");
      for (int i = 0; i < scales.size(); i++) {
        text.append(i == 0 ? "" : ",").append(parameters(i));
      }
      return text.append("}>").toString();
    }

    private String parameters(int i) {
      long zero = zeroPoints.get(i);
      return ElementText.of(scales.get(i), Types.F64) + (zero == 0 ? "" : ":" + zero);
    }
  }

  /**
   * A type of a dialect, such as {@code !stablehlo.token}.
   *
   * @param dialect the dialect
   * @param mnemonic its name there
   * @param body the text between the angle brackets; empty if there are none
   */
  record Dialect(String dialect, String mnemonic, String body) implements Type {
    @Override
    public String toString() {
      return "!" + dialect + "." + mnemonic + (body.isEmpty() ? "" : "<" + body + ">");
    }
  }

  /** StableHLO's token. */
  Dialect TOKEN = new Dialect("stablehlo", "token", "");

  private static String dimensions(ImmutableList<Long> sizes) {
    return sizes.stream()
        .map(size -> (size == DYNAMIC ? "?" : Long.toString(size)) + "x")
        .collect(Collectors.joining());
  }

  private static String list(ImmutableList<Type> types) {
    return types.stream().map(Type::toString).collect(Collectors.joining(", "));
  }
}
