import type { Agent } from '@/domain/agent';
import { DAY_MS } from '@/domain/durations';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Status } from '@/ui/status';
import { useNow } from '@/ui/use-now';
import { Missing, Mono } from '@/ui/values';
import {
  AGENT_STATES,
  AsOf,
  clockText,
  collectorName,
  listDegradedCollectors,
  staleSince,
} from '../shared/agents/agent-state';
import { ClusterLink } from '../shared/entity-links';

const make = createColumnHelper<Agent>();

const getAgentState = (agent: Agent) => AGENT_STATES[agent.status ?? 'none'];

/** What the column shows for a node without an agent: the way to get one. */
export type InstallOffer = { onInstall: (agent: Agent) => void; reason: string | null };

export const agentColumns = (t: Translate, offer: InstallOffer) => [
  make.text('node_name', t('Node'), (agent) => agent.node_name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (agent) => (
      <Link className="link" href={paths.agent({ nodeId: agent.node_id })}>
        {agent.node_name}
      </Link>
    ),
  }),
  make.custom(
    'status',
    t('Status'),
    (agent) => <Status tone={getAgentState(agent).tone}>{t(getAgentState(agent).word)}</Status>,
    {
      sortable: true,
      width: 110,
      csv: (agent) => t(getAgentState(agent).word),
    },
  ),
  make.custom('collectors', t('Missing collectors'), (agent) => <Lacking agent={agent} offer={offer} />, {
    width: 180,
    csv: (agent) =>
      listDegradedCollectors(agent)
        .map(({ name, state }) => `${t(collectorName(name))} (${state})`)
        .join('; '),
  }),
  make.custom('reports', t('Attention'), (agent) => <Reports agent={agent} />, {
    width: 130,
    csv: (agent) => `${agent.unconfirmed.waiting} / ${agent.unconfirmed.refused}`,
  }),
  make.time('last_heartbeat_at', t('Heartbeat'), (agent) => agent.last_heartbeat_at, {
    sortable: true,
    none: t('Never'),
  }),
  make.text('agent_version', t('Version'), (agent) => agent.agent_version, {
    sortable: true,
    width: 125,
    render: (agent) =>
      agent.agent_version ? (
        <AsOf at={staleSince(agent)}>
          <span className="inline-flex items-center gap-1.5">
            <Mono>{agent.agent_version}</Mono>
            {agent.outdated && <Badge tone="warn">{t('Outdated')}</Badge>}
          </span>
        </AsOf>
      ) : (
        <Missing />
      ),
  }),
  make.custom('clock_offset_ms', t('Clock'), (agent) => <Clock agent={agent} />, {
    sortable: true,
    width: 100,
    csv: (agent) => agent.clock_offset_ms,
  }),
  make.text('cluster_name', t('Cluster'), (agent) => agent.cluster_name, {
    sortable: true,
    width: 120,
    render: (agent) => <ClusterLink id={agent.cluster_id} name={agent.cluster_name} />,
  }),
  make.custom(
    'interval_seconds',
    t('Interval'),
    (agent) =>
      agent.interval_seconds === null ? (
        <Missing />
      ) : (
        <AsOf at={staleSince(agent)}>{`${agent.interval_seconds} s`}</AsOf>
      ),
    { hidden: true, width: 90, align: 'end', csv: (agent) => agent.interval_seconds },
  ),
  make.time('enrolled_at', t('Enrolled'), (agent) => agent.enrolled_at, { hidden: true }),
  make.mono('machine_id', t('Machine ID'), (agent) => agent.machine_id, { hidden: true, width: 280 }),
  make.custom(
    'nftables_ruleset_hash',
    t('Ruleset hash'),
    (agent) =>
      agent.nftables_ruleset_hash === null ? (
        <Missing />
      ) : (
        <AsOf at={staleSince(agent)}>
          <Mono>{agent.nftables_ruleset_hash}</Mono>
        </AsOf>
      ),
    { hidden: true, width: 220, csv: (agent) => agent.nftables_ruleset_hash },
  ),
];

/**
 * What makes the reports of an agent doubtful: guests of other nodes, and a token that was taken from another agent. The worst
 * is shown.
 */
function Reports({ agent }: { agent: Agent }) {
  const t = useT();
  const now = useNow();
  const { waiting, refused } = agent.unconfirmed;
  const replaced = agent.token_replacement;
  const isNew = replaced !== null && now !== null && now - Date.parse(replaced.at) < DAY_MS;
  const texts = [
    ...(refused > 0 ? [t('{n, plural, one {# flow rejected} other {# flows rejected}}', { n: refused })] : []),
    ...(isNew ? [t('Token replaced')] : []),
    ...(waiting > 0 ? [t('{n, plural, one {# flow pending} other {# flows pending}}', { n: waiting })] : []),
  ];
  return <Worst tone={refused > 0 ? 'danger' : 'warn'} texts={texts} />;
}

/** The first of some troubles, how many more there are, and all of them when pointed at: a cell has room for one. */
function Worst({ tone, texts }: { tone: 'danger' | 'warn'; texts: readonly string[] }) {
  const [worst, ...others] = texts;
  if (worst === undefined) return null;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap" title={texts.join(', ')}>
      <Badge tone={tone}>{worst}</Badge>
      {others.length > 0 && <span className="text-muted">+{others.length}</span>}
    </span>
  );
}

function Lacking({ agent, offer }: { agent: Agent; offer: InstallOffer }) {
  const t = useT();
  if (agent.status === null) {
    return (
      <Button size="sm" onClick={() => offer.onInstall(agent)} disabledReason={offer.reason}>
        {t('Install agent')}
      </Button>
    );
  }
  if (agent.collectors.length === 0) return <Missing label={t('Unknown')} />;
  const lacking = listDegradedCollectors(agent);
  // The current state of a stale agent is not known; what it last lacked may be the reason.
  const asOf = staleSince(agent);
  if (lacking.length === 0 && asOf) return <Missing label={t('Unknown')} />;
  if (lacking.length === 0) return <span className="text-muted">{t('Nothing')}</span>;
  // What is broken before what only lacks something.
  const isBroken = ({ state }: (typeof lacking)[number]) => state === 'unavailable';
  const sorted = [...lacking].sort((a, b) => Number(isBroken(b)) - Number(isBroken(a)));
  return (
    <AsOf at={asOf}>
      <Worst
        tone={lacking.some(isBroken) ? 'danger' : 'warn'}
        texts={sorted.map(({ name }) => t(collectorName(name)))}
      />
    </AsOf>
  );
}

/** How far the clock of a node is off. */
function Clock({ agent }: { agent: Agent }) {
  const t = useT();
  if (agent.clock_offset_ms === null) return <Missing label={t('Unknown')} />;
  const { tone, text } = clockText(t, agent.clock_offset_ms);
  const asOf = staleSince(agent);
  if (asOf) return <AsOf at={asOf}>{text}</AsOf>;
  return tone === 'warn' ? <Status tone="warn">{text}</Status> : <span className="text-muted">{text}</span>;
}
