package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each op on each element type means the same in StableHLO: on the extremes of the type, a program
 * gives the same bits after a round trip through text, and after a second one, from StableHLO to
 * HLO and back; of one type also through an artifact; or its export is refused. At night all
 * programs are tried on all types, otherwise half of those of one type, and of two types those that
 * are a multiple of 4 apart.
 */
class ExportTypesTest {
  /** Programs of an element type T, and of each other one, U. A program may not fit all types. */
  private static final String PROGRAMS =
      """
      U[64] convert(x)
      U[64] bitcast-convert(x)
      U[64,T/U] bitcast-convert(x)
      U[64/(U/T)] bitcast-convert(groups)
      U[64*T/U] bitcast(x)
      s8[64] stochastic-convert(x, random)
      f32[8,8] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      s32[8,8] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      (u64[2], T[9]) rng-bit-generator(state), algorithm=rng_philox
      clamp(x, y, z)
      clamp(s, x, s)
      select(p, x, y)
      select(q, x, y)
      T[64] reduce-precision(x), exponent_bits=3, mantissa_bits=2
      T[64] reduce-precision(x), exponent_bits=8, mantissa_bits=0
      T[64] reduce-precision(x), exponent_bits=20, mantissa_bits=60
      T[2,32] iota(), iota_dimension=1
      T[64] copy(x)
      T[8,8] transpose(m), dimensions={1,0}
      reverse(m), dimensions={1}
      T[2,8] slice(m), slice={[1:7:3],[0:8]}
      pad(m, s), padding=-1_2_1x1_0
      concatenate(m, m), dimensions={1}
      T[3,64] broadcast(x), dimensions={1}
      T[8,8]{0,1} bitcast(m)
      reduce(m, s), dimensions={1}, to_apply=add
      reduce(m, s), dimensions={0}, to_apply=last
      reduce-window(m, s), window={size=2x3 stride=1x2 pad=1_0x1_1 rhs_dilate=2x1}, to_apply=add
      map(x, y), dimensions={0}, to_apply=less
      sort(m), dimensions={1}, is_stable=true, to_apply=less
      sort(m), dimensions={0}, is_stable=false, to_apply=total
      all-reduce(m), replica_groups={}, to_apply=add
      T[8,8] select-and-scatter(m, m, s), window={size=1x1}, select=less, scatter=add
      (T[8,8], T[8]) scan(m, row), dimensions={0}, num_carries=1, to_apply=both
      (T[8,3], s32[8,3]) topk(m), k=3, largest=true
      (T[8,3], s32[8,3]) topk(m), k=3, largest=false
      dot(m, m), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={high,highest}
      convolution(image, kernel), window={size=2x2 stride=2x1 pad=1_0x0_1 rhs_reversal=1x0}, \
      dim_labels=b01f_01io->bf01, feature_group_count=2
      get-dimension-size(m), dimensions={1}
      """;

  /** Programs whose indices are of type U. */
  private static final String OF_INDICES =
      """
      T[3,8] dynamic-slice(m, i, i), dynamic_slice_sizes={3,8}
      dynamic-update-slice(m, m, i, i)
      T[8,8] gather(m, many), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, \
      index_vector_dim=1, slice_sizes={1,8}
      scatter(x, many, row), update_window_dims={}, inserted_window_dims={0}, \
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last
      """;

  /** What programs apply, a line each. */
  private static final String COMPUTATIONS =
      """
      add { a = T[] parameter(0)  b = T[] parameter(1)  ROOT r = T[] add(a, b) }
      last { a = T[] parameter(0)  ROOT b = T[] parameter(1) }
      less { a = T[] parameter(0)  b = T[] parameter(1)  ROOT r = compare(a, b), direction=LT }
      total { a = T[] parameter(0)  b = T[] parameter(1) \
      ROOT r = compare(a, b), direction=GT, type=TOTALORDER }
      both { a = T[8] parameter(0)  b = T[8] parameter(1)  c = T[8] add(a, b) \
      ROOT r = (T[8], T[8]) tuple(c, b) }
      """;

  private static final String PARAMETERS =
      """
      ENTRY e {
        x = T[64] parameter(0)
        y = T[64] parameter(1)
        z = T[64] parameter(2)
        s = T[] parameter(3)
        p = pred[64] parameter(4)
        q = pred[] parameter(5)
        i = U[] parameter(6)
        many = U[8] parameter(7)
        random = uBITS[64] parameter(8)
      """;

  /** What programs use beside the parameters, a value on each line. */
  private static final String VALUES =
      """
      state = u64[2] constant({7, 8})
      m = T[8,8] reshape(x)
      groups = T[64/(U/T),U/T] reshape(x)
      row = T[8] slice(y), slice={[8:16]}
      image = T[2,4,2,4] reshape(x)
      kernel = T[2,2,2,4] pad(image, s), padding=0_0x0_-2x0_0x0_0
      """;

