import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Source = { path: string; text: string };
const listSources = (...folders: string[]): Source[] =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
      .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') })),
  );

/** Each page has modules of its own. */
const IN_THE_BROWSER = /^src\/(app|features|lib|ui)\//;
/**
 * A variable of a module, or a constant (in lower case: not one of those that only name a value) that holds something made to change, or
 * something of the process.
 * What hangs on the life of its keys (`WeakMap`) is forgotten with them. The format puts nothing but modules' own code at the margin.
 */
const MODULE_STATE =
  /^(?:export )?(?:(?:let|var) (\w+)|const (?=[a-z])(\w+)[^=\n]*=\s*(?:new (?!Weak)\w|\[\]|\{\}|sqlClient\(|env\(\)))/gm;
/** State of modules that tests of other files may share, and why. */
const HARMLESS_STATE: Readonly<Record<string, string>> = {
  'src/demo/traffic/sessions.ts firstLanes': 'computed from constants when the module is loaded',
  'src/demo/traffic/sessions.ts laneCount': 'computed from constants when the module is loaded',
  'src/demo/world/company.ts byName': 'an index of constants',
  'src/domain/flow-context/opening-packets.ts known': 'parsed addresses by their text: the same in every process',
  'src/domain/net/prefix-table.ts scratch': 'written before it is read, within one call',
  'src/domain/net/prefix-table.ts scratchWords': 'written before it is read, within one call',
  'src/runtime/demo-main.ts ending': 'a program that no test loads',
  'src/server/api/isolation/platform.fixture.ts platform': 'assigned before it is read, by each file',
  'src/server/access/sign-in/common-passwords.ts loaded': 'a list that never changes',
  'src/server/db/client.ts db': 'only forwards',
  'src/server/db/client.ts use': 'holds nothing outside a call',
  'src/server/db/lost-connections.ts listens': 'a listener of the process itself, which stays',
  'src/server/db/stream-rows.ts dialect': 'has no state',
  'src/server/events/open-event-stream.ts encoder': 'has no state',
  'src/server/providers/hypervisor/pve/testing/client.fixture.ts keys': 'a number that only has to differ',
  'src/server/providers/hypervisor/pve/testing/direct-provider.fixture.ts meter': 'it is not read',
  'src/server/providers/hypervisor/pve/testing/simulated.fixture.ts keys': 'a number that only has to differ',
  'src/server/enforcement/deployments/testing/deployment-lab.fixture.ts DEFINITION': 'assigned before each test',
  'src/server/enforcement/deployments/testing/deployment-lab.fixture.ts lab': 'assigned before each test',
  'src/server/traffic/flows/testing/flow-world.fixture.ts admin': 'assigned before it is read, by each file',
  'src/server/traffic/flows/testing/flow-world.fixture.ts agent': 'assigned before it is read, by each file',
  'src/server/traffic/flows/testing/flow-world.fixture.ts world': 'assigned before it is read, by each file',
  'src/server/notifications/testing/notification-lab.fixture.ts signal': 'never aborted',
  'src/server/enforcement/policies/testing/policy-lab.fixture.ts labs': 'a number that only has to differ',
  'src/test/factories.ts serial': 'a number that only has to differ',
  'workers/main.ts ending': 'a program that no test loads',
};

describe('architecture', () => {
  it('is what git keeps: no source is ignored by an entry that means something else', () => {
    const ignored = execFileSync(
      'git',
      ['ls-files', '--others', '--ignored', '--exclude-standard', 'src', 'workers', 'e2e', 'drizzle'],
      {
        encoding: 'utf8',
      },
    );
    expect(ignored).toBe('');
  });

  it('keeps what the process remembers behind processState, where the tests that share a process can forget it', () => {
    const variables = listSources('src', 'workers')
      .filter(({ path }) => !IN_THE_BROWSER.test(path) && !/\.test\.tsx?$/.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(MODULE_STATE)].map((found) => `${path} ${found[1] ?? found[2]}`));
    expect(variables.sort()).toEqual(Object.keys(HARMLESS_STATE).sort());
  });

  it('replaces no modules in tests: the next file in the process would get them, too', () => {
    const files = listSources('src', 'workers', 'agent', 'scripts').filter(({ path }) => /\.test\.tsx?$/.test(path));
    const replacing = files.filter(({ text }) => /\bvi\.(mock|doMock|hoisted|resetModules)\(/.test(text));
    expect(replacing.map(({ path }) => path)).toEqual([]);
    expect(files.length).toBeGreaterThan(350);
  });

  it('types key by key in the browser suite: fill() hides a field that loses focus while someone types', () => {
    const specs = readdirSync('e2e', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const filled = specs.filter((name) => /\.fill\(/.test(readFileSync(join('e2e', name), 'utf8')));
    expect(filled).toEqual([]);
    expect(specs.length).toBeGreaterThan(30);
  });
});
