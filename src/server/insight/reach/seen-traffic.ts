import { DAY_MS } from '@/domain/durations';
import { planRange } from '@/domain/flow/plan-range';
import type { RuleProtocol } from '@/domain/policy/policy';
import type { SeenTraffic } from '@/domain/reach/reach';
import type { Conversation } from '@/domain/topology/fold-conversations';
import type { Scope } from '../../auth/scope';
import { MAX_CONVERSATIONS } from '../../traffic/storage/flow-rows';
import { flowStore } from '../../traffic/storage/flow-store';
import { selectFlows } from '../flows/list-flows';
import { listWatchedWorkloads } from '../queries/monitored-nodes';

/** How far back traffic counts as seen. */
const SEEN_DAYS = 7;

export type AskedService = { readonly protocol: RuleProtocol; readonly port?: number | undefined };

/** Names that flows have for a protocol of rules; null: all. */
const FLOW_PROTOCOLS: Readonly<Record<RuleProtocol, readonly string[] | null>> = {
  any: null,
  tcp: ['tcp'],
  udp: ['udp'],
  'tcp/udp': ['tcp', 'udp'],
  sctp: ['sctp'],
  icmp: ['icmp'],
  icmpv6: ['icmpv6', 'ipv6-icmp'],
};

/** A workload of the reader; null: outside. */
type End = string | null;

type Passed = { flows: number; last_seen_at: string };

/** What passed between workloads, and between them and what is outside. */
export class SeenPairs {
  /** By source and destination. */
  readonly #passed = new Map<End, Map<End, Passed>>();

  /** @param isOwn whether a workload exists for the reader; any other is outside */
  constructor(
    conversations: readonly Conversation[],
    readonly since: string,
    readonly watched: ReadonlySet<string>,
    readonly complete: boolean,
    isOwn: (id: string) => boolean,
  ) {
    const toEnd = (id: string | null): End => (id !== null && isOwn(id) ? id : null);
    for (const { source_workload_id, destination_workload_id, flows, last_seen_at } of conversations) {
      const [source, destination] = [toEnd(source_workload_id), toEnd(destination_workload_id)];
      const own = this.#passed.get(source) ?? new Map<End, Passed>();
      this.#passed.set(source, own);
      const known = own.get(destination) ?? { flows: 0, last_seen_at: '' };
      known.flows += flows;
      if (last_seen_at > known.last_seen_at) known.last_seen_at = last_seen_at;
      own.set(destination, known);
    }
  }

  /** What passed from some to others. Nothing seen means that only where something would have been. */
  between(sources: readonly End[], destinations: readonly End[]): NonNullable<SeenTraffic> {
    let flows = 0;
    let last = '';
    const asked = new Set(destinations);
    for (const source of sources) {
      const known = this.#passed.get(source);
      if (!known) continue;
      // The shorter list: most workloads exchange packets with few others.
      for (const destination of known.size < asked.size ? known.keys() : asked) {
        const passed = asked.has(destination) ? known.get(destination) : undefined;
        if (!passed) continue;
        flows += passed.flows;
        if (passed.last_seen_at > last) last = passed.last_seen_at;
      }
    }
    const isWatched = [sources, destinations].some((ends) => ends.some((end) => end !== null && this.watched.has(end)));
    if (flows > 0) return { state: 'seen', flows, last_seen_at: last };
    return { state: isWatched && this.complete ? 'not_seen' : 'not_monitored', flows: 0, last_seen_at: null };
  }
}

/** What was seen of a service in the last days, at one workload or at all that are visible; null: the reader may not see it. */
export async function readSeen(
  scope: Scope<'flow:read'> | null,
  { protocol, port }: AskedService,
  isOwn: (id: string) => boolean,
  workload_id?: string,
): Promise<SeenPairs | null> {
  if (!scope) return null;
  const begin = new Date(Date.now() - SEEN_DAYS * DAY_MS).toISOString();
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, { workload_id, since: begin });
  const plan = planRange({ since, until }, { now, retentionHours, summed: true });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  const [conversations, watched] = await Promise.all([
    flowStore().edges({ ...selection, ...range }, source),
    listWatchedWorkloads(scope.reach),
  ]);
  const protocols = FLOW_PROTOCOLS[protocol];
  const passed = conversations.filter(
    (one) =>
      one.decision !== 'drop' &&
      one.decision !== 'reject' &&
      (protocols?.includes(one.protocol) ?? true) &&
      (port === undefined || one.port === port),
  );
  return new SeenPairs(passed, range.since, watched, conversations.length < MAX_CONVERSATIONS, isOwn);
}
