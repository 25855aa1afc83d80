import type { Flow } from '@/domain/flow/flow';
import { type Action, toAction } from '@/domain/flow-action';
import {
  type AuditSay,
  combineRules,
  type FlowVerdict,
  observedAction,
  type RulesSay,
  toAuditSay,
} from '@/domain/flow-verdict';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import {
  type ContextView,
  createContextDescriber,
  type InsightFacts,
} from '../../enforcement/verdicts/describe-context';
import { guestContext } from '../../enforcement/verdicts/guest-context';
import type { LiveGuestContext } from '../../enforcement/verdicts/live-guest';

/** What is looked at of a flow. A `Flow` is one. */
export type VerdictFacts = InsightFacts & { readonly state: string | null };

type Describer = { describe: ReturnType<typeof createContextDescriber>; read_at: string | null };

/** Observed only, for those who may not see rules. */
export const toObservedVerdict = (flow: VerdictFacts): FlowVerdict => ({
  action: observedAction(flow),
  rules_say: null,
  audit_say: [],
});

/** What was found out at one end: of which workload, and when its rules were read. */
export type DescribedEnd = Pick<ContextView, 'verdict' | 'direction' | 'decided_by' | 'audit'> & {
  readonly id: string;
  readonly read_at: string | null;
};

/** What the firewall at one end says, and policies in audit mode there. */
export type EndSays = {
  readonly direction: DescribedEnd['direction'];
  readonly rules: RulesSay;
  readonly audit: readonly AuditSay[];
};

export const toEndSays = ({ id, read_at, verdict, direction, decided_by, audit }: DescribedEnd): EndSays => ({
  direction,
  rules: { ...decided_by, action: toAction(verdict), workload_id: id, read_at },
  audit: audit.map((outcome) => toAuditSay(outcome, id)),
});

/** Whether one end comes after the other on the way from who called to who was called. */
const isAfter = (one: EndSays, other: EndSays) => one.direction === 'in' && other.direction !== 'in';

/** What the rules at one or both ends say together. */
export const combineEndRules = (one: EndSays, other: EndSays): RulesSay =>
  isAfter(one, other) ? combineRules(other.rules, one.rules) : combineRules(one.rules, other.rules);

/** The same three from what is said at both ends, or at one of them, or nowhere. */
export function combineEnds(action: Action, [one, other]: readonly EndSays[]): FlowVerdict {
  if (!one) return { action, rules_say: null, audit_say: [] };
  if (!other) return { action, rules_say: one.rules, audit_say: [...one.audit] };
  const [first, second] = isAfter(one, other) ? [other, one] : [one, other];
  return { action, rules_say: combineEndRules(one, other), audit_say: [...first.audit, ...second.audit] };
}

/**
 * Creates an evaluator for flows: what was observed of each, what the firewalls at both of its ends say about it
 * now, and what policies in audit mode would do. Each guest is prepared once, and only those within `reach` are
 * evaluated. No query.
 * @param read guests that were read more recently than the board
 */
export function createFlowVerdictEvaluator(
  firewall: FirewallState,
  reach: Reach,
  read: readonly LiveGuestContext[] = [],
): (flow: VerdictFacts) => FlowVerdict {
  const describers = new Map<string, Describer | null>(
    read.map((live) => [live.guest.workload_id, { describe: createContextDescriber(live), read_at: live.read_at }]),
  );
  const getDescriber = (workloadId: string): Describer | null => {
    let known = describers.get(workloadId);
    if (known === undefined) {
      const workload = firewall.inputs.workloads.get(workloadId);
      const guest = workload && isWithinReach(workload, reach) ? guestContext(firewall, workloadId, reach) : null;
      known =
        workload && guest
          ? {
              describe: createContextDescriber({ guest, inputs: firewall.inputs, workload, reach }),
              read_at: firewall.readAt([workloadId]),
            }
          : null;
      describers.set(workloadId, known);
    }
    return known;
  };

  return (flow) => {
    const { source_workload_id, destination_workload_id, workload_id } = flow;
    const ends = new Set([source_workload_id, destination_workload_id].filter((id) => id !== null));
    // A guest whose address is unknown is identified by its interface.
    if (ends.size === 0 && workload_id) ends.add(workload_id);
    const asked = [...ends].flatMap((id) => {
      const describer = getDescriber(id);
      return describer ? [toEndSays({ id, read_at: describer.read_at, ...describer.describe(flow).context })] : [];
    });
    return combineEnds(observedAction(flow), asked);
  };
}

/**
 * Adds what was observed, what rules say and what audited policies would do to flows.
 * @param rules evidence that rules may be shown, and whose; null: only what was observed is added
 * @param tenantId the flows are shown as this tenant sees them
 */
export async function withVerdicts<F extends Flow>(
  flows: readonly F[],
  rules: Scope<'workload:read'> | null,
  tenantId: string | undefined,
): Promise<(F & FlowVerdict)[]> {
  const reach = rules && narrowReach(rules.reach, tenantId);
  const verdictOf =
    reach && flows.length > 0 ? createFlowVerdictEvaluator(await readFirewallState(), reach) : toObservedVerdict;
  return flows.map((flow) => ({ ...flow, ...verdictOf(flow) }));
}

/** The part of a reach that belongs to one tenant, when only that tenant is requested. */
export function narrowReach(reach: Reach, tenantId: string | undefined): Reach {
  if (tenantId === undefined) return reach;
  return isWithinReach({ tenant_id: tenantId, project_id: null }, reach) ? [tenantId] : [];
}
