import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { renderInstaller } from '@fabric/agent-contract/installer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './network-namespaces';
import { describeAsRoot, describeWithTools } from './requirements';

const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TOKEN = 'one-time-token-0123456789';

type Result = { code: number | null; output: string };

describeAsRoot('curl')('installer', () => {
  let dist: string;
  let directory: string;
  let root: string;
  let stubs: string;
  let server: Server;
  let baseUrl: string;
  let script: string;
  let enrolments: Record<string, unknown>[];
  let corrupt: string | null;

  beforeAll(async () => {
    dist = mkdtempSync(join(tmpdir(), 'fabric-dist-'));
    run(`${process.execPath} ${join(AGENT, 'build.mjs')} ${dist}`);
    server = createServer((request, response) => {
      const name = request.url?.startsWith('/api/v1/agents/download/') ? request.url.split('/').at(-1) : undefined;
      if (name !== undefined) {
        const body = readFileSync(join(dist, name));
        response.end(name === corrupt ? Buffer.concat([body, Buffer.from('x')]) : body);
        return;
      }
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const body = JSON.parse(text);
        enrolments.push(body);
        if (body.enrolment_token === TOKEN) response.end('{"node_token":"node-token-0123456789","node_id":"n1"}');
        else response.writeHead(403).end('{"detail":"the enrolment token has expired"}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { files } = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as {
      files: Record<string, { sha256: string }>;
    };
    const list = Object.entries(files).map(([name, { sha256 }]) => ({ name, sha256 }));
    script = renderInstaller(readFileSync(join(dist, 'install.sh'), 'utf8'), baseUrl, list);
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(dist, { recursive: true });
  });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-install-'));
    root = join(directory, 'root');
    stubs = join(directory, 'bin');
    enrolments = [];
    corrupt = null;
    mkdirSync(root);
    mkdirSync(stubs);
    // Programs that would change this machine only note that they were called.
    const log = join(directory, 'calls');
    writeFileSync(log, '');
    for (const name of ['useradd', 'groupadd', 'userdel', 'groupdel', 'chown', 'sysctl', 'apt-get', 'systemctl']) {
      stub(name, `echo "${name} $*" >>${log}`);
    }
    stub('runuser', `echo "runuser $1 $2" >>${log}; shift 3; exec "$@"`);
    // Starting the service: the agent reports success.
    const status = join(root, 'run/fabric-agent/status.json');
    stub(
      'systemctl',
      `echo "systemctl $*" >>${log}
       case "$1" in restart) mkdir -p ${dirname(status)}; echo '{"last_acknowledged_at":"2026-11-20T12:47:07Z"}' >${status};; esac`,
    );
    return () => rmSync(directory, { recursive: true });
  });

  function stub(name: string, body: string): void {
    writeFileSync(join(stubs, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(stubs, name), 0o755);
  }

  const calls = () => readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n').filter(Boolean);

  /** Pipes the script into a shell, as the install command does. */
  function install(
    shell: string,
    input: string,
    env: Record<string, string> = {},
    args: string[] = [],
  ): Promise<Result> {
    return new Promise((resolve) => {
      const child = spawn(shell, ['-s', '--', ...args], {
        env: {
          ...process.env,
          PATH: `${stubs}:${process.env.PATH}`,
          FABRIC_INSTALL_ROOT: root,
          FABRIC_WAIT_SECONDS: '2',
          ...env,
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => {
          output += data;
        });
      child.on('close', (code) => resolve({ code, output }));
      child.stdin.end(input);
    });
  }

  describe.each(['dash', 'bash'])('in %s', (shell) => {
    it('installs, and a second run updates without a new token', async () => {
      const first = await install(shell, script, { FABRIC_ENROLMENT_TOKEN: TOKEN, FABRIC_NODE_NAME: 'pve1' });
      expect(first).toMatchObject({ code: 0, output: expect.stringContaining('acknowledged the first heartbeat') });
      expect(enrolments).toEqual([expect.objectContaining({ enrolment_token: TOKEN, node_name: 'pve1' })]);
      expect(readFileSync(join(root, 'var/lib/fabric-agent/node-token'), 'utf8')).toBe('node-token-0123456789\n');
      expect(statSync(join(root, 'var/lib/fabric-agent/node-token')).mode & 0o777).toBe(0o600);
      expect(statSync(join(root, 'var/lib/fabric-agent')).mode & 0o777).toBe(0o700);
      const systemd = calls().filter((call) => call.startsWith('systemctl'));
      expect(systemd).toEqual([
        'systemctl daemon-reload',
        'systemctl enable fabric-agent.service',
        'systemctl restart fabric-agent.service',
      ]);
      expect(first.output).not.toContain(TOKEN);

      const configFile = join(root, 'etc/fabric-agent/agent.conf');
      writeFileSync(configFile, `${readFileSync(configFile, 'utf8')}interval_seconds = 60\n`);
      const second = await install(shell, script);
      expect(second).toMatchObject({ code: 0, output: expect.stringContaining('already enrolled') });
      expect(enrolments).toHaveLength(1);
      const lines = readFileSync(configFile, 'utf8').trim().split('\n').slice(1).sort();
      expect(lines).toEqual([
        'allow_http = true',
        'interval_seconds = 60',
        'node_name = pve1',
        `server_url = ${baseUrl}`,
      ]);
      const bundle = join(root, 'usr/lib/fabric-agent/fabric-agent.cjs');
      expect(run(`${process.execPath} ${bundle} --version`).trim()).toBe('0.5.1');
    });

    it('does nothing when the download is interrupted', async () => {
      const last = script.lastIndexOf('\n{ main');
      const cuts = Array.from({ length: 30 }, (_, i) => Math.floor((last * (i + 1)) / 30));
      for (let cut = last + 1; cut <= script.length - 3; cut += 1) cuts.push(cut);
      for (const cut of cuts) await install(shell, script.slice(0, cut), { FABRIC_ENROLMENT_TOKEN: TOKEN });
      expect(calls()).toEqual([]);
      expect(enrolments).toEqual([]);
      expect(existsSync(join(root, 'usr'))).toBe(false);
    }, 60_000);

    it('removes everything', async () => {
      await install(shell, script, { FABRIC_ENROLMENT_TOKEN: TOKEN });
      const removed = await install(shell, script, {}, ['--uninstall']);
      expect(removed).toMatchObject({ code: 0, output: expect.stringContaining('removed') });
      expect(calls()).toContain('systemctl disable --now fabric-agent.service');
      for (const path of [
        'usr/lib/fabric-agent',
        'usr/bin/fabric-agent',
        'etc/fabric-agent',
        'var/lib/fabric-agent',
        'etc/systemd/system/fabric-agent.service',
        'etc/sysctl.d/60-fabric-agent.conf',
        'etc/modprobe.d/fabric-agent.conf',
      ]) {
        expect(existsSync(join(root, path))).toBe(false);
      }
    });
  });

  it('changes nothing when a file is not what was announced', async () => {
    corrupt = 'fabric-agent.cjs';
    const result = await install('dash', script, { FABRIC_ENROLMENT_TOKEN: TOKEN });
    expect(result).toMatchObject({ code: 1, output: expect.stringContaining('not what was announced') });
    expect(calls()).toEqual([]);
    expect(existsSync(join(root, 'usr'))).toBe(false);
  });

  it('reports why the enrollment failed and does not start', async () => {
    const result = await install('dash', script, { FABRIC_ENROLMENT_TOKEN: 'another-token-0123456789' });
    expect(result).toMatchObject({ code: 1, output: expect.stringContaining('the enrolment token has expired') });
    expect(calls().some((call) => call.startsWith('systemctl'))).toBe(false);
    expect(await install('dash', script)).toMatchObject({
      code: 1,
      output: expect.stringContaining('no enrollment token'),
    });
  });

  it('reports when no heartbeat is acknowledged', async () => {
    stub('systemctl', ':');
    const result = await install('dash', script, { FABRIC_ENROLMENT_TOKEN: TOKEN });
    expect(result).toMatchObject({
      code: 1,
      output: expect.stringContaining('no heartbeat was acknowledged within 2 s'),
    });
  });

  it('takes the token from standard input when it is a file', async () => {
    const file = join(directory, 'install.sh');
    writeFileSync(file, script);
    const child = await new Promise<Result>((resolve) => {
      const env = {
        ...process.env,
        PATH: `${stubs}:${process.env.PATH}`,
        FABRIC_INSTALL_ROOT: root,
        FABRIC_WAIT_SECONDS: '2',
      };
      const process_ = spawn('dash', [file], { env });
      let output = '';
      for (const stream of [process_.stdout, process_.stderr])
        stream.on('data', (data) => {
          output += data;
        });
      process_.on('close', (code) => resolve({ code, output }));
      process_.stdin.end(`${TOKEN}\n`);
    });
    expect(child.code).toBe(0);
    expect(enrolments).toEqual([expect.objectContaining({ enrolment_token: TOKEN })]);
  });
});

describeWithTools('shellcheck')('installer script', () => {
  it('passes shellcheck for every shell', () => {
    for (const shell of ['sh', 'dash', 'bash']) run(`shellcheck -s ${shell} ${join(AGENT, 'packaging/install.sh')}`);
  });
});

describeWithTools('systemd-analyze')('unit', () => {
  it('passes systemd-analyze and is confined', () => {
    const directory = mkdtempSync(join(tmpdir(), 'fabric-unit-'));
    const unit = join(directory, 'fabric-agent.service');
    writeFileSync(
      unit,
      readFileSync(join(AGENT, 'packaging/fabric-agent.service'), 'utf8').replace(
        '/usr/bin/fabric-agent',
        process.execPath,
      ),
    );
    run(`systemd-analyze verify ${unit}`);
    const report = run(`systemd-analyze security --no-pager --offline=true ${unit}`);
    const level = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
    expect(level).toBeLessThanOrEqual(2.5);
    rmSync(directory, { recursive: true });
  });
});
