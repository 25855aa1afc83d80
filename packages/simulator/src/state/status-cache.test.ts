import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 0, startAt: Date.UTC(2026, 10, 21) });
});
afterEach(() => sim.close());

const entry = async (vmid: number) => {
  const lab = sim.cluster();
  const { json } = await client(lab.node('pve1'), lab.tokens.manager).get('/cluster/resources?type=vm');
  return json.data.find((guest: { vmid: number }) => guest.vmid === vmid);
};

const recipe = { vmid: 500, type: 'qemu', node: 'pve2', name: 'fresh', nics: [{ bridge: 'vmbr0' }] } as const;

describe('status data', () => {
  it('knows nothing but the identity of a new guest until its node broadcasts', async () => {
    sim.cluster().createGuest({ ...recipe, nics: [...recipe.nics] });
    expect(await entry(500)).toEqual({ id: 'qemu/500', type: 'qemu', vmid: 500, node: 'pve2', status: 'unknown' });
    await sim.clock.advance(12_001);
    expect(await entry(500)).toMatchObject({ name: 'fresh', status: 'running' });
  });

  it('shows the new node of a moved guest immediately and its state later', async () => {
    await entry(100);
    sim.cluster().migrate(100, 'pve3');
    expect(await entry(100)).toEqual({ id: 'qemu/100', type: 'qemu', vmid: 100, node: 'pve3', status: 'unknown' });
    await sim.clock.advance(12_001);
    expect(await entry(100)).toMatchObject({ node: 'pve3', status: 'running' });
  });

  it('does not show data of a predecessor with the same id', async () => {
    sim.cluster().reuseVmid({ ...recipe, vmid: 100, node: 'pve1', nics: [...recipe.nics] });
    expect((await entry(100)).status).toBe('unknown');
  });

  it('lags up to ten seconds behind state changes', async () => {
    await entry(100);
    sim.cluster().setRunState(100, 'stopped');
    expect((await entry(100)).status).toBe('running');
    await sim.clock.advance(12_001);
    expect((await entry(100)).status).toBe('stopped');
  });

  it('keeps the last state of a dead node for 300 seconds', async () => {
    await sim.cluster().setNode('pve3', 'down');
    await sim.clock.advance(280_000);
    expect((await entry(102)).status).toBe('running');
    await sim.clock.advance(40_000);
    expect(await entry(102)).toEqual({ id: 'qemu/102', type: 'qemu', vmid: 102, node: 'pve3', status: 'unknown' });
    expect((await entry(100)).status).toBe('running');
  });

  it('fails alone when only the status daemon of a node died', async () => {
    sim.cluster().setStatusDaemon('pve1', false);
    await sim.clock.advance(320_000);
    const lab = sim.cluster();
    const { json } = await client(lab.node('pve2'), lab.tokens.manager).get('/nodes');
    expect(json.data[0].status).toBe('unknown');
    expect((await entry(100)).status).toBe('unknown');
    const status = await client(lab.node('pve2'), lab.tokens.manager).get('/nodes/pve1/qemu/100/status/current');
    expect(status.json.data.status).toBe('running');
  });
});
