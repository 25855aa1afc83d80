'use client';
import type { FlowCheck, FlowCheckDetail, FlowCheckName, FlowChecks as Walk } from '@/domain/impact/flow-checks';
import { formatPercent } from '@/lib/format';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Status, type Tone } from '@/ui/status';
import { usePermissions } from '../shared/use-permissions';

const STEPS: Record<FlowCheckName, string> = {
  known: msg('In the inventory and visible to you'),
  running: msg('Workload runs'),
  node: msg('Node is online'),
  agent: msg('Agent reports'),
  heartbeats: msg('Heartbeats cover the time range'),
  collectors: msg('Conversations are observed'),
  delivery: msg('All that was seen was stored'),
  placement: msg('Reported by its own node'),
};

const STATES: Record<FlowCheck['state'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: msg('OK') },
  missing: { tone: 'danger', word: msg('No flows past this') },
  partly: { tone: 'warn', word: msg('Some flows are missing') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

const DETAILS: Record<FlowCheckDetail, string> = {
  other_owner: msg('The workload belonged to another tenant or project. Its flows of that time are theirs.'),
  not_in_inventory: msg('Fabric did not have the workload yet. Sync its cluster, or choose a later time range.'),
  not_running: msg('The workload does not run now, so it has no traffic. When it was stopped is not known.'),
  no_node: msg('The workload is on no known node. Sync its cluster.'),
  node_offline: msg('The node is offline, and so is its agent.'),
  no_agent: msg('The node has no agent. Install one: nothing else reports flows.'),
  agent_pending: msg('The agent has not reported yet. Check on the node that its service runs and reaches Fabric.'),
  agent_silent: msg('The agent has stopped reporting. Its page says what to check.'),
  beyond_retention: msg('What was stored about this time has expired. Choose a later time range.'),
  before_agent: msg('The node had no agent at that time.'),
  no_heartbeats: msg('No heartbeats arrived for that time. What happened then is unknown.'),
  no_collector: msg(
    'The agent reported, but neither packet capture nor connection tracking worked. Its page says why.',
  ),
  bridge_not_filtered: msg(
    'Packet capture did not work, and bridged packets do not pass the IP filter of the node (bridge-nf-call-iptables is off), so connection tracking does not see them.',
  ),
  conntrack_only: msg('Without packet capture, connections that the node does not track are missing.'),
  truncated: msg('There were more flows than a heartbeat holds, or flows that could not be stored.'),
  capture_drops: msg('The node was too busy to capture every packet.'),
  waiting: msg(
    'The agent of another node reported flows of this workload. They count once the cluster confirms its node.',
  ),
  refused: msg('The agent of another node reported flows of this workload, and the cluster says that it is not there.'),
};

function Outcome({ state }: Pick<FlowCheck, 'state'>) {
  const t = useT();
  return <Status tone={STATES[state].tone}>{t(STATES[state].word)}</Status>;
}

type Props = Walk & {
  /** Flows were found, so what is in the way now keeps only some of them away. */
  seen: boolean;
};

/** Walks from the workload to its flows: what each step needs, whether it holds, and what to do where it does not. */
export function FlowChecks({ checks, first_missing, node_id, seen }: Props) {
  const t = useT();
  const { can } = usePermissions();
  const isOfAgent = (check: FlowCheckName) => check === 'agent' || check === 'collectors' || check === 'delivery';
  return (
    <details open={!seen && first_missing !== null}>
      <summary className="cursor-pointer">{seen ? t('Why are flows missing?') : t('Why are there no flows?')}</summary>
      <ol className="mt-2 flex flex-col gap-2" aria-label={t('What flows need to be seen')}>
        {checks.map(({ check, state, detail, missing_share }) => (
          <li key={check} className="flex flex-col gap-0.5">
            <span className="flex flex-wrap items-baseline gap-x-3">
              <span>{t(STEPS[check])}</span>
              <Outcome state={seen && state === 'missing' ? 'partly' : state} />
              {missing_share !== null && (
                <span className="text-muted tabular-nums">{formatPercent(missing_share)}</span>
              )}
            </span>
            {detail && (
              <span className="text-sm text-muted">
                {t(DETAILS[detail])}{' '}
                {isOfAgent(check) && node_id && can('agent:read') && (
                  <Link href={paths.agent({ nodeId: node_id })}>{t('Open agent')}</Link>
                )}
              </span>
            )}
          </li>
        ))}
      </ol>
      {checks.every(({ state }) => state === 'ok') && (
        <p className="mt-2 text-muted">
          {t('Nothing is in the way: flows that are not shown did not happen, or filters hide them.')}
        </p>
      )}
    </details>
  );
}
