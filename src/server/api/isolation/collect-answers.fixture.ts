import { isGranted, type RoleGrant } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import type { JsonSchema } from '@/server/rest/openapi/create-example';
import { routes } from '@/server/rest/routes';
import { getRunCount } from '@/test/thorough';
import { appRouter } from '../root';
import { THEIR_MAC, THEIR_TAPS } from './entangled.fixture';
import { getFieldKind } from './field-kind.fixture';
import { deleteImpacts } from './impacts.fixture';
import { fill, type Input, isMalformed, listInputs, listSlots, type Slot, send } from './inputs.fixture';
import type { TwoTenants } from './two-tenants.fixture';

const SIDE_BY_SIDE = 6;
/** Pages of one row that are turned at most. */
const MOST_PAGES = 12;

const tables = { routes, router: appRouter };

/** Everything that a user with these grants can read. */
export function listReadableInputs(grants: readonly RoleGrant[]): Input[] {
  const granted = ({ access }: Input) =>
    'permission' in access ? isGranted(grants, access.permission) : 'signedIn' in access || 'person' in access;
  // A stream without an end; src/server/events/events.int.test.ts holds who is sent what.
  return listInputs(routes, appRouter).filter((input) => input.reads && granted(input) && input.path !== '/events');
}

/** Who asks what of which world. */
export type Asker = { tenants: TwoTenants; inputs: readonly Input[]; headers: () => Record<string, string> };

/** One question from our tenant: a call with its complete input. */
type Question = { input: Input; value: unknown; label: string };

type Choice = { path: string[]; values: unknown[] };

/** Places of an input with a closed set of values: filters by kind, switches, orders. */
function listChoices(schema: JsonSchema | boolean | undefined, path: string[] = []): Choice[] {
  if (typeof schema !== 'object') return [];
  if (schema.enum) return [{ path, values: schema.enum as unknown[] }];
  if (schema.type === 'boolean') return [{ path, values: [true, false] }];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) =>
    listChoices(one as JsonSchema, path),
  );
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    listChoices(one as JsonSchema, [...path, name]),
  );
  const items = schema.type === 'array' ? listChoices(schema.items as JsonSchema, [...path, '[]']) : [];
  return [...inner, ...fields, ...items];
}

/** The value with another one at a place; a list holds only that one. */
function setAt(whole: unknown, [head, ...rest]: readonly string[], value: unknown): unknown {
  if (head === undefined) return value;
  if (head === '[]') return [setAt(undefined, rest, value)];
  return { ...(whole as object | undefined), [head]: setAt((whole as Record<string, unknown>)?.[head], rest, value) };
}

/** What a user would try to find out the other tenant's data: all of it, and the parts that can be guessed. */
const listGuesses = ({ tenants }: Asker) => [
  ...tenants.theirs.names,
  ...THEIR_TAPS,
  THEIR_MAC,
  'zzb-around',
  '10.65.0.70',
  '10.65.0.64/26',
  '10.64.0.0/14',
  '102',
  'z',
];

/** Texts that name nothing: what they say is only kept. */
const FREE_TEXT = ['comment', 'description', 'note', 'reason'];

/** Texts that may refer to something with a prefix. */
const REFERS = ['endpoints', 'sources', 'targets', 'q'];

/** Choices that make a change another one. An impact takes long, and its other fields are those of previews, where each is tried. */
const DECIDE_IMPACT = ['enabled', 'enforcement_mode', 'direction', 'wait'];

/** Some of a list in a suite in a hurry, in turn: at the next place the next ones. */
const pickPart = <T>(list: readonly T[], part: number, turn: number): T[] =>
  list.filter((_, at) => (at + turn) % getRunCount(part, 1) === 0);

/**
 * Values to try in a slot besides our own: what of the other tenant a user could think of. Of ids the one that belongs there: those of
 * other kinds are tried in `isolation.int.test.ts`.
 */
function listValuesToTry(asker: Asker, input: Input, slot: Slot, turn: number): Set<string | undefined> {
  const { tenants } = asker;
  if (slot.holds === 'text') {
    const field = slot.path.filter((part) => part !== '[]').at(-1) ?? '';
    const { references } = tenants.theirs;
    if (field === 'q') return new Set(pickPart([...listGuesses(asker), ...references], 4, turn));
    return new Set([...pickPart(listGuesses(asker), 4, turn), ...(REFERS.includes(field) ? references : [])]);
  }
  const kind = getFieldKind(input, slot.path);
  const { [kind]: own } = tenants.ours.ids;
  const { [kind]: theirs, other_workload } = tenants.theirs.ids;
  return new Set([own, theirs, kind === 'workload' ? other_workload : undefined]);
}

/** Values to try of a closed set. Of two opposite orders one: both have the same rows. Filters by state differ by a constant. */
function listChoicesToTry({ path, values }: Choice, turn: number): unknown[] {
  if (path.at(-1) === 'sort') return values.filter((value) => getRunCount(0, 1) || !String(value).startsWith('-'));
  return values.length > 3 ? pickPart(values, 2, turn) : values;
}

