import { expect, it } from 'vitest';
import { randomSource } from '../firewall/random-state.fixture';
import { compareLiveRules } from './difference';

const random = randomSource(3);
const randomRules = () =>
  Array.from({ length: Math.floor(random() * 7) }, (_, pos) => ({
    ...{ pos, type: 'in', action: 'ACCEPT', enable: 1 },
    dport: String(Math.floor(random() * 4)),
  }));
const ports = (rules: readonly { dport?: string }[]) => rules.map(({ dport }) => dport);
const sorted = (list: readonly unknown[]) => [...list].map(String).sort();

it('accounts for every rule, and leaves what stays in place in one order', () => {
  for (let round = 0; round < 500; round++) {
    const [before, after] = [randomRules(), randomRules()];
    const { added, removed, moved } = compareLiveRules(before, after);
    const without = (all: readonly { dport?: string }[], some: readonly { dport?: string }[]) => {
      const rest = ports(all);
      for (const port of ports(some)) rest.splice(rest.indexOf(port), 1);
      return rest;
    };
    expect(sorted(without(before, removed))).toEqual(sorted(without(after, added)));
    const stay = after.filter((rule) => !added.includes(rule) && !moved.includes(rule));
    let from = 0;
    for (const port of ports(stay)) {
      const at = ports(before).indexOf(port, from);
      expect(at).toBeGreaterThanOrEqual(from);
      from = at + 1;
    }
  }
});

it('finds no difference where only positions differ', () => {
  const rules = [22, 80].map((port) => ({ pos: port, type: 'in', action: 'DROP', dport: String(port) }));
  const after = rules.map((rule, pos) => ({ ...rule, pos }));
  expect(compareLiveRules(rules, after)).toEqual({ added: [], removed: [], moved: [] });
  const swapped = compareLiveRules(rules, [...after].reverse());
  expect([swapped.added.length, swapped.removed.length, swapped.moved.length]).toEqual([0, 0, 1]);
});
