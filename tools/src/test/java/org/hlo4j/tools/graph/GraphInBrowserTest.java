package org.hlo4j.tools.graph;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operates the page of a graph in a browser; skipped without Chromium. */
@Tag("thorough")
class GraphInBrowserTest {
  private static final String HEADING = "document.querySelector('#panel h2').textContent";
  private static final String PANEL = "document.getElementById('panel').innerText";
  private static final String COUNTS = "document.getElementById('counts').textContent";
  private static final String STATUS = "document.getElementById('status').textContent";
  private static final String OPEN_MORE = "byId('open-all').click()";
  private static final String LEAVES = "model.leaves().length";

  /** Two layers of 40 instructions; odd ones also use the instruction two before them. */
  private static final String LAYERS =
      """
      HloModule layers
      <big> { a = f32[] parameter(0) b = f32[] negate(a) c = f32[] negate(b) d = f32[] add(c, a)
        ROOT e = f32[] negate(d) }
      ENTRY main {
        x = f32[] parameter(0)
        half = f32[] constant(0.5)
        n0 = f32[] call(x), to_apply=<big>, metadata={op_name="jit(f)/layer_0/call"}
      """
          + IntStream.range(1, 80)
              .mapToObj(i ->
                  "n%d = f32[] add(n%d, %s), metadata={op_name=\"jit(f)/layer_%d/add\" %s}\n"
                      .formatted(
                          i,
                          i - 1,
                          i % 2 == 1 && i > 1 ? "n" + (i - 2) : "half",
                          i / 40,
                          "source_file=\"/m/a b.py\" source_line=7"))
              .collect(Collectors.joining())
          + "ROOT y = f32[] add(n79, x), metadata={op_name=\"jit(f)/add\"}\n}\n";

  /** Counts the boxes that edges cross without starting or ending there. */
  private static final String RUN_UNDER =
      """
      drawing.edges.flatMap(e => e.points.slice(1).flatMap((b, i) => drawing.items.filter(item => {
        const a = e.points[i], {x, y, width, height} = item.box;
        return !item.open && item !== e.from && item !== e.to &&
          Math.max(a.x, b.x) > x && Math.min(a.x, b.x) < x + width &&
          Math.max(a.y, b.y) > y && Math.min(a.y, b.y) < y + height; }))).length
      """;

  private static @Nullable Browser started;

  @TempDir Path folder;

  private static Browser browser() {
    assumeTrue(started != null, "no Chromium on the path");
    return started;
  }

  @BeforeAll
  static void start() throws IOException {
    Optional<Path> chromium = Browser.find();
    started = chromium.isPresent() ? Browser.start(chromium.get()) : null;
  }

  @AfterAll
  static void stop() throws IOException {
    if (started != null) {
      started.close();
      assertThat(started.failures()).isEmpty();
    }
  }

  private void open(String hlo, String fragment) throws IOException {
    open(hlo, fragment, "");
  }

  /** Opens the page of a program with a script that runs before the page has read the program. */
  private void open(String hlo, String fragment, String early) throws IOException {
    show(GraphPages.page(hlo.replace("<big>", "big")), fragment, early);
  }

  private void show(String text, String fragment, String early) throws IOException {
    Browser browser = browser();
    Path page = folder.resolve("page.html");
    Files.writeString(page, text.replace("</body>", "<script>" + early + "</script></body>"));
    browser.open(page, fragment);
  }

  private static void awaitCounts(String wanted) {
    assertThat(browser().await(COUNTS, wanted)).isEqualTo(wanted);
  }

  private static String drawn(String name) {
    return "document.getElementById(model.itemOf(model.program.byName.get('" + name + "')).id)";
  }