  /** What StableHLO has not, and CHLO that artifacts have not. */
  private static final Pattern REFUSAL =
      Pattern.compile(
          "|StableHLO has no counterpart of (stochastic-convert %r|.* \\(of [su]1\\).*"
              + "|bitcast %r \\(from c64 to c128\\)|bitcast %r \\(from c128 to c64\\))"
              + "|portable artifacts have no operation chlo.scan");

  private static final List<ElementType> TYPES = List.of(ElementType.values());
  private static final boolean ALL = Nightly.isOn();

  private static final Evaluator REFERENCE = Interpreter.reference();

  /** Returns the programs of an element type and another one that are tried. */
  private static List<String> tried(ElementType type, ElementType other) {
    List<String> all = programs(type, other).toList();
    if (ALL) {
      return all;
    } else if (type == other) {
      return IntStream.range(0, all.size())
          .filter(i -> (i + TYPES.indexOf(type)) % 6 == 0)
          .mapToObj(all::get)
          .toList();
    }
    return (TYPES.indexOf(type) - TYPES.indexOf(other)) % 12 == 0 ? all : List.of();
  }

  /** The programs of an element type and another one. */
  private static Stream<String> programs(ElementType type, ElementType other) {
    Stream<String> all = Stream.empty();
    if (type == other) {
      all = Stream.concat(all, lines(PROGRAMS).filter(line -> !line.contains("U[")));
      all = Stream.concat(all, ofKinds(type));
    }
    all = Stream.concat(all, lines(PROGRAMS).filter(line -> line.contains("U[")));
    boolean isIndex = other.isIntegral() && Set.of(4, 8, 64).contains(other.bits());
    return isIndex ? Stream.concat(all, lines(OF_INDICES)) : all;
  }

  private static Stream<String> lines(String text) {
    return Splitter.on('\n').omitEmptyStrings().splitToStream(text);
  }

  private static Stream<String> ofKinds(ElementType type) {
    Stream<String> kinds =
        Arrays.stream(Elementwise.Kind.values())
            .map(kind -> kind.mnemonic() + (kind.arity() == 1 ? "(x)" : "(x, y)"));
    Stream<String> comparisons =
        Stream.of("EQ", "NE", "GE", "GT", "LE", "LT")
            .flatMap(direction ->
                Stream.of("", ", type=TOTALORDER")
                    .map(order -> "compare(x, y), direction=" + direction + order));
    Stream<String> algorithms =
        Arrays.stream(DotAlgorithm.values())
            .filter(any -> type.isFloating())
            .map(each ->
                "f32[8,8] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm="
                    + each);
    return Stream.of(kinds, comparisons, algorithms).flatMap(each -> each);
  }

  /** Returns the module; empty if the program does not fit the types. */
  private static Optional<HloModule> module(String program, ElementType type, ElementType other) {
    int wide = BitcastConvert.width(type);
    int narrow = BitcastConvert.width(other);
    int split = Math.max(1, wide / narrow);
    int joined = Math.max(1, narrow / wide);
    String text =
        (applied(program) + PARAMETERS + used(program) + "ROOT r = " + program + " }")
            .replace("64/(U/T)", String.valueOf(64 / joined))
            .replace(",U/T]", "," + joined + "]")
            .replace("64*T/U", String.valueOf(64 * wide / narrow))
            .replace("64,T/U", "64," + split)
            .replace("uBITS", type.isFloating() ? "u" + type.bits() : "u8")
            .replaceAll("\\bT\\[", type + "[")
            .replaceAll("\\bU\\[", other + "[");
    try {
      HloModule module = Parser.parse(text);
      Verifier.strict().verify(module);
      return Optional.of(module);
    } catch (HloException doesNotFit) {
      return Optional.empty();
    }
  }

  private static String applied(String program) {
    return lines(COMPUTATIONS)
        .filter(line -> program.matches(".*=" + line.replaceFirst(" .*", "") + "\\b.*"))
        .collect(joining("\n", "HloModule m\n", "\n"));
  }

  private static String used(String program) {
    String all = program.contains("kernel") ? program + " image" : program;
    return lines(VALUES)
        .filter(line -> all.matches(".*\\b" + line.replaceFirst(" .*", "") + "\\b.*"))
        .collect(joining("\n", "", "\n"));
  }

  private static Literal[] arguments(HloModule module) {
    return module.entry().parameters().stream()
        .map(
            each -> argument((Shape.Array) each.shape(), module.entry().parameters().indexOf(each)))
        .toArray(Literal[]::new);
  }

