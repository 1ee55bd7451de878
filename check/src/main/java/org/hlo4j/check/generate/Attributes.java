package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.check.generate.Restrictions.Trait;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The attributes of an op that is drawn, by their names and types, over all that may be legal for
 * its first operand. What a row knows better, it gives.
 */
final class Attributes {
  private final Drawing drawing;
  private final Choices choices;
  private final Map<String, Object> known = new HashMap<>();

  Attributes(Drawing drawing) {
    this.drawing = drawing;
    this.choices = drawing.choices;
  }

  /** Sets an attribute: a value, or the text of one in a row. */
  void give(String name, Object value) {
    known.put(name, value);
  }

  /** Goes to the next op of a chain, which has the same channel and receives what was sent. */
  void ofNext(List<Shape> sent) {
    known.keySet().retainAll(Set.of("channel_id", "is_host_transfer"));
    if (drawing.opcode().equals("recv")) {
      known.put("shape", sent.get(0));
    }
  }

  private ImmutableList<OpAttribute> all() {
    return OpSchema.of(drawing.opcode()).orElseThrow().attributes();
  }

  /** Returns an attribute by its name. */
  Object of(String name) {
    return of(all().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow());
  }

  private Object of(OpAttribute attribute) {
    String name = attribute.name();
    Class<?> type = attribute.component().getType();
    Object value = known.get(name);
    if (value == null) {
      value = type.isEnum() ? choices.oneOf(List.of(type.getEnumConstants())) : drawn(name, type);
    } else if (value instanceof String text) {
      value = parsed(text, type);
    }
    known.put(name, value);
    return type == Optional.class && !(value instanceof Optional) ? Optional.of(value) : value;
  }

