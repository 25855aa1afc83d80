import { describe, expect, it } from 'vitest';
import type { PreflightReport } from '../../types';
import { simulate } from '../testing/simulated.fixture';
import { checkClock, checkVersion } from './check-state';

const statuses = (report: PreflightReport) =>
  Object.fromEntries(report.checks.map(({ name, status }) => [name, status]));
const line = (report: PreflightReport, name: string) => report.checks.find((check) => check.name === name);

const ALL_OK = [
  'target',
  'reachable',
  'tls',
  'sign_in',
  'version',
  'token',
  'privilege:VM.Audit',
  'privilege:VM.Config.Network',
  'privilege:VM.Config.Options',
  'privilege:SDN.Use',
  'privilege:SDN.Audit',
  'privilege:Sys.Audit',
  'privilege:Pool.Audit',
];

describe('the check of a healthy cluster', () => {
  it.each([
    ['pve9', 'privilege:VM.GuestAgent.Audit', '9.2.11'],
    ['pve8', 'privilege:VM.Monitor', '8.4.17'],
    ['pve8Old', 'privilege:VM.Monitor', '8.2.4'],
  ] as const)('passes on %s and requires %s', async (flavour, agentPrivilege, version) => {
    const { provider, cluster, access } = await simulate(flavour);
    // The simulator's Date header is the real time, whatever its clock says.
    const report = await provider(access(), { clock: { now: () => new Date() } }).preflight.check();
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...ALL_OK,
      agentPrivilege,
      'quorum',
      'nodes',
      'guests',
      'firewall',
      'clock',
    ]);
    expect(report.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(report).toMatchObject({ version, cluster_name: 'lab', fingerprint: cluster.node('pve1').fingerprint256 });
  });
});

describe('the check of an access', () => {
  it('shows the fingerprint of an untrusted certificate and sends nothing', async () => {
    const { provider, access, cluster, simulator } = await simulate();
    const report = await provider(access('manager', { tls_fingerprint: null, entry_points: [] })).preflight.check();
    expect(statuses(report)).toEqual({ target: 'ok', reachable: 'ok', tls: 'failed', sign_in: 'unknown' });
    expect(report.fingerprint).toBe(cluster.node('pve1').fingerprint256);
    expect(simulator.log.total).toBe(0);
  });

  it('names the expected certificate when it changed', async () => {
    const { provider, access, cluster } = await simulate();
    const pinned = cluster.node('pve2').fingerprint256;
    const report = await provider(access('manager', { tls_fingerprint: pinned, entry_points: [] })).preflight.check();
    expect(line(report, 'tls')).toMatchObject({ status: 'failed', detail: expect.stringContaining(pinned) });
  });

  it('fails on a port where nothing listens', async () => {
    const { provider, access, cluster } = await simulate();
    await cluster.setNode('pve1', 'refusing');
    const report = await provider(access('manager', { entry_points: [] })).preflight.check();
    expect(statuses(report)).toEqual({ target: 'ok', reachable: 'failed', tls: 'unknown', sign_in: 'unknown' });
  });

  it('warns about a node that is down while others answer', async () => {
    const { provider, cluster } = await simulate();
    await cluster.setNode('pve1', 'refusing');
    const report = await provider().preflight.check();
    expect(statuses(report)).toMatchObject({ reachable: 'warning', sign_in: 'ok', 'privilege:VM.Audit': 'ok' });
  });

  it('rejects an address that is not allowed', async () => {
    const { provider, access } = await simulate();
    const report = await provider(access(), { allowTargets: [] }).preflight.check();
    expect(line(report, 'target')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('FABRIC_ALLOW_PRIVATE_TARGETS'),
    });
    expect(statuses(report)).toMatchObject({ reachable: 'unknown', tls: 'unknown' });
  });

  it('rejects a malformed address', async () => {
    const { provider, access } = await simulate();
    const report = await provider(access('manager', { api_url: 'http://pve1' })).preflight.check();
    expect(line(report, 'target')).toMatchObject({ status: 'failed', detail: 'The API uses https only, not http' });
  });

  it.each([
    ['fabric@pve!fabric=00000000-0000-0000-0000-000000000000', 'rejected the API token'],
    ['not a token', 'user@realm!name=secret'],
  ])('fails at the sign-in with the token %s, after the certificate check', async (api_token, words) => {
    const { provider, access } = await simulate();
    const report = await provider(access('manager', { api_token })).preflight.check();
    expect(statuses(report)).toEqual({ target: 'ok', reachable: 'ok', tls: 'ok', sign_in: 'failed' });
    expect(line(report, 'sign_in')?.detail).toContain(words);
  });

  it('works again after the token was repaired, without a new provider', async () => {
    const { provider, cluster } = await simulate();
    const test = provider();
    const id = cluster.tokens.manager.split('=')[0] ?? '';
    const token = cluster.state.access.tokens.get(id);
    cluster.revokeToken(id);
    expect(line(await test.preflight.check(), 'sign_in')).toMatchObject({ status: 'failed' });
    if (token) cluster.state.access.tokens.set(id, token);
    expect(line(await test.preflight.check(), 'sign_in')).toMatchObject({ status: 'ok' });
    await expect(test.inventory.listGuests()).resolves.toMatchObject({ complete: true });
  });
});

