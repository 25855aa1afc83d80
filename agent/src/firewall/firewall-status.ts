import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import type { FirewallStatus } from '@fabric/agent-contract';
import type { Ruleset } from '../ruleset/ruleset-reader';
import { errnoCode } from '../sys/errno';
import { findTool, runTool } from '../sys/run-tool';
import { isOptionOn, parseFirewallOptions } from './firewall-options';

const FILES = {
  mounted: 'etc/pve/.version',
  cluster: 'etc/pve/firewall/cluster.fw',
  host: 'etc/pve/local/host.fw',
  pid: 'run/pve-firewall.pid',
  nftablesOff: 'run/proxmox-nftables-firewall-force-disable',
} as const;

/**
 * State of the hypervisor's firewall from its files and the rules that are loaded. `pve-firewall status` would compile
 * the whole ruleset anew each time.
 * @param root directory the files are looked for in, `/` on a node
 */
export async function readFirewallStatus(ruleset: Ruleset, root = '/'): Promise<FirewallStatus> {
  // Without the cluster file system every file in it looks absent, which would read as "off".
  const isMounted = existsSync(join(root, FILES.mounted));
  const cluster = isMounted ? optionsIn(join(root, FILES.cluster)) : 'unreadable';
  const host = isMounted ? optionsIn(join(root, FILES.host)) : 'unreadable';
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
        : '/etc/pve is not mounted: this is no Proxmox VE node, or pve-cluster is down',
    }),
  };
}

/** A missing file is an empty one: the firewall has never been configured. */
function optionsIn(path: string): Map<string, string> | 'unreadable' {
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
    // It exists and belongs to somebody else.
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
