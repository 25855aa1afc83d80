import { expect, it } from 'vitest';
import type { DashboardOperations } from '@/domain/dashboard/dashboard';
import { firstSteps } from './first-steps';

const agents = { nodes: 3, ok: 0, degraded: 0, silent: 0, pending: 1, none: 2 };
const inventory = { clusters: 0, nodes: 0, workloads: 0, workloads_running: 0 };
const last_syncs = [{ sync_status: 'ok' }] as DashboardOperations['last_syncs'];
const done = (...given: Parameters<typeof firstSteps>) =>
  firstSteps(...given)
    ?.filter((step) => step.done)
    .map(({ id }) => id);

it('leads an empty installation', () => {
  expect(done({ inventory, agents, last_syncs: [] }, { total: 0 })).toEqual([]);
});

it('marks what was done', () => {
  expect(done({ inventory: { ...inventory, clusters: 1 }, agents, last_syncs }, { total: 2 })).toEqual([
    'cluster',
    'policy',
  ]);
});

it('resumes the setup until a cluster was read', () => {
  const first = (...given: Parameters<typeof firstSteps>) => firstSteps(...given)?.[0];
  expect(first({ inventory, agents, last_syncs: [] }, { total: 0 })).toMatchObject({
    href: '/setup',
    action: 'Add cluster',
    done: false,
  });
  const never = [{ sync_status: 'never' }] as DashboardOperations['last_syncs'];
  const added = { inventory: { ...inventory, clusters: 1 }, agents };
  expect(first({ ...added, last_syncs: never }, { total: 0 })).toMatchObject({ action: 'Resume setup', done: false });
  expect(first({ ...added, last_syncs }, { total: 0 })).toMatchObject({ done: true });
});

it('disappears when everything is done or unknown', () => {
  const full = { inventory: { ...inventory, clusters: 1 }, agents: { ...agents, silent: 1 }, last_syncs };
  expect(firstSteps(full, { total: 1 })).toBeNull();
  expect(firstSteps({ ...full, agents: null }, { total: 0 })).toBeNull();
  expect(firstSteps(full, null)).toBeNull();
});
