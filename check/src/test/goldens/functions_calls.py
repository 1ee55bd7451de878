# ---- linear algebra
r = np.random.RandomState(58)


def grid(a, dtype):
    return np.asarray(np.round(np.asarray(a) * 64) / 64).astype(dtype)


A4 = np.round((r.randn(4, 4) + 2.5 * np.eye(4)) * 64) / 64
G43 = np.round(r.randn(4, 3) * 64) / 64 + np.eye(4, 3)
B4 = np.round(r.randn(4, 2) * 64) / 64
V4 = np.round(r.randn(4) * 64) / 64
S4 = (A4 + A4.T) / 2 + np.diag([1., 3., 5., -4.])
P4 = A4 @ A4.T / 2 + np.eye(4)
SCALES = [('1e-4', 1e-4, F32), ('1', 1, F32), ('1e3', 1e3, F32), ('1e6', 1e6, F32), ('f64', 1e3, F64)]


def at(a, scale, dtype):
    return (a * scale).astype(dtype)


def mp_solve(a, b):
    columns = [mp.lu_solve(a, b[:, j]) for j in range(b.cols)]
    return mp.matrix(a.rows, b.cols) if not columns else mp.matrix([[c[i] for c in columns] for i in range(a.cols)])


def mp_lu(a):
    n, rows, l = a.rows, list(range(a.rows)), mp.eye(a.rows)
    u = a.copy()
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(u[i, k]))
        rows[k], rows[p] = rows[p], rows[k]
        for j in range(n):
            u[k, j], u[p, j] = u[p, j], u[k, j]
            if j < k:
                l[k, j], l[p, j] = l[p, j], l[k, j]
        for i in range(k + 1, n):
            l[i, k] = u[i, k] / u[k, k]
            for j in range(k, n):
                u[i, j] = u[i, j] - l[i, k] * u[k, j] if j > k else mp.mpf(0)
    p = mp.matrix(n, n)
    for i, row in enumerate(rows):
        p[row, i] = 1
    return p, l, u, rows


def mp_lu_factor(a):
    p, l, u, rows = mp_lu(a)
    pivots, now = [], list(range(a.rows))
    for k, row in enumerate(rows):
        i = now.index(row)
        pivots.append(i)
        now[k], now[i] = now[i], now[k]
    return l - mp.eye(a.rows) + u, pivots


def mp_eig(a):
    want = np.linalg.eigvals(np.array(a.tolist(), dtype=float))
    e, v = mp.eig(a)
    order = [min(range(len(e)), key=lambda i: abs(e[i] - w)) for w in want.astype(complex)]
    vectors = []
    for i in order:
        column = v[:, i] / mp.norm(v[:, i])
        big = max(range(a.rows), key=lambda j: abs(column[j]))
        vectors.append(column * (mp.conj(column[big]) / abs(column[big])))
    return [e[i] for i in order], mp.matrix([[c[i] for c in vectors] for i in range(a.rows)])


def mp_svd(a):
    u, s, v = mp.svd_r(a, full_matrices=False)
    return u, s, v


def mp_pinv(a):
    u, s, v = mp.svd_r(a, full_matrices=False)
    return v.T * mp.diag([1 / x for x in s]) * u.T


def mp_singular(a):
    return list(mp.svd_r(a, compute_uv=False))


def mp_sqrtm(a):
    x = a.copy()
    y = mp.eye(a.rows)
    for _ in range(60):
        x, y = (x + mp.inverse(y)) / 2, (y + mp.inverse(x)) / 2
    return x


for label, s, t in SCALES:
    a, b, g, sym, pos = at(A4, s, t), at(B4, s, t), at(G43, s, t), at(S4, s, t), at(P4, s, t)
    sym = ((sym + sym.T) / 2).astype(t)
    pos = np.tril(pos) + np.tril(pos, -1).T
    v = '@' + label
    call('solve' + v, jnp.linalg.solve, a, b, true=matrices(mp_solve))
    call('inv' + v, jnp.linalg.inv, a, true=matrices(mp.inverse))
    call('qr' + v, lambda x: tuple(jnp.linalg.qr(x)), g, true=matrices(lambda x: mp.qr(x, mode='skinny')), align=[[(0, 1), (1, 0)]])
    call('svd' + v, lambda x: tuple(jnp.linalg.svd(x, full_matrices=False)), g, true=matrices(mp_svd), signs=[[(0, 1), (2, 0)]])
    if label in ('1', '1e6'):
        call('svdvals' + v, jnp.linalg.svdvals, g, true=matrices(mp_singular))
    call('eigh' + v, lambda x: tuple(jnp.linalg.eigh(x)), sym, true=matrices(lambda x: tuple(mp.eigsy(x))), signs=[[(1, 1)]])
    call('cholesky' + v, jnp.linalg.cholesky, pos, true=matrices(mp.cholesky))
    call('lu' + v, lambda x: tuple(jsl.lu(x)), a, true=matrices(lambda x: mp_lu(x)[:3]))
    call('pinv' + v, jnp.linalg.pinv, g, true=matrices(mp_pinv))
    call('lstsq' + v, lambda x, y: jnp.linalg.lstsq(x, y)[0], g, b, true=matrices(lambda x, y: mp_pinv(x) * y))
    if label in ('1e-4', 'f64'):
        call('eigvalsh' + v, jnp.linalg.eigvalsh, sym, true=matrices(lambda x: mp.eigsy(x, eigvals_only=True)))
