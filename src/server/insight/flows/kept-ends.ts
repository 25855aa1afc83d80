import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Action } from '@/domain/flow-action';
import { makeMarkerPattern } from '@/domain/policy/marker';
import type { SummedVerdict } from '@/domain/summed-verdict';
import type { ConversationTable, TableEnd, TableService } from '@/domain/topology/conversation-table';
import type { EdgeVerdict, EndEdge } from '@/domain/topology/edge-verdict';
import { listNaming } from '../../enforcement/guest-firewall/named-rules';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { isConcerned } from '../../enforcement/policies/firewall-state/met-cluster';
import { isSameWithoutEffect } from '../../enforcement/policies/policy-inputs';
import type { InputWorkload } from '../../enforcement/queries/policy-inputs';
import { loadAuditPlacements } from '../../enforcement/verdicts/audit-policies';
import type { ContextView } from '../../enforcement/verdicts/describe-context';
import { cache } from '../../lib/cache';
import type { EndSays } from './flow-verdicts';
import { KeptRows, type Key, MOST_NUMBERS, toKey } from './kept-rows';

/** What was found out about conversations at one of their ends: how the map shows it, and what the rules say, if that may be shown. */
export type FoundEnd = {
  readonly workload_id: string;
  readonly edge: EndEdge;
  readonly says: Pick<ContextView, 'verdict' | 'direction' | 'decided_by' | 'audit'> | null;
  /** The same as it was last reported, with when the rules were read. */
  reported: ReportedEnd | null;
  /** For which question it was made sure that the rules were not read again since. */
  question: object | null;
};

/** What becomes of a conversation: for the map, and the same three values as for a flow. */
export type ConversationVerdict = {
  readonly edge: EdgeVerdict;
  readonly verdict: SummedVerdict;
  /** Policies whose rules it matches, or would match in audit mode, at either end. */
  readonly policies: readonly string[];
};

/** Verdicts of conversations by what was observed and how the map shows them. */
export type KnownVerdicts = Partial<Record<Action, Partial<Record<EdgeVerdict, ConversationVerdict>>>>;

/** What is reported at an end, by which policies, and the verdicts of conversations that it decides and no policy does. */
export type ReportedEnd = EndSays & { readonly policies: readonly string[]; readonly verdicts: KnownVerdicts };

/** The caller's and the service's end. Null: no workload that the reader may see is there. */
export type FoundEnds = { source: FoundEnd | null; destination: FoundEnd | null };

/** What is still known about a conversation; undefined at an end where something changed. */
export type KnownEnds = { readonly [End in keyof FoundEnds]: FoundEnds[End] | undefined };

/** The same with what becomes of it, where that was found out by the same firewall state. */
export type KnownConversation = KnownEnds & { readonly outcome: ConversationVerdict | undefined };

/** A conversation takes about 50 bytes: what was not asked for while `young` others were is forgotten. */
export const KEPT_LIMITS = { ...MOST_NUMBERS, young: 400_000 };

type Read = Pick<FirewallState, 'content' | 'inputs' | 'snapshots'>;

/** Ids of what differs. */
function listChanged<T>(
  before: ReadonlyMap<string, T>,
  now: ReadonlyMap<string, T>,
  isSame: (old: T, row: T) => boolean = (old, row) => old === row,
): string[] {
  const isChanged = (id: string) => {
    const [old, row] = [before.get(id), now.get(id)];
    return old === undefined || row === undefined || !isSame(old, row);
  };
  return [...new Set([...before.keys(), ...now.keys()])].filter(isChanged);
}

/** Ids of guests with rules that are marked as one of these policies'; null: rules of a cluster are, which may decide at each of its guests. */
function listMarked({ guests, clusters }: Read['snapshots'], policyIds: readonly string[]): string[] | null {
  if (policyIds.length === 0) return [];
  const pattern = makeMarkerPattern(policyIds);
  if ([...clusters.values()].some(({ state }) => pattern.test(JSON.stringify(state)))) return null;
  const isMarked = ({ rules }: GuestSnapshot) => rules?.some(({ comment }) => comment && pattern.test(comment));
  return [...guests].filter(([, { state }]) => isMarked(state)).map(([id]) => id);
}