  /** Returns the extremes of a type over and over, for each parameter in another order. */
  private static Literal argument(Shape.Array shape, int parameter) {
    LiteralBuilder argument = new LiteralBuilder(shape.withLayout(null));
    List<Long> bits = extremes(shape.elementType());
    int parts = shape.elementType().isComplex() ? 2 : 1;
    for (int i = 0; i < parts * shape.elementCount(); i++) {
      argument.setBits(i, bits.get((i * (2 * parameter + 1) + i / bits.size()) % bits.size()));
    }
    return argument.build();
  }

  private static List<Long> extremes(ElementType type) {
    ElementType part = type.componentType();
    Set<Long> bits = new LinkedHashSet<>();
    if (!part.isFloating()) {
      Stream.of(0L, 1L, 2L, 7L, -1L, -2L, part.bits() - 1L, (long) part.bits(), 100L)
          .forEach(value -> bits.add(part.wrap(value)));
      bits.addAll(List.of(part.minLong(), part.maxLong()));
      return List.copyOf(bits);
    }
    for (double value : new double[] {0, 0.5, 1, 1.5, 2.5, 3, 255, 1e10, part.maxFinite()}) {
      bits.addAll(List.of(part.encode(value), part.encode(-value)));
    }
    bits.addAll(List.of(1L, part.encode(Double.POSITIVE_INFINITY), part.encode(Double.NaN)));
    bits.add(part.encode(Double.NEGATIVE_INFINITY));
    return List.copyOf(bits);
  }

  @ParameterizedTest
  @EnumSource
  void meansTheSame(ElementType type) {
    List<String> wrong = new ArrayList<>();
    int count = 0;
    for (ElementType other : ElementType.values()) {
      for (String program : tried(type, other)) {
        Optional<HloModule> module = module(program, type, other);
        if (module.isPresent()) {
          count++;
          difference(module.get(), type == other)
              .ifPresent(found -> wrong.add(other + ", " + program + found));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(count).isAtLeast(ALL ? 100 : 10);
  }

  @Test
  void eachProgramFitsATypeAtLeast() {
    assertThat(
            Stream.concat(lines(PROGRAMS), lines(OF_INDICES))
                .filter(program ->
                    Arrays.stream(ElementType.values())
                        .noneMatch(type ->
                            Stream.of(ElementType.U8, ElementType.F64)
                                .anyMatch(other -> module(program, type, other).isPresent()))))
        .isEmpty();
  }

  /** Returns how a program differs after a round trip; empty if it does not, or may be refused. */
  private static Optional<String> difference(HloModule module, boolean alsoAsArtifact) {
    Literal want = REFERENCE.run(module, arguments(module));
    String refusal = "";
    try {
      Operation exported = StableHlo.fromHlo(module);
      Operation text = StableHlo.parse(StableHlo.print(exported));
      HloModule back = StableHlo.toHlo(text);
      if (!isSame(want, REFERENCE.run(back, arguments(module)))) {
        return Optional.of(": another value by text");
      }
      HloModule again = StableHlo.toHlo(StableHlo.fromHlo(back));
      if (!isSame(want, REFERENCE.run(again, arguments(module)))) {
        return Optional.of(": another value when exported again");
      }
      if (!alsoAsArtifact) {
        return Optional.empty();
      }
      byte[] artifact = StableHlo.toArtifact(exported, Optional.empty());
      Operation read = StableHlo.readAll(artifact).get(0);
      if (!isSame(want, REFERENCE.run(StableHlo.toHlo(read), arguments(module)))) {
        return Optional.of(": another value by an artifact");
      }
    } catch (HloException refused) {
      refusal = refused.summary();
    }
    return Optional.of(refusal).filter(text -> !REFUSAL.matcher(text).matches());
  }

  /** Returns whether literals have the same bits, where any two NaNs are the same. */
  private static boolean isSame(Literal want, Literal got) {
    if (want.shape() instanceof Shape.Tuple) {
      return IntStream.range(0, want.elements().size())
          .allMatch(i -> isSame(want.element(i), got.element(i)));
    }
    ElementType part = want.elementType().componentType();
    int parts = want.elementType().isComplex() ? 2 : 1;
    return got.shape().equals(want.shape())
        && IntStream.range(0, parts * want.elementCount())
            .allMatch(i ->
                got.bitsAt(i) == want.bitsAt(i)
                    || (part.isFloating() && isNaN(part, got, i) && isNaN(part, want, i)));
  }

  private static boolean isNaN(ElementType type, Literal value, int component) {
    return Double.isNaN(type.decode(value.bitsAt(component)));
  }
}
