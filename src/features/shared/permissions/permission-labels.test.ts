import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '@/domain/permissions';
import { english } from '@/lib/i18n/translator';
import { PERMISSION_ROWS, permissionsText } from './permission-labels';

describe('the permission matrix', () => {
  it('has every permission exactly once', () => {
    expect(PERMISSION_ROWS.flatMap(({ permissions }) => permissions).sort()).toEqual([...PERMISSIONS].sort());
  });

  it('calls things by their names', () => {
    const label = (resource: string) => PERMISSION_ROWS.find((row) => row.resource === resource)?.label;
    expect([label('ipam'), label('mapping'), label('cluster')]).toEqual(['IPAM', 'Mapping rules', 'Cluster']);
  });

  it('marks the resources that apply only to the whole installation', () => {
    const platform = (resource: string) => PERMISSION_ROWS.find((row) => row.resource === resource)?.platform;
    expect([platform('cluster'), platform('user'), platform('policy'), platform('tenant')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('permissionsText', () => {
  it('counts what is known', () => {
    expect(permissionsText(english, ['*'])).toBe('Everything');
    expect(permissionsText(english, [])).toBe('Nothing');
    expect(permissionsText(english, ['flow:read', 'cluster:read', 'gone:read'])).toBe(`2 of ${PERMISSIONS.length}`);
  });
});
