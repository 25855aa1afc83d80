import { expect, it } from 'vitest';
import type { RoleGrant } from '@/domain/permissions';
import { visibleEvent } from './visible-event';

const ME = '0192f0c1-7a3b-7c44-9f00-00000000000a';
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
  expect(visibleEvent(grant(permission, null), ME, event)).toEqual(event);
  expect(visibleEvent(grant(permission, 'a tenant'), ME, event)).toEqual({ type });
  expect(visibleEvent(grant('user:read', null), ME, event)).toBeNull();
  expect(visibleEvent([], ME, event)).toBeNull();
});

it('says that notices changed to those whose they can be, without whose', () => {
  const type = 'notification.changed' as const;
  expect(visibleEvent(grant('user:read', null), ME, { type })).toEqual({ type });
  expect(visibleEvent(grant('user:read', ID), ME, { type })).toBeNull();
  expect(visibleEvent(grant('policy:read', ID), ME, { type, tenant_id: ID })).toEqual({ type });
  expect(visibleEvent(grant('policy:read', null), ME, { type, tenant_id: ID })).toEqual({ type });
  expect(visibleEvent(grant('policy:read', 'another tenant'), ME, { type, tenant_id: ID })).toBeNull();
  expect(visibleEvent([], ME, { type })).toBeNull();
});

it('says who has read notices to themselves only', () => {
  const event = { type: 'notification.read' as const, user_id: ME };
  expect(visibleEvent([], ME, event)).toEqual(event);
  expect(visibleEvent(grant('*', null), ID, event)).toBeNull();
});