/** Every call with every filter, order and search, one at a time, and no question twice. */
function* questions(asker: Asker): Generator<Question> {
  let turn = 0;
  for (const input of asker.inputs) {
    const plain = fill(input, asker.tenants.ours.ids);
    yield { input, value: plain, label: 'as it is' };
    // Computed by the same code as what the API answers, which takes long.
    if (input.path.startsWith('impacts.of')) continue;
    const asked = new Set([JSON.stringify(plain)]);
    for (const { path, value } of listVariations(asker, input, () => turn++)) {
      const whole = setAt(plain, path, value);
      const text = JSON.stringify(whole);
      if (!asked.has(text)) yield { input, value: whole, label: `${path.join('.')} = ${value}` };
      asked.add(text);
    }
  }
}

/** What to put in which place of an input. */
function* listVariations(
  asker: Asker,
  input: Input,
  nextTurn: () => number,
): Generator<{ path: readonly string[]; value: unknown }> {
  const isComputed = input.path.endsWith('/impact');
  for (const choice of listChoices(input.schema)) {
    const name = choice.path.at(-1) ?? '';
    // The pages' calls order by the same code.
    if (input.surface === 'tRPC' && name === 'sort') continue;
    // An export of the trail is in the trail itself.
    if (input.path === '/audit' && name === 'format') continue;
    if (isComputed && !DECIDE_IMPACT.includes(name)) continue;
    for (const value of listChoicesToTry(choice, nextTurn())) yield { path: choice.path, value };
  }
  for (const slot of listSlots(input)) {
    const field = slot.path.filter((part) => part !== '[]').at(-1) ?? '';
    if (field === 'cursor' || FREE_TEXT.includes(field)) continue;
    if (isComputed && slot.holds === 'text' && !REFERS.includes(field)) continue;
    for (const value of listValuesToTry(asker, input, slot, nextTurn()))
      if (value !== undefined) yield { path: slot.path, value };
  }
}

/** The whole of a list, a row a page: where cursors lead, and what they say. */
async function* fetchPages(asker: Asker, { input, value }: Question): AsyncGenerator<string> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const asked = setAt(setAt(value, ['query', 'limit'], 1), ['query', 'cursor'], cursor);
    const { status, text } = await send(
      tables,
      input,
      cursor === undefined ? setAt(value, ['query', 'limit'], 1) : asked,
      asker.headers(),
    );
    yield `${status} ${text}`;
    cursor = JSON.parse(text).next_cursor ?? undefined;
    if (cursor === undefined) return;
  }
}

/** When a time-ordered id was made. */
const parseIdTime = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** Answers without the moment at which they were asked for, the name of the request, and ids of what it made. */
const maskVolatile = (text: string, since: number) =>
  text
    .replace(/"request_id":"[^"]*"/g, '"request_id"')
    // A week before this hour, and of the next one if an hour ends between two questions.
    .replace(/"seen_since":"[^"]*"/g, '"seen_since"')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:[\d.]+)?Z/g, (time) => (Date.parse(time) >= since ? '<now>' : time))
    .replace(/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) =>
      parseIdTime(id) >= since ? '<new>' : id,
    );

async function fetchAnswer(asker: Asker, { input, value, label }: Question, since: number): Promise<string> {
  const { status, text } = await send(tables, input, value, asker.headers());
  const pages = [`${status} ${text}`];
  const isList = input.surface === 'REST' && label === 'as it is' && text.includes('"next_cursor"');
  if (isList) for await (const page of fetchPages(asker, { input, value, label })) pages.push(page);
  return maskVolatile(pages.join('\n'), since);
}

/** Neighbors apart: heavy calls of one kind side by side would not be admitted on a busy machine. */
function spread<T>(list: readonly T[]): T[] {
  const step = Math.ceil(Math.sqrt(list.length));
  return Array.from({ length: step }, (_, first) => list.filter((_, i) => i % step === first)).flat();
}

/** Every answer, or every nth, by its question. */
export async function collectAnswers(asker: Asker, since: number, every = 1): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const asked: Question[] = [];
  for (const question of [...questions(asker)].filter((_, i) => i % every === 0)) {
    // A text that a schema refuses is compared with nothing that is stored.
    if (!(await isMalformed(routes, question.input, question.value))) asked.push(question);
  }
  const isExport = ({ label }: Question) => label.includes('format');
  // Exports leave records, which are in the trail from then on.
  // An impact that someone else asks for at the same time is still running.
  const isImpact = ({ input }: Question) => input.path.includes('impact');
  const others = spread(asked.filter((one) => !isExport(one) && !isImpact(one)));
  for (const part of [[others, asked.filter(isImpact)], [asked.filter((one) => isExport(one) && !isImpact(one))]]) {
    const [many, oneByOne] = part.map((questions) => questions.values());
    const worker = async (waiting: Iterable<Question> = []) => {
      for (const question of waiting) {
        answers.set(`${question.input.name} ${question.label}`, await fetchAnswer(asker, question, since));
      }
    };
    await Promise.all([worker(oneByOne), ...Array.from({ length: SIDE_BY_SIDE }, () => worker(many))]);
  }
  await deleteImpacts(since);
  await sqlClient().begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`delete from audit_records where action = 'list.exported'`;
  });
  return answers;
}

/** The first place in which two texts differ, with what stands around it. */
function describeDifference(one = '', two = ''): string {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const start = Math.max(0, at - 80);
  return `…${one.slice(start, at + 100)}\n  against …${two.slice(start, at + 100)}`;
}

/** The questions that were answered in another way, with the first difference. */
export function listDifferences(first: Map<string, string>, second: Map<string, string>): string[] {
  return [...first].flatMap(([label, answer]) =>
    second.get(label) === answer ? [] : [`${label}: ${describeDifference(answer, second.get(label))}`],
  );
}
