import { z } from 'zod';
import { IMPACT_OUTCOMES, IMPACT_SORTS, IMPACT_STATUSES, IMPACT_UNKNOWN_REASONS } from '../choices';
import { flowFilters } from '../flow/flow-filter';
import { RulesSay } from '../flow-verdict';
import { createPageSchema, listInput } from '../list';
import { OwnConnection } from '../own-connections/own-workloads';
import { PolicyCreate } from '../policies';
import { PreviewInput } from '../policy-preview';
import { Named, PolicyTest } from '../policy-tests/definition';
import { ChangeConfidence } from './evidence';

const { since, until } = flowFilters;
const window = { since, until };

/** A policy that is not stored yet, and the window of the replay: without `since` the 24 hours before `until`, without `until` up to now. */
export const DraftImpactInput = z.strictObject({ policy: PolicyCreate, ...window });
export type DraftImpactInput = z.output<typeof DraftImpactInput>;

/** Changes to a stored policy: what is left out is as stored. `enabled: false` is what disabling it would do. */
export const PolicyImpactInput = PreviewInput.extend({ enabled: z.boolean().optional(), ...window });
export type PolicyImpactInput = z.output<typeof PolicyImpactInput>;

/** The window of the replay, as for a draft. */
export const ImpactAgainInput = z.strictObject(window);
export type ImpactAgainInput = z.output<typeof ImpactAgainInput>;

/** One end of replayed conversations. A workload that the reader may not see is its address or prefix only. */
export const ImpactEnd = z.object({
  workload: Named.nullable(),
  /** The address; of several, and of what hourly rollups know only as a network, the smallest known prefix. */
  prefix: z.string(),
  /** How many addresses are collapsed; null: only the prefix is stored. */
  addresses: z.int().nullable(),
  /** False: outside every known network. */
  internal: z.boolean(),
  /** Who owns the workload. */
  tenant: Named.nullable(),
  project: Named.nullable(),
});
export type ImpactEnd = z.output<typeof ImpactEnd>;

/** Conversations of one client with one service of one server, all with the same outcome. */
export const ImpactConversation = z.object({
  /** Its place in the impact, most harmful first. */
  id: z.int(),
  outcome: z.enum(IMPACT_OUTCOMES),
  /** With `unknown`, why. */
  unknown_reason: z.enum(IMPACT_UNKNOWN_REASONS).nullable(),
  client: ImpactEnd,
  server: ImpactEnd,
  protocol: z.string(),
  /** Port of the service. */
  port: z.int().nullable(),
  bytes: z.number(),
  packets: z.number(),
  flows: z.int(),
  last_seen_at: z.string(),
  /** What decides with the rules that are live, and with those that the change would leave: at whose firewall, by which rule. */
  before: RulesSay.nullable(),
  after: RulesSay.nullable(),
});
export type ImpactConversation = z.output<typeof ImpactConversation>;

export const ImpactConversationInput = listInput(IMPACT_SORTS, {
  outcome: z.enum(IMPACT_OUTCOMES, `One of ${IMPACT_OUTCOMES.join(', ')}.`).optional(),
  /** At either end. */
  workload_id: z.uuid().optional(),
});
export type ImpactConversationInput = z.output<typeof ImpactConversationInput>;
export const ImpactConversationPage = createPageSchema(ImpactConversation);
export type ImpactConversationPage = z.output<typeof ImpactConversationPage>;

/** Null: any, or not a field of these packets. */
export const PacketTexts = z.array(z.string()).readonly().nullable();
/** As `AddressText`. Null: every address. */
export const PacketAddresses = z
  .object({
    networks: z.array(z.string()).readonly(),
    except: z.boolean(),
    left_out: z.int(),
    last_octet: z.enum(['255', 'other']).nullable(),
  })
  .nullable();

/** Packets that are treated differently at one interface, whether or not such packets were ever observed. */
export const ImpactDifferenceRow = z.object({
  interface: z.string(),
  direction: z.enum(['in', 'out']),
  /** Null: both families. */
  family: z.union([z.literal(4), z.literal(6)]).nullable(),
  from: PacketAddresses,
  to: PacketAddresses,
  protocols: PacketTexts,
  ports: PacketTexts,
  source_ports: PacketTexts,
  icmp: PacketTexts,
  before: RulesSay,
  after: RulesSay,
});
export type ImpactDifferenceRow = z.output<typeof ImpactDifferenceRow>;

/** The difference at one workload. `left_out` counts rows beyond those that are listed. */
export const ImpactDifference = z.object({
  workload_id: z.uuid(),
  workload_name: z.string(),
  gained: z.array(ImpactDifferenceRow),
  lost: z.array(ImpactDifferenceRow),
  unknown: z.array(ImpactDifferenceRow),
  left_out: z.object({ gained: z.int(), lost: z.int(), unknown: z.int() }),
  /** False: the rules are too complex to be compared completely; there may be more. */
  complete: z.boolean(),
  /** What was last read of it does not say what is live: nothing could be compared. */
  unreadable: z.boolean(),
});
export type ImpactDifference = z.output<typeof ImpactDifference>;

const totals = z.object(
  Object.fromEntries(IMPACT_OUTCOMES.map((outcome) => [outcome, z.int()])) as Record<
    (typeof IMPACT_OUTCOMES)[number],
    z.ZodInt
  >,
);

/** What a change does to connections. While it runs, totals and conversations are those found so far. */
export const Impact = z.object({
  id: z.uuid(),
  status: z.enum(IMPACT_STATUSES),
  /** Share that is done, 0 to 1. */
  progress: z.number(),
  /** With `failed`, why. */
  error: z.string().nullable(),
  /** Null: a draft, or a change. */
  policy_id: z.uuid().nullable(),
  /** Set: it is the impact of this change as a whole. */
  change_id: z.uuid().nullable(),
  /** Name of the policy, or title of the change. */
  policy_name: z.string(),
  /** What was replayed: single flows, or hourly rollups where the window reaches beyond the retention of flows. */
  window: z.object({ since: z.string(), until: z.string(), source: z.enum(['flows', 'hours']) }),
  /** When the oldest live state that was used was read; null: nothing was. */
  live_read_at: z.string().nullable(),
  /** The live state, inventory or policies differ by now: a new impact may say something else. */
  outdated: z.boolean(),
  /** Rows of conversations by outcome. */
  totals,
  /** The most harmful ones; the others by `GET /impacts/{id}/conversations`. */
  conversations: ImpactConversationPage,
  /** Workloads where packets are gained or lost, or that are unknown. */
  difference: z.array(ImpactDifference),
  /** Workloads with a difference beyond those that are listed. */
  difference_left_out: z.int(),
  /** Workloads whose rules would change. */
  workloads_total: z.int(),
  /** False: no conversation was replayed. Totals of 0 then say nothing. */
  traffic_visible: z.boolean(),
  /** Null: not computed yet, or no conversation was replayed. */
  confidence: ChangeConfidence.nullable(),
  /** Policy tests with a workload that would change, by their result after the change. */
  tests: z.array(PolicyTest),
  /** Failing tests that the reader may not see. */
  hidden_failing_tests: z.int(),
  /** Connections of Fabric itself that the change would cut, or of which that is unknown. */
  own_connections: z.array(OwnConnection),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type Impact = z.output<typeof Impact>;
