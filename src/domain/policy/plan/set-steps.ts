import { formatCidr, parseCidr } from '../../net/cidr';
import { diffSets } from '../diff-sets';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';

const canonical = (text: string) => {
  const cidr = parseCidr(text);
  return cidr ? formatCidr(cidr) : text;
};

/** The next writes toward the sets that desired rules refer to; none when they all exist. */
export function stepsSetsUp({ sets }: GuestFilter, intent: GuestIntent): PlanStep[] {
  const diff = diffSets(intent.sets, sets);
  const [created] = diff.created;
  if (created) return [{ kind: 'create_set', name: created.name }];
  const [changed] = diff.changed;
  if (!changed) return [];
  const { name, added, removed } = changed;
  const nomatch = new Set((sets[name] ?? []).filter((entry) => entry.nomatch).map(({ cidr }) => cidr));
  // An entry that takes out what shall be in has to make room first. Others that take out go last: what they keep out
  // may still be in by an entry that is to go.
  const inTheWay = removed.find((cidr) => added.includes(canonical(cidr)) || added.includes(cidr));
  const gone = inTheWay ?? (added.length > 0 ? undefined : (removed.find((cidr) => !nomatch.has(cidr)) ?? removed[0]));
  if (gone !== undefined) return [{ kind: 'remove_set_entry', name, cidr: gone }];
  return added.map((cidr) => ({ kind: 'add_set_entry', name, cidr }));
}

/** The next managed set that no rule refers to any more. */
export function stepSetsDown({ sets, rules }: GuestFilter, intent: GuestIntent): PlanStep | null {
  const { removed } = diffSets(intent.sets, sets);
  if (removed.length === 0) return null;
  const referred = new Set(rules.flatMap(({ source, dest }) => [source, dest]));
  const isReferred = (name: string) => referred.has(`+guest/${name}`) || referred.has(`+${name}`);
  const name = removed.find((candidate) => !isReferred(candidate));
  return name === undefined ? null : { kind: 'delete_set', name };
}
