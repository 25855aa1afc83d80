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
  'src/domain/firewall/space/asked-rules.ts filters':
    'which texts of rules are about a service: always the same, and limited',
  'src/demo/traffic/sessions.ts firstLanes': 'computed from constants when the module is loaded',
  'src/demo/traffic/sessions.ts laneCount': 'computed from constants when the module is loaded',
  'src/demo/inventory/company.ts byName': 'an index of constants',
  'src/domain/flow-context/opening-packets.ts known': 'parsed addresses by their text: the same in every process',
  'src/domain/net/prefix-table.ts scratch': 'written before it is read, within one call',
  'src/domain/net/prefix-table.ts scratchWords': 'written before it is read, within one call',
  'src/runtime/collector-main.ts ending': 'a program that no test loads',
  'src/runtime/demo-main.ts ending': 'a program that no test loads',
  'src/server/api/isolation/platform.fixture.ts platform': 'assigned before it is read, by each file',
  'src/server/access/sign-in/passwords.ts loaded': 'a list that never changes',
  'src/server/db/client.ts db': 'only forwards',
  'src/server/db/client.ts joined': 'is empty outside of a request',
  'src/server/db/client.ts use': 'holds nothing outside a call',
  'src/server/db/lost-connections.ts listens': 'a listener of the process itself, which stays',
  'src/server/db/stream-rows.ts dialect': 'has no state',
  'src/server/events/open-event-stream.ts encoder': 'has no state',
  'src/server/providers/hypervisor/pve/testing/client.fixture.ts keys': 'a number that only has to differ',
  'src/server/providers/hypervisor/pve/testing/direct-provider.fixture.ts meter': 'it is not read',
  'src/server/providers/hypervisor/pve/testing/simulated.fixture.ts keys': 'a number that only has to differ',
  'src/server/access/directory/directory-lab.fixture.ts boss': 'assigned before it is read, by each file',
  'src/server/access/directory/directory-lab.fixture.ts input': 'assigned before it is read, by each file',
  'src/server/access/directory/directory-lab.fixture.ts slapd': 'assigned before it is read, by each file',
  'src/server/enforcement/deployments/testing/deployment-lab.fixture.ts DEFINITION': 'assigned before each test',
  'src/server/enforcement/deployments/testing/deployment-lab.fixture.ts lab': 'assigned before each test',
  'src/server/traffic/flows/testing/planted-flows.fixture.ts admin': 'assigned before it is read, by each file',
  'src/server/traffic/flows/testing/planted-flows.fixture.ts agent': 'assigned before it is read, by each file',
  'src/server/traffic/flows/testing/planted-flows.fixture.ts fixture': 'assigned before it is read, by each file',
  'src/server/lib/moment.ts moment': 'is empty outside of a request',
  'src/server/notifications/testing/notification-lab.fixture.ts signal': 'never aborted',
  'src/server/enforcement/policies/testing/policy-lab.fixture.ts labs': 'a number that only has to differ',
  'src/test/factories.ts serial': 'a number that only has to differ',
  'workers/main.ts ending': 'a program that no test loads',
};

/** What the pure code remembers beside the arguments that it gets, each for as long as its key is used: the same in every process. */
const KEPT_WITH_ITS_KEY: Readonly<Record<string, string>> = {
  'src/domain/firewall/resolve-address.ts resolved': 'addresses of the names in one firewall, which many rules repeat',
  'src/domain/firewall/space/decompose.ts narrowed': 'what one prepared firewall does with a few services',
  'src/domain/firewall/space/decompose.ts plans': 'the cuts of one prepared firewall, which every pair of ends repeats',
  'src/domain/firewall/space/field.ts numberClasses': 'the classes of one list of ports, which questions repeat',
  'src/domain/firewall/space/field.ts protocolsOf': 'the kinds of one list of protocols, which every filter repeats',
  'src/domain/firewall/space/field.ts wholeClasses': 'the classes of all addresses, which every rule repeats',
  'src/domain/reach/address-answers.ts answersOf': 'what the filters of one place do with a few services, by address',
  'src/domain/policy-tests/decide.ts sides': 'the places of one end by address, which every pair of ends repeats',
};

