import { z } from 'zod';
import type { AGENT_STATUSES, NODE_STATUSES, WORKLOAD_STATUSES } from '../choices';
import type { EvidenceReason, WorkloadConfidence } from './evidence';

/** What flows need to be seen, from the workload to the stored flow. */
export const FLOW_CHECKS = [
  /** The reader may see the workload, and Fabric had it, in the time range. */
  'known',
  'running',
  /** The workload is on a node that is online. */
  'node',
  'agent',
  /** Nothing of the time range has expired, and heartbeats cover it. */
  'heartbeats',
  /** Something that observes conversations worked. */
  'collectors',
  /** Nothing was left out of heartbeats, rejected or lost by the capture. */
  'delivery',
  /** No agent of another node reports about the workload. */
  'placement',
] as const;
export type FlowCheckName = (typeof FLOW_CHECKS)[number];

/** `missing`: no flows come past this. `partly`: some do not. `unknown`: it could not be found out, which is never `ok`. */
export const FLOW_CHECK_STATES = ['ok', 'missing', 'partly', 'unknown'] as const;

/** What exactly keeps flows away. */
export const FLOW_CHECK_DETAILS = [
  'other_owner',
  'not_in_inventory',
  'not_running',
  'no_node',
  'node_offline',
  'no_agent',
  'agent_pending',
  'agent_silent',
  'beyond_retention',
  'before_agent',
  'no_heartbeats',
  'no_collector',
  'bridge_not_filtered',
  'conntrack_only',
  'truncated',
  'capture_drops',
  'waiting',
  'refused',
] as const;
export type FlowCheckDetail = (typeof FLOW_CHECK_DETAILS)[number];

export const FlowCheck = z.object({
  check: z.enum(FLOW_CHECKS),
  state: z.enum(FLOW_CHECK_STATES),
  detail: z.enum(FLOW_CHECK_DETAILS).nullable(),
  /** Of `partly`, the share of the time range or of what was seen that is missing, 0 to 1; null: not known. */
  missing_share: z.number().nullable(),
});
export type FlowCheck = z.output<typeof FlowCheck>;

/** The walk from a workload to its flows. */
export const FlowChecks = z.object({
  /** In the order in which flows come about. `placement` only for those who may see all tenants. */
  checks: z.array(FlowCheck),
  /** The first that keeps all flows away; null: none does, so what is not shown did not happen as far as it was observed. */
  first_missing: z.enum(FLOW_CHECKS).nullable(),
  node_id: z.uuid().nullable(),
});
export type FlowChecks = z.output<typeof FlowChecks>;

/** What is known now about where the flows of a workload come from. */
export type FlowPath = {
  readonly status: (typeof WORKLOAD_STATUSES)[number];
  readonly node_id: string | null;
  readonly node_status: (typeof NODE_STATUSES)[number] | null;
  /** Null: no agent. */
  readonly agent_status: (typeof AGENT_STATUSES)[number] | null;
  /** Whether bridged packets pass the node's IP filter, and so its connection tracking; null: not reported. */
  readonly bridge_filtered: boolean | null;
  /** Flows that agents of other nodes reported; null: not for this reader, since other tenants are on these nodes. */
  readonly elsewhere: { readonly waiting: number; readonly refused: number } | null;
};

const OK: Omit<FlowCheck, 'check'> = { state: 'ok', detail: null, missing_share: null };
const missing = (detail: FlowCheckDetail): Omit<FlowCheck, 'check'> => ({
  state: 'missing',
  detail,
  missing_share: null,
});
const partly = (detail: FlowCheckDetail, missing_share: number | null): Omit<FlowCheck, 'check'> => ({
  state: 'partly',
  detail,
  missing_share,
});
const UNKNOWN: Omit<FlowCheck, 'check'> = { state: 'unknown', detail: null, missing_share: null };

type Evidence = Pick<WorkloadConfidence, 'parts' | 'reasons'> & { readonly since: string; readonly until: string };

const REASON_DETAILS: Partial<Record<string, FlowCheckDetail>> = {
  other_owner: 'other_owner',
  not_in_inventory: 'not_in_inventory',
  no_collector: 'no_collector',
  beyond_retention: 'beyond_retention',
  no_agent: 'before_agent',
};

