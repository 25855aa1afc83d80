import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_ROLES, isGranted } from '@/domain/permissions';
import { ACCESS_TOKEN_SECONDS } from '@/server/auth/session-tokens';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { problemStatuses } from '@/server/rest/openapi/problem-statuses';
import { routes } from '@/server/rest/routes';
import { bearer, makeUser } from '@/test/factories';
import { call as request } from '@/test/request';
import { getRunCount } from '@/test/thorough';
import { appRouter } from '../root';
import { getFieldKind } from './field-kind.fixture';
import { deleteImpacts } from './impacts.fixture';
import {
  type Answer,
  collectFields,
  fill,
  type Input,
  isChecked,
  listInputs,
  listSlots,
  mix,
  type Slot,
  send,
  toComparable,
} from './inputs.fixture';
import { findTraces, listTraceRows } from './traces.fixture';
import { makeTwoFullTenants, type Side, THEIR_MARK, type TwoTenants } from './two-tenants.fixture';

/** What is called elsewhere, and why it cannot be called here. A new entry needs a test of its own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'GET /events': 'A stream without an end; src/server/events/events.int.test.ts holds who is sent what.',
};

/**
 * Calls that answer with totals and no names: the absence of their data does not prove that they were asked about it. The change of the
 * fixture applies what is stored, so it has no difference.
 */
const ONLY_SUMS = new Set([
  'query insights.decisions',
  'query insights.series',
  'query changes.difference',
  'GET /changes/{change_id}/difference',
]);
/** Calls that a tenant's people may not make for another reason than a permission. */
const REFUSED_TO_TENANTS = new Set(['mutation audit.verify']);

/** Fields that name something, or say where it is. */
const SHOWN_TEXT =
  /^(.+_)?(name|title|email|hostname|address|mac|cidr|external_id|vmid|ports?|vlan_tag|zone|alias|api_url|tags)$/;
/** What of them the search of a list leaves out, and why. */
const NOT_SEARCHED: Readonly<Record<string, string>> = Object.fromEntries(
  ['/flows', '/flows/tail'].flatMap((path) =>
    ['source_cidr', 'destination_cidr'].map((field) => [
      `${path} ${field}`,
      'the list shows addresses; a filter takes prefixes',
    ]),
  ),
);

const sql = sqlClient();
const tables = { routes, router: appRouter };
const isGrantedToAdmin = (access: Input['access']) =>
  'permission' in access
    ? isGranted(
        [{ role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant', project_id: null }],
        access.permission,
      )
    : 'signedIn' in access || 'person' in access;
/** Everything that a tenant's administrator may call. Whether the rest is refused is the matrix's matter. */
const inputs = listInputs(routes, appRouter).filter(
  ({ name, access }) => isGrantedToAdmin(access) && !(name in ELSEWHERE),
);

let tenants: TwoTenants;
/** Ids of theirs that must not exist for us; cluster and node are shared. */
let theirIds: string[];
beforeAll(async () => {
  tenants = await makeTwoFullTenants();
  const { cluster: _, node: __, ...ids } = tenants.theirs.ids;
  theirIds = Object.values(ids);
}, 180_000);
afterAll(() => tenants.lab.close());

/** Answers with a status that the API document does not tell, by call: every probe is held against it. */
const undocumented = new Set<string>();
const documented = new Map(
  routes.map((route) => [
    `${route.method} ${route.path}`,
    [route.response.status, ...(route.response.also ?? []).map(({ status }) => status), ...problemStatuses(route)],
  ]),
);

async function call(input: Input, value: unknown, side: Side = tenants.ours): Promise<Answer> {
  const answer = await send(tables, input, value, side.headers);
  if (input.surface === 'REST' && !documented.get(input.name)?.includes(answer.status))
    undocumented.add(
      `${input.name} → ${answer.status}: name it in the response of the route, or in problem-statuses.ts`,
    );
  return answer;
}

/** The calls one after the other, with tokens that hold: the time of the lab runs fast, and what writes may end the session. */
async function* each(list: readonly Input[]): AsyncGenerator<Input> {
  let signedInUntil = 0;
  for (const input of list) {
    if (clock.now().getTime() > signedInUntil) {
      await Promise.all([tenants.ours.signIn(), tenants.theirs.signIn()]);
      signedInUntil = clock.now().getTime() + (ACCESS_TOKEN_SECONDS * 1000) / 3;
    }
    yield input;
    if (!input.reads) signedInUntil = 0;
  }
}

type Both = { input: Input; ours: Answer; theirs: Answer };
let read: Promise<Both[]> | undefined;
/** What both tenants are answered to each call that reads and names only objects of their own: asked once, evaluated in several ways. */
function readBoth(): Promise<Both[]> {
  read ??= (async () => {
    const all: Both[] = [];
    const since = Date.now();
    for await (const input of each(inputs.filter(({ reads }) => reads))) {
      const { ours, theirs } = tenants;
      const [one, two] = [
        await call(input, fill(input, ours.ids), ours),
        await call(input, fill(input, theirs.ids), theirs),
      ];
      all.push({ input, ours: one, theirs: two });
      // Nothing computes them here, and few of a reader may be unfinished.
      if (one.status === 202) await deleteImpacts(since);
    }
    return all;
  })();
  return read;
}

const findLeaks = (answer: Answer, sent: string) => findTraces(answer, theirIds).filter((one) => !sent.includes(one));
const listTheirRows = () => listTraceRows(sql, theirIds, tenants.theirs.ids.session ?? '');

/** Besides what is meant at a place, so many things of other kinds are tried there, in turn: all of them take many minutes. */
const OTHERS = getRunCount(1, 3);
let turn = 0;

/** Some of a list, others at each call. */
function pickSome<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, () => list[turn++ % list.length] as T);
}

