package org.hlo4j.tools.conformance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;

/**
 * The texts that differ in one place from a program that is refused: in a number, an element type,
 * an element of a list, a name, or an attribute. What the message names comes first.
 */
final class ProgramEdits {
  /** A place that the message names, another one in ENTRY, and one before it. */
  private static final int NAMED = 0;

  private static final int IN_ENTRY = 1;
  private static final int ELSEWHERE = 2;

  private static final Pattern NUMBER =
      Pattern.compile("(?<=[\\[{,=_:x(\\s])-?\\d+(?=[\\]},_:x)\\s])");
  private static final Pattern SHAPE = Pattern.compile("\\b[a-z][a-z0-9]*\\[[^\\]]*\\]");
  private static final Pattern TYPE = Pattern.compile("\\b[a-z][a-z0-9]*(?=\\[)");
  private static final Pattern WORD = Pattern.compile("(?<![\\w.%-])%?[A-Za-z_][\\w.-]*");
  private static final Pattern INSTRUCTION = Pattern.compile("(%?[\\w.-]+) = ");
  private static final Pattern COMPUTATION = Pattern.compile("(?m)^ *(%?[\\w.-]+) (?=[{(])");
  private static final Pattern OPCODE =
      Pattern.compile("ROOT %?[\\w.-]+ = (?:.*?[ }])?(?!b\\()(?<op>[a-z][a-z0-9-]*)\\(");
  private static final Pattern ATTRIBUTE = Pattern.compile("\\b(?<name>[a-z_]+)=");
  private static final ImmutableList<String> TYPES =
      ImmutableList.of("f32", "s32", "u32", "pred", "c64", "f64", "bf16", "u8", "s64", "u64");

  private final String text;
  private final ImmutableSetMultimap<String, String> attributes;
  private final int entry;
  private final ImmutableList<Range<Integer>> named;
  private final List<Edit> edits = new ArrayList<>();

  /** A text with the place of its edit. */
  private record Edit(int place, String text) {}

  private ProgramEdits(
      String text, String message, ImmutableSetMultimap<String, String> attributes) {
    this.text = text;
    this.attributes = attributes;
    this.entry = Math.max(0, text.indexOf("ENTRY"));
    this.named = named(text, entry, message);
  }

  /**
   * Returns the texts, those first whose edit is nearest to what a message names.
   *
   * @param text the program
   * @param message why it is refused
   * @param attributes the values that attributes have in programs that are accepted, by name; the
   *     names of an op's attributes by its opcode
   */
  static Set<String> of(
      String text, String message, ImmutableSetMultimap<String, String> attributes) {
    ProgramEdits edits = new ProgramEdits(text, message, attributes);
    edits.addNumbers();
    edits.addTypes();
    edits.addLists();
    edits.addAttributes();
    edits.addWords();
    Set<String> texts = new LinkedHashSet<>();
    edits.edits.stream()
        .sorted(Comparator.comparingInt(Edit::place))
        .forEach(edit -> texts.add(edit.text()));
    return texts;
  }

  /** Returns the attributes of a program: its name and its value, with brackets. */
  static Stream<Attribute> attributes(String text) {
    return ATTRIBUTE
        .matcher(text)
        .results()
        .map(found -> new Attribute(found.group("name"), found.start(), end(text, found.end())))
        .filter(each -> each.end() > each.start() + each.name().length() + 1);
  }

  /** An attribute in a text, from the first character of its name to the end of its value. */
  record Attribute(String name, int start, int end) {
    String value(String text) {
      return text.substring(start + name.length() + 1, end);
    }
  }

  /** Returns the opcode of the root of ENTRY; empty if there is none. */
  static String opcode(String text) {
    Matcher root = OPCODE.matcher(text.substring(Math.max(0, text.indexOf("ENTRY"))));
    return root.find() ? root.group("op") : "";
  }

  /** Returns the words and signs of a program from ENTRY on. */
  static List<String> words(String text) {
    return Pattern.compile("[\\w.-]+|[^\\s\\w]")
        .matcher(text.substring(Math.max(0, text.indexOf("ENTRY"))))
        .results()
        .map(MatchResult::group)
        .toList();
  }

  /** Returns how many words have to be added, left out or changed to make one list the other. */
  static int distance(List<String> one, List<String> other) {
    int[] row = IntStream.rangeClosed(0, other.size()).toArray();
    for (int i = 0; i < one.size(); i++) {
      int diagonal = row[0]++;
      for (int j = 0; j < other.size(); j++) {
        int changed = diagonal + (one.get(i).equals(other.get(j)) ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = Math.min(changed, 1 + Math.min(row[j], row[j + 1]));
      }
    }
    return row[other.size()];
  }

  private static int end(String text, int start) {
    int depth = 0;
    int at = start;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      depth += "{[(".indexOf(c) >= 0 ? 1 : "}])".indexOf(c) >= 0 ? -1 : 0;
      if (depth < 0 || (depth == 0 && (c == ',' || Character.isWhitespace(c)))) {
        return at;
      }
      if (depth == 0 && c == '}') {
        return at + 1;
      }
    }
    return at;
  }

