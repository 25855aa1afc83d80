import { expect, it } from 'vitest';
import type { RoleGrant } from '@/domain/permissions';
import { needsPeriodicResync, visibleEvent } from './visible-event';

const ME = '0192f0c1-7a3b-7c44-9f00-00000000000a';
const ID = '0192f0c1-7a3b-7c44-9f00-000000000001';
const OURS = '0192f0c1-7a3b-7c44-9f00-0000000000b1';
const THEIRS = '0192f0c1-7a3b-7c44-9f00-0000000000b2';
const grant = (permission: string, tenant_id: string | null): RoleGrant[] => [
  { role: 'r', permissions: [permission], tenant_id, project_id: null },
];

it.each([
  { type: 'security_group.changed', security_group_id: ID, tenant_id: OURS, project_id: null },
  { type: 'policy.changed', policy_id: ID, tenant_id: OURS, project_id: null },
  { type: 'change.changed', change_id: ID, tenant_id: OURS, project_id: null },
  { type: 'deployment.changed', deployment_id: ID, policy_id: ID, tenant_id: OURS, project_id: null },
] as const)('delivers $type to the owning tenant and to users who see all tenants', (event) => {
  const permission = event.type === 'security_group.changed' ? 'group:read' : 'policy:read';
  expect(visibleEvent(grant(permission, null), ME, event)).toEqual(event);
  expect(visibleEvent(grant(permission, OURS), ME, event)).toEqual(event);
  for (const grants of [grant(permission, THEIRS), grant('user:read', null), []]) {
    expect(visibleEvent(grants, ME, event)).toBeNull();
  }
  expect(visibleEvent(grant(permission, OURS), ME, { ...event, tenant_id: null })).toBeNull();
});

it('shows events of a project to users who reach the project or its tenant', () => {
  const of = (project_id: string | null): RoleGrant[] => [
    { role: 'r', permissions: ['policy:read'], tenant_id: OURS, project_id },
  ];
  const event = { type: 'policy.changed' as const, policy_id: ID, tenant_id: OURS, project_id: 'p1' };
  expect(visibleEvent(of('p1'), ME, event)).toEqual(event);
  expect(visibleEvent(of(null), ME, event)).toEqual(event);
  expect(visibleEvent(of('p2'), ME, event)).toBeNull();
  expect(visibleEvent(of('p1'), ME, { ...event, project_id: null })).toBeNull();
});

it.each([
  { type: 'inventory.changed', cluster_id: ID },
  { type: 'ipam.changed', cluster_id: ID },
  { type: 'firewall.changed', cluster_id: ID },
] as const)('tells $type only to those who see all: tenants read again at fixed times', (event) => {
  const permissions = ['workload:read', 'ipam:read', 'policy:read'];
  const all = permissions.flatMap((permission) => grant(permission, null));
  const some = permissions.flatMap((permission) => grant(permission, OURS));
  expect(visibleEvent(all, ME, event)).toEqual(event);
  expect(visibleEvent(some, ME, event)).toBeNull();
  expect([needsPeriodicResync(all), needsPeriodicResync(some), needsPeriodicResync(grant('audit:read', OURS))]).toEqual(
    [false, true, false],
  );
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
