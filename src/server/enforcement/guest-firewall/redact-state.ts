import type { LiveRule, LiveSetEntry } from '@/domain/firewall/live-state';
import { describePlatformRule } from '@/domain/policy/plan/describe-dormant';
import type { ChangedDifference, DormantView, GuestChangesPreview } from '@/domain/policy-preview';
import type { RuleNamer } from './named-rules';

type Sets = Readonly<Record<string, readonly LiveSetEntry[]>>;

/** Sets that compiling makes are named after their content. */
const MANAGED_SET = /^fabric-v[46]-/;

/** The sets of a workload without the managed ones that only rules refer to of which the reader may not see what they match. */
export function redactSets(sets: Sets, rules: readonly LiveRule[], namer: RuleNamer, all: boolean): Sets {
  if (all) return sets;
  const open = rules.filter((rule) => namer.isOpen(rule));
  const referred = new Set(open.flatMap(({ source, dest }) => [source, dest]));
  return Object.fromEntries(
    Object.entries(sets).filter(([name]) => !MANAGED_SET.test(name) || referred.has(`+guest/${name}`)),
  );
}

/** Stored content that takes effect, with rules as far as the reader may see them. */
export const redactDormant = (items: readonly DormantView[], namer: RuleNamer): DormantView[] =>
  items.map((item) => {
    const rule = item.rule && namer.withhold(item.rule);
    if (!rule || rule.visibility === undefined || rule.visibility === 'rules') return item;
    return { ...item, rule: null, ...describePlatformRule(item) };
  });

/** Changes of a preview, with rules as far as the reader may see them: a clone carries those of other workloads. */
export const redactChanges = (
  { added, removed, kept, moved }: GuestChangesPreview,
  namer: RuleNamer,
): GuestChangesPreview => ({
  added: added.map(namer.withhold),
  removed: removed.map((rule) => ({ ...namer.withhold(rule), reason: rule.reason })),
  kept: kept.map(namer.withhold),
  moved: moved.map(namer.withhold),
});

type GuestResult = { readonly dormant: DormantView[] | null; readonly difference: ChangedDifference | null };

/** What became of a workload in a deployment, with rules as far as the reader may see them. */
export const redactGuestResult = <G extends GuestResult>(guest: G, namer: RuleNamer): G => ({
  ...guest,
  dormant: guest.dormant && redactDormant(guest.dormant, namer),
  difference: guest.difference && {
    ...guest.difference,
    changes: guest.difference.changes && redactChanges(guest.difference.changes, namer),
    dormant: guest.difference.dormant && redactDormant(guest.difference.dormant, namer),
  },
});
