import { readFileSync } from 'node:fs';
import type { FlowDiagnostics } from '@fabric/agent-contract';

/** Capabilities the collectors use, by bit number (linux/capability.h). */
export const CAPABILITIES = {
  CAP_NET_ADMIN: 12,
  CAP_NET_RAW: 13,
  CAP_SYSLOG: 34,
  CAP_PERFMON: 38,
  CAP_BPF: 39,
} as const;
export type Capability = keyof typeof CAPABILITIES;

const SYSCTL = '/proc/sys/net';

/** Kernel settings that decide which flows can be seen. */
export function kernelSettings(
  root = SYSCTL,
): Pick<
  FlowDiagnostics,
  | 'bridge_nf_call_iptables'
  | 'bridge_nf_call_ip6tables'
  | 'nf_conntrack_acct'
  | 'nf_conntrack_count'
  | 'nf_conntrack_max'
> {
  return {
    bridge_nf_call_iptables: readSwitch(`${root}/bridge/bridge-nf-call-iptables`),
    bridge_nf_call_ip6tables: readSwitch(`${root}/bridge/bridge-nf-call-ip6tables`),
    nf_conntrack_acct: readSwitch(`${root}/netfilter/nf_conntrack_acct`),
    nf_conntrack_count: readNumber(`${root}/netfilter/nf_conntrack_count`),
    nf_conntrack_max: readNumber(`${root}/netfilter/nf_conntrack_max`),
  };
}

/** Which of the capabilities of interest this process has. */
export function effectiveCapabilities(statusFile = '/proc/self/status'): Capability[] {
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync(statusFile, 'latin1'))?.[1];
  const bits = BigInt(`0x${mask ?? '0'}`);
  return (Object.keys(CAPABILITIES) as Capability[]).filter((name) => (bits >> BigInt(CAPABILITIES[name])) & 1n);
}

/** null when the setting does not exist: its module is not loaded. */
function readSwitch(file: string): boolean | null {
  const value = readNumber(file);
  return value === null ? null : value > 0;
}

function readNumber(file: string): number | null {
  try {
    const text = readFileSync(file, 'latin1').trim();
    return /^\d+$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}