for label, s, t in [SCALES[1], SCALES[3]]:
    a, b, g, sym, pos = at(A4, s, t), at(B4, s, t), at(G43, s, t), at(S4, s, t), at(P4, s, t)
    pos = np.tril(pos) + np.tril(pos, -1).T
    low = np.tril(a)
    v = '@' + label
    call('eig' + v, lambda x: tuple(jnp.linalg.eig(x)), a, true=matrices(mp_eig), signs=[[(1, 1)]])
    call('lu_factor' + v, lambda x: tuple(jsl.lu_factor(x)), a, true=matrices(mp_lu_factor))
    call('det' + v, jnp.linalg.det, a, true=matrices(lambda x: [mp.det(x)]))
    call('slogdet' + v, lambda x: tuple(jnp.linalg.slogdet(x)), a, true=matrices(lambda x: ([mp.sign(mp.det(x))], [mp.log(abs(mp.det(x)))])))
    call('cho_solve' + v, lambda x, y: jsl.cho_solve(jsl.cho_factor(x, lower=True), y), pos, b, true=matrices(mp_solve))
    call('lu_solve' + v, lambda x, y: jsl.lu_solve(jsl.lu_factor(x), y), a, b, true=matrices(mp_solve))
    call('solve_triangular' + v, lambda x, y: jsl.solve_triangular(x, y, lower=True), low, b, true=matrices(mp_solve))
    call('cond' + v, jnp.linalg.cond, a, true=matrices(lambda x: [mp_singular(x)[0] / mp_singular(x)[-1]]))
    call('norm_2' + v, lambda x: jnp.linalg.norm(x, 2), a, true=matrices(lambda x: [mp_singular(x)[0]]))
    call('norm_fro' + v, jnp.linalg.norm, a, true=matrices(lambda x: [mp.sqrt(sum(e * e for e in x))]))
    call('norm_nuc' + v, lambda x: jnp.linalg.norm(x, 'nuc'), a, true=matrices(lambda x: [sum(mp_singular(x))]))
    call('matrix_rank' + v, jnp.linalg.matrix_rank, a, true=lambda x: [4])
for label, s, t in [('1e-4', 1e-4, F32), ('1', 1, F32), ('f64', 1, F64)]:
    call('expm@' + label, jsl.expm, at(A4 / 2, s, t), true=matrices(mp.expm))
call('expm_2x2', jsl.expm, np.array([[0.5, -1], [2, 0.25]], F32), true=matrices(mp.expm), file='expm')
for label, s, t in [('1e3', 1e3, F32), ('1', 1, F64)]:
    a, sym = at(A4, s, t), at(P4, s, t)
    call('matrix_power@' + label, lambda x: jnp.linalg.matrix_power(x, 3), a, true=matrices(lambda x: x * x * x))
    call('matrix_power_minus_2@' + label, lambda x: jnp.linalg.matrix_power(x, -2), a, true=matrices(lambda x: mp.inverse(x * x)))
    call('sqrtm@' + label, jsl.sqrtm, sym, true=matrices(mp_sqrtm))
    call('schur@' + label, lambda x: tuple(jsl.schur(x)), np.triu(a, -1) if 0 else sym, true=wide(lambda x: tuple(scipy.linalg.schur(x))) if t == F32 else None, signs=[[(1, 1), (0, 0), (0, 1)]])
    call('hessenberg@' + label, lambda x: tuple(jsl.hessenberg(x, calc_q=True)), a, true=wide(lambda x: tuple(scipy.linalg.hessenberg(x, calc_q=True))) if t == F32 else None)
    call('eigvals@' + label, jnp.linalg.eigvals, a, true=matrices(lambda x: mp_eig(x)[0]))
    call('tridiagonal_solve@' + label, jax.lax.linalg.tridiagonal_solve, at(np.array([0, 1, .5, .25]), s, t), at(np.array([4, 5, 6, 7.]), s, t), at(np.array([1, .5, 1, 0.]), s, t), at(B4, s, t),
         true=matrices(lambda l, d, u, b: mp_solve(mp.matrix([[d[i] if i == j else l[i] if j == i - 1 else u[i] if j == i + 1 else mp.mpf(0) for j in range(4)] for i in range(4)]), b)))
    call('multi_dot@' + label, lambda x, y, z: jnp.linalg.multi_dot([x, y, z]), a, sym, at(B4, s, t), true=matrices(lambda x, y, z: x * y * z))
    call('polar_u@' + label, lambda x: jsl.polar(x)[0], a, true=matrices(lambda x: (lambda u, s_, w: u * w)(*mp.svd_r(x))))
call('kron', jnp.kron, at(A4[:2, :2], 1, F32), at(B4[:2], 1, F32), true=digits(np.kron))
call('toeplitz', jsl.toeplitz, at(V4, 1, F32), true=digits(lambda c: scipy.linalg.toeplitz(c)))
call('block_diag', jsl.block_diag, at(A4[:2, :2], 1, F32), at(B4[:1], 1, F32), true=wide(scipy.linalg.block_diag))

# ---- FFT and signal
W16 = np.round(r.randn(16) * 64) / 64
W48 = np.round(r.randn(4, 8) * 64) / 64
C8 = W16[:8] + 1j * W16[8:]


def mp_dft(x, sign=-1):
    n = len(x)
    return np.array([mp.fsum([x[k] * mp.expjpi(mp.mpf(sign * 2 * j * k) / n) for k in range(n)]) for j in range(n)], dtype=object)


def mp_dft2(x):
    return np.array([mp_dft(c) for c in np.array([mp_dft(row) for row in x]).T]).T