describe('the check of privileges', () => {
  it('explains for a token without privileges why the cluster looks empty', async () => {
    const { provider, access } = await simulate();
    const report = await provider(access('empty')).preflight.check();
    expect(line(report, 'token')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('privilege separation'),
    });
    expect(statuses(report)).toMatchObject({
      sign_in: 'ok',
      'privilege:VM.Audit': 'failed',
      'privilege:VM.Config.Network': 'failed',
      'privilege:SDN.Use': 'failed',
      'privilege:Sys.Audit': 'warning',
      quorum: 'unknown',
      firewall: 'unknown',
      guests: 'warning',
    });
  });

  it('names each missing privilege for a token that may only read', async () => {
    const { provider, access } = await simulate();
    const report = await provider(access('reader')).preflight.check();
    const missing = report.checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
    expect(missing).toEqual(['privilege:VM.Config.Network', 'privilege:SDN.Use']);
    expect(line(report, 'privilege:SDN.Use')?.remedy).toContain('SDN.Use on /sdn/zones');
  });

  it('names the privilege that replaced VM.Monitor for an old role on version 9', async () => {
    const { provider, access, cluster } = await simulate('pve9');
    const id = cluster.tokens.empty.split('=')[0] ?? '';
    const { access: acl } = cluster.state;
    acl.addRole('Old', ['VM.Audit', 'VM.Config.Network', 'VM.Config.Options', 'SDN.Use']);
    for (const subject of ['nobody@pve', id]) acl.grant({ path: '/', subject, role: 'Old', propagate: true });
    const report = await provider(access('empty')).preflight.check();
    expect(line(report, 'privilege:VM.GuestAgent.Audit')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('guest agents'),
    });
  });

  it('lists the paths of privileges that are granted in part', async () => {
    const { provider, access, cluster } = await simulate();
    const id = cluster.tokens.empty.split('=')[0] ?? '';
    cluster.state.access.grant({ path: '/pool/staging', subject: id, role: 'PVEAuditor', propagate: true });
    const report = await provider(access('empty')).preflight.check();
    expect(line(report, 'privilege:VM.Audit')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('/vms/120'),
    });
  });

  it('warns about privileges that do not propagate', async () => {
    const { provider, access, cluster } = await simulate();
    const id = cluster.tokens.empty.split('=')[0] ?? '';
    cluster.state.access.grant({ path: '/vms', subject: id, role: 'PVEAuditor', propagate: false });
    const report = await provider(access('empty')).preflight.check();
    expect(line(report, 'privilege:VM.Audit')).toMatchObject({ status: 'warning' });
  });
});

describe('the check of the state', () => {
  it('names quorum, offline nodes and a firewall that is off', async () => {
    const { provider, cluster } = await simulate();
    cluster.setQuorum(false);
    await cluster.setNode('pve3', 'down');
    cluster.state.files.set('firewall/cluster.fw', '[OPTIONS]\n\nenable: 0\n');
    const report = await provider().preflight.check();
    expect(statuses(report)).toMatchObject({ quorum: 'failed', nodes: 'warning', firewall: 'warning' });
    expect(line(report, 'nodes')?.detail).toContain('pve3 is offline');
    expect(line(report, 'firewall')?.remedy).toContain('management');
  });

  it('notices a node that is online but cannot be reached from the one asked', async () => {
    const { provider, cluster } = await simulate();
    await cluster.setNode('pve2', 'refusing');
    const report = await provider().preflight.check();
    expect(line(report, 'nodes')).toMatchObject({ status: 'warning', detail: expect.stringContaining('pve2: ') });
  });

  it('never throws, whatever single call fails', async () => {
    const { provider, simulator } = await simulate();
    for (const path of [
      '/access/permissions',
      '/cluster/status',
      '/nodes',
      '/cluster/resources',
      '/cluster/firewall/options',
    ]) {
      simulator.onRequest(
        { path },
        { kind: 'respond', status: 200, body: '{"data":7}', contentType: 'application/json' },
      );
      const report = await provider().preflight.check();
      expect(report.checks.some(({ status }) => status === 'unknown')).toBe(true);
      expect(statuses(report)).toMatchObject({ sign_in: 'ok', version: 'ok' });
      simulator.clearFaults();
    }
  });

  it('notices clocks that differ', () => {
    const now = Date.parse('2030-01-01T12:00:00Z');
    expect(checkClock('Tue, 01 Jan 2030 12:00:20 GMT', now).status).toBe('ok');
    expect(checkClock('Tue, 01 Jan 2030 12:05:00 GMT', now)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('300 seconds ahead of'),
    });
    expect(checkClock(null, now).status).toBe('unknown');
    expect(checkClock('yesterday', now).status).toBe('unknown');
  });

  it.each([
    ['8.4.1', 'ok'],
    ['9.0.3', 'ok'],
    ['7.4-3', 'warning'],
    ['10.0.1', 'warning'],
    ['', 'warning'],
  ])('knows version %s as %s', (version, status) => expect(checkVersion(version).status).toBe(status));
});
