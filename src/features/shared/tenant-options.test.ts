import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { firstTenant, NO_TENANT, tenantOptions, toTenantId } from './tenant-options';

const acme = { id: 'a', name: 'Acme' };
const beta = { id: 'b', name: 'Beta' };
const values = (tenants: Parameters<typeof tenantOptions>[1], everywhere: boolean) =>
  tenantOptions(english, tenants, everywhere).map(({ value }) => value);

test('one possibility is no choice', () => {
  expect(values([], true)).toEqual([]);
  expect(values([acme], false)).toEqual([]);
});

test('several are offered, the whole installation only to those who may', () => {
  expect(values([acme], true)).toEqual([NO_TENANT, 'a']);
  expect(values([acme, beta], false)).toEqual(['a', 'b']);
});

test('users who act for the whole installation can do so without tenants', () => {
  const first = (tenants: Parameters<typeof tenantOptions>[1], everywhere: boolean) =>
    firstTenant(tenantOptions(english, tenants, everywhere), everywhere);
  expect(first([], true)).toBe(NO_TENANT);
  expect(first([acme], true)).toBe(NO_TENANT);
  expect(first([acme], false)).toBeNull();
  expect(first([acme, beta], false)).toBe('a');
});

test('no choice sends nothing, the whole installation null', () => {
  expect(toTenantId(null)).toEqual({});
  expect(toTenantId(NO_TENANT)).toEqual({ tenant_id: null });
  expect(toTenantId('a')).toEqual({ tenant_id: 'a' });
});
