import { expect, test } from 'vitest';
import { PolicyChange, PolicyCreate, type PolicySnapshot } from '@/domain/policies';
import {
  EMPTY_POLICY,
  EMPTY_RULE,
  type PolicyValues,
  toPolicyChange,
  toPolicyCreate,
  toPolicyValues,
  toRule,
} from './policy-form-values';

const snapshot: PolicySnapshot = {
  name: 'web to db',
  description: '',
  enabled: true,
  tier: 'platform_last',
  tenant_visibility: 'name',
  priority: 100,
  owner: 'anna@example.org',
  ticket: 'NET-7',
  expires_at: '2027-01-31T17:30:00.000Z',
  definition: {
    enforcement_mode: 'enforced',
    direction: 'both',
    default_action: 'drop',
    sources: ['sg:web', '10.0.0.0/24'],
    targets: ['sg:db'],
  },
  rules: [
    {
      id: '0190f3a0-0000-7000-8000-000000000001',
      position: 0,
      action: 'accept',
      protocol: 'tcp/udp',
      destination_ports: ['53', '8000-8080'],
      source_ports: [],
      icmp_type: null,
      log: 'info',
      enabled: false,
      comment: 'names',
      ...{ owner: 'ben@example.org', ticket: 'NET-8', expires_at: null },
    },
    {
      id: '0190f3a0-0000-7000-8000-000000000002',
      position: 1,
      action: 'drop',
      protocol: 'icmp',
      destination_ports: [],
      source_ports: [],
      icmp_type: 'echo-request',
      log: 'nolog',
      enabled: true,
      comment: '',
      ...{ owner: '', ticket: '', expires_at: '2027-02-28T00:00:00.000Z' },
    },
  ],
};
const listIssuePaths = (values: PolicyValues) =>
  PolicyCreate.safeParse(toPolicyCreate(values)).error?.issues.map(({ path }) => path.join('.')) ?? [];

test('a policy that was read can be saved unchanged', () => {
  const { rules, ...fields } = snapshot;
  const sent = PolicyChange.parse(toPolicyChange(toPolicyValues(snapshot), 7));
  expect(sent).toEqual({
    ...fields,
    rules: rules.map(({ id: _id, position: _position, ...rule }) => rule),
    reason: '',
    version: 7,
  });
});

test('a new policy starts in audit mode', () => {
  expect(EMPTY_POLICY.definition.enforcement_mode).toBe('audit');
});

test('an empty form is refused at name, sources and targets; a cleared priority at its field', () => {
  expect(listIssuePaths(EMPTY_POLICY)).toEqual(['name', 'definition.sources', 'definition.targets']);
  const definition = { ...EMPTY_POLICY.definition, sources: ['any'], targets: ['sg:web'] };
  expect(listIssuePaths({ ...EMPTY_POLICY, name: 'x', definition, priority: null })).toEqual(['priority']);
});

test('bad ports and ICMP types are refused at their fields', () => {
  const definition = { ...EMPTY_POLICY.definition, sources: ['any'], targets: ['sg:web'] };
  const rules = [
    { ...EMPTY_RULE, destination_ports: '80, x' },
    { ...EMPTY_RULE, protocol: 'icmp' as const, icmp_type: 'no-such' },
  ];
  expect(listIssuePaths({ ...EMPTY_POLICY, name: 'x', definition, rules })).toEqual([
    'rules.0.destination_ports',
    'rules.1.icmp_type',
  ]);
});

test('ports may be separated by commas or spaces, and vanish with a protocol that has none', () => {
  const rule = { ...EMPTY_RULE, destination_ports: '443 80,8000-8080;  22' };
  expect(toRule(rule).destination_ports).toEqual(['443', '80', '8000-8080', '22']);
  expect(toRule({ ...rule, destination_ports: '80\n443\r\n8000 - 8010' }).destination_ports).toEqual([
    '80',
    '443',
    '8000-8010',
  ]);
  expect(toRule({ ...rule, protocol: 'any' }).destination_ports).toEqual([]);
  expect(toRule({ ...rule, icmp_type: 'echo-request' }).icmp_type).toBeNull();
});
