package org.hlo4j.stablehlo.dialect;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The encoding of StableHLO's attributes and types in plain MLIR bytecode, as opposed to portable
 * artifacts.
 */
public final class StablehloEncoding implements DialectEncoding {
  /** The only instance. */
  public static final StablehloEncoding INSTANCE = new StablehloEncoding();

  private StablehloEncoding() {}

  @Override
  public Attribute attribute(EntryReader in) {
    int code = in.code();
    return switch (code) {
      case 1 ->
          new StructBuilder("channel_handle")
              .with("handle", in.signed())
              .with("type", in.signed())
              .build();
      case 2 -> EnumTable.read("stablehlo", "comparison_direction", in);
      case 3 -> EnumTable.read("stablehlo", "comparison_type", in);
      case 4 -> convolution(in);
      case 5 ->
          lists(
              in,
              "dot",
              "lhs_batching_dimensions",
              "rhs_batching_dimensions",
              "lhs_contracting_dimensions",
              "rhs_contracting_dimensions");
      case 6 -> EnumTable.read("stablehlo", "fft_type", in);
      case 7 ->
          lists(
              in,
              "gather",
              "offset_dims",
              "collapsed_slice_dims",
              "operand_batching_dims",
              "start_indices_batching_dims",
              "start_index_map");
      case 8 -> EnumTable.read("stablehlo", "precision", in);
      case 9 -> EnumTable.read("stablehlo", "rng_algorithm", in);
      case 10 -> EnumTable.read("stablehlo", "rng_distribution", in);
      case 11 ->
          lists(
              in,
              "scatter",
              "update_window_dims",
              "inserted_window_dims",
              "input_batching_dims",
              "scatter_indices_batching_dims",
              "scatter_dims_to_operand_dims");
      case 12 -> EnumTable.read("stablehlo", "transpose", in);
      case 13 -> bounds(in);
      case 14 -> outputOperandAlias(in);
      case 15 -> algorithm(in);
      case 16 -> EnumTable.read("stablehlo", "result_accuracy_mode", in);
      case 17 -> resultAccuracy(in);
      default -> mesh(code, in);
    };
  }

  /** Reads a struct that describes groups of devices by axes of a mesh. */
  private static Attribute mesh(int code, EntryReader in) {
    return switch (code) {
      case 18 ->
          new StructBuilder("replica_group_mesh_axes")
              .with("mesh", in.attribute())
              .with("axes", new Attribute.Array(in.attributes()))
              .build();
      case 19 ->
          new StructBuilder("sub_axis_info")
              .with("pre_size", in.signed())
              .with("size", in.signed())
              .build();
      case 20 -> {
        StructBuilder form =
            new StructBuilder("axis_ref").with("name", new Attribute.Str(in.string()));
        yield in.bool() ? form.with("sub_axis_info", in.attribute()).build() : form.build();
      }
      case 21 ->
          new StructBuilder("mesh_axis")
              .with("name", new Attribute.Str(in.string()))
              .with("size", in.signed())
              .build();
      case 22 -> {
        StructBuilder form = new StructBuilder("mesh").with("axes", in.attribute());
        yield in.bool() ? form.with("device_ids", in.attribute()).build() : form.build();
      }
      default -> throw in.refusal("got code %s of StableHLO, which is not known", code);
    };
  }

  /**
   * Reads lists of dimensions. In gather and scatter they are followed by the dimension of the
   * index vector.
   */
  private static Attribute lists(EntryReader in, String mnemonic, String... names) {
    StructBuilder form = new StructBuilder(mnemonic);
    for (String name : names) {
      form.with(name, in.signedList());
    }
    return mnemonic.equals("dot")
        ? form.build()
        : form.with("index_vector_dim", in.signed()).build();
  }

  private static Attribute convolution(EntryReader in) {
    return new StructBuilder("conv")
        .with("input_batch_dimension", in.signed())
        .with("input_feature_dimension", in.signed())
        .with("input_spatial_dimensions", in.signedList())
        .with("kernel_input_feature_dimension", in.signed())
        .with("kernel_output_feature_dimension", in.signed())
        .with("kernel_spatial_dimensions", in.signedList())
        .with("output_batch_dimension", in.signed())
        .with("output_feature_dimension", in.signed())
        .with("output_spatial_dimensions", in.signedList())
        .build();
  }

  private static Attribute algorithm(EntryReader in) {
    return new StructBuilder("dot_algorithm")
        .with("lhs_precision_type", new Attribute.OfType(in.type()))
        .with("rhs_precision_type", new Attribute.OfType(in.type()))
        .with("accumulation_type", new Attribute.OfType(in.type()))
        .with("lhs_component_count", in.signed())
        .with("rhs_component_count", in.signed())
        .with("num_primitive_operations", in.signed())
        .with("allow_imprecise_accumulation", Attribute.Int.bool(in.bool()))
        .build();
  }

