package org.hlo4j.check.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.StableHlo;

/**
 * A call of a function of JAX, of {@code functions.rows}.
 *
 * @param name the function and, behind an {@code @}, which call it is
 * @param file the name of its StableHLO text
 * @param arguments the arguments
 * @param results XLA:CPU's results
 * @param truths the true values, rounded to the type; none if nobody knows them
 * @param signs groups of slices that may be multiplied by -1 together: {@code output:dimension …}
 */
record FunctionCall(
    String name,
    String file,
    List<Literal> arguments,
    List<Literal> results,
    List<Literal> truths,
    List<String> signs) {
  private static FunctionCall named(String words) {
    List<String> names = Splitter.on(' ').splitToList(words);
    return new FunctionCall(
        names.get(0),
        names.get(1),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  static ImmutableList<FunctionCall> all() {
    List<FunctionCall> calls = new ArrayList<>();
    for (String line : Splitter.on('\n').omitEmptyStrings().split(text("functions.rows"))) {
      String rest = line.substring(line.indexOf(' ') + 1);
      switch (line.substring(0, line.indexOf(' '))) {
        case "=" -> calls.add(named(rest));
        case "in" -> calls.getLast().arguments.add(Parser.parseLiteral(rest));
        case "xla" -> calls.getLast().results.add(Parser.parseLiteral(rest));
        case "true" -> calls.getLast().truths.add(Parser.parseLiteral(rest));
        case "signs" -> calls.getLast().signs.add(rest);
        default -> throw new IllegalArgumentException(line);
      }
    }
    return ImmutableList.copyOf(calls);
  }

  private static String text(String file) {
    try {
      return Resources.toString(Resources.getResource("org/hlo4j/check/functions/" + file), UTF_8);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** Returns the name of the function. */
  String function() {
    return Splitter.on('@').splitToList(name).get(0);
  }

  Program program() {
    return new Program(
        StableHlo.toHlo(StableHlo.parse(text(file))), ImmutableList.copyOf(arguments));
  }

  /** Returns results that are right, by name. */
  Map<String, List<Literal>> allowed() {
    Map<String, List<Literal>> allowed = new LinkedHashMap<>();
    allowed.put("XLA's", results);
    if (!truths.isEmpty()) {
      allowed.put("true", truths);
    }
    for (String group : signs) {
      allowed.put("one sign of " + group, withSigns(group, 0));
      allowed.put("all signs of " + group, withSigns(group, Plant.ALL));
    }
    return allowed;
  }

  private List<Literal> withSigns(String group, int slice) {
    List<Literal> flipped = new ArrayList<>(results);
    for (String slices : Splitter.on(' ').split(group)) {
      int output = slices.charAt(0) - '0';
      int dimension = slices.charAt(2) - '0';
      flipped.set(output, Plant.negated(flipped.get(output), dimension, slice));
    }
    return flipped;
  }

  /** Returns results of which one array is wrong, by name. */
  Map<String, List<Literal>> planted() {
    Map<String, List<Literal>> planted = new LinkedHashMap<>();
    for (int i = 0; i < results.size(); i++) {
      for (Plant plant : Plant.values()) {
        Literal wrong = plant.in(results.get(i));
        boolean isRight =
            Plant.areEqual(wrong, results.get(i))
                || (!truths.isEmpty() && Plant.areEqual(wrong, truths.get(i)));
        if (!isRight) {
          List<Literal> all = new ArrayList<>(results);
          all.set(i, wrong);
          planted.put(plant + (results.size() == 1 ? "" : " of " + i), all);
        }
      }
    }
    return planted;
  }
}
