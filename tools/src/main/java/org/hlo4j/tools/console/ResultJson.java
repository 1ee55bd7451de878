package org.hlo4j.tools.console;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** The results of a run as JSON: an object for each array, with tuples flattened. */
public final class ResultJson {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?(e[+-]?\\d+)?");

  private static final Splitter PARTS = Splitter.on(CharMatcher.anyOf("(), ")).omitEmptyStrings();

  private final Optional<Integer> device;
  private final Optional<Path> folder;
  private final long maxShown;
  private final JsonArray results;
  private int arrays;

  /**
   * Creates a writer that adds to a JSON array.
   *
   * @param results the JSON array that an object is added to for each array
   * @param device the device of the results, if there are several
   * @param folder the folder to which {@link Results#write} writes them
   * @param maxShown the largest number of elements of an array that is listed
   */
  public ResultJson(
      JsonArray results, Optional<Integer> device, Optional<Path> folder, long maxShown) {
    this.results = results;
    this.device = device;
    this.folder = folder;
    this.maxShown = maxShown;
  }

  /** Adds a value and all its tuple elements, each with its index path. */
  public void add(Literal value, String index) {
    if (value.shape() instanceof Shape.Tuple) {
      for (int i = 0; i < value.elements().size(); i++) {
        add(value.element(i), index.isEmpty() ? "" + i : index + "." + i);
      }
      return;
    }
    JsonObject json = new JsonObject();
    device.ifPresent(number -> json.addProperty("device", number));
    json.addProperty("index", index);
    json.addProperty("shape", value.shape().toString());
    if (value.shape() instanceof Shape.Array shape) {
      addArray(json, value, shape);
    }
    results.add(json);
  }

  private void addArray(JsonObject json, Literal value, Shape.Array shape) {
    json.addProperty("type", shape.elementType().toString());
    JsonArray sizes = new JsonArray();
    shape.sizes().stream().forEach(sizes::add);
    json.add("sizes", sizes);
    if (shape.elementCount() <= maxShown) {
      JsonArray elements = new JsonArray();
      for (int i = 0; i < shape.elementCount(); i++) {
        elements.add(element(value, shape, i));
      }
      json.add("values", elements);
    }
    folder.ifPresent(path -> json.addProperty("file", path.resolve(arrays + ".npy").toString()));
    arrays++;
  }

  private static JsonElement element(Literal value, Shape.Array shape, int linear) {
    if (shape.elementType() == ElementType.PRED) {
      return new JsonPrimitive(value.booleanAt(linear));
    }
    if (!shape.elementType().isComplex()) {
      return number(ValueText.element(value, shape, linear));
    }
    JsonArray parts = new JsonArray();
    PARTS
        .splitToStream(ValueText.element(value, shape, linear))
        .forEach(part -> parts.add(number(part)));
    return parts;
  }

  /**
   * Returns a number as HLO text writes it. NaN and infinities, which JSON has no numbers for,
   * become strings.
   */
  private static JsonPrimitive number(String text) {
    if (!NUMBER.matcher(text).matches()) {
      return new JsonPrimitive(text);
    }
    BigDecimal number = new BigDecimal(text);
    boolean isNegativeZero = number.signum() == 0 && text.startsWith("-");
    return isNegativeZero ? new JsonPrimitive(-0.0) : new JsonPrimitive(number);
  }
}
