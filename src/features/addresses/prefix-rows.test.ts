import { expect, test } from 'vitest';
import type { Network } from '@/domain/inventory';
import type { SubnetNode } from '@/domain/ipam/subnet';
import { branchKey, type Level, prefixRows } from './prefix-rows';

const network = (id: string, subnets_total: number) => ({ id, name: id, subnets_total }) as Network;
const subnet = (id: string, children_total = 0) => ({ id, cidr: id, children_total }) as SubnetNode;
const known = (...items: SubnetNode[]): Level => ({ items, loading: false, failure: null });

const levels: Record<string, Level> = {
  n1: known(subnet('s1', 2), subnet('s2')),
  s1: known(subnet('s1a'), subnet('s1b')),
};
const tree = (open: string[], of: Record<string, Level> = levels) =>
  prefixRows({
    networks: [network('n1', 4), network('n2', 0)],
    isOpen: (id) => open.includes(id),
    levelOf: (branch) => of[branchKey(branch)],
  });
const shape = (rows: ReturnType<typeof tree>['rows']) =>
  rows.map((row) => [row.id, row.level, row.expanded, `${row.position}/${row.siblings}`]);

test('closed, a network is one line; one without prefixes cannot be opened', () => {
  const { rows, open } = tree([]);
  expect(shape(rows)).toEqual([
    ['n1', 1, false, '1/2'],
    ['n2', 1, null, '2/2'],
  ]);
  expect(open).toEqual([]);
});

test('open, what is below follows it, one level deeper', () => {
  const { rows, open } = tree(['n1', 's1']);
  expect(shape(rows)).toEqual([
    ['n1', 1, true, '1/2'],
    ['s1', 2, true, '1/2'],
    ['s1a', 3, null, '1/2'],
    ['s1b', 3, null, '2/2'],
    ['s2', 2, null, '2/2'],
    ['n2', 1, null, '2/2'],
  ]);
  expect(open).toEqual([{ network_id: 'n1' }, { network_id: 'n1', parent_id: 's1' }]);
});

test('a branch that is open inside a closed one is not read', () => {
  expect(tree(['s1']).open).toEqual([]);
});

test('unknown rows show as loading, and failed rows show the error', () => {
  const failed = tree(['n1'], { n1: { items: undefined, loading: false, failure: 'no answer' } });
  expect(failed.rows[1]?.item).toEqual({ kind: 'failure', message: 'no answer' });
  const waiting = tree(['n1'], { n1: { items: undefined, loading: true, failure: null } });
  expect(waiting.rows[0]?.loading).toBe(true);
  expect(waiting.rows).toHaveLength(2);
});
