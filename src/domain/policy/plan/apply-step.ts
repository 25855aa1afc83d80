import type { LiveGuestOptions, LiveRule } from '../../firewall/live-state';
import { getWrittenContent } from '../temporary-log';
import type { GuestFilter, PlanStep, SwitchChanges } from './guest-filter';

const renumber = (rules: readonly LiveRule[]): LiveRule[] =>
  rules.map((rule, pos) => (rule.pos === pos ? rule : { ...rule, pos }));

function withSwitches(options: LiveGuestOptions, changes: SwitchChanges): LiveGuestOptions {
  const merged = Object.entries({ ...options, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined));
}

/** What is configured at the guest after one write. */
export function applyStep(state: GuestFilter, step: PlanStep): GuestFilter {
  const { rules, sets } = state;
  const withRules = (list: readonly LiveRule[]): GuestFilter => ({ ...state, rules: renumber(list) });
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
    case 'create_rule': {
      const content = getWrittenContent(step.rule);
      return withRules([{ pos: -1, enable: step.enable, ...content, comment: step.rule.comment }, ...rules]);
    }
    case 'move_rule': {
      const moved = rules[step.pos];
      const rest = rules.filter((rule) => rule !== moved);
      return moved ? withRules([...rest.slice(0, step.to), moved, ...rest.slice(step.to)]) : state;
    }
    case 'enable_rule':
      return withRules(rules.map((rule) => (rule.pos === step.pos ? { ...rule, enable: 1 } : rule)));
    case 'unlog_rule':
      return withRules(
        rules.map(({ log, ...rule }) => (rule.pos === step.pos || log === undefined ? rule : { ...rule, log })),
      );
    case 'delete_rule':
      return withRules(rules.filter(({ pos }) => pos !== step.pos));
    case 'set_options':
      return { ...state, options: withSwitches(state.options, step.changes) };
    case 'set_nic_flag':
      return {
        ...state,
        nics: state.nics.map((nic) => (nic.name === step.nic ? { ...nic, firewall: step.enabled } : nic)),
      };
  }
}
