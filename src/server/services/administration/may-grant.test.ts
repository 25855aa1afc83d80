import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { beyond } from './may-grant';

const grant = (role: keyof typeof BUILT_IN_ROLES, tenant_id: string | null = null) => ({
  role,
  permissions: BUILT_IN_ROLES[role].permissions,
  tenant_id,
});

describe('beyond', () => {
  it('lets a super administrator give everything', () => {
    expect(beyond([grant('super_admin')], [{ permissions: ['*'], tenant_id: null }])).toEqual([]);
    expect(beyond([grant('super_admin')], [{ permissions: ['*', 'flow:read'], tenant_id: 'a' }])).toEqual([]);
  });

  it('keeps everybody else from giving what they lack', () => {
    expect(beyond([grant('admin')], [{ permissions: ['*'], tenant_id: null }])).toEqual(['*']);
    expect(beyond([grant('admin')], [{ permissions: ['*'], tenant_id: 'a' }])).toEqual(['*']);
    expect(beyond([grant('admin')], [grant('viewer'), grant('admin')])).toEqual([]);
    expect(beyond([grant('viewer')], [{ permissions: ['policy:apply', 'flow:read'], tenant_id: null }])).toEqual([
      'policy:apply',
    ]);
    expect(beyond([], [{ permissions: ['flow:read'], tenant_id: 'a' }])).toEqual(['flow:read']);
  });

  it('counts rights of one tenant for that tenant only', () => {
    const held = [grant('viewer', 'a')];
    expect(beyond(held, [{ permissions: ['flow:read'], tenant_id: 'a' }])).toEqual([]);
    expect(beyond(held, [{ permissions: ['flow:read'], tenant_id: 'b' }])).toEqual(['flow:read']);
    expect(beyond(held, [{ permissions: ['flow:read'], tenant_id: null }])).toEqual(['flow:read']);
  });

  it('ignores what gives nothing: unknown words, platform rights held for one tenant', () => {
    expect(beyond([], [{ permissions: ['nonsense:all'], tenant_id: null }])).toEqual([]);
    expect(beyond([], [{ permissions: ['cluster:write'], tenant_id: 'a' }])).toEqual([]);
  });
});
