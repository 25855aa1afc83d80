import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../http-server';
import { smallLab } from '../scenarios/small-lab';
import { client } from '../test-client.fixture';
import type { Fault } from './faults';

let sim: Simulator;
beforeEach(async () => {
  sim = await startSimulator({ scenario: smallLab, timeScale: 500 });
});
afterEach(() => sim.close());

const rules = '/nodes/pve1/qemu/100/firewall/rules';
const rule = { type: 'in', action: 'DROP', enable: 1, comment: 'probe' };
const api = () => client(sim.cluster().node('pve1'), sim.cluster().tokens.manager);
const applied = () => sim.cluster().firewall.guestFile(100)?.includes('probe') ?? false;
const injectOnce = (fault: Fault) =>
  sim.onRequest({ method: 'POST', path: '/nodes/{node}/qemu/{vmid}/firewall/rules' }, fault, { times: 1 });

describe('faults', () => {
  it('resets the connection before the call is executed', async () => {
    injectOnce({ kind: 'reset', when: 'before' });
    await expect(api().post(rules, rule)).rejects.toThrow();
    expect(applied()).toBe(false);
  });

  it('resets the connection after the call was executed', async () => {
    injectOnce({ kind: 'reset', when: 'after' });
    await expect(api().post(rules, rule)).rejects.toThrow();
    expect(applied()).toBe(true);
  });

  it('answers something else, with or without executing the call', async () => {
    injectOnce({ kind: 'respond', status: 500, reason: 'oops', body: 'x' });
    expect((await api().post(rules, rule)).status).toBe(500);
    expect(applied()).toBe(false);
    injectOnce({ kind: 'respond', status: 596, reason: '', apply: true });
    expect((await api().post(rules, rule)).status).toBe(596);
    expect(applied()).toBe(true);
  });

  it('plays a reverse proxy that fails', async () => {
    sim.onRequest({ path: /^\/cluster\// }, { kind: 'html-502' });
    const answer = await api().get('/cluster/resources');
    expect([answer.status, answer.headers['content-type']]).toEqual([502, 'text/html']);
    expect(answer.text).toContain('<html>');
    sim.clearFaults();
    expect((await api().get('/cluster/resources')).status).toBe(200);
  });

  it('breaks an answer off', async () => {
    sim.onRequest({ path: '/cluster/resources' }, { kind: 'truncate' }, { times: 1 });
    await expect(api().get('/cluster/resources')).rejects.toThrow();
  });

  it('sends garbage', async () => {
    sim.onRequest({ path: '/version' }, { kind: 'garbage' });
    const answer = await api().get('/version');
    expect([answer.status, answer.json]).toEqual([200, undefined]);
  });

  it('lets some requests pass first and counts its hits', async () => {
    const handle = sim.onRequest({ path: '/version' }, { kind: 'respond', status: 500 }, { skip: 2, times: 1 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await api().get('/version')).status);
    expect(statuses).toEqual([200, 200, 500, 200]);
    expect(handle.hits).toBe(1);
  });

  it('changes things behind the back of a client between two of its calls', async () => {
    sim.onRequest(
      { method: 'GET', path: rules },
      { kind: 'hook', after: () => sim.cluster().firewall.insertRule(100, 'IN ACCEPT -p tcp -dport 22 # foreign') },
      { times: 1 },
    );
    const before = (await api().get(rules)).json.data;
    const answer = await api().delete(`${rules}/0?digest=${before[0].digest}`);
    expect(answer.reason).toBe('detected modified configuration - file changed by other user? Try again.');
    expect((await api().get(rules)).json.data[0].comment).toBe('foreign');
  });

  it('never answers when configured to hang', async () => {
    sim.onRequest({ path: '/version' }, { kind: 'hang' });
    const result = await Promise.race([
      api()
        .get('/version')
        .catch(() => 'cut'),
      new Promise((resolve) => setTimeout(() => resolve('waiting'), 100)),
    ]);
    expect(result).toBe('waiting');
  });
});

describe('the request log', () => {
  it('remembers requests without secrets and counts them per pattern', async () => {
    await api().post(rules, rule);
    await api().get('/nope');
    const [entry] = sim.log.entries({ method: 'POST', path: rules });
    expect(entry).toMatchObject({
      status: 200,
      node: 'pve1',
      subject: 'fabric@pve!fabric',
      params: { comment: 'probe' },
    });
    expect(JSON.stringify(sim.log.entries())).not.toContain(sim.cluster().tokens.manager.split('=')[1]);
    expect(sim.log.counts()).toEqual({ 'POST /nodes/{node}/qemu/{vmid}/firewall/rules': 1, 'GET (unknown)': 1 });
  });
});
