// What a session of jshell with hlo4j imports: jshell --startup DEFAULT --startup bin/hlo4j.jsh
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.hlo.ElementType.*;

import java.nio.file.Path;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.*;
import org.hlo4j.builder.lib.linalg.*;
import org.hlo4j.builder.lib.math.*;
import org.hlo4j.builder.lib.nn.*;
import org.hlo4j.builder.lib.random.*;
import org.hlo4j.hlo.*;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.*;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
