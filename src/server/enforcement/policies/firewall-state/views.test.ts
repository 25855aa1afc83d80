import { expect, it } from 'vitest';
import type { LiveNode } from '@/domain/firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { InputWorkload } from '../../queries/policy-inputs';
import type { FirewallState } from './firewall-state';
import { workloadProtection } from './views';

const GUEST: GuestSnapshot = {
  ...{ presence: 'present', options: { enable: 1, policy_in: 'DROP' }, rules: [], ipsets: {}, aliases: {} },
  ...{ nics: [{ name: 'net0', firewall: true, mac: null }], pending_nics: [], unreadable: [] },
};
const NODE: LiveNode = { options: {}, networks: [], rules: [] };

it('follows a workload to a node whose firewall does not compile', () => {
  const cluster: ClusterSnapshot = {
    ...{ firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
    nodes: { a: NODE, b: { ...NODE, compile_failure: { since: '2026-11-30T00:00:00Z', failures: [] } } },
  };
  const evaluateOn = (node_name: string) => {
    const workload = { id: 'guest', cluster_id: 'cluster', node_name, nftables: false } as InputWorkload;
    return workloadProtection(
      {
        inputs: { workloads: new Map([['guest', workload]]) },
        snapshots: {
          guests: new Map([['guest', { workload_id: 'guest', read_at: '', state: GUEST }]]),
          clusters: new Map([['cluster', { read_at: '', state: cluster }]]),
        },
      } as unknown as FirewallState,
      'guest',
    );
  };
  expect([evaluateOn('a'), evaluateOn('b'), evaluateOn('a')]).toEqual(['default_deny', 'unknown', 'default_deny']);
});
