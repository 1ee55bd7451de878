package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * The rules of {@code input_output_alias} and {@code buffer_donor}: which results may share the
 * buffer of which parameter, and which parameter buffers are donated.
 */
final class Aliases {
  private static final String PLACE = "\\((?<number>[0-9]{1,9})(,\\{(?<index>[0-9,]*)})?";
  private static final Pattern ALIAS =
      Pattern.compile("\\{(?<output>[0-9,]*)}:" + PLACE + "(,(?<kind>may-alias|must-alias))?\\),?");
  private static final Pattern DONOR = Pattern.compile(PLACE + "\\),?");

  private static final Splitter STEPS = Splitter.on(',').omitEmptyStrings();

  private final HloComputation entry;
  private final Set<String> taken = new HashSet<>();
  private final Set<String> given = new HashSet<>();

  private Aliases(HloComputation entry) {
    this.entry = entry;
  }

  /** Checks both attributes of a module. */
  static void check(HloModule module) {
    Aliases aliases = new Aliases(module.entry());
    aliases.checkAliases(module.attributes().getOrDefault("input_output_alias", "{}"));
    aliases.checkDonors(module.attributes().getOrDefault("buffer_donor", "{}"));
  }

  private void checkAliases(String text) {
    Matcher pair = ALIAS.matcher(body("input_output_alias", text));
    int at = 0;
    while (at < pair.regionEnd()) {
      require(
          pair.find(at) && pair.start() == at,
          "",
          "input_output_alias got %s, want { {output}: (parameter, {index}, may-alias), … }",
          text);
      checkAlias(pair);
      at = pair.end();
    }
  }

  private void checkAlias(Matcher pair) {
    String name = "input_output_alias " + pair.group().replaceAll(",$", "");
    Shape input = parameterPart(name, pair);
    Shape output = part(name, "result", entry.root().shape(), pair.group("output"));
    boolean must = "must-alias".equals(pair.group("kind"));
    require(
        input instanceof Shape.Array from
            && output.withoutBuffers() instanceof Shape.Array to
            && (must ? from.compatible(to) : bytes(from) == bytes(to)),
        "",
        "%s got %s and %s, want arrays of %s",
        name,
        input.withoutLayout(),
        output.withoutLayout(),
        must ? "the same shape" : "as many bytes");
    require(taken.add(place(pair)), "", "%s got a parameter aliased before, want each once", name);
    require(
        given.add(pair.group("output")),
        "",
        "%s got a result aliased before, want each once",
        name);
  }

  private static long bytes(Shape.Array array) {
    return array.elementCount() * Math.max(8, array.elementType().bits());
  }

  private void checkDonors(String text) {
    Matcher donor = DONOR.matcher(body("buffer_donor", text));
    int at = 0;
    while (at < donor.regionEnd()) {
      require(
          donor.find(at) && donor.start() == at,
          "",
          "buffer_donor got %s, want { (parameter, {index}), … }",
          text);
      String name = "buffer_donor " + donor.group().replaceAll(",$", "");
      Shape shape = parameterPart(name, donor);
      require(
          shape instanceof Shape.Array,
          "",
          "%s got %s, want an array",
          name,
          shape.withoutLayout());
      require(
          !taken.contains(place(donor)),
          "",
          "%s got a parameter of input_output_alias, want one or the other",
          name);
      at = donor.end();
    }
  }

  private static String body(String attribute, String text) {
    String packed = CharMatcher.whitespace().removeFrom(text);
    require(
        packed.startsWith("{") && packed.endsWith("}"), "", "%s got %s, want {…}", attribute, text);
    return packed.substring(1, packed.length() - 1);
  }

  private static String place(Matcher place) {
    return place.group("number") + ":" + index(place);
  }

  private static String index(Matcher place) {
    return place.group("index") == null ? "" : place.group("index");
  }

  private Shape parameterPart(String name, Matcher place) {
    int number = Integer.parseInt(place.group("number"));
    List<HloInstruction> parameters = entry.parameters();
    require(
        number < parameters.size(),
        "",
        "%s got parameter %s, want one of %s",
        name,
        number,
        parameters.size());
    return part(name, "parameter " + number, parameters.get(number).shape(), index(place));
  }

  private static Shape part(String name, String role, Shape whole, String index) {
    Shape part = whole;
    for (String step : STEPS.split(index)) {
      boolean there =
          part instanceof Shape.Tuple tuple
              && step.length() < 10
              && Integer.parseInt(step) < tuple.elements().size();
      if (!there) {
        throw new HloException("", outside(name, index, role, whole));
      }
      part = ((Shape.Tuple) part).elements().get(Integer.parseInt(step));
    }
    return part;
  }

  /** Only made for a refusal: the shape without layouts is as long as the result is wide. */
  private static String outside(String name, String index, String role, Shape whole) {
    return String.format(
        "%s got index {%s} of %s, want one of %s", name, index, role, whole.withoutLayout());
  }
}
