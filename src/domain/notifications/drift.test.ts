import { expect, it } from 'vitest';
import type { DeploymentReason, DeploymentStatus } from '../policy/status';
import { describeDrift } from './drift';

const standing = (status: DeploymentStatus | null, ...reasons: DeploymentReason[]) => ({
  status,
  deployments: [{ reasons }, { reasons: [] }],
});

it('reports drift when applied rules or settings are changed outside the policy', () => {
  expect(describeDrift(standing('stale', 'content_differs'))).toBe('A live rule was edited.');
  expect(describeDrift(standing('partial', 'guest_firewall_off', 'unreadable'))).toBe(
    'The guest firewall of a workload is off.',
  );
  expect(describeDrift(standing('stale', 'leftover', 'version_behind'))).toBe(
    'There are live rules that no policy requires.',
  );
});

it('reports no drift when a policy only waits for an apply, or nothing is wrong', () => {
  expect(describeDrift(standing('stale', 'never_applied'))).toBeNull();
  expect(describeDrift(standing('stale', 'version_behind', 'unresolved_endpoint'))).toBeNull();
  expect(describeDrift(standing('active'))).toBeNull();
  expect(describeDrift(standing(null))).toBeNull();
});

it('reports no drift where the policy was never applied', () => {
  expect(describeDrift(standing('stale', 'never_applied', 'guest_firewall_off', 'nic_flag_off'))).toBeNull();
  expect(describeDrift(standing('partial', 'guest_pending'))).toBeNull();
});

it('returns unknown when nothing could be read', () => {
  expect(describeDrift(standing('partial', 'unreadable'))).toBe('unknown');
  expect(describeDrift(standing('partial', 'enforcement_unknown'))).toBe('unknown');
});
