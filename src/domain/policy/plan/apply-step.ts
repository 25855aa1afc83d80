import type { LiveGuestOptions, LiveRule } from '../../firewall/live-state';
import { getWrittenContent } from '../temporary-log';
import type { GuestFilter, PlanStep, SwitchChanges } from './guest-filter';

function withSwitches(options: LiveGuestOptions, changes: SwitchChanges): LiveGuestOptions {
  const merged = Object.entries({ ...options, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined));
}

/** Carries out one write to a list of rules, in place. Rules that are not written stay the same objects, with the positions they had. */
function writeRule(rules: LiveRule[], step: PlanStep): void {
  if (step.kind === 'create_rule') {
    const { rule, enable } = step;
    rules.unshift({ pos: -1, enable, ...getWrittenContent(rule), comment: rule.comment });
    return;
  }
  if (!('pos' in step)) return;
  const [found] = rules.slice(step.pos, step.pos + 1);
  if (!found) return;
  const { log: _, ...quiet } = found;
  if (step.kind === 'enable_rule') rules[step.pos] = { ...found, enable: 1 };
  else if (step.kind === 'unlog_rule') rules[step.pos] = quiet;
  else rules.splice(step.pos, 1);
  if (step.kind === 'move_rule') rules.splice(step.to, 0, found);
}

/** What is configured at the guest after some writes, in which no rule knows its new position. */
export function applyInOrder(state: GuestFilter, steps: readonly PlanStep[]): GuestFilter {
  const { sets } = state;
  const [step, ...more] = steps;
  if (!step) return state;
  if (steps.every(({ kind }) => kind.endsWith('_rule'))) {
    const rules = [...state.rules];
    for (const one of steps) writeRule(rules, one);
    return { ...state, rules };
  }
  if (more.length > 0) return steps.reduce((after, one) => applyInOrder(after, [one]), state);
  const withEntries = (name: string, entries: GuestFilter['sets'][string]): GuestFilter => ({
    ...state,
    sets: { ...sets, [name]: entries },
  });
  switch (step.kind) {
    case 'create_set':
      return withEntries(step.name, []);
    case 'add_set_entry':
      return withEntries(step.name, [...(sets[step.name] ?? []), { cidr: step.cidr }]);
    case 'remove_set_entry':
      return withEntries(
        step.name,
        (sets[step.name] ?? []).filter(({ cidr }) => cidr !== step.cidr),
      );
    case 'delete_set': {
      const { [step.name]: _, ...rest } = sets;
      return { ...state, sets: rest };
    }
    case 'set_options':
      return { ...state, options: withSwitches(state.options, step.changes) };
    case 'set_nic_flag':
      return {
        ...state,
        nics: state.nics.map((nic) => (nic.name === step.nic ? { ...nic, firewall: step.enabled } : nic)),
      };
    default:
      return state;
  }
}

/** The same with the position of each rule in the list. */
export const withPositions = (state: GuestFilter): GuestFilter => ({
  ...state,
  rules: state.rules.map((rule, pos) => (rule.pos === pos ? rule : { ...rule, pos })),
});

/** What is configured at the guest after one write. */
export const applyStep = (state: GuestFilter, step: PlanStep): GuestFilter =>
  step.kind.endsWith('_rule') ? withPositions(applyInOrder(state, [step])) : applyInOrder(state, [step]);
