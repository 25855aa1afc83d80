import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { endianness } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { isAgentStatus, readStateFile } from '../agent-status';
import { EbpfCapture } from '../capture/ebpf/collector';
import { listCaptureInterfaces } from '../capture/interface-watch';
import { RingCapture } from '../capture/ring/collector';
import { type Config, paths } from '../config';
import { ConntrackCollector } from '../conntrack/collector';
import { type Capability, effectiveCapabilities, kernelSettings } from '../diagnostics';
import { readFirewallStatus } from '../firewall/firewall-status';
import { kernelBootId, machineId } from '../identity';
import { KernelLog } from '../logs/kernel-log';
import { RulesetReader } from '../ruleset/ruleset-reader';
import { libc } from '../sys/libc';
import { findTool } from '../sys/run-tool';
import { connect } from '../transport/connect';
import { getServer } from '../transport/post';

/** A finding of the doctor. `remedy` says what to do, and is absent when all is well. */
export type Check = { name: string; status: 'ok' | 'warning' | 'failed'; detail: string; remedy?: string };

const MIN_NODE_VERSION = 18;
const STALE_INTERVALS = 3;

const PURPOSES: Record<Capability, string> = {
  CAP_NET_RAW: 'packet capture',
  CAP_BPF: 'packet capture in the kernel; without it, the slower packet ring is used',
  CAP_PERFMON: 'faster capture code',
  CAP_NET_ADMIN: 'connection tracking and packet filter rules',
  CAP_SYSLOG: 'the kernel log',
};

/** All checks, in the order in which things build on each other. None throws. */
export async function runChecks(config: Config): Promise<Check[]> {
  const ruleset = await new RulesetReader().read();
  return [
    checkRuntime(),
    attempt('machine id', 'run systemd-machine-id-setup to create it', () => machineId()),
    checkNativeLibrary(),
    checkCapabilities(),
    await checkCapture(),
    await checkConntrack(),
    checkKernelLog(),
    checkFirewallLog(config),
    checkAccessLog(config),
    {
      name: 'packet filter rules',
      ...(ruleset.hash === null
        ? { status: 'warning', detail: 'unreadable', remedy: 'install nftables and iptables, and grant CAP_NET_ADMIN' }
        : { status: 'ok', detail: `hash ${ruleset.hash.slice(0, 12)}…, ${ruleset.guestChains ?? 0} guest chains` }),
    },
    await checkFirewall(ruleset),
    checkState(config),
    checkToken(config),
    await checkServer(config),
    checkRunningAgent(config),
  ];
}

function checkRuntime(): Check {
  const name = 'runtime';
  const detail = `Node ${process.versions.node} on ${process.arch}`;
  if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
    return { name, status: 'failed', detail, remedy: `install nodejs ${MIN_NODE_VERSION} or later` };
  }
  if (endianness() !== 'LE')
    return { name, status: 'failed', detail: 'big endian', remedy: 'this machine is not supported' };
  return { name, status: 'ok', detail };
}

function checkNativeLibrary(): Check {
  const remedy = `reinstall the agent's files for ${process.arch}; until then, slower methods are used`;
  return attempt('native library', remedy, () => {
    libc();
    return 'loaded';
  });
}

function checkCapabilities(): Check {
  const name = 'capabilities';
  const present = new Set(effectiveCapabilities());
  const missing = (Object.keys(PURPOSES) as Capability[]).filter((capability) => !present.has(capability));
  if (missing.length === 0) return { name, status: 'ok', detail: [...present].join(' ') };
  return {
    name,
    status: 'warning',
    detail: missing.map((capability) => `${capability} is missing: ${PURPOSES[capability]}`).join('; '),
    remedy: 'run as root, or with the AmbientCapabilities of the systemd unit',
  };
}

async function checkCapture(): Promise<Check> {
  const name = 'packet capture';
  const failures: string[] = [];
  for (const [way, make] of [
    ['eBPF', () => new EbpfCapture(1024)],
    ['packet ring', () => new RingCapture()],
  ] as const) {
    try {
      await make().close();
      const interfaces = listCaptureInterfaces().size;
      return {
        name,
        status: failures.length === 0 ? 'ok' : 'warning',
        detail: [`${way} works; ${interfaces} workload interfaces`, ...failures].join('; '),
        ...(failures.length > 0 && { remedy: 'grant CAP_BPF and CAP_PERFMON; requires kernel 5.11 or later' }),
      };
    } catch (error) {
      failures.push(`${way}: ${getErrorMessage(error)}`);
    }
  }
  return { name, status: 'failed', detail: failures.join('; '), remedy: 'grant CAP_NET_RAW and CAP_BPF' };
}

async function checkConntrack(): Promise<Check> {
  const name = 'connection tracking';
  const collector = new ConntrackCollector(findTool('conntrack'));
  const snapshot = await collector.snapshot(1);
  const { nf_conntrack_acct: isCounted, bridge_nf_call_iptables: isBridged } = kernelSettings();
  if (!snapshot) {
    return {
      name,
      status: 'failed',
      detail: collector.failures.join('; '),
      remedy: 'grant CAP_NET_ADMIN, or install conntrack and run as root',
    };
  }
  const detail = `${snapshot.total} connections from ${snapshot.source}`;
  if (isCounted === false) {
    return {
      name,
      status: 'warning',
      detail: `${detail}, without byte counters`,
      remedy: 'sysctl -w net.netfilter.nf_conntrack_acct=1 (new connections only)',
    };
  }
  const bridged =
    isBridged === true
      ? ''
      : '; bridged workload traffic is not tracked (bridge-nf-call-iptables is off, as without the firewall)';
  return {
    name,
    status: snapshot.source === 'netlink' ? 'ok' : 'warning',
    detail: detail + bridged,
    ...(snapshot.source !== 'netlink' && { remedy: collector.failures.join('; ') }),
  };
}