for label, t, c in [('f32', F32, np.complex64), ('f64', F64, np.complex128)]:
    v = '@' + label
    call('fft' + v, jnp.fft.fft, C8.astype(c), true=digits(mp_dft))
    call('ifft' + v, jnp.fft.ifft, C8.astype(c), true=digits(lambda x: mp_dft(x, 1) / len(x)))
    call('rfft' + v, jnp.fft.rfft, W16.astype(t), true=digits(lambda x: mp_dft(x)[:9]))
    call('fft2' + v, jnp.fft.fft2, W48.astype(t), true=digits(mp_dft2))
    call('convolve' + v, jnp.convolve, W16.astype(t), V4.astype(t), true=digits(np.convolve))
call('irfft', jnp.fft.irfft, C8.astype(np.complex64), true=wide(np.fft.irfft))
call('hfft', jnp.fft.hfft, C8.astype(np.complex64), true=wide(np.fft.hfft))
call('fft_12', jnp.fft.fft, W16[:12].astype(F32), true=digits(mp_dft))
call('fft_prime_7', jnp.fft.fft, (W16[:7] * 1e4).astype(F32), true=digits(mp_dft))
call('fftn', jnp.fft.fftn, W48.reshape(2, 4, 4).astype(F32), true=wide(np.fft.fftn))
call('dct', jax.scipy.fft.dct, W16.astype(F32), true=wide(scipy.fft.dct if hasattr(scipy, 'fft') else None))
call('correlate', lambda x, y: jnp.correlate(x, y, mode='full'), W16.astype(F32), V4.astype(F32), true=wide(lambda x, y: np.correlate(x, y, mode='full')))
call('convolve2d', jsp.signal.convolve2d, W48.astype(F32), A4[:2, :2].astype(F32), true=wide(scipy.signal.convolve2d))
call('fftconvolve', jsp.signal.fftconvolve, W16.astype(F32), V4.astype(F32), true=wide(scipy.signal.fftconvolve))
call('detrend', jsp.signal.detrend, W16.astype(F32), true=wide(scipy.signal.detrend))
call('detrend@f64', jsp.signal.detrend, W16, true=digits(lambda y: (lambda n, xm, ym: np.array([y[i] - ym - (mp.fsum([(k - xm) * y[k] for k in range(n)]) / mp.fsum([(k - xm) ** 2 for k in range(n)])) * (i - xm) for i in range(n)], dtype=object))(16, mp.mpf(15) / 2, mp.fsum(list(y)) / 16)))
call('welch', lambda x: jsp.signal.welch(x, nperseg=8)[1], W16.astype(F32), true=wide(lambda x: scipy.signal.welch(x, nperseg=8)[1]))
call('csd', lambda x, y: jsp.signal.csd(x, y, nperseg=8)[1], W16.astype(F32), W16[::-1].astype(F32), true=wide(lambda x, y: scipy.signal.csd(x, y, nperseg=8)[1]))
call('stft', lambda x: jsp.signal.stft(x, nperseg=8)[2], W16.astype(F32), true=wide(lambda x: scipy.signal.stft(x, nperseg=8)[2]))
call('istft', lambda z: jsp.signal.istft(z, nperseg=8)[1], scipy.signal.stft(W16, nperseg=8)[2].astype(np.complex64), true=wide(lambda z: scipy.signal.istft(z, nperseg=8)[1]))

# ---- special functions
X = np.array([0.03, 0.4, 1.25, 2.6, 5.5, 30.5], F64)
XN = np.array([-3.3, -1.2, -0.4, 0.001, 0.7, 4.2], F64)
U = np.array([0.001, 0.05, 0.3, 0.5, 0.72, 0.999], F64)
UN = np.array([-0.99, -0.6, -0.01, 0.2, 0.45, 0.9999], F64)


IN_F64 = 'gammaln digamma erf erfinv log_ndtr xlogy norm_logpdf logaddexp power'.split()


def special(name, function, true, *args, types=(F32, F64)):
    for t in types if name in IN_F64 else (F32,):
        call(name + '@' + ('f32' if t == F32 else 'f64'), function, *[a.astype(t) if a.dtype.kind == 'f' else a for a in args], true=each(true))


def mp_ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def mp_entr(x):
    return -x * mp.log(x) if x > 0 else mp.mpf(0) if x == 0 else mp.ninf


