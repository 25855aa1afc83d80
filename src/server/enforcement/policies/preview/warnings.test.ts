import { expect, it } from 'vitest';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { GuestPreview } from '@/domain/policy-preview';
import type { InputWorkload } from '../../queries/policy-inputs';
import { listFailuresAfter } from './warnings';

const workload = { id: 'w', vmid: 100, name: 'web', node_name: 'pve1', nftables: true } as unknown as InputWorkload;
const cluster = { groups: {}, ipsets: {}, aliases: {}, nodes: { pve1: { options: { nftables: 1 } } } };
const state = { options: { enable: 1 }, rules: [], ipsets: {}, aliases: {}, nics: [] } as unknown as GuestSnapshot;
const rule = { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto: 'icmpv6', 'icmp-type': 'reject-route' };
const preview = { option_changes: [] } as unknown as GuestPreview;

it('finds a written rule that stops the node although no switch changes', () => {
  const find = (after: GuestSnapshot | null) =>
    listFailuresAfter({ workload, preview, state, after }, cluster as unknown as ClusterSnapshot);
  expect(find({ ...state, rules: [rule] })).toMatchObject([{ reason: 'icmp_type_unknown', position: 0 }]);
  expect(find(state)).toEqual([]);
  expect(find(null)).toEqual([]);
});
