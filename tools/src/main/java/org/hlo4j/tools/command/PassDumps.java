package org.hlo4j.tools.command;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparing;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a folder that hold one module after each pass, in order. Those of XLA's {@code
 * --xla_dump_hlo_pass_re} are named {@code MODULE.NUMBER.PIPELINE.after_PASS.before_PASS.txt};
 * files of other names are in the order of the numbers in them, and are named as they are.
 */
final class PassDumps {
  private static final Pattern PASS =
      Pattern.compile("(.+?)\\.(\\d{4,9})\\.(.+)\\.after_(.+?)(?:\\.before_.+)?");
  private static final Pattern END =
      Pattern.compile(
          "(.+)\\.(before_optimizations|(?:sm_\\d+\\.\\d+_)?(?:[a-z]\\w*_)?after_optimizations)");
  private static final Pattern EXTENSION =
      Pattern.compile("(.+?)(\\.hlo\\.pb|\\.hlo|\\.txt|\\.pb|\\.mlir|\\.mlirbc)");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}|\\D+");

  /**
   * A module as a pass left it.
   *
   * @param program what all dumps of one compilation are named; empty if the name is not XLA's
   * @param order its place among them
   * @param pass the pass, in its pipeline
   * @param files the same module in one or more forms, the form without loss first
   */
  record Dump(String program, long order, String pass, ImmutableList<Path> files) {}

  private PassDumps() {}

  /**
   * Returns the dumps of one program, in order.
   *
   * @param wanted the program's name or the end of it; empty if there is only one
   * @throws HloException if there is no dump, or there are several programs and none is asked for
   */
  static ImmutableList<Dump> of(Path folder, Optional<String> wanted) throws IOException {
    require(Files.isDirectory(folder), "", "%s: got no folder, want one of modules", folder);
    ImmutableListMultimap<String, Path> forms;
    try (Stream<Path> files = Files.list(folder)) {
      forms =
          files
              .filter(each -> EXTENSION.matcher(each.getFileName().toString()).matches())
              .sorted(comparing(PassDumps::isText))
              .collect(
                  ImmutableListMultimap.toImmutableListMultimap(PassDumps::stem, file -> file));
    }
    ImmutableListMultimap<String, Dump> programs =
        Multimaps.index(
            forms.keySet().stream()
                .sorted(PassDumps::compareNatural)
                .flatMap(stem -> dump(stem, forms.get(stem)).stream())
                .toList(),
            Dump::program);
    boolean isXla = programs.keySet().stream().anyMatch(name -> !name.isEmpty());
    List<String> names =
        programs.keySet().stream()
            .filter(Predicate.not(String::isEmpty).or(name -> !isXla))
            .filter(name -> wanted.isEmpty() || isNamed(name, wanted.get()))
            .toList();
    require(
        names.size() == 1,
        "",
        "%s: got %s, want one%s",
        folder,
        programs.isEmpty() ? "no module" : names.isEmpty() ? programs.keySet() : names,
        programs.isEmpty() ? ", as --xla_dump_hlo_pass_re=.* writes" : ": --program NAME");
    return programs.get(names.get(0)).stream()
        .sorted(Comparator.comparingLong(Dump::order))
        .collect(toImmutableList());
  }

  private static boolean isNamed(String name, String wanted) {
    return name.equals(wanted) || name.endsWith("." + wanted) || name.startsWith(wanted + ".");
  }

  private static boolean isText(Path file) {
    return file.toString().endsWith(".txt");
  }

  private static String stem(Path file) {
    Matcher name = EXTENSION.matcher(file.getFileName().toString());
    return name.matches() ? name.group(1) : "";
  }

  /** Returns the dump of a name; empty if XLA writes it beside the modules. */
  private static Optional<Dump> dump(String stem, ImmutableList<Path> files) {
    Matcher pass = PASS.matcher(stem);
    if (pass.matches()) {
      String name = pass.group(4) + " of " + pass.group(3);
      return Optional.of(new Dump(pass.group(1), Long.parseLong(pass.group(2)), name, files));
    }
    Matcher end = END.matcher(stem);
    if (end.matches()) {
      boolean isFirst = end.group(2).equals("before_optimizations");
      return Optional.of(
          new Dump(end.group(1), isFirst ? -1 : Long.MAX_VALUE, end.group(2), files));
    }
    boolean isBeside = stem.matches("module_\\d{4}\\..*");
    return isBeside ? Optional.empty() : Optional.of(new Dump("", 0, stem, files));
  }

  /** Compares names, and the numbers in them by their values. */
  private static int compareNatural(String one, String other) {
    List<String> left = parts(one);
    List<String> right = parts(other);
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      boolean areNumbers = isNumber(left.get(i)) && isNumber(right.get(i));
      int order =
          areNumbers
              ? Long.compare(Long.parseLong(left.get(i)), Long.parseLong(right.get(i)))
              : left.get(i).compareTo(right.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(left.size(), right.size());
  }

  private static List<String> parts(String name) {
    return NUMBER.matcher(name).results().map(part -> part.group()).toList();
  }

  private static boolean isNumber(String part) {
    return Character.isDigit(part.charAt(0));
  }
}
