#!/usr/bin/env python3
"""Writes ../resources/org/hlo4j/check/functions: functions of JAX, their arguments, XLA:CPU's results and the true values.

    PYTHON functions.py [NAME...]      PYTHON has JAX 0.10, SciPy and mpmath

NAME.mlir is the StableHLO text of a function; functions.rows has a block of lines for each call:

    = NAME[@VARIANT] FILE.mlir
    in SHAPE VALUE       an argument
    xla SHAPE VALUE      a result of XLA:CPU, an array a line
    true SHAPE VALUE     the true value, rounded to the type; none for samplers by rejection
    signs O:D O:D ...    slices along dimension D of the result O that may be multiplied by -1 together

The true values of functions of numbers are mpmath's with 50 digits, those of functions of matrices also, or those of
NumPy and SciPy in f64 where the function is computed in f32. The test does not need this script.
"""
import pathlib
import re
import sys

import jax
import jax.nn
import jax.numpy as jnp
import jax.scipy as jsp
import jax.scipy.fft
import jax.scipy.linalg as jsl
import jax.scipy.signal
import jax.scipy.special as jss
import jax.scipy.stats as st
import ml_dtypes
import mpmath as mp
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

mp.mp.dps = 50
FOLDER = pathlib.Path(__file__).parent.parent / 'resources/org/hlo4j/check/functions'
F32, F64, BF16 = np.float32, np.float64, ml_dtypes.bfloat16
NAMES = {'bool': 'pred', 'int32': 's32', 'int64': 's64', 'uint32': 'u32', 'uint64': 'u64', 'uint8': 'u8', 'int8': 's8',
         'float32': 'f32', 'float64': 'f64', 'bfloat16': 'bf16', 'complex64': 'c64', 'complex128': 'c128'}
BITS = {'float32': 24, 'float64': 53, 'bfloat16': 8}
CALLS = []
# Of these the judge needs seconds: written only if named, or for the name all.
SLOW = set('''expi exp1 expn spence hyp1f1 sph_harm_y lgamma_lax erf_inv_lax multigammaln truncnorm_logpdf
           dirichlet_logpdf gaussian_kde i0_window_kaiser poisson_cdf beta_cdf gamma_cdf binom_logpmf random_poisson
           random_beta random_t lu@1e-4 inv@1 lu@1 lu@1e3 solve@f64 inv@f64 det@1 slogdet@1 lu_solve@1 det@1e6
           slogdet@1e6 matrix_power_minus_2@1 polar_u@1 welch csd istft gammaln@f64 gamma@f32 digamma@f64
           polygamma@f32 zeta@f32 beta@f32 betaln@f32 betaln@f64 betainc@f32 gammainc@f32 gammaincc@f32 i0@f32 i1@f32
           i1e@f32 erfc@f32 erfinv@f64 log_ndtr@f32 log_ndtr@f64 ndtri@f32 poch@f32 factorial@f32 norm_cdf@f32
           norm_logcdf@f32 norm_sf@f32 norm_ppf@f32 gamma_logpdf@f32 beta_logpdf@f32 t_logpdf@f32 chi2_logpdf@f32
           poisson_logpmf@f32 multivariate_normal_logpdf histogram rankdata interp cumlogsumexp gelu@f32 gelu@bf16
           grad_softmax_loss random_uniform@f32 random_uniform@f64 random_normal@f32 random_normal@f64
           random_exponential@f32 random_exponential@f64 random_gumbel@f32 random_laplace@f32 random_logistic@f32
           random_truncated_normal@f32 expm@f64 expm@1 expm@1e-4 polar_u@1e3 random_gamma@f32 percentile corrcoef@f64
           sqrtm@1 detrend@f64 lu@f64 eigh@1e3 eigh@1e-4 svd@1e3 svd@1 lstsq@1e3 lstsq@1 lstsq@1e6 sem std@f64
           var@f64 standardize random_categorical@f32 stft eigh@1 inv@1e3 hessenberg@1e3 matrix_power_minus_2@1
           lu_solve@1 det@1 slogdet@1 schur@1 random_exponential@f64 layer_norm@bf16 eigh@f64 sqrtm@1e3 polyfit@f64
           corrcoef@f32 svd@1e-4 lstsq@1e-4 std@f32 solve@1 attention@f32 eig@1 pinv@1 pinv@1e3 cholesky@1e-4
           cholesky@1 quantile digitize frexp@f64 ldexp@f64 matrix_rank@1'''.split())