  /** Returns what a row says: dimensions of an array by their letters, or one of some values. */
  private Object parsed(String text, Class<?> type) {
    if (text.matches("\\d[a-zA-Z]+")) {
      return type == int.class ? drawing.roles.place(text) : drawing.roles.places(text);
    }
    String one = choices.oneOf(Splitter.on('|').splitToList(text));
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .filter(each -> ((Enum<?>) each).name().equalsIgnoreCase(one))
          .findFirst()
          .orElseThrow();
    } else if (type == long.class) {
      return one.matches("-?\\d+") ? Long.valueOf(one) : drawing.roles.sizes(one).get(0);
    } else if (type == boolean.class) {
      return Boolean.valueOf(one);
    }
    return type == int.class
        ? Integer.valueOf(one)
        : type == float.class ? Float.valueOf(one) : one;
  }

  /** Returns the op of all attributes. */
  Op op(String opcode) {
    OpSchema schema = OpSchema.of(opcode).orElseThrow();
    return schema.create(schema.attributes().stream().map(this::of).toList());
  }

  private Object drawn(String name, Class<?> type) {
    return switch (name) {
      case "algorithm" -> perhaps(8, List.of(DotAlgorithm.values()));
      case "channel_id" ->
          drawing.opcode().equals("send") || choices.chance(3)
              ? Optional.of(1L + drawing.block.draft.nextName())
              : Optional.empty();
      case "dimensions" -> {
        Dims one = Dims.of(choices.below(sizes().count()));
        yield type == Optional.class ? perhaps(2, List.of(one)) : one;
      }
      case "domain" -> new Domain.Border("sharding", "{maximal device=0}", "{replicated}");
      case "dynamic_slice_sizes" -> within();
      case "fft_length" -> lengths();
      case "index" ->
          choices.below(((Shape.Tuple) drawing.operands.get(0).shape()).elements().size());
      case "k" -> choices.between(0, sizes().get(sizes().count() - 1));
      case "literal" ->
          type == Literal.class
              ? choices.literal((Shape) Sources.shape(drawing.block))
              : Optional.empty();
      case "new_element_type" -> choices.anyType();
      case "operand_precision" ->
          Stream.generate(() -> choices.oneOf(List.of(Dot.Precision.values())))
              .limit(choices.chance(5) ? 2 : 0)
              .collect(toImmutableList());
      case "outfeed_shape" -> drawing.operands.get(0).shape();
      case "padding" -> new PadConfig(each(0, -3, 3), each(0, -3, 3), each(0, 0, 3));
      case "preferred_element_type" -> perhaps(4, List.of(choices.anyType()));
      case "replica_groups" ->
          choices.chance(2) ? ReplicaGroups.all() : ReplicaGroups.of(new long[1]);
      case "shape" -> type == Optional.class ? Optional.empty() : shape();
      case "slice" ->
          new SliceRanges(
              each(0, 0, 3),
              each(sizes(), size -> choices.chance(2) ? size : choices.between(size / 2, size)),
              each(1, 1, 4));
      // The only device sends to itself, or nobody does, which gives zeros.
      case "source_target_pairs" ->
          choices.chance(3) ? ImmutableList.of() : ImmutableList.of(Dims.of(0, 0));
      case "type" ->
          perhaps(2, List.of(Compare.Type.defaultFor(drawing.type()), Compare.Type.TOTALORDER));
      default ->
          type == boolean.class
              ? choices.chance(2)
              : type == Optional.class
                  ? Optional.empty()
                  : type == String.class ? "" : type == long.class ? 1L : ImmutableList.of();
    };
  }

  private <T> Optional<T> perhaps(int times, List<T> some) {
    return choices.chance(times) ? Optional.of(choices.oneOf(some)) : Optional.empty();
  }

  private Dims sizes() {
    return drawing.shape().sizes();
  }

  private static Dims each(Dims sizes, LongUnaryOperator number) {
    return Dims.of(sizes.stream().map(number).toArray());
  }

  private Dims each(long usual, long least, long most) {
    return each(sizes(), usual, least, most);
  }

  /** Returns a number for each dimension: the usual one half of the time. */
  private Dims each(Dims sizes, long usual, long least, long most) {
    return each(sizes, size -> choices.chance(2) ? usual : choices.between(least, most));
  }

  private Shape shape() {
    return switch (drawing.opcode()) {
      case "bitcast" -> bitcast();
      case "reshape" -> drawing.shape().withSizes(Sources.factors(choices, sizes()));
      case "dynamic-reshape" -> {
        Shape.Array shape = drawing.shape().withSizes(Sources.factors(choices, sizes()));
        yield choices.has(Trait.DYNAMIC) && shape.rank() > 0
            ? shape.withDynamic(List.of(choices.below(shape.rank())))
            : shape;
      }
      default -> throw new AssertionError(drawing.opcode());
    };
  }

  /** Other sizes, another type of the same width, another layout. */
  private Shape bitcast() {
    ElementType from = drawing.type();
    ElementType to =
        choices.type(type -> type.bits() == from.bits() && type.isComplex() == from.isComplex());
    Shape.Array shape = Shape.of(to, Sources.factors(choices, sizes()));
    return choices.chance(3)
        ? shape.withLayout(new Layout(choices.permutation(shape.rank()), ""))
        : shape;
  }

  /** One to three transformed dimensions, of any length. */
  private Dims lengths() {
    int rank = sizes().count();
    int count = 1 + choices.below(Math.min(3, rank));
    Dims lengths = sizes().subList(rank - count, rank);
    long last = lengths.get(count - 1);
    return of("fft_type") == Fft.FftType.IRFFT
        ? lengths.with(count - 1, Math.max(Math.min(last, 1), 2 * last - 1 - choices.below(2)))
        : lengths;
  }

  /** Returns sizes of a box within the first operand. */
  Dims within() {
    return each(sizes(), size -> choices.chance(3) ? size : choices.between(0, size));
  }

  /** Returns a window over an array: sizes, strides, padding of either sign, dilations. */
  Window window(Dims base) {
    return new Window(
        each(base, size -> choices.chance(3) ? 1 : choices.between(1, Math.clamp(size, 1, 4))),
        each(base, 1, 1, 3),
        each(base, 0, -2, 3),
        each(base, 0, -2, 3),
        each(base, 1, 1, 3),
        each(base, 1, 1, 3),
        base.stream().mapToObj(size -> choices.chance(6)).collect(toImmutableList()));
  }
}
