package org.hlo4j.tools.graph;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.hlo4j.hlo.text.Parser;

/** Pages of {@code print -f html}, and the programs embedded in them. */
public final class GraphPages {
  private GraphPages() {}

  static String page(String hlo) {
    return HtmlGraph.print(Parser.parse(hlo));
  }

  /** Returns the text of a part of a page, as its scripts read it. */
  static String part(String page, String id) {
    String begin = "id=\"" + id + "\">";
    int from = page.indexOf(begin) + begin.length();
    byte[] bytes = Base64.getDecoder().decode(page.substring(from, page.indexOf('<', from)));
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  public static JsonElement program(String page) {
    return JsonParser.parseString(part(page, "program"));
  }

  /** Returns the items drawn for the entry, such as {@code [0,["layer",[1,2]]]}. */
  static String items(String hlo) {
    for (JsonElement computation :
        program(page(hlo)).getAsJsonObject().getAsJsonArray("computations")) {
      if (computation.getAsJsonObject().get("entry").getAsBoolean()) {
        return computation.getAsJsonObject().get("items").toString().replace('"', '\'');
      }
    }
    return "";
  }
}
