import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './config';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-config-'));
  file = join(directory, 'agent.conf');
});
afterEach(() => rmSync(directory, { recursive: true }));

function listConfigProblems(text: string, options: Record<string, string> = {}): readonly string[] {
  writeFileSync(file, text);
  try {
    loadConfig(options, file, {});
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('loadConfig', () => {
  it('finds the directories of the installation that a configuration file belongs to', () => {
    const other = join(directory, 'etc', 'fabric-agent', 'agent.conf');
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, 'interval_seconds = 60\n');
    const below = {
      state_directory: join(directory, 'var/lib/fabric-agent'),
      runtime_directory: join(directory, 'run/fabric-agent'),
      firewall_log: '/var/log/pve-firewall.log',
    };
    expect(loadConfig({}, other, {})).toMatchObject(below);
    expect(loadConfig({}, relative(process.cwd(), other), {})).toMatchObject(below);
    writeFileSync(other, 'state_directory = /srv/agent\n');
    expect(loadConfig({}, other, {})).toMatchObject({ ...below, state_directory: '/srv/agent' });
    writeFileSync(file, '');
    for (const elsewhere of [file, null])
      expect(loadConfig({}, elsewhere, {})).toMatchObject({
        state_directory: '/var/lib/fabric-agent',
        runtime_directory: '/run/fabric-agent',
      });
  });

  it('takes options over environment over file over defaults', () => {
    writeFileSync(
      file,
      '# comment\nserver_url = https://a.example\n\ninterval_seconds=60\nnode_name = pve1\nflow_limit = 10',
    );
    const config = loadConfig({ interval_seconds: '90' }, file, {
      FABRIC_AGENT_INTERVAL_SECONDS: '70',
      FABRIC_AGENT_FLOW_LIMIT: '20',
      FABRIC_AGENT_NODE_NAME: '',
    });
    expect(config).toMatchObject({ interval_seconds: 90, flow_limit: 20, node_name: 'pve1', log_level: 'info' });
    expect(config.server_url?.href).toBe('https://a.example/');
  });

  it('names file, line, setting and remedy', () => {
    expect(
      listConfigProblems('server_url = nonsense\nfoo = 1\njust words\ninterval_seconds = 1\nca_file = ca.pem\n'),
    ).toEqual([
      `${file}:2: unknown setting foo`,
      `${file}:3: expected "name = value", found "just words"`,
      `${file}:1: server_url is not a URL: "nonsense". Expected for example https://fabric.example.com`,
      `${file}:5: ca_file must be an absolute path, found "ca.pem"`,
      `${file}:4: interval_seconds must be a whole number from 5 to 3600, found "1"`,
    ]);
    expect(listConfigProblems('', { flow_limit: 'many' })).toEqual([
      '--flow-limit: flow_limit must be a whole number from 1 to 20000, found "many"',
    ]);
  });

  it('does not send tokens in cleartext unless configured to, or to itself', () => {
    expect(listConfigProblems('server_url = http://fabric.example')[0]).toContain('plain http');
    expect(listConfigProblems('server_url = http://127.evil.example')[0]).toContain('plain http');
    for (const url of [
      'http://127.0.0.1:3000',
      'http://localhost:3000',
      'http://[::1]:3000',
      'https://fabric.example',
    ]) {
      expect(listConfigProblems(`server_url = ${url}`)).toEqual([]);
    }
    expect(listConfigProblems('server_url = http://fabric.example\nallow_http = true')).toEqual([]);
    expect(listConfigProblems('server_url = https://user:pass@fabric.example')[0]).toContain('user name');
  });

  it('reads a fingerprint in the usual notations', () => {
    const hex = 'ab'.repeat(32);
    const colons = hex.toUpperCase().match(/../g)?.join(':');
    writeFileSync(file, `tls_fingerprint = SHA256:${colons}`);
    expect(loadConfig({}, file, {}).tls_fingerprint).toBe(hex);
    expect(listConfigProblems('tls_fingerprint = abcd')[0]).toContain('64 hexadecimal digits');
    expect(listConfigProblems(`tls_fingerprint = ${hex}\nca_file = /ca.pem`)[0]).toContain('are mutually exclusive');
  });

  it('wants a named file to exist, not the default one', () => {
    expect(() => loadConfig({}, join(directory, 'missing'), {})).toThrow(/cannot read .*ENOENT/);
    expect(loadConfig({}, null, {}).server_url).toBeNull();
  });
});