/** Ids of theirs to try at a place: the one of the kind that belongs there, and others. */
function listIdsToTry(input: Input, { path }: Slot): string[] {
  const meant = theirIds.filter((id) => id === tenants.theirs.ids[getFieldKind(input, path)]);
  return [...new Set([...meant, ...pickSome(theirIds, OTHERS)])];
}

const REMEDY =
  'give both tenants such a thing in two-tenants.fixture.ts, and fields with rules of their own a value in example-values.ts';

const describeSlot = ({ name }: Input, slot: Slot) => `${name} at ${slot.path.join('.')}`;

type Filled = { value: unknown; sent: string };

/** Sends one of theirs, and says what sets the answer apart from that to something that exists nowhere, or tells something. */
async function probe(input: Input, slot: Slot, theirs: Filled, missing: string): Promise<string[]> {
  const answer = await call(input, theirs.value);
  const leaked = findLeaks(answer, theirs.sent);
  const where = `${describeSlot(input, slot)} = ${theirs.sent}`;
  if (leaked.length > 0) return [`${where} told ${leaked.slice(0, 3)}`];
  if (answer.status >= 500) return [`${where} → ${answer.status} ${answer.text.slice(0, 300)}`];
  if (!isChecked(answer, slot)) return [`${where} was not understood: ${answer.text.slice(0, 300)}; ${REMEDY}`];
  const got = toComparable(answer, theirs.sent);
  if (got === missing) return [];
  let same = 0;
  while (same < got.length && got[same] === missing[same]) same += 1;
  const show = (text: string) => text.slice(Math.max(0, same - 100), same + 200);
  return [`${where}: …${show(got)}\n  but for what does not exist …${show(missing)}`];
}

/** How often a difference is asked for again while the answer about what does not exist changes too, as a score of the last day does. */
const CHANGES = 5;

/** Their ids in one slot, alone and mixed with our own, against ids that do not exist. */
async function probeIds(input: Input, slot: Slot): Promise<{ probes: number; wrong: string[] }> {
  const own = fill(input, tenants.ours.ids, { slot, value: () => tenants.ours.ids.other_workload ?? '' });
  const ways: ((id: string) => unknown)[] = [(id) => fill(input, tenants.ours.ids, { slot, value: () => id })];
  // One of their ids among our own: the call must change neither and reveal nothing.
  if (slot.path.includes('[]')) ways.push((id) => mix(own, fill(input, tenants.ours.ids, { slot, value: () => id })));
  const wrong: string[] = [];
  const ids = listIdsToTry(input, slot);
  for (const way of ways) {
    const id = randomUUID();
    const ask = async () => toComparable(await call(input, way(id)), id);
    const first = await ask();
    const probeOne = (sent: string, missing: string) => probe(input, slot, { value: way(sent), sent }, missing);
    /** A difference counts when what does not exist got one and the same answer just before and just after. */
    const probeAgain = async (sent: string, found: readonly string[]): Promise<readonly string[]> => {
      let before = await ask();
      let last = found;
      for (let i = 0; i < CHANGES && last.length > 0; i += 1) {
        last = await probeOne(sent, before);
        const after = await ask();
        if (after === before) return last;
        before = after;
      }
      return last;
    };
    // What only reads may be asked side by side.
    const sideBySide = input.reads ? await Promise.all(ids.map((sent) => probeOne(sent, first))) : null;
    for (const [i, sent] of ids.entries()) {
      const found = sideBySide?.[i] ?? (await probeOne(sent, first));
      if (found.length > 0) wrong.push(...(await probeAgain(sent, found)));
    }
  }
  return { probes: ways.length * ids.length, wrong };
}

