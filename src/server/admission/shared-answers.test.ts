import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoleGrant } from '@/domain/permissions';
import type { Session } from '../auth/scope';
import { forgetSharedAnswers, type Sharing, shareAnswer } from './shared-answers';

const TENANT = '11111111-1111-4111-8111-111111111111';

const createSession = (grants: readonly Partial<RoleGrant>[], person = 'ada'): Session => ({
  user: { id: person, email: `${person}@example.org`, name: person },
  grants: grants.map((grant) => ({ role: 'viewer', permissions: [], tenant_id: null, project_id: null, ...grant })),
  family_id: null,
  origin: { request_id: 'r', source_address: null },
});

let version = '1';
const SHARING: Sharing = {
  seconds: 2,
  permissions: ['flow:read', 'workload:read', 'policy:read'],
  version: async () => ['inventory', version],
};
const viewer = { permissions: ['flow:read', 'workload:read'] };

describe('shared answers', () => {
  let made: number;
  const ask = (session: Session, asked: unknown = { since: 'then' }) =>
    shareAnswer(session, 'dashboard.traffic', asked, SHARING, async () => ++made);

  beforeEach(() => {
    made = 0;
    forgetSharedAnswers();
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives one answer to people who may see the same, whatever their roles are called', async () => {
    const engineer = { role: 'engineer', permissions: [...viewer.permissions, 'policy:write'] };
    expect(await ask(createSession([viewer]))).toBe(1);
    expect(await ask(createSession([engineer], 'bob'))).toBe(1);
  });

  it('gives nothing to people who may see less, more, or the same of another tenant', async () => {
    await ask(createSession([viewer]));
    expect(await ask(createSession([{ permissions: ['flow:read'] }], 'bob'))).toBe(2);
    expect(await ask(createSession([{ ...viewer, tenant_id: TENANT }], 'cid'))).toBe(3);
    expect(await ask(createSession([viewer, { permissions: ['policy:read'], tenant_id: TENANT }], 'dan'))).toBe(4);
    const limited = { id: 'token', name: 'grafana' } as Session['api_token'];
    expect(await ask({ ...createSession([viewer]), ...(limited && { api_token: limited }) })).toBe(5);
  });

  it('answers another question, and the same one after its seconds, from the start', async () => {
    await ask(createSession([viewer]));
    expect(await ask(createSession([viewer]), { since: 'earlier' })).toBe(2);
    vi.advanceTimersByTime(1_999);
    expect(await ask(createSession([viewer]))).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await ask(createSession([viewer]))).toBe(3);
  });

  it('answers from the start as soon as something changed', async () => {
    await ask(createSession([viewer]));
    version = '2';
    expect(await ask(createSession([viewer]))).toBe(2);
    expect(await ask(createSession([viewer]))).toBe(2);
  });

  it('answers questions that differ only in what does not matter as one', async () => {
    const toMinute = { ...SHARING, question: (asked: unknown) => Math.floor(Number(asked) / 60) };
    const askAt = (second: number) =>
      shareAnswer(createSession([viewer]), 'topology.read', second, toMinute, async () => ++made);
    expect([await askAt(61), await askAt(119), await askAt(120)]).toEqual([1, 1, 2]);
  });

  it('does not keep a failure', async () => {
    const fail = () =>
      shareAnswer(createSession([viewer]), 'dashboard.traffic', null, SHARING, () => Promise.reject(new Error('busy')));
    await expect(fail()).rejects.toThrow('busy');
    expect(await ask(createSession([viewer]), null)).toBe(1);
  });
});
