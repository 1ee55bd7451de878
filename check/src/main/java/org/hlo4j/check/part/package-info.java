/** Parts of programs, and programs with some instructions changed. */
@NullMarked
package org.hlo4j.check.part;

import org.jspecify.annotations.NullMarked;
