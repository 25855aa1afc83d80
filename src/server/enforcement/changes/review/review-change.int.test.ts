import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import { EDITABLE_STATES } from '@/domain/change/states';
import { db, sqlClient } from '@/server/db/client';
import { type HubMessage, subscribe } from '@/server/events/event-hub';
import { newId } from '@/server/lib/ids';
import { bearer, makeCluster, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { lockChange } from '../../queries/changes';
import { assertStillApproved, revalidateAll } from './revalidate';

type Headers = Record<string, string>;
const NAMES = ['ann', 'ben', 'cem', 'dia'] as const;
type Name = (typeof NAMES)[number];
type Person = { id: string; headers: Headers };

const people = {} as Record<Name, Person>;
let red: { id: string };
let blue: { id: string };
let policies: { id: string }[];
let group: { id: string };
let workload: { id: string };

async function send(path: string, body: object | undefined, headers: Headers, method?: string) {
  const response = await call(path, { headers, body, ...(method && { method }) });
  return { status: response.status, body: (await response.json()) as Change & { reason?: string } };
}

async function makePerson(tenant?: { id: string }): Promise<Person> {
  const user = await makeUser(tenant ? 'security_engineer' : 'admin', tenant);
  return { id: user.id, headers: await bearer(user) };
}

/** Ann and Dia act for everything, Ben for the red tenant, which requires one approval, and Cem for the blue one, which requires two. */
beforeAll(async () => {
  red = await makeTenant();
  blue = await makeTenant();
  Object.assign(people, {
    ann: await makePerson(),
    ben: await makePerson(red),
    cem: await makePerson(blue),
    dia: await makePerson(),
  });
  workload = await makeWorkload(await makeCluster(), await makeProject(red));
  const { headers } = people.ann;
  group = (await send('/security-groups', { name: 'edge', tenant_id: red.id }, headers)).body;
  const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'] };
  const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }];
  policies = [];
  for (const [tenant, target] of [
    [red, 'sg:edge'],
    [blue, 'any'],
  ] as const) {
    const body = { name: newId(), tenant_id: tenant.id, definition: { ...definition, targets: [target] }, rules };
    policies.push((await send('/policies', body, headers)).body);
  }
  await sqlClient()`update tenants set approvals_required = 1 where id = ${red.id}`;
  await sqlClient()`update tenants set approvals_required = 2 where id = ${blue.id}`;
});

/** As a sync would, which may do so whatever the approvals. */
const setMember = async (isMember: boolean) => {
  await sqlClient()`delete from security_group_members where security_group_id = ${group.id}`;
  if (isMember) {
    await sqlClient()`insert into security_group_members (security_group_id, workload_id) values (${group.id}, ${workload.id})`;
  }
};

