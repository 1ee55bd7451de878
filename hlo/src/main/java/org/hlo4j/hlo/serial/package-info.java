/** What Java serialization writes in place of shapes, literals and modules. */
@NullMarked
package org.hlo4j.hlo.serial;

import org.jspecify.annotations.NullMarked;
