import fc from 'fast-check';
import type { Condition } from './condition';
import { FIELD_NAMES, getValueKind } from './values';

const NAMES = fc.constantFrom('web-01', 'db 01', 'and', 'a"b\\c', 'größe', 'x=1');
const ADDRESSES = fc.constantFrom('10.0.0.5', '10.1.0.0/16', '2001:db8::/32', '::1');
const ENDPOINTS = fc.oneof(
  ADDRESSES,
  NAMES,
  fc.constantFrom('internal', 'external', 'vmid:105', 'vmid:lab/105', 'network:lab/dmz', 'tag:prod'),
  NAMES.map((name) => `group:${name}`),
);
const PORTS = fc.constantFrom('0', '443', '8000-8010');
const AMOUNTS = fc
  .oneof(
    fc.integer({ min: 0, max: 5000 }),
    fc.integer({ min: 0, max: 400 }).map((n) => n * 2 ** 20),
    fc.constant(3e12),
  )
  .map(String);
const OTHERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  service: fc.oneof(
    PORTS.map((port) => `tcp/${port}`),
    fc.constantFrom('icmp', 'udp/53'),
  ),
  port: PORTS,
  protocol: fc.constantFrom('tcp', 'udp', 'gre'),
  address: ADDRESSES,
  action: fc.constantFrom('allowed', 'dropped', 'rejected', 'unknown'),
  state: fc.constantFrom('active', 'ended'),
  node: NAMES,
  cluster: fc.oneof(NAMES, fc.constant('lab')),
};

const COMPARISON: fc.Arbitrary<Condition> = fc.constantFrom(...FIELD_NAMES).chain((field): fc.Arbitrary<Condition> => {
  if (getValueKind(field)?.ordered) {
    return fc.record({
      kind: fc.constant('compare' as const),
      field: fc.constant(field),
      operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=' as const),
      values: fc.tuple(AMOUNTS),
    });
  }
  const value = OTHERS[field] ?? ENDPOINTS;
  return fc.oneof(
    fc.record({
      kind: fc.constant('compare' as const),
      field: fc.constant(field),
      operator: fc.constantFrom('=', '!=' as const),
      values: fc.tuple(value),
    }),
    fc.record({
      kind: fc.constant('compare' as const),
      field: fc.constant(field),
      operator: fc.constant('in' as const),
      values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
    }),
  );
});

/** Random conditions with canonical values. */
export const CONDITION: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    COMPARISON,
    fc.record({
      kind: fc.constantFrom('and', 'or' as const),
      of: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), of: tie('condition') }),
  ),
})).condition;
