import { describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import { findVersionBehind } from './version-behind';

const policy = (changes: object = {}) =>
  ({
    enabled: true,
    definition: { enforcement_mode: 'enforced' },
    deployment_status: 'stale',
    version: 5,
    last_deployment: { kind: 'apply', policy_version: 4 },
    ...changes,
  }) as unknown as Policy;

describe('findVersionBehind', () => {
  it('returns the version that was applied last', () => {
    expect(findVersionBehind(policy())).toBe(4);
  });

  it.each([
    ['the stored version was applied', { last_deployment: { kind: 'apply', policy_version: 5 } }],
    ['both require the same', { deployment_status: 'active' }],
    ['nothing was ever applied', { last_deployment: null }],
    ['its rules were removed', { last_deployment: { kind: 'cleanup', policy_version: 4 } }],
    ['it is disabled', { enabled: false }],
    ['it is in audit mode', { definition: { enforcement_mode: 'audit' } }],
  ])('returns null when %s', (_, changes) => {
    expect(findVersionBehind(policy(changes))).toBeNull();
  });
});
