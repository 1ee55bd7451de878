package org.hlo4j.tools.graph;

import com.google.common.html.HtmlEscapers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A page with two programs next to each other: each instruction of the first beside its counterpart
 * in the second, with what changed in colour. One file, without scripts.
 */
public final class DiffPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>TITLE</title>
      <style>
      :root { color-scheme: light dark; --changed: #fff3c4; --removed: #ffd7d5; --added: #ccffd8;
        --what: #8a5a00 }
      @media (prefers-color-scheme: dark) {
        :root { --changed: #4b441c; --removed: #5c2624; --added: #1d4a2b; --what: #ffc46b }
      }
      body { font: 14px sans-serif; margin: 1em }
      h1, h2 { overflow-wrap: anywhere }
      table { border-collapse: collapse; width: 100%; table-layout: fixed }
      td { font: 12px monospace; padding: 1px 6px; vertical-align: top; overflow-wrap: anywhere }
      .changed td, .changed-key { background: var(--changed) }
      .removed td:first-child, .removed-key { background: var(--removed) }
      .added td:last-child, .added-key { background: var(--added) }
      small { display: block; color: var(--what) }
      @media (max-width: 600px) {
        body { margin: 0.5em }
        tr, td { display: block }
        tr { border-bottom: 1px solid #8884 }
        td:empty, .same td:first-child { display: none }
      }
      </style>
      </head>
      <body>
      """;

  private final StringBuilder page = new StringBuilder();

  private DiffPage() {}

  /** Returns the page, with the names of two programs. */
  public static String of(String first, String second, ModuleDiff diff) {
    return of(first, second, diff, List.of());
  }

  /** Returns the page, with a table of other texts above the programs. */
  public static String of(String first, String second, ModuleDiff diff, List<List<String>> rows) {
    DiffPage page = new DiffPage();
    page.page.append(HEAD.replace("TITLE", escaped(first) + " and " + escaped(second)));
    page.page
        .append("<h1>")
        .append(escaped(first))
        .append(" and ")
        .append(escaped(second))
        .append("</h1>\n")
        .append(table(rows))
        .append("<p>")
        .append(counts(diff))
        .append("</p>\n");
    diff.attributes()
        .forEach(each -> page.page.append("<p>module: ").append(text(each)).append("</p>\n"));
    diff.computations().forEach(page::add);
    diff.onlyInFirst().forEach(each -> page.addWhole(each, "removed"));
    diff.onlyInSecond().forEach(each -> page.addWhole(each, "added"));
    return page.page.append("</body>\n</html>\n").toString();
  }

  private static String table(List<List<String>> rows) {
    String lines =
        rows.stream()
            .map(row ->
                row.stream()
                    .map(cell -> "<td>" + escaped(cell) + "</td>")
                    .collect(Collectors.joining("", "<tr>", "</tr>\n")))
            .collect(Collectors.joining());
    return lines.isEmpty() ? "" : "<table>\n" + lines + "</table>\n";
  }

  /**
   * Returns how many instructions are the same, changed, only in one; with the colours of these.
   */
  private static String counts(ModuleDiff diff) {
    List<ModuleDiff.ComputationDiff> pairs = diff.computations();
    int same = pairs.stream().mapToInt(each -> each.same().size()).sum();
    int changed = pairs.stream().mapToInt(each -> each.changed().size()).sum();
    return key("changed", changed + " changed")
        + key("removed", diff.removed().size() + " only in the first")
        + key("added", diff.added().size() + " only in the second")
        + same
        + " the same";
  }

  private static String key(String kind, String text) {
    return "<span class=\"" + kind + "-key\">" + text + "</span>, ";
  }

  /** Appends a pair: in the order of the second computation, removed instructions in between. */
  private void add(ModuleDiff.ComputationDiff diff) {
    begin(diff.first().name() + " and " + diff.second().name());
    Map<HloInstruction, ModuleDiff.Pair> pairs = new HashMap<>();
    Stream.concat(diff.same().stream(), diff.changed().stream())
        .forEach(pair -> pairs.put(pair.second(), pair));
    Set<HloInstruction> removed = new HashSet<>(diff.removed());
    List<HloInstruction> first = diff.first().instructions();
    Map<HloInstruction, Integer> places = new HashMap<>();
    first.forEach(each -> places.put(each, places.size()));
    int next = 0;
    for (HloInstruction instruction : diff.second().instructions()) {
      ModuleDiff.Pair pair = pairs.get(instruction);
      if (pair == null) {
        row("added", "", text(instruction));
        continue;
      }
      int at = places.getOrDefault(pair.first(), 0);
      for (; next < at; next++) {
        removed(first.get(next), removed);
      }
      String changes =
          pair.changes().stream().map(DiffPage::text).collect(Collectors.joining("; "));
      row(
          changes.isEmpty() ? "same" : "changed",
          text(pair.first()),
          text(instruction) + (changes.isEmpty() ? "" : "<small>" + changes + "</small>"));
    }
    for (; next < first.size(); next++) {
      removed(first.get(next), removed);
    }
    page.append("</table>\n");
  }

  private void removed(HloInstruction instruction, Set<HloInstruction> removed) {
    if (removed.contains(instruction)) {
      row("removed", text(instruction), "");
    }
  }

  private void addWhole(HloComputation computation, String kind) {
    begin(computation.name());
    for (HloInstruction each : computation.instructions()) {
      row(kind, kind.equals("removed") ? text(each) : "", kind.equals("added") ? text(each) : "");
    }
    page.append("</table>\n");
  }

  private void begin(String title) {
    page.append("<h2>").append(escaped(title)).append("</h2>\n<table>\n");
  }

  private void row(String kind, String left, String right) {
    page.append("<tr class=\"%s\"><td>%s</td><td>%s</td></tr>\n".formatted(kind, left, right));
  }

  private static String text(HloInstruction instruction) {
    return escaped(instruction.toString());
  }

  private static String text(ModuleDiff.Change change) {
    return escaped(change.what() + " " + change.from() + " to " + change.to());
  }

  private static String escaped(String text) {
    return HtmlEscapers.htmlEscaper().escape(text);
  }
}
