import { describe, expect, test } from 'vitest';
import type { ClusterCheckReport } from '@/domain/cluster';
import { english } from '@/lib/i18n/translator';
import { checkSummary, checkTitle, fingerprintToConfirm } from './check-labels';

const report = (...checks: [string, ClusterCheckReport['checks'][number]['status']][]): ClusterCheckReport => ({
  checks: checks.map(([name, status]) => ({ name, status, detail: '', remedy: null })),
  fingerprint: 'AA:BB',
  version: null,
  cluster_name: null,
});

test.each([
  ['privilege:VM.Audit', 'VM.Audit'],
  ['sign_in', 'Sign-in'],
  ['some_new_check', 'Some new check'],
])('%s is titled %s', (name, title) => expect(checkTitle(name)).toBe(title));

test('the worst decides, and unknown is never good', () => {
  expect(checkSummary(english, report(['tls', 'ok'])).tone).toBe('ok');
  expect(checkSummary(english, report(['tls', 'ok'], ['firewall', 'unknown'])).tone).toBe('warn');
  expect(
    checkSummary(english, report(['firewall', 'warning'], ['privilege:VM.Audit', 'failed'], ['tls', 'failed'])),
  ).toEqual({
    tone: 'danger',
    text: '2 checks failed',
  });
});

test('a token without write privileges is read-only', () => {
  const write = (status: 'ok' | 'warning') => report(['tls', 'ok'], ['privilege:VM.Config.Network', status]);
  expect(checkSummary(english, write('warning'))).toEqual({
    tone: 'warn',
    text: 'Read-only: policies cannot be applied',
  });
  expect(checkSummary(english, write('ok')).tone).toBe('ok');
});

describe('the fingerprint to confirm', () => {
  test('equals the shown one when the certificate is not trusted', () => {
    expect(fingerprintToConfirm(report(['tls', 'failed']), '')).toBe('AA:BB');
    expect(fingerprintToConfirm(report(['tls', 'failed']), 'CC:DD')).toBe('AA:BB');
  });
  test('does not exist when the certificate is trusted, the fingerprint is given, or none was seen', () => {
    expect(fingerprintToConfirm(report(['tls', 'ok']), '')).toBeNull();
    expect(fingerprintToConfirm(report(['tls', 'failed']), 'aa:bb')).toBeNull();
    expect(fingerprintToConfirm({ ...report(['tls', 'failed']), fingerprint: null }, '')).toBeNull();
  });
});
