package org.hlo4j.spark;

import static com.google.common.base.Ascii.toLowerCase;

import java.util.Arrays;
import org.apache.spark.ml.param.ParamValidators;
import scala.Function1;

/** What happens to a row that does not suit the function. */
enum InvalidRows {
  /** The job fails. */
  ERROR,
  /** It is left out. */
  SKIP,
  /** Its results are null. */
  KEEP;

  /** Whether a text is a name, as in MLlib. */
  static final Function1<String, Object> IS_NAME =
      ParamValidators.inArray(Arrays.stream(values()).map(InvalidRows::toString).toList());

  @Override
  public String toString() {
    return toLowerCase(name());
  }
}