def call(name, function, *args, true=None, signs=None, align=None, file=None):
    """A call; true gets the arguments as objects of mpmath or f64 and returns the true results."""
    CALLS.append((name, function, args, true, signs, align or signs, file or re.sub('@.*', '', name)))


# ---- numbers

def rounded(value, dtype):
    """A true value (mpf, float, int, complex) as the nearest number of a type."""
    dtype = np.dtype(dtype)
    if dtype.kind in 'biu':
        return dtype.type(int(value))
    if dtype.kind == 'c':
        part = np.float32 if dtype == np.complex64 else np.float64
        value = mp.mpc(value)
        return dtype.type(complex(rounded(value.real, part), rounded(value.imag, part)))
    value = value.item() if isinstance(value, np.generic) else value
    if value == 0:
        return dtype.type(float(value))
    value = mp.mpf(value)
    with mp.workprec(BITS[dtype.name]):
        return dtype.type(float(+value))


def text(x):
    x = np.asarray(x)
    shape = NAMES[x.dtype.name] + '[' + ','.join(map(str, x.shape)) + ']'

    def one(v):
        if x.dtype.kind == 'b':
            return 'true' if v else 'false'
        if x.dtype.kind in 'iu':
            return str(int(v))
        if x.dtype.kind == 'c':
            return '(' + real(v.real) + ', ' + real(v.imag) + ')'
        return real(v)

    def real(v):
        if np.dtype(type(v)) == F64 or np.dtype(type(v)) == F32:
            return re.sub(r'^(-?)(nan|inf)', r'\1\2', str(v))
        return str(float(v))

    def nested(a):
        return one(a[()]) if a.ndim == 0 else '{' + ', '.join(nested(b) for b in a) + '}'

    return shape + ' ' + nested(x)


def exact(a):
    """An argument as an array of numbers of mpmath or of ints."""
    a = np.asarray(a)
    if a.dtype.kind in 'biu':
        return a
    if a.dtype.kind == 'c':
        return np.vectorize(lambda v: mp.mpc(complex(v)), otypes=[object])(a)
    return np.vectorize(lambda v: mp.mpf(float(v)), otypes=[object])(a)


def each(function):
    """The true value of a function of numbers."""
    vector = np.vectorize(function, otypes=[object])
    return lambda *args: vector(*[exact(a) for a in args])


def wide(function):
    """The true value by a function of NumPy or SciPy in f64, for what is computed in f32 or bf16."""
    def run(*args):
        return function(*[np.asarray(a).astype({'f': F64, 'V': F64, 'c': np.complex128}.get(np.asarray(a).dtype.kind, np.asarray(a).dtype)) for a in args])
    return run


def digits(function):
    """The true value by a function of arrays of numbers of mpmath."""
    return lambda *args: function(*[exact(a) for a in args])


def matrices(function):
    """The true value by a function of matrices of mpmath, which returns one or several."""
    def run(*args):
        results = function(*[mp.matrix(np.atleast_1d(exact(a)).tolist()) for a in args])
        several = isinstance(results, tuple)
        results = [np.array(r.tolist(), dtype=object) if isinstance(r, mp.matrix) else np.array(r, dtype=object)
                   for r in (results if several else [results])]
        return tuple(results) if several else results[0]
    return run


# ---- writing

def program(function, args):
    text = jax.jit(function, keep_unused=True).lower(*args).as_text()
    text = re.sub(r' attributes \{mhlo[^}]*\}', '', text, count=1)
    text = re.sub(r' \{jax\.result_info = "[^"]*"\}', '', text)
    text = re.sub(r'jax\.result_info = "[^"]*"', '', text)
    text = re.sub(r', sdy\.sharding_rule = #sdy\.op_sharding_rule<.*?custom>', '', text)
    return text


