import { effectiveOptions } from '../../firewall/guest-options';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';
import { layOut } from './layout';
import { stepDown, stepUp } from './rule-steps';
import { stepSetsDown, stepSetsUp } from './set-steps';

type Policy = 'ACCEPT' | 'DROP' | 'REJECT';

/** What a default policy has to be changed to; undefined when it is right. */
function wantedDefault(
  { options, nics }: GuestFilter,
  intent: GuestIntent,
  direction: 'in' | 'out',
): Policy | undefined {
  const goal = direction === 'in' ? intent.default_in : intent.default_out;
  const effective = effectiveOptions(options);
  const present = direction === 'in' ? effective.policy_in : effective.policy_out;
  const stored = direction === 'in' ? options.policy_in : options.policy_out;
  if (goal === 'drop') return present === 'DROP' ? undefined : 'DROP';
  if (goal !== 'keep') return present === 'DROP' ? goal.restore : undefined;
  if (!intent.switch_on || present === 'ACCEPT') return undefined;
  // What was off let everything pass; switching it on must not cut off what no policy speaks of.
  const bridged = nics.filter((nic) => !nic.unbridged);
  const unfiltered =
    !effective.enable || (stored === undefined && bridged.length > 0 && bridged.every((nic) => !nic.firewall));
  return unfiltered ? 'ACCEPT' : undefined;
}

function stepDefaults(state: GuestFilter, intent: GuestIntent): PlanStep | null {
  const policy_in = wantedDefault(state, intent, 'in');
  const policy_out = wantedDefault(state, intent, 'out');
  if (policy_in === undefined && policy_out === undefined) return null;
  const changes = { ...(policy_in && { policy_in }), ...(policy_out && { policy_out }) };
  return { kind: 'set_options', changes };
}

function stepOn({ options, nics }: GuestFilter, intent: GuestIntent): PlanStep | null {
  if (!intent.switch_on) return null;
  if (!effectiveOptions(options).enable) return { kind: 'set_options', changes: { enable: 1 } };
  const nic = nics.find((candidate) => !candidate.firewall && candidate.editable);
  return nic ? { kind: 'set_nic_flag', nic: nic.name } : null;
}

/**
 * The next write on the way from what is configured at a guest to what is wanted of it, or null when there is nothing to
 * do. It looks at nothing but the present state: whoever carries it out reads again and asks for the next one, so it
 * does not matter what happened before, or who else wrote in between.
 *
 * After every single write each new connection is decided either as before the first or as after the last one. For that,
 * sets and new rules come first, then the defaults, then stale rules go from the bottom up; a filter that was off is
 * switched on at the end, guest first, interfaces last.
 */
export function nextStep(state: GuestFilter, intent: GuestIntent): PlanStep | null {
  const layout = layOut(state.rules, intent);
  return (
    stepSetsUp(state, intent) ??
    stepUp(layout, state.rules) ??
    stepDefaults(state, intent) ??
    stepDown(layout, state.rules) ??
    stepSetsDown(state, intent) ??
    stepOn(state, intent)
  );
}
