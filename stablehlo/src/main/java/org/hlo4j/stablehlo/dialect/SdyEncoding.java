package org.hlo4j.stablehlo.dialect;

import static java.util.stream.Collectors.joining;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The bytecode encoding of Shardy's attributes. They are kept as the text that Shardy prints for
 * them.
 */
final class SdyEncoding {
  static final DialectEncoding INSTANCE =
      new DialectEncoding(SdyEncoding::attribute, SdyEncoding::type);

  private static final CharMatcher MNEMONIC = CharMatcher.inRange('a', 'z').or(CharMatcher.is('_'));

  private SdyEncoding() {}

  private static Attribute attribute(int code, EntryReader in) {
    return switch (code) {
      case 0 -> bare("manual_axes", "{" + strings(in) + "}");
      case 1 -> verbatim("mesh_axis", MlirText.quoted(in.string()) + "=" + in.signed());
      case 2 -> mesh(in);
      case 3 -> verbatim("sub_axis_info", "(" + in.signed() + ")" + in.signed());
      case 4 -> bare("axis_ref", axis(in));
      case 5 -> verbatim("dimension_sharding", dimension(in));
      case 6 -> verbatim("sharding", sharding(in));
      case 7, 16 -> verbatim("sharding_per_value", "[" + shardings(in) + "]");
      case 8 -> verbatim("dim_mapping", factors(in.signedList(), ""));
      case 9 -> verbatim("tensor_mapping", "[" + bodies(in.attributes()) + "]");
      case 10 -> verbatim("op_sharding_rule", rule(in));
      case 11 -> bare("axis_ref_list", "{" + bodies(in.attributes()) + "}");
      case 12 -> bare("list_of_axis_ref_lists", "[" + bodies(in.attributes()) + "]");
      case 13 -> bare("all_to_all_param", allToAll(in));
      case 14 -> bare("all_to_all_param_list", "[" + bodies(in.attributes()) + "]");
      case 15 -> verbatim("sharding", sharding(in) + axes("unreduced=", in.attributes()));
      case 17 -> verbatim("sharding", reducedBy(sharding(in), in.attributes(), in.signed()));
      default -> throw in.refusal("got code %s of the dialect sdy, which is not known", code);
    };
  }

  private static Attribute verbatim(String mnemonic, String body) {
    return new Attribute.Verbatim("sdy", "." + mnemonic + "<" + body + ">");
  }

  /**
   * Returns an attribute in the form that MLIR prints for attributes without brackets of their own.
   */
  private static Attribute bare(String mnemonic, String body) {
    return new Attribute.Verbatim("sdy", "<" + mnemonic + body + ">");
  }

  private static Attribute mesh(EntryReader in) {
    String axes = "[" + bodies(in.attributes()) + "]";
    ImmutableList<Long> devices = in.signedList();
    return verbatim("mesh", devices.isEmpty() ? axes : axes + ", device_ids=" + devices);
  }

  private static String axis(EntryReader in) {
    String name = MlirText.quoted(in.string());
    return in.optionalAttribute().map(part -> name + ":" + body(part)).orElse(name);
  }

  private static String dimension(EntryReader in) {
    String axes = bodies(in.attributes());
    boolean closed = in.bool();
    String open = closed ? "" : axes.isEmpty() ? "?" : ", ?";
    long priority = in.varint();
    return "{" + axes + open + "}" + ((priority & 1) == 0 ? "" : "p" + (priority >>> 1));
  }

  private static String sharding(EntryReader in) {
    Attribute mesh = in.attribute();
    String place = mesh instanceof Attribute.Symbol ? mesh.toString() : "mesh<" + body(mesh) + ">";
    String dimensions = ", [" + bodies(in.attributes()) + "]";
    return place + dimensions + axes("replicated=", in.attributes());
  }

  private static String axes(String name, ImmutableList<Attribute> axes) {
    return axes.isEmpty() ? "" : ", " + name + "{" + bodies(axes) + "}";
  }

  /**
   * Returns the text of a sharding with its pending reduction: 0 is a sum, 1 a maximum, 2 a
   * minimum.
   */
  private static String reducedBy(
      String sharding, ImmutableList<Attribute> unreduced, long reduction) {
    String name = reduction == 1 ? "max" : reduction == 2 ? "min" : "";
    return sharding + axes("unreduced=" + name, unreduced);
  }

  private static String allToAll(EntryReader in) {
    return "{" + bodies(in.attributes()) + "}: " + in.signed() + "->" + in.signed();
  }

  /**
   * Reads a sharding rule, {@code ([i, k], [k, j])->([i, j]) {i=4, j=2, k=8} reduction={k}}: the
   * factors of the dimensions of operands and results, and the sizes of the factors.
   */
  private static String rule(EntryReader in) {
    ImmutableList<Long> sizes = in.signedList();
    StringBuilder text = new StringBuilder("(").append(bodies(in.attributes()));
    text.append(")->(").append(bodies(in.attributes())).append(')');
    if (!sizes.isEmpty()) {
      text.append(
          IntStream.range(0, sizes.size())
              .mapToObj(i -> factor(i) + "=" + sizes.get(i))
              .collect(joining(", ", " {", "}")));
    }
    for (String kind :
        List.of("reduction", "need_replication", "permutation", "blocked_propagation")) {
      ImmutableList<Long> factors = in.signedList();
      text.append(factors.isEmpty() ? "" : " " + kind + "={" + factors(factors, ", ") + "}");
    }
    return text.append(in.bool() ? ", custom" : "").toString();
  }

  private static String factors(List<Long> factors, String separator) {
    return factors.stream().map(SdyEncoding::factor).collect(joining(separator));
  }

  /** Returns the name of a factor: i to z, then z_1, z_2 and so on. */
  private static String factor(long number) {
    int letters = 'z' - 'i';
    return number <= letters ? String.valueOf((char) ('i' + number)) : "z_" + (number - letters);
  }

  private static String shardings(EntryReader in) {
    return in.attributes().stream().map(each -> "<" + body(each) + ">").collect(joining(", "));
  }

  private static String strings(EntryReader in) {
    return in.attributes().stream().map(Attribute::toString).collect(joining(", "));
  }

  private static String bodies(ImmutableList<Attribute> attributes) {
    return attributes.stream().map(SdyEncoding::body).collect(joining(", "));
  }

  /** Returns the text between the angle brackets, without the mnemonic. */
  private static String body(Attribute attribute) {
    String text = attribute.toString();
    int open = text.indexOf('<');
    if (open < 0) {
      return text;
    }
    boolean isBare = attribute instanceof Attribute.Verbatim kept && kept.body().startsWith("<");
    String inside = text.substring(open + 1, text.length() - 1);
    return isBare ? MNEMONIC.trimLeadingFrom(inside) : inside;
  }

  private static Type type(int code, EntryReader in) {
    throw in.refusal("got a type of the dialect sdy, which has none");
  }
}
