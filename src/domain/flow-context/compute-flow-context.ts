import { evaluate } from '../firewall/evaluate';
import { placeKey } from '../firewall/rule-at';
import type { DefiniteVerdict, Verdict } from '../firewall/verdict';
import { auditOutcomes } from './audit-policy';
import type { AuditOutcome, ContextDecision, ContextReason, FlowContext, FlowDecider, FlowFacts } from './flow-context';
import type { GuestContext, GuestInterface } from './guest-context';
import { type Opening, openingPackets } from './opening-packets';

type Evaluated = { verdict: Verdict; audit: readonly AuditOutcome[] };
type Found = Pick<FlowContext, 'verdict' | 'decided_by' | 'audit'> & { decision: ContextDecision | 'unknown' };

const UNKNOWN = (reason: ContextReason): Found => ({
  decision: 'unknown',
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: [] },
  audit: [],
});

/** Interfaces at one of which the flow passed. */
export function interfacesAt(
  guest: GuestContext,
  flow: Pick<FlowFacts, 'workload_id' | 'nic'>,
): readonly GuestInterface[] {
  const seenHere = flow.workload_id === guest.workload_id && typeof flow.nic === 'number';
  const name = seenHere ? `net${flow.nic}` : null;
  if (guest.interfaces) {
    return name === null ? guest.interfaces : guest.interfaces.filter((nic) => nic.name === name);
  }
  const assumed = guest.assumed(name ?? 'net0');
  const any = name !== null || !guest.interfaces_differ || assumed.live.enforcement.status === 'off';
  return any ? [assumed] : [];
}

function evaluateAt(guest: GuestContext, nic: GuestInterface, { packet }: Opening): Evaluated {
  const verdict = evaluate(nic.live, packet);
  if (guest.audit.length === 0) return { verdict, audit: [] };
  return { verdict, audit: auditOutcomes(guest.audit, packet, verdict, () => evaluate(nic.dropping(), packet)) };
}

/** What is enforced, or what only audited policies would do; `unknown` when something that decides is not known. */
function toDecision({ verdict: { verdict, decided_by }, audit }: Evaluated): ContextDecision | 'unknown' {
  if (verdict === 'unknown') return 'unknown';
  if (decided_by.kind === 'rule') return verdict;
  const [first] = audit;
  if (first) return `audit_${first.verdict}`;
  if (decided_by.kind === 'not_enforced') return 'observed';
  return verdict === 'accept' ? 'default_accept' : 'default_drop';
}

function sameDecider(a: FlowDecider, b: FlowDecider): boolean {
  if (a.kind === 'rule' && b.kind === 'rule') return placeKey(a) === placeKey(b);
  if (a.kind === 'default' && b.kind === 'default') {
    return a.policy === b.policy && a.scope === b.scope && a.name === b.name;
  }
  if (a.kind === 'builtin' && b.kind === 'builtin') return a.name === b.name;
  return a.kind === b.kind && 'reason' in a && 'reason' in b && a.reason === b.reason;
}

const sameAudit = (a: readonly AuditOutcome[], b: readonly AuditOutcome[]) =>
  a.length === b.length &&
  a.every((outcome, at) => outcome.policy_id === b[at]?.policy_id && outcome.verdict === b[at]?.verdict);

/** What all evaluated results have in common. Where they differ, nothing is claimed. */
function mergeEvaluated(evaluated: readonly Evaluated[], reason: ContextReason): Found {
  const [first, ...others] = evaluated;
  if (!first) return UNKNOWN(reason);
  const { verdict, decided_by } = first.verdict;
  const decision = toDecision(first);
  if (others.length === 0) return { decision, verdict, decided_by, audit: first.audit };
  const all = (same: (other: Evaluated) => boolean) => others.every(same);
  const places = () =>
    evaluated.flatMap(({ verdict: { decided_by: by } }) =>
      by.kind === 'rule' ? [by] : by.kind === 'unknown' ? by.places : [],
    );
  const decider: FlowDecider = all((other) => sameDecider(other.verdict.decided_by, decided_by))
    ? decided_by
    : { kind: 'unknown', reason, places: places() };
  return {
    decision: all((other) => toDecision(other) === decision) ? decision : 'unknown',
    verdict: all((other) => other.verdict.verdict === verdict) ? verdict : 'unknown',
    decided_by: decider,
    audit: all((other) => sameAudit(other.audit, first.audit)) ? first.audit : [],
  };
}

/** What contexts of one flow have in common, whose address is one of several. Where they differ, nothing is claimed. */
export function commonContext(a: FlowContext, b: FlowContext): FlowContext {
  return {
    decision: a.decision === b.decision ? a.decision : 'observed',
    verdict: a.verdict === b.verdict ? a.verdict : 'unknown',
    decided_by: sameDecider(a.decided_by, b.decided_by) ? a.decided_by : UNKNOWN('unknown_address').decided_by,
    direction: a.direction === b.direction ? a.direction : null,
    audit: sameAudit(a.audit, b.audit) ? a.audit : [],
    conflict: a.conflict && b.conflict,
  };
}

const LOGGED: readonly string[] = ['accept', 'drop', 'reject'] satisfies DefiniteVerdict[];
const isLogged = (decision: string): decision is DefiniteVerdict => LOGGED.includes(decision);

/** A rejected packet that may not be answered (ICMP, broadcast) is dropped, and logged as rejected. */
const contradicts = (logged: DefiniteVerdict, verdict: DefiniteVerdict | 'unknown') =>
  verdict !== 'unknown' && verdict !== logged && !(logged === 'reject' && verdict === 'drop');

/**
 * The outcome of a flow at a guest at one of its ends, and why. The packet that opened the conversation is evaluated
 * against what is live at the guest, at the interface that saw it, else at all interfaces if they agree. A log line's
 * verdict takes precedence; where the rules say otherwise, it is a conflict. Pure; takes some microseconds.
 * @param openings for who evaluates the same flow at several states of the guest
 */
export function computeFlowContext(
  guest: GuestContext,
  flow: FlowFacts,
  end: 'source' | 'destination',
  openings = openingPackets(flow, end),
): FlowContext {
  const [opening] = typeof openings === 'string' ? [] : openings;
  let found: Found;
  if (typeof openings === 'string') found = UNKNOWN(openings);
  else {
    const nics = interfacesAt(guest, flow);
    const evaluated = nics.flatMap((nic) => openings.map((each) => evaluateAt(guest, nic, each)));
    found = mergeEvaluated(evaluated, openings.length > 1 ? 'unknown_opening' : 'unknown_interface');
  }
  const logged = isLogged(flow.decision) ? flow.decision : null;
  const certain =
    typeof openings !== 'string' && openings.every((each) => each.packet.direction === opening?.packet.direction);
  // Lines of other guests and of answers say nothing about this packet here.
  const sameLine = flow.workload_id === guest.workload_id && opening?.turned === false;
  return {
    decision: logged ?? (found.decision === 'unknown' ? 'observed' : found.decision),
    verdict: found.verdict,
    decided_by: found.decided_by,
    direction: certain && opening ? opening.packet.direction : null,
    audit: found.audit,
    conflict: logged !== null && sameLine && contradicts(logged, found.verdict),
  };
}