describe('what belongs to another tenant', () => {
  it('can be read by its own users with the same calls: the inputs are right', async () => {
    const wrong: string[] = [];
    for (const { input, ...answers } of await readBoth()) {
      // What is computed in the background is accepted first.
      const expected = REFUSED_TO_TENANTS.has(input.name)
        ? 422
        : /^(GET|POST) .*[/](impact|again)$/.test(input.name)
          ? 202
          : 200;
      for (const { status, text } of [answers.ours, answers.theirs]) {
        if (status !== expected) wrong.push(`${input.name} → ${status} ${text.slice(0, 300)}; ${REMEDY}`);
      }
      const value = fill(input, tenants.theirs.ids);
      if (ONLY_SUMS.has(input.name) || !theirIds.some((id) => JSON.stringify(value).includes(id))) continue;
      if (findLeaks(answers.theirs, '').length === 0)
        wrong.push(`${input.name} tells its own people nothing; ${REMEDY}`);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('returns the documented schema without further fields', async () => {
    const wrong: string[] = [];
    for (const { input, theirs } of await readBoth()) {
      if (input.surface !== 'REST' || input.method !== 'GET') continue;
      const schema = routes.find(({ method, path }) => `${method} ${path}` === input.name)?.response.schema;
      const { text } = theirs;
      const result = schema?.safeParse(JSON.parse(text));
      if (result?.success === false) wrong.push(`${input.name}: ${z.prettifyError(result.error)}`);
      if (!result?.success) continue;
      const [kept, all] = [result.data, JSON.parse(text)].map((value) => [...collectFields(value)].sort());
      const extra = all?.filter((field) => !kept?.includes(field)) ?? [];
      if (extra.length > 0) wrong.push(`${input.name} answers also ${extra.join(', ')}`);
    }
    expect(wrong).toEqual([]);
  });

  it('appears in no answer to calls that name only objects of the calling tenant', async () => {
    const wrong: string[] = [];
    for (const { input, ours } of await readBoth()) {
      const leaked = findLeaks(ours, '');
      if (leaked.length > 0) wrong.push(`${input.name} told ${leaked.slice(0, 3)}`);
    }
    for await (const input of each(
      inputs.filter(({ reads, schema }) => reads && JSON.stringify(schema).includes('"csv"')),
    )) {
      const value = fill(input, tenants.ours.ids) as Record<string, object>;
      const answer = await call(input, { ...value, query: { ...value.query, format: 'csv' } });
      const leaked = findLeaks(answer, '');
      if (leaked.length > 0) wrong.push(`${input.name} told ${leaked.slice(0, 3)} as CSV`);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('appears in no search: a text that does not occur finds nothing', async () => {
    const wrong: string[] = [];
    const isSearch = (slot: Slot) => slot.path.at(-1) === 'q';
    for await (const input of each(inputs.filter(({ reads }) => reads))) {
      const slot = listSlots(input).find(isSearch);
      if (!slot) continue;
      const { status, text } = await call(input, fill(input, tenants.ours.ids, { slot, value: () => 'qqx nowhere' }));
      const found = JSON.parse(text);
      const { items, total } = found.result?.data ?? found;
      if (Array.isArray(items) && (items.length > 0 || (total ?? 0) !== 0)) wrong.push(`${input.name} ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('appears in a list by each name, address, port and tag that the list shows', async () => {
    await tenants.ours.signIn();
    const people = [tenants.ours.headers, await bearer(await makeUser('admin'))];
    const wrong = new Set<string>();
    let searched = 0;
    for (const input of listInputs(routes, appRouter)) {
      const slot = listSlots(input).find(({ path }) => path.join('.') === 'query.q');
      // A text of the filter language is no search text: its own tests ask for what lists show.
      if (input.surface !== 'REST' || !slot || input.path === '/conversations') continue;
      for (const headers of people) {
        const ask = async (q?: string): Promise<Record<string, unknown>[]> => {
          const value =
            q === undefined ? fill(input, tenants.ours.ids) : fill(input, tenants.ours.ids, { slot, value: () => q });
          const { status, text } = await send(tables, input, value, headers);
          // Lists of the platform are not for our people.
          if (status === 403) return [];
          if (status !== 200) throw new Error(`${input.name} ${q} → ${status} ${text}`);
          return JSON.parse(text).items ?? [];
        };
        const tried = new Set<string>();
        for (const row of (await ask()).slice(0, 3)) {
          for (const [field, shown] of Object.entries(row)) {
            const text = [shown].flat().find((one) => ['string', 'number'].includes(typeof one) && one !== '');
            if (text === undefined || tried.has(field) || !SHOWN_TEXT.test(field)) continue;
            if (`${input.path} ${field}` in NOT_SEARCHED) continue;
            tried.add(field);
            searched += 1;
            if (!(await ask(String(text))).some(({ id }) => id === row.id)) wrong.add(`${input.path} ${field}`);
          }
        }
      }
    }
    expect([...wrong]).toEqual([]);
    expect(searched).toBeGreaterThan(60);
  });

  it('does not exist for us, whatever id of theirs stands wherever an id may stand', async () => {
    const wrong: string[] = [];
    await Promise.all([tenants.ours.signIn(), tenants.theirs.signIn()]);
    const before = await listTheirRows();
    let probes = 0;
    let slots = 0;
    for await (const input of each(inputs)) {
      for (const slot of listSlots(input).filter(({ holds }) => holds === 'id')) {
        const result = await probeIds(input, slot);
        slots += 1;
        probes += result.probes;
        wrong.push(...result.wrong);
      }
      if (!input.reads) {
        const changed = (await listTheirRows()).filter((row) => !before.includes(row));
        if (changed.length > 0) wrong.push(`${input.name} changed ${changed[0]?.slice(0, 200)}`);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(await listTheirRows()).toEqual(before);
    expect(slots).toBeGreaterThan(150);
    expect(probes).toBeGreaterThan(slots * OTHERS - 1);
  });

  it('does not resolve in a policy of our tenant that names it', async () => {
    await tenants.ours.signIn();
    const { headers, ids } = tenants.ours;
    const before = await listTheirRows();
    const ask = async (method: string, path: string, body?: object) => {
      const response = await request(path, { method, headers, body });
      return { status: response.status, text: await response.text() };
    };
    for (const name of [...tenants.theirs.references, `${THEIR_MARK}-guest-102`]) {
      const definition = {
        enforcement_mode: 'enforced',
        direction: 'both',
        sources: [name],
        targets: ['sg:ours-group', name],
      };
      const rules = [{ action: 'drop', protocol: 'any' }];
      const made = await ask('POST', '/policies', { name: `names ${name.replace(THEIR_MARK, '')}`, definition, rules });
      expect(made.status, made.text).toBe(201);
      const path = `/policies/${JSON.parse(made.text).id}`;
      const answers = [
        made,
        await ask('GET', `${path}?fresh=true`),
        await ask('POST', `${path}/preview`),
        await ask('GET', `${path}/guests`),
        await ask('GET', `${path}/guests/${ids.workload}`),
        await ask('POST', `${path}/apply`, { dry_run: true }),
        await ask('GET', `/workloads/${ids.workload}/firewall`),
      ];
      const sent = `${name} ${tenants.theirs.ids.security_group}`;
      for (const answer of answers) expect(findLeaks(answer, sent), `${name}: ${answer.text}`).toEqual([]);
      const [, , preview] = answers;
      // Nothing at their guest, nothing with their addresses: the name resolves to nothing.
      expect(preview?.text).toMatch(/"reason":"(not_found|empty|ambiguous|no_address)"/);
      expect((await ask('DELETE', path)).status).toBe(200);
    }
    const now = await listTheirRows();
    const others = now.filter(
      (row) => !before.includes(row) && !/^(audit_records|(?:past_)?policies|policy_versions|deployments) /.test(row),
    );
    expect(others).toEqual([]);
    expect(before.filter((row) => !now.includes(row))).toEqual([]);
  });

  it('gets documented statuses in all of these calls', () => {
    expect([...undocumented]).toEqual([]);
  });
});
