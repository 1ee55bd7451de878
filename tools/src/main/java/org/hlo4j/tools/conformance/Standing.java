package org.hlo4j.tools.conformance;

import com.google.common.base.Ascii;

/** How a case of a conformance suite binds a system. */
public enum Standing {
  /** Specifications say what the result is, up to roundings. */
  REQUIRED,
  /** Specifications leave a part of the result open; only the rest of it is judged. */
  OPEN;

  @Override
  public String toString() {
    return Ascii.toLowerCase(name());
  }
}
