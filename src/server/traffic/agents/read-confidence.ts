import { flowDiagnosticsSchema } from '@fabric/agent-contract';
import { HOURLY_HOURS } from '@/domain/flow/plan-range';
import {
  createConfidenceEvaluator,
  type EvidenceBasis,
  listStays,
  summarizeConfidence,
} from '@/domain/impact/confidence';
import type { ChangeConfidence, NodeVisibility, VisibilityInput, WorkloadVisibility } from '@/domain/impact/evidence';
import { checkFlows } from '@/domain/impact/flow-checks';
import { HOUR_MS, type HourCounts, nodeEvidence } from '@/domain/impact/node-evidence';
import { normalize, type Span } from '@/domain/impact/time-spans';
import type { Reach } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { groupBy } from '../../lib/group-by';
import { notFound } from '../../lib/refusals';
import {
  findFlowPath,
  findNodeName,
  type LossyHour,
  listAgentStarts,
  listCoveredTime,
  listFormerPlacements,
  listLossyHours,
  listOwnedPeriods,
  listPlacedWorkloads,
} from '../queries/agent-hours';
import type { OwnedPeriod } from '../storage/flow-selection';
import { flowStore } from '../storage/flow-store';

/** Heartbeats about the last moments are still due: an agent is stale after this long at the earliest. */
const DUE_MS = 90_000;

const iso = (time: number) => new Date(time).toISOString();

const toHourCounts = ({ hour_at, flows_left_out, flows_rejected, ...row }: LossyHour): HourCounts => ({
  ...row,
  hour_at: Date.parse(hour_at),
  flows_lost: flows_left_out + flows_rejected,
});

/** When a workload is visible; null: always. */
function toVisibleSpans(periods: readonly OwnedPeriod[] | undefined): Span[] | null {
  if (!periods) return null;
  const spans = periods.map(({ from, to }) => ({
    since: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    until: to === null ? Number.POSITIVE_INFINITY : Date.parse(to),
  }));
  return normalize(spans);
}

/** The window without the moments for which heartbeats are still due, unless nothing else is in it. */
function settledWindow({ since, until }: Span): Span {
  const settled = Math.min(until, clock.now().getTime() - DUE_MS);
  return { since, until: settled > since ? settled : until };
}

const keptSince = () => clock.now().getTime() - HOURLY_HOURS * HOUR_MS;

/** What the agents of nodes covered in a window, and what they lost. Three queries. */
async function readBasis(nodeIds: readonly string[], window: Span): Promise<EvidenceBasis> {
  const kept_since = keptSince();
  // An hour that began before the window reaches into it.
  const range = { since: iso(Math.max(window.since, kept_since) - HOUR_MS), until: iso(window.until) };
  const [starts, covered, losses] = await Promise.all([
    listAgentStarts(nodeIds),
    listCoveredTime(nodeIds, range),
    listLossyHours(nodeIds, range),
  ]);
  const coveredBy = groupBy(covered, (time) => time.node_id);
  const lossesOf = groupBy(losses, (hour) => hour.node_id);
  const nodes = starts.map(({ node_id, agent_since }) => {
    const start = agent_since === null ? null : Date.parse(agent_since);
    const counts = (lossesOf.get(node_id) ?? []).map(toHourCounts);
    return [node_id, nodeEvidence(start, coveredBy.get(node_id) ?? [], counts)] as const;
  });
  return { window, kept_since, nodes: new Map(nodes) };
}

/**
 * How far the evidence about workloads reaches in a window: what the agents of their nodes covered, and what they lost. Six queries,
 * however many workloads there are.
 *
 * For an impact: pass the workloads at both ends of the conversations that the change touches, with the reach of the reader and the window of
 * the replay. Those that the reader may not see are left out, like time in which they belonged to others. `level` and `score` of the
 * answer are those of the change, `items` those of each workload, lowest score first; store `since` and `until` of the answer with it. Without any visible
 * workload the level is `none`.
 * @param window milliseconds since 1970
 */