special('gammaln', jss.gammaln, lambda x: mp.log(abs(mp.gamma(x))), np.array([1.5403149, -0.118560381, 0.03, 2.6, 11, 30.5, -3.3]))
special('gamma', jss.gamma, mp.gamma, np.array([1.54, -0.1185, 0.03, 2.6, 11, 20.5, -3.3]))
special('digamma', jss.digamma, mp.digamma, np.array([0.03, 0.4, 1.25, 2.6, 11, 30.5, -3.3]))
special('polygamma', lambda n, x: jss.polygamma(n, x), lambda n, x: mp.polygamma(int(n), x), np.array([1, 1, 2, 2, 3, 4], np.int32), X)
special('zeta', jss.zeta, lambda s, q: mp.zeta(s, q), np.array([1.5, 2, 3, 4, 2.5, 1.25]), X)
special('beta', jss.beta, mp.beta, X, X[::-1].copy(), types=(F32,))
special('betaln', jss.betaln, lambda a, b: mp.log(mp.beta(a, b)), X, X[::-1].copy(), types=(F32,))
# Behind 1e-10 JAX's betaln is an approximation of its own: the true value is not that of the program.
call('betaln@f64', jss.betaln, X[2:4], X[4:].copy())
special('betainc', jss.betainc, lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), np.array([0.5, 1, 2]), np.array([0.5, 3, 1]), np.array([.05, .3, .72]), types=(F32,))
special('gammainc', jss.gammainc, lambda a, x: mp.gammainc(a, 0, x, regularized=True), np.array([0.5, 1, 3, 2]), np.array([.3, .1, 2, 4.5]))
special('gammaincc', jss.gammaincc, lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), np.array([0.5, 1, 3, 2]), np.array([.3, .1, 2, 4.5]), types=(F32,))
special('i0', jss.i0, lambda x: mp.besseli(0, x), XN * 2)
special('i0e', jss.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), XN * 4)
special('i1', jss.i1, lambda x: mp.besseli(1, x), XN * 2)
special('i1e', jss.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), XN * 4)
special('erf', jss.erf, mp.erf, XN)
special('erfc', jss.erfc, mp.erfc, XN)
special('erfinv', jss.erfinv, mp.erfinv, UN)
special('ndtr', jss.ndtr, mp_ndtr, XN)
special('log_ndtr', jss.log_ndtr, lambda x: mp.log(mp_ndtr(x)), XN)
special('ndtri', jss.ndtri, lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), U)
special('expit', jss.expit, lambda x: 1 / (1 + mp.exp(-x)), XN)
special('logit', jss.logit, lambda p: mp.log(p / (1 - p)), np.array([0.001, 0.05, 0.3, 0.45, 0.72, 0.95, 0.999]))
special('xlogy', jss.xlogy, lambda x, y: x * mp.log(y) if x else mp.mpf(0), np.array([0., 1, 2, -3, .5, .25]), X)
special('xlog1py', jss.xlog1py, lambda x, y: x * mp.log1p(y) if x else mp.mpf(0), np.array([0., 1, 2, -3, .5, .25]), X)
special('entr', jss.entr, mp_entr, np.array([0.01, 0.1, 0.5, 0.9, 1.5, 3, 20.]))
special('rel_entr', jss.rel_entr, lambda x, y: x * mp.log(x / y) if x else mp.mpf(0), np.array([0, 0.1, 0.5, 0.9, 1.5, 20.]), X)
special('kl_div', jss.kl_div, lambda x, y: x * mp.log(x / y) - x + y if x else y, np.array([0, 0.1, 0.5, 0.9, 1.5, 20.]), X)
special('expi', jss.expi, mp.ei, np.array([-3.3, -0.4, 0.01, 0.7, 1.9, 4.2, 12]), types=(F32,))
special('exp1', jss.exp1, mp.e1, np.array([0.03, 0.4, 1.25, 2.6, 5.5, 11.0, 20.5]), types=(F32,))
special('expn', lambda x: jss.expn(3, x), lambda x: mp.expint(3, x), np.array([0.03, 0.4, 1.25, 2.6, 5.5, 11.0, 20.5]), types=(F32,))
special('spence', jss.spence, lambda x: mp.polylog(2, 1 - x).real, np.array([0.03, 0.4, 0.9, 1.25, 2.6, 5.5, 11.0]), types=(F32,))
special('multigammaln', lambda x: jss.multigammaln(x, 2), lambda x: mp.log(mp.pi) / 2 + mp.loggamma(x) + mp.loggamma(x - mp.mpf(1) / 2), np.array([0.6, 1.25, 2.6, 5.5, 11.0, 30.5, 3]), types=(F32,))
special('poch', jss.poch, lambda a, m: mp.rf(a, m), X, np.array([2., 3, .5, 1, 2, .25]), types=(F32,))
special('factorial', jss.factorial, lambda n: mp.factorial(n), np.array([0., 1, 2, 3, 5, 10, 20]), types=(F32,))
special('hyp1f1', jss.hyp1f1, lambda a, b, x: mp.hyp1f1(a, b, x), np.array([1., 2, .5]), np.array([2., 3, 1.5]), np.array([.5, 1.5, -1]), types=(F32,))
special('sinc', jnp.sinc, lambda x: mp.sincpi(x), XN, types=(F32,))
special('sph_harm_y', lambda n, m, t_, p: jss.sph_harm_y(n, m, t_, p, n_max=3).real, lambda n, m, t_, p: mp.spherharm(int(n), int(m), t_, p).real, np.array([0, 1, 2, 3]), np.array([0, 1, 1, 2]), np.array([.3, .7, 1.1, 2.0]), np.array([.2, 1.4, 2.2, .9]), types=(F32,))
special('lgamma_lax', jax.lax.lgamma, lambda x: mp.log(abs(mp.gamma(x))), X)
special('erf_inv_lax', jax.lax.erf_inv, mp.erfinv, UN)
special('cbrt', jnp.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x)), XN * 7)
special('logaddexp', jnp.logaddexp, lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), XN, X)
special('logaddexp2', jnp.logaddexp2, lambda x, y: mp.log(mp.mpf(2) ** x + mp.mpf(2) ** y, 2), XN, X, types=(F32,))
special('hypot', jnp.hypot, mp.hypot, XN, X, types=(F32,))
special('arctan2', jnp.arctan2, mp.atan2, XN, X, types=(F32,))
special('arcsinh', jnp.arcsinh, mp.asinh, XN, types=(F32,))
special('arccosh', jnp.arccosh, mp.acosh, X + 1, types=(F32,))
special('arctanh', jnp.arctanh, mp.atanh, UN, types=(F32,))
special('arccos', jnp.arccos, mp.acos, UN, types=(F32,))
special('sinh', jnp.sinh, mp.sinh, XN, types=(F32,))
special('tan', jnp.tan, mp.tan, XN, types=(F32, F64))
special('expm1', jnp.expm1, mp.expm1, XN, types=(F32,))
special('log1p', jnp.log1p, mp.log1p, X, types=(F32, F64))
special('power', jnp.power, lambda x, y: x ** y, X, XN)
for t in (F32, F64):
    call('logsumexp@' + NAMES[np.dtype(t).name], lambda x: jss.logsumexp(x, axis=1), (W48 * 4).astype(t), true=digits(lambda x: [mp.log(mp.fsum([mp.exp(e) for e in row])) for row in x]))

