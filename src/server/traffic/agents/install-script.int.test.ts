import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentInstall, AgentInstallInfo } from '@/domain/agent';
import { STAMPED } from '@/server/auth/origin';
import { bearer, makeCluster, makeNode, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { provideBuiltAgent, readJson } from './testing/built-agent.fixture';

type Headers = Record<string, string>;
const directory = provideBuiltAgent();
let admin: Headers;
let node: { id: string };

beforeAll(async () => {
  node = await makeNode(await makeCluster());
  admin = await bearer(await makeUser('admin'));
});

describe('GET /agents/install.sh', () => {
  const script = async (headers: Headers = {}) => {
    const response = await call('/agents/install.sh', { headers });
    expect(response.status).toBe(200);
    return { response, text: await response.text() };
  };

  it('returns a shell script that must not be cached', async () => {
    const { response, text } = await script();
    expect(response.headers.get('content-type')).toBe('text/x-shellscript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).not.toContain('@FABRIC_');
  });

  it.skipIf(spawnSync('shellcheck', ['--version']).status !== 0)('passes shellcheck as it is served', async () => {
    const check = spawnSync('shellcheck', ['-s', 'sh', '-'], { input: (await script()).text, encoding: 'utf8' });
    expect(check.status, check.stdout).toBe(0);
  });

  it('contains the checksums of the files that are served', async () => {
    const { text } = await script();
    const sums = [...text.matchAll(/\b([0-9a-f]{64}) {2}([\w.-]+)/g)].map(([, sum, name]) => ({
      sum,
      name: name ?? '',
    }));
    const { files, agent_version } = await readJson<AgentInstallInfo>(
      call('/agents/install-info', { headers: admin }),
      200,
    );
    expect(agent_version).toBe('0.5.1');
    expect(sums.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    expect(sums.map(({ name }) => name)).toEqual(expect.arrayContaining(['fabric-agent.cjs', 'fabric-agent.service']));
    for (const { sum, name } of sums) {
      const response = await call(`/agents/download/${name}`);
      const content = Buffer.from(await response.arrayBuffer());
      expect(createHash('sha256').update(content).digest('hex'), name).toBe(sum);
      expect(response.headers.get('content-length')).toBe(String(content.byteLength));
      expect(response.headers.get('etag')).toBe(`"${sum}"`);
    }
  });

  it('offers packages of the same agent, and none of another build or size', async () => {
    const dist = join(directory(), 'dist');
    const bundle = JSON.parse(readFileSync(join(dist, 'agent', 'manifest.json'), 'utf8'));
    const name = `fabric-agent_${bundle.version}_amd64.deb`;
    const content = randomBytes(300_000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const own = { 'fabric-agent.cjs': bundle.files['fabric-agent.cjs'].sha256 };
    const offer = (contents: Record<string, string>, bytes = content.length) =>
      writeFileSync(
        join(dist, 'fabric-agent-packages.json'),
        JSON.stringify({ version: bundle.version, contents, files: { [name]: { sha256, bytes } } }),
      );
    writeFileSync(join(dist, name), content);
    // Next's server has a copy of the bundle, without packages, and runs beside it.
    const server = join(directory(), '.next', 'standalone');
    cpSync(join(dist, 'agent'), join(server, 'dist', 'agent'), { recursive: true });
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(server);
    try {
      offer(own);
      expect((await script()).text).toContain(`${sha256}  ${name}`);
      const { files } = await readJson<AgentInstallInfo>(call('/agents/install-info', { headers: admin }), 200);
      expect(files.at(-1)).toMatchObject({ name, sha256, bytes: content.length });
      const response = await call(`/agents/download/${name}`);
      expect(response.headers.get('content-length')).toBe(String(content.length));
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      // A client that disconnects.
      const reader = (await call(`/agents/download/${name}`)).body?.getReader();
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      await reader?.cancel();
      for (const refuse of [() => offer({ 'fabric-agent.cjs': sha256 }), () => offer(own, content.length + 1)]) {
        refuse();
        expect((await script()).text).not.toContain(name);
        expect((await call(`/agents/download/${name}`)).status).toBe(404);
      }
    } finally {
      cwd.mockReturnValue(directory());
      rmSync(join(directory(), '.next'), { recursive: true });
      rmSync(join(dist, name));
      rmSync(join(dist, 'fabric-agent-packages.json'));
    }
  });

  const BAD_HOSTS = [
    'evil.example.org/path',
    'evil.example.org;reboot',
    '$(reboot)',
    '`reboot`',
    'a b',
    'user@host',
    'host:99999',
    'host:0',
    '-x',
    "'",
    '[::1',
    'a_b$c',
    '0x7f.1',
    'x'.repeat(300),
  ];
  it.each<[Headers, string]>([
    [{}, 'http://fabric.test'],
    [{ 'x-fabric-host': 'fabric.example.org', 'x-fabric-proto': 'https' }, 'https://fabric.example.org'],
    [{ 'x-fabric-host': 'fabric.example.org:8443' }, 'http://fabric.example.org:8443'],
    [{ 'x-fabric-host': '[2001:DB8::1]:8443', 'x-fabric-proto': 'https' }, 'https://[2001:db8::1]:8443'],
    [{ 'x-fabric-host': '192.0.2.1' }, 'http://192.0.2.1'],
    [{ 'x-fabric-proto': 'https' }, 'https://fabric.test'],
    // What the client itself sends counts for nothing: the entry looks at who it is before (`peer-header.ts`).
    [{ 'x-forwarded-host': 'evil.example.org', 'x-forwarded-proto': 'https' }, 'http://fabric.test'],
    [{ 'x-forwarded-host': 'evil.example.org', 'x-fabric-host': 'fabric.example.org' }, 'http://fabric.example.org'],
    [{ 'x-forwarded-proto': "https';reboot;'" }, 'http://fabric.test'],
  ])('names the address of %j as %s', async (headers, base) => {
    vi.stubGlobal(STAMPED, true);
    const { text } = await script(headers);
    expect(/^DEFAULT_BASE_URL='([^']*)'$/m.exec(text)?.[1]).toBe(base);
    const { base_url, command } = await readJson<AgentInstall>(
      call('/agents/install', { method: 'POST', body: { node_id: node.id }, headers: { ...admin, ...headers } }),
      201,
    );
    expect(base_url).toBe(base);
    expect(command).toContain(`curl -fsSL '${base}/api/v1/agents/install.sh' |`);
    const info = await readJson<AgentInstallInfo>(
      call('/agents/install-info', { headers: { ...admin, ...headers } }),
      200,
    );
    expect(info.script_url).toBe(`${base}/api/v1/agents/install.sh`);
    expect(info.files[0]?.url.startsWith(`${base}/api/v1/agents/download/`)).toBe(true);
  });

  it.each(BAD_HOSTS)('refuses to name %j as its address', async (host) => {
    vi.stubGlobal(STAMPED, true);
    const response = await call('/agents/install.sh', { headers: { 'x-fabric-host': host } });
    expect(response.status).toBe(400);
  });

  it('returns the script, and no other file of the disk with the downloads', async () => {
    for (const name of [
      'manifest.json',
      'install.sh',
      '..%2Fmanifest.json',
      '%2Fetc%2Fpasswd',
      '.',
      'fabric-agent.cjs%00',
    ]) {
      expect([401, 404], name).toContain((await call(`/agents/download/${name}`)).status);
    }
  });
});
