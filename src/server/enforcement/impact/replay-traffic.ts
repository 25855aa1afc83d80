import type { LiveRule } from '@/domain/firewall/live-state';
import {
  createImpactFold,
  type FoldedConversation,
  type FoldedEnd,
  type ImpactTotals,
} from '@/domain/impact/fold-impact';
import type { ImpactConversation } from '@/domain/impact/impact';
import { createReplayer, distinguishesCallers, type EndDecision } from '@/domain/impact/replay';
import type { ImpactFindings } from '@/domain/impact/stored-impact';
import { parseIp } from '@/domain/net/ip-address';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { storedSettings } from '../../settings/settings';
import { readConfidence } from '../../traffic/agents/read-confidence';
import { findFlowReach } from '../../traffic/queries/flow-reach';
import type { OwnedPeriod } from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { findOwnerNames } from '../queries/impacts';
import type { InputWorkload } from '../queries/policy-inputs';
import { rulesDescriber } from './describe-difference';
import type { Session } from './rule-findings';

/** Conversations that are kept of an impact; totals count all. */
const MOST_CONVERSATIONS = 5_000;
/** Those that are shown while an impact is computed, and how often they are stored. */
const FIRST_CONVERSATIONS = 100;
const STORE_MS = 2_000;
const HOUR_MS = 3_600_000;

export type Replay = Pick<ImpactFindings, 'confidence' | 'traffic_visible'> & {
  readonly totals: ImpactTotals | null;
  readonly conversations: readonly ImpactConversation[];
};

const NOT_VISIBLE: Replay = { confidence: null, traffic_visible: false, totals: null, conversations: [] };

/** Rules of everything whose packets may be evaluated, before and after. */
function* allRules({ found }: Session): Generator<LiveRule> {
  for (const { snapshots } of [found.before, found.after]) {
    for (const { state } of snapshots.guests.values()) yield* state.rules ?? [];
  }
  for (const { state } of found.before.snapshots.clusters.values()) {
    for (const rules of Object.values(state.groups ?? {})) yield* rules;
    for (const { rules } of Object.values(state.vnets ?? {})) yield* rules ?? [];
    for (const { rules } of Object.values(state.nodes ?? {})) yield* rules ?? [];
    yield* state.rules ?? [];
  }
}

type Describer = (rows: readonly FoldedConversation[]) => Promise<ImpactConversation[]>;

/** Describes conversations as far as the reader may know their ends and what decides there. */
function describer(
  { row, firewall, inputs, pairs }: Session,
  flows: Reach,
  periods: readonly OwnedPeriod[],
): Describer {
  const describers = new Map<string, ReturnType<typeof rulesDescriber>>();
  const rulesSay = ({ workload_id, verdict, by }: EndDecision, at: 'before' | 'after') => {
    const workload = inputs.workloads.get(workload_id);
    const guest = pairs.of(workload_id)[at];
    if (!workload || !guest || !by) return null;
    const read_at = firewall.readAt([workload_id]);
    const describeAt =
      describers.get(workload_id) ?? rulesDescriber(inputs, row.reader.policies, { workload, read_at });
    describers.set(workload_id, describeAt);
    return describeAt(guest, verdict, by);
  };
  const visible = (id: string): InputWorkload | null => {
    const workload = inputs.workloads.get(id);
    return workload && isWithinReach(workload, flows) ? workload : null;
  };
  return async (rows) => {
    const ends = rows.flatMap(({ client, server }) => [client, server]);
    const owners = ends.flatMap(({ workload_id }) => (workload_id === null ? [] : (visible(workload_id) ?? [])));
    const names = await findOwnerNames(owners);
    const named = (id: string | null) => {
      const name = id === null ? undefined : names.get(id);
      return id !== null && name !== undefined ? { id, name } : null;
    };
    const describeEnd = ({ workload_id: id, prefix, addresses, internal }: FoldedEnd): ImpactConversation['client'] => {
      const workload = id === null ? null : visible(id);
      // What went to someone else is called as it was then.
      const then =
        id === null || workload ? null : periods.findLast(({ workload_id, name }) => workload_id === id && name);
      const name = workload?.name ?? then?.name ?? null;
      return {
        workload: id !== null && name !== null ? { id, name } : null,
        ...{ prefix, addresses, internal },
        tenant: named(workload?.tenant_id ?? null),
        project: named(workload?.project_id ?? null),
      };
    };
    return rows.map(({ client, server, before, after, ...rest }, at) => ({
      id: at + 1,
      ...rest,
      client: describeEnd(client),
      server: describeEnd(server),
      before: rulesSay(before, 'before'),
      after: rulesSay(after, 'after'),
    }));
  };
}

/** What is found so far, while conversations are replayed. */
export type ReplayPart = { readonly totals: ImpactTotals; readonly conversations: readonly ImpactConversation[] };

/**
 * Replays what was observed in the window of an impact: conversations with a changed workload at an end, as far as the reader sees
 * these and their rules. Memory does not grow with the number of flows.
 * @param store keeps what was found so far, and gives way to other work
 */
export async function replayTraffic(
  session: Session,
  store: (share: number, part: ReplayPart | null) => Promise<void>,
): Promise<Replay> {
  const { row, inputs, found, pairs } = session;
  const { flows, policies } = row.reader;
  if (flows === null) return NOT_VISIBLE;
  const looked = (id: string): InputWorkload | null => {
    const workload = inputs.workloads.get(id);
    return workload && isWithinReach(workload, flows) && isWithinReach(workload, policies) ? workload : null;
  };
  const at = [...new Set([...found.changed, ...found.unreadable])].filter((id) => looked(id)).sort();
  const [{ flow_retention_hours }, reach, confidence] = await Promise.all([
    storedSettings(db),
    findFlowReach(flows, row.since),
    readConfidence(flows, at, { since: Date.parse(row.since), until: Date.parse(row.until) }),
  ]);
  const show = describer(session, flows, reach.periods);
  const fold = createImpactFold(MOST_CONVERSATIONS);
  const replay = createReplayer({
    pairOf: (id) => (looked(id) ? pairs.of(id) : null),
    addressesOf: (id) => (looked(id)?.addresses ?? []).flatMap((address) => parseIp(address) ?? []),
  });
  const selection = {
    ...reach,
    cutoff: new Date(clock.now().getTime() - flow_retention_hours * HOUR_MS).toISOString(),
    ...{ since: row.since, until: row.until, at },
    exact_callers: distinguishesCallers(allRules(session)),
  };
  let stored = Number.NEGATIVE_INFINITY;
  for await (const { conversations, done } of flowStore().replay(selection, row.source)) {
    for (const conversation of conversations) {
      const replayed = replay(conversation);
      if (replayed) fold.add(conversation, replayed);
    }
    const share = done / at.length;
    const isDue = performance.now() - stored > STORE_MS;
    const part = isDue && {
      totals: { ...fold.totals },
      conversations: await show(fold.first(FIRST_CONVERSATIONS)),
    };
    await store(share, part || null);
    if (isDue) stored = performance.now();
  }
  fold.close();
  return {
    ...{ confidence, traffic_visible: true, totals: fold.totals },
    conversations: await show(fold.first(MOST_CONVERSATIONS)),
  };
}
