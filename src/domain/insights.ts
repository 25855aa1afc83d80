import { z } from 'zod';
import { FLOW_SORTS, TRAFFIC_MODES } from './choices';
import { FirewallRuleView } from './firewall/rule-view';
import { Flow } from './flow/flow';
import { flowFilters } from './flow/flow-filter';
import { CONTEXT_DECISIONS } from './flow-context/flow-context';
import { Decider, flowVerdict } from './flow-verdict';
import { booleanFilter } from './inventory';
import { createPageSchema, listInput } from './list';
import { POLICY_TIERS } from './policy/tier';
import { UnreadableNote } from './policy-preview';

export type TrafficMode = (typeof TRAFFIC_MODES)[number];

const mode = z.enum(TRAFFIC_MODES, { error: `One of ${TRAFFIC_MODES.join(', ')}.` });
const { since, until, port, protocol, decision, address } = flowFilters;

/** Parameters of `GET /workloads/{workload_id}/insights`. Without `since` it is the hour before `until`. */
export const InsightsQuery = z
  .strictObject({
    /** Also the rules that filter the workload, read now. */
    include_rules: booleanFilter,
    /** Also what decides each flow: live rule, policies in audit mode, default. */
    include_flow_context: booleanFilter,
    traffic_mode: mode.optional(),
    /** The older name of `traffic_mode`. */
    traffic: mode.optional(),
    since,
    until,
  })
  .superRefine((query, context) => {
    if (query.traffic === undefined || query.traffic_mode === undefined || query.traffic === query.traffic_mode) return;
    context.addIssue({
      code: 'custom',
      path: ['traffic'],
      message: 'An alias of traffic_mode. Send one of them, or both with the same value.',
    });
  });
export type InsightsQuery = z.output<typeof InsightsQuery>;

/** One workload and a range, as the pages ask. */
const asked = { id: z.uuid(), since, until, traffic_mode: mode.default('all') };

export const InsightsInput = z.strictObject(asked);
export type InsightsInput = z.output<typeof InsightsInput>;

/** Flows page by page, the newest first unless sorted otherwise. */
export const InsightFlowsInput = listInput(FLOW_SORTS, {
  ...asked,
  include_flow_context: booleanFilter,
  /** Ports of the service. */
  port,
  protocol,
  decision,
  /** Address, CIDR, `internal` or `external`: at either end. */
  address,
});
export type InsightFlowsInput = z.output<typeof InsightFlowsInput>;

/** What decides, as enforced. */
export const InsightDecider = Decider;
export type InsightDecider = Decider;

const Verdict = z.enum(['accept', 'drop', 'reject']);

export const InsightAudit = z.object({
  policy_id: z.uuid(),
  policy_name: z.string(),
  verdict: Verdict,
  /** By one of its rules, or because it asks for a default that drops. */
  by: z.enum(['rule', 'default']),
  rule_position: z.int().nullable(),
  rule_hash: z.string().nullable(),
});
export type InsightAudit = z.output<typeof InsightAudit>;

/** What becomes of the packet that opened a flow's conversation, at this workload. */
export const InsightContext = z.object({
  /** Whether `decision` is what a firewall log line said. */
  logged: z.boolean(),
  /** What the rules do with it now. */
  verdict: z.enum(['accept', 'drop', 'reject', 'unknown']),
  /** Of which direction the opening packet is; null: not known. */
  direction: z.enum(['in', 'out']).nullable(),
  decided_by: InsightDecider,
  /** What policies in audit mode would do, in the order in which they would decide. */
  audit: z.array(InsightAudit),
  /** The log line says something else than the rules do. */
  conflict: z.boolean(),
});
export type InsightContext = z.output<typeof InsightContext>;

/**
 * A flow with `decision` as it was stored (`accept`, `drop`, `reject` of a log line, else `observed`), or with context one
 * of `CONTEXT_DECISIONS`.
 */
export const InsightFlow = Flow.extend({
  decision: z.enum(CONTEXT_DECISIONS),
  action: flowVerdict.action,
  /** These three only when asked for. */
  rules_say: flowVerdict.rules_say.optional(),
  audit_say: flowVerdict.audit_say.optional(),
  context: InsightContext.optional(),
});
export type InsightFlow = z.output<typeof InsightFlow>;
export const InsightFlowPage = createPageSchema(InsightFlow).extend({
  /** Flows that were last seen before have expired. */
  kept_since: z.string(),
});
export type InsightFlowPage = z.output<typeof InsightFlowPage>;

const counts = {
  flows: z.int(),
  /** Totals of these flows since each was first seen. */
  bytes: z.number(),
  packets: z.number(),
};

/** The same with the conversations that they are parts of, each once. */
const counted = { ...counts, conversations: z.int() };

/** Those of conversations that the other end opened to the workload; the others it opened itself. */
const opened_by_peer = z.int();

