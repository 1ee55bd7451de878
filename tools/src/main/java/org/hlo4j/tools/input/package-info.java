/** The inputs of programs as users give them. */
@NullMarked
package org.hlo4j.tools.input;

import org.jspecify.annotations.NullMarked;