/** Ids of guests on which it has an effect that the firewalls of these clusters changed. */
function listConcerned(before: Read, { inputs, snapshots }: Read, clusterIds: readonly string[]): string[] {
  if (clusterIds.length === 0) return [];
  const isGuestConcerned = (workload: InputWorkload) => {
    const [old, row] = [before.snapshots.clusters, snapshots.clusters].map((read) => read.get(workload.cluster_id));
    return (
      !old || !row || isConcerned(old.state, row.state, snapshots.guests.get(workload.id)?.state ?? null, workload)
    );
  };
  const workloads = [...inputs.workloads.values()].filter(({ cluster_id }) => clusterIds.includes(cluster_id));
  return workloads.filter(isGuestConcerned).map(({ id }) => id);
}

type Changed = {
  /** Workloads about which something changed on which it depends what is found out at their ends, and at the others of their conversations. */
  readonly workloads: readonly string[];
  /** Guests whose rules or policies changed: on them it depends what is found out at their ends. */
  readonly guests: readonly string[];
};

/** What changed from one state to the next; null: all, or something else. */
function findChanged(before: Read, now: Read): Changed | null {
  const isSameState = (old: { readonly state: unknown }, row: { readonly state: unknown }) => old.state === row.state;
  const guests = [
    ...listChanged(before.snapshots.guests, now.snapshots.guests, isSameState),
    ...listConcerned(before, now, listChanged(before.snapshots.clusters, now.snapshots.clusters, isSameState)),
  ];
  if (before.inputs === now.inputs) return { workloads: [], guests };
  if (before.inputs.instance !== now.inputs.instance) return null;
  const marked = listMarked(now.snapshots, listChanged(listNaming(before.inputs), listNaming(now.inputs)));
  if (marked === null) return null;
  const audited = listChanged(loadAuditPlacements(before.inputs), loadAuditPlacements(now.inputs));
  const workloads = listChanged(before.inputs.workloads, now.inputs.workloads, isSameWithoutEffect);
  return { workloads, guests: [...guests, ...marked, ...audited] };
}

/** Numbers for conversations: for all on which it depends what is found out at their ends. */
class ConversationNumbers {
  readonly #ends = new Map<string, Map<string, number>>();
  readonly #services = new Map<string, number>();
  #endCount = 0;

  isNearlyFull(): boolean {
    return this.#endCount > 0.75 * KEPT_LIMITS.ends || this.#services.size > 0.75 * KEPT_LIMITS.services;
  }

  /** Numbers the rows of a table; null for one when there are too many. */
  numberRows({ ends, services, source, destination, service }: ConversationTable): (row: number) => Key | null {
    const endNumbers: number[] = new Array(ends.length);
    const numberOfEnd = (end: number) => {
      endNumbers[end] ??= this.#numberOfEnd(ends[end] as TableEnd);
      return endNumbers[end];
    };
    const serviceNumbers: number[] = new Array(services.length);
    return (row) => {
      const from = numberOfEnd(source[row] as number);
      const to = numberOfEnd(destination[row] as number);
      const of = service[row] as number;
      serviceNumbers[of] ??= this.#numberOfService(services[of] as TableService);
      const about = serviceNumbers[of];
      const isFull = from >= KEPT_LIMITS.ends || to >= KEPT_LIMITS.ends || about >= KEPT_LIMITS.services;
      return isFull ? null : toKey(from, to, about);
    };
  }

