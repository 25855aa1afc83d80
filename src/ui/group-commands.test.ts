import { expect, it } from 'vitest';
import type { Command } from './command-registry';
import { groupCommands, matchesCommand } from './group-commands';

const command = (id: string, label: string, group: string, keywords?: string[]): Command => ({
  id,
  label,
  group,
  keywords,
  run: () => undefined,
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
  ['hyper', true],
  ['dd', false],
  ['', true],
  ['  ', true],
])('%j finds "Add cluster": %s', (query, found) => {
  expect(matchesCommand(command('a', 'Add cluster', 'Clusters', ['hypervisor']), query)).toBe(found);
});

it('puts commands whose label matches before those that a keyword brings up', () => {
  const commands = [
    command('policies', 'Policies', 'Go to', ['audit mode']),
    command('audit', 'Audit', 'Go to'),
    command('verify', 'Verify the audit trail', 'Audit'),
  ];
  const ids = (query?: string) => groupCommands(commands, query).flatMap((group) => group.items.map((item) => item.id));
  expect(ids()).toEqual(['policies', 'audit', 'verify']);
  expect(ids('aud')).toEqual(['audit', 'policies', 'verify']);
  expect(ids('pol')).toEqual(['policies', 'audit', 'verify']);
});
