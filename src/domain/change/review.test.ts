import { expect, it } from 'vitest';
import { compareCompiled } from './review';

const note = (...workloads: [id: string, before: string, after: string][]) => ({
  enforcing: true,
  workloads: workloads.map(([workload_id, before, after]) => ({ workload_id, before, after })),
});

it('lists the workloads where a change does something else than what was reviewed', () => {
  const reviewed = note(['same', 'a', 'b'], ['edited', 'a', 'b'], ['result', 'a', 'b'], ['gone', 'a', 'b']);
  const now = note(['same', 'a', 'b'], ['edited', 'x', 'b'], ['result', 'a', 'x'], ['new', 'a', 'b']);
  expect(compareCompiled(reviewed, now)).toEqual([
    { workload_id: 'edited', change: 'before' },
    { workload_id: 'result', change: 'after' },
    { workload_id: 'new', change: 'added' },
    { workload_id: 'gone', change: 'removed' },
  ]);
  expect(compareCompiled(reviewed, reviewed)).toEqual([]);
});
