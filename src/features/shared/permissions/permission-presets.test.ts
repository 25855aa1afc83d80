import { describe, expect, it } from 'vitest';
import { computeReach, PERMISSIONS } from '@/domain/permissions';
import { english } from '@/lib/i18n/translator';
import { isPreset, PERMISSION_PRESETS, presetsWithin, searchPermissions } from './permission-presets';

const preset = (id: string) => PERMISSION_PRESETS.find((one) => one.id === id)?.permissions ?? [];

describe('PERMISSION_PRESETS', () => {
  it('selects every read permission and nothing else as read-only', () => {
    expect(preset('read_only')).toEqual(PERMISSIONS.filter((one) => /:read$/.test(one)));
    expect(preset('read_only').length).toBeGreaterThan(10);
  });

  it('lets a project operator do in a project everything that the preset holds', () => {
    const grant = { role: 'x', permissions: preset('project_operator'), tenant_id: 't', project_id: 'p' };
    for (const one of PERMISSIONS) {
      const held = computeReach([grant], one);
      expect(typeof held === 'object' && 'projects' in held, one).toBe(preset('project_operator').includes(one));
    }
  });

  /** Changes are read with the policies that they change. */
  const getReadPermission = (one: string) =>
    PERMISSIONS.find((read) => read === `${one.replace(/^change:/, 'policy:').split(':')[0]}:read`);

  it('includes with a permission to change also the permission to read', () => {
    for (const { permissions } of PERMISSION_PRESETS)
      for (const one of permissions) expect(permissions, one).toContain(getReadPermission(one));
  });
});

describe('presetsWithin', () => {
  it('offers only permissions that can be given', () => {
    const offered = ['policy:read', 'policy:write'] as const;
    const presets = presetsWithin(offered);
    expect(presets.map(({ id }) => id)).toEqual(['read_only', 'apply_policies', 'project_operator']);
    expect(presets.flatMap(({ permissions }) => permissions).filter((one) => !offered.some((o) => o === one))).toEqual(
      [],
    );
  });
});

describe('isPreset', () => {
  it('returns true only for exactly the permissions of the preset', () => {
    const one = { id: 'x', label: '', description: '', permissions: ['job:read', 'flow:read'] as const };
    expect(isPreset(one, ['flow:read', 'job:read'])).toBe(true);
    expect([isPreset(one, ['flow:read']), isPreset(one, ['flow:read', 'job:read', '*'])]).toEqual([false, false]);
  });
});

describe('searchPermissions', () => {
  it('finds permissions by name, by description and by subject, in any order of words', () => {
    expect([...searchPermissions(english, 'policy:ap')]).toEqual(['policy:apply']);
    expect([...searchPermissions(english, 'USERS assign')]).toEqual(['user:write']);
    expect([...searchPermissions(english, 'audit trail')]).toEqual(['audit:read']);
    expect([...searchPermissions(english, '  ')]).toEqual(PERMISSIONS);
    expect([...searchPermissions(english, 'nothing at all')]).toEqual([]);
  });
});
