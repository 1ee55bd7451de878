package org.hlo4j.check.verdicts;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/**
 * HLO text for any element type: T stands for the type, R for that of its real part. Reducers and
 * comparators are written by their op, {@code to_apply=add}, of another type {@code
 * to_apply=add_f32}.
 *
 * @param parameters the shapes of the parameters p0, p1, …
 * @param statements the instructions, the last of which is the root
 * @param computations what else the module defines
 */
record ProgramText(
    ImmutableList<String> parameters,
    ImmutableList<String> statements,
    ImmutableList<String> computations) {
  private static final Pattern APPLIED =
      Pattern.compile(
          "(?:to_apply|select|scatter)="
              + "(add|multiply|maximum|minimum|and|or|xor|ge|lt|gt|second)(?:_(\\w+))?\\b");
  private static final Pattern STATEMENT =
      Pattern.compile("(ROOT )?(\\w+) = (\\(.*?\\)|\\S+) ([\\w-]+)\\(([^)]*)\\)(.*)");
  private static final Splitter LIST = Splitter.on(',').trimResults().omitEmptyStrings();

  /** Returns a module of instructions that are separated by semicolons. */
  ProgramText withStatements(String text) {
    return new ProgramText(
        parameters,
        ImmutableList.copyOf(Splitter.on(';').trimResults().omitEmptyStrings().split(text)),
        computations);
  }

  HloModule module(String type) {
    String body = typed(Joiner.on("\n  ").join(statements), type);
    StringBuilder text = new StringBuilder("HloModule m\n");
    computations.forEach(c -> text.append(typed(c, type)).append('\n'));
    text.append(applied(body + computations, type)).append("ENTRY e {\n");
    for (int i = 0; i < parameters.size(); i++) {
      String shape = typed(parameters.get(i), type);
      text.append("  p%s = %s parameter(%s)\n".formatted(i, shape, i));
    }
    return Parser.parse(text.append("  ").append(body).append("\n}\n").toString());
  }

  static String typed(String text, String type) {
    ElementType element = ElementType.named(type).orElseThrow();
    return text.replaceAll("\\bT\\b", type)
        .replaceAll("\\bR\\b", element.componentType().toString())
        .replace("HIGHEST", "operand_precision={highest,highest}");
  }

  private static String applied(String body, String type) {
    Set<String> computations = new LinkedHashSet<>();
    Matcher applied = APPLIED.matcher(body);
    while (applied.find()) {
      String other = applied.group(2);
      String name = applied.group(1) + (other == null ? "" : "_" + other);
      computations.add(reducer(name, applied.group(1), other == null ? type : other));
    }
    return String.join("", computations);
  }

  private static String reducer(String name, String op, String type) {
    String root =
        switch (op) {
          case "ge", "lt", "gt" ->
              "pred[] compare(a, b), direction=" + op.toUpperCase(java.util.Locale.ROOT);
          case "second" -> type + "[] copy(b)";
          default -> type + "[] " + op + "(a, b)";
        };
    return "%s { a = %s[] parameter(0) b = %s[] parameter(1) ROOT r = %s }\n"
        .formatted(name, type, type, root);
  }

  /** One instruction of a program: its operands as a program, itself, and what follows it. */
  record Part(ProgramText operands, ProgramText itself, Optional<ProgramText> after) {}

  /** Returns the parts of the program before, at and after an instruction. */
  Part at(String name) {
    int place = place(name);
    Matcher target = match(statements.get(place));
    ImmutableList<String> operands = ImmutableList.copyOf(LIST.split(target.group(5)));
    String tuple = Joiner.on(", ").join(operands.stream().map(this::shape).iterator());
    ImmutableList<String> before =
        ImmutableList.<String>builder()
            .addAll(statements.subList(0, place).stream().map(s -> s.replace("ROOT ", "")).toList())
            .add("ROOT operands_ = (%s) tuple(%s)".formatted(tuple, String.join(", ", operands)))
            .build();
    StringBuilder given = new StringBuilder();
    for (int i = 0; i < operands.size(); i++) {
      given.append(i == 0 ? "p" : ", p").append(i);
    }
    String alone =
        "ROOT %s = %s %s(%s)%s"
            .formatted(name, target.group(3), target.group(4), given, target.group(6));
    return new Part(
        new ProgramText(parameters, before, computations),
        new ProgramText(
            operands.stream().map(this::shape).collect(ImmutableList.toImmutableList()),
            ImmutableList.of(alone),
            computations),
        place == statements.size() - 1 ? Optional.empty() : Optional.of(after(place, target)));
  }

  private ProgramText after(int place, Matcher target) {
    return new ProgramText(
        ImmutableList.<String>builder().addAll(parameters).add(target.group(3)).build(),
        ImmutableList.<String>builder()
            .addAll(statements.subList(0, place))
            .add("%s = %s copy(p%s)".formatted(target.group(2), target.group(3), parameters.size()))
            .addAll(statements.subList(place + 1, statements.size()))
            .build(),
        computations);
  }

  private int place(String name) {
    for (int i = 0; i < statements.size(); i++) {
      if (match(statements.get(i)).group(2).equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no instruction " + name + " in " + statements);
  }

  String root() {
    return match(statements.getLast()).group(2);
  }

  private String shape(String name) {
    return name.matches("p\\d+")
        ? parameters.get(Integer.parseInt(name.substring(1)))
        : match(statements.get(place(name))).group(3);
  }

  private static Matcher match(String statement) {
    Matcher matcher = STATEMENT.matcher(statement);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no instruction: " + statement);
    }
    return matcher;
  }
}
