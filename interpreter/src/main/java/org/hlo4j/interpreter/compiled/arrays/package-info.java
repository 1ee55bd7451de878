/** Elements of primitive arrays as literals have them, outside of generated code. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.arrays;

import org.jspecify.annotations.NullMarked;
