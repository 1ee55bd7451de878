package org.hlo4j.tools.conformance;

import static java.util.stream.Collectors.joining;

import com.google.common.xml.XmlEscapers;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.tools.cases.Outcome;

/** The outcomes of a conformance suite, as text, as JSON and as JUnit's XML. */
public final class ConformanceReport {
  /**
   * An outcome.
   *
   * @param system what ran the case
   * @param op the opcode
   * @param type the element type
   * @param rule the rule
   * @param standing whether the rule binds the system
   * @param path the folder of the case
   * @param outcome how it ended
   */
  public record Entry(
      String system,
      String op,
      String type,
      String rule,
      Standing standing,
      String path,
      Outcome outcome) {
    public boolean isFailed() {
      return outcome instanceof Outcome.Failed;
    }

    boolean isSkipped() {
      return outcome instanceof Outcome.Unsupported || outcome instanceof Outcome.NotJudged;
    }

    boolean isNotJudged(Verdict verdict) {
      return outcome instanceof Outcome.NotJudged not && not.verdict() == verdict;
    }

    /** Returns the line of a case that did not pass. */
    public String line() {
      return outcome.line(system + " " + path);
    }
  }

  private final List<Entry> entries = new ArrayList<>();
  private final List<JsonObject> withoutTwin;

  /**
   * Creates a report.
   *
   * @param withoutTwin the refusals that are not run, with the reason
   */
  public ConformanceReport(List<JsonObject> withoutTwin) {
    this.withoutTwin = List.copyOf(withoutTwin);
  }

  public List<JsonObject> withoutTwin() {
    return withoutTwin;
  }

  public void add(Entry entry) {
    entries.add(entry);
  }

  public boolean isFailed() {
    return entries.stream().anyMatch(Entry::isFailed);
  }

  /** Returns a line for the cases of each standing: how many ended how. */
  public List<String> totals() {
    return Arrays.stream(Standing.values())
        .filter(standing -> of(standing).findAny().isPresent())
        .map(standing -> {
          JsonObject counts = counts(standing);
          return standing
              + ": "
              + counts.keySet().stream()
                  .map(outcome -> counts.get(outcome) + " " + outcome)
                  .collect(joining(", "));
        })
        .toList();
  }

  private Stream<Entry> of(Standing standing) {
    return entries.stream().filter(entry -> entry.standing() == standing);
  }

  private JsonObject counts(Standing standing) {
    JsonObject counts = new JsonObject();
    counts.addProperty("passed", count(standing, e -> e.outcome() instanceof Outcome.Passed));
    counts.addProperty("failed", count(standing, Entry::isFailed));
    counts.addProperty("unspecified", count(standing, e -> e.isNotJudged(Verdict.UNSPECIFIED)));
    counts.addProperty("undecided", count(standing, e -> e.isNotJudged(Verdict.UNDECIDED)));
    counts.addProperty(
        "unsupported", count(standing, e -> e.outcome() instanceof Outcome.Unsupported));
    return counts;
  }

  private long count(Standing standing, Predicate<Entry> condition) {
    return of(standing).filter(condition).count();
  }

  /** Returns the counts of each standing, and each case. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    for (Standing standing : Standing.values()) {
      json.add(standing.toString(), counts(standing));
    }
    JsonArray cases = new JsonArray();
    for (Entry entry : entries) {
      JsonObject each = entry.outcome().json(entry.path());
      each.addProperty("system", entry.system());
      each.addProperty("standing", entry.standing().toString());
      each.addProperty("op", entry.op());
      each.addProperty("type", entry.type());
      each.addProperty("rule", entry.rule());
      cases.add(each);
    }
    json.add("cases", cases);
    if (!withoutTwin.isEmpty()) {
      JsonArray left = new JsonArray();
      withoutTwin.forEach(left::add);
      json.add(ConformanceSuite.WITHOUT_TWIN, left);
    }
    return json;
  }

  /** Returns a line for each value of a field: how many of the cases that ran passed. */
  public List<String> counts(String title, Function<Entry, String> field) {
    return lines(title, field, count -> true);
  }

  /** Returns the same lines for the values of which a case failed. */
  public List<String> missed(String title, Function<Entry, String> field) {
    return lines(title, field, count -> count[0] < count[1]);
  }

  /** Returns a line for each value whose numbers of cases, passed and all, satisfy a condition. */
  private List<String> lines(
      String title, Function<Entry, String> field, Predicate<int[]> condition) {
    Map<String, int[]> counts = new TreeMap<>();
    for (Entry entry : entries) {
      if (entry.isSkipped()) {
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

  /** Returns the outcomes as JUnit's XML, a test suite for each system and standing. */
  public String junit() {
    Map<String, List<Entry>> systems = new TreeMap<>(Comparator.reverseOrder());
    entries.forEach(entry ->
        systems
            .computeIfAbsent(entry.system() + " " + entry.standing(), key -> new ArrayList<>())
            .add(entry));
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<testsuites>\n");
    systems.forEach((system, all) -> {
      long failed = all.stream().filter(Entry::isFailed).count();
      long skipped = all.stream().filter(Entry::isSkipped).count();
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
          case Outcome.NotJudged not -> "<skipped message=\"" + escaped(not.what()) + "\"/>";
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
