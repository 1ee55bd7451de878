package org.hlo4j.tools.console;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of the names of constants, in upper or lower case. */
public abstract class NameConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private final E[] constants;

  public NameConverter(Class<E> type) {
    constants = type.getEnumConstants();
  }

  @Override
  public E convert(String name) {
    return Arrays.stream(constants)
        .filter(constant -> constant.toString().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "got '"
                    + name
                    + "', want one of "
                    + Arrays.stream(constants).map(E::toString).collect(joining(", "))));
  }
}
