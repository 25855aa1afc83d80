import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import koffi from 'koffi';

const CLONE_NEWNET = 0x40000000;
const setns = koffi.load('libc.so.6').func('int setns(int fd, int type)');

/** Runs a command, failing with its error output. */
export function run(command: string): string {
  const [file, ...args] = command.split(' ') as [string, ...string[]];
  return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Network namespaces of one test file. The test's main thread can step into one, with all sockets and child processes
 * made there; its worker threads stay outside, so asynchronous file access must not depend on the namespace.
 */
export class NetworkNamespaces {
  private readonly home = openSync('/proc/self/ns/net', 'r');
  private readonly names: string[] = [];

  /** Makes a namespace with loopback up and no IPv6, whose neighbor discovery would disturb counts. */
  add(label: string): string {
    const name = this.name(label);
    run(`ip netns add ${name}`);
    this.names.push(name);
    run(`ip -n ${name} link set lo up`);
    run(`ip netns exec ${name} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1`);
    return name;
  }

  /** Name in the system of a namespace of this file. */
  name(label: string): string {
    return `fabric-${process.pid}-${label}`;
  }

  enter(name: string): void {
    const fd = openSync(`/var/run/netns/${name}`, 'r');
    const result: number = setns(fd, CLONE_NEWNET);
    closeSync(fd);
    if (result < 0) throw new Error(`cannot enter ${name}: errno ${koffi.errno()}`);
  }

  leave(): void {
    setns(this.home, CLONE_NEWNET);
  }

  /** Runs something synchronous inside a namespace. */
  inside<T>(name: string, body: () => T): T {
    this.enter(name);
    try {
      return body();
    } finally {
      this.leave();
    }
  }

  destroy(): void {
    this.leave();
    for (const name of this.names) run(`ip netns del ${name}`);
    closeSync(this.home);
  }
}
