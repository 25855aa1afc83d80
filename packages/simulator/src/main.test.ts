import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scenarios } from './scenarios/registry';
import { rawRequest } from './test-client.fixture';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const start = (...args: string[]) => spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], { stdio: 'pipe' });

describe('the simulator as a process', () => {
  it('prints one line that says how to reach it, and ends on SIGTERM', async () => {
    const child = start('--scenario', 'chaos', '--time-scale', '100');
    const exited = once(child, 'exit');
    try {
      const [line] = await once(createInterface(child.stdout), 'line');
      const description = JSON.parse(line);
      const [cluster] = description.clusters;
      const [node] = cluster.nodes;
      const answer = await rawRequest({ ...node, caPem: cluster.ca_pem }, 'GET', '/version', {
        token: cluster.tokens.reader,
      });
      expect(answer.json.data.release).toBe('9.2');
      const control = await (await fetch(description.control_url)).json();
      expect(control.result.clusters[1].name).toBe('alone');
    } finally {
      child.kill('SIGTERM');
    }
    expect((await exited)[0]).toBe(0);
  });

  /** What the process prints until it ends by itself. */
  async function run(...args: string[]) {
    const child = start(...args);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk) => {
        texts[name] += chunk;
      });
    const [code] = await once(child, 'exit');
    return { code, ...texts };
  }

  it('shows its options for --help', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect([code, stderr]).toEqual([0, '']);
    for (const text of ['npm run dev:fake', '--scenario', '--port', '--control-port', '--time-scale', '--latency'])
      expect(stdout).toContain(text);
    for (const name of Object.keys(scenarios)) expect(stdout).toContain(name);
  });

  it.each([
    [['--scenario', 'moon-base'], '--scenario must be one of small-lab, enterprise, chaos, bench'],
    [['--port', 'many'], "--port needs a number, got 'many'"],
    [['--moon'], "Unknown option '--moon'"],
  ])('names what is wrong with %s and ends', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('--help');
    expect(stderr).not.toContain('    at ');
  });
});
