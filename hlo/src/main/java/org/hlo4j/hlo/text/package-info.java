/** HLO text: the native exchange format. What is printed here, XLA parses. */
@NullMarked
package org.hlo4j.hlo.text;

import org.jspecify.annotations.NullMarked;
