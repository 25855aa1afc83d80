import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Heartbeat, heartbeatSchema } from '@fabric/agent-contract';
import { renderInstaller } from '@fabric/agent-contract/installer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DebianRoot } from './debian-root';
import { NetworkNamespaces, run } from './network-namespaces';
import { describeAsRoot } from './requirements';

const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TOKEN = 'one-time-token-0123456789';
const NAME = 'fabric-agent_0.5.1_amd64.deb';
const SHARED = '/mnt';

/** `systemctl` of a system that was not booted: units are enabled for real, and the agent runs as its unit says. */
const SYSTEMCTL = `#!/bin/sh
unit=fabric-agent.service
stop() { [ ! -f /run/agent.pid ] || { kill "$(cat /run/agent.pid)"; tail --pid "$(cat /run/agent.pid)" -f /dev/null; rm /run/agent.pid; }; }
case "$1" in
  restart)
    stop
    file=/etc/systemd/system/$unit; [ -f $file ] || file=/usr/lib/systemd/system/$unit
    mkdir -p /run/fabric-agent; chown fabric-agent /run/fabric-agent; rm -f /run/fabric-agent/status.json
    caps=$(sed -n 's/^AmbientCapabilities=//p' $file | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
    FABRIC_AGENT_INTERVAL_SECONDS=5 setsid setpriv --reuid fabric-agent --regid fabric-agent --init-groups --inh-caps "$caps" --ambient-caps "$caps" \
      $(sed -n 's/^ExecStart=//p' $file) >/run/agent.log 2>&1 &
    echo $! >/run/agent.pid ;;
  stop) stop ;;
  disable) stop; SYSTEMD_OFFLINE=1 exec /usr/bin/systemctl disable $unit ;;
  daemon-reload) ;;
  *) SYSTEMD_OFFLINE=1 exec /usr/bin/systemctl "$@" ;;
esac
`;

/** Whether what packages bring is there, or could be fetched: later, inside a namespace, it cannot. */
function hasRuntime(): boolean {
  const program = `
    import { fetchPackage, RUNTIME, readNativeLibrary } from ${JSON.stringify(join(AGENT, 'package-runtime.mjs'))};
    for (const { node, package: name, integrity } of Object.values(RUNTIME.machines)) {
      fetchPackage({ name, version: RUNTIME.version, integrity });
      readNativeLibrary(node);
    }`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }).status === 0;
}

