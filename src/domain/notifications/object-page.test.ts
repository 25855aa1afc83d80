import { expect, it } from 'vitest';
import { paths } from '@/lib/paths';
import { objectPage } from './object-page';

const id = '0192f0c1-7a3b-7c44-9f00-000000000001';

it.each([
  ['cluster', paths.cluster({ clusterId: id })],
  ['agent', paths.agent({ nodeId: id })],
  ['policy', paths.policy({ policyId: id })],
  ['workload', paths.workload({ workloadId: id, tab: 'traffic' })],
  ['change', `/changes/${id}`],
  ['ipam_conflict', paths.addresses({ tab: 'conflicts' })],
  ['something newer', paths.home()],
])('leads from a notice about a %s to its page', (object_kind, page) => {
  expect(objectPage({ object_kind, object_id: id })).toBe(page);
  expect(objectPage({ object_kind, object_id: null })).toBe(paths.home());
});

it('leads from a notice about drift to the differences of the policy, the newest opened', () => {
  const notice = { condition: 'policy_drifted', object_kind: 'policy', object_id: id };
  expect(objectPage(notice)).toBe(paths.drift({ status: 'open', policy_id: id, drift: 'newest' }));
});
