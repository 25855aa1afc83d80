import { expect, it } from 'vitest';
import type { RoleGrant } from '@/domain/permissions';
import { visibleEvent } from './visible-event';

const ID = '0192f0c1-7a3b-7c44-9f00-000000000001';
const grant = (permission: string, tenant_id: string | null): RoleGrant[] => [
  { role: 'r', permissions: [permission], tenant_id },
];

it.each([
  ['security_group.changed', 'group:read', { security_group_id: ID }],
  ['policy.changed', 'policy:read', { policy_id: ID }],
  ['firewall.changed', 'policy:read', { cluster_id: ID }],
] as const)('%s names its object only to those who see all of them', (type, permission, ids) => {
  const event = { type, ...ids };
  expect(visibleEvent(grant(permission, null), event)).toEqual(event);
  expect(visibleEvent(grant(permission, 'a tenant'), event)).toEqual({ type });
  expect(visibleEvent(grant('user:read', null), event)).toBeNull();
  expect(visibleEvent([], event)).toBeNull();
});
