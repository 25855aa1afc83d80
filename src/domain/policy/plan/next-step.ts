import { effectiveOptions } from '../../firewall/guest-options';
import { parseMarker } from '../marker';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';
import { createLayouts } from './layout';
import { computeRestoration, type Restoration } from './restoration';
import { stepsDown, stepsUp } from './rule-steps';
import { stepSetsDown, stepsSetsUp } from './set-steps';

type Policy = 'ACCEPT' | 'DROP' | 'REJECT';

const getDefaultPolicy = ({ options }: GuestFilter, direction: 'in' | 'out') =>
  effectiveOptions(options)[direction === 'in' ? 'policy_in' : 'policy_out'];

/** What a default policy has to be changed to; undefined when it is right. */
function desiredDefault(state: GuestFilter, intent: GuestIntent, direction: 'in' | 'out'): Policy | undefined {
  const { options, nics } = state;
  const goal = direction === 'in' ? intent.default_in : intent.default_out;
  const { enable } = effectiveOptions(options);
  const present = getDefaultPolicy(state, direction);
  const stored = direction === 'in' ? options.policy_in : options.policy_out;
  if (goal === 'drop') return present === 'DROP' ? undefined : 'DROP';
  if (goal === 'leave') return undefined;
  // A filter that is off and stays off drops nothing: the user who stored this default did so for later.
  if (goal !== 'keep') return (enable || intent.switch_on) && present === 'DROP' ? goal.restore : undefined;
  if (!intent.switch_on || present === 'ACCEPT') return undefined;
  // What was off let everything pass; switching it on must not cut off what no policy speaks of.
  const bridged = nics.filter((nic) => !nic.unbridged);
  const unfiltered = !enable || (stored === undefined && bridged.length > 0 && bridged.every((nic) => !nic.firewall));
  return unfiltered ? 'ACCEPT' : undefined;
}

function stepDefaults(state: GuestFilter, intent: GuestIntent): PlanStep | null {
  const policy_in = desiredDefault(state, intent, 'in');
  const policy_out = desiredDefault(state, intent, 'out');
  if (policy_in === undefined && policy_out === undefined) return null;
  const changes = { ...(policy_in && { policy_in }), ...(policy_out && { policy_out }) };
  return { kind: 'set_options', changes };
}

function stepOn({ options, nics }: GuestFilter, intent: GuestIntent): PlanStep | null {
  if (!intent.switch_on) return null;
  if (!effectiveOptions(options).enable) return { kind: 'set_options', changes: { enable: 1 } };
  const nic = nics.find((candidate) => !candidate.firewall && candidate.editable);
  return nic ? { kind: 'set_nic_flag', nic: nic.name, enabled: true } : null;
}

type Undo = Extract<Restoration, { kind: 'restore' }>;

/** Whether a default would deny what it lets pass now. */
function hardens(state: GuestFilter, { options }: Undo, direction: 'in' | 'out'): boolean {
  const name = direction === 'in' ? 'policy_in' : 'policy_out';
  if (options[name] === undefined || getDefaultPolicy(state, direction) !== 'ACCEPT') return false;
  return getDefaultPolicy({ ...state, options: { [name]: options[name] ?? undefined } }, direction) !== 'ACCEPT';
}

/**
 * The first writes on the way back to the state before Fabric. If the guest's firewall was off, one write switches
 * it off together with its stored defaults, and no later write affects a packet. If it was on, interfaces come
 * before the defaults, and a default that denies more than now waits until they are unfiltered again.
 */
function stepBack(state: GuestFilter, undo: Undo): PlanStep | null {
  const { options } = undo;
  const { enable, policy_in, policy_out } = options;
  if (enable !== undefined && !enable) return { kind: 'set_options', changes: options };
  const nic = state.nics.find(({ name, editable }) => editable && undo.nics.includes(name));
  if (nic) return { kind: 'set_nic_flag', nic: nic.name, enabled: false };
  const changes = {
    ...(enable !== undefined && { enable }),
    ...(policy_in !== undefined && !hardens(state, undo, 'in') && { policy_in }),
    ...(policy_out !== undefined && !hardens(state, undo, 'out') && { policy_out }),
  };
  return Object.keys(changes).length > 0 ? { kind: 'set_options', changes } : null;
}

function stepSwitches(state: GuestFilter, intent: GuestIntent, restoration: Restoration): PlanStep | null {
  if (restoration.kind === 'restore') return stepBack(state, restoration);
  // What holds now is what people stored: what a policy replaced once no longer matters.
  return restoration.kind === 'restored' ? null : stepDefaults(state, intent);
}

/** Defaults that waited; they keep waiting while an interface is filtered that was not. */
function stepBackLast({ options, nics }: Undo): PlanStep | null {
  return nics.length === 0 && Object.keys(options).length > 0 ? { kind: 'set_options', changes: options } : null;
}

/** What someone else gave another level, or none, stays so. */
function stepsUnlog(
  { rules }: GuestFilter,
  { instance, vmid, scope }: GuestIntent,
  { level, rule_hashes }: NonNullable<GuestIntent['unlog']>,
): PlanStep[] {
  const hashes = new Set(rule_hashes);
  return rules.flatMap(({ comment, log }, pos): PlanStep[] => {
    const marker = log === level ? parseMarker(comment) : null;
    if (marker?.instance !== instance || marker.vmid !== vmid) return [];
    return scope.has(marker.policy_id) && hashes.has(marker.rule_hash) ? [{ kind: 'unlog_rule', pos }] : [];
  });
}

/** Rules to remove. What people did is read from rules that are no policy's in scope, so the switches are decided after each of these. */
function stepsAway(steps: PlanStep[], { restore, remove_strays }: GuestIntent): PlanStep[] {
  return restore && remove_strays ? steps.slice(0, 1) : steps;
}

/**
 * The next writes on the way from a guest's live configuration to its desired state; empty when there is nothing to do. They depend
 * only on the present state: of all writes that follow if no one else writes in between, these are the first, as many as are certain
 * without another comparison.
 *
 * After every single write each new connection is decided either as before the first or as after the last one. For
 * that, sets and new rules come first, then the defaults, then stale rules are removed from the bottom up; a filter
 * that was off is switched on at the end, guest first, interfaces last. When the last policy leaves, what was off is
 * switched off again before the first rule is removed.
 * @param layouts made once for all states that are compared with the intent
 */
export function nextSteps(state: GuestFilter, intent: GuestIntent, layouts = createLayouts(intent)): PlanStep[] {
  if (intent.unlog) return stepsUnlog(state, intent, intent.unlog);
  const sets = stepsSetsUp(state, intent);
  if (sets.length > 0) return sets;
  const layout = layouts(state.rules);
  const up = stepsUp(layout, state.rules);
  if (up.length > 0) return up;
  const restoration = computeRestoration(state, intent);
  const switches = stepSwitches(state, intent, restoration);
  if (switches) return [switches];
  const down = stepsAway(stepsDown(layout, state.rules), intent);
  if (down.length > 0) return down;
  const last =
    stepSetsDown(state, intent) ??
    (restoration.kind === 'restore' ? stepBackLast(restoration) : null) ??
    stepOn(state, intent);
  return last ? [last] : [];
}

/**
 * The next write, or null when there is nothing to do. The caller that carries it out reads again and asks for the next one, so it
 * does not matter what happened before, or who else wrote in between.
 */
export const nextStep = (state: GuestFilter, intent: GuestIntent): PlanStep | null =>
  nextSteps(state, intent)[0] ?? null;