function checkKernelLog(): Check {
  return attempt('kernel log', 'grant CAP_SYSLOG; the unit must not set ProtectKernelLogs or PrivateDevices', () => {
    new KernelLog(null, kernelBootId() ?? '').close();
    return 'readable';
  });
}

function checkFirewallLog({ firewall_log: file }: Config): Check {
  if (!existsSync(file)) {
    return {
      name: 'firewall log',
      status: 'warning',
      detail: `${file} does not exist`,
      remedy: 'the file is created with the first logged packet; otherwise set firewall_log',
    };
  }
  return attempt('firewall log', `the agent must be in group adm: usermod -aG adm fabric-agent`, () => {
    accessSync(file, constants.R_OK);
    return `${file} is readable`;
  });
}

function checkAccessLog({ access_log: file }: Config): Check {
  const name = 'access log';
  if (file === null) return { name, status: 'ok', detail: 'off: who edited a firewall is not reported' };
  const remedy = `to report who edited a firewall: chmod g+rx ${dirname(file)}; otherwise set access_log = off`;
  const check = attempt(name, remedy, () => {
    accessSync(file, constants.R_OK);
    return `${file} is readable`;
  });
  return check.status === 'failed' ? { ...check, status: 'warning' } : check;
}

async function checkFirewall(ruleset: Awaited<ReturnType<RulesetReader['read']>>): Promise<Check> {
  const name = 'hypervisor firewall';
  const status = await readFirewallStatus(ruleset);
  if (status.detail !== undefined) {
    return {
      name,
      status: 'warning',
      detail: status.detail,
      remedy: 'usermod -aG www-data fabric-agent, on a Proxmox VE node',
    };
  }
  const word = (value: boolean | null, on: string, off: string): string =>
    value === null ? 'unknown' : value ? on : off;
  const detail = `${status.implementation}, service ${word(status.service_running, 'running', 'stopped')}, cluster firewall ${word(status.cluster_enabled, 'on', 'off')}`;
  return { name, status: 'ok', detail };
}

function checkState({ state_directory: directory }: Config): Check {
  return attempt('state directory', `mkdir -p ${directory} && chown fabric-agent: ${directory}`, () => {
    accessSync(directory, constants.W_OK);
    return `${directory} is writable`;
  });
}

function checkToken(config: Config): Check {
  const name = 'node token';
  const file = paths.nodeToken(config);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat)
    return {
      name,
      status: 'failed',
      detail: `${file} does not exist`,
      remedy: 'run fabric-agent enrol, or the install command of the service',
    };
  if ((stat.mode & 0o077) !== 0)
    return { name, status: 'warning', detail: `${file} is readable by other users`, remedy: `chmod 600 ${file}` };
  return { name, status: 'ok', detail: file };
}

async function checkServer(config: Config): Promise<Check> {
  const name = 'server';
  try {
    const server = getServer(config);
    (await connect(server.url, server.trust)).destroy();
    return { name, status: 'ok', detail: `${server.url.host} is reachable and trusted` };
  } catch (error) {
    return {
      name,
      status: 'failed',
      detail: getErrorMessage(error),
      remedy: 'correct the configuration file, then systemctl restart fabric-agent',
    };
  }
}

function checkRunningAgent(config: Config): Check {
  const name = 'running agent';
  const status = readStateFile(paths.status(config), isAgentStatus);
  if (!status)
    return { name, status: 'warning', detail: 'no agent has run yet', remedy: 'systemctl enable --now fabric-agent' };
  const { last_acknowledged_at: last, last_problem: problem } = status;
  const age = last === null ? Number.POSITIVE_INFINITY : (Date.now() - Date.parse(last)) / 1000;
  // A time ahead is of a clock that was put back since.
  const isFresh = Math.abs(age) < STALE_INTERVALS * config.interval_seconds;
  const weak = status.collectors
    .filter(({ state }) => state !== 'active')
    .map(({ name: who, state, detail }) => `${who} ${state}${detail === undefined ? '' : ` (${detail})`}`);
  const detail = [
    last === null ? 'no heartbeat acknowledged yet' : `last acknowledged ${last}`,
    ...(problem === null ? [] : [problem]),
    ...weak,
  ].join('; ');
  if (isFresh) return { name, status: weak.length > 0 ? 'warning' : 'ok', detail };
  return { name, status: 'failed', detail, remedy: 'journalctl -u fabric-agent -n 50' };
}

function attempt(name: string, remedy: string, look: () => string): Check {
  try {
    return { name, status: 'ok', detail: look() };
  } catch (error) {
    return { name, status: 'failed', detail: getErrorMessage(error), remedy };
  }
}

function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const MARK: Record<Check['status'], string> = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };

/** Prints what works, what does not, and how to fix it. @returns whether nothing has failed */
export async function doctor(config: Config): Promise<boolean> {
  const checks = await runChecks(config);
  for (const { name, status, detail, remedy } of checks) {
    process.stdout.write(`${MARK[status]}  ${name}: ${detail}\n`);
    if (remedy !== undefined) process.stdout.write(`         → ${remedy}\n`);
  }
  return checks.every(({ status }) => status !== 'failed');
}
