import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client, rawRequest } from '../test-client.fixture';
import { startControlServer } from './control-server';

let sim: Simulator;
let control: Awaited<ReturnType<typeof startControlServer>>;
beforeAll(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500 });
  control = await startControlServer(sim);
});
afterAll(async () => {
  await control.close();
  await sim.close();
});

const call = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const response = await fetch(`${control.url}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
};
const act = (action: string, args: object) => call('/actions', { cluster: 'lab', action, args });

describe('the control endpoint', () => {
  it('describes what was started', async () => {
    const { json } = await call('/');
    expect(json.result.clusters[0]).toMatchObject({ name: 'lab', tokens: sim.cluster().tokens });
    expect(json.result.clusters[0].nodes[0].url).toBe(sim.cluster().node('pve1').url);
    expect(json.result.actions).toContain('migrate');
  });

  it('acts on a cluster', async () => {
    expect((await act('migrate', { vmid: 100, node: 'pve2' })).json).toEqual({ result: null });
    expect(sim.cluster().guest(100).node).toBe('pve2');
    await act('insert_rule', { vmid: 100, line: 'IN DROP # by hand' });
    const file = await act('firewall_file', { path: 'firewall/100.fw' });
    expect(file.json.result).toContain('IN DROP # by hand');
    const renewed = await act('renew_certificate', { node: 'pve1' });
    expect(renewed.json.result).toBe(sim.cluster().node('pve1').fingerprint256);
    await act('create_guest', { vmid: 888, type: 'lxc', node: 'pve1', name: 'made', nics: [{ bridge: 'vmbr0' }] });
    expect(sim.cluster().guest(888).name).toBe('made');
  });

  it('sets faults, clears them and shows the log', async () => {
    await call('/faults', { match: { path_regex: '^/vers' }, fault: { kind: 'respond', status: 503 }, times: 1 });
    const api = client(sim.cluster().node('pve1'), sim.cluster().tokens.reader);
    expect((await api.get('/version')).status).toBe(503);
    expect((await api.get('/version')).status).toBe(200);
    expect((await call('/log')).json.result.counts['GET /version']).toBe(2);
    expect((await call('/faults', undefined, 'DELETE')).status).toBe(200);
  });

  it('refuses nonsense with a reason', async () => {
    expect((await act('explode', {})).json.error).toBe('no action explode');
    expect((await act('set_node', { node: 'pve1', reachability: 'sideways' })).status).toBe(400);
    expect((await act('migrate', { vmid: 12345, node: 'pve2' })).json.error).toBe('no guest 12345 in lab');
    expect((await call('/nothing')).status).toBe(404);
  });

  it('rejects control calls on the simulated API', async () => {
    const answer = await rawRequest(sim.cluster().node('pve1'), 'GET', '/actions', {
      token: sim.cluster().tokens.root,
    });
    expect(answer.status).toBe(501);
  });
});