# ---- statistics


def lognorm(x):
    return -x * x / 2 - mp.log(2 * mp.pi) / 2


special('norm_logpdf', st.norm.logpdf, lognorm, XN)
special('norm_pdf', st.norm.pdf, lambda x: mp.exp(lognorm(x)), XN, types=(F32,))
special('norm_cdf', st.norm.cdf, mp_ndtr, XN)
special('norm_logcdf', st.norm.logcdf, lambda x: mp.log(mp_ndtr(x)), XN, types=(F32,))
special('norm_sf', st.norm.sf, lambda x: mp_ndtr(-x), XN, types=(F32,))
special('norm_ppf', st.norm.ppf, lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), U, types=(F32,))
special('gamma_logpdf', lambda x: st.gamma.logpdf(x, 2.5), lambda x: mp.mpf(1.5) * mp.log(x) - x - mp.loggamma(mp.mpf(2.5)), X)
special('gamma_cdf', lambda x: st.gamma.cdf(x, 2.5), lambda x: mp.gammainc(mp.mpf(2.5), 0, x, regularized=True), X[1:4], types=(F32,))
special('beta_logpdf', lambda x: st.beta.logpdf(x, 2.5, 1.5), lambda x: mp.mpf(1.5) * mp.log(x) + mp.mpf(.5) * mp.log1p(-x) - mp.log(mp.beta(mp.mpf(2.5), mp.mpf(1.5))), U)
special('beta_cdf', lambda x: st.beta.cdf(x, 2.5, 1.5), lambda x: mp.betainc(mp.mpf(2.5), mp.mpf(1.5), 0, x, regularized=True), U[1:4], types=(F32,))
special('t_logpdf', lambda x: st.t.logpdf(x, 3.5), lambda x: mp.loggamma(mp.mpf(2.25)) - mp.loggamma(mp.mpf(1.75)) - mp.log(mp.pi * mp.mpf(3.5)) / 2 - mp.mpf(2.25) * mp.log1p(x * x / mp.mpf(3.5)), XN)
special('chi2_logpdf', lambda x: st.chi2.logpdf(x, 3.), lambda x: mp.log(x) / 2 - x / 2 - mp.mpf(1.5) * mp.log(2) - mp.loggamma(mp.mpf(1.5)), X, types=(F32,))
special('poisson_logpmf', lambda k: st.poisson.logpmf(k, 3.5), lambda k: int(k) * mp.log(mp.mpf(3.5)) - mp.mpf(3.5) - mp.loggamma(int(k) + 1), np.array([0, 1, 2, 3, 7, 12], np.int32), types=(F32,))
special('poisson_cdf', lambda k: st.poisson.cdf(k, 3.5), lambda k: mp.gammainc(int(k) + 1, mp.mpf(3.5), mp.inf, regularized=True), np.array([0, 1, 2, 3, 7, 12], np.int32), types=(F32,))
special('expon_logpdf', lambda x: st.expon.logpdf(x, 0.5, 2.), lambda x: -(x - mp.mpf(.5)) / 2 - mp.log(2) if x >= 0.5 else mp.ninf, X, types=(F32,))
special('laplace_cdf', st.laplace.cdf, lambda x: mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2, XN, types=(F32,))
special('logistic_logpdf', st.logistic.logpdf, lambda x: -x - 2 * mp.log1p(mp.exp(-x)), XN, types=(F32,))
special('cauchy_logpdf', st.cauchy.logpdf, lambda x: -mp.log(mp.pi) - mp.log1p(x * x), XN, types=(F32,))
special('cauchy_cdf', st.cauchy.cdf, lambda x: mp.mpf(1) / 2 + mp.atan(x) / mp.pi, XN, types=(F32,))
special('pareto_logpdf', lambda x: st.pareto.logpdf(x, 2.5), lambda x: mp.log(mp.mpf(2.5)) - mp.mpf(3.5) * mp.log(x) if x >= 1 else mp.ninf, X, types=(F32,))
special('binom_logpmf', lambda k: st.binom.logpmf(k, 12, 0.25), lambda k: mp.log(mp.binomial(12, int(k))) + int(k) * mp.log(mp.mpf(.25)) + (12 - int(k)) * mp.log(mp.mpf(.75)), np.array([0, 1, 2, 3, 7, 12], np.int32), types=(F32,))
special('truncnorm_logpdf', lambda x: st.truncnorm.logpdf(x, -1., 2.), lambda x: lognorm(x) - mp.log(mp_ndtr(mp.mpf(2)) - mp_ndtr(mp.mpf(-1))) if -1 <= x <= 2 else mp.ninf, XN, types=(F32,))
call('multivariate_normal_logpdf', lambda x, m, c: st.multivariate_normal.logpdf(x, m, c), np.array([[.5, -1], [2, .25], [-1.5, 1]], F32), np.array([.25, .5], F32), np.array([[2, .5], [.5, 1]], F32), true=wide(lambda x, m, c: scipy.stats.multivariate_normal.logpdf(x, m, c)))
call('dirichlet_logpdf', st.dirichlet.logpdf, np.array([.2, .3, .5], F64), np.array([1.5, 2.5, 4], F64), true=wide(lambda x, a: scipy.stats.dirichlet.logpdf(x, a)))
call('gaussian_kde', lambda d, x: st.gaussian_kde(d)(x), W16[:6].astype(F32), V4.astype(F32), true=wide(lambda d, x: scipy.stats.gaussian_kde(d)(x)))
M = W48
for label, t in [('f32', F32), ('f64', F64)]:
    v = '@' + label
    call('mean' + v, lambda x: jnp.mean(x, axis=0), M.astype(t), true=digits(lambda x: x.sum(0) / 4))
    call('var' + v, lambda x: jnp.var(x, axis=1), M.astype(t), true=digits(lambda x: [mp.fsum([(e - mp.fsum(list(row)) / 8) ** 2 for e in row]) / 8 for row in x]))
    call('std' + v, lambda x: jnp.std(x, axis=1, ddof=1), (M * 1e3).astype(t), true=digits(lambda x: [mp.sqrt(mp.fsum([(e - mp.fsum(list(row)) / 8) ** 2 for e in row]) / 7) for row in x]))
    call('corrcoef' + v, jnp.corrcoef, M.astype(t), true=digits(lambda x: (lambda c: [[c[i][j] / mp.sqrt(c[i][i] * c[j][j]) for j in range(4)] for i in range(4)])([[mp.fsum([(p - mp.fsum(list(y)) / 8) * (q - mp.fsum(list(z)) / 8) for p, q in zip(y, z)]) for z in x] for y in x])))
