import type { OptionChange } from '../../policy-preview';
import { type GuestFilter, type PlanStep, SWITCHES, type Switch, type WrittenSwitches } from './guest-filter';

const stored = (value: string | number | undefined) => (value === undefined ? null : String(value));

/** How the switches of a guest differ between two states. */
export function switchChanges(before: GuestFilter, after: GuestFilter): OptionChange[] {
  const flags = new Map(after.nics.map(({ name, firewall }) => [name, firewall]));
  return [
    ...SWITCHES.map((name) => ({
      kind: 'guest_option' as const,
      name,
      before: stored(before.options[name]),
      after: stored(after.options[name]),
    })),
    ...before.nics.map(({ name, firewall }) => ({
      kind: 'nic_flag' as const,
      name,
      before: firewall ? '1' : '0',
      after: (flags.get(name) ?? firewall) ? '1' : '0',
    })),
  ].filter((change) => change.before !== change.after);
}

export const NOTHING_WRITTEN: WrittenSwitches = { options: {}, nics: [], overwritten: [] };

/**
 * What to note before a write, so that a later read distinguishes Fabric's own value from someone else's. A write
 * that is interrupted may or may not have happened, so the value before it stays noted if it was Fabric's, too.
 */
export function recordStep(
  written: WrittenSwitches,
  baseline: GuestFilter | null,
  state: GuestFilter,
  step: PlanStep,
): WrittenSwitches {
  if (step.kind === 'set_nic_flag') {
    if (!step.enabled || written.nics.includes(step.nic)) return written;
    return { ...written, nics: [...written.nics, step.nic] };
  }
  if (step.kind !== 'set_options') return written;
  const options = { ...written.options };
  const overwritten = new Set<Switch>(written.overwritten);
  for (const name of SWITCHES) {
    const next = step.changes[name];
    if (next === undefined) continue;
    const present = state.options[name] ?? null;
    const own = (options[name] ?? []).includes(present);
    if (!own && baseline && present !== (baseline.options[name] ?? null)) overwritten.add(name);
    options[name] = own && present !== next ? [present, next] : [next];
  }
  return { ...written, options, overwritten: [...overwritten] };
}

/** What is left to note once a guest was read after the last write: of two possible values only the one that is stored. */
export function settleWritten(written: WrittenSwitches, { options }: GuestFilter): WrittenSwitches {
  const settled = SWITCHES.flatMap((name) => {
    const values = written.options[name];
    const present = options[name] ?? null;
    return values ? [[name, values.includes(present) ? [present] : values] as const] : [];
  });
  return { ...written, options: Object.fromEntries(settled) };
}
