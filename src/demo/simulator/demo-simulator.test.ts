import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoSimulator, startDemoSimulator } from './demo-simulator';
import { simulatedView } from './simulated-view';

let directory: string;
let running: DemoSimulator | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-demo-simulator-'));
});
afterEach(async () => {
  await running?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start() {
  running = await startDemoSimulator(directory);
  return running.simulator;
}
const addresses = (simulator: DemoSimulator['simulator']) =>
  simulator.clusters.map(({ nodes, tokens }) => ({ nodes, token: tokens.manager }));

describe('the clusters of the demo', () => {
  it('keep their address, certificates, tokens and changes after a restart', async () => {
    const first = await start();
    const before = addresses(first);
    const cluster = first.cluster('nordwind-fra');
    cluster.firewall.insertRule(1301, 'IN ACCEPT -p tcp -dport 9999 # by hand');
    cluster.setTags(1101, ['prod', 'web', 'canary']);
    const { startedAt } = cluster.guest(1101);
    await running?.close();

    const second = await start();
    expect(addresses(second)).toEqual(before);
    const again = second.cluster('nordwind-fra');
    expect(again.firewall.guestFile(1301)).toContain('9999 # by hand');
    expect(again.guest(1101).config.current.get('tags')).toBe('prod;web;canary');
    expect(again.guest(1101).startedAt).toBe(startedAt);
    expect(
      again.enforcement.send({
        vmid: 1301,
        nic: 'net0',
        direction: 'in',
        proto: 'tcp',
        source: '10.40.20.13',
        dest: '10.40.40.11',
        sport: 40_000,
        dport: 9999,
      }).verdict,
    ).toBe('accept');
  });

  it('move to another port when theirs is taken, all of them to the same', async () => {
    const [cluster] = (await start()).clusters;
    const port = cluster?.nodes[0]?.port ?? 0;
    await running?.close();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.10.1', resolve));
    const moved = (await start()).clusters.flatMap(({ nodes }) => nodes.map((node) => node.port));
    expect(new Set(moved).size).toBe(1);
    expect(moved[0]).not.toBe(port);
    await running?.close();
    expect((await start()).clusters[0]?.nodes[0]?.port).toBe(moved[0]);
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('what the agents of the demo see of them', () => {
  it('matches the decisions of the packet filters', async () => {
    const simulator = await start();
    const view = simulatedView(simulator);
    const at = new Date('2026-11-21T03:00:00Z');
    const evaluatePacket = (vmid: number, source: string, destination: string, destination_port: number) =>
      view.evaluatePacket(
        {
          site: 'nordwind-fra',
          vmid,
          direction: 'in',
          protocol: 'tcp',
          source,
          destination,
          source_port: 40_000,
          destination_port,
        },
        at,
      );
    expect(evaluatePacket(1001, '198.18.4.4', '10.40.10.11', 443)).toEqual({ verdict: 'accept' });
    expect(evaluatePacket(1001, '192.0.2.4', '10.40.10.11', 22)).toMatchObject({
      verdict: 'drop',
      line: expect.stringContaining('policy DROP: '),
    });
    expect(evaluatePacket(1301, '10.40.20.13', '10.40.40.11', 5432).verdict).toBe('drop');
    expect(evaluatePacket(1301, '10.40.30.11', '10.40.40.11', 5432)).toEqual({ verdict: 'accept' });
    // The forgotten rule logs what it lets in.
    expect(evaluatePacket(1701, '203.0.113.199', '10.40.90.15', 3306)).toMatchObject({
      verdict: 'accept',
      line: expect.stringContaining('ACCEPT: '),
    });
    expect(evaluatePacket(1701, '10.40.90.16', '10.40.90.15', 3306)).toEqual({ verdict: 'accept' });
    expect(view.card('nordwind-fra', 1004)).toEqual({
      node: 'fra-pve3',
      device: 'veth1004i0',
      kind: 'veth',
      firewalled: true,
      running: true,
    });
    const hash = view.rulesetHash('nordwind-fra', 'fra-pve1');
    simulator.cluster('nordwind-fra').firewall.insertRule(1301, 'IN DROP -p tcp -dport 1');
    expect(view.rulesetHash('nordwind-fra', 'fra-pve1')).not.toBe(hash);
    expect(view.rulesetHash('nordwind-fra', 'fra-pve2')).toBe(view.rulesetHash('nordwind-fra', 'fra-pve2'));
    expect(view.firewallStatus('nordwind-fra', 'fra-pve1')).toMatchObject({ cluster_enabled: true, guest_chains: 3 });
  });
});