call('cov', jnp.cov, M.astype(F32), true=wide(np.cov))
call('quantile', lambda x: jnp.quantile(x, jnp.array([.1, .35, .8], x.dtype)), W16.astype(F32), true=wide(lambda x: np.quantile(x, np.array([.1, .35, .8], F32).astype(F64))))
call('percentile', lambda x: jnp.percentile(x, 30, axis=1), M.astype(F32), true=wide(lambda x: np.percentile(x, 30, axis=1)))
call('median', lambda x: jnp.median(x, axis=1), M.astype(F32), true=wide(lambda x: np.median(x, axis=1)))
call('histogram', lambda x: jnp.histogram(x, bins=5, range=(-2., 2.))[0], W16.astype(F32), true=wide(lambda x: np.histogram(x, bins=5, range=(-2., 2.))[0]))
call('average', lambda x, w: jnp.average(x, weights=w), W16[:8].astype(F32), np.abs(W16[8:]).astype(F32), true=wide(lambda x, w: [np.average(x, weights=w)]))
call('sem', lambda x: st.sem(x, axis=1), M.astype(F32), true=wide(lambda x: scipy.stats.sem(x, axis=1)))
call('rankdata', st.rankdata, W16.astype(F32), true=wide(scipy.stats.rankdata))
call('nanmean', lambda x: jnp.nanmean(x, axis=1), np.where(M > 1, np.nan, M).astype(F32), true=wide(lambda x: np.nanmean(x, axis=1)))
call('ptp', lambda x: jnp.ptp(x, axis=1), M.astype(F32), true=wide(lambda x: np.ptp(x, axis=1)))
call('bincount', lambda x: jnp.bincount(x, length=6), np.array([0, 1, 1, 3, 5, 5, 5, 2], np.int32), true=lambda x: np.bincount(x, minlength=6))

# ---- bits of numbers
FB = np.array([0.3, -1.5, 2.75, -1e-3, 1e10, 7], F64)
for label, t in [('f32', F32), ('f64', F64)]:
    v = '@' + label
    call('ldexp' + v, jnp.ldexp, FB.astype(t), np.array([3, -2, 10, 0, 4, -7], np.int32), true=lambda x, e: np.ldexp(x, e))
    call('frexp' + v, lambda x: tuple(jnp.frexp(x)), FB.astype(t), true=lambda x: np.frexp(x))
    call('nextafter' + v, jnp.nextafter, FB.astype(t), FB[::-1].astype(t), true=lambda x, y: np.nextafter(x, y))
    call('modf' + v, lambda x: tuple(jnp.modf(x)), FB.astype(t), true=lambda x: np.modf(x))
call('signbit', jnp.signbit, np.append(FB, -0.0).astype(F32), true=lambda x: np.signbit(x))
call('copysign', jnp.copysign, FB.astype(F32), XN.astype(F32), true=lambda x, y: np.copysign(x, y))
call('float_power', jnp.float_power, X.astype(F32), XN.astype(F32), true=each(lambda x, y: x ** y))
call('rint', jnp.rint, (XN * 2.5).astype(F32), true=lambda x: np.rint(x))
call('heaviside', jnp.heaviside, np.append(XN, 0).astype(F32), np.full(7, 0.5, F32), true=lambda x, y: np.heaviside(x, y))
call('nan_to_num', jnp.nan_to_num, np.array([1.5, np.nan, np.inf, -np.inf, -2], F32), true=lambda x: np.nan_to_num(x))
call('spacing', jnp.spacing, FB.astype(F32), true=lambda x: np.spacing(x)) if hasattr(jnp, 'spacing') else None

