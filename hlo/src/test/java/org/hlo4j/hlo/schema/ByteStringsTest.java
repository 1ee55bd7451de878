package org.hlo4j.hlo.schema;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.io.BaseEncoding;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteStringsTest {
  /** All bytes survive; what is UTF-8 is decoded as such. */
  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "00417F, '\0A\u007f'",
    "C3A9F09F9880, é😀",
    "FF, \udcff",
    "C3, \udcc3",
    "41C3C3A9FE, A\udcc3é\udcfe",
    "EDB2FF, \udced\udcb2\udcff",
    "F09F98, \udcf0\udc9f\udc98",
    "F4908080, \udcf4\udc90\udc80\udc80",
  })
  void bytesSurvive(String hexadecimal, String text) {
    byte[] bytes = BaseEncoding.base16().decode(hexadecimal);
    assertThat(ByteStrings.decoded(bytes)).isEqualTo(text);
    assertThat(ByteStrings.encoded(text)).isEqualTo(bytes);
    String quoted = AttributeText.quoted(text);
    assertThat(AttributeText.unescaped(quoted.substring(1, quoted.length() - 1))).isEqualTo(text);
  }
}
