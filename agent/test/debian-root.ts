import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

type Result = { code: number | null; output: string };

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * This machine's own system as one can change it: an overlay in memory, in mount and network namespaces of their own. Packages
 * are really installed there, and nothing of it is left on the machine.
 */
export class DebianRoot {
  private readonly mountPoint = mkdtempSync(join(tmpdir(), 'fabric-debian-'));
  private readonly holder: ChildProcess;

  /** @param shared a directory of the machine that is `/mnt` in the system */
  private constructor(namespace: string, shared: string) {
    const at = this.mountPoint;
    const script = [
      'set -e',
      `mount -t tmpfs -o size=1g tmpfs ${at}`,
      `mkdir ${at}/upper ${at}/work ${at}/root`,
      `mount -t overlay -o lowerdir=/,upperdir=${at}/upper,workdir=${at}/work overlay ${at}/root`,
      `mount -t proc proc ${at}/root/proc`,
      `mount -t sysfs sysfs ${at}/root/sys`,
      `mount --rbind /dev ${at}/root/dev`,
      ...['run', 'tmp'].map((name) => `mount -t tmpfs tmpfs ${at}/root/${name}`),
      `mount --bind ${shared} ${at}/root/mnt`,
      'echo ready',
      'exec sleep infinity',
    ].join('\n');
    this.holder = spawn('ip', ['netns', 'exec', namespace, 'unshare', '--mount', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  static async create(namespace: string, shared: string): Promise<DebianRoot> {
    const root = new DebianRoot(namespace, shared);
    await new Promise<void>((resolve, reject) => {
      root.holder.stdout?.once('data', () => resolve());
      root.holder.once('close', (code) => reject(new Error(`cannot make a system to install in: status ${code}`)));
    });
    return root;
  }

  /** Runs a command line in the system. */
  execute(command: string, env: Record<string, string> = {}): Promise<Result> {
    return new Promise((resolve) => {
      const child = spawn('nsenter', this.enter(command), { env: { NODE_ENV: 'test', PATH, LC_ALL: 'C', ...env } });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => {
          output += data;
        });
      child.on('close', (code) => resolve({ code, output: output.trim() }));
    });
  }

  /** Output of a command that has to succeed. */
  run(command: string): string {
    return execFileSync('nsenter', this.enter(command), {
      encoding: 'utf8',
      env: { NODE_ENV: 'test', PATH, LC_ALL: 'C' },
    }).trim();
  }

  /** Whether a command succeeds. */
  succeeds(command: string): boolean {
    return spawnSync('nsenter', this.enter(command), { env: { NODE_ENV: 'test', PATH, LC_ALL: 'C' } }).status === 0;
  }

  /** All processes have to have ended. */
  async destroy(): Promise<void> {
    const ended = new Promise((resolve) => this.holder.once('close', resolve));
    this.holder.kill('SIGKILL');
    await ended;
    // The mounts go with the last process of the namespace.
    await sleep(0);
    rmdirSync(this.mountPoint);
  }

  private enter(command: string): string[] {
    const target = ['--target', String(this.holder.pid), '--mount', '--net'];
    return [...target, 'chroot', join(this.mountPoint, 'root'), 'sh', '-c', command];
  }
}
