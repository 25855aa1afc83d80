#!/bin/sh
# Installs, updates or removes the Fabric node agent on this machine. Run as root:
#
#   curl -fsSL <service>/api/v1/agents/install.sh | FABRIC_ENROLMENT_TOKEN=… sh
#
# Where the service offers a Debian package for this machine, that is installed: it brings its own Node.js. Elsewhere the
# agent uses the system's Node.js. Running it again updates. `sh -s -- --uninstall` removes everything. Settings by environment:
#   FABRIC_ENROLMENT_TOKEN   one-time token; otherwise the first line of standard input, if it is not a terminal and
#                            the script itself comes from a file. Not needed if the node is already enrolled
#   FABRIC_BASE_URL          address of the service, if it differs from the one this script came from
#   FABRIC_TLS_FINGERPRINT   SHA-256 of the service's own certificate
#   FABRIC_CA_FILE           certificate authority of the service
#   FABRIC_NODE_NAME         name of this node in the cluster, if it differs from the host name
#
# All code is in functions that the last line calls: an interrupted download does nothing.

set -eu

# Filled in by the service: its address, and "sha256  file" for every file below $BASE_URL/api/v1/agents/download/.
DEFAULT_BASE_URL='@FABRIC_BASE_URL@'
MANIFEST='@FABRIC_MANIFEST@'

ROOT=${FABRIC_INSTALL_ROOT:-}
LIB_DIR=/usr/lib/fabric-agent
CONFIG_FILE=/etc/fabric-agent/agent.conf
STATE_DIR=/var/lib/fabric-agent
STATUS_FILE=/run/fabric-agent/status.json
UNIT_FILE=/etc/systemd/system/fabric-agent.service
SYSCTL_FILE=/etc/sysctl.d/60-fabric-agent.conf
MODPROBE_FILE=/etc/modprobe.d/fabric-agent.conf
COMMAND=/usr/bin/fabric-agent
ACCOUNT=fabric-agent
MIN_NODE=18
WAIT_SECONDS=${FABRIC_WAIT_SECONDS:-90}

say() { printf 'fabric-agent: %s\n' "$*"; }
die() {
  printf 'fabric-agent: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

check_machine() {
  [ "$(id -u)" -eq 0 ] || die 'run this as root'
  [ "$(uname -s)" = Linux ] || die 'this is not Linux'
  case "$(uname -m)" in
    x86_64) MACHINE=x64 ;;
    aarch64) MACHINE=arm64 ;;
    *) die "machine type $(uname -m) is not supported; use x86_64 or aarch64" ;;
  esac
  has apt-get || die 'this is not a Debian-based system such as Proxmox VE'
  has systemctl || die 'systemd is required'
  has curl || apt_install curl
}

apt_install() {
  say "installing $*"
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null ||
    die "apt-get could not install $*: run apt-get update, then this again"
}

node_version() { node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }

check_node() {
  if [ "$(node_version)" -lt "$MIN_NODE" ]; then apt_install nodejs; fi
  [ "$(node_version)" -ge "$MIN_NODE" ] || die "Node.js $MIN_NODE or newer is needed, found $(node_version)"
  NODE=$(command -v node)
}

# fetch FILE: downloads a file of the manifest into $WORK and verifies its checksum.
fetch() {
  expected=$(printf '%s\n' "$MANIFEST" | awk -v name="$1" '$2 == name { print $1 }')
  [ -n "$expected" ] || return 1
  # No limit for the whole: a package takes minutes on a slow link. A transfer without progress ends.
  set -- "$1" --fail --silent --show-error --location --retry 3 --connect-timeout 20 --speed-limit 1000 --speed-time 60
  if [ -n "${FABRIC_CA_FILE:-}" ]; then set -- "$@" --cacert "$FABRIC_CA_FILE"; fi
  # The checksums in this script protect the content where the certificate cannot.
  if [ -n "${FABRIC_TLS_FINGERPRINT:-}" ]; then set -- "$@" --insecure; fi
  file=$1
  shift
  curl "$@" --output "$WORK/$file" "$BASE_URL/api/v1/agents/download/$file" || die "cannot download $file from $BASE_URL"
  actual=$(sha256sum "$WORK/$file" | cut -d ' ' -f 1)
  [ "$actual" = "$expected" ] || die "$file is not what was announced (sha256 $actual, expected $expected): nothing was changed"
}

