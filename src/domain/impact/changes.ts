import { evaluate } from '../firewall/evaluate';
import type { Packet } from '../firewall/packet';
import type { PreparedGuest } from '../firewall/prepare-guest';
import { type Box, KINDS } from '../firewall/space/box';
import { type Condition, type Cut, meetConditions, ruleCuts, type Stage } from '../firewall/space/cut';
import { buildPlan } from '../firewall/space/dimensions';
import { buildField } from '../firewall/space/field';
import { guestStages } from '../firewall/space/guest-cuts';
import { type Labeled, mergePieces } from '../firewall/space/merge';
import { walk } from '../firewall/space/walk';
import type { Builtin, Verdict } from '../firewall/verdict';
import { findDifferentRules } from './align-rules';
import { hasSameContext } from './same-context';

/** New connections that two filters treat differently, or that are undecided in one of them. */
export type Change = {
  readonly direction: 'in' | 'out';
  readonly before: Verdict;
  readonly after: Verdict;
  readonly box: Box;
};

type Verdicts = readonly [before: Verdict, after: Verdict];

/** Steps that are evaluated as part of a default policy. */
const OF_THE_DEFAULT: readonly Builtin[] = [
  'whois',
  'broadcast',
  'critical_icmp',
  'invalid',
  'windows_noise',
  'upnp',
  'not_syn',
  'dns_reply',
];

/** The same text for verdicts that are shown as one: steps before a default that end as it does count as the default. */
export function verdictKey({ verdict, decided_by }: Verdict): string {
  const { kind } = decided_by;
  const isDefault = kind === 'default' || (kind === 'builtin' && OF_THE_DEFAULT.includes(decided_by.name));
  return isDefault ? `${verdict} default` : JSON.stringify([verdict, decided_by]);
}

/** The packets that may be treated differently: those that meet a rule in which the filters differ. Null: all packets. */
function differentPackets(
  before: PreparedGuest,
  after: PreparedGuest,
  direction: 'in' | 'out',
  family: 4 | 6,
): Condition[] | null {
  if (!hasSameContext(before, after, direction)) return null;
  return before.filters.flatMap((filter, at) => {
    const rules = filter.index(direction, family).rules;
    const others = after.filters[at]?.index(direction, family).rules ?? [];
    return findDifferentRules(rules, others).flatMap((rule) => ruleCuts(rule, family, []).map(({ when }) => when));
  });
}

const preferDefault = (known: Verdict | undefined, verdict: Verdict): Verdict =>
  known && verdict.decided_by.kind !== 'default' ? known : verdict;

const isChange = (before: Verdict, after: Verdict): boolean =>
  before.verdict === 'unknown' ||
  after.verdict === 'unknown' ||
  (before.verdict === 'accept') !== (after.verdict === 'accept');

/** How many parts may still be looked at. Filters whose rules all overlap in every field have more than anyone can read. */
export type Budget = { left: number };

function* changesOfKind(
  guests: readonly [PreparedGuest, PreparedGuest],
  direction: 'in' | 'out',
  box: Box,
  selected: readonly Condition[] | null,
  budget: Budget,
): Generator<Change> {
  const { family } = box;
  const [before, after] = guests;
  const meetsSelected = ({ when }: Cut) => !selected || selected.some((condition) => meetConditions(condition, when));
  const selecting: Stage[] = selected ? [selected.map((when) => ({ when, ends: true }))] : [];
  const stages = guests.flatMap((guest) => guestStages(guest, direction, family));
  const plan = buildPlan([...selecting, ...stages.map((stage) => stage.filter(meetsSelected))], family);
  const walked = plan.stages.map((cuts, at) => ({ cuts, selects: at < selecting.length }));
  for (const kind of KINDS) {
    const field = buildField(plan, box, kind, direction);
    if (!field) continue;
    const labels = new Map<string, number>();
    const found: Verdicts[] = [];
    const pieces: Labeled[] = [];
    for (const piece of walk(field.start, walked, field.octets)) {
      if (--budget.left < 0) break;
      const packet: Packet = field.packetOf(piece);
      const verdicts: Verdicts = [evaluate(before, packet), evaluate(after, packet)];
      if (!isChange(...verdicts)) continue;
      const key = verdicts.map(verdictKey).join();
      const label = labels.get(key) ?? found.push(verdicts) - 1;
      labels.set(key, label);
      found[label] = [preferDefault(found[label]?.[0], verdicts[0]), preferDefault(found[label]?.[1], verdicts[1])];
      pieces.push({ piece, label });
    }
    for (const { piece, label } of mergePieces(pieces, field.octets)) {
      const verdicts = found[label];
      if (verdicts) yield { direction, before: verdicts[0], after: verdicts[1], box: field.boxOf(piece) };
    }
  }
}

/**
 * Exactly the new connections of a box that are gained, lost, or undecided in one of two filters, as sets apart from each other.
 * Where the budget ends, some are missing.
 */
export function findChanges(
  before: PreparedGuest,
  after: PreparedGuest,
  direction: 'in' | 'out',
  box: Box,
  budget: Budget,
): Change[] {
  const selected = differentPackets(before, after, direction, box.family);
  return selected?.length === 0 ? [] : [...changesOfKind([before, after], direction, box, selected, budget)];
}
