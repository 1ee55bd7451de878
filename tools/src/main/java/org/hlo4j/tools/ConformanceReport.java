package org.hlo4j.tools;

import com.google.common.xml.XmlEscapers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The outcomes of a conformance suite, as text and as JUnit's XML. */
final class ConformanceReport {
  /**
   * An outcome.
   *
   * @param system what ran the case
   * @param op the opcode
   * @param type the element type
   * @param rule the rule
   * @param path the folder of the case
   * @param outcome how it ended
   */
  record Entry(String system, String op, String type, String rule, String path, Outcome outcome) {
    boolean isFailed() {
      return outcome instanceof Outcome.Failed;
    }
  }

  private final List<Entry> entries = new ArrayList<>();

  void add(Entry entry) {
    entries.add(entry);
  }

  long count(Class<? extends Outcome> kind) {
    return entries.stream().filter(entry -> kind.isInstance(entry.outcome())).count();
  }

  /** Returns a line for each value of a field: how many of the cases that ran passed. */
  List<String> counts(String title, Function<Entry, String> field) {
    return lines(title, field, count -> true);
  }

  /** Returns the same lines for the values of which a case failed. */
  List<String> missed(String title, Function<Entry, String> field) {
    return lines(title, field, count -> count[0] < count[1]);
  }

  /** Returns a line for each value whose numbers of cases, passed and all, satisfy a condition. */
  private List<String> lines(
      String title, Function<Entry, String> field, Predicate<int[]> condition) {
    Map<String, int[]> counts = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.outcome() instanceof Outcome.Unsupported) {
        continue;
      }
      int[] count = counts.computeIfAbsent(field.apply(entry), key -> new int[2]);
      count[0] += entry.outcome() instanceof Outcome.Passed ? 1 : 0;
      count[1]++;
    }
    return counts.entrySet().stream()
        .filter(each -> condition.test(each.getValue()))
        .map(each ->
            title + " " + each.getKey() + ": " + each.getValue()[0] + " of " + each.getValue()[1])
        .toList();
  }

  /** Returns the outcomes as JUnit's XML, a test suite for each system. */
  String junit() {
    Map<String, List<Entry>> systems = new TreeMap<>();
    entries.forEach(
        entry -> systems.computeIfAbsent(entry.system(), key -> new ArrayList<>()).add(entry));
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<testsuites>\n");
    systems.forEach((system, all) -> {
      long failed = all.stream().filter(Entry::isFailed).count();
      long skipped = all.stream().filter(e -> e.outcome() instanceof Outcome.Unsupported).count();
      xml.append(
          String.format(
              Locale.ROOT,
              "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n",
              escaped(system),
              all.size(),
              failed,
              skipped));
      all.forEach(entry -> xml.append(testCase(entry)));
      xml.append("</testsuite>\n");
    });
    return xml.append("</testsuites>\n").toString();
  }

  private static String testCase(Entry entry) {
    String inside =
        switch (entry.outcome()) {
          case Outcome.Passed _ -> "";
          case Outcome.Failed failed -> "<failure message=\"" + escaped(failed.what()) + "\"/>";
          case Outcome.Unsupported no -> "<skipped message=\"" + escaped(no.reason()) + "\"/>";
        };
    return "<testcase classname=\""
        + escaped(entry.op())
        + "\" name=\""
        + escaped(entry.path() + ": " + entry.rule())
        + "\">"
        + inside
        + "</testcase>\n";
  }

  private static String escaped(String text) {
    return XmlEscapers.xmlAttributeEscaper().escape(text);
  }
}
