package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableMap;

/**
 * Options of a client, by the names that the plugin gives them. They do not change.
 *
 * @param values by name: String, Long, {@code long[]}, Float or Boolean
 */
public record PjrtOptions(ImmutableMap<String, Object> values) {
  /** No option: the plugin's own settings. */
  public static final PjrtOptions DEFAULT = new PjrtOptions(ImmutableMap.of());

  /**
   * Returns these options with one more.
   *
   * @param name as {@code cpu_device_count}
   * @param value a String, Long, Integer, {@code long[]}, Float, Double or Boolean
   * @return the options
   */
  public PjrtOptions with(String name, Object value) {
    Object kept =
        switch (value) {
          case Integer number -> (Object) number.longValue();
          case Double number -> number.floatValue();
          default -> value;
        };
    return new PjrtOptions(
        ImmutableMap.<String, Object>builder().putAll(values).put(name, kept).buildKeepingLast());
  }
}
