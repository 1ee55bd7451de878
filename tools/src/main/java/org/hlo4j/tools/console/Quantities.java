package org.hlo4j.tools.console;

import com.google.common.collect.ImmutableMap;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parsers of numbers with a unit. */
public final class Quantities {
  private static final Pattern QUANTITY = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]*)");

  private Quantities() {}

  private static long parse(String text, ImmutableMap<String, Long> units, String want) {
    Matcher quantity = QUANTITY.matcher(text.strip());
    Optional<Long> unit =
        quantity.matches()
            ? Optional.ofNullable(units.get(quantity.group(2).toLowerCase(Locale.ROOT)))
            : Optional.empty();
    try {
      BigDecimal each = BigDecimal.valueOf(unit.orElseThrow(ArithmeticException::new));
      return new BigDecimal(quantity.group(1)).multiply(each).toBigInteger().longValueExact();
    } catch (ArithmeticException notOne) {
      throw new TypeConversionException("got '" + text + "', want " + want);
    }
  }

  /** A number of bytes: {@code 1000}, {@code 512k}, {@code 2g}, {@code 2gib}. */
  public static final class Bytes implements ITypeConverter<Long> {
    private static final ImmutableMap<String, Long> UNITS =
        ImmutableMap.<String, Long>builder()
            .put("", 1L)
            .put("b", 1L)
            .put("k", 1L << 10)
            .put("kib", 1L << 10)
            .put("m", 1L << 20)
            .put("mib", 1L << 20)
            .put("g", 1L << 30)
            .put("gib", 1L << 30)
            .buildOrThrow();

    @Override
    public Long convert(String text) {
      return parse(text, UNITS, "bytes such as 1000, 512k, 64m or 2g");
    }
  }

  /** A time: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}; seconds without a unit. */
  public static final class Time implements ITypeConverter<Duration> {
    private static final ImmutableMap<String, Long> UNITS =
        ImmutableMap.<String, Long>builder()
            .put("ms", 1_000_000L)
            .put("", 1_000_000_000L)
            .put("s", 1_000_000_000L)
            .put("m", 60_000_000_000L)
            .put("min", 60_000_000_000L)
            .put("h", 3_600_000_000_000L)
            .buildOrThrow();

    @Override
    public Duration convert(String text) {
      return Duration.ofNanos(parse(text, UNITS, "a time such as 500ms, 10s, 2m or 1h"));
    }
  }
}
