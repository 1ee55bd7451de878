/** The commands, and what only one of them needs. */
@NullMarked
package org.hlo4j.tools.command;

import org.jspecify.annotations.NullMarked;
