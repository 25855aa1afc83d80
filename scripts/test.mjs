// `npm test`: every check of the project, then what ran, what did not and why, and last `N passed, N failed`.
// Names of stages as arguments run only these: `npm test -- unit int`. With `--affected` the unit tests are those that a change since
// they passed last can affect.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAffectedTests, hashWorkingTree, recordPassed } from './affected-tests.mjs';
import { installIfNeeded, root } from './install.mjs';
import { formatFailure } from './test-report.mjs';

const CI = process.env.CI === 'true';
const ONLY_AFFECTED = process.argv.includes('--affected');
const results = mkdtempSync(join(tmpdir(), 'fabric-test-results-'));
const bin = (...parts) => join(root, 'node_modules', ...parts);

/** Runs a program and returns whether it succeeded. `quiet` holds its output until it ends, for parallel runs. */
function run(command, args, { env = {}, quiet = false } = {}) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...env },
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      process.stdout.write(Buffer.concat(output));
      resolve(status === 0);
    });
  });
}

const node = (args, options) => run(process.execPath, args, options);
const quiet = { quiet: true };

/** A check that is one test: it holds or it does not. */
const check = (holds) => ({ passed: holds ? 1 : 0, failed: holds ? 0 : 1, skipped: [], failures: [] });

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function vitest(project, related = null) {
  const file = join(results, `${project}.json`);
  const reporters = ['--reporter=default', '--reporter=./scripts/test-report.mjs'];
  const which = related ? ['related', '--run', ...related] : ['run'];
  const args = [bin('vitest', 'vitest.mjs'), ...which, '--project', project, ...reporters];
  const holds = await node(args, { env: { TEST_REPORT: file } });
  const report = readJson(file);
  if (!report) return check(false);
  if (!holds && report.failures.length === 0)
    report.failures.push(formatFailure(`the ${project} tests`, 'ended with an error'));
  return { ...report, failed: report.failures.length };
}

async function unitTests() {
  const files = hashWorkingTree();
  const related = ONLY_AFFECTED ? findAffectedTests(files) : null;
  const outcome = await vitest('unit', related);
  if (outcome.failed === 0) recordPassed(files);
  return { ...outcome, note: related && 'those that a change since they passed last can affect' };
}

function chromium() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const paths = [process.env.CHROMIUM_PATH, ...names.map((name) => `/usr/bin/${name}`)];
  return paths.find((path) => path && existsSync(path));
}

/** The specs of a suite of Playwright's report, with those of the suites inside. */
const listSpecs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(listSpecs)];

function failedSpecs(report) {
  return listSpecs(report)
    .filter((spec) => !spec.ok)
    .map((spec) => {
      const results = spec.tests.flatMap((test) => test.results);
      const [first, ...further] = results.flatMap((result) => result.errors ?? []).map(({ message }) => message ?? '');
      const { name, reason } = formatFailure(`${spec.file}:${spec.line} ${spec.title}`, first ?? '');
      // What the page showed comes after the error.
      return { name, reason: [...reason, ...formatFailure(name, further.join('\n')).reason] };
    });
}

function slowestFiles(report) {
  const files = (report.suites ?? []).map((file) => {
    const results = listSpecs(file).flatMap((spec) => spec.tests.flatMap((test) => test.results));
    return { name: file.file, seconds: results.reduce((sum, result) => sum + result.duration, 0) / 1000 };
  });
  return files.sort((a, b) => b.seconds - a.seconds).slice(0, 5);
}