  @Test
  void opensSelectsAndSearches() throws IOException {
    open(LAYERS, "");
    assertThat(browser().evaluate(COUNTS)).isEqualTo("4 boxes of 88 instructions");
    assertThat(browser().evaluate(HEADING)).isEqualTo("layers");

    browser().click("document.querySelector('.group:not(.open)')", 2);
    awaitCounts("43 boxes of 88 instructions");
    assertThat(browser().evaluate(HEADING)).isEqualTo("layer_0");
    assertThat(browser().evaluate(RUN_UNDER)).isEqualTo("0");

    browser().evaluate("drawing.center(model.itemOf(model.program.byName.get('n4')))");
    browser().click(drawn("n4"), 1);
    assertThat(browser().evaluate(HEADING)).isEqualTo("n4");
    assertThat(browser().evaluate("location.hash")).isEqualTo("#n4");
    assertThat(browser().evaluate(PANEL).lines().filter(line -> !line.isBlank()))
        .containsExactly(
            "n4",
            "add",
            "shape",
            "f32[]",
            "with layout",
            "f32[]",
            "computation",
            "main (entry)",
            "op_name",
            "jit(f)/layer_0/add",
            "source",
            "/m/a b.py:7",
            "Operands (2)",
            "0: n3 f32[]",
            "1: half 0.5 f32[]",
            "Users (1)",
            "n5 f32[]",
            "Text",
            "%n4 = f32[] add(%n3, %half), metadata={op_name=\"jit(f)/layer_0/add\""
                + " source_file=\"/m/a b.py\" source_line=7}")
        .inOrder();
    assertThat(browser().evaluate("document.querySelector('#panel a[href^=vscode]').href"))
        .isEqualTo("vscode://file/m/a%20b.py:7");

    browser().press("ArrowUp");
    assertThat(browser().evaluate(HEADING)).isEqualTo("n3");
    browser().press("/");
    browser().type("layer_1 n61");
    assertThat(browser().evaluate("document.querySelector('#hits .sum').textContent"))
        .isEqualTo("3 found");
    browser().press("Enter");
    awaitCounts("82 boxes of 88 instructions");
    assertThat(browser().evaluate(HEADING)).isEqualTo("n61");
    assertThat(browser().evaluate(RUN_UNDER)).isEqualTo("0");
    assertThat(browser().evaluate("drawing.toSvg()")).contains(">n61</text>");
  }

  @Test
  void boxesOfMovementOpsShowTheirDimensions() throws IOException {
    open(
        """
        HloModule moves
        ENTRY main {
          x = f32[2,3] parameter(0)
          z = f32[] constant(0)
          t = f32[3,2] transpose(x), dimensions={1,0}
          s = f32[2,2] slice(t), slice={[0:2], [0:2]}
          p = f32[4,2] pad(s, z), padding=1_1x0_0
          b = f32[4,2] broadcast(z), dimensions={}
          w = f32[8] reshape(p)
          ROOT r = (f32[8], f32[4,2]) tuple(w, b)
        }
        """,
        "");
    assertThat(browser().evaluate("model.program.entry.nodes.map(movementOf).join('|')"))
        .isEqualTo("||dimensions={1,0}|slice={[0:2], [0:2]}|padding=1_1x0_0|||");
    assertThat(browser().evaluate(PANEL)).contains("8 instructions in 1 computation\n");
  }

