import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const START = fileURLToPath(new URL('./start.mjs', import.meta.url));

function startAs(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, START], {
    encoding: 'utf8',
  });
}

describe('npm start', () => {
  it.each(['18.20.4', '20.11.1', '4.9.1'])('tells Node %s that it is too old, and nothing else', (version) => {
    const { status, stdout, stderr } = startAs(version);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe(`Fabric needs Node 20.12 or later; this is Node ${version}. See https://nodejs.org.\n`);
  });
});
