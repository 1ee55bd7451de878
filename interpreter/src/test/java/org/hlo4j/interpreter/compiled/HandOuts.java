package org.hlo4j.interpreter.compiled;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;

/**
 * Ops that hand out values of a program, inserted at random after the instructions of its entry and
 * of all that control flow calls. What comes back, from a function, an infeed or other devices, may
 * take the place of the value in later instructions. All devices have the same values, so that
 * collectives give what they get.
 */
final class HandOuts {
  private static final Pattern HEAD = Pattern.compile("(ENTRY )?%(\\S+) \\(.*\\{");
  private static final Pattern ARRAY =
      Pattern.compile("  %(\\S+) = (\\w+\\[[\\d,]*\\])(?:\\{[\\d,]*\\})? \\S+\\(.*");

  /** Alone on a device; {@code V} is the value, {@code S} its shape, {@code R} what comes back. */
  private static final List<String> ALONE =
      List.of(
          "R = S custom-call(V), custom_call_target=\"keep\", custom_call_has_side_effect=true",
          "R = S custom-call(V), custom_call_target=\"keep\", custom_call_has_side_effect=true",
          "R = S custom-call(V, V, %state), custom_call_target=\"keep\","
              + " custom_call_has_side_effect=true",
          "R.s = ((S), S, u32[]) custom-call-start(V), custom_call_target=\"keep\""
              + "; R = S custom-call-done(R.s)",
          "R.t = token[] after-all(); R.o = token[] outfeed(V, R.t), outfeed_shape=S"
              + "; R = S add-dependency(V, R.o)",
          "R.t = token[] after-all(); R.v = (S, S) tuple(V, V)"
              + "; R.o = token[] outfeed(R.v, R.t), outfeed_shape=(S, S); R = S copy(V)",
          "R.t = token[] after-all(); R.s = (S, u32[], token[]) send(V, R.t), channel_id=1"
              + "; R.d = token[] send-done(R.s), channel_id=1; R = S add-dependency(V, R.d)",
          "R.t = token[] after-all(); R.i = (S, token[]) infeed(R.t)"
              + "; R = S get-tuple-element(R.i), index=0",
          "R.s = (S, S, u32[]) copy-start(V); R = S copy-done(R.s)");

  /** On two devices. */
  private static final List<String> TOGETHER =
      List.of(
          "R = S collective-permute(V), source_target_pairs={{0,1},{1,0}}",
          "R.s = (S, S) collective-permute-start(V), source_target_pairs={{0,1},{1,0}}"
              + "; R = S collective-permute-done(R.s)",
          "R = S collective-broadcast(V), replica_groups={{1,0}}",
          "R.a = (S, S) all-to-all(V, V), replica_groups={{0,1}}"
              + "; R = S get-tuple-element(R.a), index=1",
          "R = S all-reduce(V), replica_groups={{0,1}}, to_apply=hand.TYPE",
          "R.s = S all-reduce-start(V), replica_groups={{0,1}}, to_apply=hand.TYPE"
              + "; R = S all-reduce-done(R.s)");

  private final SplittableRandom random;
  private final List<String> kinds;
  private final Set<String> types = new TreeSet<>();
  private int number;

  private HandOuts(long seed, boolean isTogether) {
    random = new SplittableRandom(seed);
    kinds = new ArrayList<>(ALONE);
    if (isTogether) {
      kinds.addAll(TOGETHER);
      kinds.addAll(TOGETHER);
    }
  }

  /**
   * Returns a module with ops that hand out values.
   *
   * @param isTogether whether two devices run it, rather than one
   */
  static HloModule in(HloModule module, long seed, boolean isTogether) {
    Set<String> sequential = new HashSet<>();
    addSequential(module.entry(), sequential);
    return Parser.parse(new HandOuts(seed, isTogether).inserted(Printer.print(module), sequential));
  }

  private static void addSequential(HloComputation computation, Set<String> names) {
    if (names.add(computation.name())) {
      computation.instructions().stream()
          .filter(each ->
              each.op() instanceof While
                  || each.op() instanceof Conditional
                  || each.op() instanceof Call)
          .flatMap(each -> each.called().stream())
          .forEach(called -> addSequential(called, names));
    }
  }

  private String inserted(String text, Set<String> sequential) {
    StringBuilder all = new StringBuilder();
    String replaced = "";
    String by = "";
    Optional<String> state = Optional.empty();
    boolean isActive = false;
    for (String line : text.lines().toList()) {
      Matcher head = HEAD.matcher(line);
      if (head.matches()) {
        boolean isCondition = line.endsWith("-> pred[] {");
        isActive = sequential.contains(head.group(2)) && random.nextInt(6) < (isCondition ? 4 : 1);
        replaced = "";
        state = Optional.empty();
      }
      String now = replaced.isEmpty() ? line : line.replaceAll(replaced + "(?=[,)])", by);
      all.append(now).append('\n');
      state = line.contains(" parameter(0)") ? name(line) : state;
      Matcher array = ARRAY.matcher(line);
      if (isActive && array.matches() && state.isPresent() && random.nextInt(2) == 0) {
        String value = "%" + array.group(1);
        String result = "%hand." + number++;
        boolean isTaken = array.group(2).contains("[]") || random.nextBoolean();
        all.append(hand(value, array.group(2), result, state.get()));
        replaced = isTaken ? "" : Pattern.quote(value);
        by = Matcher.quoteReplacement(result);
      }
    }
    StringBuilder reducers = new StringBuilder();
    types.forEach(type -> reducers.append(reducer(type)));
    int end = all.indexOf("\n") + 1;
    return all.insert(end, reducers).toString();
  }

  private static Optional<String> name(String line) {
    return Optional.of(line.strip().replaceAll("^(ROOT )?(\\S+) = .*", "$2"));
  }

  private String hand(String value, String shape, String result, String state) {
    String type = shape.replaceAll("\\[.*", "");
    String kind = kinds.get(random.nextInt(kinds.size()));
    if (kind.contains("TYPE")) {
      types.add(type);
    }
    StringBuilder lines = new StringBuilder();
    for (String each : Splitter.on("; ").split(kind)) {
      String line =
          each.replaceAll("\\bV\\b", Matcher.quoteReplacement(value))
              .replaceAll("\\bS\\b", Matcher.quoteReplacement(shape))
              .replaceAll("\\bR\\b", Matcher.quoteReplacement(result))
              .replace("%state", state)
              .replace("TYPE", type);
      lines.append("  ").append(line).append('\n');
    }
    return lines.toString();
  }

  /** Returns a function of two equal numbers that is that number. */
  private static String reducer(String type) {
    String opcode = type.equals("pred") ? "or" : "maximum";
    return """

    hand.TYPE { p = TYPE[] parameter(0) q = TYPE[] parameter(1) ROOT r = TYPE[] OP(p, q) }
    """
        .replace("TYPE", type)
        .replace("OP", opcode);
  }
}
