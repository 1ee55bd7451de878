package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.CustomCall;
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
  /**
   * Flags that stay off: they need several devices, or promise what random operands do not keep.
   */
  private static final ImmutableSet<String> OFF =
      ImmutableSet.of(
          "constrain_layout",
          "indices_are_sorted",
          "is_associative",
          "is_composite",
          "unique_indices",
          "use_global_device_ids");

  private final Drawing drawing;
  private final Choices choices;
  private final Map<String, Object> known = new HashMap<>();

  Attributes(Drawing drawing) {
    this.drawing = drawing;
    this.choices = drawing.choices;
  }

  /** Sets an attribute. */
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

  private OpSchema schema() {
    return OpSchema.of(drawing.opcode()).orElseThrow();
  }

  /** Returns an attribute by its name. */
  Object of(String name) {
    return schema().attributes().stream()
        .filter(each -> each.name().equals(name))
        .map(this::of)
        .findFirst()
        .orElseThrow();
  }

  private Object of(OpAttribute attribute) {
    String name = attribute.name();
    Class<?> type = attribute.component().getType();
    Object value = known.get(name);
    if (value == null) {
      value = type.isEnum() ? one(type.getEnumConstants()) : drawn(name, type);
      known.put(name, value);
    }
    return type == Optional.class && !(value instanceof Optional) ? Optional.of(value) : value;
  }

  /** Returns one of some constants; complex numbers are equal or not, and nothing else. */
  private Object one(Object[] constants) {
    boolean isOfComplex = constants[0] == Compare.Direction.EQ && drawing.type().isComplex();
    return constants[choices.below(isOfComplex ? 2 : constants.length)];
  }

  /** Returns the op of all attributes. */
  Op op() {
    return schema().create(schema().attributes().stream().map(this::of).toList());
  }

  private Object drawn(String name, Class<?> type) {
    Block block = drawing.block;
    return switch (name) {
      case "algorithm" -> perhaps(8, List.of(DotAlgorithm.values()));
      case "api_version" -> CustomCall.ApiVersion.API_VERSION_ORIGINAL;
      case "channel_id" ->
          drawing.opcode().equals("send") || choices.chance(3)
              ? Optional.of(1L + block.draft().nextName())
              : Optional.empty();
      case "delta" -> choices.between(-2, 5);
      case "dimensions" -> type == Optional.class ? perhaps(2, List.of(one())) : dimensions();
      case "domain" -> new Domain.Border("sharding", "{maximal device=0}", "{replicated}");
      case "dynamic_slice_sizes" -> within(choices, sizes());
      case "epsilon" -> choices.oneOf(List.of(0f, 1e-3f, 0.5f, 1f, -0.25f, 1e30f));
      case "exponent_bits" -> choices.oneOf(List.of(1, 2, 4, 5, 8, 11, 15, 1 + choices.below(12)));
      case "feature_index" -> choices.below(sizes().count());
      case "fft_length" -> lengths();
      case "index" ->
          choices.below(((Shape.Tuple) drawing.operands().get(0).shape()).elements().size());
      case "iota_dimension" -> choices.below(((Shape.Array) of("shape")).rank());
      case "k" -> choices.between(0, sizes().get(sizes().count() - 1));
      case "literal" -> type == Literal.class ? constant(block) : Optional.empty();
      case "mantissa_bits" -> choices.oneOf(List.of(0, 1, 3, 7, 10, 23, 52, 60, choices.below(30)));
      case "new_element_type" -> newType();
      case "operand_precision" ->
          choices.chance(5)
              ? ImmutableList.of(
                  choices.oneOf(List.of(Dot.Precision.values())),
                  choices.oneOf(List.of(Dot.Precision.values())))
              : ImmutableList.of();
      case "outfeed_shape" -> drawing.operands().get(0).shape();
      case "padding" -> padding();
      case "preferred_element_type" -> perhaps(4, List.of(choices.anyType()));
      case "replica_groups" ->
          choices.chance(2) ? ReplicaGroups.all() : ReplicaGroups.of(new long[1]);
      case "shape" -> type == Optional.class ? Optional.empty() : shape(block);
      case "slice" -> slice();
      // The only device sends to itself, or nobody does, which gives zeros.
      case "source_target_pairs" ->
          choices.chance(3) ? ImmutableList.of() : ImmutableList.of(Dims.of(0, 0));
      case "type" ->
          perhaps(
              2,
              List.of(
                  drawing.type().isFloating() && choices.chance(2)
                      ? Compare.Type.TOTALORDER
                      : Compare.Type.defaultFor(drawing.type())));
      case "window" -> window(choices, sizes());
      default ->
          type == boolean.class
              ? !OFF.contains(name) && choices.chance(2)
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

  private Dims one() {
    return Dims.of(choices.below(sizes().count()));
  }

  /** Returns all dimensions, some in any order, or one. */
  private Dims dimensions() {
    return switch (drawing.opcode()) {
      case "map" -> Dims.range(0, sizes().count());
      case "transpose" -> choices.permutation(sizes().count());
      case "reduce", "reverse" -> {
        Dims some = choices.subset(sizes().count());
        yield some.at(choices.permutation(some.count()));
      }
      default -> one();
    };
  }

  private ElementType newType() {
    return drawing.opcode().equals("stochastic-convert")
        ? choices.type(type -> type.isFloating() || type.isIntegral())
        : choices.anyType();
  }

  private Literal constant(Block block) {
    Shape.Array shape = Sources.shape(block, choices.anyType(), choices.rank());
    HloException.require(block.isEntry() || shape.elementCount() <= 500, "", "too large");
    return choices.literal(shape);
  }

  private Shape shape(Block block) {
    List<HloInstruction> operands = drawing.operands();
    ElementType type = choices.anyType();
    return switch (drawing.opcode()) {
      case "bitcast" -> bitcast();
      case "reshape" -> drawing.shape().withSizes(Fitting.factors(choices, sizes()));
      case "infeed" -> {
        Shape shape = Sources.shape(block, type, choices.rank());
        yield choices.chance(5) ? Shape.tuple(shape, shape) : shape;
      }
      case "iota" -> {
        ElementType number = choices.type(each -> each != ElementType.PRED);
        yield Sources.shape(block, number, Math.max(1, choices.rank()));
      }
      default -> { // of collectives
        ImmutableList<Shape> all = ImmutableList.copyOf(Sources.shapes(operands));
        Shape joined = all.size() == 1 ? all.get(0) : new Shape.Tuple(all);
        yield drawing.opcode().endsWith("-start") ? Shape.tuple(joined, joined) : joined;
      }
    };
  }

  /** Other sizes, another type of the same width, another layout. */
  private Shape bitcast() {
    ElementType from = drawing.type();
    ElementType to =
        from == ElementType.PRED || choices.chance(2)
            ? from
            : choices.type(type ->
                type.bits() == from.bits()
                    && type.isComplex() == from.isComplex()
                    && type != ElementType.PRED);
    Shape.Array shape = Shape.of(to, Fitting.factors(choices, sizes()));
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
        ? lengths.with(count - 1, last == 0 ? 0 : Math.max(1, 2 * last - 1 - choices.below(2)))
        : lengths;
  }

  /** Returns sizes of a box within others. */
  static Dims within(Choices choices, Dims sizes) {
    return Dims.of(
        sizes.stream().map(size -> choices.chance(3) ? size : choices.between(0, size)).toArray());
  }

  private long mostly(long usual, long least, long most) {
    return choices.chance(2) ? usual : choices.between(least, Math.max(least, most));
  }

  private SliceRanges slice() {
    Dims starts = sizes();
    Dims limits = starts;
    Dims strides = starts;
    for (int i = 0; i < starts.count(); i++) {
      long size = sizes().get(i);
      starts = starts.with(i, mostly(0, 0, size));
      limits = limits.with(i, mostly(size, starts.get(i), size));
      strides = strides.with(i, mostly(1, 1, size + 2));
    }
    return new SliceRanges(starts, limits, strides);
  }

  /** Padding of either sign, within and at the edges. */
  private PadConfig padding() {
    PadConfig config = PadConfig.none(sizes().count());
    for (int i = 0; i < sizes().count(); i++) {
      long step = mostly(0, 0, 3);
      long covered = sizes().get(i) + Math.max(0, sizes().get(i) - 1) * step;
      long low = mostly(0, -Math.min(covered, 3), 3);
      long high = mostly(0, -Math.min(covered + low, 3), 4);
      config = config.withDimension(i, low, Math.max(high, -(covered + low)), step);
    }
    return config;
  }

  /** Returns a window over an array: sizes, strides, padding of either sign, dilations. */
  static Window window(Choices choices, Dims base) {
    Dims[] all = new Dims[6];
    int[] least = {1, 1, -2, -2, 1, 1};
    int[] most = {4, 4, 3, 3, 3, 3};
    for (int of = 0; of < all.length; of++) {
      all[of] = Dims.filled(base.count(), least[of] > 0 ? 1 : 0);
      for (int i = 0; i < base.count(); i++) {
        long widest = of > 0 ? most[of] : Math.min(Math.max(1, base.get(i)), most[of]);
        boolean isPlain = choices.chance(of == 0 ? 3 : 2);
        all[of] = isPlain ? all[of] : all[of].with(i, choices.between(least[of], widest));
      }
    }
    ImmutableList<Boolean> reversal =
        base.stream().mapToObj(size -> choices.chance(6)).collect(toImmutableList());
    return new Window(all[0], all[1], all[2], all[3], all[4], all[5], reversal);
  }
}
