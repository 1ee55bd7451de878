package org.hlo4j.tools.graph;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.stream.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A self-contained HTML page that draws the graph of a program, without a server or a network. It
 * is the page {@code graph.html} with its style, its scripts, the library for graph layout, and the
 * program as JSON. The library and the program are embedded as gzip in base 64, so that no text of
 * the program can break out of the page.
 */
public final class HtmlGraph {
  /** A placeholder for a part of the page. */
  private static final Pattern PART = Pattern.compile("@(title|program|[\\w.-]+\\.(?:css|js|gz))@");

  private final HloModule module;
  private final Map<HloInstruction, Double> shares;

  private HtmlGraph(HloModule module, Map<HloInstruction, Double> shares) {
    this.module = module;
    this.shares = shares;
  }

  /** Returns the page. */
  public static String print(HloModule module) {
    return print(module, Map.of());
  }

  /**
   * Returns the page with instructions coloured by their parts of the time of a profile.
   *
   * @param shares the parts, between 0 and 1; 0 for an instruction that is not in it
   */
  public static String print(HloModule module, Map<HloInstruction, Double> shares) {
    return new HtmlGraph(module, shares).page();
  }

  private String page() {
    String page = new String(resource("graph.html"), UTF_8);
    return PART.matcher(page).replaceAll(part -> Matcher.quoteReplacement(part(part)));
  }

  private String part(MatchResult part) {
    String name = part.group(1);
    return switch (name) {
      case "title" -> module.name().replace("&", "&amp;").replace("<", "&lt;");
      case "program" -> base64(program());
      default -> name.endsWith(".gz") ? base64(resource(name)) : new String(resource(name), UTF_8);
    };
  }

  private byte[] program() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonWriter json =
        new JsonWriter(new OutputStreamWriter(new GZIPOutputStream(bytes), UTF_8))) {
      new GraphJson(module, shares).write(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] resource(String name) {
    try (InputStream file = HtmlGraph.class.getResourceAsStream(name)) {
      return file.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
