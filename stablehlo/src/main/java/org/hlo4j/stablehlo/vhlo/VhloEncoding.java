package org.hlo4j.stablehlo.vhlo;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import org.hlo4j.stablehlo.dialect.StablehloEncoding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** The encoding of attributes and types in portable artifacts, which are read as StableHLO's. */
final class VhloEncoding implements DialectEncoding {
  static final VhloEncoding INSTANCE = new VhloEncoding();

  /** The types without parameters by their codes, and the first version that has each. */
  static final ImmutableMap<Integer, VhloType> TYPES =
      ImmutableMap.<Integer, VhloType>builder()
          .put(0, VhloType.of(Types.I1, 0, 9))
          .put(2, VhloType.floating("bf16", 0, 9))
          .put(3, VhloType.floating("f16", 0, 9))
          .put(4, VhloType.floating("f32", 0, 9))
          .put(5, VhloType.floating("f64", 0, 9))
          .put(6, VhloType.floating("f8E4M3FN", 0, 9))
          .put(7, VhloType.floating("f8E5M2", 0, 9))
          .put(9, VhloType.of(Type.Simple.INDEX, 0, 9))
          .put(10, VhloType.signed(4, 0, 9))
          .put(11, VhloType.signed(8, 0, 9))
          .put(12, VhloType.signed(16, 0, 9))
          .put(13, VhloType.signed(32, 0, 9))
          .put(14, VhloType.signed(64, 0, 9))
          .put(15, VhloType.unsigned(4, 0, 9))
          .put(16, VhloType.unsigned(8, 0, 9))
          .put(17, VhloType.unsigned(16, 0, 9))
          .put(18, VhloType.unsigned(32, 0, 9))
          .put(19, VhloType.unsigned(64, 0, 9))
          .put(22, VhloType.of(Type.TOKEN, 0, 9))
          .put(26, VhloType.of(new Type.Dialect("shape", "witness", ""), 0, 9))
          .put(27, VhloType.floating("f8E4M3FNUZ", 0, 10))
          .put(28, VhloType.floating("f8E5M2FNUZ", 0, 10))
          .put(29, VhloType.floating("f8E4M3B11FNUZ", 0, 11))
          .put(31, VhloType.signed(2, 1, 2))
          .put(32, VhloType.unsigned(2, 1, 2))
          .put(33, VhloType.of(Type.Simple.NONE, 1, 6))
          .put(34, VhloType.floating("tf32", 1, 6))
          .put(35, VhloType.floating("f8E4M3", 1, 7))
          .put(36, VhloType.floating("f8E3M4", 1, 7))
          .put(37, VhloType.floating("f4E2M1FN", 1, 8))
          .put(38, VhloType.floating("f6E2M3FN", 1, 8))
          .put(39, VhloType.floating("f6E3M2FN", 1, 8))
          .put(40, VhloType.floating("f8E8M0FNU", 1, 8))
          .buildOrThrow();

  private VhloEncoding() {}

  @Override
  public Attribute attribute(EntryReader in) {
    int code = in.code();
    return switch (code) {
      case 1 -> new Attribute.Array(in.attributes());
      case 2 -> Attribute.Int.bool(in.varint() != 0);
      case 5 -> Attribute.Int.i32(in.code());
      case 6 -> in.dictionary();
      case 8 -> in.number(in.type());
      case 9 -> in.integer(in.type());
      case 14 -> new Attribute.Str(in.string());
      case 15 -> in.dense(in.type());
      case 17 -> new Attribute.OfType(in.type());
      default ->
          StablehloEncoding.attribute(true, code, in)
              .orElseThrow(
                  () -> in.refusal("got attribute %s of an artifact, which is not known", code));
    };
  }

  @Override
  public Type type(EntryReader in) {
    int code = in.code();
    VhloType simple = TYPES.get(code);
    if (simple != null) {
      return simple.type();
    }
    return switch (code) {
      case 1 -> new Type.Complex(in.type());
      case 8 -> new Type.Function(in.types(), in.types());
      case 20 -> new Type.Tensor(in.sizes(), in.type(), Optional.empty());
      case 21 -> in.encodedTensor();
      case 23 -> new Type.Tuple(in.types());
      case 24 -> StablehloEncoding.quantized(false, in);
      case 25 -> new Type.UnrankedTensor(in.type());
      case 30 -> StablehloEncoding.quantized(true, in);
      case 41 -> new Type.MemRef(in.sizes(), in.type());
      case 42 -> StablehloEncoding.future(in.types());
      default -> throw in.refusal("got type %s of an artifact, which is not known", code);
    };
  }
}