async function endToEnd(done) {
  const config = join(root, 'e2e', 'playwright.config.ts');
  if (!existsSync(config)) return { none: 'there is no e2e/playwright.config.ts' };
  if (done.build?.failed) return { none: 'the build failed' };
  const browser = chromium();
  if (!browser) return { none: 'there is no Chromium (install chromium or set CHROMIUM_PATH)', required: true };
  const file = join(results, 'e2e.json');
  const holds = await node([bin('@playwright', 'test', 'cli.js'), 'test', '-c', config, '--reporter=list,json'], {
    env: { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  });
  const report = readJson(file);
  const stats = report?.stats;
  if (!stats) return check(false);
  const failed = stats.unexpected + (holds || stats.unexpected > 0 ? 0 : 1);
  return {
    passed: stats.expected + stats.flaky,
    failed,
    skipped: Array.from({ length: stats.skipped }, () => 'see the list above'),
    failures: failedSpecs(report),
    slowest: slowestFiles(report),
  };
}

/** Results of the run before, by content: a check of what did not change since is not repeated. */
const CACHE = join(root, 'node_modules', '.cache');
const TYPES_CACHE = ['--incremental', '--tsBuildInfoFile', join(CACHE, 'types.tsbuildinfo')];

/** What the integration tests need and is not here; on CI they fail without it. */
function listMissing() {
  const chdb = join(process.env.FABRIC_CHDB ?? join(root, '.ci', 'chdb'), 'node_modules', 'chdb');
  return [
    ...(spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0 ? [] : ['there is no redis-server']),
    ...(existsSync(chdb) ? [] : ['there is no chdb (npm install --prefix .ci/chdb)']),
  ];
}

/**
 * `beside`: these run one after another beside `unit` and `int`, whose tests often wait and leave a processor idle. What is left
 * needs the build.
 */
const STAGES = {
  lint: {
    title: 'format and lint',
    beside: true,
    run: async () => check(await node([bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '.'], quiet)),
  },
  types: {
    title: 'types',
    beside: true,
    run: async () => {
      // Next writes the types of the routes.
      const typegen = { ...quiet, env: { NEXT_TELEMETRY_DISABLED: '1' } };
      const written = await node([bin('next', 'dist', 'bin', 'next'), 'typegen'], typegen);
      return check(
        written &&
          (await node(
            [bin('typescript-native', 'bin', 'tsc'), '--noEmit', '--singleThreaded', '-p', '.', ...TYPES_CACHE],
            quiet,
          )),
      );
    },
  },
  deps: {
    title: 'dependency rules',
    beside: true,
    run: async () => check(await run('npm', ['run', '--silent', 'deps'], quiet)),
  },
  knip: {
    title: 'unused code',
    beside: true,
    run: async () =>
      check(await node([bin('knip', 'bin', 'knip.js'), '--cache', '--cache-location', join(CACHE, 'knip')], quiet)),
  },
  unit: { title: 'unit tests', run: unitTests },
  int: {
    title: 'integration tests (PostgreSQL, Redis, ClickHouse)',
    run: async () => {
      const outcome = await vitest('int');
      const missing = listMissing();
      if (missing.length > 0) outcome.why = missing.join(', ');
      return outcome;
    },
  },
  build: {
    title: 'build',
    beside: true,
    run: async () => check(await node([join(root, 'scripts', 'build.mjs'), '--if-changed'], quiet)),
  },
  budgets: {
    title: 'JavaScript per page',
    run: async (done) =>
      done.build?.failed ? { none: 'the build failed' } : check(await node([join(root, 'scripts', 'js-budgets.mjs')])),
  },
  e2e: { title: 'end-to-end tests (Chromium)', run: endToEnd },
};

installIfNeeded();
const asked = process.argv.slice(2).filter((name) => name !== '--affected');
const unknown = asked.find((name) => !(name in STAGES));
if (unknown) {
  process.stderr.write(`There is no stage "${unknown}". Stages: ${Object.keys(STAGES).join(', ')}\n`);
  process.exit(1);
}

const done = {};
async function perform([name, stage]) {
  process.stdout.write(`\n== ${stage.title}\n`);
  const started = Date.now();
  const outcome = await stage.run(done);
  done[name] = { ...outcome, seconds: Math.round((Date.now() - started) / 1000) };
}
const started = Date.now();
const requested = Object.entries(STAGES).filter(([name]) => asked.length === 0 || asked.includes(name));
async function performAll(stages) {
  for (const one of stages) await perform(one);
}
const isTest = ([name]) => name === 'unit' || name === 'int';
await Promise.all([performAll(requested.filter(([, stage]) => stage.beside)), performAll(requested.filter(isTest))]);
await performAll(requested.filter((one) => !one[1].beside && !isTest(one)));

const lines = [];
const total = { passed: 0, failed: 0 };
for (const [name, { title }] of Object.entries(STAGES)) {
  const outcome = done[name];
  if (!outcome) {
    lines.push(`  ${title}: not run, it was not asked for`);
  } else if (outcome.none) {
    const fails = outcome.required && CI;
    if (fails) total.failed += 1;
    lines.push(`  ${title}: ${fails ? 'FAILED' : 'skipped'}, ${outcome.none}`);
  } else {
    total.passed += outcome.passed;
    total.failed += outcome.failed;
    lines.push(`  ${title}: ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.seconds} s`);
    if (outcome.note) lines.push(`    ${outcome.note}`);
    for (const { name: file, seconds } of outcome.slowest ?? []) lines.push(`    ${seconds.toFixed(0)} s in ${file}`);
    for (const { name: test, reason } of outcome.failures) {
      lines.push(`    FAILED ${test}`, ...reason.map((line) => `      ${line}`));
    }
    if (outcome.skipped.length > 0) {
      lines.push(`    skipped ${outcome.skipped.length}${outcome.why ? `, ${outcome.why}` : ''}:`);
      for (const test of new Set(outcome.skipped)) lines.push(`      ${test}`);
    }
  }
}
rmSync(results, { recursive: true, force: true });
const minutes = ((Date.now() - started) / 60_000).toFixed(1);
process.stdout.write(
  `\nWhat ran, in ${minutes} minutes\n${lines.join('\n')}\n\n${total.passed} passed, ${total.failed} failed\n`,
);
process.exit(total.failed > 0 ? 1 : 0);
