package org.hlo4j.tools.graph;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A headless Chromium, controlled over the pipe of the DevTools protocol: JSON messages, each
 * terminated by a zero byte.
 */
final class Browser implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private final Process process;
  private final Path profile;
  private final BlockingQueue<JsonObject> messages = new LinkedBlockingQueue<>();
  private final List<String> failures = new ArrayList<>();
  private String session = "";
  private int sent;

  private Browser(Process process, Path profile) {
    this.process = process;
    this.profile = profile;
    Thread.ofPlatform().daemon().start(this::readAll);
  }

  /** Finds the browser's executable on the path. */
  static Optional<Path> find() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts the browser with an empty profile and opens a page. */
  static Browser start(Path file) throws IOException {
    Path profile = Files.createTempDirectory("hlo4j-browser");
    String command =
        "exec \"$0\" --headless=new --no-sandbox --disable-gpu --no-first-run"
            + " --user-data-dir=\"$1\" --window-size=1400,1000 --remote-debugging-pipe"
            + " 3<&0 4>&1 1>&2";
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", command, file.toString(), profile.toString());
    Browser browser =
        new Browser(builder.redirectError(ProcessBuilder.Redirect.DISCARD).start(), profile);
    String target =
        browser.send("Target.createTarget", "{'url':'about:blank'}").get("targetId").getAsString();
    browser.session =
        browser
            .send("Target.attachToTarget", "{'targetId':'" + target + "','flatten':true}")
            .get("sessionId")
            .getAsString();
    browser.send("Runtime.enable", "{}");
    return browser;
  }

  /** Returns the errors thrown by scripts of the pages. */
  List<String> failures() {
    return failures;
  }

  /** Loads another page and waits until it reports that it is ready. */
  void open(Path page, String fragment) {
    send("Page.navigate", "{'url':'about:blank'}");
    send("Page.navigate", "{'url':'" + page.toUri() + fragment + "'}");
    await("document.documentElement.dataset.ready > 0", "true");
  }

  /** Returns the value of an expression, as text. */
  String evaluate(String expression) {
    JsonObject parameters = new JsonObject();
    parameters.addProperty("expression", "String(" + expression + ")");
    JsonObject answer = send("Runtime.evaluate", parameters);
    return answer.has("exceptionDetails")
        ? answer.get("exceptionDetails").toString()
        : answer.getAsJsonObject("result").get("value").getAsString();
  }

  /** Waits until an expression has the wanted value, and returns its last value. */
  String await(String expression, String wanted) {
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    String value = evaluate(expression);
    while (!value.equals(wanted) && System.nanoTime() < end) {
      sleep();
      value = evaluate(expression);
    }
    return value;
  }

  /** Clicks the middle of an element's first text, the given number of times. */
  void click(String element, int times) {
    String place = "(r => (r.x + r.width / 2) + ' ' + (r.y + r.height / 2))";
    String rectangle = "((" + element + ").querySelector('text').getBoundingClientRect())";
    List<String> at = Splitter.on(' ').splitToList(evaluate(place + rectangle));
    for (int i = 1; i <= times; i++) {
      for (String type : List.of("mousePressed", "mouseReleased")) {
        send(
            "Input.dispatchMouseEvent",
            "{'type':'%s','x':%s,'y':%s,'button':'left','buttons':1,'clickCount':%d}"
                .formatted(type, at.get(0), at.get(1), i));
      }
    }
  }

  void press(String key) {
    String text = key.length() == 1 ? ",'text':'" + key + "'" : "";
    send("Input.dispatchKeyEvent", "{'type':'keyDown','key':'" + key + "'" + text + "}");
    send("Input.dispatchKeyEvent", "{'type':'keyUp','key':'" + key + "'}");
  }

  void type(String text) {
    send("Input.insertText", "{'text':'" + text + "'}");
  }

  private JsonObject send(String method, String parameters) {
    return send(method, JsonParser.parseString(parameters.replace('\'', '"')).getAsJsonObject());
  }

  private JsonObject send(String method, JsonObject parameters) {
    JsonObject message = new JsonObject();
    message.addProperty("id", ++sent);
    message.addProperty("method", method);
    message.add("params", parameters);
    if (!session.isEmpty()) {
      message.addProperty("sessionId", session);
    }
    try {
      process.getOutputStream().write((message + "\0").getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
    return answer(method);
  }

  private JsonObject answer(String method) {
    while (true) {
      JsonObject message = next(method);
      JsonElement id = message.get("id");
      if (id != null && id.getAsInt() == sent) {
        if (!message.has("result")) {
          throw new IllegalStateException(method + ": " + message);
        }
        return message.getAsJsonObject("result");
      }
      if (message.toString().contains("Runtime.exceptionThrown")) {
        failures.add(message.toString());
      }
    }
  }

  private JsonObject next(String method) {
    try {
      JsonObject message = messages.poll(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
      if (message == null) {
        throw new IllegalStateException(method + ": no answer");
      }
      return message;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private void readAll() {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    try (InputStream in = process.getInputStream()) {
      for (int b = in.read(); b >= 0; b = in.read()) {
        if (b == 0) {
          messages.add(JsonParser.parseString(message.toString(UTF_8)).getAsJsonObject());
          message.reset();
        } else {
          message.write(b);
        }
      }
    } catch (IOException closed) {
      // The browser has ended.
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  @Override
  public void close() {
    try {
      send("Browser.close", "{}");
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      MoreFiles.deleteRecursively(profile, RecursiveDeleteOption.ALLOW_INSECURE);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException busy) {
      // A process of the browser still uses the folder, which is temporary.
    }
  }
}
