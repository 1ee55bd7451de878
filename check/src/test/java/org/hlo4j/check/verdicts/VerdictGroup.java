package org.hlo4j.check.verdicts;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;

/**
 * One program in several types, and the systems that run it.
 *
 * @param name what it is
 * @param types the element types
 * @param inputs what the arguments are, each "shape data"
 * @param program the program
 * @param systems the lines about systems
 */
record VerdictGroup(
    String name,
    ImmutableList<String> types,
    ImmutableList<String> inputs,
    ProgramText program,
    ImmutableList<Systems> systems) {
  private static final Splitter WORDS = Splitter.on(' ').omitEmptyStrings();

  /** Names of several types. */
  private static final ImmutableMap<String, String> TYPES =
      ImmutableMap.<String, String>builder()
          .put("floats", "f64 f32 bf16 f16")
          .put("wide", "f64 f32")
          .put("narrow", "bf16 f16")
          .put("f8", "f8e5m2 f8e4m3fn f8e4m3 f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz f8e3m4")
          .put("complex", "c128 c64")
          .put("ints", "s8 s16 s32 s64 u8 u16 u32 u64")
          .put("signed", "s8 s16 s32 s64")
          .put("unsigned", "u8 u16 u32 u64")
          .buildOrThrow();

  /**
   * What is expected of some systems.
   *
   * @param expected planted, allowed or open
   * @param types the types that the line is about
   * @param systems how they run the program
   * @param missed why no bound can see these, or empty
   */
  record Systems(
      String expected, ImmutableList<String> types, ImmutableList<String> systems, String missed) {}

  static ImmutableList<String> types(String text) {
    return WORDS
        .splitToStream(text)
        .flatMap(t -> WORDS.splitToStream(TYPES.getOrDefault(t, t)))
        .collect(toImmutableList());
  }

  Stream<VerdictCase> cases() {
    return types.stream()
        .flatMap(type ->
            systems.stream()
                .filter(line -> line.types().contains(type))
                .flatMap(line ->
                    line.systems().stream()
                        .map(s -> new VerdictCase(this, type, line.expected(), s, line.missed()))));
  }

  ImmutableList<Literal> arguments(String type, int seed) {
    List<Literal> made = new ArrayList<>();
    for (String input : inputs) {
      made.add(InputData.of(input, type, seed + 31 * made.size()));
    }
    return ImmutableList.copyOf(made);
  }
}
