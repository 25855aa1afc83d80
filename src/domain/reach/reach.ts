import { z } from 'zod';
import { asOf } from '../as-of';
import { MAX_HOPS, OUTSIDE, REACH_ANSWERS, REACH_GROUPINGS } from '../choices';
import { PacketAddresses, PacketTexts } from '../impact/impact';
import { RULE_PROTOCOLS } from '../policy/choices';
import {
  Named,
  portsProblem,
  TEST_SIDES,
  TestDecider,
  TestEndpoints,
  TestPacket,
  TestPorts,
} from '../policy-tests/definition';

/** What is wrong with an end: its first endpoint that cannot be read, with what to write instead. */
function describeEnd(input: unknown): string {
  const issue = Array.isArray(input) ? TestEndpoints.safeParse(input).error?.issues[0] : undefined;
  if (!issue) return 'A list of endpoints, or the word outside.';
  const [at] = issue.path;
  return typeof at === 'number' ? `${(input as unknown[])[at]}: ${issue.message}` : issue.message;
}

export const ReachEnd = z.union([TestEndpoints, z.literal(OUTSIDE)], { error: ({ input }) => describeEnd(input) });
export type ReachEnd = z.output<typeof ReachEnd>;

/** In whose view the question is asked; to be given by those who have the permission for several. */
const viewpoint = {
  tenant_id: z.uuid().optional(),
  project_id: z.uuid().optional(),
};

const protocol = z.enum(RULE_PROTOCOLS, { error: `One of ${RULE_PROTOCOLS.join(', ')}.` }).default('any');

type WithPorts = { protocol: (typeof RULE_PROTOCOLS)[number]; ports?: readonly string[] | undefined };

function checkPorts(value: WithPorts, context: z.RefinementCtx) {
  const problem = portsProblem(value);
  if (problem) context.addIssue({ code: 'custom', path: ['ports'], message: problem });
}

export const ReachInput = z
  .strictObject({
    from: ReachEnd,
    to: ReachEnd,
    protocol,
    /** Of the destination; none means all. */
    ports: TestPorts.default([]),
    /** Asks about the rules that this change would leave. */
    change_id: z.uuid().optional(),
    ...viewpoint,
    ...asOf,
  })
  .superRefine(checkPorts)
  .refine(({ change_id, as_of }) => change_id === undefined || as_of === undefined, {
    path: ['as_of'],
    message: 'A change is not applied yet. Specify as_of or change_id.',
  });
export type ReachInput = z.output<typeof ReachInput>;

export const REACH_VERDICTS = ['allowed', 'denied', 'unknown'] as const;
export const ReachVerdict = z.enum(REACH_VERDICTS);
export type ReachVerdict = z.output<typeof ReachVerdict>;

/** Packets by protocol and ports, as texts. */
export const ReachService = z.object({
  family: z.union([z.literal(4), z.literal(6)]),
  /** Null: all that are asked about. */
  protocols: PacketTexts,
  /** Of the destination; null: all, or protocols without ports. */
  ports: PacketTexts,
  /** Of the client; null: all. */
  source_ports: PacketTexts,
  icmp: PacketTexts,
});
export type ReachService = z.output<typeof ReachService>;

/** Places of one end of a part, the first of them; or addresses of none. */
export const ReachPlaces = z.object({
  kind: z.enum(['places', 'outside']),
  items: z.array(
    z.object({
      workload_id: z.uuid().nullable(),
      node: z.string().nullable(),
      name: z.string(),
      addresses: z.array(z.string()),
    }),
  ),
  items_total: z.int(),
  /** Outside: which addresses; null: all, or withheld. */
  outside: PacketAddresses,
});
export type ReachPlaces = z.output<typeof ReachPlaces>;

export const TRACE_KINDS = ['policy', 'rule', 'default', 'source', 'target', 'group', 'member', 'address'] as const;

/** One line of the tree that shows what matched; deeper lines belong to the one above. */
export const TraceLine = z.object({
  depth: z.int(),
  kind: z.enum(TRACE_KINDS),
  text: z.string(),
  /** Of the policy, group or workload. */
  id: z.string().nullable(),
});
export type TraceLine = z.output<typeof TraceLine>;

/** Whether what makes rules effective is on; null: could not be read. */
export const ReachSwitches = z.object({
  cluster_firewall: z.boolean().nullable(),
  guest_firewall: z.boolean().nullable(),
  interface: z.boolean().nullable(),
});

export const ReachStage = z.object({
  at: z.enum(TEST_SIDES),
  workload_id: z.uuid().nullable(),
  workload_name: z.string().nullable(),
  node: z.string().nullable(),
  verdict: ReachVerdict,
  decided_by: TestDecider,
  /** Null: a node. */
  switches: ReachSwitches.nullable(),
  trace: z.array(TraceLine),
  /** When the rules were read; null: never. */
  read_at: z.string().nullable(),
});
export type ReachStage = z.output<typeof ReachStage>;

export const ReachPart = z.object({
  verdict: ReachVerdict,
  from: ReachPlaces,
  to: ReachPlaces,
  services: z.array(ReachService),
  /** Ports of the destination of all services; empty: all, or withheld. */
  ports: z.array(z.string()),
  /** Pairs of addresses; all that is outside counts as one. */
  pairs: z.int(),
  stages: z.array(ReachStage),
  /** One packet of the part; null: withheld. */
  witness: TestPacket.nullable(),
});
export type ReachPart = z.output<typeof ReachPart>;

export const REACH_REASONS = [
  'nothing_resolved',
  'workload_without_address',
  'node_without_address',
  'no_pair',
  'undecided',
] as const;

export const ReachReason = z.object({
  code: z.enum(REACH_REASONS),
  /** The endpoint, workload or node. */
  subject: z.string().nullable(),
});
export type ReachReason = z.output<typeof ReachReason>;

