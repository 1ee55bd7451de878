@echo off
rem Starts hlo4j on a Java 25 or later.
rem   HLO4J_JAVA_HOME, JAVA_HOME  where Java is; else the java on the PATH
rem   HLO4J_OPTS                  options of the Java virtual machine, such as -Xmx8g
rem   HLO4J_VECTORS               on or off: use the Vector API always or never, else only bench,
rem                               profile and explain do; Java then says so on stderr
setlocal
set "LIB=%~dp0..\tools\target\lib"
if not exist "%LIB%" set "LIB=%~dp0..\lib"
if not exist "%LIB%" (
  echo hlo4j: not built yet: run mvnw -q package -DskipTests -Dquick in %~dp0.. 1>&2
  exit /b 1
)
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
if defined HLO4J_JAVA_HOME set "JAVA=%HLO4J_JAVA_HOME%\bin\java"
set "VECTORS=-Dhlo4j.vectors=false"
if "%~1"=="bench" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%~1"=="profile" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%~1"=="explain" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%HLO4J_VECTORS%"=="off" set "VECTORS=-Dhlo4j.vectors=false"
if "%HLO4J_VECTORS%"=="on" set "VECTORS=--add-modules=jdk.incubator.vector"
"%JAVA%" -Xlog:disable -XX:+UseSerialGC %VECTORS% %HLO4J_OPTS% -p "%LIB%" -m org.hlo4j.tools/org.hlo4j.tools.Hlo4j %*
exit /b %ERRORLEVEL%
