import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_ROLES, isGranted } from '@/domain/permissions';
import { clock } from '@/server/lib/clock';
import type { JsonSchema } from '@/server/rest/openapi/example-of';
import { routes } from '@/server/rest/routes';
import { appRouter } from '../root';
import { entangle, THEIR_MAC, THEIR_TAPS } from './entangled.fixture';
import { fill, type Input, listInputs, send, slotsOf } from './inputs.fixture';
import { kindOfField } from './kind-of-field.fixture';
import { becomeOtherWorld } from './other-world.fixture';
import { makeTwoFullTenants, type TwoTenants } from './two-tenants.fixture';

const tables = { routes, router: appRouter };
const ROLE = [{ role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant' }];
const granted = ({ access }: Input) =>
  'permission' in access ? isGranted(ROLE, access.permission) : 'signedIn' in access || 'person' in access;
/** A stream without an end; src/server/events/events.int.test.ts holds who is sent what. */
const inputs = listInputs(routes, appRouter).filter(
  (input) => input.reads && granted(input) && input.path !== '/events',
);

let world: TwoTenants;
beforeAll(async () => {
  world = await makeTwoFullTenants();
  await entangle(world);
  await world.ours.signIn();
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await world.lab.close();
});

/** One question of ours: a call with all that it is asked with. */
type Question = { input: Input; value: unknown; label: string };

type Choice = { path: string[]; values: unknown[] };

/** Places of an input with a closed set of values: filters by kind, switches, orders. */
function choicesOf(schema: JsonSchema | boolean | undefined, path: string[] = []): Choice[] {
  if (typeof schema !== 'object') return [];
  if (schema.enum) return [{ path, values: schema.enum as unknown[] }];
  if (schema.type === 'boolean') return [{ path, values: [true, false] }];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => choicesOf(one as JsonSchema, path));
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    choicesOf(one as JsonSchema, [...path, name]),
  );
  const items = schema.type === 'array' ? choicesOf(schema.items as JsonSchema, [...path, '[]']) : [];
  return [...inner, ...fields, ...items];
}

/** The value with another one at a place; a list holds only that one. */
function put(whole: unknown, [head, ...rest]: readonly string[], value: unknown): unknown {
  if (head === undefined) return value;
  if (head === '[]') return [put(undefined, rest, value)];
  return { ...(whole as object | undefined), [head]: put((whole as Record<string, unknown>)?.[head], rest, value) };
}

/** What somebody would try who wants to know what is theirs: all of it, and what of it can be guessed. */
const guesses = () => [
  ...world.theirs.names,
  ...THEIR_TAPS,
  THEIR_MAC,
  'zzb-around',
  '10.65.0.70',
  '10.65.0.64/26',
  '10.64.0.0/14',
  '102',
  'z',
];

function* questions(): Generator<Question> {
  for (const input of inputs) {
    const plain = fill(input, world.ours.ids);
    yield { input, value: plain, label: 'as it is' };
    for (const { path, values } of choicesOf(input.schema)) {
      for (const value of values)
        yield { input, value: put(plain, path, value), label: `${path.join('.')} = ${value}` };
    }
    for (const slot of slotsOf(input)) {
      const field = slot.path.filter((part) => part !== '[]').at(-1) ?? '';
      if (['cursor', 'comment', 'description', 'note', 'reason'].includes(field)) continue;
      const ids = () => {
        const kind = kindOfField(input, slot.path);
        return [world.ours.ids[kind], world.theirs.ids[kind], world.theirs.ids.other_workload];
      };
      const tried = new Set(slot.holds === 'id' ? ids() : guesses());
      for (const value of tried) {
        if (value === undefined) continue;
        yield { input, value: put(plain, slot.path, value), label: `${slot.path.join('.')} = ${value}` };
      }
    }
  }
}

/** Answers without the moment at which they were asked for, and the name of the request. */
const without = (text: string, since: number) =>
  text
    .replace(/"request_id":"[^"]*"/g, '"request_id"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:[\d.]+)?Z/g, (time) => (Date.parse(time) >= since ? '<now>' : time));

const SIDE_BY_SIDE = 6;

async function ask(since: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const waiting = questions();
  const worker = async () => {
    for (const { input, value, label } of waiting) {
      const { status, text } = await send(tables, input, value, world.ours.headers);
      answers.set(`${input.name} ${label}`, `${status} ${without(text, since)}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return answers;
}

/** The first place in which two texts differ, with what stands around it. */
function difference(one = '', two = ''): string {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const start = Math.max(0, at - 80);
  return `…${one.slice(start, at + 100)}\n  against …${two.slice(start, at + 100)}`;
}

function differences(first: Map<string, string>, second: Map<string, string>): string[] {
  return [...first].flatMap(([label, answer]) =>
    second.get(label) === answer ? [] : [`${label}: ${difference(answer, second.get(label))}`],
  );
}

describe('another tenant', () => {
  it('changes nothing of what is answered to us, whatever it has and does', { timeout: 300_000 }, async () => {
    const since = Date.now();
    const first = await ask(since);
    // The same world gives the same answers; without that, a difference would mean nothing.
    const again = await ask(since);
    require('node:fs').writeFileSync('/tmp/ni-again.txt', differences(first, again).join('\n'));
    await becomeOtherWorld(world);
    const other = await ask(since);
    const found = differences(first, other);
    require('node:fs').writeFileSync(
      '/tmp/ni-found.txt',
      `${first.size} questions ${found.length}\n` + found.join('\n'),
    );
    expect(found).toEqual([]);
  });
});