/** What uses `processState` itself, and why it is no cache: those are made by `cache`, `objectCache` and `sharedValue`. */
const NO_CACHE: Readonly<Record<string, string>> = {
  'src/server/access/sign-in/passwords.ts': 'turns of those who wait',
  'src/server/access/sign-in/checks.ts': 'turns of those who wait',
  'src/server/db/client.ts': 'open connections',
  'src/server/db/prepare-statements.ts': 'which texts came up how often',
  'src/server/enforcement/hygiene/run-hygiene.ts': 'what the last check was made from',
  'src/server/enforcement/verdicts/audit-policies.ts': 'what audited policies would put at guests, as computed last',
  'src/server/events/event-hub.ts': 'who listens',
  'src/server/events/open-event-stream.ts': 'open streams',
  'src/server/jobs/queues.ts': 'open queues',
  'src/server/lib/cache.ts': 'the caches themselves',
  'src/server/lib/clock.ts': 'what tests replace',
  'src/server/lib/env.ts': 'the environment, which does not change',
  'src/server/lib/note-refusal.ts': 'what was logged in this minute',
  'src/server/lib/spare-time.ts': 'what tests replace',
  'src/server/lib/process-state.ts': 'the function itself, and what is made once and stays',
  'src/server/providers/hypervisor/pve/limits/cluster-limits.ts': 'what runs at once',
  'src/server/providers/ldap/directory.ts': 'when a server did not answer: the order of the next question',
  'src/server/audit/trail.ts': 'work under way that several wait for',
  'src/server/traffic/flows/confirm-reports.ts': 'when a cluster may be asked again',
  'src/server/traffic/storage/clickhouse/connection.ts': 'the clients of ClickHouse, which hold its connections',
  'src/server/traffic/flows/upkeep.ts': 'how far a walk is',
  'src/server/traffic/storage/clickhouse/engine.ts':
    'what has sent inserts together, and knows whether the server answers',
  'src/server/addresses/discovery/read-guests.ts': 'when an agent may be asked again',
  'src/server/enforcement/coverage/count-coverage.ts': 'a direction',
  'src/server/enforcement/policy-tests/evaluate-tests.ts': 'what the last pass compared',
  'src/server/access/setup-state.ts': 'what was announced',
};

/** Short files, and why each is a file. Files that Next asks for, and tests beside their module, explain themselves. */
const SHORT_FILES: Readonly<Record<string, string>> = {
  'agent/contract/src/guest-interface.ts': 'an export of the package without schemas',
  'agent/src/sys/clock.ts': 'used by most of the agent',
  'agent/src/sys/errno.ts': 'used by most of the agent, also without native code',
  'agent/src/sys/load-koffi-bundled.ts': 'replaces its neighbor in the bundle',
  'agent/src/sys/load-koffi.ts': 'replaced by its neighbor in the bundle',
  'agent/src/sys/logger.ts': 'used by the agent and its entry',
  'packages/bench/database.ts': 'imported before everything that opens the database',
  'packages/bench/simulator.ts': 'a process',
  'packages/bench/stats.ts': 'used by every benchmark',
  'packages/bench/sum-worker.ts': 'a process',
  'packages/simulator/src/pve-error.ts': 'used by every route',
  'src/demo/installation/notifications.ts': 'one step of the demo, like its neighbors',
  'src/demo/traffic/roll.ts': 'used by all traffic of the demo',
  'src/domain/as-of.ts': 'used by operations of several domains',
  'src/domain/durations.ts': 'used by most of the code',
  'src/domain/net/mac-address.ts': 'the arithmetic of one kind of address',
  'src/domain/policy/acts-on.ts': 'one rule that every part of policies asks',
  'src/domain/page-limits.ts': 'every page needs it, without the words of lists',
  'src/domain/policy/choices.ts': 'the policy editor needs it without the words of lists',
  'src/domain/policy/responsibility.ts': 'the policy editor needs it without schemas',
  'src/domain/topology/edge-verdict.ts': 'pages need it without the schemas of the topology',
  'src/features/administration/projects/delete-project-dialog.tsx': 'one dialog, like its neighbors',
  'src/features/agents/heartbeat-data.ts': 'arithmetic apart from what draws it; its test is longer',
  'src/features/host-firewall/firewall-tabs.tsx': 'where the bundle is split',
  'src/features/host-firewall/firewall-loading.tsx': 'on both sides of the split',
  'src/features/networks/network-labels.ts': 'the labels of its feature',
  'src/features/policies/editor/new-policy.tsx': 'where the bundle is split',
  'src/features/security-groups/group-labels.ts': 'the labels of its feature',
  'src/features/setup/administrator-schema.ts': 'where the bundle is split',
  'src/features/shared/changes/proposed-change.ts': 'forms that are pages need it without the notice',
  'src/features/shared/detail-actions.tsx': 'forms that are pages need the frame without these buttons',
  'src/features/shared/list/tenant-filter.ts': 'used by lists of four features; other lists do without',
  'src/features/shared/page-crash.tsx': 'used by the error pages that Next asks for',
  'src/features/shared/time-zone-options.ts': 'used by forms of two features',
  'src/features/shared/use-cluster-options.ts': 'used by forms and filters of seven features',
  'src/features/workloads/use-assign-project.ts': 'on both sides of the split',
  'src/lib/csv-cell.ts': 'shared with the server; its test is longer',
  'src/lib/curl-command.ts': 'shared by two features; its test is longer',
  'src/lib/i18n/catalogs/de/index.ts': 'where the bundle is split',
  'src/lib/i18n/catalogs/fr/index.ts': 'where the bundle is split',
  'src/lib/i18n/server.ts': 'for server components only',
  'src/lib/safe-return-path.ts': 'a guard that is reviewed by itself; its test is longer',
  'src/runtime/client-main.ts': 'a process',
  'src/runtime/migrate-main.ts': 'a process',
  'src/runtime/supervisor.fixture.ts': 'a process of its test',
  'src/server/access/sign-in/sign-in.fixture.ts': 'used by two tests',
  'src/server/addresses/imports/killed-import.fixture.ts': 'a process of its test',
  'src/server/api/answer-api.ts': 'both surfaces, for both threads and `next dev`',
  'src/server/api/operations/search.ts': 'one area of operations, like its neighbors',
  'src/server/api/operations/jobs.ts': 'one area of operations, like its neighbors',
  'src/server/api/operations/settings.ts': 'one area of operations, like its neighbors',
  'src/server/db/row-stamp.ts': 'used by two domains',
  'src/server/lib/clock.ts': 'the time that tests replace',
  'src/server/lib/group-by.ts': 'used by every domain',
  'src/server/lib/ids.ts': 'used by every domain',
  'src/server/lib/moment.ts': 'used by the database and by caches',
  'src/server/providers/hypervisor/guest-fact.fixture.ts': 'used by tests of three domains',
  'src/server/providers/hypervisor/pve/client-options.ts': 'needed by the client and by what the client needs',
  'src/server/providers/hypervisor/pve/preflight/check-line.ts': 'used by its neighbors',
  'src/server/providers/hypervisor/registry.ts': 'the only file that chooses a provider',
  'src/server/providers/net/delivery-error.ts': 'used by every way of delivery',
  'src/server/providers/oidc/oidc-error.ts': 'used by the provider and its guard',
  'src/server/sync/testing/parse-net.fixture.ts': 'an oracle, apart from what it checks',
  'src/server/traffic/agents/read-report.ts': 'knows the wire of the agent; its test is longer',
  'src/ui/dialog.tsx': 'where the bundle is split',
  'src/ui/drawer.tsx': 'where the bundle is split',
  'src/ui/form/number-field.tsx': 'one kind of field, like its neighbors',
  'src/ui/roving-index.ts': 'one rule of two components; its test is longer',
  'src/ui/theme-cookie.ts': 'for server and browser',
  'src/ui/ui-provider.tsx': 'on one side of what server and browser render',
  'workers/hanging-worker.fixture.ts': 'a process of its test',
  'workers/idle-processors.fixture.ts': 'used by four tests',
  'workers/some-jobs.fixture.ts': 'a process of its test',
};
const SHORT = 25;

