import { afterEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { client } from '../test-client.fixture';
import { chaos } from './chaos';
import { bench, enterprise } from './registry';
import type { Scenario } from './scenario';
import { smallLab } from './small-lab';

let sim: Simulator | undefined;
afterEach(() => sim?.close());

/** Everything that must not depend on when and where a scenario is started. */
async function snapshot(scenario: Scenario) {
  const simulator = await startSimulator({ scenario, timeScale: 0 });
  const simulated = simulator.clusters.map(({ name, state, tokens }) => ({
    name,
    tokens,
    guests: [...state.guests.values()].map(({ vmid, node, configText, agent }) => ({ vmid, node, configText, agent })),
    files: [...state.files],
    leases: state.leases,
  }));
  await simulator.close();
  return simulated;
}

describe('scenarios', () => {
  it.each([
    ['small-lab', smallLab],
    ['enterprise', enterprise(7, 60)],
    ['chaos', chaos],
    ['bench', bench(2, 30)],
  ])('%s is the same at every start', async (_, scenario) => {
    expect(await snapshot(scenario)).toEqual(await snapshot(scenario));
  });

  it('enterprise depends on the seed and mixes releases', async () => {
    const [one, two] = [await snapshot(enterprise(1, 40)), await snapshot(enterprise(2, 40))];
    expect(one).not.toEqual(two);
    expect(enterprise().clusters.map((cluster) => cluster.version)).toEqual(['pve9', 'pve8', 'pve8Old']);
    expect(enterprise().clusters.every((cluster) => cluster.nodes.length === 8)).toBe(true);
  });

  it('enterprise has a thousand guests per cluster, with every kind of trouble among them', async () => {
    sim = await startSimulator({ scenario: enterprise(), timeScale: 0 });
    for (const cluster of sim.clusters) {
      const guests = [...cluster.state.guests.values()];
      expect(guests).toHaveLength(1000);
      expect(guests.some((guest) => guest.isTemplate)).toBe(true);
      expect(guests.some((guest) => !guest.isRunning && !guest.isTemplate)).toBe(true);
      expect(new Set(guests.map((guest) => guest.agent.kind)).size).toBeGreaterThan(2);
    }
    const old = sim.cluster('old');
    const reply = await client(old.node('old-n1'), old.tokens.reader).get('/cluster/resources?type=vm');
    expect(reply.json.data).toHaveLength(1000);
  });

  it('chaos answers every agent call without a defect of its own', async () => {
    sim = await startSimulator({ scenario: chaos, timeScale: 100 });
    const cluster = sim.cluster('chaos');
    const api = client(cluster.node('x1'), cluster.tokens.manager);
    for (const guest of cluster.state.guests.values()) {
      for (const path of ['config', 'pending', 'firewall/rules', 'firewall/options', 'status/current']) {
        const answer = await api.get(`/nodes/${guest.node}/${guest.type}/${guest.vmid}/${path}`);
        expect([guest.name, path, answer.status, answer.reason]).toEqual([guest.name, path, 200, 'OK']);
      }
      if (guest.type !== 'qemu') continue;
      const answer = await api.get(`/nodes/${guest.node}/qemu/${guest.vmid}/agent/network-get-interfaces`);
      expect(answer.text).not.toContain('simulator defect');
      expect([200, 500]).toContain(answer.status);
    }
    const damaged = (await api.get('/nodes/x1/qemu/100/firewall/rules')).json.data;
    expect(damaged.filter((rule: { errors?: object }) => rule.errors).length).toBeGreaterThan(2);
  });
});
