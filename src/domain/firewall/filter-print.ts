import type { LiveNic, LiveState } from './live-state';
import { prepareGuest } from './prepare-guest';

const DIRECTIONS = ['in', 'out'] as const;
const FAMILIES = [4, 6] as const;

/** Fields that decide nothing: a rule that stands elsewhere and is evaluated in the same order filters alike. */
const WITHOUT_EFFECT = new Set(['place', 'comment', 'log']);

const toText = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) =>
    WITHOUT_EFFECT.has(key) ? undefined : typeof part === 'bigint' ? part.toString(36) : part,
  );

/**
 * A text that changes with everything on which verdicts at one interface depend: switches, options, the enforced rules in their
 * order with what they refer to, and what the node adds. Comments, names, log levels, disabled rules and unused sets are not in
 * it, nor are rules of an interface that is not filtered. Only what a VNet filters is taken as it is stored.
 */
export function printFilter(state: LiveState, nic: LiveNic): string {
  const { enforcement, switches, options, rules_reason, mac, filters } = prepareGuest(state, nic);
  const around = filters.map(({ implementation, node, blacklist, crossing }) => [
    ...[implementation, node, blacklist],
    crossing?.basis,
  ]);
  if (enforcement.status === 'off') return toText([enforcement, switches, around]);
  const { enable: _enable, ...others } = options ?? {};
  const chains = filters.map(({ ip_filter, refused, index }) => [
    ip_filter,
    FAMILIES.map((family) => refused[family] !== null),
    DIRECTIONS.map((direction) => FAMILIES.map((family) => index(direction, family).rules)),
  ]);
  return toText([enforcement, switches, around, options && others, rules_reason, mac, chains]);
}