  /** The colour of a closed box is that of all in it; three instructions have times. */
  @Test
  void boxesShowTheirPartOfTheTime() throws IOException {
    HloModule module = Parser.parse(LAYERS.replace("<big>", "big"));
    Map<String, Double> shares = Map.of("n4", 0.25, "n5", 0.11, "n41", 0.64);
    Map<HloInstruction, Double> byInstruction =
        module.entry().instructions().stream()
            .filter(instruction -> shares.containsKey(instruction.name()))
            .collect(toImmutableMap(one -> one, one -> shares.get(one.name())));
    show(HtmlGraph.print(module, byInstruction), "", "");
    assertThat(browser().await(COUNTS, "4 boxes of 88 instructions"))
        .isEqualTo("4 boxes of 88 instructions");
    String opacities =
        "[...document.querySelectorAll('.group:not(.open) > rect')].map(r => r.style.fillOpacity)"
            + ".join(' ')";
    assertThat(browser().evaluate(opacities)).isEqualTo("0.6 0.8");
    assertThat(browser().evaluate("drawing.toSvg()")).contains("64.0 % of the time");
    browser().click("document.querySelector('.group:not(.open)')", 2);
    awaitCounts("43 boxes of 88 instructions");
    assertThat(browser().evaluate(drawn("n4") + ".firstChild.style.fillOpacity")).isEqualTo("0.5");
    assertThat(browser().evaluate(drawn("n3") + ".firstChild.style.fillOpacity")).isEmpty();
    browser().evaluate("select(model.itemOf(model.program.byName.get('n4')))");
    assertThat(browser().evaluate(PANEL)).containsMatch("time\\s+25\\.0 %");
  }

  @Test
  void nothingThatIsPressedEarlyIsLost() throws IOException {
    open(LAYERS, "#n4", OPEN_MORE);
    awaitCounts("86 boxes of 88 instructions");
    assertThat(browser().evaluate(HEADING)).isEqualTo("n4");

    open(LAYERS, "", OPEN_MORE + ";" + OPEN_MORE);
    awaitCounts("86 boxes of 88 instructions");

    open(LAYERS, "", "search.value = 'x'; find().then(() => pick(hits.firstChild))");
    assertThat(browser().await("drawing.isDrawn(selected) && " + HEADING, "x")).isEqualTo("x");
  }

  @Test
  void groupsOpenedAtOnceAreDrawnTogether() throws IOException {
    open(LAYERS, "");
    browser().evaluate("model.leaves().filter(item => !item.node).forEach(item => toggle(item))");
    awaitCounts("82 boxes of 88 instructions");
    assertThat(browser().evaluate("drawing.items.filter(i => !i.open).length + ' ' + " + LEAVES))
        .isEqualTo("82 82");
  }

  @Test
  void layoutThatFailsIsTriedAgain() throws IOException {
    open(LAYERS, "");
    browser().evaluate("EFFORTS.slice(0, -1).forEach(effort => { effort.seconds = 0; })");
    browser().evaluate(OPEN_MORE);
    awaitCounts("82 boxes of 88 instructions");
  }

  @Test
  void layoutThatFailsAtLastLeavesWhatIsDrawn() throws IOException {
    open(LAYERS, "");
    browser().evaluate("EFFORTS.forEach(effort => { effort.seconds = 0; })");
    browser().evaluate(OPEN_MORE);
    String took = "layout: took more than 0 s";
    assertThat(browser().await(STATUS, took)).isEqualTo(took);
    assertThat(browser().evaluate(LEAVES + " + ' of ' + " + COUNTS))
        .isEqualTo("4 of 4 boxes of 88 instructions");

    browser().evaluate("EFFORTS.forEach(effort => { effort.seconds = 60; })");
    browser().evaluate(OPEN_MORE);
    awaitCounts("82 boxes of 88 instructions");
  }

  /** Steps of 20 instructions down and up again, where each step up uses one of the step down. */
  private static String valley(int steps) {
    StringBuilder lines =
        new StringBuilder("HloModule valley\nENTRY main {\nx = f32[] parameter(0)\n");
    for (int i = 1; i <= 40 * steps; i++) {
      int step = (i - 1) / 20 < steps ? (i - 1) / 20 : 2 * steps - 1 - (i - 1) / 20;
      String before = i == 1 ? "x" : "n" + (i - 1);
      String mirrored = i <= 20 * steps ? before : "n" + (40 * steps + 1 - i);
      lines.append(
          "%s n%d = f32[] add(%s, %s), metadata={op_name=\"jit(f)/%s/step_%d/part_%d/add\"}\n"
              .formatted(
                  i == 40 * steps ? "ROOT" : "",
                  i,
                  before,
                  mirrored,
                  i <= 20 * steps ? "down" : "up",
                  step,
                  (i - 1) % 20 / 10));
    }
    return lines + "}\n";
  }

