# For the scripts beside it, which source it: a staging repository with what would be published, a
# JDK, a folder to work in, and a first program that a user would write.
set -euo pipefail
name=$(basename "$0")
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$top/target/smoke/$name
staging=$top/target/staging
version=$(sed -n 's:^  <version>\(.*\)</version>:\1:p' "$top/pom.xml")

# Ends the script as skipped, as Automake's tests do.
skip() {
  echo "$name: skipped: $*"
  exit 77
}

fail() {
  echo "$name: failed: $*" >&2
  exit 1
}

# The first JDK from 25 on.
find_jdk() {
  local home major
  for home in "${JAVA_HOME-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
    [ -x "$home/bin/jlink" ] || continue
    major=$("$home/bin/java" -version 2>&1 | sed -n '1s/[^"]*"\([0-9]*\).*/\1/p')
    [ "${major:-0}" -lt 25 ] || { jdk=$home; return; }
  done
  skip "needs a JDK 25 or later, in JAVA_HOME or below /usr/lib/jvm"
}

# Deploys to target/staging, anew if anything changed since.
stage() {
  if [ -e "$staging/stamp" ] && [ -z "$(find "$top"/*/src/main "$top"/pom.xml "$top"/*/pom.xml -newer "$staging/stamp" -type f | head -n 1)" ]; then
    return
  fi
  echo "$name: builds hlo4j into target/staging"
  rm -rf "$staging"
  (cd "$top" && mvn -B -ntp -q -Dquick -Dmaven.test.skip -Dmaven.install.skip -DaltDeploymentRepository="staging::file://$staging" deploy)
  touch "$staging/stamp"
}

# The first program of docs/overview.html, in the package first.
first_program() {
  echo "package first;"
  sed -n '/<pre>/,/<\/pre>/p' "$top/docs/overview.html" | sed '1d;$d'
}

# What it prints last.
wanted='f32[2,3] { { 8, 10, 12 }, { 11, 13, 15 } }'

# A Maven project of a user: the BOM, three dependencies, the first program, every lint an error.
# Maven gets hlo4j from staging only, into a repository of its own. Compiles; leaves the jars in jars.
make_project() {
  rm -rf "$work"
  mkdir -p "$work/src/main/java/first"
  cd "$work"
  first_program >src/main/java/first/First.java
  cat >pom.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>first</groupId>
  <artifactId>first</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>25</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>
    <repository><id>staging</id><url>file://$staging</url></repository>
  </repositories>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>org.hlo4j</groupId>
        <artifactId>hlo4j-bom</artifactId>
        <version>$version</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    <dependency><groupId>org.hlo4j</groupId><artifactId>hlo4j-builder</artifactId></dependency>
    <dependency><groupId>org.hlo4j</groupId><artifactId>hlo4j-interpreter</artifactId></dependency>
    <dependency><groupId>org.hlo4j</groupId><artifactId>hlo4j-stablehlo</artifactId></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.16.0</version>
        <configuration>
          <showWarnings>true</showWarnings>
          <compilerArgs><arg>-Xlint:all</arg><arg>-Werror</arg></compilerArgs>
        </configuration>
      </plugin>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>3.11.0</version>
      </plugin>
    </plugins>
  </build>
</project>
POM
}

compile_project() {
  local repository=$top/target/smoke/repository
  rm -rf "$repository/org/hlo4j"
  JAVA_HOME=$jdk mvn -B -ntp -Dmaven.repo.local="$repository" compile dependency:tree \
    dependency:copy-dependencies -DoutputDirectory=jars -DincludeScope=runtime >log 2>&1 || { cat log; fail "does not build"; }
  sed -n '/--- .*:tree/,/--- .*:copy/s/^\[INFO\] \([a-z+\\| ].*:.*\)/\1/p' log
}

# Runs a command, whose last line is to be what is wanted.
expect() {
  local last
  "$@" >out 2>err || { cat out err; fail "$*"; }
  last=$(sed '/^$/d' out | tail -n 1)
  [ "$last" = "$wanted" ] || { cat out err; fail "got '$last', want '$wanted'"; }
  echo "$name: ok: $last"
}
