import { describe, expect, it } from 'vitest';
import type { LiveNic, LiveState } from '../firewall/live-state';
import { PLAIN_NODE } from '../firewall/random-state.fixture';
import { type GuestStatus, gatherFacts, type Readings } from './gather-facts';

const NIC: LiveNic & { pending: boolean } = { name: 'net0', firewall: true, mac: '02:00:00:00:00:01', pending: false };
const STATE: LiveState = {
  cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
  guest: { options: { enable: 1 }, rules: [], ipsets: {}, aliases: {} },
  node: PLAIN_NODE,
};
const gather = (state: Partial<LiveState> = {}, values: Partial<Readings> = {}, nic = NIC) =>
  gatherFacts({ state: { ...STATE, ...state }, status: 'running', filter: null, ruleset: null, ...values }, nic, {
    report: 'no_agent',
    older_connections: null,
  });
const guest = (values: Partial<LiveState['guest']>) => ({ guest: { ...STATE.guest, ...values } });

describe('gatherFacts', () => {
  it.each<[GuestStatus, boolean | null]>([
    ['running', true],
    ['paused', true],
    ['stopped', false],
    ['suspended', null],
    ['unknown', null],
  ])('knows of a workload that is %s whether it runs: %s', (status, running) => {
    expect(gather({}, { status }).running).toBe(running);
  });

  it('takes an unread part as unknown, and a missing option as its default', () => {
    expect(gather(guest({ options: null }))).toMatchObject({ guest: null, default_policy: 'unknown' });
    expect(gather(guest({ options: {} }))).toMatchObject({ guest: false, default_policy: 'deny' });
    expect(gather({ cluster: { ...STATE.cluster, firewall_enabled: null } }).cluster).toBeNull();
    expect(gather({ node: null }).implementations).toEqual(['iptables', 'nftables']);
  });

  it('reads the default policy as if every switch were on', () => {
    const off = { cluster: { ...STATE.cluster, firewall_enabled: false } };
    const accepting = { type: 'in', action: 'ACCEPT', enable: 1, pos: 0 };
    expect(gather(off, {}, { ...NIC, firewall: false })).toMatchObject({
      cluster: false,
      nic: false,
      default_policy: 'deny',
    });
    expect(gather(guest({ options: { enable: 0, policy_in: 'ACCEPT' } })).default_policy).toBe('accept');
    expect(gather(guest({ rules: [accepting] })).default_policy).toBe('accepts_everything');
    expect(gather(guest({ rules: null })).default_policy).toBe('unknown');
  });

  it('distinguishes a node that cannot compile from one of which it is not known', () => {
    const failing = { ...PLAIN_NODE, compile_failure: { since: '2026-01-01T00:00:00Z', failures: [] } };
    expect(gather({ node: failing })).toMatchObject({ compile: 'failed', default_policy: 'deny' });
    expect(gather({ node: { ...PLAIN_NODE, compile_unknown: true } }).compile).toBe('doubt');
    expect(gather().compile).toBe('ok');
  });
});
