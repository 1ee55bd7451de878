package org.hlo4j.stablehlo.vhlo;

import java.util.Optional;
import org.hlo4j.stablehlo.dialect.StablehloEncoding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.Type;

/** The encoding of attributes and types in portable artifacts, which are read as StableHLO's. */
final class VhloEncoding {
  static final DialectEncoding INSTANCE =
      new DialectEncoding(VhloEncoding::attribute, VhloEncoding::type);

  private VhloEncoding() {}

  private static Attribute attribute(int code, EntryReader in) {
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

  private static Type type(int code, EntryReader in) {
    VhloType simple = VhloType.BY_CODE.get(code);
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
