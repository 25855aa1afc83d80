import type { CompiledRule } from '../firewall/compiled-rule';
import { evaluate } from '../firewall/evaluate';
import { getRuleOutcome } from '../firewall/guest-rules';
import type { Packet } from '../firewall/packet';
import { narrowGuest, type PreparedFilter, type PreparedGuest } from '../firewall/prepare-guest';
import { type Box, KINDS } from '../firewall/space/box';
import { type Cut, rejectConditions, ruleCuts, type View } from '../firewall/space/cut';
import { buildPlan, type RegionCut } from '../firewall/space/dimensions';
import { buildField, type Field } from '../firewall/space/field';
import { getSurroundings } from '../firewall/space/guest-cuts';
import type { Verdict } from '../firewall/verdict';

/** A step of a chain. @property rule the rule that it is of; null: a built-in step */
export type ChainStep = RegionCut & { readonly rule: number | null };

/** The rules of one direction and family at an interface, with the steps around them, as classes of packets. */
export type RuleChain = {
  readonly view: View;
  readonly rules: readonly CompiledRule[];
  readonly steps: readonly ChainStep[];
  /** Packets with ports, ICMP and all others, as far as the box has them. */
  readonly fields: readonly Field[];
  /** What a rule does with a packet that it matches. */
  readonly outcomeOf: (rule: CompiledRule, packet: Packet) => Verdict['verdict'];
  /** What becomes of a packet that no rule matches. VNets on its way are left out. */
  readonly withoutRules: (packet: Packet) => Verdict;
};

/** The steps as text: equal texts have equal findings, wherever they are. */
export function describeSteps(guest: PreparedGuest, filter: PreparedFilter, view: View): string {
  const found = listSteps(guest, filter, view);
  const rules = filter.index(view.direction, view.family).rules;
  const options = guest.options;
  const { node, implementation } = filter;
  const parts = [
    view,
    implementation,
    node,
    options,
    found?.cuts.map(({ cut, rule }) => [cut, rule]),
    rules.map(({ action, vague }) => [action, vague]),
  ];
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? value.toString(36) : value));
}

type OwnedCut = { readonly cut: Cut; readonly rule: number | null };

/** Null: options could not be read, so it is not known what surrounds the rules. */
function listSteps(guest: PreparedGuest, filter: PreparedFilter, view: View): { cuts: OwnedCut[] } | null {
  if (!guest.options) return null;
  const { direction, family } = view;
  const { before, after } = getSurroundings(guest.options, filter, view);
  const rejects = rejectConditions(direction, family, filter);
  const builtIn = (cut: Cut): OwnedCut => ({ cut, rule: null });
  const own = filter.index(direction, family).rules.flatMap((rule, at) =>
    // Dropping is compared with rejecting, so both are divided alike.
    ruleCuts({ ...rule, action: rule.action === 'drop' ? 'reject' : rule.action }, family, rejects).map((cut) => ({
      cut,
      rule: at,
    })),
  );
  return { cuts: [...before.map(builtIn), ...own, ...after.map(builtIn)] };
}

/** The chain within a box; null when the options of the guest could not be read. */
export function buildRuleChain(
  guest: PreparedGuest,
  filter: PreparedFilter,
  direction: 'in' | 'out',
  box: Box,
): RuleChain | null {
  const view: View = { direction, family: box.family };
  const found = listSteps(guest, filter, view);
  if (!found) return null;
  const plan = buildPlan([found.cuts.map(({ cut }) => cut)], box.family);
  const regions = plan.stages[0] ?? [];
  const bare = narrowGuest({ ...guest, filters: [{ ...filter, crossing: null }] }, () => false);
  return {
    view,
    rules: filter.index(direction, box.family).rules,
    steps: regions.map((region, at) => ({ ...region, rule: found.cuts[at]?.rule ?? null })),
    fields: KINDS.flatMap((kind) => buildField(plan, box, kind, direction) ?? []),
    outcomeOf: (rule, packet) => getRuleOutcome(filter, rule, packet),
    withoutRules: (packet) => evaluate(bare, packet),
  };
}
