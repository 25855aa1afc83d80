import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import type { FirewallStatus } from '@fabric/agent-contract';
import type { Ruleset } from '../ruleset/ruleset-reader';
import { errnoCode } from '../sys/errno';
import { findTool, runTool } from '../sys/run-tool';

/** Options of a firewall configuration file of the hypervisor: `key: value` lines of its [OPTIONS] section. */
export function parseFirewallOptions(text: string): Map<string, string> {
  const options = new Map<string, string>();
  let isOptions = false;
  for (const line of text.split('\n')) {
    const section = /^\s*\[(\S+)/.exec(line)?.[1];
    if (section !== undefined) {
      isOptions = section.toUpperCase().startsWith('OPTIONS');
      continue;
    }
    const match = isOptions ? /^\s*([A-Za-z][\w-]*)\s*:\s*(.*?)\s*$/.exec(line) : null;
    if (match) options.set((match[1] as string).toLowerCase(), match[2] as string);
  }
  return options;
}

/** Value of a switch; absent is what the hypervisor takes as default: off. */
export function isOptionOn(options: Map<string, string>, name: string): boolean {
  return /^(?:1|on|yes|true)$/i.test(options.get(name) ?? '');
}

const FILES = {
  mounted: 'etc/pve/.version',
  cluster: 'etc/pve/firewall/cluster.fw',
  host: 'etc/pve/local/host.fw',
  pid: 'run/pve-firewall.pid',
  nftablesOff: 'run/proxmox-nftables-firewall-force-disable',
} as const;

/**
 * State of the hypervisor's firewall from its files and the loaded rules. `pve-firewall status` would recompile the
 * whole ruleset each time.
 * @param root directory the files are looked for in, `/` on a node
 */
export async function readFirewallStatus(
  ruleset: Pick<Ruleset, 'isFirewallLoaded' | 'guestChains'>,
  root = '/',
): Promise<FirewallStatus> {
  // Without the cluster file system every file in it looks absent, which would read as "off".
  const isMounted = existsSync(join(root, FILES.mounted));
  const cluster = isMounted ? readOptions(join(root, FILES.cluster)) : 'unreadable';
  const host = isMounted ? readOptions(join(root, FILES.host)) : 'unreadable';
  const isForcedOff = read(join(root, FILES.nftablesOff)) !== 'absent';
  const wantsNftables = host === 'unreadable' ? null : isOptionOn(host, 'nftables');
  const implementation = wantsNftables === null ? null : wantsNftables && !isForcedOff ? 'nftables' : 'iptables';
  return {
    implementation,
    service_running:
      implementation === 'nftables' ? await isUnitActive('proxmox-firewall') : isPidAlive(join(root, FILES.pid)),
    cluster_enabled: cluster === 'unreadable' ? null : isOptionOn(cluster, 'enable'),
    rules_loaded: ruleset.isFirewallLoaded,
    guest_chains: ruleset.guestChains,
    ...((cluster === 'unreadable' || host === 'unreadable') && {
      detail: isMounted
        ? 'cannot read the firewall configuration below /etc/pve: the agent must be in group www-data'
        : '/etc/pve is not mounted: this is not a Proxmox VE node, or pve-cluster is down',
    }),
  };
}

/** A missing file is an empty one: the firewall has never been configured. */
function readOptions(path: string): Map<string, string> | 'unreadable' {
  const text = read(path);
  if (text === 'unreadable') return text;
  return parseFirewallOptions(text === 'absent' ? '' : text.text);
}

function read(path: string): { text: string } | 'absent' | 'unreadable' {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    return errnoCode(error) === 'ENOENT' ? 'absent' : 'unreadable';
  }
}

function isPidAlive(path: string): boolean | null {
  const file = read(path);
  if (file === 'unreadable') return null;
  const pid = file === 'absent' ? Number.NaN : Number(file.text.trim());
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    // It exists and belongs to another user.
    return errnoCode(error) === 'EPERM';
  }
}

async function isUnitActive(unit: string): Promise<boolean | null> {
  const systemctl = findTool('systemctl');
  if (systemctl === null) return null;
  try {
    const state = await runTool(systemctl, ['show', '--property=ActiveState', '--value', unit]);
    return state.trim() === 'active';
  } catch {
    return null;
  }
}
