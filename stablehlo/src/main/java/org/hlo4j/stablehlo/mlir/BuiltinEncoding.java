package org.hlo4j.stablehlo.mlir;

import static com.google.common.collect.ImmutableBiMap.toImmutableBiMap;
import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** The bytecode encoding of the attributes, types and locations of MLIR's builtin dialect. */
final class BuiltinEncoding {
  static final DialectEncoding INSTANCE =
      new DialectEncoding(BuiltinEncoding::attribute, BuiltinEncoding::type);

  /** The floating-point types by their codes; those of fewer bits were added later. */
  static final ImmutableBiMap<Integer, String> FLOATS =
      Splitter.on(' ')
          .withKeyValueSeparator('=')
          .split(
              "3=bf16 4=f16 5=f32 6=f64 7=f80 8=f128 21=tf32 22=f8E5M2 23=f8E4M3 24=f8E4M3FN"
                  + " 25=f8E5M2FNUZ 26=f8E4M3FNUZ 27=f8E4M3B11FNUZ 28=f8E3M4 29=f4E2M1FN"
                  + " 30=f6E2M3FN 31=f6E3M2FN 32=f8E8M0FNU")
          .entrySet()
          .stream()
          .collect(toImmutableBiMap(row -> Integer.valueOf(row.getKey()), Map.Entry::getValue));

  /** The forms of integers by their codes. */
  static final ImmutableList<Type.Signedness> SIGNEDNESS =
      ImmutableList.of(Type.Signedness.SIGNLESS, Type.Signedness.SIGNED, Type.Signedness.UNSIGNED);

  private static final int MAX_WIDTH = 1 << 12;

  private BuiltinEncoding() {}

  private static Attribute attribute(int code, EntryReader in) {
    return switch (code) {
      case 0 -> new Attribute.Array(in.attributes());
      case 1 -> in.dictionary();
      case 2 -> new Attribute.Str(in.string());
      case 3 -> typedString(in);
      case 4 -> Attribute.Symbol.of(in.name());
      case 5 -> symbol(in);
      case 6 -> new Attribute.OfType(in.type());
      case 7 -> Attribute.Unit.INSTANCE;
      case 8 -> in.integer(in.type());
      case 9 -> in.number(in.type());
      case 16 -> resource(in);
      case 17 -> denseArray(in);
      case 18 -> in.dense(in.type());
      default -> new Attribute.OfLocation(location(code, in));
    };
  }

  private static Location location(int code, EntryReader in) {
    return switch (code) {
      case 10 -> new Location.CallSite(in.location(), in.location());
      case 11 -> place(in);
      case 12 -> new Location.Fused(in.list(in::location), Optional.empty());
      case 13 -> new Location.Fused(in.list(in::location), Optional.of(in.attribute()));
      case 14 -> new Location.Name(in.name(), in.location());
      case 15 -> Location.unknown();
      case 22 -> range(in);
      default -> throw in.refusal("got code %s of the builtin dialect, which is not known", code);
    };
  }

  private static Location place(EntryReader in) {
    String file = in.name();
    int line = (int) in.varint();
    int column = (int) in.varint();
    return new Location.FileRange(file, line, column, line, column);
  }

  /**
   * Reads a range, which is encoded as zero to four numbers: those that repeat another are left
   * out.
   */
  private static Location range(EntryReader in) {
    String file = in.name();
    ImmutableList<Integer> numbers = in.list(() -> (int) in.varint());
    int line = numbers.isEmpty() ? 0 : numbers.get(0);
    int column = numbers.size() < 2 ? 0 : numbers.get(1);
    return switch (numbers.size()) {
      case 0, 1, 2 -> new Location.FileRange(file, line, column, line, column);
      case 3 -> new Location.FileRange(file, line, column, line, numbers.get(2));
      case 4 -> new Location.FileRange(file, line, column, numbers.get(2), numbers.get(3));
      default -> throw in.refusal("got %s numbers of lines, want at most 4", numbers.size());
    };
  }

  private static Attribute typedString(EntryReader in) {
    Attribute.Str string = new Attribute.Str(in.string());
    in.type();
    return string;
  }

  private static Attribute symbol(EntryReader in) {
    ImmutableList.Builder<String> path = ImmutableList.builder();
    path.add(in.name());
    for (Attribute nested : in.attributes()) {
      if (!(nested instanceof Attribute.Symbol symbol)) {
        throw in.refusal("got %s inside a symbol, want a symbol", nested);
      }
      path.addAll(symbol.path());
    }
    return new Attribute.Symbol(path.build());
  }

  private static Attribute resource(EntryReader in) {
    if (!(in.type() instanceof Type.Tensor tensor)) {
      throw in.refusal("got a resource of another type, want a tensor");
    }
    String name = in.resourceName();
    return in.resource(name, tensor)
        .<Attribute>map(dense -> dense)
        .orElseGet(() -> new Attribute.DenseResource(name, tensor));
  }

  /** Reads a list of booleans, integers or numbers, which are the elements of a vector. */
  private static Attribute denseArray(EntryReader in) {
    Type element = in.type();
    long count = in.varint();
    ByteReader blob = in.blob();
    ElementType type =
        Types.elementType(element)
            .filter(each -> each.bits() == 1 || each.bits() >= Byte.SIZE)
            .filter(each -> !each.isFloating() || each.bits() >= Float.SIZE)
            .filter(each -> !each.isComplex())
            .orElse(null);
    int length = blob.remaining();
    if (type == null
        || length % TensorBytes.width(type) != 0
        || count != length / TensorBytes.width(type)) {
      throw in.refusal("got %s bytes for %s elements of type %s", blob.remaining(), count, element);
    }
    Literal elements = TensorBytes.literal(Shape.of(type, count), blob.buffer());
    return new Attribute.DenseArray(
        element,
        IntStream.range(0, (int) count)
            .mapToObj(i -> type.isFloating() ? elements.bitsAt(i) : elements.longAt(i))
            .collect(toImmutableList()));
  }

  private static Type type(int code, EntryReader in) {
    String number = FLOATS.get(code);
    if (number != null) {
      return new Type.Floating(number);
    }
    return switch (code) {
      case 0 -> integer(in);
      case 1 -> Type.Simple.INDEX;
      case 2 -> new Type.Function(in.types(), in.types());
      case 9 -> new Type.Complex(in.type());
      case 10 -> buffer(in);
      case 12 -> Type.Simple.NONE;
      case 13 -> new Type.Tensor(in.sizes(), in.type(), Optional.empty());
      case 14 -> in.encodedTensor();
      case 15 -> new Type.Tuple(in.types());
      case 18 -> new Type.UnrankedTensor(in.type());
      default -> throw in.refusal("got type %s of the builtin dialect, which is not known", code);
    };
  }

  private static Type integer(EntryReader in) {
    long form = in.varint();
    long width = form >>> 2;
    int signedness = (int) (form & 3);
    if (width < 1 || width > MAX_WIDTH || signedness >= SIGNEDNESS.size()) {
      throw in.refusal("got an integer type of %s bits, want 1 to %s", width, MAX_WIDTH);
    }
    return new Type.Int((int) width, SIGNEDNESS.get(signedness));
  }

  private static Type buffer(EntryReader in) {
    ImmutableList<Long> sizes = in.sizes();
    Type element = in.type();
    // The layout is the default one.
    in.attribute();
    return new Type.MemRef(sizes, element);
  }
}
