import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, getuid } from 'node:process';
import { describe } from 'vitest';

function isInstalled(tool: string): boolean {
  return [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((directory) => {
    try {
      accessSync(join(directory, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether one of the system's library directories, that of an architecture included, has a file. */
function hasLibrary(file: string): boolean {
  const directories = ['/usr/lib', '/usr/lib64'].filter((directory) => existsSync(directory));
  return directories.some((directory) =>
    ['', ...readdirSync(directory)].some((name) => existsSync(join(directory, name, file))),
  );
}

/**
 * `describe` for tests that change the kernel's network state: `describeAsRoot('nft')('name', () => …)`. Without root
 * or a required tool they are skipped and the reason is printed; in CI that is a failure, since no one would read it.
 */
export function describeAsRoot(...tools: string[]): typeof describe | typeof describe.skip {
  return describeUnless([...(getuid?.() === 0 ? [] : ['root']), ...missingTools(tools)]);
}

/** The same for tests that need programs only, or modules that these load, such as `rsyslog/lmnsd_gtls.so`. */
export function describeWithTools(...tools: string[]): typeof describe | typeof describe.skip {
  return describeUnless(missingTools(tools));
}

function missingTools(tools: string[]): string[] {
  return tools.filter((tool) => !(tool.endsWith('.so') ? hasLibrary(tool) : isInstalled(tool)));
}

function describeUnless(missing: string[]): typeof describe | typeof describe.skip {
  if (missing.length === 0) return describe;
  const reason = `needs ${missing.join(', ')}`;
  if (env.CI === 'true') throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return describe.skip;
}