  /** Opens all that there is room for; the times are printed, for a machine may be busy. */
  @ParameterizedTest
  @ValueSource(ints = {2_000, 10_000})
  @EnabledIfSystemProperty(named = "hlo4j.test.graphs", matches = "true")
  void largeGraphsOpen(int instructions) throws IOException {
    open(valley(instructions / 40), "", OPEN_MORE);
    String busy = "layout.isBusy";
    browser().await(busy, "false");
    for (int press = 2; !browser().evaluate(STATUS).equals("no more to open"); press++) {
      long start = System.nanoTime();
      browser().evaluate(OPEN_MORE);
      assertThat(browser().await(busy, "false")).isEqualTo("false");
      System.out.printf(
          "press %d: %s, %.1f s%n",
          press, browser().evaluate(COUNTS), (System.nanoTime() - start) / 1e9);
      assertThat(browser().evaluate(COUNTS))
          .isEqualTo(
              browser()
                  .evaluate(LEAVES + " + ' boxes of ' + model.program.total + ' instructions'"));
      assertThat(browser().evaluate(STATUS)).doesNotContain("layout:");
    }
  }

  @Test
  void linksOpenCalledComputations() throws IOException {
    open(LAYERS, "#c");
    assertThat(browser().evaluate(HEADING)).isEqualTo("c");
    assertThat(browser().evaluate(PANEL)).contains("big, called by n0");
    assertThat(browser().evaluate(COUNTS)).isEqualTo("47 boxes of 88 instructions");
    assertThat(browser().evaluate(RUN_UNDER)).isEqualTo("0");
    open(LAYERS, "#%zz");
    assertThat(browser().evaluate(HEADING)).isEqualTo("layers");
  }

  @Test
  void loopComputationsShowTheirRoles() throws IOException {
    open(
        """
        HloModule loop
        c { p = s32[] parameter(0) k = s32[] constant(9) ROOT l = pred[] compare(p, k), direction=LT }
        b { q = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(q, one) }
        ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=c, body=b }
        """,
        "#r");
    assertThat(browser().evaluate("drawing.items.filter(i => !i.node).map(i => i.label).sort()"))
        .isEqualTo("body: b,condition: c");
  }

  /** A pinch whose fingers start on the empty background. */
  @Test
  void pinchZooms() throws IOException {
    open(LAYERS, "");
    String before = browser().evaluate("drawing.scale.toFixed(3)");
    browser()
        .evaluate(
            """
            [['down', 1, 100], ['down', 2, 200], ['move', 1, 90], ['move', 2, 290]].forEach(
              ([type, pointerId, clientX]) => canvas.dispatchEvent(new PointerEvent('pointer' + type,
                {pointerId, clientX, clientY: 300, pointerType: 'touch', button: 0, bubbles: true})))
            """);
    assertThat(browser().evaluate("(drawing.scale / %s).toFixed(2)".formatted(before)))
        .isEqualTo("2.00");
  }

  @Test
  void programTextIsEscaped() throws IOException {
    open(
        """
        HloModule m
        ENTRY e {
          x = f32[] parameter(0)
          ROOT y = f32[] negate(x), metadata={op_name="</script><img src=x onerror=alert(1)>'\\"/n"
            source_file="/a?b#c%.py" source_line=1}
        }
        """,
        "#y");
    assertThat(browser().evaluate("document.images.length")).isEqualTo("0");
    assertThat(browser().evaluate(PANEL)).contains("</script><img src=x onerror=alert(1)>'\"/n");
    assertThat(browser().evaluate("document.querySelector('#panel a[href^=vscode]').href"))
        .isEqualTo("vscode://file/a%3Fb%23c%25.py:1");
  }
}