async function createDraft(author: Name = 'ann', only: readonly { id: string }[] = policies): Promise<Change> {
  const items = only.map(({ id }) => ({ kind: 'policy', policy_id: id }));
  const { status, body } = await send('/changes', { title: 'both', items }, people[author].headers);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const step = (change: { id: string }, name: string, who: Name, body: object = {}) =>
  send(`/changes/${change.id}/${name}`, body, people[who].headers);
const read = async ({ id }: { id: string }, who: Name = 'ann') =>
  (await send(`/changes/${id}`, undefined, people[who].headers)).body;
const isPermittedNow = ({ id }: { id: string }) =>
  db.transaction(async (tx) => {
    const row = await lockChange(tx, 'all', id);
    return (
      row !== null &&
      (await assertStillApproved(tx, row).then(
        () => true,
        () => false,
      ))
    );
  });

const ALL: readonly Name[] = ['ann', 'dia'];
const REQUIRED = { red: 1, blue: 2 };
const covers = { ann: ['red', 'blue'], ben: ['red'], cem: ['blue'], dia: ['red', 'blue'] } as const;

/** What a change should do at each step: written without any of the code that it is compared with. */
class Model {
  state: Change['state'] = 'draft';
  authors = new Set<Name>(['ann']);
  approvers = new Set<Name>();
  isMember = false;
  reviewed: boolean | null = null;

  count = (tenant: 'red' | 'blue') =>
    [...this.approvers].filter((name) => !this.authors.has(name) && covers[name].some((one) => one === tenant)).length;

  isComplete = () => this.count('red') >= REQUIRED.red && this.count('blue') >= REQUIRED.blue;

  /** Notices that it compiles to something else. */
  settle(): boolean {
    if (this.state !== 'in_review' && this.state !== 'approved') return false;
    if (this.reviewed === this.isMember) return false;
    this.reviewed = this.isMember;
    this.approvers.clear();
    this.state = 'in_review';
    return true;
  }

  edit(who: Name): number {
    if (!ALL.includes(who)) return 403;
    this.authors.add(who);
    this.approvers.clear();
    this.state = 'draft';
    return 200;
  }

  submit(who: Name): number {
    if (!ALL.includes(who)) return 403;
    if (this.state !== 'draft') return 409;
    this.state = 'in_review';
    this.reviewed = this.isMember;
    return 200;
  }

  approve(who: Name): number {
    if (this.settle() || this.approvers.has(who)) return 409;
    if (this.authors.has(who)) return 403;
    if (this.state !== 'in_review') return 409;
    this.approvers.add(who);
    if (this.isComplete()) this.state = 'approved';
    return 200;
  }

  reject(who: Name): number {
    if (this.authors.has(who)) return 403;
    if (this.state !== 'in_review') return 409;
    this.approvers.clear();
    this.state = 'rejected';
    return 200;
  }

  withdraw(who: Name): number {
    if (!ALL.includes(who) && !this.authors.has(who)) return 403;
    if (this.state === 'withdrawn') return 409;
    this.approvers.clear();
    this.state = 'withdrawn';
    return 200;
  }
}

const STEPS = [
  'edit',
  'submit',
  'submit',
  'approve',
  'approve',
  'approve',
  'reject',
  'withdraw',
  'regroup',
  'read',
] as const;
const sequences = fc.array(fc.record({ name: fc.constantFrom(...STEPS), who: fc.constantFrom(...NAMES) }), {
  minLength: 8,
  maxLength: 16,
});

describe('the review of a change', () => {
  it('follows the model in random steps of random people, and permits to apply only what has the approvals', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        const model = new Model();
        await setMember(false);
        const change = await createDraft();
        for (const [at, { name, who }] of steps.entries()) {
          const label = `${at} ${name} ${who}`;
          if (name === 'regroup') {
            model.isMember = !model.isMember;
            await setMember(model.isMember);
          } else if (name === 'read') {
            model.settle();
            const body = await read(change);
            expect([body.state, body.approvals.map(({ approved }) => approved).sort()], label).toEqual([
              model.state,
              [model.count('red'), model.count('blue')].sort(),
            ]);
          } else {
            const { status } = await (name === 'edit'
              ? send(`/changes/${change.id}`, { description: newId() }, people[who].headers, 'PATCH')
              : step(change, name, who));
            expect(status, label).toBe(model[name](who));
            // The answer of a step that was made is read again.
            if (status === 200) model.settle();
          }
          const expected = model.state === 'approved' && model.reviewed === model.isMember;
          expect(await isPermittedNow(change), label).toBe(expected);
        }
        expect(EDITABLE_STATES).toContain((await read(change)).state);
      }),
      { numRuns: getRunCount(4, 60) },
    );
  }, 120_000);

  it('shows an approval that was revoked, why, and what differs now', async () => {
    await setMember(false);
    const change = await createDraft('ann', policies.slice(0, 1));
    await step(change, 'submit', 'ann');
    expect((await step(change, 'approve', 'ben', { comment: 'fine' })).body).toMatchObject({
      state: 'approved',
      changed_since_review: null,
    });
    // What filters nothing revokes nothing.
    await sqlClient()`update workloads set tags = '{other}' where id = ${workload.id}`;
    expect((await read(change)).state).toBe('approved');
    await setMember(true);
    await revalidateAll();
    const [row] = await sqlClient()<{ state: string }[]>`select state from changes where id = ${change.id}`;
    expect(row?.state).toBe('in_review');
    const { reviews, transitions, changed_since_review } = await read(change);
    expect(reviews).toMatchObject([{ comment: 'fine', revoked: expect.stringContaining('compiles') }]);
    expect(transitions.at(-1)).toMatchObject({ from: 'approved', to: 'in_review', by: { name: 'review' } });
    expect(changed_since_review).not.toBeNull();
  });

  it.each(['once a minute', 'when someone reads it'])(
    'approves only what was shown, also after another result was found %s',
    async (when) => {
      await setMember(false);
      const change = await createDraft('ann', policies.slice(0, 1));
      await step(change, 'submit', 'ann');
      const { version } = await read(change, 'ben');
      await setMember(true);
      const events: HubMessage[] = [];
      const stop = await subscribe((event) => events.push(event));
      await (when === 'once a minute' ? revalidateAll() : read(change, 'ann'));
      await expect
        .poll(() => events)
        .toContainEqual(expect.objectContaining({ type: 'change.changed', change_id: change.id }));
      stop();
      const late = await step(change, 'approve', 'ben', { version });
      expect([late.status, late.body.reason]).toEqual([409, undefined]);
      const seen = await read(change, 'ben');
      expect(seen).toMatchObject({ state: 'in_review', version: version + 1, changed_since_review: {} });
      expect((await step(change, 'approve', 'ben', { version: seen.version })).body.state).toBe('approved');
      // Nothing else is found, so what is shown stays what it is.
      await revalidateAll();
      expect((await read(change, 'ben')).version).toBe(seen.version);
    },
  );

  it('does not let an API token of an author approve', async () => {
    const change = await createDraft('dia', policies.slice(0, 1));
    await step(change, 'submit', 'dia');
    const made = await send(
      '/account/tokens',
      { name: 'program', permissions: ['change:approve', 'policy:read'] },
      people.dia.headers,
    );
    const { token } = made.body as unknown as { token: string };
    const answer = await send(`/changes/${change.id}/approve`, {}, { authorization: `Bearer ${token}` });
    expect([answer.status, answer.body.reason]).toEqual([403, 'author']);
  });

  it('approves a submitted change where no owner requires an approval, until one does', async () => {
    const tenant = await makeTenant();
    const headers = await bearer(await makeUser('security_engineer', tenant));
    const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['any'] };
    const items = [{ kind: 'policy', policy: { name: newId(), definition } }];
    const { body: change } = await send('/changes', { title: 'alone', items }, headers);
    expect((await send(`/changes/${change.id}/submit`, {}, headers)).body.state).toBe('approved');
    expect(await isPermittedNow(change)).toBe(true);
    await sqlClient()`update tenants set approvals_required = 1 where id = ${tenant.id}`;
    expect(await isPermittedNow(change)).toBe(false);
    expect((await send(`/changes/${change.id}`, undefined, headers)).body.state).toBe('in_review');
  });

  it('hides from each owner who approved for another, and what was written about it', async () => {
    const change = await createDraft();
    await step(change, 'submit', 'ann', { comment: 'secret' });
    await step(change, 'approve', 'cem', { comment: 'secret' });
    const seen = await read(change, 'ben');
    expect(seen.approvals).toMatchObject([{ tenant_id: red.id, required: 1, approved: 0 }]);
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`secret|${people.cem.id}|${blue.id}`));
  });
});
