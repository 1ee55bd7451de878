/**
 * The parser and printer of HLO text, the native exchange format. XLA parses what is printed here.
 */
@NullMarked
package org.hlo4j.hlo.text;

import org.jspecify.annotations.NullMarked;
