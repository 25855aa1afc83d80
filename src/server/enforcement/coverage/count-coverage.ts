import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import { listGuestNodes, listReportingNodeIds, oldestReported } from '../../traffic/queries/agents';
import type { RuleHitRow } from '../../traffic/storage/coverage-rows';
import { flowStore } from '../../traffic/storage/flow-store';
import { EscapeFinder } from '../chain/escape-finder';
import { decideEscapes, storeEscapes } from '../chain/record-escapes';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listAppliedAt } from '../queries/policy-placements';
import { guestContext } from '../verdicts/guest-context';
import { type CountedGuest, CoverageTally } from './coverage-tally';

type Place = Pick<RuleHitRow, 'policy_version' | 'rule_position'>;

/**
 * Fills in the policy version and the position of each rule that was hit: as it was applied, else as it is desired
 * now. One query.
 */
export async function resolveHitPositions(
  tx: Tx,
  firewall: FirewallState,
  hits: readonly RuleHitRow[],
): Promise<RuleHitRow[]> {
  const open = hits.filter(({ rule_position }) => rule_position === null);
  const workloadIds = [...new Set(open.map(({ workload_id }) => workload_id))];
  const places = new Map<string, Place>();
  const toRuleKey = (workload: string, policy: string, hash: string) => `${workload} ${policy} ${hash}`;
  for (const { workload_id, rules } of await listAppliedAt(tx, workloadIds)) {
    for (const rule of rules) places.set(toRuleKey(workload_id, rule.policy_id, rule.rule_hash), rule);
  }
  for (const workload_id of workloadIds) {
    for (const rule of firewall.desiredAt(workload_id)?.rules ?? []) {
      const key = toRuleKey(workload_id, rule.policy_id, rule.rule_hash);
      if (!places.has(key)) places.set(key, rule);
    }
  }
  return hits.map((hit) => {
    const place =
      hit.rule_position === null ? places.get(toRuleKey(hit.workload_id, hit.policy_id, hit.rule_hash)) : null;
    return place ? { ...hit, policy_version: place.policy_version, rule_position: place.rule_position } : hit;
  });
}

/** A heartbeat is stamped before it is committed: what is younger is left for the next time. */
const UNSETTLED_MS = 30_000;
/** How far the first count of a node reaches back: what is live now was live a moment ago. */
const FIRST_LOOK_MS = 5 * 60_000;
/** Conversations that go on move the last hit of a rule this often: looking at all of them every time would cost most. */
const ONGOING_MS = 5 * 60_000;
/** Heartbeats are kept for a day; the content of older ones is unknown. */
const HEARTBEATS_KEPT_MS = 23 * 3_600_000;

type Homes = Map<string, { node_id: string | null; looked_at: boolean }>;

/** Guests by id, with whether the node is the nearest that looks at them. Each is prepared when it is first met. */
function createGuestLookup(
  nodeId: string,
  firewall: FirewallState,
  homes: Homes,
): (workloadId: string) => CountedGuest | null {
  const known = new Map<string, CountedGuest | null>();
  return (workloadId) => {
    let guest = known.get(workloadId);
    if (guest !== undefined) return guest;
    const context = guestContext(firewall, workloadId);
    const workload = firewall.inputs.workloads.get(workloadId);
    const home = homes.get(workloadId);
    const seen_from_here = !home?.looked_at || home.node_id === nodeId;
    guest = context && workload ? { context, vmid: workload.vmid, seen_from_here } : null;
    known.set(workloadId, guest);
    return guest;
  };
}

/** Beginning of the span of time, fixed by the clock, that has ended between two counts; null when none has. */
function endedSpan(from: string, until: string): string | null {
  const start = (time: string) => Math.floor(Date.parse(time) / ONGOING_MS) * ONGOING_MS;
  return start(from) < start(until) ? new Date(start(from)).toISOString() : null;
}

/** Counts the new flows of one node, all or nothing. @returns how many flows were evaluated */
async function countNode(
  nodeId: string,
  firewall: FirewallState,
  homes: Homes,
  signal: AbortSignal | undefined,
): Promise<number> {
  const now = clock.now().getTime();
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const until = ago(UNSETTLED_MS);
  // What heartbeats brought until then is where the count reads it.
  await flowStore().deliver(nodeId);
  const versions = new Map(firewall.inputs.policies.map(({ id, version }) => [id, version]));
  return db.transaction(async (tx) => {
    const mark = await flowStore().hits.lockMark(tx, nodeId, ago(FIRST_LOOK_MS));
    if (mark.until >= until) return 0;
    const remembered = mark.until >= ago(HEARTBEATS_KEPT_MS);
    const updated_from = endedSpan(mark.until, until);
    const oldest = remembered ? await oldestReported(tx, nodeId, updated_from ?? mark.until) : 'unknown';
    const escapes = new EscapeFinder(firewall, mark.since);
    const tally = new CoverageTally({
      instance: firewall.inputs.instance,
      since: mark.since,
      guest: createGuestLookup(nodeId, firewall, homes),
      versionOf: (policyId) => versions.get(policyId) ?? 1,
      escapes,
    });
    if (oldest !== 'none') {
      const observed_from = oldest === 'unknown' || oldest < mark.since ? mark.since : oldest;
      const span = { node_id: nodeId, from: mark.until, until, updated_from, observed_from };
      for await (const flows of flowStore().hits.uncounted(tx, span)) {
        signal?.throwIfAborted();
        for (const flow of flows) tally.add(flow);
      }
    }
    const rules = await resolveHitPositions(tx, firewall, tally.hits());
    await storeEscapes(tx, firewall, escapes.found());
    await flowStore().hits.add(tx, nodeId, { rules, workloads: tally.coverage(), until });
    return tally.evaluated;
  });
}

const state = processState(() => ({ forth: false }));

/**
 * Counts which flows each rule of Fabric's policies decided, and per guest what decided its flows, in what agents
 * reported since the last count. Evaluated by what is live now. Safe to run at any time, twice concurrently, and to
 * interrupt: every node is counted in a transaction of its own.
 * @returns how many flows were evaluated
 */
export async function countCoverage(signal?: AbortSignal): Promise<number> {
  const [nodeIds, firewall, homes] = await Promise.all([
    listReportingNodeIds(db),
    readFirewallState(),
    listGuestNodes(db),
  ]);
  const byId: Homes = new Map(homes.map((home) => [home.workload_id, home]));
  let evaluated = 0;
  // To and fro: what was prepared last is still kept, and would be gone when it comes last again.
  state.forth = !state.forth;
  for (const nodeId of state.forth ? nodeIds : nodeIds.reverse()) {
    signal?.throwIfAborted();
    evaluated += await countNode(nodeId, firewall, byId, signal);
  }
  await decideEscapes();
  logger.debug({ nodes: nodeIds.length, evaluated }, 'coverage computed');
  return evaluated;
}
