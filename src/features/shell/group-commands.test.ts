import { expect, it } from 'vitest';
import { foldText } from '@/domain/search/match-text';
import type { Command } from '@/ui/command-registry';
import { groupCommands, rankCommand } from './group-commands';

const command = (id: string, label: string, group: string, more: Partial<Command> = {}): Command => ({
  id,
  label,
  group,
  run: () => undefined,
  ...more,
});

it('groups in the order of first appearance and lets a later command replace an earlier one', () => {
  const groups = groupCommands([
    command('a', 'Clusters', 'Go to'),
    command('b', 'Add cluster', 'Clusters'),
    command('c', 'Nodes', 'Go to'),
    command('b', 'Add another cluster', 'Clusters'),
  ]);
  expect(groups.map((group) => [group.value, group.items.map((item) => item.label)])).toEqual([
    ['Go to', ['Clusters', 'Nodes']],
    ['Clusters', ['Add another cluster']],
  ]);
});

it.each([
  ['add cl', true],
  ['cl add', true],
  ['CLÙ', true],
  ['clutser', true],
  ['hyper', true],
  ['dd', false],
  ['', true],
  ['  ', true],
])('%j finds "Add cluster": %s', (query, found) => {
  const one = command('a', 'Add cluster', 'Clusters', { keywords: ['hypervisor'] });
  expect(rankCommand(one, foldText(query)) !== null).toBe(found);
});

it('puts commands whose label matches before those that a keyword brings up', () => {
  const commands = [
    command('policies', 'Policies', 'Go to', { keywords: ['audit mode'] }),
    command('audit', 'Audit', 'Go to'),
    command('verify', 'Verify the audit trail', 'Audit'),
  ];
  const ids = (query?: string) => groupCommands(commands, query).flatMap((group) => group.items.map((item) => item.id));
  expect(ids()).toEqual(['policies', 'audit', 'verify']);
  expect(ids('aud')).toEqual(['audit', 'policies', 'verify']);
  expect(ids('policy')).toEqual(['policies']);
});

it('puts what the service found by name or address first, and similar names last', () => {
  const commands = [
    command('settings', 'Web settings', 'Go to'),
    command('exact', '10.0.0.5', 'Addresses', { found: 'exact' }),
    command('name', 'web', 'Workloads', { found: 'match' }),
    command('tag', 'db-01', 'Workloads', { found: 'match' }),
    command('near', 'wbe', 'Groups', { found: 'similar' }),
  ];
  const order = groupCommands(commands, 'web').map(({ value }) => value);
  expect(order).toEqual(['Addresses', 'Workloads', 'Go to', 'Groups']);
});
