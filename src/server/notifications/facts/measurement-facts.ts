import { DAY_MS, HOUR_MS, MINUTE_MS } from '@/domain/durations';
import { floorTo, WINDOW_SECONDS } from '@/domain/flow/plan-range';
import type { Fact } from '@/domain/notifications/condition';
import { isWithinReach, type TenantReach } from '@/domain/permissions';
import { readRows } from '@/domain/topology/conversation-table';
import { systemScope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { countEnforcement } from '../../insight/dashboard/counts';
import { selectFlows } from '../../insight/flows/list-flows';
import { clock } from '../../lib/clock';
import { flowStore } from '../../traffic/storage/flow-store';
import type { Collected, Collector } from './collect-findings';
import { readUnobserved } from './unobserved';

const WINDOW_MS = WINDOW_SECONDS * 1000;
/** Measures are averages of the last whole windows of this length together. */
const MEASURED_MS = 2 * WINDOW_MS;

const DENIED = ['drop', 'reject'];

type Range = { since: number; until: number };
const iso = (time: number) => new Date(time).toISOString();

/** The heaviest conversations of a range. The number of queries does not depend on how many there are. */
async function conversations(
  reach: TenantReach,
  { since, until }: Range,
  { denied = false, from_outside = false }: { denied?: boolean; from_outside?: boolean } = {},
) {
  const range = { since: iso(since), until: iso(until) };
  const filter = { ...range, ...(denied && { decision: ['drop', 'reject'] as ('drop' | 'reject')[] }) };
  const { selection } = await selectFlows(systemScope('flow:read', 'notifications', reach), filter);
  const { table, complete } = await flowStore().edges({ ...selection, ...range }, 'hours', { from_outside });
  return { found: readRows(table), complete };
}

/** The last ten minutes that are complete. */
function measuredRange(): Range {
  const until = floorTo(clock.now().getTime(), WINDOW_MS);
  return { since: until - MEASURED_MS, until };
}

type Measured = 'bytes' | 'flows';

/** A sum of the last ten minutes for each visible workload and its cluster; what only lacks reports is unknown, not zero. */
async function measure(reach: TenantReach, field: Measured, denied: boolean) {
  const [{ found, complete }, firewall] = await Promise.all([
    conversations(reach, measuredRange(), { denied }),
    readFirewallState(),
  ]);
  const { workloads } = firewall.inputs;
  const byWorkload = new Map<string, number>();
  const byCluster = new Map<string, number>();
  const add = (sums: Map<string, number>, id: string, value: number) => sums.set(id, (sums.get(id) ?? 0) + value);
  for (const conversation of found) {
    const ends = [conversation.source_workload_id, conversation.destination_workload_id];
    const here = [...new Set(ends)].flatMap((id) => {
      const workload = id === null ? undefined : workloads.get(id);
      return workload && isWithinReach(workload, reach) ? [workload] : [];
    });
    for (const { id } of here) add(byWorkload, id, conversation[field]);
    for (const id of new Set(here.map(({ cluster_id }) => cluster_id))) add(byCluster, id, conversation[field]);
  }
  const names = new Map([...firewall.inputs.clusters.values()].map(({ id, name }) => [id, name]));
  const unknown = [...(await readUnobserved(firewall.inputs, MEASURED_MS)).workloads.values()];
  return { byWorkload, byCluster, workloads, names, unknown, complete };
}

const MBIT_PER_BYTE = 8 / 1e6 / (MEASURED_MS / 1000);

type Sums = Awaited<ReturnType<typeof measure>>;

function workloadFacts(
  condition: 'workload_traffic_high' | 'drops_high',
  { byWorkload, workloads, unknown, complete }: Sums,
  factor: number,
): Collected {
  const facts = [...byWorkload].map(([id, sum]): Fact => {
    const object = { object_kind: 'workload', object_id: id, object_name: workloads.get(id)?.name ?? id } as const;
    return { condition, key: id, ...object, detail: '', measure: sum * factor };
  });
  return { facts, unknown: unknown.map(({ id }) => id), incomplete: !complete };
}

/** Traffic of each visible workload, in Mbit/s. */
export const collectWorkloadTraffic: Collector = async (reach) =>
  workloadFacts('workload_traffic_high', await measure(reach, 'bytes', false), MBIT_PER_BYTE);

/** Dropped and rejected connections of each visible workload, per minute. */
export const collectDrops: Collector = async (reach) =>
  workloadFacts('drops_high', await measure(reach, 'flows', true), MINUTE_MS / MEASURED_MS);

/** Traffic of each cluster, in Mbit/s. */
export const collectClusterTraffic: Collector = async (reach) => {
  const { byCluster, names, unknown, complete } = await measure(reach, 'bytes', false);
  const facts = [...byCluster].map(([id, sum]): Fact => {
    const object = { object_kind: 'cluster', object_id: id, object_name: names.get(id) ?? id } as const;
    return { condition: 'cluster_traffic_high', key: id, ...object, detail: '', measure: sum * MBIT_PER_BYTE };
  });
  return { facts, unknown: unknown.map(({ cluster_id }) => cluster_id), incomplete: !complete };
};

/** Share of running visible workloads that deny by default, in percent. What could not be read counts for neither side. */
export const collectProtectedShare: Collector = async (reach) => {
  const firewall = await readFirewallState();
  const counts = countEnforcement(firewall, reach);
  // Workloads of a node that does not answer may be running; those that are not listed any more are not.
  const unseen = [...firewall.inputs.workloads.values()].filter(
    (workload) =>
      workload.status === 'unknown' &&
      workload.missing_since === null &&
      !workload.template &&
      isWithinReach(workload, reach),
  ).length;
  const unknown = counts.unknown + unseen;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.without_interface + unseen;
  if (total === 0) return { facts: [] };
  const key = 'coverage';
  const object = {
    object_kind: 'coverage',
    object_id: null,
    object_name: reach === 'all' ? 'the installation' : 'the tenant',
  } as const;
  const most = ((counts.default_deny + unknown) / total) * 100;
  // Below the threshold only if the unreadable ones do not matter; not low only if the share is reached without them.
  const fact: Fact = { condition: 'coverage_low', key, ...object, detail: '', measure: most };
  return { facts: [fact], unknown: unknown > 0 ? [key] : [] };
};

/** A service counts as new for so long. */
const NEW_MS = HOUR_MS;
const KNOWN_MS = 7 * DAY_MS;

const toServiceKey = (conversation: {
  destination_workload_id: string | null;
  protocol: string;
  port: number | null;
}) => [conversation.destination_workload_id, conversation.protocol, conversation.port].join(' ');

/**
 * Services of visible workloads that are reached from outside all known prefixes, and were not in the seven days before. Nothing is known
 * to be new while there are no flows of more than a day ago.
 */
export const collectNewExternalServices: Collector = async (reach) => {
  const now = clock.now().getTime();
  // Whole hours, as they are stored.
  const recent = floorTo(now, HOUR_MS) - NEW_MS;
  const outside = { from_outside: true };
  const [fresh, day, week, firewall] = await Promise.all([
    conversations(reach, { since: recent, until: now }, outside),
    conversations(reach, { since: recent - DAY_MS, until: recent }, outside),
    conversations(reach, { since: recent - KNOWN_MS, until: recent - DAY_MS }),
    readFirewallState(),
  ]);
  const complete = fresh.complete && day.complete && week.complete && week.found.length > 0;
  if (!complete) return { facts: [], incomplete: true };
  const accepted = ({ decision }: { decision: string }) => !DENIED.includes(decision);
  const known = new Set(
    [...day.found, ...week.found.filter(({ source_internal }) => !source_internal)].filter(accepted).map(toServiceKey),
  );
  const facts = new Map<string, Fact>();
  for (const conversation of fresh.found.filter(accepted)) {
    const { destination_workload_id: id, protocol, port, source_prefix } = conversation;
    const workload = id === null ? undefined : firewall.inputs.workloads.get(id);
    const key = toServiceKey(conversation);
    if (!workload || !isWithinReach(workload, reach) || port === null || known.has(key) || facts.has(key)) continue;
    facts.set(key, {
      condition: 'new_external_service',
      key,
      object_kind: 'workload',
      object_id: workload.id,
      object_name: workload.name,
      detail: `${protocol} ${port} on ${workload.name} is reached from outside for the first time in seven days, from ${source_prefix}.`,
    });
  }
  return { facts: [...facts.values()] };
};
