/** Commands with placeholders, and the files that they get: what runs other systems. */
@NullMarked
package org.hlo4j.check.command;

import org.jspecify.annotations.NullMarked;
