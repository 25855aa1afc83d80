import {
  NODE_UNKNOWN_REASONS,
  type NodeDecider,
  type NodeRulePlace,
  type NodeUnknownReason,
  type NodeVerdict,
} from './node-verdict';
import type { DefiniteVerdict, Possibility, UnknownReason, Verdict } from './verdict';

/** A step that may decide: what it would say, and why that is not known. */
export type Doubt = {
  readonly verdict: DefiniteVerdict | 'unknown';
  readonly doubt: NodeUnknownReason;
  readonly place?: NodeRulePlace;
};
/** One step of a chain that holds for the packet, certainly or possibly. */
export type Step = Doubt | { readonly verdict: DefiniteVerdict; readonly decided_by: NodeDecider };

/** A verdict with everything that the chain may end with. `unknown` means any verdict. */
export type Outcome<V extends Verdict | NodeVerdict = NodeVerdict> = {
  readonly verdict: V;
  readonly possible: ReadonlySet<DefiniteVerdict | 'unknown'>;
};

export const toStep = (verdict: DefiniteVerdict, decided_by: NodeDecider): Step => ({ verdict, decided_by });

export const builtin = (verdict: DefiniteVerdict, name: Extract<NodeDecider, { kind: 'builtin' }>['name']): Step =>
  toStep(verdict, { kind: 'builtin', name });

export const unknown = (reason: NodeUnknownReason, doubts: readonly Doubt[] = []): NodeVerdict => ({
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: doubts.flatMap(({ place }) => (place ? [place] : [])) },
});

export const toAcceptVerdict = (decided_by: NodeDecider): NodeVerdict => ({ verdict: 'accept', decided_by });

export const toCertainOutcome = (verdict: NodeVerdict): Outcome => ({ verdict, possible: new Set([verdict.verdict]) });

/** Steps of a chain that guests have, too. Its verdict is one of the hypervisor's own rules. */
export function* sharedSteps(run: (possible: Possibility[]) => Verdict | null): Generator<Step> {
  const possible: Possibility[] = [];
  const found = run(possible);
  for (const { verdict, reason } of possible) yield { verdict, doubt: reason };
  if (found && found.verdict !== 'unknown' && found.decided_by.kind === 'builtin') {
    yield builtin(found.verdict, found.decided_by.name);
  }
}

/** Where a chain ends, given its steps: a doubt that would end it in the same way changes nothing. */
export function settle(steps: Iterable<Step>): Outcome {
  const doubts: Doubt[] = [];
  for (const step of steps) {
    if ('doubt' in step) {
      doubts.push(step);
      continue;
    }
    const possible = new Set([...doubts, step].map(({ verdict }) => verdict));
    const open = doubts.find(({ verdict }) => verdict !== step.verdict);
    return { verdict: open ? unknown(open.doubt, doubts) : step, possible };
  }
  throw new Error('expected the chain of a node to end with its default policy');
}

const mayAccept = ({ possible }: Outcome<Verdict | NodeVerdict>) => possible.has('accept') || possible.has('unknown');

/** Two chains that a packet passes one after the other. Where both accept, the outcome of `main` applies. */
export function mergeInSeries<A extends Verdict | NodeVerdict, B extends Verdict | NodeVerdict>(
  first: Outcome<A>,
  second: Outcome<B>,
  main: Outcome<A> | Outcome<B>,
): Outcome<A | B> {
  if (!mayAccept(first)) return first;
  const ends = [...first.possible].flatMap((end) =>
    end === 'accept'
      ? [...second.possible]
      : end === 'unknown'
        ? [...second.possible, 'drop' as const, 'reject' as const]
        : [end],
  );
  const possible = new Set(ends);
  if (possible.size > 1 || possible.has('unknown')) {
    return { verdict: first.verdict.verdict === 'unknown' ? first.verdict : second.verdict, possible };
  }
  return { verdict: possible.has('accept') ? main.verdict : second.verdict, possible };
}

/** One of several chains, and it is not known which. @param reason why it is not */
export function mergeAlternatives(outcomes: readonly [Outcome, ...Outcome[]], reason: NodeUnknownReason): Outcome {
  const [first, ...others] = outcomes;
  if (others.length === 0) return first;
  const possible = new Set(outcomes.flatMap((outcome) => [...outcome.possible]));
  const undecided = outcomes.find(({ verdict }) => verdict.verdict === 'unknown');
  if (undecided) return { verdict: undecided.verdict, possible };
  return { verdict: possible.size > 1 ? unknown(reason) : first.verdict, possible };
}

const isNodeReason = (reason: NodeUnknownReason): reason is Exclude<NodeUnknownReason, UnknownReason> =>
  NODE_UNKNOWN_REASONS.some((known) => known === reason);

/** A verdict of a chain that a guest's packet passes on its way, as one about the guest's packet. */
export function toGuestVerdict({ verdict, decided_by: by }: NodeVerdict): Verdict {
  if (by.kind === 'unknown') {
    const reason = isNodeReason(by.reason) ? 'unknown_forward_rules' : by.reason;
    return { verdict, decided_by: { ...by, reason } };
  }
  if (by.kind === 'rule' || by.kind === 'default') return { verdict, decided_by: by };
  if (by.kind === 'builtin' && (by.name === 'established' || by.name === 'invalid')) {
    return { verdict, decided_by: { kind: 'builtin', name: by.name } };
  }
  throw new Error('expected a rule, a default policy or connection tracking to match forwarded traffic');
}
