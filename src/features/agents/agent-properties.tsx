import type { AgentDetail, AgentReport } from '@/domain/agent';
import { formatBytes, formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import type { Property } from '@/ui/properties';
import { Status } from '@/ui/status';
import { Mono, RelativeTime } from '@/ui/values';
import { AsOf, clockText, LastKnown, staleSince } from '../shared/agents/agent-state';
import { ClusterLink, NodeLink } from '../shared/entity-links';
import { KnownFlag } from '../shared/inventory-states';

type Diagnostics = NonNullable<AgentReport['diagnostics']>;

/** Who the agent is and how it keeps in touch. */
export function listIdentityProperties(t: Translate, agent: AgentDetail): Property[] {
  const { clock_offset_ms: offset } = agent;
  const clock = offset === null ? null : clockText(t, offset);
  const asOf = staleSince(agent);
  return [
    { label: t('Node'), value: <NodeLink id={agent.node_id} name={agent.node_name} /> },
    { label: t('Last heartbeat'), value: <RelativeTime at={agent.last_heartbeat_at} none={t('Never')} /> },
    { label: t('Cluster'), value: <ClusterLink id={agent.cluster_id} name={agent.cluster_name} /> },
    {
      label: t('Interval'),
      value:
        agent.interval_seconds === null ? null : (
          <AsOf at={asOf}>{t('every {n} s', { n: agent.interval_seconds })}</AsOf>
        ),
    },
    {
      label: t('Version'),
      value: agent.agent_version && (
        <AsOf at={asOf}>
          <span className="inline-flex items-center gap-1.5">
            <Mono>{agent.agent_version}</Mono>
            {agent.outdated && <Badge tone="warn">{t('Outdated')}</Badge>}
          </span>
        </AsOf>
      ),
    },
    {
      label: t('Node clock'),
      value: clock && (
        <AsOf at={asOf}>
          <Status tone={asOf ? 'unknown' : clock.tone}>{clock.text}</Status>
        </AsOf>
      ),
      hint:
        clock?.tone === 'warn'
          ? t(
              "Flow timestamps are corrected, log timestamps are not. Check the node's time service (chronyc tracking).",
            )
          : undefined,
    },
    { label: t('Enrolled'), value: <RelativeTime at={agent.enrolled_at} /> },
    { label: t('Machine ID'), value: agent.machine_id && <Mono wrap>{agent.machine_id}</Mono> },
  ];
}

type Flag = Parameters<typeof KnownFlag>[0] & { asOf: string | null };

/** A flag that an agent reported. Of a stale one only the last value is known. */
function ReportedFlag({ asOf, ...flag }: Flag) {
  const t = useT();
  if (asOf === null || flag.value === null) return <KnownFlag {...flag} />;
  return <LastKnown state={flag.value ? (flag.yes ?? t('On')) : (flag.no ?? t('Off'))} at={asOf} />;
}

/** The hypervisor's firewall on the node, as reported by the agent. Undetermined values are unknown, not off. */
export function listFirewallProperties(
  t: Translate,
  firewall: AgentReport['firewall'],
  rulesetHash: string | null,
  asOf: string | null,
): Property[] {
  const service = firewall?.implementation === 'nftables' ? 'proxmox-firewall' : 'pve-firewall';
  return [
    {
      label: t('Kind'),
      value: firewall?.implementation ? (
        <AsOf at={asOf}>{`${firewall.implementation} (${service})`}</AsOf>
      ) : (
        <Status tone="unknown">{t('Unknown')}</Status>
      ),
    },
    {
      label: t('Cluster firewall'),
      value: <ReportedFlag asOf={asOf} value={firewall?.cluster_enabled ?? null} noTone="warn" />,
      hint:
        firewall?.cluster_enabled === false
          ? t('While the cluster firewall is off, no workload is filtered, whatever its rules.')
          : undefined,
    },
    {
      label: t('Service'),
      value: (
        <ReportedFlag
          asOf={asOf}
          value={firewall?.service_running ?? null}
          yes={t('Running')}
          no={t('Stopped')}
          noTone="danger"
        />
      ),
    },
    {
      label: t('Kernel rules'),
      value: (
        <ReportedFlag
          asOf={asOf}
          value={firewall?.rules_loaded ?? null}
          yes={t('Loaded')}
          no={t('None')}
          noTone="warn"
        />
      ),
    },
    {
      label: t('Guest chains'),
      value:
        firewall?.guest_chains === null || firewall === null ? (
          <Status tone="unknown">{t('Unknown')}</Status>
        ) : (
          <AsOf at={asOf}>{formatCount(firewall.guest_chains)}</AsOf>
        ),
    },
    {
      label: t('Ruleset hash'),
      value: rulesetHash ? (
        <AsOf at={asOf}>
          <Mono wrap>{rulesetHash.slice(0, 16)}</Mono>
        </AsOf>
      ) : (
        <Status tone="unknown">{t('Unknown')}</Status>
      ),
      hint: t('Changes only when a rule on the node changes.'),
    },
  ];
}

const trackedText = (t: Translate, connections: number, most: number | null) =>
  most === null ? formatCount(connections) : t('{n, number} of max. {most, number}', { n: connections, most });

const totals = (t: Translate, { flows, bytes, packets }: Diagnostics['seen']) =>
  t('{flows, plural, one {# flow} other {# flows}}, {bytes}, {packets, plural, one {# packet} other {# packets}}', {
    flows,
    bytes: formatBytes(bytes),
    packets,
  });

/** What the newest heartbeat saw, and the kernel's settings that decide what can be seen. */
export function listVisibilityProperties(
  t: Translate,
  diagnostics: Diagnostics,
  counts: Pick<AgentReport, 'flow_count' | 'interface_count'>,
  asOf: string | null,
): Property[] {
  const { flow_count: sent, interface_count: interfaces } = counts;
  const { nf_conntrack_count: connections, nf_conntrack_max: most } = diagnostics;
  return [
    {
      label: t('Observed'),
      value: <AsOf at={asOf}>{totals(t, diagnostics.seen)}</AsOf>,
      hint: t('Between the last two heartbeats.'),
    },
    {
      label: t('Bridge filter, IPv4'),
      value: <ReportedFlag asOf={asOf} value={diagnostics.bridge_nf_call_iptables} />,
      hint:
        diagnostics.bridge_nf_call_iptables === true
          ? undefined
          : t('As without the firewall, workload connections are not tracked. The capture collector still sees them.'),
    },
    {
      label: t('Sent'),
      value:
        sent === null ? null : <AsOf at={asOf}>{t('{n, plural, one {# flow} other {# flows}}', { n: sent })}</AsOf>,
    },
    {
      label: t('Bridge filter, IPv6'),
      value: <ReportedFlag asOf={asOf} value={diagnostics.bridge_nf_call_ip6tables} />,
    },
    {
      label: t('Omitted'),
      value: <AsOf at={asOf}>{diagnostics.left_out.flows === 0 ? t('Nothing') : totals(t, diagnostics.left_out)}</AsOf>,
      hint:
        diagnostics.left_out.flows === 0
          ? undefined
          : t('The smallest flows are omitted; denied flows are always sent.'),
    },
    {
      label: t('Byte counters'),
      value: <ReportedFlag asOf={asOf} value={diagnostics.nf_conntrack_acct} noTone="warn" />,
    },
    {
      label: t('Tracked connections'),
      value:
        connections === null ? (
          <Status tone="unknown">{t('Unknown')}</Status>
        ) : (
          <AsOf at={asOf}>{trackedText(t, connections, most)}</AsOf>
        ),
    },
    {
      label: t('Interfaces'),
      value: interfaces === null ? null : <AsOf at={asOf}>{t('{n, number} counted', { n: interfaces })}</AsOf>,
    },
    {
      label: t('conntrack tool'),
      value: diagnostics.conntrack_path && (
        <AsOf at={asOf}>
          <Mono wrap>{diagnostics.conntrack_path}</Mono>
        </AsOf>
      ),
    },
  ];
}
