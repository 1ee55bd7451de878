package org.hlo4j.spark;

import static com.google.common.base.Ascii.toLowerCase;

import java.util.Arrays;
import java.util.List;

/** What happens to a row that does not suit the function. */
enum InvalidRows {
  /** The job fails. */
  ERROR,
  /** It is left out. */
  SKIP,
  /** Its results are null. */
  KEEP;

  /** {@return the names, as in MLlib} */
  static List<String> names() {
    return Arrays.stream(values()).map(InvalidRows::toString).toList();
  }

  @Override
  public String toString() {
    return toLowerCase(name());
  }
}
