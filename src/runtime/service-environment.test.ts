import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundled } from '@/test/bundle';

const PROGRAMS = { web: bundled('src/runtime/web-main.ts'), worker: bundled('workers/main.ts') };
/** Nothing listens there: a program that looks for its stores first does not end. */
const DATABASE_URL = 'postgres://127.0.0.1:9/none';

/** Starts a program with these variables and waits for its end. */
async function start(name: keyof typeof PROGRAMS, variables: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAMS[name](), ...args], {
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', LOG_LEVEL: 'silent', ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'exit');
  return { code, lines: text.trim().split('\n') };
}

describe.each(['web', 'worker'] as const)('%s in production', (name) => {
  // Which variables are missing is decided by `env.ts`, whose tests have all of them.
  it.each([
    [{}, /^Invalid environment: DATABASE_URL is missing/],
    [{ DATABASE_URL }, /^Invalid environment: .*also set REDIS_URL .* and FABRIC_SECRET_KEY /],
  ])('refuses to start with %o, in one line', async (variables, message) => {
    const { code, lines } = await start(name, variables);
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(message)]);
  });

  it('needs the secret key also in the embedded mode', async () => {
    const { code, lines } = await start(name, { DATABASE_URL }, '--embedded');
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/also set FABRIC_SECRET_KEY \(/)]);
  });
});
