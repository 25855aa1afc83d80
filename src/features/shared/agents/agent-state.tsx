import type { ReactNode } from 'react';
import type { Agent } from '@/domain/agent';
import type { WorkloadCoverage } from '@/domain/coverage';
import { formatDuration } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status, type Tone } from '@/ui/status';
import { Missing, RelativeTime } from '@/ui/values';

type State = { tone: Tone; word: string };

/** `none` is a node without an agent. */
export const AGENT_STATES: Record<NonNullable<Agent['status']> | 'none', State> = {
  ok: { tone: 'ok', word: msg('Reporting') },
  degraded: { tone: 'warn', word: msg('Degraded') },
  silent: { tone: 'danger', word: msg('Stale report') },
  pending: { tone: 'neutral', word: msg('Waiting') },
  none: { tone: 'off', word: msg('No agent') },
};

const COLLECTORS: Record<string, string> = {
  packet_capture: msg('Packet capture'),
  conntrack: msg('Connection tracking'),
  kernel_log: msg('Kernel log'),
  firewall_log: msg('Firewall log'),
};

/** What people call a collector; one that this version does not know keeps its name. */
export const collectorName = (name: string): string => COLLECTORS[name] ?? name;

const COLLECTOR_STATES: Record<string, State> = {
  active: { tone: 'ok', word: msg('Working') },
  degraded: { tone: 'warn', word: msg('Limited') },
  unavailable: { tone: 'danger', word: msg('Not working') },
  off: { tone: 'off', word: msg('Off') },
};

export const collectorState = (state: string): State => COLLECTOR_STATES[state] ?? { tone: 'unknown', word: state };

/** The collectors that do not do all they could. */
export const listDegradedCollectors = (agent: Pick<Agent, 'collectors'>) =>
  agent.collectors.filter(({ state }) => state === 'degraded' || state === 'unavailable');

/** From here on an agent's clock makes times in logs hard to compare. */
const OFFSET_MATTERS_MS = 2_000;
const IN_STEP_MS = 500;

/** An agent's clock against the service's: `3.2 s ahead`. */
export function clockText(t: Translate, offsetMs: number): { tone: Tone; text: string } {
  const size = Math.abs(offsetMs);
  if (size < IN_STEP_MS) return { tone: 'ok', text: t('Accurate') };
  return {
    tone: size >= OFFSET_MATTERS_MS ? 'warn' : 'ok',
    text:
      offsetMs > 0
        ? t('{time} ahead', { time: formatDuration(size) })
        : t('{time} behind', { time: formatDuration(size) }),
  };
}

/** How the agent of a node reports; a dash when none is installed. */
export function AgentState({ status }: { status: Agent['status'] }) {
  const t = useT();
  if (status === null) return <Missing label={t('No agent')} />;
  const { tone, word } = AGENT_STATES[status];
  return <Status tone={tone}>{t(word)}</Status>;
}

/**
 * When the values of an agent are from, unless it reports them now. Null for one that reports, and where there was no report: of a
 * new token the values are those of the former one.
 */
export const staleSince = ({
  status,
  last_heartbeat_at,
}: Pick<Agent, 'status' | 'last_heartbeat_at'>): string | null =>
  status === 'ok' || status === 'degraded' ? null : last_heartbeat_at;

/** When the counts of a workload end whose node has no agent that reports now; null while its traffic is counted. */
export const uncountedSince = ({
  looked_since,
  last_flow_at,
}: Pick<WorkloadCoverage, 'looked_since' | 'last_flow_at'>) => (looked_since === null ? last_flow_at : null);

/**
 * A value of a heartbeat. Of an agent that is stale it is gray and has its age: it is unknown whether it still applies.
 * @param at time of the last heartbeat of a stale agent; null shows the value as it is
 */
export function AsOf({ at, children }: { at: string | null; children: ReactNode }) {
  if (at === null || children === null || children === undefined) return children;
  return (
    <span
      data-as-of={at}
      className="inline-flex max-w-full items-baseline gap-x-1.5 overflow-hidden text-faint grayscale"
    >
      {children}
      <span className="whitespace-nowrap text-sm">
        <RelativeTime at={at} />
      </span>
    </span>
  );
}

/** A state that a stale agent reported last. */
export function LastKnown({ state, at }: { state: string; at: string }) {
  const t = useT();
  return (
    <AsOf at={at}>
      <Status tone="unknown">{t('Unknown, last: {state}', { state })}</Status>
    </AsOf>
  );
}
