package org.hlo4j.stablehlo.vhlo;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.List;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.dialect.Tables;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * A type without parameters in portable artifacts: a row of {@code vhlo.types}.
 *
 * @param code its code
 * @param since the first version that has it
 * @param type the type
 */
record VhloType(int code, Version since, Type type) {
  private static final ImmutableList<VhloType> ALL =
      Tables.rows("vhlo.types").map(VhloType::parse).collect(toImmutableList());

  static final ImmutableMap<Integer, VhloType> BY_CODE = Maps.uniqueIndex(ALL, VhloType::code);
  static final ImmutableMap<Type, VhloType> BY_TYPE = Maps.uniqueIndex(ALL, VhloType::type);

  private static VhloType parse(List<String> words) {
    return new VhloType(
        Integer.parseInt(words.get(0)),
        Version.parse(words.get(1)),
        MlirParser.type(words.get(2), StandardDialects.INSTANCE));
  }
}