/** What the agent needs the system's clock for, which can be set at any time. Waits and ages within the process use `monotonic`. */
const SYSTEM_CLOCK_OF_THE_AGENT: Readonly<Record<string, string>> = {
  'agent/src/agent.ts': 'times in the status file',
  'agent/src/capture/capture.ts': 'times of packets',
  'agent/src/cli/doctor.ts': 'the age of a time in the status file, which another process wrote',
  'agent/src/collectors.ts': 'times in heartbeats',
  'agent/src/logs/access-log.ts': 'times of log lines',
  'agent/src/logs/log-collector.ts': 'times of log lines',
  'agent/src/sys/clock.ts': 'the offset of monotonic times of the kernel',
  'agent/src/transport/delivery.ts': 'Retry-After as a date',
  'agent/src/transport/spool.ts': 'names of files that outlive the process',
};

describe('architecture', () => {
  it('contains every source: none is ignored by an entry for something else', () => {
    const ignored = execFileSync(
      'git',
      ['ls-files', '--others', '--ignored', '--exclude-standard', 'src', 'workers', 'packages', 'e2e', 'drizzle'],
      {
        encoding: 'utf8',
      },
    );
    expect(ignored).toBe('');
  });

  it('keeps what the process remembers behind processState, where the tests that share a process can forget it', () => {
    const variables = listSources('src', 'workers', 'packages/simulator')
      .filter(({ path }) => !IN_THE_BROWSER.test(path) && !/\.test\.tsx?$/.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(MODULE_STATE)].map((found) => `${path} ${found[1] ?? found[2]}`));
    expect(variables.sort()).toEqual(Object.keys(HARMLESS_STATE).sort());
  });

  it('names what the pure code remembers: nothing is cached where a reader does not expect it', () => {
    const kept = listSources('src/domain')
      .filter(({ path }) => !/\.test\.ts$|fixture/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^(?:export )?const (\w+)[^=\n]*= new Weak(?:Map|Set|Ref)/gm)].map(
          ([, name]) => `${path} ${name}`,
        ),
      );
    expect(kept.sort()).toEqual(Object.keys(KEPT_WITH_ITS_KEY).sort());
  });

  it('has one facility for caches: limited, counted in the metrics, reset by tests', () => {
    const sources = listSources('src/server', 'src/runtime', 'workers').filter(
      ({ path }) => !/\.test\.ts$|fixture/.test(path),
    );
    const remembering = sources.filter(({ text }) => /\bprocessState[(<]/.test(text)).map(({ path }) => path);
    expect(remembering.sort()).toEqual(Object.keys(NO_CACHE).sort());
    const byHand = sources.filter(({ text }) =>
      /^(?:export )?const \w+(?:: [^=]+)? = new Weak(?:Map|Set|Ref)/m.test(text),
    );
    expect(byHand.map(({ path }) => path)).toEqual([]);
    const names = sources.flatMap(({ path, text }) =>
      path.endsWith('lib/cache.ts')
        ? []
        : [
            ...text.matchAll(
              /= (?:cache|objectCache|sharedValue|createSumsCache)<[^']{0,120}\((?:\{\s*name: )?'([a-z_]+)'/g,
            ),
          ].map(([, name]) => name),
    );
    const listed = readFileSync('docs/metrics.md', 'utf8').matchAll(
      /^\| `([a-z_]+)` \| (?!(?:gauge|counter|histogram) )/gm,
    );
    expect(names.sort()).toEqual([...listed].map(([, name]) => name).sort());
    expect(names.length).toBeGreaterThan(15);
  });

  it('has one facility for forms with a version', () => {
    const forms = listSources('src/features').filter(({ path }) => !/\.test\.tsx?$/.test(path));
    const files = (pattern: RegExp) => forms.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(files(/'version_conflict'/)).toEqual(['src/features/shared/use-versioned-form.ts']);
    // A form that is filled from a stored thing is declared by `useVersionedForm`.
    expect(files(/defaultValues[:=]\s*\{?to\w+Values\(/)).toEqual([]);
    expect(files(/\buseVersionedForm\(|<Versioned(?:Form|Drawer)\b/).length).toBeGreaterThan(15);
    // One place decides when fields are checked: when the form is submitted.
    expect(files(/\buseForm\b/)).toEqual(['src/features/shared/domain-resolver.ts']);
    expect(files(/\buseCheckedForm\b/).length).toBeGreaterThan(10);
  });

  it('replaces no modules in tests: the next file in the process would get them, too', () => {
    const files = listSources('src', 'workers', 'agent', 'scripts', 'packages').filter(({ path }) =>
      /\.test\.tsx?$/.test(path),
    );
    const replacing = files.filter(({ text }) => /\bvi\.(mock|doMock|hoisted|resetModules)\(/.test(text));
    expect(replacing.map(({ path }) => path)).toEqual([]);
    expect(files.length).toBeGreaterThan(350);
  });

  it('gives no test a time limit of its own: a limit ends what hangs, and a slow machine is no fault', () => {
    const files = listSources('src', 'workers', 'agent', 'packages', 'e2e').filter(({ path }) =>
      /\.(test|e2e)\.tsx?$|fixture/.test(path),
    );
    const limited = files.filter(({ text }) =>
      /\bvi\.wait(For|Until)\(|\btimeout: \d+_000\b(?<!: [1-3]_000)|\bsetTimeout\(\d+_/.test(text),
    );
    expect(limited.map(({ path }) => path)).toEqual([]);
    expect(files.length).toBeGreaterThan(500);
  });

  it('types key by key in the browser suite: fill() hides a field that loses focus while someone types', () => {
    const specs = readdirSync('e2e', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const filled = specs.filter((name) => /\.fill\(/.test(readFileSync(join('e2e', name), 'utf8')));
    expect(filled).toEqual([]);
    expect(specs.length).toBeGreaterThan(30);
  });

  it('reads the clock of the system in the agent only for times that leave the process, never for a wait', () => {
    const files = listSources('agent/src').filter(({ path }) => !path.endsWith('.test.ts'));
    const reading = files.filter(({ text }) => /\bDate\.now\b|\bnew Date\(\)/.test(text));
    expect(reading.map(({ path }) => path).sort()).toEqual(Object.keys(SYSTEM_CLOCK_OF_THE_AGENT).sort());
    expect(files.length).toBeGreaterThan(60);
  });

  it('has no short file without a reason', () => {
    const folders = ['agent/src', 'agent/contract/src', 'packages/bench', 'packages/simulator/src', 'src', 'workers'];
    const short = listSources(...folders).filter(
      ({ path, text }) => !/^src\/(app|test)\/|\.test\.tsx?$/.test(path) && text.split('\n').length <= SHORT,
    );
    expect(short.map(({ path }) => path).sort()).toEqual(Object.keys(SHORT_FILES).sort());
  });
});
