package org.hlo4j.stablehlo.dialect;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.primitives.Doubles;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The conversion of result accuracies between the two dialects: {@code
 * #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} is {@code
 * result_accuracy={mode=highest}} in HLO. The attribute says how accurate the result of a function
 * has to be.
 */
public final class AccuracyForm {
  private static final Pattern TEXT =
      Pattern.compile("\\{(?:mode=(?<mode>default|highest)|tolerance=\\{(?<tolerance>[^{}]*)})}");
  private static final String NAME = "result_accuracy";
  private static final String MODE = "result_accuracy_mode";

  private AccuracyForm() {}

  /**
   * Returns the accuracy of an HLO instruction as an attribute of StableHLO.
   *
   * @param attributes the attributes of an HLO instruction
   * @return the attribute; empty if there is none or its mode is {@code default}
   * @throws HloException if the text does not have HLO's form
   */
  public static Optional<Attribute> of(Map<String, String> attributes) {
    String text = attributes.getOrDefault(NAME, "{mode=default}");
    Matcher form = TEXT.matcher(Ascii.toLowerCase(CharMatcher.whitespace().removeFrom(text)));
    require(form.matches(), "", "%s got %s, want {mode=…} or {tolerance={…}}", NAME, text);
    if (form.group("tolerance") != null) {
      return Optional.of(tolerance(form.group("tolerance")));
    }
    return form.group("mode").equals("default")
        ? Optional.empty()
        : Optional.of(StructTable.struct(NAME, Map.of("mode", mode("HIGHEST"))));
  }

  private static Attribute tolerance(String text) {
    Map<String, Double> numbers = new HashMap<>();
    for (String part : Splitter.on(',').omitEmptyStrings().split(text)) {
      int equals = part.indexOf('=');
      Double number =
          Doubles.tryParse(
              part.substring(equals + 1).replace("inf", "Infinity").replace("nan", "NaN"));
      require(equals > 0 && number != null, "", "%s got %s, want name=number", NAME, part);
      numbers.put(part.substring(0, equals), number);
    }
    Map<String, Attribute> fields = new HashMap<>();
    fields.put("mode", mode("TOLERANCE"));
    numbers.forEach((name, number) ->
        fields.put(
            name,
            name.equals("ulps")
                ? Attribute.Int.i64(number.longValue())
                : new Attribute.Floating(number, Types.F64)));
    return StructTable.struct(NAME, fields);
  }

  private static Attribute mode(String mode) {
    return new Attribute.Word("stablehlo", MODE, mode);
  }

  /**
   * Returns the text of an accuracy attribute in HLO.
   *
   * @param attribute the attribute of StableHLO
   * @return the text after {@code result_accuracy=}; empty for the mode {@code DEFAULT}
   */
  public static Optional<String> text(Attribute.Struct attribute) {
    return switch (attribute.fields().get("mode")) {
      case Attribute.Word word when word.value().equals("HIGHEST") -> Optional.of("{mode=highest}");
      case Attribute.Word word when word.value().equals("TOLERANCE") ->
          Optional.of(
              "{tolerance={atol="
                  + number(attribute, "atol")
                  + ",rtol="
                  + number(attribute, "rtol")
                  + ",ulps="
                  + number(attribute, "ulps")
                  + "}}");
      case null, default -> Optional.empty();
    };
  }

  /** Returns a number in XLA's notation. */
  private static String number(Attribute.Struct attribute, String field) {
    return switch (attribute.fields().get(field)) {
      case Attribute.Int whole -> whole.value().toString();
      case Attribute.Floating real -> Literal.of(real.value()).toHloText();
      case null, default -> "0";
    };
  }
}
