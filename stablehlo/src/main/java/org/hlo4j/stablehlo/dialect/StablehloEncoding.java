package org.hlo4j.stablehlo.dialect;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableBiMap;
import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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
public final class StablehloEncoding {
  static final DialectEncoding STABLEHLO =
      new DialectEncoding(
          (code, in) ->
              attribute(false, code, in)
                  .orElseThrow(
                      () -> in.refusal("got code %s of StableHLO, which is not known", code)),
          StablehloEncoding::type);

  static final DialectEncoding CHLO =
      new DialectEncoding(
          (code, in) ->
              switch (code) {
                case 0 -> StructTable.word("chlo", "comparison_direction", in);
                case 1 -> StructTable.word("chlo", "comparison_type", in);
                default -> throw in.refusal("got code %s of CHLO, which is not known", code);
              },
          (code, in) -> {
            throw in.refusal("got a type of CHLO, which has none");
          });

  static final DialectEncoding QUANT =
      new DialectEncoding(
          (code, in) -> {
            throw in.refusal("got an attribute of the dialect quant, which has none");
          },
          (code, in) ->
              switch (code) {
                case 3 -> quantized(false, in);
                case 4 -> quantized(true, in);
                default -> throw in.refusal("got quantized type %s, want a uniform one", code);
              });

  private StablehloEncoding() {}

  /**
   * {@return the value of an enumeration or struct; empty if none has this code}
   *
   * @param isArtifact whether the encoding is that of portable artifacts
   * @param code its code
   * @param in the bytes to read
   */
  public static Optional<Attribute> attribute(boolean isArtifact, int code, EntryReader in) {
    ImmutableBiMap<String, Integer> codes =
        isArtifact ? StructTable.ARTIFACT_CODES : StructTable.CODES;
    String mnemonic = codes.inverse().get(code);
    if (mnemonic == null) {
      return Optional.empty();
    }
    if (StructTable.isEnum(mnemonic)) {
      return Optional.of(StructTable.word("stablehlo", mnemonic, in));
    }
    Map<String, Attribute> fields = new HashMap<>();
    for (AttributeDefinition field : StructTable.fields(mnemonic).values()) {
      (field.isOptional()
              ? optional(field, in, isArtifact)
              : Optional.of(field(field, in, isArtifact)))
          .ifPresent(value -> fields.put(field.name(), value));
    }
    return Optional.of(StructTable.struct(mnemonic, fields));
  }

  private static Optional<Attribute> optional(
      AttributeDefinition field, EntryReader in, boolean isArtifact) {
    if (isArtifact && field.kind() == AttributeDefinition.Kind.DENSE) {
      return in.optionalAttribute();
    }
    boolean isPresent = isArtifact ? in.varint() != 0 : in.bool();
    return isPresent ? Optional.of(in.attribute()) : Optional.empty();
  }

  /** Reads a field; strings and lists of artifacts are attributes, and so is a symbol's name. */
  private static Attribute field(AttributeDefinition field, EntryReader in, boolean isArtifact) {
    return switch (field.kind()) {
      case INTS ->
          Attribute.DenseArray.i64(field.name().equals("bounds") ? in.sizes() : in.signedList());
      case I64 -> Attribute.Int.i64(in.signed());
      case F64 -> new Attribute.Floating(in.doubleValue(), Types.F64);
      case BOOL -> Attribute.Int.bool(in.bool());
      case TYPE -> new Attribute.OfType(in.type());
      case STRING -> isArtifact ? in.attribute() : new Attribute.Str(in.string());
      case ARRAY -> isArtifact ? in.attribute() : new Attribute.Array(in.attributes());
      default -> symbolOrOther(in.attribute(), isArtifact);
    };
  }

  private static Attribute symbolOrOther(Attribute value, boolean isArtifact) {
    return isArtifact && value instanceof Attribute.Str name
        ? Attribute.Symbol.of(name.value())
        : value;
  }

  private static Type type(int code, EntryReader in) {
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

  /**
   * {@return a quantized type}
   *
   * @param isPerAxis whether it has a scale for each index of a dimension
   * @param in the bytes to read
   */
  public static Type quantized(boolean isPerAxis, EntryReader in) {
    long flags = in.varint();
    Type.Int storage = storage(in.type(), flags, in);
    Type expressed = in.type();
    OptionalInt axis = isPerAxis ? OptionalInt.of(in.code()) : OptionalInt.empty();
    double scale = isPerAxis ? 0 : in.doubleValue();
    long zero = isPerAxis ? 0 : in.signed();
    long min = in.signed();
    long max = in.signed();
    ImmutableList<Double> scales = isPerAxis ? in.list(in::doubleValue) : ImmutableList.of(scale);
    ImmutableList<Long> zeros = isPerAxis ? in.signedList() : ImmutableList.of(zero);
    try {
      return new Type.Quantized(storage, expressed, min, max, axis, scales, zeros);
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
