package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import java.math.BigInteger;
import java.util.stream.Collectors;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * Attribute values in custom forms, in which a keyword determines the type so that the text can
 * omit it.
 */
final class ValueText {
  private ValueText() {}

  static Attribute parse(OpParser parser, AttributeDefinition row) {
    return switch (row.kind()) {
      case INTS -> Attribute.DenseArray.i64(parser.integers());
      case I64 -> Attribute.Int.i64(parser.integer());
      case I32 -> new Attribute.Int(BigInteger.valueOf(parser.integer()), Types.I32);
      case WORD -> StructTable.word("stablehlo", row.parameter(), parser);
      case WORDS -> words(parser, row.parameter());
      case BOOL,
          F32,
          F64,
          STRING,
          SYMBOL,
          TYPE,
          DICT,
          DENSE,
          UNIT,
          BOOLS,
          PAIRS,
          ARRAY,
          STRUCT,
          ANY ->
          parser.attribute();
    };
  }

  static Attribute words(OpParser parser, String mnemonic) {
    parser.expect("[");
    ImmutableList.Builder<Attribute> words = ImmutableList.builder();
    if (!parser.eat("]")) {
      do {
        words.add(StructTable.word("stablehlo", mnemonic, parser));
      } while (parser.eat(","));
      parser.expect("]");
    }
    return new Attribute.Array(words.build());
  }

  static String print(Attribute value, AttributeDefinition row) {
    return switch (value) {
      case Attribute.DenseArray list when row.kind() == AttributeDefinition.Kind.INTS -> list(list);
      case Attribute.Int number
          when row.kind() == AttributeDefinition.Kind.I64
              || row.kind() == AttributeDefinition.Kind.I32 ->
          number.value().toString();
      case Attribute.Word word -> word.value();
      case Attribute.Array array when row.kind() == AttributeDefinition.Kind.WORDS -> words(array);
      case Attribute other -> other.toString();
    };
  }

  static String words(Attribute.Array array) {
    return array.elements().stream()
        .map(word -> ((Attribute.Word) word).value())
        .collect(Collectors.joining(", ", "[", "]"));
  }

  static String list(Attribute.DenseArray list) {
    return list.values().stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
  }
}
