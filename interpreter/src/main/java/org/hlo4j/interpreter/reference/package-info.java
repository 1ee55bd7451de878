/**
 * The specification, executable: clear first, and the truth that faster evaluators are held to.
 *
 * <p>Movement never looks at element types. Scalar functions compute in a wide carrier and round or
 * wrap once to the type. Results have the same bits on every machine.
 */
@NullMarked
package org.hlo4j.interpreter.reference;

import org.jspecify.annotations.NullMarked;