# ---- numpy
call('polyfit@f32', lambda x, y: jnp.polyfit(x, y, 2), np.arange(8).astype(F32) / 4, W16[:8].astype(F32), true=wide(lambda x, y: np.polyfit(x, y, 2)))
call('polyfit@f64', lambda x, y: jnp.polyfit(x, y, 2), np.arange(8).astype(F64) / 4, W16[:8], true=matrices(lambda x, y: mp_pinv(mp.matrix([[x[i] ** 2, x[i], mp.mpf(1)] for i in range(8)])) * y))
call('polyval', jnp.polyval, V4.astype(F32), XN.astype(F32), true=wide(np.polyval))
call('roots', lambda p: jnp.roots(p, strip_zeros=False), np.array([1, -3.5, 1.25, .5], F32), true=wide(np.roots))
call('interp', jnp.interp, np.array([-1, .3, 1.1, 2.6, 9], F32), np.array([0, 1, 2, 4], F32), V4.astype(F32), true=wide(np.interp))
call('cumsum', lambda x: jnp.cumsum(x, axis=1), M.astype(F32), true=wide(lambda x: np.cumsum(x, axis=1)))
call('cumprod', lambda x: jnp.cumprod(x, axis=1), (M + 3).astype(F32), true=wide(lambda x: np.cumprod(x, axis=1)))
call('cumlogsumexp', lambda x: jax.lax.cumlogsumexp(x, axis=1), M.astype(F32), true=wide(lambda x: np.logaddexp.accumulate(x, axis=1)))
call('cummax', lambda x: jax.lax.cummax(x, axis=1), M.astype(F32), true=wide(lambda x: np.maximum.accumulate(x, axis=1)))
call('sort', lambda x: jnp.sort(x, axis=1), M.astype(F32), true=wide(lambda x: np.sort(x, axis=1)))
call('argsort', lambda x: jnp.argsort(x, axis=1), M.astype(F32), true=wide(lambda x: np.argsort(x, axis=1)))
call('top_k', lambda x: tuple(jax.lax.top_k(x, 3)), M.astype(F32), true=wide(lambda x: (-np.sort(-x, axis=1)[:, :3], np.argsort(-x, axis=1)[:, :3])))
call('argmax', lambda x: jnp.argmax(x, axis=1), M.astype(F32), true=wide(lambda x: np.argmax(x, axis=1)))
call('segment_sum', lambda x, i: jax.ops.segment_sum(x, i, 4), M.astype(F32).T.copy(), np.array([0, 2, 2, 1, 0, 0, 3, 2], np.int32), true=wide(lambda x, i: np.stack([x[i == k].sum(0) for k in range(4)])))
call('segment_sum@f64', lambda x, i: jax.ops.segment_sum(x, i, 4), M.T.copy(), np.array([0, 2, 2, 1, 0, 0, 3, 2], np.int32), true=digits(lambda x, i: np.stack([x[i == k].sum(0) for k in range(4)])))
call('at_add', lambda x, i, y: x.at[i].add(y), W16[:6].astype(F32), np.array([1, 4, 4, 1, 3], np.int32), W16[6:11].astype(F32), true=wide(lambda x, i, y: np.array([x[k] + y[i == k].sum() for k in range(6)])))
call('at_multiply', lambda x, i, y: x.at[i].multiply(y), W16[:6].astype(F32), np.array([1, 4, 4, 1, 3], np.int32), W16[6:11].astype(F32), true=wide(lambda x, i, y: np.array([x[k] * y[i == k].prod() for k in range(6)])))
call('at_set', lambda x, i, y: x.at[i].set(y), W16[:6].astype(F32), np.array([1, 4, 3], np.int32), W16[6:9].astype(F32), true=wide(lambda x, i, y: np.array([y[list(i).index(k)] if k in i else x[k] for k in range(6)])))
call('take_along_axis', lambda x, i: jnp.take_along_axis(x, i, 1), M.astype(F32), np.array([[1, 0], [2, 7], [3, 3], [6, 5]], np.int32), true=wide(lambda x, i: np.take_along_axis(x, i, 1)))
call('searchsorted', jnp.searchsorted, np.sort(W16).astype(F32), V4.astype(F32), true=wide(np.searchsorted))
call('digitize', jnp.digitize, W16.astype(F32), np.array([-1, 0, 1], F32), true=wide(np.digitize))
call('trapezoid', lambda y: jnp.trapezoid(y, dx=0.1), W16.astype(F32), true=wide(lambda y: [np.trapezoid(y, dx=0.1)]))
call('gradient', jnp.gradient, W16.astype(F32), true=wide(np.gradient))
call('diff', jnp.diff, W16.astype(F32), true=wide(np.diff))
call('unwrap', jnp.unwrap, (np.arange(8) * 2.2 % 6.28 - 3).astype(F32))
call('einsum', lambda x, y: jnp.einsum('ij,kj->ik', x, y), M.astype(F32), (M * 2 + 1).astype(F32), true=wide(lambda x, y: x @ y.T))
call('cross', jnp.cross, np.array([1.5, 2, -.25], F32), np.array([.3, -1, 4], F32), true=wide(np.cross))
call('vander', lambda x: jnp.vander(x, 4), XN.astype(F32), true=wide(lambda x: np.vander(x, 4)))
call('linspace', lambda a, b: jnp.linspace(a, b, 7), F32(0.3), F32(2.9), true=wide(lambda a, b: np.linspace(a, b, 7)))
call('geomspace', lambda a, b: jnp.geomspace(a, b, 6), F32(0.3), F32(200), true=wide(lambda a, b: np.geomspace(a, b, 6)))
call('i0_window_kaiser', lambda x: jnp.kaiser(8, 5.), F32(1), true=wide(lambda x: np.kaiser(8, 5.)))
call('divmod', lambda x, y: tuple(jnp.divmod(x, y)), FB[:6].astype(F32) * F32(1.1), np.array([.7, .4, -1.3, .02, 3e9, 2.2], F32), true=lambda x, y: np.divmod(x.astype(F64), y.astype(F64)))
call('remainder', jnp.remainder, (XN * 5).astype(F32), np.array([.7, .4, -1.3, .02, 3, 2.2], F32), true=lambda x, y: np.remainder(x.astype(F64), y.astype(F64)))
call('unique', lambda x: jnp.unique(x, size=5), np.array([3, 1, 1, 2, 3, 9, 5, 1], np.int32), true=lambda x: np.unique(x))

# ---- neural networks


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