/** What a time range lacks for some reasons: all of it, a part, or nothing. */
function evaluateTime(
  { since, until, reasons }: Evidence,
  isMeant: (reason: EvidenceReason) => boolean,
): Omit<FlowCheck, 'check'> {
  const meant = reasons.filter(isMeant);
  const length = Date.parse(until) - Date.parse(since);
  const lost = meant.reduce((sum, reason) => sum + Date.parse(reason.until) - Date.parse(reason.since), 0);
  const [worst] = [...meant].sort(
    (a, b) => Date.parse(b.until) - Date.parse(b.since) - (Date.parse(a.until) - Date.parse(a.since)),
  );
  if (!worst || length <= 0) return OK;
  const detail = REASON_DETAILS[worst.detail ?? worst.kind] ?? 'no_heartbeats';
  return lost >= length ? missing(detail) : partly(detail, lost / length);
}

/** Something is in the way now. What was observed in the time range came before, or in spite of it. */
const nowMissing = ({ parts: { covered } }: Evidence, detail: FlowCheckDetail) =>
  covered > 0 ? partly(detail, null) : missing(detail);

function checkNode(evidence: Evidence, { node_id, node_status }: FlowPath) {
  if (node_id === null) return nowMissing(evidence, 'no_node');
  if (node_status === 'offline') return nowMissing(evidence, 'node_offline');
  return node_status === 'online' ? OK : UNKNOWN;
}

function checkAgent(evidence: Evidence, { node_id, agent_status }: FlowPath) {
  if (node_id === null) return UNKNOWN;
  if (agent_status === null) return nowMissing(evidence, 'no_agent');
  if (agent_status === 'pending') return nowMissing(evidence, 'agent_pending');
  return agent_status === 'silent' ? nowMissing(evidence, 'agent_silent') : OK;
}

/** Connection tracking sees packets of bridges only where these pass the IP filter of the node. */
function checkCollectors(evidence: Evidence, { bridge_filtered }: FlowPath) {
  const without = evaluateTime(evidence, ({ detail }) => detail === 'no_collector');
  if (without.state === 'missing') return without;
  const { covered, captured } = evidence.parts;
  if (covered === 0) return UNKNOWN;
  if (captured !== null && captured < 1) {
    const share = 1 - captured;
    if (bridge_filtered === false)
      return captured === 0 ? missing('bridge_not_filtered') : partly('bridge_not_filtered', share);
    // What it misses is not counted by anyone.
    return partly('conntrack_only', null);
  }
  return without;
}

function checkDelivery({ parts: { delivered, covered }, reasons }: Evidence) {
  if (covered === 0 || delivered === null) return UNKNOWN;
  if (delivered >= 1) return OK;
  const drops =
    reasons.some(({ kind }) => kind === 'capture_drops') && !reasons.some(({ kind }) => kind === 'truncated');
  return partly(drops ? 'capture_drops' : 'truncated', 1 - delivered);
}

function checkPlacement({ waiting, refused }: NonNullable<FlowPath['elsewhere']>) {
  if (refused > 0) return partly('refused', null);
  return waiting > 0 ? partly('waiting', null) : OK;
}

/**
 * Walks from a workload to its flows and says at each step whether they get past it. The running state, the node and its agent are those of
 * now, the others those of the time range.
 */
export function checkFlows(evidence: Evidence, path: FlowPath): FlowChecks {
  const { status, elsewhere, node_id } = path;
  const outcomes: Record<FlowCheckName, Omit<FlowCheck, 'check'> | null> = {
    known: evaluateTime(evidence, ({ detail }) => detail === 'other_owner' || detail === 'not_in_inventory'),
    // When it was stopped is not known.
    running: status === 'running' ? OK : status === 'unknown' ? UNKNOWN : partly('not_running', null),
    node: checkNode(evidence, path),
    agent: checkAgent(evidence, path),
    heartbeats: evaluateTime(
      evidence,
      ({ kind, detail }) =>
        kind === 'beyond_retention' ||
        kind === 'no_agent' ||
        detail === 'between_nodes' ||
        (kind === 'gap' && detail !== 'not_in_inventory' && detail !== 'no_collector'),
    ),
    collectors: checkCollectors(evidence, path),
    delivery: checkDelivery(evidence),
    placement: elsewhere && checkPlacement(elsewhere),
  };
  const checks = FLOW_CHECKS.flatMap((check) => {
    const outcome = outcomes[check];
    return outcome ? [{ check, ...outcome }] : [];
  });
  return { checks, first_missing: checks.find(({ state }) => state === 'missing')?.check ?? null, node_id };
}