  private void add(int start, int end, String replacement) {
    int place = isNamed(start) ? NAMED : start >= entry ? IN_ENTRY : ELSEWHERE;
    edits.add(new Edit(place, text.substring(0, start) + replacement + text.substring(end)));
  }

  /** Returns whether the message names the attribute at a place, or quotes the shape there. */
  private boolean isNamed(int at) {
    return named.stream().anyMatch(range -> range.contains(at));
  }

  private static ImmutableList<Range<Integer>> named(String text, int entry, String message) {
    Stream<Range<Integer>> attributes =
        attributes(text)
            .filter(each -> names(each.name(), message))
            .map(each -> Range.closedOpen(each.start(), each.end()));
    Stream<Range<Integer>> shapes =
        SHAPE
            .matcher(text)
            .results()
            .filter(shape -> shape.start() >= entry && message.contains("got " + shape.group()))
            .map(shape -> Range.closedOpen(shape.start(), shape.end()));
    return Stream.concat(attributes, shapes).collect(ImmutableList.toImmutableList());
  }

  private static boolean names(String word, String message) {
    return Pattern.compile("\\b" + word + "\\b").matcher(message).find();
  }

  private void addNumbers() {
    List<String> numbers = NUMBER.matcher(text).results().map(MatchResult::group).toList();
    forEach(
        NUMBER,
        number -> {
          long value = number.length() > 9 ? 0 : Long.parseLong(number);
          return Stream.concat(
              Stream.of(value - 1, value + 1, 0L, 1L, 2L, 3L, 4L).map(String::valueOf),
              numbers.stream());
        });
  }

  private void addTypes() {
    forEach(TYPE, type -> TYPES.stream());
    TYPE.matcher(text.substring(entry))
        .results()
        .map(MatchResult::group)
        .distinct()
        .filter(type -> ElementType.named(type).isPresent())
        .forEach(type ->
            TYPES.forEach(other ->
                edits.add(new Edit(NAMED, text.replaceAll("\\b" + type + "(?=\\[)", other)))));
  }

  /** Exchanges names of instructions in ENTRY, and names of computations. */
  private void addWords() {
    exchange(INSTRUCTION, entry);
    exchange(COMPUTATION, 0);
  }

  private void exchange(Pattern defining, int from) {
    Set<String> names = new LinkedHashSet<>();
    defining.matcher(text.substring(from)).results().forEach(name -> names.add(name.group(1)));
    forEach(WORD, word -> names.contains(word) ? names.stream() : Stream.of());
  }

  private void forEach(Pattern token, Function<String, Stream<String>> others) {
    token
        .matcher(text)
        .results()
        .forEach(found ->
            others
                .apply(found.group())
                .filter(other -> !other.equals(found.group()))
                .forEach(other -> add(found.start(), found.end(), other)));
  }

  /** Takes an element out of each list, or repeats its last one. */
  private void addLists() {
    for (int at = 0; at < text.length(); at++) {
      if ("{[(".indexOf(text.charAt(at)) >= 0) {
        addList(at + 1);
      }
    }
  }

  private void addList(int start) {
    int from = start;
    while (from < text.length()) {
      int end = endOfElement(from);
      boolean isLast = end >= text.length() || text.charAt(end) != ',';
      if (end > from) {
        add(isLast && from > start ? from - 1 : from, isLast ? end : end + 1, "");
      }
      if (isLast) {
        String last = text.substring(from, end);
        add(end, end, last.isBlank() ? "0" : "," + last);
        return;
      }
      from = end + 1;
    }
  }

  private int endOfElement(int start) {
    int depth = 0;
    for (int at = start; at < text.length(); at++) {
      char c = text.charAt(at);
      depth += "{[(".indexOf(c) >= 0 ? 1 : "}])".indexOf(c) >= 0 ? -1 : 0;
      if (depth < 0 || (depth == 0 && c == ',')) {
        return at;
      }
    }
    return text.length();
  }

  /** Gives each attribute another value, leaves it out, or adds one that the op may have. */
  private void addAttributes() {
    List<Attribute> all = attributes(text).toList();
    for (Attribute each : all) {
      int start = each.start() + each.name().length() + 1;
      attributes.get(each.name()).forEach(value -> add(start, each.end(), value));
      int comma = text.lastIndexOf(',', each.start());
      if (comma >= 0 && text.substring(comma + 1, each.start()).isBlank()) {
        add(comma, each.end(), "");
      }
    }
    int end = text.indexOf('\n', text.indexOf("ROOT", entry));
    for (String name : attributes.get(opcode(text))) {
      if (end > 0 && all.stream().noneMatch(each -> each.name().equals(name))) {
        attributes.get(name).forEach(value -> add(end, end, ", " + name + "=" + value));
      }
    }
  }
}
