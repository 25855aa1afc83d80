import { DAY_MS } from '@/domain/durations';
import { planRange } from '@/domain/flow/plan-range';
import type { RuleProtocol } from '@/domain/policy/policy';
import type { SeenTraffic as Seen } from '@/domain/reach/reach';
import type { Scope } from '../../auth/scope';
import type { GroupTraffic } from '../../traffic/storage/flow-rows';
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

/** What passed between groups of workloads, and between them and what is outside. */
export class SeenTraffic {
  /** By the groups' names; what is outside has none. */
  readonly #passed: ReadonlyMap<string, GroupTraffic>;

  constructor(
    readonly since: string,
    passed: readonly GroupTraffic[],
    names: readonly string[],
    /** Groups with a workload whose traffic would have been seen. */
    readonly watched: ReadonlySet<string>,
  ) {
    const findName = (group: number | null) => (group === null ? null : (names[group] ?? null));
    this.#passed = new Map(passed.map((row) => [toKey(findName(row.from), findName(row.to)), row]));
  }

  /** What passed from one group to another; null: outside. Nothing seen means that only where something would have been. */
  between(from: string | null, to: string | null): NonNullable<Seen> {
    const passed = this.#passed.get(toKey(from, to));
    if (passed) return { state: 'seen', flows: passed.flows, last_seen_at: passed.last_seen_at };
    const isWatched = [from, to].some((name) => name !== null && this.watched.has(name));
    return { state: isWatched ? 'not_seen' : 'not_monitored', flows: 0, last_seen_at: null };
  }
}

const toKey = (from: string | null, to: string | null) => JSON.stringify([from, to]);

type Asked = {
  readonly service: AskedService;
  /** Ids of workloads by the names of their groups. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The workloads that exist for the reader; all others are outside. */
  readonly own: Iterable<string>;
  /** Only what passed at one of these workloads is asked for. */
  readonly at?: readonly string[];
};

/** What was seen of a service in the last days between groups of workloads; null: the reader may not see it. */
export async function readSeen(
  scope: Scope<'flow:read'> | null,
  { service: { protocol, port }, groups, own, at }: Asked,
): Promise<SeenTraffic | null> {
  if (!scope) return null;
  const begin = new Date(Date.now() - SEEN_DAYS * DAY_MS).toISOString();
  const workload_id = at?.length === 1 ? at[0] : undefined;
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, { workload_id, since: begin });
  const plan = planRange({ since, until }, { now, retentionHours, summed: true });
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  const names = [...groups.keys()];
  const numbers = new Map<string, number[]>([...own].map((id) => [id, []]));
  for (const [number, name] of names.entries()) for (const id of groups.get(name) ?? []) numbers.get(id)?.push(number);
  const protocols = FLOW_PROTOCOLS[protocol];
  const [passed, watched] = await Promise.all([
    flowStore().between({ ...selection, ...range }, source, { groups: numbers, protocols, port, at }),
    listWatchedWorkloads(scope.reach),
  ]);
  const watchedNames = names.filter((name) => groups.get(name)?.some((id) => watched.has(id)));
  return new SeenTraffic(range.since, passed, names, new Set(watchedNames));
}