const ReachDraftEnd = z.object({ workload_id: z.uuid().optional(), address: z.string().optional() });

/** What a policy is drafted for, as `POST /policy-drafts` takes it. */
export const ReachDraft = z.object({
  source: ReachDraftEnd,
  destination: ReachDraftEnd,
  protocol: z.string().optional(),
  port: z.int().optional(),
  icmp_type: z.int().optional(),
  direction: z.literal('both').optional(),
});
export type ReachDraft = z.output<typeof ReachDraft>;

export const Reach = z.object({
  answer: z.enum(REACH_ANSWERS),
  parts: z.array(ReachPart),
  parts_total: z.int(),
  /** The first thing in the way, with a packet that it stops, and what a policy would be drafted for that lets it pass. */
  blocked_by: z.object({ stage: ReachStage, packet: TestPacket.nullable(), draft: ReachDraft.nullable() }).nullable(),
  reason: ReachReason.nullable(),
  /** A rule of which the reader may not see what it matches decides: which addresses and ports it concerns is left out. */
  withheld: z.boolean(),
  /** The change on whose rules this is answered; null: the live ones. */
  change_id: z.uuid().nullable(),
  /** The time as of which this is answered; null: now. */
  as_of: z.string().nullable(),
});
export type Reach = z.output<typeof Reach>;

const port = z.coerce.number<number | string>({ error: 'A port from 1 to 65535.' }).int().min(1).max(65_535);

const oneService = { protocol, port: port.optional() };
const checkPort = (value: { protocol: WithPorts['protocol']; port?: number | undefined }, context: z.RefinementCtx) => {
  const problem = portsProblem({
    protocol: value.protocol,
    ports: value.port === undefined ? [] : [String(value.port)],
  });
  if (problem) context.addIssue({ code: 'custom', path: ['port'], message: problem });
};

export const ReachableFromInput = z.strictObject(oneService).superRefine(checkPort);
export type ReachableFromInput = z.output<typeof ReachableFromInput>;

export const ReachesInput = z
  .strictObject({
    ...oneService,
    hops: z.coerce
      .number<number | string>({ error: `A number from 1 to ${MAX_HOPS}.` })
      .int()
      .min(1)
      .max(MAX_HOPS)
      .default(1),
  })
  .superRefine(checkPort);
export type ReachesInput = z.output<typeof ReachesInput>;

export const REACHED_VERDICTS = ['allowed', 'partly', 'unknown'] as const;

export const SEEN_STATES = ['seen', 'not_seen', 'not_monitored'] as const;

/**
 * What was seen to pass within the time range; null: the reader may not see traffic. `not_monitored`: nothing was seen, and
 * no agent reports from the node of any of the workloads.
 */
export const SeenTraffic = z
  .object({ state: z.enum(SEEN_STATES), flows: z.int(), last_seen_at: z.string().nullable() })
  .nullable();
export type SeenTraffic = z.output<typeof SeenTraffic>;

/** A workload, or all that is outside, at the other end. */
export const Reached = z.object({
  /** Null: outside. */
  workload: Named.nullable(),
  /** `partly`: some of the packets asked about. */
  verdict: z.enum(REACHED_VERDICTS),
  /** What is allowed; with `unknown` what may be. */
  services: z.array(ReachService),
  /** No rule allows it: a default policy accepts, or nothing filters. */
  open_by_default: z.boolean(),
  hops: z.int(),
  /** Workloads between, in order. */
  via: z.array(Named),
  seen: SeenTraffic,
  /** What decides at the destination of the last hop; at the source where the destination is outside. */
  decided_by: TestDecider.nullable(),
});
export type Reached = z.output<typeof Reached>;

export const ReachedList = z.object({
  workload: Named,
  items: z.array(Reached),
  items_total: z.int(),
  /** Workloads of which certainly no packet passes. */
  denied_total: z.int(),
  /** Workloads that cannot be asked about: no address of theirs is known. */
  without_address_total: z.int(),
  /** Why the list is empty where that does not mean that nothing passes. */
  reason: ReachReason.nullable(),
  /** Since when traffic was looked up; null: the reader may not see it. */
  seen_since: z.string().nullable(),
});
export type ReachedList = z.output<typeof ReachedList>;

export type MatrixGrouping = (typeof REACH_GROUPINGS)[number];

export const MatrixInput = z
  .strictObject({ by: z.enum(REACH_GROUPINGS).default('group'), ...oneService, ...viewpoint })
  .superRefine(checkPort);
export type MatrixInput = z.output<typeof MatrixInput>;

export const CELL_VERDICTS = ['allowed', 'partly', 'denied', 'unknown', 'none'] as const;
export type CellVerdict = (typeof CELL_VERDICTS)[number];

export const MatrixGroup = z.object({
  id: z.string(),
  name: z.string(),
  /** As an end of the path check; empty: too many workloads without a common name. */
  end: z.array(z.string()),
  workloads: z.int(),
});
export type MatrixGroup = z.output<typeof MatrixGroup>;

/** From the group of the row to that of the column. */
export const MatrixCell = z.object({
  from: z.string(),
  to: z.string(),
  verdict: z.enum(CELL_VERDICTS),
  seen: SeenTraffic,
});
export type MatrixCell = z.output<typeof MatrixCell>;

export const Matrix = z.object({
  by: z.enum(REACH_GROUPINGS),
  groups: z.array(MatrixGroup),
  groups_total: z.int(),
  /** Groups that are left out, because no workload of theirs has a known address. */
  groups_empty: z.int(),
  /** Row by row. With `none` two groups exchange no packets. */
  cells: z.array(MatrixCell),
  seen_since: z.string().nullable(),
});
export type Matrix = z.output<typeof Matrix>;
