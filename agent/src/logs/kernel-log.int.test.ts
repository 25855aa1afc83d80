import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NetworkNamespaces, run } from '../../test/network-namespaces';
import { describeAsRoot } from '../../test/requirements';
import { KernelLog } from './kernel-log';
import { parsePacketLine } from './log-line';

const ALL_NAMESPACES = '/proc/sys/net/netfilter/nf_log_all_netns';

describeAsRoot(
  'ip',
  'iptables',
  'ping',
)('kernel log', () => {
  const mark = `fabric-${process.pid} `;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  let namespaces: NetworkNamespaces;
  let before: string;

  beforeAll(() => {
    before = readFileSync(ALL_NAMESPACES, 'utf8');
    // Rules outside the first namespace log nothing otherwise.
    writeFileSync(ALL_NAMESPACES, '1');
    namespaces = new NetworkNamespaces();
    namespaces.enter(namespaces.add('log'));
    run(`iptables -A OUTPUT -p icmp -j LOG --log-prefix ${mark.trim()}-DROP:`);
  });
  afterAll(() => {
    namespaces.destroy();
    writeFileSync(ALL_NAMESPACES, before);
  });

  function collect(log: KernelLog): { message: string; time: number }[] {
    const found: { message: string; time: number }[] = [];
    log.read((message, time) => {
      if (message.startsWith(mark.trim())) found.push({ message, time });
    });
    return found;
  }

  it('reads each line of a rule once, with its time, also over a restart', () => {
    const first = new KernelLog(null, bootId);
    collect(first);
    run('ping -q -c 3 -i 0.01 127.0.0.1');
    const found = collect(first);
    expect(found).toHaveLength(6);
    for (const { message, time } of found) {
      expect(Math.abs(time - Date.now())).toBeLessThan(2000);
      expect(parsePacketLine(message)).toMatchObject({
        decision: 'drop',
        source: '127.0.0.1',
        destination: '127.0.0.1',
        protocol: 1,
        bytes: 84,
      });
    }
    expect(collect(first)).toEqual([]);
    const position = JSON.parse(JSON.stringify(first.position));
    first.close();
    run('ping -q -c 2 -i 0.01 127.0.0.1');
    const second = new KernelLog(position, bootId);
    expect(collect(second)).toHaveLength(4);
    second.close();
    const otherBoot = new KernelLog({ ...position, kernel_boot_id: 'another' }, bootId);
    expect(collect(otherBoot).length).toBeGreaterThanOrEqual(10);
    otherBoot.close();
  });

  it('reads IPv6', () => {
    run('sysctl -qw net.ipv6.conf.lo.disable_ipv6=0');
    run(`ip6tables -A OUTPUT -p icmpv6 -d ::1 -j LOG --log-prefix ${mark.trim()}-REJECT:`);
    const log = new KernelLog(null, bootId);
    collect(log);
    run('ping -6 -q -c 1 ::1');
    expect(collect(log).map(({ message }) => parsePacketLine(message))).toMatchObject(
      [128, 129].map((type) => ({
        decision: 'reject',
        source: '::1',
        destination: '::1',
        protocol: 58,
        icmp: { type, code: 0 },
        bytes: 104,
      })),
    );
    log.close();
  });

  it('loses nothing of a flood when read every half second', async () => {
    const log = new KernelLog(null, bootId);
    collect(log);
    let lines = 0;
    for (let burst = 0; burst < 5; burst += 1) {
      run('ping -q -c 100 -i 0.002 127.0.0.1');
      await sleep(100);
      lines += collect(log).length;
    }
    expect(lines).toBe(1000);
    expect(log.lost).toBe(0);
    log.close();
  }, 20_000);

  it('counts what was overwritten before it could be read', () => {
    const log = new KernelLog(null, bootId);
    collect(log);
    run('ping -q -c 2500 -i 0.0002 127.0.0.1');
    const read = collect(log).length;
    expect(read).toBeLessThan(5000);
    expect(read + log.lost).toBeGreaterThanOrEqual(5000);
    log.close();
  }, 20_000);
});
