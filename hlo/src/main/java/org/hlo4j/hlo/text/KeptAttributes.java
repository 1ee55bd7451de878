package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * The syntax checks of attributes that hlo4j does not interpret. They are kept as text if they are
 * well formed.
 */
final class KeptAttributes {
  private static final ImmutableMap<String, Consumer<Lexer>> HEADER =
      ImmutableMap.<String, Consumer<Lexer>>builder()
          .put("is_scheduled", KeptAttributes::truth)
          .put("input_output_alias", text -> list(text, KeptAttributes::alias))
          .put("buffer_donor", text -> list(text, KeptAttributes::donor))
          .put("alias_passthrough_params", KeptAttributes::truth)
          .put("entry_computation_layout", Lexer::skipValue)
          .put("allow_spmd_sharding_propagation_to_parameters", KeptAttributes::truths)
          .put("allow_spmd_sharding_propagation_to_output", KeptAttributes::truths)
          .put("replica_count", text -> text.smallInteger("a count"))
          .put("num_partitions", text -> text.smallInteger("a count"))
          .put("frontend_attributes", KeptAttributes::frontendAttributes)
          .put("origin_recovery_table", Lexer::skipValue)
          .buildOrThrow();

  /** The opcodes whose accuracy may be specified. */
  private static final ImmutableSet<String> ACCURATE =
      ImmutableSet.of(
          "acos",
          "acosh",
          "asin",
          "asinh",
          "atan",
          "atanh",
          "cbrt",
          "cosh",
          "cosine",
          "erf",
          "exponential",
          "exponential-minus-one",
          "log",
          "log-plus-one",
          "logistic",
          "rsqrt",
          "sine",
          "sinh",
          "sqrt",
          "tan",
          "tanh");

  private KeptAttributes() {}

  // Of modules.

  /** Refuses a header attribute that is malformed, or whose name is similar to a known one. */
  static void checkHeader(String name, int position, Lexer value) {
    Consumer<Lexer> form = HEADER.get(name);
    if (form == null) {
      String nearest = Nearest.to(name, HEADER.keySet());
      if (!nearest.isEmpty()) {
        throw new ParseException(
            position, "got " + name + ", want an attribute of HloModule", nearest);
      }
      return;
    }
    form.accept(value);
    value.expectEnd("the end of " + name);
  }

  private static void list(Lexer text, Consumer<Lexer> element) {
    text.expect("{", "{");
    while (!text.accept("}")) {
      element.accept(text);
      if (!text.accept(",") && text.peek() != '}') {
        throw text.wanted(", or }");
      }
    }
  }

  private static void truth(Lexer text) {
    if (!text.acceptWord("true") && !text.acceptWord("false")) {
      throw text.wanted("true or false");
    }
  }

  private static void truths(Lexer text) {
    if (text.peek() == '{') {
      list(text, KeptAttributes::truth);
    } else {
      truth(text);
    }
  }

  /** {@code {0}: (1, {}, may-alias)}. */
  private static void alias(Lexer text) {
    Codec.parseDims(text);
    text.expect(":", ": and the parameter");
    text.expect("(", "( and the number of the parameter");
    text.smallInteger("the number of the parameter");
    text.expect(",", ", and the index in the parameter");
    Codec.parseDims(text);
    if (text.accept(",") && !text.acceptWord("may-alias") && !text.acceptWord("must-alias")) {
      throw text.wanted("may-alias or must-alias");
    }
    text.expect(")", ")");
  }

  /** {@code (1, {0})}. */
  private static void donor(Lexer text) {
    text.expect("(", "( and the number of the parameter");
    text.smallInteger("the number of the parameter");
    text.expect(",", ", and the index in the parameter");
    Codec.parseDims(text);
    text.expect(")", ")");
  }

  /** Returns frontend attributes as XLA prints them, in the order of their names. */
  static String frontendAttributes(Lexer text) {
    Map<String, String> attributes = new HashMap<>();
    list(
        text,
        element -> {
          String name = element.name("the name of an attribute, or }");
          element.expect("=", "= and a value");
          attributes.put(name, frontendValue(element));
        });
    return AttributeText.frontendAttributes(attributes);
  }

  private static String frontendValue(Lexer text) {
    int start = text.skipBlanks();
    if (text.here() != '{') {
      return text.string("a string in quotes, or {");
    }
    text.skipBracketed();
    return text.substring(start, text.position());
  }

  // Of instructions.

  /** Refuses attributes that contradict their instruction. */
  static void check(AttributeReader attributes, String opcode, Shape shape) {
    attributes.check(
        "result_accuracy",
        (value, name) -> {
          if (!ACCURATE.contains(opcode)) {
            throw new ParseException(name, "got result_accuracy, want an attribute of " + opcode);
          }
          accuracy(value);
        });
    attributes.check(
        "parameter_replication", (value, name) -> replication(name, value, leaves(shape)));
  }

  /** {@code {mode=highest}} or <code>{tolerance={atol=0,rtol=1e-3,ulps=2}}</code>. */
  private static void accuracy(Lexer text) {
    text.expect("{", "{");
    if (text.acceptWord("mode")) {
      text.expect("=", "= and the mode");
      int start = text.skipBlanks();
      String mode = Ascii.toLowerCase(text.word());
      if (!mode.equals("default") && !mode.equals("highest")) {
        text.moveTo(start);
        throw text.wanted("default or highest");
      }
    } else if (text.acceptWord("tolerance")) {
      text.expect("=", "= and {");
      list(text, KeptAttributes::tolerance);
    } else {
      throw text.wanted("mode= or tolerance=");
    }
    text.expect("}", "}");
  }

  private static void tolerance(Lexer text) {
    if (!text.acceptWord("atol") && !text.acceptWord("rtol") && !text.acceptWord("ulps")) {
      throw text.wanted("atol, rtol or ulps");
    }
    text.expect("=", "= and a number");
    if (text.number().isEmpty()) {
      throw text.wanted("a number");
    }
  }

  private static void replication(int name, Lexer text, long leaves) {
    int[] count = {0};
    list(
        text,
        element -> {
          truth(element);
          count[0]++;
        });
    if (count[0] != leaves) {
      throw new ParseException(
          name,
          "got "
              + count[0]
              + " in parameter_replication, want one for each of "
              + leaves
              + " arrays");
    }
  }

  private static long leaves(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().mapToLong(KeptAttributes::leaves).sum()
        : 1;
  }
}