def leaves(x):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(x)]


def truth(true, args, results, signs):
    values = true(*[np.asarray(a) for a in args])
    values = list(values) if isinstance(values, tuple) else [values]
    assert len(values) == len(results), (len(values), len(results))
    values = [np.array(v, dtype=object).reshape(r.shape) for v, r in zip(values, results)]
    for group in signs or []:
        output, dim = group[0]
        for k in range(results[output].shape[dim]):
            mine = np.take(results[output], k, dim).astype(complex).ravel()
            other = np.take(values[output], k, dim).ravel()
            if sum(complex(o).real * m.real + complex(o).imag * m.imag for m, o in zip(mine, other)) < 0:
                for o, d in group:
                    index = [slice(None)] * values[o].ndim
                    index[d] = k
                    values[o][tuple(index)] = -values[o][tuple(index)]
    return [np.array([rounded(v, r.dtype) for v in value.ravel()], dtype=r.dtype).reshape(r.shape)
            for value, r in zip(values, results)]


def distance(a, b):
    """The greatest distance as a part of the greatest magnitude, for a look at what was written."""
    if a.dtype.kind in 'biu':
        return float(np.max(a != b)) if a.size else 0.0
    a, b = a.astype(np.complex128), b.astype(np.complex128)
    fine = np.isfinite(a) & np.isfinite(b)
    bad = np.any(~fine & ~((a == b) | (np.isnan(a) & np.isnan(b))))
    scale = max(np.max(np.abs(b[fine]), initial=0), 1e-300)
    return float('inf') if bad else float(np.max(np.abs(a - b)[fine], initial=0) / scale)


def main(names):
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows, files = [], {}
    for name, function, args, true, signs, align, file in CALLS:
        jax.config.update('jax_enable_x64', '@f64' in name or any(np.asarray(a).dtype.name in ('float64', 'complex128') for a in args))
        is_named = 'all' in names or any(name.split('@')[0] == n or name == n for n in names)
        if not is_named and (names or not SLOW.isdisjoint({name, name.split('@')[0]})):
            continue
        try:
            args = [np.asarray(a).astype(np.int32) if np.asarray(a).dtype == np.int64 else a for a in args]
            results = leaves(jax.jit(function)(*args))
            lowered = program(function, args)
            key = (file, jax.config.jax_enable_x64, tuple((np.shape(a), np.asarray(a).dtype) for a in args))
            kinds = [k for k in files if k[0] == file]
            if key not in files:
                files[key] = file if not kinds else file + '_' + str(len(kinds) + 1)
                (FOLDER / (files[key] + '.mlir')).write_text(lowered)
            lines = ['= ' + name + ' ' + files[key] + '.mlir']
            lines += ['in ' + text(a) for a in args]
            lines += ['xla ' + text(r) for r in results]
            if true:
                values = truth(true, args, results, align)
                lines += ['true ' + text(v) for v in values]
                far = max(distance(r, v) for r, v in zip(results, values))
                eps = {'float32': 6e-8, 'bfloat16': 4e-3, 'complex64': 6e-8}.get(next((r.dtype.name for r in results if r.dtype.kind not in 'biu'), ''), 1.1e-16)
                print('%-28s %9.2g eps %s' % (name, far / eps, '' if far / eps < 64 else '  <----'))
            for group in signs or []:
                lines.append('signs ' + ' '.join('%d:%d' % pair for pair in group))
            rows += lines
        except Exception as problem:
            print('%-28s FAILED %s: %s' % (name, type(problem).__name__, str(problem).split('\n')[0][:200]))
    (FOLDER / 'functions.rows').write_text('\n'.join(rows) + '\n')


exec((pathlib.Path(__file__).parent / 'functions_calls.py').read_text())

if __name__ == '__main__':
    main(sys.argv[1:])