  /**
   * {@return the bounds of dynamic dimensions}
   *
   * @param in the bytes to read
   */
  public static Attribute bounds(EntryReader in) {
    return new StructBuilder("bounds").with("bounds", in.sizes()).build();
  }

  /**
   * {@return the alias of a result of a custom call and one of its operands}
   *
   * @param in the bytes to read
   */
  public static Attribute outputOperandAlias(EntryReader in) {
    return new StructBuilder("output_operand_alias")
        .with("output_tuple_indices", in.signedList())
        .with("operand_index", in.signed())
        .with("operand_tuple_indices", in.signedList())
        .build();
  }

  /**
   * {@return the required accuracy of a result}
   *
   * @param in the bytes to read
   */
  public static Attribute resultAccuracy(EntryReader in) {
    return new StructBuilder("result_accuracy")
        .with("atol", new Attribute.Floating(in.doubleValue(), Types.F64))
        .with("rtol", new Attribute.Floating(in.doubleValue(), Types.F64))
        .with("ulps", in.signed())
        .with("mode", in.attribute())
        .build();
  }

  @Override
  public Type type(EntryReader in) {
    int code = in.code();
    return switch (code) {
      case 0 -> Type.TOKEN;
      case 1 -> future(in.types());
      default -> throw in.refusal("got type %s of StableHLO, which is not known", code);
    };
  }

  /**
   * {@return the type of the future of an asynchronous operation}
   *
   * @param types the types of the operation's results
   */
  public static Type future(List<Type> types) {
    String body = types.stream().map(Type::toString).collect(joining(", "));
    return new Type.Dialect("stablehlo", "future", body);
  }

  /** {@return the encoding of CHLO's enumerations} */
  static DialectEncoding chlo() {
    return new DialectEncoding() {
      @Override
      public Attribute attribute(EntryReader in) {
        int code = in.code();
        return switch (code) {
          case 0 -> EnumTable.read("chlo", "comparison_direction", in);
          case 1 -> EnumTable.read("chlo", "comparison_type", in);
          default -> throw in.refusal("got code %s of CHLO, which is not known", code);
        };
      }

      @Override
      public Type type(EntryReader in) {
        throw in.refusal("got a type of CHLO, which has none");
      }
    };
  }

  /** {@return the encoding of quantized types} */
  static DialectEncoding quantized() {
    return new DialectEncoding() {
      @Override
      public Attribute attribute(EntryReader in) {
        throw in.refusal("got an attribute of the dialect quant, which has none");
      }

      @Override
      public Type type(EntryReader in) {
        int code = in.code();
        return switch (code) {
          case 3 -> perTensor(in);
          case 4 -> perAxis(in);
          default -> throw in.refusal("got quantised type %s, want a uniform one", code);
        };
      }
    };
  }

  /**
   * {@return a quantised type with one scale}
   *
   * @param in the bytes to read
   */
  public static Type perTensor(EntryReader in) {
    long flags = in.varint();
    Type.Int storage = storage(in.type(), flags, in);
    Type expressed = in.type();
    double scale = in.doubleValue();
    long zero = in.signed();
    long min = in.signed();
    long max = in.signed();
    return valid(
        in,
        () ->
            new Type.Quantized(
                storage,
                expressed,
                min,
                max,
                OptionalInt.empty(),
                ImmutableList.of(scale),
                ImmutableList.of(zero)));
  }

  /**
   * {@return a quantized type with a scale for each index of a dimension}
   *
   * @param in the bytes to read
   */
  public static Type perAxis(EntryReader in) {
    long flags = in.varint();
    Type.Int storage = storage(in.type(), flags, in);
    Type expressed = in.type();
    int axis = in.code();
    long min = in.signed();
    long max = in.signed();
    ImmutableList<Double> scales = in.list(in::doubleValue);
    ImmutableList<Long> zeros = in.signedList();
    return valid(
        in,
        () ->
            new Type.Quantized(storage, expressed, min, max, OptionalInt.of(axis), scales, zeros));
  }

  private static Type valid(EntryReader in, Supplier<Type> type) {
    try {
      return type.get();
    } catch (HloException refusal) {
      throw in.refusal("%s", refusal.summary());
    }
  }

  /** Returns the storage type; a separate flag says whether it is signed. */
  private static Type.Int storage(Type type, long flags, EntryReader in) {
    Optional<Type.Int> integer =
        type instanceof Type.Int number ? Optional.of(number) : Optional.empty();
    int width = integer.orElseThrow(() -> in.refusal("got storage type %s", type)).width();
    return new Type.Int(
        width, (flags & 1) != 0 ? Type.Signedness.SIGNLESS : Type.Signedness.UNSIGNED);
  }
}
