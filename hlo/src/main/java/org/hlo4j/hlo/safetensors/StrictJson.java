package org.hlo4j.hlo.safetensors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableLongArray;
import com.google.common.primitives.Longs;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;

/** A reader of JSON, value by value, that refuses duplicate names in an object. */
final class StrictJson {
  /** A reader of a complete JSON document. */
  interface Whole<T> {
    T read(StrictJson json) throws IOException;
  }

  /** A reader of the value of a name. */
  interface Entry {
    void read(String name) throws IOException;
  }

  private static final Pattern PLACE = Pattern.compile(" at line \\d+ column \\d+");

  private final JsonReader json;

  private StrictJson(JsonReader json) {
    this.json = json;
  }

  /**
   * Reads a JSON document without trailing data.
   *
   * @param bytes UTF-8
   * @param what its name in messages
   */
  static <T> T read(byte[] bytes, String what, Whole<T> whole) throws IOException {
    try (JsonReader json =
        new JsonReader(
            new InputStreamReader(new ByteArrayInputStream(bytes), UTF_8.newDecoder()))) {
      json.setStrictness(Strictness.STRICT);
      T value = whole.read(new StrictJson(json));
      require(json.peek() == JsonToken.END_DOCUMENT, "", "%s: got more behind the JSON", what);
      return value;
    } catch (CharacterCodingException garbled) {
      throw new HloException("", what + ": got bytes that are no UTF-8, want JSON");
    } catch (EOFException end) {
      throw new HloException("", what + ": got JSON that is cut short, want the whole");
    } catch (MalformedJsonException malformed) {
      throw new HloException("", what + ": got what is no JSON" + place(malformed));
    }
  }

  /** Returns the line and column from Gson's message, without its advice. */
  private static String place(MalformedJsonException malformed) {
    Matcher place = PLACE.matcher(String.valueOf(malformed.getMessage()));
    return place.find() ? place.group() : "";
  }

  /** Reads an object, entry by entry. */
  void object(Entry entry) throws IOException {
    want(JsonToken.BEGIN_OBJECT, "value", "an object");
    Set<String> names = new HashSet<>();
    json.beginObject();
    while (json.hasNext()) {
      String name = json.nextName();
      require(names.add(name), "", "got the name %s twice, want each once", name);
      entry.read(name);
    }
    json.endObject();
  }

  /** Returns the entries of an object of strings. */
  ImmutableMap<String, String> strings() throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    object(name -> all.put(name, string(name)));
    return ImmutableMap.copyOf(all);
  }

  /** Consumes null if it is the next value, and returns whether it was. */
  boolean isNull() throws IOException {
    boolean isNull = json.peek() == JsonToken.NULL;
    if (isNull) {
      json.nextNull();
    }
    return isNull;
  }

  String string(String name) throws IOException {
    want(JsonToken.STRING, name, "a string");
    return json.nextString();
  }

  /** Returns the text of a string, a number or a boolean; another value is skipped. */
  Optional<String> text() throws IOException {
    return switch (json.peek()) {
      case STRING, NUMBER -> Optional.of(json.nextString());
      case BOOLEAN -> Optional.of(Boolean.toString(json.nextBoolean()));
      default -> {
        json.skipValue();
        yield Optional.empty();
      }
    };
  }

  /** Returns an array of integers. */
  ImmutableLongArray numbers(String name) throws IOException {
    want(JsonToken.BEGIN_ARRAY, name, "an array");
    ImmutableLongArray.Builder numbers = ImmutableLongArray.builder();
    json.beginArray();
    while (json.hasNext()) {
      want(JsonToken.NUMBER, name, "integers");
      numbers.add(number(name, json.nextString()));
    }
    json.endArray();
    return numbers.build();
  }

  private static long number(String name, String digits) {
    Long number = Longs.tryParse(digits);
    if (number == null) {
      throw new HloException("", name + " got " + digits + ", want integers below 2^63");
    }
    return number;
  }

  void skip() throws IOException {
    json.skipValue();
  }

  private void want(JsonToken token, String name, String wanted) throws IOException {
    JsonToken got = json.peek();
    require(got == token, "", "%s got %s, want %s", name, got, wanted);
  }
}
