package org.hlo4j.interpreter.library;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.linalg.Einsum;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** Einsum against loops over all indices. */
final class EinsumTest {
  /** Config, sizes of operands, and the config with a letter for each dimension of an ellipsis. */
  private static final List<List<String>> ROWS =
      List.of(
          List.of("ab,bc->ac", "2,3", "3,4", ""),
          List.of("ab,cb->ac", "2,3", "4,3", ""),
          List.of("ab,bc->ca", "2,3", "3,4", ""),
          List.of("ab,bc", "2,3", "3,4", "ab,bc->ac"),
          List.of("ba,bc", "3,2", "3,4", "ba,bc->ac"),
          List.of("a,a->", "4", "4", ""),
          List.of("a,b->ab", "4", "3", ""),
          List.of("a,a->a", "4", "4", ""),
          List.of(",a->a", "", "3", ""),
          List.of(",->", "", "", ""),
          List.of("abc,acd->abd", "2,3,4", "2,4,5", ""),
          List.of("abc,dca->bd", "2,3,4", "5,4,2", ""),
          List.of("ab,c->ac", "2,3", "4", ""),
          List.of("ab,cd->", "2,3", "4,2", ""),
          List.of("aa,a->a", "3,3", "3", ""),
          List.of("aab,bcc->ac", "2,2,3", "3,4,4", ""),
          List.of("aaa,a->a", "2,2,2", "2", ""),
          List.of("a,a->aa", "3", "3", ""),
          List.of("a,b->bab", "2", "3", ""),
          List.of("a,a->aaa", "2", "2", ""),
          List.of("...ab,...bc->...ac", "2,3,4", "2,4,5", "eab,ebc->eac"),
          List.of("...ab,...bc", "2,3,4", "2,4,5", "eab,ebc->eac"),
          List.of("...ab,bc->...ac", "2,3,3,4", "4,5", "efab,bc->efac"),
          List.of("...ab,...bc->...ac", "3,4", "2,4,5", "ab,ebc->eac"),
          List.of("a...,a->...", "3,2,2", "3", "aef,a->ef"),
          List.of("a...,b...->...ab", "3,2", "4,2", "ae,be->eab"),
          List.of("...,...->...", "2,3", "2,3", "ef,ef->ef"),
          List.of("...,...->", "2,3", "2,3", "ef,ef->"),
          List.of("ab,bc->ac", "2,1", "3,4", ""),
          List.of("ab,ab->ab", "2,1", "1,3", ""),
          List.of("...ab,...bc->...ac", "1,3,4", "2,4,5", "eab,ebc->eac"),
          List.of("ab,bc->ac", "2,0", "0,4", ""),
          List.of("ab,bc->ac", "0,3", "3,4", ""),
          List.of("aB,Bc->ac", "2,3", "3,4", ""));

  private static Literal literal(String sizes, int seed) {
    Dims dims =
        sizes.isEmpty()
            ? Dims.of()
            : Dims.of(Arrays.stream(sizes.split(",")).mapToLong(Long::parseLong).toArray());
    LiteralBuilder builder = new LiteralBuilder(Shape.of(ElementType.F64, dims));
    for (int i = 0; i < dims.product(); i++) {
      builder.setDouble(i, (i * 7 + seed) % 11 - 4);
    }
    return builder.build();
  }

  private static Literal einsum(String config, Literal... operands) {
    XlaBuilder b = new XlaBuilder("einsum");
    List<XlaOp> in = new ArrayList<>();
    for (Literal operand : operands) {
      in.add(b.parameter(in.size(), operand.shape(), "x" + in.size()));
    }
    XlaOp result =
        in.size() == 1
            ? Einsum.einsum(in.get(0), config)
            : Einsum.einsum(in.get(0), in.get(1), config);
    HloModule module = b.build(result);
    Verifier.strict().verify(module);
    return Evaluators.both().run(module, operands);
  }

  /** The sum over all values of all letters of the product of elements. */
  private static Literal loops(String config, Literal... operands) {
    String[] sides = config.split("->", -1);
    String[] inputs = sides[0].split(",", -1);
    Map<Character, Long> sizes = new LinkedHashMap<>();
    for (int i = 0; i < inputs.length; i++) {
      for (int d = 0; d < inputs[i].length(); d++) {
        long size = operands[i].arrayShape().size(d);
        sizes.merge(inputs[i].charAt(d), size, (one, other) -> one == 1 ? other : one);
      }
    }
    Dims outputSizes = Dims.of(sides[1].chars().mapToLong(c -> sizes.get((char) c)).toArray());
    double[] sums = new double[(int) outputSizes.product()];
    Map<Character, Long> index = new LinkedHashMap<>();
    loop(
        new ArrayList<>(sizes.keySet()),
        sizes,
        index,
        () -> {
          double product = 1;
          for (int i = 0; i < inputs.length; i++) {
            product *=
                operands[i].doubleAt(position(inputs[i], operands[i].arrayShape().sizes(), index));
          }
          sums[position(sides[1], outputSizes, index)] += product;
        });
    LiteralBuilder result = new LiteralBuilder(Shape.of(ElementType.F64, outputSizes));
    for (int i = 0; i < sums.length; i++) {
      result.setDouble(i, sums[i]);
    }
    return result.build();
  }

