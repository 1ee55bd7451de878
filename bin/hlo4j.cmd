@echo off
rem Starts hlo4j on a Java 25 or later, found by itself.
rem   HLO4J_JAVA_HOME, JAVA_HOME  where to look for Java first
rem   HLO4J_OPTS                  options of the Java virtual machine, such as -Xmx8g
rem   HLO4J_VECTORS               on or off: use the Vector API always or never, else only bench,
rem                               profile and explain do; Java then says so on stderr
setlocal
set "WANT=25"
set "LIB=%~dp0..\tools\target\lib"
if not exist "%LIB%" set "LIB=%~dp0..\lib"
if not exist "%LIB%" (
  echo hlo4j: not built yet: run mvnw -q package -DskipTests -Dquick in %~dp0.. 1>&2
  exit /b 1
)
set "JAVA="
call :consider "%HLO4J_JAVA_HOME%"
call :consider "%JAVA_HOME%"
if not defined JAVA for /f "tokens=2,3" %%A in ('java -version 2^>^&1') do if "%%A"=="version" call :take java "%%~B"
for /d %%D in ("%ProgramFiles%\Java\*" "%ProgramFiles%\Eclipse Adoptium\*" "%ProgramFiles%\Microsoft\*" "%ProgramFiles%\Zulu\*" "%ProgramFiles%\Amazon Corretto\*" "%ProgramFiles%\BellSoft\*" "%USERPROFILE%\.jdks\*") do call :consider "%%~D"
for /d %%D in ("%USERPROFILE%\scoop\apps\*jdk*") do call :consider "%%~D\current"
if not defined JAVA (
  echo hlo4j: found no Java %WANT% or later: install a JDK %WANT%, or set JAVA_HOME to one 1>&2
  exit /b 1
)
set "VECTORS=-Dhlo4j.vectors=false"
if "%~1"=="bench" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%~1"=="profile" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%~1"=="explain" set "VECTORS=--add-modules=jdk.incubator.vector"
if "%HLO4J_VECTORS%"=="off" set "VECTORS=-Dhlo4j.vectors=false"
if "%HLO4J_VECTORS%"=="on" set "VECTORS=--add-modules=jdk.incubator.vector"
"%JAVA%" -Xlog:disable -XX:+UseSerialGC %VECTORS% %HLO4J_OPTS% --enable-native-access=org.hlo4j.pjrt -p "%LIB%" -m org.hlo4j.tools/org.hlo4j.tools.Hlo4j %*
exit /b %ERRORLEVEL%

rem Takes the Java in a folder if it is new enough, as its release file says, and none was found.
:consider
if defined JAVA exit /b 0
if "%~1"=="" exit /b 0
if not exist "%~1\bin\java.exe" exit /b 0
if not exist "%~1\release" exit /b 0
for /f "tokens=2 delims==" %%V in ('findstr /b "JAVA_VERSION=" "%~1\release"') do call :take "%~1\bin\java" %%V
exit /b 0

rem Takes a Java of a version such as "25.0.1" if that is new enough.
:take
for /f "delims=.-+" %%M in ("%~2") do if %%M GEQ %WANT% set "JAVA=%~1"
exit /b 0