  /** The numbers of all ends that are one of these workloads. */
  listEnds(workloadIds: readonly string[]): Set<number> {
    return new Set(workloadIds.flatMap((id) => [...(this.#ends.get(id)?.values() ?? [])]));
  }

  #numberOfService({ protocol, port, decision }: TableService): number {
    const name = `${protocol} ${port} ${decision}`;
    const known = this.#services.get(name);
    if (known !== undefined || this.#services.size >= KEPT_LIMITS.services) return known ?? this.#services.size;
    this.#services.set(name, this.#services.size);
    return this.#services.size - 1;
  }

  #numberOfEnd({ workload_id, prefix }: TableEnd): number {
    const id = workload_id ?? '';
    const prefixes = this.#ends.get(id) ?? new Map<string, number>();
    const known = prefixes.get(prefix);
    if (known !== undefined || this.#endCount >= KEPT_LIMITS.ends) return known ?? this.#endCount;
    this.#ends.set(id, prefixes.set(prefix, this.#endCount));
    return this.#endCount++;
  }
}

/**
 * What was found out about conversations at their ends, as long as the rules there stay the same: maps, groups and dashboards ask
 * about the same ones again.
 */
class KeptEnds {
  /** What was read when everything that is kept was found out. */
  #read: Read | null = null;
  #numbers = new ConversationNumbers();
  /** Of each reader what was asked for lately, and what was before that. */
  #young = new Map<string, KeptRows<FoundEnd, ConversationVerdict>>();
  #old = new Map<string, KeptRows<FoundEnd, ConversationVerdict>>();
  #youngSize = 0;

  get size(): number {
    const maps = [this.#young, this.#old].flatMap((readers) => [...readers.values()]);
    return maps.reduce((sum, { size }) => sum + size, 0);
  }

  /** Forgets what does not hold by the firewall state. @returns what is kept for a reader, whose reaches are in `name` */
  open(firewall: FirewallState, name: string) {
    this.#follow(firewall);
    const numbers = this.#numbers;
    // Someone else may have opened it with something else since.
    const isMine = () => this.#read?.content === firewall.content && this.#numbers === numbers;
    return {
      numberRows: (table: ConversationTable) => numbers.numberRows(table),
      /** What is known about a conversation. It is the same object each time, and holds until the next one is asked for. */
      find: (key: Key): KnownConversation | undefined => {
        if (!isMine()) return undefined;
        const rows = this.#young.get(name);
        rows?.enter(firewall);
        const young = rows?.find(key);
        if (young) return young;
        const old = this.#old.get(name)?.find(key);
        if (!old) return undefined;
        this.#keep(name, key, old);
        return { ...old, outcome: undefined };
      },
      /** Keeps what becomes of a conversation by this firewall state. */
      keepVerdict: (key: Key, verdict: ConversationVerdict): void => {
        const rows = isMine() ? this.#young.get(name) : undefined;
        rows?.enter(firewall);
        rows?.keepOutcome(key, verdict);
      },
      keep: (key: Key, found: FoundEnds): void => {
        if (isMine()) this.#keep(name, key, found);
      },
    };
  }

  #keep(name: string, key: Key, found: KnownEnds): void {
    if (this.#youngSize >= KEPT_LIMITS.young) {
      for (const rows of this.#young.values()) rows.leave();
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    const kept = this.#young.get(name) ?? new KeptRows<FoundEnd, ConversationVerdict>();
    this.#young.set(name, kept);
    const { size } = kept;
    kept.keep(key, found);
    this.#youngSize += kept.size - size;
  }

  #follow({ content, inputs, snapshots }: FirewallState): void {
    const before = this.#read;
    this.#read = { content, inputs, snapshots };
    const isFull = this.#numbers.isNearlyFull();
    if (before?.content === content && !isFull) return;
    const changed = before && !isFull ? findChanged(before, this.#read) : null;
    if (changed === null) this.#forgetAll();
    else this.#forget(changed);
  }

  #forgetAll(): void {
    this.#numbers = new ConversationNumbers();
    this.#young = new Map();
    this.#old = new Map();
    this.#youngSize = 0;
  }

  /** Forgets what changed, also at ends which their reader did not see. Others may still use what they were given. */
  #forget({ workloads, guests }: Changed): void {
    const [both, own] = [this.#numbers.listEnds(workloads), this.#numbers.listEnds(guests)];
    if (both.size + own.size === 0) return;
    for (const kept of [this.#young, this.#old].flatMap((readers) => [...readers.values()])) kept.forget(both, own);
  }
}

const kept = cache<KeptEnds>({ name: 'conversation_verdicts', entriesOf: ({ size }) => size });

/** What is kept for a reader by a firewall state; `name` is the same for readers with the same reaches. */
export const openKeptEnds = (firewall: FirewallState, name: string): ReturnType<KeptEnds['open']> =>
  kept.load('', null, () => new KeptEnds()).open(firewall, name);
