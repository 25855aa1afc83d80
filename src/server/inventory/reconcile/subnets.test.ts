import { describe, expect, it } from 'vitest';
import type { Listing } from '@/server/providers/hypervisor/types';
import { type PresentSubnet, planSubnets } from './subnets';

const now = new Date('2026-03-01T12:00:00.000Z');
const list = <T>(items: T[], complete = true): Listing<T> => ({
  items,
  complete,
  incompleteReason: complete ? null : 'filtered',
});

describe('the plan for subnets', () => {
  const networks = new Map([['apps', 'n1']]);
  const fact = (changes = {}) => ({
    network: 'apps',
    cidr: '10.0.0.0/24',
    gateway: '10.0.0.1',
    dns_servers: ['9.9.9.9'],
    dhcp_enabled: true,
    ...changes,
  });
  const row = (changes: Partial<PresentSubnet> = {}): PresentSubnet => ({
    id: 's1',
    network_id: 'n1',
    cidr: '10.0.0.0/24',
    gateway: '10.0.0.1',
    dns_servers: ['9.9.9.9'],
    dhcp_enabled: true,
    source: 'provider',
    missing_since: null,
    edited: false,
    in_use: false,
    ...changes,
  });
  const plan = (facts: ReturnType<typeof fact>[], present: PresentSubnet[], complete = true) =>
    planSubnets(list(facts, complete), present, networks, now);

  it('stores canonical networks and refuses what is none', () => {
    const result = plan(
      [
        fact({ cidr: '10.0.0.7/24', gateway: 'fe80::1' }),
        fact({ cidr: 'FD00::/64', gateway: 'fd00:0::1' }),
        fact({ cidr: 'x' }),
        fact({ network: 'other' }),
      ],
      [],
    );
    expect(result.create).toMatchObject([
      { cidr: '10.0.0.0/24', gateway: null },
      { cidr: 'fd00::/64', gateway: 'fd00::1' },
    ]);
    expect(result.refused).toHaveLength(2);
  });

  it('does not touch what people entered or changed', () => {
    const none = { create: [], change: [], remove: [], mark: [] };
    expect(plan([fact()], [row({ source: 'manual', gateway: null })])).toMatchObject(none);
    expect(plan([fact()], [row({ edited: true, in_use: true, gateway: null, dhcp_enabled: false })])).toMatchObject(
      none,
    );
    expect(
      plan([fact()], [row({ edited: true, in_use: true, gateway: null, missing_since: now.toISOString() })]).change,
    ).toMatchObject([{ gateway: null, missing_since: null }]);
    expect(plan([fact()], [row({ dhcp_enabled: false })]).change).toMatchObject([{ id: 's1', dhcp_enabled: true }]);
  });

  it('removes with proof and without use only', () => {
    expect(plan([], [row()]).remove).toHaveLength(1);
    expect(plan([], [row()], false)).toMatchObject({ remove: [], mark: [{ id: 's1' }] });
    expect(plan([], [row({ in_use: true })])).toMatchObject({ remove: [], mark: [{ id: 's1' }] });
    expect(plan([], [row({ source: 'discovery' })])).toMatchObject({ remove: [], mark: [] });
  });
});
