package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The result of a sample does not depend on its batch: the sums of the first samples of a batch
 * have the same bits as those of a batch of them alone. N is the number of samples, K the number of
 * terms of a sum. The one exception is a single sample whose terms become contiguous, as in {@code
 * [K,1]} reduced over K.
 */
final class SummationOrderTest {
  private static final ImmutableList<Integer> BATCHES =
      Boolean.getBoolean("hlo4j.test.order")
          ? ImmutableList.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 24, 31)
          : ImmutableList.of(1, 7, 10);
  private static final Evaluator ONE_THREAD = evaluator(1);
  private static final Evaluator THREADS = evaluator(3);

  private static Evaluator evaluator(int threads) {
    return Interpreter.compiled(EvaluatorOptions.builder().threads(threads).build());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
"""
f64 | along the innermost dimension  | [N,K]    | 3 16 23 24 33 257 1000 15361 140000 | ROOT r = T[N] reduce(x, z), dimensions={1}, to_apply=add
          f64 | with an initial value          | [N,K]    | 7 24 300 15361 | ROOT r = T[N] reduce(x, three), dimensions={1}, to_apply=add
          f64 | down the columns               | [K,N]    | 7 256 257 264 1000 9000 140000 | ROOT r = T[N] reduce(x, z), dimensions={0}, to_apply=add
          f64 | down the columns from a value  | [K,N]    | 7 300 9000 | ROOT r = T[N] reduce(x, three), dimensions={0}, to_apply=add
          f64 | wide columns                   | [K,N,40] | 64 300 1100 | ROOT r = T[N,40] reduce(x, z), dimensions={0}, to_apply=add
          f64 | in the middle                  | [N,K,3]  | 3 23 100 257 1000 9001 | ROOT r = T[N,3] reduce(x, z), dimensions={1}, to_apply=add
          f64 | over two dimensions            | [N,K,3]  | 3 8 23 100 1000 | ROOT r = T[N] reduce(x, z), dimensions={1,2}, to_apply=add
          f64 | around the samples             | [4,N,K]  | 3 23 33 130 1000 | ROOT r = T[N] reduce(x, z), dimensions={0,2}, to_apply=add
          f64 | of a value used again          | [N,K]    | 3 23 24 100 257 2049 | s = T[N] reduce(x, z), dimensions={1}, to_apply=add b = T[N,K] broadcast(s), dimensions={0} ROOT r = T[N,K] subtract(x, b)
          f64 | of a column used again         | [K,N]    | 7 100 257 2049 | s = T[N] reduce(x, z), dimensions={0}, to_apply=add b = T[K,N] broadcast(s), dimensions={1} ROOT r = T[K,N] subtract(x, b)
          f64 | of exponentials                | [N,K]    | 3 16 24 33 100 257 2049 15361 140000 | a = T[N,K] abs(x) m = T[N,K] negate(a) e = T[N,K] exponential(m) ROOT r = T[N] reduce(e, z), dimensions={1}, to_apply=add
          f64 | of exponentials in columns     | [K,N]    | 7 100 257 1000 9000 | a = T[K,N] abs(x) m = T[K,N] negate(a) e = T[K,N] exponential(m) ROOT r = T[N] reduce(e, z), dimensions={0}, to_apply=add
          f64 | of squares in columns          | [K,N]    | 7 257 1000 9000 | e = T[K,N] multiply(x, x) ROOT r = T[N] reduce(e, z), dimensions={0}, to_apply=add
          f64 | of a transpose                 | [K,N]    | 7 23 24 100 257 1000 | t = T[N,K] transpose(x), dimensions={1,0} ROOT r = T[N] reduce(t, z), dimensions={1}, to_apply=add
          f64 | of a transpose used again     | [K,N]    | 20 100 130 256 257 | t = T[N,K] transpose(x), dimensions={1,0} s = T[N] reduce(t, z), dimensions={1}, to_apply=add b = T[N,K] broadcast(s), dimensions={0} ROOT r = T[N,K] subtract(t, b)
          f64 | of a slice used again         | [N,K]    | 20 130 200 400 | t = T[N,K] slice(x), slice={[0:N], [0:K]} s = T[N] reduce(t, z), dimensions={1}, to_apply=add b = T[N,K] broadcast(s), dimensions={0} ROOT r = T[N,K] subtract(t, b)
          f64 | of a reverse used again       | [N,K]    | 20 100 130 200 400 | t = T[N,K] reverse(x), dimensions={1} s = T[N] reduce(t, z), dimensions={1}, to_apply=add b = T[N,K] broadcast(s), dimensions={0} ROOT r = T[N,K] subtract(t, b)
          f64 | of a softmax in the middle     | [N,K,5]  | 7 100 257 700 | a = T[N,K,5] abs(x) m = T[N,K,5] negate(a) e = T[N,K,5] exponential(m) s = T[N,5] reduce(e, z), dimensions={1}, to_apply=add b = T[N,K,5] broadcast(s), dimensions={0,2} ROOT r = T[N,K,5] divide(e, b)
          f64 | of a window                    | [N,K]    | 7 33 300 | ROOT r = T[N,K] reduce-window(x, z), window={size=1xK pad=0_0xL_0}, to_apply=add
          f32 | of exponentials                | [N,K]    | 24 33 257 15361 | a = T[N,K] abs(x) m = T[N,K] negate(a) e = T[N,K] exponential(m) ROOT r = T[N] reduce(e, z), dimensions={1}, to_apply=add
          bf16 | along the innermost dimension  | [N,K]    | 24 257 | ROOT r = T[N] reduce(x, z), dimensions={1}, to_apply=add
          c64 | along the innermost dimension  | [N,K]    | 24 257 2049 | ROOT r = T[N] reduce(x, z), dimensions={1}, to_apply=add
          c64 | down the columns               | [K,N]    | 24 257 2049 | ROOT r = T[N] reduce(x, z), dimensions={0}, to_apply=add
""")
  void sampleDoesNotDependOnItsBatch(
      String type, String what, String shape, String sizes, String sums) {
    String text = ("x = T" + shape + " parameter(0) " + sums).replace("T[", type + "[");
    for (String size : Nightly.some(3, text, Splitter.on(' ').splitToList(sizes))) {
      int k = Integer.parseInt(size);
      int batch = k > 10_000 ? 12 : 40;
      Literal all = run(THREADS, text, batch, k);
      for (int n : BATCHES) {
        if (n < batch && (n > 1 || shape.startsWith("[N"))) {
          Literal part = run(n % 2 == 0 ? ONE_THREAD : THREADS, text, n, k);
          int outer = sums.contains("ROOT r = T[K") ? k : 1;
          check(type + " " + what + ", n=" + n + ", k=" + k, part, all, outer, n, batch);
        }
      }
    }
  }

  /** Checks that the elements of the first samples are equal. */
  private static void check(
      String what, Literal part, Literal all, int outer, int samples, int batch) {
    int parts = ((Shape.Array) part.shape()).elementType().isComplex() ? 2 : 1;
    int inner = part.elementCount() * parts / samples / outer;
    for (int k = 0; k < outer; k++) {
      for (int i = 0; i < samples * inner; i++) {
        long got = part.bitsAt(k * samples * inner + i);
        long want = all.bitsAt(k * batch * inner + i);
        assertWithMessage("%s, element %s", what, i).that(got).isEqualTo(want);
      }
    }
  }

  private static Literal run(Evaluator evaluator, String text, int n, int k) {
    String sized =
        text.replaceAll("(?<=[\\[,])N(?=[\\],])", "" + n)
            .replaceAll("(?<=[\\[,x])K(?=[\\], ])", "" + k)
            .replace("L_0", k - 1 + "_0")
            .replace("0:N", "0:" + n)
            .replace("0:K", "0:" + k);
    String type = text.substring(4, text.indexOf('['));
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] add(a, b) }
            ENTRY e { z = T[] constant(ZERO) three = T[] constant(THREE) %s }
            """
                .replace("T[", type + "[")
                .replace("ZERO", type.startsWith("c") ? "(0, 0)" : "0")
                .replace("THREE", type.startsWith("c") ? "(0.3, 0)" : "0.3")
                .formatted(sized));
    Shape.Array shape = (Shape.Array) module.entry().parameters().get(0).shape();
    String before = text.substring(text.indexOf('[') + 1, text.indexOf('N'));
    int outer = before.isEmpty() ? 1 : before.startsWith("K") ? k : 4;
    return evaluator.run(module, samples((Shape.Array) shape.withoutLayout(), n, outer));
  }

  /** {@return an array of which each element depends on its sample and its place in the sample} */
  private static Literal samples(Shape.Array shape, int n, int outer) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    int parts = shape.elementType().isComplex() ? 2 : 1;
    int inner = (int) (shape.elementCount() * parts / n / outer);
    ElementType type = shape.elementType().componentType();
    for (int i = 0; i < shape.elementCount() * parts; i++) {
      long sample = i / inner % n;
      long place = (long) i / inner / n * inner + i % inner;
      long bits = (sample * 1_000_003 + place + 1) * 0x9E3779B97F4A7C15L;
      bits = (bits ^ bits >>> 32) * 0xD6E8FEB86659FD93L;
      double value = Math.scalb((double) (bits >> 11), (int) (bits & 7) - 52);
      literal.setBits(i, type.encode(type.round(value)));
    }
    return literal.build();
  }
}
