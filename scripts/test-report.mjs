// Writes the results of a Vitest run to a file: counts, failures with the first lines of their reason, errors outside
// tests, and the slowest files. `npm test` reads it.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What failed, short enough for the end of a long log. */
export const formatFailure = (name, message) => ({
  name,
  reason: stripVTControlCharacters(message).split('\n').slice(0, 12),
});

/** The errors as text; of their stacks only this project's frames. What ran too long has another text at the head of its stack. */
const formatErrors = (errors) =>
  errors
    .flatMap((error) => [
      error.message ? `${error.name ?? 'Error'}: ${error.message}` : String(error),
      ...(error.stack?.split('\n') ?? []).filter((line) => /^ +at (?!.*(node_modules|node:))/.test(line)),
      error.diff,
    ])
    .filter(Boolean)
    .join('\n');

const sumSeconds = ({ setupDuration, collectDuration, duration }) =>
  (setupDuration + collectDuration + duration) / 1000;

/** A reporter of Vitest; the environment variable `TEST_REPORT` names its file. */
export default class TestReport {
  onTestRunEnd(modules, unhandled) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state) => tests.filter((test) => test.result().state === state);
    const getFilePath = (module) => relative(process.cwd(), module.moduleId);
    const failures = [
      ...inState('failed').map((test) => formatFailure(test.fullName, formatErrors(test.result().errors ?? []))),
      // A file that cannot be loaded and a hook that fails have no failed test.
      ...modules
        .flatMap((module) =>
          [module, ...module.children.allSuites()].map((part) => ({ module, errors: part.errors() })),
        )
        .filter(({ errors }) => errors.length > 0)
        .map(({ module, errors }) => formatFailure(getFilePath(module), formatErrors(errors))),
      ...unhandled.map((error) => formatFailure('outside of any test', formatErrors([error]))),
    ];
    const slowest = modules
      .map((module) => ({ name: getFilePath(module), seconds: sumSeconds(module.diagnostic()) }))
      .sort((a, b) => b.seconds - a.seconds);
    const report = {
      passed: inState('passed').length,
      skipped: inState('skipped').map((test) => test.fullName),
      failures,
      slowest: slowest.slice(0, 5),
    };
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
