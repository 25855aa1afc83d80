import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { Labeled } from '@/domain/audit-fields';
import { ClusterUpdate } from '@/domain/cluster';
import { ForwardingDestinationUpdate } from '@/domain/forwarding/destination';
import { AddressUpdate } from '@/domain/ipam/ip-address';
import { RangeUpdate } from '@/domain/ipam/ip-range';
import { NetworkUpdate } from '@/domain/ipam/network';
import { SubnetUpdate } from '@/domain/ipam/subnet';
import { MappingRuleUpdate } from '@/domain/mapping-rule';
import { NotificationChannelUpdate } from '@/domain/notifications/channel';
import { NotificationRuleUpdate } from '@/domain/notifications/rule';
import { NotificationSettingsUpdate } from '@/domain/notifications/settings';
import { PERMISSIONS } from '@/domain/permissions';
import { PolicySnapshot, SecurityRule } from '@/domain/policies';
import { ProjectUpdate } from '@/domain/project';
import { RoleUpdate } from '@/domain/role';
import { SecurityGroupUpdate } from '@/domain/security-group';
import { RuntimeSettingsUpdate } from '@/domain/settings';
import { SignInProviderInput } from '@/domain/sign-in-provider';
import { TenantUpdate } from '@/domain/tenant';
import { AssignmentInput, UserUpdate } from '@/domain/user';
import { english } from '@/lib/i18n/translator';
import { CHANGE_LABELS, fieldLabel } from './change-labels';
import { valueText } from './change-values';
import { collectIds } from './use-change-names';

const SHAPES: Record<string, z.ZodObject> = {
  AddressUpdate,
  AssignmentInput,
  ClusterUpdate,
  ForwardingDestinationUpdate,
  NetworkUpdate,
  NotificationChannelUpdate,
  NotificationRuleUpdate,
  NotificationSettingsUpdate,
  PolicyDefinition: PolicySnapshot.shape.definition,
  PolicySnapshot,
  ProjectUpdate,
  RangeUpdate,
  RoleUpdate,
  RuntimeSettingsUpdate,
  SecurityGroupUpdate: SecurityGroupUpdate as unknown as z.ZodObject,
  SecurityRule,
  SignInProviderInput,
  SubnetUpdate,
  TenantUpdate,
  UserUpdate,
};
/** Never in a record: secrets, and what only guards or groups the change. */
const NEVER =
  /password$|client_secret$|_token$|routing_key$|header_value$|^ca_certificates$|^(current_|definition$|action$)|^mappings$|^icon$/;

const ID = '0190a0b0-0000-7000-8000-000000000001';
const none = new Map<string, string>();
const text = (field: string, value: unknown, names = none) => valueText(english, [field], value, names);

describe('CHANGE_LABELS', () => {
  it.each(Object.entries(SHAPES))('names every field of %s', (_, shape) => {
    const fields = Object.keys(shape.shape).filter((field) => !NEVER.test(field));
    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter((field) => !Object.hasOwn(CHANGE_LABELS, field))).toEqual([]);
  });

  it('names the fields of mapping rules', () => {
    const fields = Object.keys(MappingRuleUpdate._zod.def).length;
    expect(fields).toBeGreaterThan(0);
    for (const field of ['source', 'value', 'cluster_id', 'project_id', 'priority', 'enabled', 'description'])
      expect(Object.hasOwn(CHANGE_LABELS, field)).toBe(true);
  });
});

describe('the fields of audit records', () => {
  // Checked by the compiler: `npm run types` fails where a record has a field without a label.
  it('have a label each', () => {
    expectTypeOf<Labeled<{ name: string; rules: { comment: string }[] }>>().toEqualTypeOf<unknown>();
    expectTypeOf<Labeled<{ definition: { direction: string }; filters: { q: string } }>>().toEqualTypeOf<unknown>();
    type Refused = { 'fields without a label in CHANGE_LABELS': 'hue' };
    expectTypeOf<Labeled<{ name: string; rules: { hue: string }[] | null }>>().toEqualTypeOf<Refused>();
  });
});

describe('fieldLabel', () => {
  it('shows labels without the path of the JSON', () => {
    expect(fieldLabel(english, ['definition', 'enforcement_mode'])).toBe('Enforcement');
    expect(fieldLabel(english, ['guests', 'failed_before'])).toBe('Workloads, Failed before');
    expect(fieldLabel(english, ['counters', 'nodes', 'seen'])).toBe('Nodes, Seen');
  });
});

describe('valueText', () => {
  it('shows a rule as the policy shows it', () => {
    const rule = { id: ID, position: 0, action: 'accept', protocol: 'tcp', destination_ports: ['443'] };
    const rest = { source_ports: [], icmp_type: null, log: 'nolog', enabled: true, comment: 'web' };
    expect(text('rules', [{ ...rule, ...rest }])).toBe('Accept TCP to port 443 (web)');
  });

  it('shows choices, permissions, flags, nothing and secrets as words', () => {
    expect(text('enforcement_mode', 'enforced')).toBe('Enforced');
    expect(text('permissions', ['policy:write'])).toBe('Change policies');
    expect(PERMISSIONS.filter((one) => text('permissions', one) === one)).toEqual([]);
    expect([text('enabled', true), text('gateway', null), text('tags', []), text('name', '')]).toEqual([
      'Yes',
      '(empty)',
      '(empty)',
      '(empty)',
    ]);
    expect(text('api_token', '[redacted]')).toBe('(hidden)');
  });

  it('shows names instead of ids where they are known', () => {
    const names = new Map([[ID, 'shop']]);
    expect(text('project_id', ID, names)).toBe('shop');
    expect(text('sources', [`sg:${ID}`, '10.0.0.0/8'], names)).toBe('sg:shop, 10.0.0.0/8');
    expect(text('project_id', ID)).toBe(ID);
    expect(text('assignments', { role: 'viewer', tenant_id: ID, project_id: null, expires_at: null }, names)).toBe(
      'viewer · shop',
    );
  });

  it('shows every field of an object that has no form of its own', () => {
    expect(text('guests', { ok: 3, failed: 1 })).toBe('Succeeded: 3; Failed: 1');
  });
});

describe('collectIds', () => {
  it('finds ids by their fields, at any depth, and groups in endpoints', () => {
    const other = ID.replace(/1$/, '2');
    expect([
      ...collectIds({ a: [{ tenant_id: ID }], sources: [`sg:${other}`], run_id: ID.replace(/1$/, '3') }),
    ]).toEqual([
      [ID, 'tenant'],
      [other, 'group'],
    ]);
    expect(collectIds({ toString: ID, constructor: ID }).size).toBe(0);
  });
});
