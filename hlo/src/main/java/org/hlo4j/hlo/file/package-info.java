/**
 * Files of every supported format, which is recognised by the content of the file and not by its
 * name.
 */
@NullMarked
package org.hlo4j.hlo.file;

import org.jspecify.annotations.NullMarked;
