import type { FirewallStatus, FlowDiagnostics } from '@fabric/agent-contract';
import type { AgentDetail } from '@/domain/agent';
import { formatBytes, formatCount } from '@/lib/format';
import { english } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { Mono } from '@/ui/mono';
import type { Property } from '@/ui/properties';
import { RelativeTime } from '@/ui/relative-time';
import { Status } from '@/ui/status';
import { clockText } from '../shared/agents/agent-words';
import { ClusterLink, NodeLink } from '../shared/inventory-links';
import { KnownFlag } from '../shared/inventory-states';
import type { Reported } from './read-payload';

/** Who the agent is and how it keeps in touch. */
export function identityFacts(agent: AgentDetail): Property[] {
  const { clock_offset_ms: offset } = agent;
  const clock = offset === null ? null : clockText(english, offset);
  return [
    { label: 'Node', value: <NodeLink id={agent.node_id} name={agent.node_name} /> },
    { label: 'Last heartbeat', value: <RelativeTime at={agent.last_heartbeat_at} none="Never" /> },
    { label: 'Cluster', value: <ClusterLink id={agent.cluster_id} name={agent.cluster_name} /> },
    { label: 'Interval', value: agent.interval_seconds === null ? null : `every ${agent.interval_seconds} s` },
    {
      label: 'Version',
      value: agent.agent_version && (
        <span className="inline-flex items-center gap-1.5">
          <Mono>{agent.agent_version}</Mono>
          {agent.outdated && <Badge tone="warn">Outdated</Badge>}
        </span>
      ),
    },
    {
      label: 'Clock of the node',
      value: clock && <Status tone={clock.tone}>{clock.text}</Status>,
      hint:
        clock?.tone === 'warn'
          ? 'Times of flows are corrected; compare logs with care. Check the time service of the node (chronyc tracking).'
          : undefined,
    },
    { label: 'Enrolled', value: <RelativeTime at={agent.enrolled_at} /> },
    { label: 'Machine id', value: agent.machine_id && <Mono wrap>{agent.machine_id}</Mono> },
  ];
}

/** What the agent says of the hypervisor's firewall on its node. What it could not find out is unknown, not off. */
export function firewallFacts(firewall: FirewallStatus | null, rulesetHash: string | null): Property[] {
  const service = firewall?.implementation === 'nftables' ? 'proxmox-firewall' : 'pve-firewall';
  return [
    {
      label: 'Kind',
      value: firewall?.implementation ? (
        `${firewall.implementation} (${service})`
      ) : (
        <Status tone="unknown">Unknown</Status>
      ),
    },
    {
      label: 'Cluster firewall',
      value: <KnownFlag value={firewall?.cluster_enabled ?? null} noTone="warn" />,
      hint:
        firewall?.cluster_enabled === false
          ? 'While it is off no guest is filtered, whatever its rules say.'
          : undefined,
    },
    {
      label: 'Service',
      value: <KnownFlag value={firewall?.service_running ?? null} yes="Running" no="Stopped" noTone="danger" />,
    },
    {
      label: 'Rules in the kernel',
      value: <KnownFlag value={firewall?.rules_loaded ?? null} yes="Loaded" no="None" noTone="warn" />,
    },
    {
      label: 'Chains of guests',
      value:
        firewall?.guest_chains === null || firewall === null ? (
          <Status tone="unknown">Unknown</Status>
        ) : (
          formatCount(firewall.guest_chains)
        ),
    },
    {
      label: 'Ruleset hash',
      value: rulesetHash ? <Mono wrap>{rulesetHash.slice(0, 16)}</Mono> : <Status tone="unknown">Unknown</Status>,
      hint: 'Changes when, and only when, a rule on the node changes.',
    },
  ];
}

const totals = ({ flows, bytes, packets }: FlowDiagnostics['seen']) =>
  `${formatCount(flows)} flows, ${formatBytes(bytes)}, ${formatCount(packets)} packets`;

/** What the newest heartbeat saw, and the kernel's settings that decide what can be seen. */
export function sightFacts(
  diagnostics: FlowDiagnostics,
  counts: Pick<Reported, 'flow_count' | 'interface_count'>,
): Property[] {
  const { flow_count: sent, interface_count: interfaces } = counts;
  const { nf_conntrack_count: connections, nf_conntrack_max: most } = diagnostics;
  return [
    { label: 'Seen', value: totals(diagnostics.seen), hint: 'Between the newest heartbeat and the one before.' },
    {
      label: 'Bridge filter, IPv4',
      value: <KnownFlag value={diagnostics.bridge_nf_call_iptables} />,
      hint:
        diagnostics.bridge_nf_call_iptables === true
          ? undefined
          : 'As without the firewall: connections of guests are not tracked, the capture sees them.',
    },
    { label: 'Sent', value: sent === null ? null : `${formatCount(sent)} flows` },
    { label: 'Bridge filter, IPv6', value: <KnownFlag value={diagnostics.bridge_nf_call_ip6tables} /> },
    {
      label: 'Left out',
      value: diagnostics.left_out.flows === 0 ? 'Nothing' : totals(diagnostics.left_out),
      hint: diagnostics.left_out.flows === 0 ? undefined : 'The smallest; denied flows are always sent.',
    },
    {
      label: 'Byte counters',
      value: <KnownFlag value={diagnostics.nf_conntrack_acct} noTone="warn" />,
    },
    {
      label: 'Tracked connections',
      value:
        connections === null ? (
          <Status tone="unknown">Unknown</Status>
        ) : (
          `${formatCount(connections)}${most === null ? '' : ` of at most ${formatCount(most)}`}`
        ),
    },
    { label: 'Interfaces', value: interfaces === null ? null : `${formatCount(interfaces)} counted` },
    { label: 'conntrack tool', value: diagnostics.conntrack_path && <Mono wrap>{diagnostics.conntrack_path}</Mono> },
  ];
}
