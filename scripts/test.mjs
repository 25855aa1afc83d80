// `npm test`: every check of the project, then what ran, what did not and why, and last `N passed, N failed`.
// Names of stages as arguments run only these: `npm test -- unit int`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { installIfNeeded, root } from './install.mjs';

const CI = process.env.CI === 'true';
const results = mkdtempSync(join(tmpdir(), 'fabric-test-results-'));
const bin = (...parts) => join(root, 'node_modules', ...parts);

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return status === 0;
}

const node = (args, env) => run(process.execPath, args, env);

/** A check that is one test: it holds or it does not. */
const check = (holds) => ({ passed: holds ? 1 : 0, failed: holds ? 0 : 1, skipped: [], failures: [] });

/** What failed, short enough to stand at the end of a long log: the name and the first lines of the reason. */
const failure = (name, message) => ({ name, reason: stripVTControlCharacters(message).split('\n').slice(0, 12) });

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function vitest(project) {
  const file = join(results, `${project}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const holds = node([bin('vitest', 'vitest.mjs'), 'run', '--project', project, ...reporters]);
  const report = readJson(file);
  if (!report) return check(false);
  const skipped = report.testResults.flatMap((suite) =>
    suite.assertionResults
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => test.fullName),
  );
  const failures = report.testResults.flatMap((suite) => {
    const tests = suite.assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map((test) => failure(test.fullName, test.failureMessages.join('\n')));
    return suite.status === 'failed' ? [failure(relative(root, suite.name), suite.message ?? '')] : [];
  });
  // A file that cannot be loaded has no tests to fail; it counts as one.
  const failed = report.numFailedTests + (holds || report.numFailedTests > 0 ? 0 : 1);
  return { passed: report.numPassedTests, failed, skipped, failures };
}

function chromium() {
  const paths = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return paths.find((path) => path && existsSync(path));
}

/** The specs of a suite of Playwright's report, with those of the suites inside. */
const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];

function failedSpecs(report) {
  return specsOf(report)
    .filter((spec) => !spec.ok)
    .map((spec) => {
      const results = spec.tests.flatMap((test) => test.results);
      const error = results.flatMap((result) => result.errors ?? [])[0];
      return failure(`${spec.file}:${spec.line} ${spec.title}`, error?.message ?? '');
    });
}

function endToEnd(done) {
  const config = join(root, 'e2e', 'playwright.config.ts');
  if (!existsSync(config)) return { none: 'there is no e2e/playwright.config.ts' };
  if (done.build?.failed) return { none: 'the build failed' };
  const browser = chromium();
  if (!browser) return { none: 'there is no Chromium (install chromium or set CHROMIUM_PATH)', required: true };
  const file = join(results, 'e2e.json');
  const holds = node([bin('@playwright', 'test', 'cli.js'), 'test', '-c', config, '--reporter=list,json'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
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
  };
}

const hasRedis = () => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

const STAGES = {
  lint: { title: 'format and lint', run: () => check(node([bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '.'])) },
  types: {
    title: 'types',
    // Next writes the types of the routes.
    run: () =>
      check(
        node([bin('next', 'dist', 'bin', 'next'), 'typegen'], { NEXT_TELEMETRY_DISABLED: '1' }) &&
          node([bin('typescript', 'bin', 'tsc'), '--noEmit', '-p', '.']),
      ),
  },
  deps: { title: 'dependency rules', run: () => check(run('npm', ['run', '--silent', 'deps'])) },
  knip: { title: 'unused code', run: () => check(node([bin('knip', 'bin', 'knip.js')])) },
  unit: { title: 'unit tests', run: () => vitest('unit') },
  int: {
    title: 'integration tests (PostgreSQL, Redis)',
    run: () => {
      const outcome = vitest('int');
      if (!hasRedis()) outcome.why = 'there is no redis-server';
      return outcome;
    },
  },
  build: { title: 'build', run: () => check(node([join(root, 'scripts', 'build.mjs'), '--if-changed'])) },
  budgets: {
    title: 'JavaScript per page',
    run: (done) =>
      done.build?.failed ? { none: 'the build failed' } : check(node([join(root, 'scripts', 'js-budgets.mjs')])),
  },
  e2e: { title: 'end-to-end tests (Chromium)', run: endToEnd },
};

installIfNeeded();
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in STAGES));
if (unknown) {
  process.stderr.write(`There is no stage "${unknown}". Stages: ${Object.keys(STAGES).join(', ')}\n`);
  process.exit(1);
}

const done = {};
for (const [name, stage] of Object.entries(STAGES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n== ${stage.title}\n`);
  const started = Date.now();
  const outcome = stage.run(done);
  done[name] = { ...outcome, seconds: Math.round((Date.now() - started) / 1000) };
}

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
process.stdout.write(`\nWhat ran\n${lines.join('\n')}\n\n${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed > 0 ? 1 : 0);