ERF = np.vectorize(lambda x: float(mp.erf(x)))
for label, t in [('f32', F32), ('bf16', BF16)]:
    v = '@' + label
    m = M.astype(t)
    call('softmax' + v, lambda x: jax.nn.softmax(x), m, true=wide(softmax))
    call('log_softmax' + v, lambda x: jax.nn.log_softmax(x), m, true=wide(lambda x: np.log(softmax(x))))
    call('gelu' + v, lambda x: jax.nn.gelu(x, approximate=False), m, true=wide(lambda x: x * (1 + ERF(x / np.sqrt(2))) / 2))
    call('gelu_tanh' + v, lambda x: jax.nn.gelu(x), m, true=wide(lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))) / 2))
    call('silu' + v, jax.nn.silu, m, true=wide(lambda x: x / (1 + np.exp(-x))))
    call('layer_norm' + v, layer_norm, m, true=wide(lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)))
    call('attention' + v, lambda q, k, w: jax.nn.softmax(q @ k.T / np.sqrt(q.shape[-1]).astype(q.dtype)) @ w, m, (M[::-1] / 2).astype(t), (M + 1).astype(t), true=wide(attention))
    call('logsumexp_nn' + v, lambda x: jax.nn.logsumexp(x, axis=1), m, true=wide(lambda x: np.log(np.exp(x).sum(1))))
    call('softplus' + v, jax.nn.softplus, m, true=wide(lambda x: np.log1p(np.exp(x))))
    call('mean_nn' + v, lambda x: jnp.mean(x, axis=1), (M + 2).astype(t), true=wide(lambda x: x.mean(1)))
call('mish', jax.nn.mish, M.astype(F32), true=wide(lambda x: x * np.tanh(np.log1p(np.exp(x)))))
call('selu', jax.nn.selu, M.astype(F32), true=wide(lambda x: F64(F32(1.0507009873554805)) * np.where(x > 0, x, F64(F32(1.6732632423543772)) * np.expm1(x))))
call('standardize', jax.nn.standardize, M.astype(F32), true=wide(lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)))
call('cross_entropy', lambda x, y: -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(4), y]), M.astype(F32), np.array([1, 0, 7, 3], np.int32), true=wide(lambda x, y: [-np.mean(np.log(softmax(x))[np.arange(4), y])]))
call('conv_2d', lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), 'SAME'), M.reshape(1, 1, 4, 8).astype(F32), A4[:3, :3].reshape(1, 1, 3, 3).astype(F32), true=wide(lambda x, w: scipy.signal.correlate2d(x[0, 0], w[0, 0], mode='same')[None, None]))
call('grad_softmax_loss', lambda w, x: jax.grad(lambda w_: -jnp.sum(jax.nn.log_softmax(x @ w_)[:, 0]))(w), A4.astype(F32), M.T[:, :4].astype(F32).copy(), true=wide(lambda w, x: x.T @ (softmax(x @ w) - np.eye(4)[0])))
call('max_pool', lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (2, 2), (2, 2), 'VALID'), M.astype(F32), true=wide(lambda x: x.reshape(2, 2, 4, 2).max((1, 3))))
call('bf16_matmul', lambda x, y: x @ y, M.astype(BF16), M.T.astype(BF16).copy(), true=wide(lambda x, y: x @ y))

# ---- samplers with a fixed key
KEY = np.array([0, 58], np.uint32)


def sampler(name, function, true=None, types=(F32, F64)):
    for t in types:
        call(name + '@' + NAMES[np.dtype(t).name], lambda k: function(jax.random.wrap_key_data(k), t), KEY, true=(lambda k: true(k, t)) if true else None)


def uniform(k, t, low=0., high=1., shape=(8,)):
    return np.asarray(jax.random.uniform(jax.random.wrap_key_data(k), shape, t, low, high))


def mp_normal(k, t):
    return each(lambda u: mp.sqrt(2) * mp.erfinv(u))(uniform(k, t, np.nextafter(t(-1), t(0)), t(1)))


sampler('random_uniform', lambda k, t: jax.random.uniform(k, (8,), t), lambda k, t: uniform(k, t))
sampler('random_normal', lambda k, t: jax.random.normal(k, (8,), t), mp_normal)
sampler('random_exponential', lambda k, t: jax.random.exponential(k, (8,), t), lambda k, t: each(lambda u: -mp.log1p(-u))(uniform(k, t)))
sampler('random_gumbel', lambda k, t: jax.random.gumbel(k, (8,), t), types=(F32,))
sampler('random_laplace', lambda k, t: jax.random.laplace(k, (8,), t), types=(F32,))
sampler('random_logistic', lambda k, t: jax.random.logistic(k, (8,), t), types=(F32,))
sampler('random_truncated_normal', lambda k, t: jax.random.truncated_normal(k, -1., 2., (8,), t), types=(F32,))
sampler('random_gamma', lambda k, t: jax.random.gamma(k, 2.5, (4,), t), types=(F32,))
sampler('random_beta', lambda k, t: jax.random.beta(k, 2.5, 1.5, (4,), t), types=(F32,))
sampler('random_t', lambda k, t: jax.random.t(k, 3.5, (4,), t), types=(F32,))
sampler('random_poisson', lambda k, t: jax.random.poisson(k, 3.5, (4,)), types=(F32,))
sampler('random_randint', lambda k, t: jax.random.randint(k, (8,), 0, 100, np.int32), types=(F32,))
sampler('random_permutation', lambda k, t: jax.random.permutation(k, 8), types=(F32,))
sampler('random_bernoulli', lambda k, t: jax.random.bernoulli(k, 0.3, (16,)), types=(F32,))
sampler('random_categorical', lambda k, t: jax.random.categorical(k, jnp.array(W48, t)), types=(F32,))
