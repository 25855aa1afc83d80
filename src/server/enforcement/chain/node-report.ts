import { enforcementSchema, firewallStatusSchema, flowDiagnosticsSchema } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import type { ChainFacts, InterfaceReport, NodeReport } from '@/domain/enforcement-chain/evaluate-chain';
import type { RulesetTimes } from '@/domain/enforcement-chain/ruleset-age';
import type { WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import type { NodeReportRow } from '../queries/guest-filters';

type Nic = { readonly vmid: number; readonly name: string };

function getBridge(bridge: string | null | undefined, { vmid, name }: Nic): InterfaceReport['bridge'] {
  if (bridge === undefined) return null;
  if (bridge === null) return 'none';
  const found = parseGuestInterface(bridge);
  const own = found?.kind === 'fwbr' && found.vmid === vmid && `net${found.nic}` === name;
  return own ? 'own_firewall_bridge' : 'other';
}

/** What the agent of a node reported, part by part: what has a strange form is not known and hides nothing else. */
export type ReadReport = {
  readonly agent: WorkloadChain['agent'];
  readonly ruleset: RulesetTimes | null;
  readonly at: (nic: Nic) => ChainFacts['report'];
};

/** @param row null: the inventory does not have the node */
export function readNodeReport(row: NodeReportRow | null): ReadReport {
  const reported_at = row?.last_heartbeat_at ?? null;
  const status = row?.agent_status ?? null;
  if (!row || reported_at === null || status === null || status === 'pending') {
    return { agent: { state: 'none', reported_at: null }, ruleset: null, at: () => 'no_agent' };
  }
  // What an agent said that no longer reports may have changed since.
  if (status === 'silent') {
    return { agent: { state: 'stale', reported_at }, ruleset: null, at: () => 'agent_stale' };
  }
  const firewall = firewallStatusSchema.safeParse(row.firewall_status).data;
  const kernel = flowDiagnosticsSchema.safeParse(row.flow_diagnostics).data;
  const part = enforcementSchema.safeParse(row.enforcement).data;
  const node: Omit<NodeReport, 'interface'> = {
    implementation: firewall?.implementation ?? null,
    service_running: firewall?.service_running ?? null,
    rules_loaded: firewall?.rules_loaded ?? null,
    netfilter_ipv4: kernel?.bridge_nf_call_iptables ?? null,
    netfilter_ipv6: kernel?.bridge_nf_call_ip6tables ?? null,
  };
  const nics = new Map(part?.interfaces.map((nic) => [`${nic.vmid} net${nic.nic}`, nic]));
  const own = part?.ruleset_hash != null;
  // Other programs change the packet filter, too: where they are reported, only the hypervisor's own rules count.
  const ruleset: RulesetTimes = own
    ? { changed_at: row.enforcement_changed_at, reported_at }
    : { changed_at: row.nftables_ruleset_hash === null ? null : row.ruleset_changed_at, reported_at };
  return {
    agent: { state: 'reporting', reported_at },
    ruleset,
    at: (nic) => {
      if (!part) return { ...node, interface: null };
      const found = nics.get(`${nic.vmid} ${nic.name}`);
      if (!found) return { ...node, interface: { present: false, bridge: 'none', chains: false } };
      const { present, bridge, chains } = found;
      return { ...node, interface: { present, bridge: getBridge(bridge, nic), chains } };
    },
  };
}