describeAsRoot(
  // Fetched only where the tests can run.
  ...(process.getuid?.() !== 0 || hasRuntime() ? [] : ['the registry of npm']),
  'dpkg',
  'dpkg-deb',
  'unshare',
  'nsenter',
  'ip',
  'curl',
  'systemctl',
)('Debian package', () => {
  let shared: string;
  let namespaces: NetworkNamespaces;
  let server: Server;
  let baseUrl: string;
  let root: DebianRoot;
  const beats: Heartbeat[] = [];
  const enrolments: unknown[] = [];

  beforeAll(async () => {
    shared = mkdtempSync(join(tmpdir(), 'fabric-package-'));
    run(`${process.execPath} ${join(AGENT, 'build.mjs')} ${shared}/bundle`);
    buildPackages(`${shared}/packages`);
    namespaces = new NetworkNamespaces();
    namespaces.enter(namespaces.add('debian'));
    server = createServer((request, response) => {
      const file = request.url?.split('/api/v1/agents/download/')[1];
      if (file !== undefined)
        return response.end(readFileSync(join(shared, file === NAME ? 'packages' : 'bundle', file)));
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url?.endsWith('/enrol')) {
          enrolments.push(JSON.parse(Buffer.concat(chunks).toString()));
          return response.end('{"node_token":"node-token-0123456789","node_id":"n1"}');
        }
        beats.push(heartbeatSchema.parse(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString())));
        response.end(JSON.stringify({ accepted: 0, updated: 0, rejected: [], next_interval_seconds: 30 }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 120_000);
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    namespaces.destroy();
    rmSync(shared, { recursive: true });
  });

  beforeEach(async () => {
    enrolments.length = 0;
    beats.length = 0;
    root = await DebianRoot.create(namespaces.name('debian'), shared);
    writeFileSync(join(shared, 'systemctl'), SYSTEMCTL);
    root.run(`install -m 0755 ${SHARED}/systemctl /usr/local/sbin/systemctl; mkdir -p /run/systemd/system`);
    return async () => {
      root.run('systemctl stop');
      await root.destroy();
    };
  });

  function buildPackages(output: string, architectures = 'amd64'): void {
    const options = `--arch ${architectures} --bundle ${shared}/bundle --compression none --output ${output}`;
    run(`${process.execPath} ${join(AGENT, 'package.mjs')} ${options}`);
  }

  /** Runs the installer of a service that offers the package, or does not. */
  async function install(offersPackage: boolean, token = '', args = ''): Promise<string> {
    const list = (file: string) =>
      Object.entries(JSON.parse(readFileSync(file, 'utf8')).files as Record<string, { sha256: string }>);
    const files = [
      ...list(`${shared}/bundle/manifest.json`),
      ...(offersPackage ? list(`${shared}/packages/fabric-agent-packages.json`) : []),
    ].map(([name, { sha256 }]) => ({ name, sha256 }));
    const template = readFileSync(`${shared}/bundle/install.sh`, 'utf8');
    writeFileSync(join(shared, 'install.sh'), renderInstaller(template, baseUrl, files));
    const env = {
      FABRIC_NODE_NAME: 'pve1',
      FABRIC_WAIT_SECONDS: '60',
      ...(token !== '' && { FABRIC_ENROLMENT_TOKEN: token }),
    };
    const { code, output } = await root.execute(`sh ${SHARED}/install.sh ${args} </dev/null`, env);
    expect(code, output).toBe(0);
    return output;
  }

  const getStatus = () => root.run(`dpkg-query -W -f '\${db:Status-Status}' fabric-agent 2>/dev/null || echo none`);
  const readMode = (path: string) => root.run(`stat -c '%U:%G %a' ${path}`);
  const FILES_OF_OTHERS = [
    '/etc/systemd/system/fabric-agent.service',
    '/etc/sysctl.d/60-fabric-agent.conf',
    '/etc/modprobe.d/fabric-agent.conf',
  ];

  it('reports with its own Node.js after the installer, keeps its settings in an update, and leaves nothing', async () => {
    // No Node.js of the system can help.
    root.run('for node in $(which -a node); do ln -sf /bin/false "$node"; done');
    const output = await install(true, TOKEN);
    expect(output).toContain(`installing ${NAME}`);
    expect(output).toContain('acknowledged the first heartbeat');
    expect(enrolments).toMatchObject([{ enrolment_token: TOKEN, node_name: 'pve1' }]);
    expect(beats[0]).toMatchObject({ node_name: 'pve1', agent_version: '0.5.1' });
    const capture = beats[0]?.flow_diagnostics?.collectors.find(({ name }) => name === 'packet_capture');
    expect(capture).toMatchObject({ state: 'active', detail: expect.stringContaining('ebpf') });
    expect(root.run('readlink /proc/$(pgrep -o -u fabric-agent)/exe')).toBe('/usr/lib/fabric-agent/node');
    expect(root.run('fabric-agent --version')).toBe('0.5.1');

    expect(getStatus()).toBe('installed');
    expect(root.run('dpkg --verify fabric-agent')).toBe('');
    expect(root.run('systemctl is-enabled fabric-agent')).toBe('enabled');
    expect(readMode('/var/lib/fabric-agent')).toBe('fabric-agent:fabric-agent 700');
    expect(readMode('/var/lib/fabric-agent/node-token')).toBe('fabric-agent:fabric-agent 600');
    for (const path of root
      .run('dpkg-query -L fabric-agent')
      .split('\n')
      .filter((line) => line.includes('fabric-agent'))) {
      expect(readMode(path), path).toMatch(/^root:root (755|644)$/);
    }
    root.run('systemd-analyze verify fabric-agent.service');
    const report = root.run('systemd-analyze security --no-pager --offline=true fabric-agent.service || :');
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(report)?.[1])).toBeLessThanOrEqual(2.5);

    root.run('echo "interval_seconds = 60" >>/etc/fabric-agent/agent.conf');
    const before = root.run('cat /etc/fabric-agent/agent.conf | sort');
    root.run(`dpkg -i ${SHARED}/packages/${NAME}`);
    expect(root.run('cat /etc/fabric-agent/agent.conf | sort')).toBe(before);
    expect(root.succeeds('pgrep -u fabric-agent')).toBe(true);

    expect(await install(true, '', '--uninstall')).toContain('removed');
    expect(getStatus()).toBe('none');
    expect(root.run('getent passwd fabric-agent || getent group fabric-agent || echo none')).toBe('none');
    const left = root.run(
      "find /etc /usr /var/lib /run -name '*fabric-agent*' -not -path '*/node_modules/*' 2>/dev/null || :",
    );
    expect(left).toBe('');
  }, 180_000);

  it('replaces an agent without package, keeps its state when it is removed, and deletes it when it is purged', async () => {
    const listOthers = () => FILES_OF_OTHERS.map((path) => root.succeeds(`test -e ${path}`));
    await install(false, TOKEN);
    expect(listOthers()).toEqual([true, true, true]);
    root.run('echo "interval_seconds = 60" >>/etc/fabric-agent/agent.conf');
    const config = root.run('sort /etc/fabric-agent/agent.conf');

    expect(await install(true)).toContain('already enrolled');
    expect(listOthers()).toEqual([false, false, false]);
    expect(root.run('sort /etc/fabric-agent/agent.conf')).toBe(config);
    expect(root.run('readlink /etc/systemd/system/multi-user.target.wants/fabric-agent.service')).toMatch(
      /^(\/usr)?\/lib\/systemd\/system\/fabric-agent.service$/,
    );
    expect(root.run('readlink /proc/$(pgrep -o -u fabric-agent)/exe')).toBe('/usr/lib/fabric-agent/node');

    root.run('dpkg --remove fabric-agent');
    expect(root.succeeds('pgrep -u fabric-agent')).toBe(false);
    expect(root.succeeds('test -e /usr/lib/fabric-agent/node')).toBe(false);
    expect(readMode('/var/lib/fabric-agent/node-token')).toBe('fabric-agent:fabric-agent 600');
    // It was enabled, so it runs again.
    root.run(`dpkg -i ${SHARED}/packages/${NAME}`);
    expect(root.run('sort /etc/fabric-agent/agent.conf')).toBe(config);
    expect(root.succeeds('pgrep -u fabric-agent')).toBe(true);

    root.run('dpkg --purge fabric-agent 2>&1');
    for (const path of ['/etc/fabric-agent', '/var/lib/fabric-agent', '/usr/lib/fabric-agent']) {
      expect(root.succeeds(`test -e ${path}`), path).toBe(false);
    }
    expect(root.run('getent passwd fabric-agent || echo none')).toBe('none');
    expect(enrolments).toHaveLength(1);
  }, 180_000);

  it('enables nothing before the enrollment, and makes room where a service offers no package', async () => {
    root.run(`dpkg -i ${SHARED}/packages/${NAME}`);
    expect(root.run('systemctl is-enabled fabric-agent || :')).toBe('disabled');
    expect(root.succeeds('test -e /run/agent.pid')).toBe(false);
    root.run('echo node-token-0123456789 >/var/lib/fabric-agent/node-token');
    root.run('chown fabric-agent /var/lib/fabric-agent/node-token; systemctl enable fabric-agent 2>&1');
    expect(await install(false)).toContain('already enrolled');
    expect(FILES_OF_OTHERS.map((path) => root.succeeds(`test -e ${path}`))).toEqual([true, true, true]);
    expect(getStatus()).toBe('config-files');
    expect(root.run('systemctl is-enabled fabric-agent')).toBe('enabled');
  }, 180_000);

  describe('package.mjs', () => {
    it('gives the same bytes for the same input, and the right files for each architecture', () => {
      chmodSync(join(shared, 'bundle/fabric-agent.cjs'), 0o700);
      const umask = process.umask(0o077);
      try {
        buildPackages(`${shared}/again`, 'amd64,arm64');
      } finally {
        process.umask(umask);
      }
      const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
      expect(sum(`${shared}/again/${NAME}`)).toBe(sum(`${shared}/packages/${NAME}`));
      const manifest = JSON.parse(readFileSync(`${shared}/again/fabric-agent-packages.json`, 'utf8'));
      const arm64 = 'fabric-agent_0.5.1_arm64.deb';
      expect(manifest.files[arm64]).toEqual({
        sha256: sum(`${shared}/again/${arm64}`),
        bytes: statSync(`${shared}/again/${arm64}`).size,
      });
      expect(run(`dpkg-deb --field ${shared}/again/${arm64} Architecture`).trim()).toBe('arm64');
      const into = join(shared, 'arm64');
      mkdirSync(into);
      run(`dpkg-deb --extract ${shared}/again/${arm64} ${into}`);
      // e_machine of an ELF header: 183 is AArch64.
      for (const file of ['node', 'koffi-linux-arm64.node']) {
        expect(readFileSync(join(into, 'usr/lib/fabric-agent', file)).readUInt16LE(18)).toBe(183);
      }
    }, 120_000);
  });
});