  private static void loop(
      List<Character> letters,
      Map<Character, Long> sizes,
      Map<Character, Long> index,
      Runnable body) {
    if (letters.isEmpty()) {
      body.run();
      return;
    }
    for (long i = 0; i < requireNonNull(sizes.get(letters.get(0))); i++) {
      index.put(letters.get(0), i);
      loop(letters.subList(1, letters.size()), sizes, index, body);
    }
  }

  private static int position(String letters, Dims sizes, Map<Character, Long> index) {
    long position = 0;
    for (int d = 0; d < letters.length(); d++) {
      long at = sizes.get(d) == 1 ? 0 : requireNonNull(index.get(letters.charAt(d)));
      position = position * sizes.get(d) + at;
    }
    return (int) position;
  }

  @Test
  void twoOperands() {
    for (List<String> row : ROWS) {
      Literal x = literal(row.get(1), 1);
      Literal y = literal(row.get(2), 5);
      String written = row.get(3).isEmpty() ? row.get(0) : row.get(3);
      assertWithMessage("%s", row).that(einsum(row.get(0), x, y)).isEqualTo(loops(written, x, y));
    }
  }

  @Test
  void oneOperand() {
    List<List<String>> rows =
        List.of(
            List.of("ab->ba", "2,3", ""),
            List.of("ba", "2,3", "ba->ab"),
            List.of("ab->a", "2,3", ""),
            List.of("ab->", "2,3", ""),
            List.of("aa->a", "3,3", ""),
            List.of("aa", "3,3", "aa->"),
            List.of("aa->", "3,3", ""),
            List.of("a->aa", "3", ""),
            List.of("aab->ba", "2,2,3", ""),
            List.of("abab->ab", "2,3,2,3", ""),
            List.of("...a->a...", "2,3,4", "efa->aef"),
            List.of("...ii->...i", "2,3,3", "eii->ei"),
            List.of("->", "", ""));
    for (List<String> row : rows) {
      Literal x = literal(row.get(1), 1);
      String written = row.get(2).isEmpty() ? row.get(0) : row.get(2);
      assertWithMessage("%s", row).that(einsum(row.get(0), x)).isEqualTo(loops(written, x));
    }
  }

  @Test
  void preferredElementType() {
    XlaBuilder b = new XlaBuilder("einsum");
    XlaOp x = b.parameter(0, Shape.of(ElementType.BF16, 2, 3), "x");
    XlaOp y = b.parameter(1, Shape.of(ElementType.BF16, 3, 4), "y");
    XlaOp result =
        Einsum.einsum(x, y, "ab,bc->ac", Dot.Precision.HIGHEST, Optional.of(ElementType.F32));
    assertThat(result.shape()).isEqualTo(Shape.of(ElementType.F32, 2, 4));
  }

  @Test
  void refused() {
    Map<List<String>, String> rows = new LinkedHashMap<>();
    rows.put(
        List.of("ab->a", "2,3", "3"), "einsum: got 1 operands in \"ab->a\", want 2: one comma");
    rows.put(
        List.of("a,b,c->a", "2", "3"), "einsum: got 3 operands in \"a,b,c->a\", want 2: one comma");
    rows.put(List.of("a,b->a->b", "2", "3"), "einsum: got \"a,b->a->b\", want \"->\" once at most");
    rows.put(
        List.of("a b,b->a", "2,3", "3"),
        "einsum: rank of x got 2, want 3 for \"a b\" of \"a b,b->a\"");
    rows.put(
        List.of("a1,b->a", "2,3", "3"),
        "einsum: got '1' in \"a1,b->a\", want letters, \"...\", \",\" and \"->\"");
    rows.put(
        List.of("a.,b->a", "2,3", "3"),
        "einsum: got '.' in \"a.,b->a\", want letters, \"...\", \",\" and \"->\"");
    rows.put(
        List.of("ab,b->a", "2,3,4", "3"),
        "einsum: rank of x got 3, want 2 for \"ab\" of \"ab,b->a\"");
    rows.put(
        List.of("ab,...bc->ac", "2,3", "3"),
        "einsum: rank of y got 1, want 2 at least for \"...bc\" of \"ab,...bc->ac\"");
    rows.put(
        List.of("......,b->b", "", "3"),
        "einsum: rank of x got 0, want 3 at least for \"......\" of \"......,b->b\"");
    rows.put(
        List.of("ab,b->ac", "2,3", "3"),
        "einsum: output label c of \"ab,b->ac\" got no operand that has it, want one");
    rows.put(
        List.of("ab,bc->ac", "2,3", "4,5"),
        "einsum: label b got sizes 3 and 4, want equal ones or 1");
    rows.put(
        List.of("aa,b->a", "2,3", "4"),
        "einsum: label a got sizes 2 and 3 in f64[2,3], want equal ones for a diagonal");
    rows.forEach((row, message) -> {
      HloException refusal =
          assertThrows(
              HloException.class,
              () -> einsum(row.get(0), literal(row.get(1), 1), literal(row.get(2), 1)));
      assertWithMessage("%s", row).that(refusal.summary()).isEqualTo(message);
    });
    HloException refusal =
        assertThrows(HloException.class, () -> einsum("a,b->a", literal("2", 1)));
    assertThat(refusal.summary())
        .isEqualTo("einsum: got \"a,b->a\" for one operand, want no comma");
  }
}