/** Totals of exactly the selected flows, each counted once. */
export const InsightsSummary = z.object({
  ...counted,
  /** Towards the workload and from it. */
  inbound: z.object(counts),
  outbound: z.object(counts),
  /** By what is stored: log lines' verdicts and `observed`. */
  by_decision: z.array(z.object({ decision: z.string(), ...counted })),
  /** Of all other ends, and those with the most bytes. */
  peers_total: z.int(),
  top_peers: z.array(
    z.object({
      ip: z.string(),
      label: z.string(),
      workload_id: z.uuid().nullable(),
      workload_name: z.string().nullable(),
      ...counted,
      opened_by_peer,
    }),
  ),
  /** Ports of services; null: a protocol without ports, or two ports that callers have. */
  ports_total: z.int(),
  top_ports: z.array(z.object({ protocol: z.string(), port: z.int().nullable(), ...counted, opened_by_peer })),
});
export type InsightsSummary = z.output<typeof InsightsSummary>;

/** How many flows have which outcome. */
const by_context = z.array(z.object({ decision: z.enum(CONTEXT_DECISIONS), flows: z.int() }));

/** What decides the selected flows: how many have which outcome. */
export const InsightsDecisions = z.object({
  /** When what is live was read; null: never. */
  rules_read_at: z.string().nullable(),
  /** What was last seen before has expired. */
  kept_since: z.string(),
  flows: z.int(),
  by_context,
  /** Flows whose log line says something else than the rules do. */
  conflicts: z.int(),
  /** What policies in audit mode would do. */
  audit: z.array(
    z.object({
      policy_id: z.uuid(),
      policy_name: z.string(),
      accept: z.int(),
      drop: z.int(),
      reject: z.int(),
    }),
  ),
});
export type InsightsDecisions = z.output<typeof InsightsDecisions>;

/** A rule that filters the workload. */
export const ActiveRule = FirewallRuleView.extend({
  /** The destination port. */
  port: z.string().nullable(),
  /** A marker in its comment says that this service wrote it. */
  managed: z.boolean(),
  policy_name: z.string().nullable(),
  /** Left by a policy of the tenant that had the workload before; neither the policy nor the tenant is named. */
  residual: z.boolean(),
  /** Of its policy; null: unmanaged, or the policy is deleted. */
  tier: z.enum(POLICY_TIERS).nullable(),
  /** The group of the cluster that it is of; null: the workload's own. */
  group: z.string().nullable(),
});
export type ActiveRule = z.output<typeof ActiveRule>;

/** An enabled policy in audit mode that means the workload. */
export const AuditPolicyView = z.object({
  policy_id: z.uuid(),
  name: z.string(),
  version: z.int(),
  priority: z.int(),
  /** Rules that it would put at the workload. */
  rules: z.int(),
  /** Directions whose default it would make drop. */
  default_drop: z.array(z.enum(['in', 'out'])),
});
export type AuditPolicyView = z.output<typeof AuditPolicyView>;

const InsightWorkload = z.object({
  id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  node_name: z.string().nullable(),
  status: z.string(),
});

/**
 * What the workload carried in the range, in its view: counted as on every page, each conversation once however many nodes
 * reported it. `summary` differs: it adds up whole flows, also what they carried before the range.
 */
export const InsightsTraffic = z.object({
  source: z.enum(['minutes', 'hours']),
  /** The range that was counted: the one asked for, widened to whole five minutes or hours. */
  since: z.string(),
  until: z.string(),
  bytes: z.number(),
  /** Towards the workload and from it. */
  bytes_in: z.number(),
  bytes_out: z.number(),
  packets: z.number(),
  /** Flows that began in the range. */
  flows: z.number(),
});
export type InsightsTraffic = z.output<typeof InsightsTraffic>;

const head = {
  workload: InsightWorkload,
  range: z.object({ since: z.string(), until: z.string() }),
  /** Flows that were last seen before have expired: they are in no list, sum or decision below. `traffic` reaches further back. */
  kept_since: z.string(),
  traffic_mode: mode,
  traffic: InsightsTraffic,
  /** Visible policies in audit mode that apply to the workload, in the order in which they would be placed there. */
  audit_policies: z.array(AuditPolicyView),
};

const rules = {
  /** In their order, those of groups behind the reference; null: could not be read. */
  active_firewall_rules: z.array(ActiveRule).nullable(),
  rules_read_at: z.string().nullable(),
  /** What could not be read, and why. */
  unreadable: z.array(UnreadableNote),
};

/** The head of the page: everything but the flows. Rules are read now. */
export const InsightsOverview = z.object({ ...head, ...rules, summary: InsightsSummary });
export type InsightsOverview = z.output<typeof InsightsOverview>;

/** The answer of `GET /workloads/{workload_id}/insights`: all flows, in no particular order, each once. */
export const Insights = z.object({
  ...head,
  active_firewall_rules: rules.active_firewall_rules.optional(),
  rules_read_at: rules.rules_read_at.optional(),
  unreadable: rules.unreadable.optional(),
  flows: z.array(InsightFlow),
  summary: InsightsSummary.extend({
    /** With context only: how many flows end how, and how many contradict their log line. */
    by_context: by_context.optional(),
    conflicts: z.int().optional(),
  }),
});
export type Insights = z.output<typeof Insights>;