export async function readConfidence(
  reach: Reach,
  workloadIds: readonly string[],
  given: Span,
): Promise<ChangeConfidence> {
  const window = settledWindow(given);
  const since = iso(Math.max(window.since, keptSince()));
  const [workloads, periods, places] = await Promise.all([
    listPlacedWorkloads(reach, workloadIds),
    listOwnedPeriods(reach, since),
    listFormerPlacements(workloadIds, since),
  ]);
  const former = groupBy(
    places.map((place) => ({ ...place, seen_at: Date.parse(place.seen_at), left_at: Date.parse(place.left_at) })),
    (place) => place.workload_id,
  );
  const visible = groupBy(periods, (period) => period.workload_id);
  const placed = workloads.map(({ id, name, node_id, created_at }) => ({
    workload_id: id,
    workload_name: name,
    known_since: Date.parse(created_at),
    visible: toVisibleSpans(visible.get(id)),
    stays: listStays(node_id, former.get(id) ?? [], window),
  }));
  const nodeIds = [...new Set(placed.flatMap(({ stays }) => stays.flatMap(({ nodes }) => nodes)))];
  const evaluate = createConfidenceEvaluator(await readBasis(nodeIds, window));
  return summarizeConfidence(window, placed.map(evaluate<{ workload_id: string; workload_name: string }>));
}

/** The range that was asked for. @throws AppError `malformed` for an empty one */
function readRange(input: VisibilityInput): Span {
  const until = input.until === undefined ? clock.now().getTime() : Date.parse(input.until);
  const since = input.since === undefined ? until - HOUR_MS : Date.parse(input.since);
  if (since < until) return { since, until };
  throw new AppError('malformed', 'The time range ends before it starts.', {
    errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
  });
}

/**
 * How far the evidence about one workload reaches, and what its flows need to be seen. Without `since` it is the hour before `until`, without `until`
 * up to now.
 * @throws AppError `not_found`, also for a workload not visible to the caller; `malformed` for an empty range
 */
export async function readVisibility(
  { reach }: Scope<'flow:read'>,
  workloadId: string,
  input: VisibilityInput,
): Promise<WorkloadVisibility> {
  const range = readRange(input);
  const [confidence, path] = await Promise.all([
    readConfidence(reach, [workloadId], range),
    findFlowPath(reach, workloadId),
  ]);
  const [workload] = confidence.items;
  if (!workload || !path) throw notFound('workload');
  const { cluster_id, vmid, diagnostics, ...known } = path;
  const elsewhere =
    reach === 'all' ? await flowStore().unconfirmed.countByWorkload({ id: workloadId, cluster_id, vmid }) : null;
  const bridge = flowDiagnosticsSchema.safeParse(diagnostics).data?.bridge_nf_call_iptables ?? null;
  const { since, until } = confidence;
  const checks = checkFlows({ ...workload, since, until }, { ...known, elsewhere, bridge_filtered: bridge });
  return { ...workload, since, until, ...checks };
}

/**
 * The same for a node, without workloads: what its agent covered and lost.
 * @throws AppError `not_found`; `malformed` for an empty range
 */
export async function readNodeVisibility(
  _scope: Scope<'agent:read'>,
  nodeId: string,
  input: VisibilityInput,
): Promise<NodeVisibility> {
  const window = settledWindow(readRange(input));
  const [node, basis] = await Promise.all([findNodeName(nodeId), readBasis([nodeId], window)]);
  if (!node) throw notFound('node');
  const place = {
    node_id: nodeId,
    node_name: node.name,
    known_since: Date.parse(node.created_at),
    visible: null,
    stays: [{ ...window, nodes: [nodeId] }],
  };
  return { ...createConfidenceEvaluator(basis)(place), since: iso(window.since), until: iso(window.until) };
}