download() {
  for file in fabric-agent.cjs fabric-agent.service fabric-agent.sysctl.conf fabric-agent.modprobe.conf; do
    fetch "$file" || die "the service offers no $file"
  done
  fetch "koffi-linux-$MACHINE.node" || say "no native library for $MACHINE: slower methods are used"
}

make_account() {
  getent group "$ACCOUNT" >/dev/null || groupadd --system "$ACCOUNT"
  getent passwd "$ACCOUNT" >/dev/null ||
    useradd --system --gid "$ACCOUNT" --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin "$ACCOUNT"
  for group in adm www-data systemd-journal; do
    # The unit uses these groups; it would not start if one were missing.
    getent group "$group" >/dev/null || groupadd --system "$group"
  done
}

# package_name: the package that the service offers for this machine; nothing if there is none.
package_name() {
  has dpkg || return 0
  printf '%s\n' "$MANIFEST" | awk -v end="_$(dpkg --print-architecture).deb" \
    'substr($2, length($2) - length(end) + 1) == end { print $2; exit }'
}

# is_packaged: whether the agent is installed as a package, or was and is not purged.
is_packaged() {
  has dpkg-query || return 1
  case "$(dpkg-query -W -f '${db:Status-Status}' fabric-agent 2>/dev/null || :)" in
    '' | not-installed) return 1 ;;
  esac
}

# install_package NAME: the scripts of the package create account and directories, and replace an agent without package.
install_package() {
  fetch "$1"
  say "installing $1"
  dpkg --install "$WORK/$1" >"$WORK/dpkg.log" 2>&1 || {
    cat "$WORK/dpkg.log" >&2
    die "dpkg could not install $1: see above"
  }
}

install_without_package() {
  check_node
  download
  # Keeps configuration and token. Its unit and command would otherwise be mixed with these.
  if is_packaged; then dpkg --remove fabric-agent >/dev/null || die 'dpkg could not remove the package'; fi
  make_account
  install_files
}

# put MODE FILE TARGET: replaces a file in one step, so that a running agent never reads a partial file.
put() {
  mkdir -p "$ROOT$(dirname "$3")"
  cp "$2" "$ROOT$3.new"
  chmod "$1" "$ROOT$3.new"
  mv -f "$ROOT$3.new" "$ROOT$3"
}

install_files() {
  put 0755 "$WORK/fabric-agent.cjs" "$LIB_DIR/fabric-agent.cjs"
  if [ -f "$WORK/koffi-linux-$MACHINE.node" ]; then
    put 0644 "$WORK/koffi-linux-$MACHINE.node" "$LIB_DIR/koffi-linux-$MACHINE.node"
  fi
  printf '#!/bin/sh\nexec %s %s/fabric-agent.cjs "$@"\n' "$NODE" "$ROOT$LIB_DIR" >"$WORK/command"
  put 0755 "$WORK/command" "$COMMAND"
  put 0644 "$WORK/fabric-agent.service" "$UNIT_FILE"
  put 0644 "$WORK/fabric-agent.sysctl.conf" "$SYSCTL_FILE"
  put 0644 "$WORK/fabric-agent.modprobe.conf" "$MODPROBE_FILE"
  if has sysctl; then sysctl -q -p "$ROOT$SYSCTL_FILE" >/dev/null 2>&1 || :; fi
}

# set_option NAME VALUE: sets one line of the new configuration file and keeps the others.
set_option() {
  grep -v "^[[:space:]]*$1[[:space:]]*=" "$WORK/agent.conf" >"$WORK/agent.conf.next" || :
  if [ -n "$2" ]; then printf '%s = %s\n' "$1" "$2" >>"$WORK/agent.conf.next"; fi
  mv -f "$WORK/agent.conf.next" "$WORK/agent.conf"
}

