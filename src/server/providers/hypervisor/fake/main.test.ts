import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rawRequest } from './test-client.fixture';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const start = (...args: string[]) => spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], { stdio: 'pipe' });

describe('the simulator as a process', () => {
  it('prints one line that says how to reach it, and ends on SIGTERM', { timeout: 30_000 }, async () => {
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

  it('names what is wrong with its arguments', { timeout: 30_000 }, async () => {
    const child = start('--scenario', 'moon-base');
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    expect((await once(child, 'exit'))[0]).toBe(2);
    expect(text).toContain('--scenario must be one of small-lab, enterprise, chaos, bench');
  });
});
