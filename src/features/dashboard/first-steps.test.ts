import { expect, it } from 'vitest';
import { firstSteps } from './first-steps';

const agents = { nodes: 3, ok: 0, degraded: 0, silent: 0, pending: 1, none: 2 };
const inventory = { clusters: 0, nodes: 0, workloads: 0, workloads_running: 0 };
const done = (...given: Parameters<typeof firstSteps>) =>
  firstSteps(...given)
    ?.filter((step) => step.done)
    .map(({ id }) => id);

it('leads an empty installation', () => {
  expect(done({ inventory, agents }, { total: 0 })).toEqual([]);
});

it('marks what was done', () => {
  expect(done({ inventory: { ...inventory, clusters: 1 }, agents }, { total: 2 })).toEqual(['cluster', 'policy']);
});

it('disappears when everything is done or unknown', () => {
  const full = { inventory: { ...inventory, clusters: 1 }, agents: { ...agents, silent: 1 } };
  expect(firstSteps(full, { total: 1 })).toBeNull();
  expect(firstSteps({ ...full, agents: null }, { total: 0 })).toBeNull();
  expect(firstSteps(full, null)).toBeNull();
});