write_config() {
  if [ -f "$ROOT$CONFIG_FILE" ]; then
    cp "$ROOT$CONFIG_FILE" "$WORK/agent.conf"
  else
    echo '# Settings of the Fabric node agent. fabric-agent doctor checks them.' >"$WORK/agent.conf"
  fi
  set_option server_url "$BASE_URL"
  if [ -n "${FABRIC_TLS_FINGERPRINT:-}" ]; then
    set_option ca_file ''
    set_option tls_fingerprint "$FABRIC_TLS_FINGERPRINT"
  elif [ -n "${FABRIC_CA_FILE:-}" ]; then
    set_option tls_fingerprint ''
    set_option ca_file "$FABRIC_CA_FILE"
  fi
  if [ -n "${FABRIC_NODE_NAME:-}" ]; then set_option node_name "$FABRIC_NODE_NAME"; fi
  case "$BASE_URL" in
    http://*) set_option allow_http true ;;
    *) set_option allow_http '' ;;
  esac
  put 0644 "$WORK/agent.conf" "$CONFIG_FILE"
  mkdir -p "$ROOT$STATE_DIR"
  chmod 0700 "$ROOT$STATE_DIR"
  chown "$ACCOUNT:$ACCOUNT" "$ROOT$STATE_DIR"
}

# read_token: the token from the environment, or from standard input if the script is a file.
read_token() {
  TOKEN=${FABRIC_ENROLMENT_TOKEN:-}
  unset FABRIC_ENROLMENT_TOKEN
  if [ -z "$TOKEN" ] && [ -f "$0" ] && [ ! -t 0 ]; then IFS= read -r TOKEN || :; fi
}

enrol() {
  if [ -z "$TOKEN" ]; then
    [ -s "$ROOT$STATE_DIR/node-token" ] || die 'no enrollment token: copy the complete install command from the service'
    say 'already enrolled'
    return 0
  fi
  # By standard input, because arguments are visible in the process list.
  printf '%s\n' "$TOKEN" | runuser -u "$ACCOUNT" -- "$ROOT$COMMAND" enrol --config "$ROOT$CONFIG_FILE" ||
    die 'the enrollment failed'
}

start() {
  systemctl daemon-reload
  # Two steps: enabling does not restart a running service.
  systemctl enable fabric-agent.service
  systemctl restart fabric-agent.service
}

wait_for_acknowledgement() {
  say 'waiting for the first acknowledged heartbeat'
  waited=0
  while [ "$waited" -lt "$WAIT_SECONDS" ]; do
    if grep -q '"last_acknowledged_at":"' "$ROOT$STATUS_FILE" 2>/dev/null; then
      say 'the service acknowledged the first heartbeat'
      return 0
    fi
    sleep 1
    waited=$((waited + 1))
  done
  "$ROOT$COMMAND" doctor --config "$ROOT$CONFIG_FILE" || :
  die "no heartbeat was acknowledged within $WAIT_SECONDS s: see above, and journalctl -u fabric-agent"
}

uninstall() {
  [ "$(id -u)" -eq 0 ] || die 'run this as root'
  if is_packaged; then dpkg --purge fabric-agent >/dev/null || die 'dpkg could not remove the package'; fi
  if [ -f "$ROOT$UNIT_FILE" ]; then systemctl disable --now fabric-agent.service || :; fi
  rm -rf "$ROOT$LIB_DIR" "$ROOT$STATE_DIR" "$ROOT$(dirname "$CONFIG_FILE")"
  rm -f "$ROOT$UNIT_FILE" "$ROOT$SYSCTL_FILE" "$ROOT$MODPROBE_FILE" "$ROOT$COMMAND"
  systemctl daemon-reload || :
  if getent passwd "$ACCOUNT" >/dev/null; then userdel "$ACCOUNT"; fi
  if getent group "$ACCOUNT" >/dev/null; then groupdel "$ACCOUNT"; fi
  say 'removed'
}

install_agent() {
  BASE_URL=${FABRIC_BASE_URL:-$DEFAULT_BASE_URL}
  BASE_URL=${BASE_URL%/}
  case "$BASE_URL" in
    https://* | http://*) ;;
    *) die 'FABRIC_BASE_URL is not set: give the address of the service' ;;
  esac
  check_machine
  read_token
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  PACKAGE=$(package_name)
  if [ -n "$PACKAGE" ]; then install_package "$PACKAGE"; else install_without_package; fi
  write_config
  enrol
  start
  wait_for_acknowledgement
}

main() {
  case "${1:-}" in
    '') install_agent ;;
    --uninstall) uninstall ;;
    *) die "unknown option $1: only --uninstall is known" ;;
  esac
}

# In braces: cut in the middle, this line is an error and not a call without its arguments.
{ main "$@"; }
