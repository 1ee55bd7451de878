/** Files of any form: recognised by their content, not by their name. */
@NullMarked
package org.hlo4j.hlo.file;

import org.jspecify.annotations.NullMarked;
