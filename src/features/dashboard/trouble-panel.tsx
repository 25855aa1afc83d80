import { CircleCheck } from 'lucide-react';
import { ESCAPE_REASONS } from '@/domain/choices';
import type { DashboardOperations } from '@/domain/dashboard/dashboard';
import { formatCount } from '@/lib/format';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { StatusDot } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { AGENT_STATES } from '../shared/agents/agent-state';
import { ESCAPE_LABELS, LINK_LABELS } from '../shared/enforcement-labels';
import { NodeLink } from '../shared/entity-links';
import { usePermissions } from '../shared/use-permissions';
import { Figures } from './figures';

const AGENT_ORDER = ['silent', 'degraded', 'pending', 'none', 'ok'] as const;
const CONFLICT_LABELS = {
  duplicate_address: msg('Duplicate address'),
  duplicate_mac: msg('Duplicate MAC address'),
  outside_subnet: msg("Outside its network's prefixes"),
  reserved_in_use: msg('Reserved, but in use'),
  moved_address: msg('Moved address'),
  spoofed_address: msg('Spoofed address'),
  stale_address: msg('Stale address'),
  unmanaged_address: msg('Unmanaged address'),
} as const;

/** Reasons that are counted as escaped. */
const ESCAPED = ESCAPE_REASONS.filter((reason) => reason !== 'older_connection').join();

/** Nodes that are faulty, agents that are silent, addresses that contradict each other. */
export function TroublePanel({ operations }: { operations: DashboardOperations }) {
  const t = useT();
  const { can } = usePermissions();
  const {
    faulty_nodes,
    silent_agents,
    agents,
    conflicts,
    inventory,
    last_syncs,
    verdict_conflicts: verdicts,
    escaped,
  } = operations;
  // Undefined: whether addresses were ever looked for is not for the reader to know.
  const discovered = last_syncs?.some(({ ipam }) => ipam?.finished_at);
  const kinds = Object.keys(CONFLICT_LABELS) as (keyof typeof CONFLICT_LABELS)[];
  return (
    <div className="flex flex-1 flex-col divide-y rounded-lg border bg-surface">
      {agents && agents.nodes > 0 && (
        <div className="flex flex-col gap-2 p-4">
          <div className="flex items-baseline justify-between gap-2">
            <h3 className="text-base text-muted">{t('Agents')}</h3>
            {can('agent:install') && (
              <Link className="link" href={paths.agents({ install: true })}>
                {t('Install agents')}
              </Link>
            )}
          </div>
          <Figures
            label={t('Nodes by agent state')}
            items={AGENT_ORDER.map((status) => ({
              id: status,
              tone: AGENT_STATES[status].tone,
              word: t(AGENT_STATES[status].word),
              count: agents[status],
              href: paths.agents({ status }),
            }))}
          />
          {silent_agents && silent_agents.length > 0 && (
            <ul aria-label={t('Stale agents')} className="flex max-h-40 flex-col gap-1 overflow-y-auto">
              {silent_agents.map((agent) => (
                <li key={agent.node_id} className="flex items-baseline gap-2">
                  <Link className="link min-w-0 truncate" href={paths.agent({ nodeId: agent.node_id })}>
                    {agent.node_name}
                  </Link>
                  <span className="min-w-0 flex-1 truncate text-faint">
                    {t('{n, plural, =0 {no running workloads} one {# running workload} other {# running workloads}}', {
                      n: agent.workloads_running,
                    })}
                  </span>
                  <span className="shrink-0 text-muted">
                    <RelativeTime at={agent.last_heartbeat_at} none={t('Never')} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {faulty_nodes && (
        <div className="flex flex-col gap-2 p-4">
          <h3 className="text-base text-muted">{t('Nodes')}</h3>
          {inventory.nodes === 0 ? (
            <p className="text-muted">{t('No nodes yet')}</p>
          ) : faulty_nodes.length === 0 ? (
            <Fine>{t('No faulty nodes')}</Fine>
          ) : (
            <ul aria-label={t('Faulty nodes')} className="flex max-h-40 flex-col gap-1 overflow-y-auto">
              {faulty_nodes.map((node) => (
                <li key={node.node_id} className="flex items-baseline gap-2">
                  <StatusDot tone={node.status === 'unknown' ? 'unknown' : 'danger'} />
                  <span className="shrink-0">
                    <NodeLink id={node.node_id} name={node.node_name} />
                  </span>
                  <span className="min-w-0 flex-1 truncate text-muted">{node.fault}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {conflicts && (
        <div className="flex flex-col gap-2 p-4">
          <h3 className="text-base text-muted">{t('Address conflicts')}</h3>
          {conflicts.open === 0 && discovered === false ? (
            <p className="text-muted">{t('Addresses never discovered')}</p>
          ) : conflicts.open === 0 ? (
            <Fine>{t('No open conflicts')}</Fine>
          ) : (
            <Figures
              label={t('Open conflicts by kind')}
              items={kinds.map((kind) => ({
                id: kind,
                word: t(CONFLICT_LABELS[kind]),
                tone: 'warn',
                count: conflicts[kind],
                href: paths.addresses({ tab: 'conflicts', kind }),
              }))}
            />
          )}
        </div>
      )}
      {(escaped.conversations > 0 || escaped.older_connections > 0) && (
        <div className="flex flex-col gap-2 p-4">
          <h3 className="text-base text-muted">{t('Escaped traffic')}</h3>
          <Figures
            label={t('Conversations of the last day that escaped the rules')}
            items={[
              {
                id: 'escaped',
                word: t('In the last day'),
                tone: 'danger',
                count: escaped.conversations,
                href: paths.escapedTraffic({ days: 1, reason: ESCAPED }),
              },
              {
                id: 'older',
                word: t(ESCAPE_LABELS.older_connection),
                tone: 'warn',
                count: escaped.older_connections,
                href: paths.escapedTraffic({ days: 1, reason: 'older_connection' }),
              },
            ]}
          />
          <ul aria-label={t('Workloads with escaped traffic')} className="flex flex-col gap-1">
            {escaped.most.map(({ workload_id, workload_name, conversations, reason, broken_link: link }) => (
              <li key={workload_id} className="flex items-baseline gap-1.5">
                <Link className="link" href={paths.escapedTraffic({ days: 1, workload_id })}>
                  {workload_name}
                </Link>
                <span className="text-muted tabular-nums">{formatCount(conversations)}</span>
                <span className="text-muted">
                  {t(ESCAPE_LABELS[reason])}
                  {link && `: ${t(LINK_LABELS[link])}`}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {verdicts.flows > 0 && (
        <div className="flex flex-col gap-2 p-4">
          <h3 className="text-base text-muted">{t('Log and rules mismatch')}</h3>
          <p>
            {t(
              '{flows, number} flows of {n, plural, one {# workload} other {# workloads}} since yesterday had a different action than the rules say.',
              { flows: verdicts.flows, n: verdicts.workloads },
            )}
          </p>
          <ul aria-label={t('Workloads with log and rules mismatch')} className="flex flex-wrap gap-x-4 gap-y-1">
            {verdicts.most.map(({ workload_id, workload_name, flows }) => (
              <li key={workload_id} className="flex items-baseline gap-1.5">
                <Link className="link" href={paths.workload({ workloadId: workload_id, tab: 'traffic' })}>
                  {workload_name}
                </Link>
                <span className="text-muted tabular-nums">{formatCount(flows)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Fine({ children }: { children: string }) {
  return (
    <p className="flex items-center gap-1.5 text-muted">
      <CircleCheck size={14} className="text-ok" aria-hidden />
      {children}
    </p>
  );
}
