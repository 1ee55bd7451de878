package org.hlo4j.stablehlo.dialect;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.Type;

/** How Shardy encodes its attributes in bytecode; they are kept as the text writes them. */
final class SdyEncoding implements DialectEncoding {
  static final SdyEncoding INSTANCE = new SdyEncoding();

  private SdyEncoding() {}

  @Override
  public Attribute attribute(EntryReader in) {
    int code = in.code();
    return switch (code) {
      case 0 -> new Attribute.Verbatim("sdy", "<manual_axes{" + strings(in) + "}>");
      case 1 -> kept("mesh_axis", MlirText.quoted(in.string()) + "=" + in.signed());
      case 2 -> mesh(in);
      case 3 -> kept("sub_axis_info", "(" + in.signed() + ")" + in.signed());
      case 4 -> kept("axis_ref", axis(in));
      case 5 -> kept("dimension_sharding", dimension(in));
      case 6 -> kept("sharding", sharding(in, false));
      case 7, 16 -> kept("sharding_per_value", "[" + shardings(in) + "]");
      case 11 -> kept("axis_ref_list", "{" + bodies(in.attributes()) + "}");
      case 12 -> kept("list_of_axis_ref_lists", "[" + bodies(in.attributes()) + "]");
      case 15 -> kept("sharding", sharding(in, true));
      default -> throw in.refusal("got code %s of the dialect sdy, which is not known", code);
    };
  }

  private static Attribute kept(String mnemonic, String body) {
    return new Attribute.Verbatim("sdy", "." + mnemonic + "<" + body + ">");
  }

  private static Attribute mesh(EntryReader in) {
    String axes = "[" + bodies(in.attributes()) + "]";
    ImmutableList<Long> devices = in.signedList();
    return kept("mesh", devices.isEmpty() ? axes : axes + ", device_ids=" + devices);
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

  private static String sharding(EntryReader in, boolean unreduced) {
    Attribute mesh = in.attribute();
    String place = mesh instanceof Attribute.Symbol ? mesh.toString() : "mesh<" + body(mesh) + ">";
    StringBuilder text = new StringBuilder(place).append(", [");
    text.append(bodies(in.attributes())).append(']');
    appendAxes(text, "replicated", in.attributes());
    if (unreduced) {
      appendAxes(text, "unreduced", in.attributes());
    }
    return text.toString();
  }

  private static void appendAxes(StringBuilder text, String name, ImmutableList<Attribute> axes) {
    if (!axes.isEmpty()) {
      text.append(", ").append(name).append("={").append(bodies(axes)).append('}');
    }
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

  /** What is between the angle brackets. */
  private static String body(Attribute attribute) {
    String text = attribute.toString();
    int open = text.indexOf('<');
    return open < 0 ? text : text.substring(open + 1, text.length() - 1);
  }

  @Override
  public Type type(EntryReader in) {
    throw in.refusal("got a type of the dialect sdy, which has none");
  }
}
