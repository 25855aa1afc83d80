import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GRACE_HOURS, MAX_TOKEN_DAYS, MIN_PASSWORD_LENGTH } from '@/domain/choices';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { RuntimeSettingsUpdate } from '@/domain/settings';
import { REQUEST_MS } from '@/runtime/http-entry';
import { CHALLENGE_SECONDS } from '@/server/access/sign-in/challenge';
import { PROVIDER_SIGN_IN_SECONDS } from '@/server/access/sign-in/checks';
import { loginBound, loginLimits, providerBound, setupBounds } from '@/server/auth/attempt-limits';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS } from '@/server/auth/session-tokens';
import { OBSERVE_EVERY_MS } from '@/server/enforcement/guest-firewall/observe';
import { EnvSchema, parseEnv } from '@/server/lib/env';
import { ASVS_5_LEVEL_2 } from './asvs-5-level-2';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}docs/security/`;

it.each(readdirSync(folder))('%s names only evidence that exists', (file) => {
  const text = readFileSync(folder + file, 'utf8');
  const named = [...text.matchAll(/`([A-Za-z][\w./()[\]-]*\.(?:tsx?|mjs|md|txt|json|yaml|service))`/g)].map(
    ([, path = '']) => path,
  );
  const missing = named.filter(
    (path) => !path.startsWith('/') && !existsSync(root + path) && !existsSync(`${root}src/${path}`),
  );
  expect(missing).toEqual([]);
});

/** The documents that describe the state of security, including its folder. */
const DOCUMENTS = [
  ...readdirSync(folder).map((file) => `docs/security/${file}`),
  ...['SECURITY.md', 'docs/tenants.md', 'docs/sign-in.md', 'docs/notifications.md'],
  ...readdirSync(`${root}docs/decisions`).map((file) => `docs/decisions/${file}`),
];
const read = (path: string) => readFileSync(root + path, 'utf8').replaceAll(/\s+/g, ' ');

describe('what the security documents say', () => {
  it.each(DOCUMENTS)('%s leads to files, calls and variables that exist', (path) => {
    const text = read(path);
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(new URL(target, `file://${root}${path}`)))).toEqual([]);
    const sources = [...text.matchAll(/`(src\/[\w./()[\]-]+)`/g)].map(([, target = '']) => target);
    expect(sources.filter((target) => !existsSync(root + target))).toEqual([]);
    const calls = readFileSync(`${root}src/server/api/access.txt`, 'utf8');
    const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]+)`/g)];
    const missing = named.filter(([, method = '', call = '']) => {
      const shape = call.replaceAll(/\{\w+\}/g, '\\{\\w+\\}');
      return !new RegExp(`^${method} +${shape} `, 'm').test(calls);
    });
    expect(missing.map(([all]) => all)).toEqual([]);
    const variables = [...text.matchAll(/\bFABRIC_[A-Z_]+\b/g)].map(([name]) => name);
    expect(variables.filter((name) => !(name in EnvSchema.shape))).toEqual([]);
  });

  /** Each is generated from the constant that it describes: a figure that changes only in the code fails here. */
  const origin = { request_id: 'r', source_address: null };
  const [pair, account] = loginLimits('a', origin);
  const [setup, setupAll] = setupBounds(origin);
  const bound = loginBound(origin);
  const inWords = (n: number) => ({ 2: 'two', 5: 'five', 6: 'six', 15: 'fifteen' })[n] ?? String(n);
  const minutes = (seconds: number) => seconds / 60;
  const days = (seconds: number) => seconds / 86_400;
  it.each([
    ['SECURITY.md', `access token ${minutes(ACCESS_TOKEN_SECONDS)} minutes`],
    ['SECURITY.md', `refresh token ${days(REFRESH_TOKEN_SECONDS)} days, ${parseEnv({}).FABRIC_SESSION_DAYS} days`],
    ['docs/sign-in.md', `after ${days(REFRESH_TOKEN_SECONDS)} days without use`],
    ['docs/sign-in.md', `\`FABRIC_SESSION_DAYS\` (${parseEnv({}).FABRIC_SESSION_DAYS})`],
    ['docs/sign-in.md', `at least ${MIN_PASSWORD_LENGTH} characters`],
    ['docs/security/asvs.md', `after ${days(REFRESH_TOKEN_SECONDS)} days:`],
    ['docs/security/asvs.md', `after ${parseEnv({}).FABRIC_SESSION_DAYS} days, or as many as are set`],
    ['docs/security/threat-model.md', `${minutes(ACCESS_TOKEN_SECONDS)} minutes, checked against the sign-in`],
    ['docs/security/threat-model.md', `${REQUEST_MS / 1000} s for a request to arrive`],
    ['docs/security/threat-model.md', `at most ${GRACE_HOURS.max / 24} days`],
    ['docs/security/cryptography.md', `${minutes(CHALLENGE_SECONDS)} minutes, one use`],
    ['docs/security/cryptography.md', `${minutes(PROVIDER_SIGN_IN_SECONDS)} minutes, A256GCM`],
    ['docs/security/cryptography.md', `one use, ${days(REFRESH_TOKEN_SECONDS)} days`],
    ['docs/security/authorization.md', `${inWords(Object.keys(BUILT_IN_ROLES).length)} are built in`],
    ['docs/decisions/access.md', `after ${MAX_TOKEN_DAYS} days at the latest`],
    ['docs/decisions/access.md', `After ${bound.free} failures (${providerBound(origin).free} of provider`],
    ['docs/decisions/access.md', `share ${bound.tries} tries in ${inWords(minutes(bound.per_seconds))} minutes`],
    ['docs/decisions/access.md', `for ${inWords(minutes(bound.forget_seconds))} minutes`],
    ['docs/decisions/access.md', `at most ${(bound.tries * 3600) / bound.per_seconds} tries an hour`],
    ['docs/decisions/access.md', `after ${setup?.free} wrong ones from an address ${setup?.tries} in`],
    ['docs/decisions/access.md', `after ${setupAll?.free} from anywhere ${setupAll?.tries} in`],
    ['docs/decisions/access.md', `0 to ${GRACE_HOURS.max / 24} days, ${GRACE_HOURS.default} hours`],
    [
      'docs/notifications.md',
      `\`grace_hours\` ${GRACE_HOURS.min} to ${GRACE_HOURS.max}, ${GRACE_HOURS.default} when left out`,
    ],
    ['docs/decisions/policies.md', `every ${inWords(minutes(OBSERVE_EVERY_MS / 1000))} minutes`],
    [
      'docs/decisions/access.md',
      `| account and source together | ${pair?.free} | ${pair?.base_seconds} s, doubled with each further failure, at most ${minutes(pair?.max_seconds ?? 0)} min |`,
    ],
    ['docs/decisions/access.md', `| account, from anywhere | ${account?.free} | the same |`],
  ])('%s says %s', (path, sentence) => {
    expect(read(path)).toContain(sentence);
  });

  it('SECURITY.md names the shortest time for which the trail is kept', () => {
    const keep = (audit_retention_days: number) => RuntimeSettingsUpdate.safeParse({ audit_retention_days }).success;
    expect([keep(29), keep(30)]).toEqual([false, true]);
    expect(read('SECURITY.md')).toContain('never within 30 days');
  });
});

