"""The option --hlo4j of pytest. JAX is imported only where it is given."""


def pytest_addoption(parser, pluginmanager):
  if not pluginmanager.hasplugin("hlo4j_jax"):  # by -p hlo4j_jax, which has the option itself
    parser.getgroup("hlo4j").addoption(
        "--hlo4j", choices=["check", "evaluate"], help="run JAX under check by hlo4j")


def pytest_configure(config):
  if config.getoption("--hlo4j") and not config.pluginmanager.hasplugin("hlo4j_jax"):
    import hlo4j_jax

    config.pluginmanager.register(hlo4j_jax, "hlo4j_jax")
