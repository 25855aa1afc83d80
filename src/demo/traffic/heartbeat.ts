import type { CollectorState, EnforcementReport, Flow, FlowDiagnostics, Heartbeat } from '@fabric/agent-contract';
import { AGENT_VERSION, PROTOCOL_VERSION } from '@fabric/agent-contract/limits';
import type { ClustersView } from './clusters-view';
import { interfaceCounters, interfaceTraffic, type NodeTotals } from './interface-totals';
import { computeMachineId, getNodeCharacter } from './node-character';
import { listSentAddresses } from './sent-addresses';
import { SLOT_MS } from './sessions';

export const INTERVAL_SECONDS = SLOT_MS / 1000;

type Report = {
  site: string;
  node: string;
  boot_id: string;
  sequence: number;
  /** True times: what it covers, up to when it is sent. */
  observed_since: number;
  sent_at: number;
  flows: readonly Flow[];
  /** Totals of the interfaces at that time, and what of them is new since the heartbeat before. */
  totals: NodeTotals;
  moved: NodeTotals;
};

const BLIND: CollectorState[] = [
  {
    name: 'packet_capture',
    state: 'unavailable',
    detail: 'ebpf: Operation not permitted (kernel lockdown: confidentiality); ring: CAP_NET_RAW is missing',
  },
  {
    name: 'conntrack',
    state: 'degraded',
    detail: 'by command; netlink: Operation not permitted',
    counts: { connections: 0 },
  },
];

const buildCollectorStates = (interfaces: number, connections: number): CollectorState[] => [
  {
    name: 'packet_capture',
    state: 'active',
    detail: `by ebpf on ${interfaces} interfaces`,
    counts: { interfaces, table_full_packets: 0 },
  },
  { name: 'conntrack', state: 'active', detail: 'by netlink', counts: { connections } },
];

function diagnostics(flows: readonly Flow[], interfaces: number, blind: boolean): FlowDiagnostics {
  const logged = flows.filter(({ raw }) => raw !== undefined).length;
  const seen = { flows: flows.length, bytes: 0, packets: 0 };
  for (const { delta_bytes = 0, delta_packets = 0 } of flows) {
    seen.bytes += delta_bytes;
    seen.packets += delta_packets;
  }
  return {
    conntrack_path: '/usr/sbin/conntrack',
    bridge_nf_call_iptables: true,
    bridge_nf_call_ip6tables: true,
    nf_conntrack_acct: true,
    nf_conntrack_count: Math.ceil(flows.length / 2),
    nf_conntrack_max: 262_144,
    capabilities: blind
      ? ['CAP_NET_ADMIN', 'CAP_SYSLOG']
      : ['CAP_NET_ADMIN', 'CAP_NET_RAW', 'CAP_SYSLOG', 'CAP_PERFMON', 'CAP_BPF'],
    collectors: [
      ...(blind ? BLIND : buildCollectorStates(interfaces, Math.ceil(flows.length / 2))),
      { name: 'kernel_log', state: 'active', counts: { packets: 0, lost_records: 0, over_limit_lines: 0 } },
      { name: 'firewall_log', state: 'active', counts: { packets: logged, over_limit_lines: 0, lost_files: 0 } },
    ],
    seen,
    left_out: { flows: 0, bytes: 0, packets: 0 },
  };
}

/** Cards with the firewall flag are on a bridge of their own, as under iptables. */
const buildEnforcement = (view: ClustersView, site: string, node: string): EnforcementReport => ({
  version: 1,
  ruleset_hash: view.rulesetHash(site, node),
  interfaces: view.cardsOf(site, node).map(({ vmid, device, firewalled }) => ({
    interface: device,
    vmid,
    nic: 0,
    present: true,
    bridge: firewalled ? `fwbr${vmid}i0` : 'vmbr0',
    chains: view.hasChains(site, vmid),
  })),
});

/** The heartbeat a node's agent sends, with the mistakes of its clock and the limits of what it can see. */
export function makeHeartbeat(view: ClustersView, report: Report): Heartbeat {
  const { site, node } = report;
  const { clock_offset_ms, blind } = getNodeCharacter(node);
  const shifted = (time: string) => new Date(Date.parse(time) + clock_offset_ms).toISOString();
  const sent_at = new Date(report.sent_at + clock_offset_ms).toISOString();
  const flows = blind
    ? []
    : report.flows.map((flow) => ({
        ...flow,
        observed_at: shifted(flow.observed_at),
        ...(flow.first_seen_at !== undefined && { first_seen_at: shifted(flow.first_seen_at) }),
      }));
  const interfaces = interfaceCounters(view, site, node, report.totals);
  return {
    protocol_version: PROTOCOL_VERSION,
    agent_version: AGENT_VERSION,
    machine_id: computeMachineId(node),
    node_name: node,
    boot_id: report.boot_id,
    sequence: report.sequence,
    sent_at,
    observed_since: new Date(report.observed_since + clock_offset_ms).toISOString(),
    interval_seconds: INTERVAL_SECONDS,
    interfaces,
    flows,
    interface_traffic: blind ? interfaceTraffic(view, { site, node, observed_at: sent_at }, report.moved) : [],
    flow_diagnostics: diagnostics(
      flows,
      interfaces.filter(({ kind }) => kind === 'tap' || kind === 'veth').length,
      blind,
    ),
    firewall_status: view.firewallStatus(site, node),
    nftables_ruleset_hash: view.rulesetHash(site, node),
    enforcement: buildEnforcement(view, site, node),
    ...(!blind && { sent_addresses: listSentAddresses(view, site, node) }),
  };
}
