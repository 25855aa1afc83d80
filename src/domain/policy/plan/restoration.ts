import { effectiveOptions } from '../../firewall/guest-options';
import type { LiveRule, LiveSetEntry } from '../../firewall/live-state';
import { parseMarker } from '../marker';
import { SET_PREFIX } from '../split-rule';
import {
  type GuestFilter,
  type GuestIntent,
  SWITCHES,
  type Switch,
  type SwitchChanges,
  type WrittenSwitches,
} from './guest-filter';

/** Why switches stay as Fabric left them. */
export const LEFT_ON_REASONS = ['baseline_unknown', 'edited_since'] as const;
export type LeftOnReason = (typeof LEFT_ON_REASONS)[number];

/** What someone else changed since the baseline. */
export const EDITS = ['rules', 'sets', 'aliases', 'options', 'interfaces'] as const;
export type Edit = (typeof EDITS)[number];

export type Restoration =
  /** Nothing is undone: something of Fabric stays, or nothing is filtered. */
  | { readonly kind: 'none' }
  /** Nothing of what Fabric wrote is left at the switches. */
  | { readonly kind: 'restored' }
  | { readonly kind: 'left_on'; readonly reason: LeftOnReason; readonly edits: readonly Edit[] }
  | { readonly kind: 'restore'; readonly options: SwitchChanges; readonly nics: readonly string[] };

const NONE: Restoration = { kind: 'none' };

/** A rule as far as it affects packets; null for one that does not. */
function decision({ pos: _pos, comment: _comment, log: _log, ...rule }: LiveRule): unknown {
  return rule.enable && !rule.errors ? rule : null;
}

/** Unmanaged rules in their order. Rules with a marker belong to Fabric or to another installation. */
const unmanaged = ({ rules }: GuestFilter) =>
  rules.filter(({ comment }) => parseMarker(comment) === null).flatMap((rule) => decision(rule) ?? []);

const ownSets = ({ sets }: GuestFilter) =>
  Object.entries(sets)
    .filter(([name]) => !name.startsWith(SET_PREFIX))
    .map(([name, entries]) => [
      name,
      entries.map(({ cidr, nomatch }: LiveSetEntry) => `${nomatch ?? 0} ${cidr}`).sort(),
    ])
    .sort();

/** Everything that filters besides the switches that Fabric writes, with the defaults of what is not stored. */
function otherOptions({ options }: GuestFilter) {
  const { enable: _enable, policy_in: _in, policy_out: _out, ...others } = effectiveOptions(options);
  return others;
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
const differs = (a: unknown, b: unknown) => canonical(a) !== canonical(b);

/** Whether the stored value of an option is one that Fabric wrote. */
const isWritten = ({ options }: GuestFilter, written: WrittenSwitches | undefined, name: Switch): boolean =>
  written?.options[name]?.includes(options[name] ?? null) ?? false;

/** What someone else changed since the baseline; Fabric's rules and its own writes are ignored. */
function editsSince(state: GuestFilter, baseline: GuestFilter, { instance, restore }: GuestIntent): Edit[] {
  const written = restore?.written;
  const [now, before] = [effectiveOptions(state.options), effectiveOptions(baseline.options)];
  const isEdited = (name: Switch) => {
    if (written?.overwritten.includes(name)) return true;
    if (isWritten(state, written, name)) return false;
    // A default that Fabric set and someone set back filters as they want it, unless nothing is filtered.
    const counts = name !== 'enable' && now.enable && written?.options[name] !== undefined;
    return counts || now[name] !== before[name];
  };
  const others = state.rules.some(({ comment }) => {
    const marker = parseMarker(comment);
    return marker !== null && marker.instance !== instance;
  });
  const flagged = state.nics.some(
    ({ name, firewall }) =>
      firewall && !written?.nics.includes(name) && !baseline.nics.some((nic) => nic.name === name && nic.firewall),
  );
  const found: Record<Edit, boolean> = {
    rules: others || differs(unmanaged(state), unmanaged(baseline)),
    sets: differs(ownSets(state), ownSets(baseline)),
    aliases: differs(state.aliases ?? {}, baseline.aliases ?? {}),
    options: SWITCHES.some(isEdited) || differs(otherOptions(state), otherOptions(baseline)),
    interfaces: flagged,
  };
  return EDITS.filter((edit) => found[edit]);
}

/** Whether the guest has rules of other policies of this installation, for instance in a clone. */
const hasOtherPolicies = ({ rules }: GuestFilter, { instance, scope }: GuestIntent) =>
  rules.some(({ comment }) => {
    const marker = parseMarker(comment);
    return marker?.instance === instance && !scope.has(marker.policy_id);
  });

/**
 * What to undo at the switches of a guest that its last policy leaves. Switches return to their state before the
 * first policy, unless that is unknown or would disable something that someone else changed since.
 */
export function computeRestoration(state: GuestFilter, intent: GuestIntent): Restoration {
  if (!intent.restore || hasOtherPolicies(state, intent)) return NONE;
  const { baseline, written } = intent.restore;
  if (!baseline) {
    const filters = effectiveOptions(state.options).enable && state.nics.some(({ firewall }) => firewall);
    return filters ? { kind: 'left_on', reason: 'baseline_unknown', edits: [] } : NONE;
  }
  const options: Partial<Record<Switch, unknown>> = {};
  for (const name of SWITCHES) {
    const before = baseline.options[name];
    if (state.options[name] !== before && isWritten(state, written, name)) options[name] = before ?? null;
  }
  const nics = state.nics
    .filter(({ name, firewall }) => firewall && written.nics.includes(name))
    .filter(({ name }) => !baseline.nics.some((nic) => nic.name === name && nic.firewall))
    .map(({ name }) => name);
  if (Object.keys(options).length === 0 && nics.length === 0) return { kind: 'restored' };
  const edits = editsSince(state, baseline, intent);
  if (edits.length > 0) return { kind: 'left_on', reason: 'edited_since', edits };
  return { kind: 'restore', options: options as SwitchChanges, nics };
}
