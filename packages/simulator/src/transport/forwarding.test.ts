import { afterEach, describe, expect, it } from 'vitest';
import { type Simulator, type SimulatorOptions, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';

let sim: Simulator;
afterEach(() => sim.close());

async function start(options: Partial<SimulatorOptions> = {}) {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500, ...options });
  const lab = sim.cluster();
  return { lab, api: client(lab.node('pve1'), lab.tokens.manager) };
}

/** Moves the clock step by step until the request is answered. */
async function advanceUntil<T>(answer: Promise<T>, step: number): Promise<T> {
  let done = false;
  void answer.finally(() => {
    done = true;
  });
  while (!done) {
    await sim.clock.advance(step);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return answer;
}

describe('nodes that do not answer', () => {
  it('fails forwarded calls with 595 after a while, not calls about shared files', async () => {
    const { lab, api } = await start();
    await lab.setNode('pve3', 'down');
    const before = sim.clock.now();
    const config = await api.get('/nodes/pve3/qemu/102/config');
    expect([config.status, config.reason, config.text]).toEqual([595, 'No route to host', '']);
    expect(sim.clock.now() - before).toBeGreaterThanOrEqual(3000);
    expect((await api.get('/nodes/pve3/qemu/102/firewall/options')).status).toBe(595);
    expect((await api.get('/nodes/pve3/qemu/102/firewall/rules')).status).toBe(200);
    const rule = { type: 'in', action: 'ACCEPT', enable: 1 };
    expect((await api.post('/nodes/pve3/qemu/102/firewall/rules', rule)).status).toBe(200);
  });

  it('refuses connections to the node itself, and accepts them again on the same address', async () => {
    const { lab } = await start();
    const address = lab.node('pve2');
    await lab.setNode('pve2', 'down');
    await expect(client(address, lab.tokens.manager).get('/version')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await lab.setNode('pve2', 'up');
    expect((await client(address, lab.tokens.manager).get('/version')).status).toBe(200);
  });

  it('answers 595 immediately while only the service of the node is stopped', async () => {
    const { lab, api } = await start();
    await lab.setNode('pve2', 'refusing');
    expect((await api.get('/nodes/pve2/qemu')).reason).toBe('Connection refused');
    const status = (await api.get('/cluster/status')).json.data;
    expect(status.find((entry: { name: string }) => entry.name === 'pve2').online).toBe(1);
  });

  it('answers 596 after waiting thirty seconds for an unresponsive node', async () => {
    const { lab, api } = await start();
    await lab.setNode('pve2', 'silent');
    const before = sim.clock.now();
    const answer = await api.get('/nodes/pve2/qemu');
    expect([answer.status, answer.reason]).toEqual([596, 'Connection timed out']);
    expect(sim.clock.now() - before).toBeGreaterThanOrEqual(29_999);
  });

  it('does not know nodes that are not members', async () => {
    const { api } = await start();
    const answer = await api.get('/nodes/elsewhere/qemu');
    expect(answer.status).toBe(500);
    expect(answer.reason).toContain("hostname lookup 'elsewhere' failed");
    expect((await api.get('/nodes/bad_name!/qemu')).status).toBe(500);
  });

  it('requires a majority for quorum', async () => {
    const { lab, api } = await start();
    await lab.setNode('pve2', 'down');
    expect((await api.get('/cluster/status')).json.data[0].quorate).toBe(1);
    await lab.setNode('pve3', 'down');
    expect((await api.get('/cluster/status')).json.data[0].quorate).toBe(0);
    const answer = await api.post('/nodes/pve1/qemu/100/firewall/rules', { type: 'in', action: 'ACCEPT' });
    expect([answer.status, answer.reason]).toEqual([500, "cfs-lock 'firewall-vm-100' error: no quorum!"]);
    expect((await api.get('/nodes/pve1/qemu/100/firewall/rules')).status).toBe(200);
  });
});

describe('worker processes', () => {
  it('runs at most three concurrent privileged calls per node; dead agents hold a worker for three seconds', async () => {
    const { lab, api } = await start({ timeScale: 0 });
    for (const vmid of [100, 103]) lab.setAgent(vmid, { kind: 'not-running' });
    const dead = [100, 103, 100].map((vmid) => api.get(`/nodes/pve1/qemu/${vmid}/agent/network-get-interfaces`));
    await expect.poll(() => lab.load.get('agent:pve1').current).toBe(3);
    const startedAt = sim.clock.now();
    const list = api.get('/nodes/pve1/qemu');
    await expect.poll(() => lab.load.get('pvedaemon:pve1').current).toBe(4);
    // Unprivileged calls are not affected.
    expect((await api.get('/nodes/pve1/qemu/100/config')).status).toBe(200);
    expect((await advanceUntil(list, 100)).status).toBe(200);
    expect(sim.clock.now() - startedAt).toBeGreaterThanOrEqual(3000);
    for (const answer of await Promise.all(dead)) expect(answer.reason).toBe('QEMU guest agent is not running');
    expect(lab.load.get('agent:pve1')).toEqual({ current: 0, max: 3, total: 3 });
  });

  it('answers 596 after thirty seconds although the write is applied later', async () => {
    const { lab, api } = await start({ timeScale: 0 });
    const rules = '/nodes/pve1/qemu/100/firewall/rules';
    sim.onRequest({ method: 'POST', path: rules }, { kind: 'delay', ms: 40_000 }, { times: 1 });
    const write = api.post(rules, { type: 'in', action: 'DROP', enable: 1, comment: 'late' });
    await expect.poll(() => lab.load.get('pvedaemon:pve1').current).toBe(1);
    await sim.clock.advance(30_000);
    expect([(await write).status, (await write).reason]).toEqual([596, 'Connection timed out']);
    expect(lab.firewall.guestFile(100)).not.toContain('late');
    await sim.clock.advance(10_001);
    await expect.poll(() => lab.firewall.guestFile(100)).toContain('IN DROP # late');
  });

  it('counts calls per entry node and per guest', async () => {
    const { lab, api } = await start({ timeScale: 0, latency: 100 });
    const path = '/nodes/pve2/qemu/101/firewall/rules';
    const writes = [1, 2, 3].map(() => api.post(path, { type: 'in', action: 'ACCEPT' }));
    await expect.poll(() => lab.load.get('entry:pve1').current).toBe(3);
    await expect.poll(() => lab.load.get('guest-write:101').current).toBe(3);
    expect(lab.load.maxOf('firewall-write')).toBe(3);
    for (const answer of await advanceUntil(Promise.all(writes), 500)) expect(answer.status).toBe(200);
  });

  it('keeps a connection with the worker that accepted it', async () => {
    const { lab } = await start();
    const { workers } = lab.state.nodes.get('pve1') ?? {};
    const api = client(lab.node('pve1'), lab.tokens.manager);
    await Promise.all(Array.from({ length: 30 }, () => api.get('/version')));
    expect(workers?.proxies.map((worker) => worker.served).reduce((a, b) => a + b, 0)).toBe(30);
  });
});