describe('the ASVS checklist', () => {
  const STATES = ['met', 'partly', '**gap**', 'n/a'] as const;
  const document = readFileSync(`${folder}asvs.md`, 'utf8');
  const rows = [...document.matchAll(/^\| ([\d., -]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, numbers = '', , state = '', evidence = '']) => ({ numbers: expand(numbers), state, evidence }),
  );
  const stateOf = new Map(rows.flatMap(({ numbers, state }) => numbers.map((number) => [number, state] as const)));

  /** `1.4.1, 1.4.3` and `1.2.6-1.2.8` as numbers of requirements. */
  function expand(numbers: string): string[] {
    return numbers.split(', ').flatMap((part) => {
      const [first = '', last = first] = part.split('-');
      const section = first.slice(0, first.lastIndexOf('.'));
      const [from, to] = [first, last].map((number) => Number(number.slice(section.length + 1))) as [number, number];
      if (!last.startsWith(`${section}.`) || !(to >= from)) throw new Error(`${part} is no range of one section`);
      return Array.from({ length: to - from + 1 }, (_, i) => `${section}.${from + i}`);
    });
  }
  const section = (title: string) => document.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

  it('covers as many requirements as the standard has', () => {
    expect(ASVS_5_LEVEL_2.filter(({ level }) => level === 1)).toHaveLength(70);
    expect(ASVS_5_LEVEL_2).toHaveLength(253);
  });

  it('names every requirement of levels 1 and 2 exactly once, and no other', () => {
    const named = rows.flatMap(({ numbers }) => numbers);
    expect(named.toSorted()).toEqual(ASVS_5_LEVEL_2.map(({ number }) => number).toSorted());
  });

  it('gives each a state and evidence: a file, unless it does not apply', () => {
    for (const { numbers, state, evidence } of rows) {
      expect(STATES, numbers[0]).toContain(state);
      if (state === 'met' || state === 'partly') expect(evidence, numbers[0]).toMatch(/`[^`]+\.[a-z]+`|see \d/);
    }
  });

  it('tells figures that are those of its rows', () => {
    const line = (title: string, levels: readonly number[]) => {
      const states = ASVS_5_LEVEL_2.filter(({ level }) => levels.includes(level)).map(({ number }) =>
        stateOf.get(number),
      );
      const counts = STATES.map((needed) => states.filter((state) => state === needed).length);
      return `| ${[title, ...counts, states.length].join(' | ')} |`;
    };
    for (const expected of [line('level 1', [1]), line('level 2', [2]), line('both', [1, 2])])
      expect(document.split('\n')).toContain(expected);
  });

  it('lists at its end every gap, and what of level 1 is not met, and nothing else', () => {
    const open = ASVS_5_LEVEL_2.filter(({ number, level }) => {
      const state = stateOf.get(number);
      return state === '**gap**' || (state === 'partly' && level === 1);
    }).map(({ number }) => number);
    const listed = section('What is open').match(/\b\d+\.\d+\.\d+\b/g) ?? [];
    expect(listed.toSorted()).toEqual(open.toSorted());
  });

  it('keeps what is of level 3 alone apart', () => {
    const numbers = section('Level 3').match(/^\| \d+\.\d+\.\d+(?= \|)/gm) ?? [];
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter((number) => stateOf.has(number.slice(2)))).toEqual([]);
  });
});
