package org.hlo4j.interpreter.compiled.codegen;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LruCacheTest {
  private final LruCache<String, String> kept = new LruCache<>(2);
  private final List<String> made = new ArrayList<>();

  private String get(String key) {
    return kept.get(
        key,
        () -> {
          made.add(key);
          return key + "!";
        });
  }

  @Test
  void cachedValuesAreComputedOnce() {
    assertThat(get("a")).isEqualTo("a!");
    assertThat(get("a")).isEqualTo("a!");
    assertThat(made).containsExactly("a");
  }

  @Test
  void leastRecentlyUsedValueIsEvicted() {
    List.of("a", "b", "a", "c", "a", "b").forEach(this::get);
    assertThat(made).containsExactly("a", "b", "c", "b").inOrder();
  }

  @Test
  void failuresAreNotCached() {
    assertThrows(
        IllegalStateException.class,
        () ->
            kept.get(
                "a",
                () -> {
                  throw new IllegalStateException();
                }));
    assertThat(get("a")).isEqualTo("a!");
  }

  @Test
  void lookupsMayNest() {
    assertThat(kept.get("a", () -> get("b") + get("c"))).isEqualTo("b!c!");
    assertThat(made).containsExactly("b", "c").inOrder();
  }
}
