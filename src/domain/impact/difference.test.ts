import { describe, expect, it } from 'vitest';
import type { LiveGuest, LiveNic, LiveRule, LiveSetEntry, LiveState } from '../firewall/live-state';
import { type PreparedGuest, prepareGuest } from '../firewall/prepare-guest';
import { PLAIN_NODE } from '../firewall/random-state.fixture';
import { computeDifference, type Difference, type DifferenceRows } from './difference';

const NIC: LiveNic = { name: 'net0', firewall: true, mac: '02:00:00:00:00:01' };

type Setup = Partial<LiveGuest> & {
  readonly node?: LiveState['node'];
  readonly nic?: Partial<LiveNic>;
  readonly blacklist?: readonly LiveSetEntry[];
};
type Rule = Partial<LiveRule>;

const allow = (rule: Rule): Rule => ({ type: 'in', action: 'ACCEPT', enable: 1, ...rule });

/** A guest with rules in order, under a filter that is on and whose default drops what comes in. */
function guest(rules: readonly Rule[], { node = PLAIN_NODE, nic, blacklist, ...setup }: Setup = {}): PreparedGuest {
  const listed = rules.map((rule, pos): LiveRule => ({ type: 'in', action: 'ACCEPT', ...rule, pos }));
  return prepareGuest(
    {
      node,
      cluster: { firewall_enabled: true, aliases: {}, ipsets: { ...(blacklist && { blacklist }) }, groups: {} },
      guest: { options: { enable: 1 }, rules: listed, aliases: {}, ipsets: {}, ...setup },
    },
    { ...NIC, ...nic },
  );
}

const SSH = allow({ proto: 'tcp', dport: '22', source: '10.0.0.0/24' });
const WEB = allow({ proto: 'tcp', dport: '80,443' });
const NONE: DifferenceRows = { rows: [], left_out: 0 };
const UNCHANGED: Difference = { gained: NONE, lost: NONE, unknown: NONE, complete: true };

describe('computeDifference', () => {
  it('finds nothing when rules change places that match no common packet', () => {
    expect(computeDifference(guest([SSH, WEB]), guest([WEB, SSH]))).toEqual(UNCHANGED);
  });

  it('finds nothing when a rule is added that an earlier rule covers', () => {
    const after = guest([WEB, allow({ proto: 'tcp', dport: '443', source: '10.0.0.5' })]);
    expect(computeDifference(guest([WEB]), after)).toEqual(UNCHANGED);
  });

  it('shows an added rule as one row of its addresses and ports', () => {
    const { gained, lost, unknown } = computeDifference(guest([WEB]), guest([SSH, WEB]));
    expect([lost, unknown]).toEqual([NONE, NONE]);
    expect(gained.rows).toMatchObject([
      {
        direction: 'in',
        family: 4,
        from: { networks: ['10.0.0.0/24'], except: false, left_out: 0 },
        protocols: ['tcp'],
        ports: ['22'],
        source_ports: null,
        icmp: null,
        before: 'drop',
        after: 'accept',
        decided_before: { kind: 'default', policy: 'DROP' },
        decided_after: { kind: 'rule', position: 0 },
      },
    ]);
  });

  it('joins both families where a removed rule was about all addresses', () => {
    const { lost } = computeDifference(guest([WEB]), guest([]));
    expect(lost.rows).toMatchObject([{ family: null, from: null, to: null, protocols: ['tcp'], ports: ['80', '443'] }]);
  });

  it('leaves out what other rules still allow', () => {
    const wide = allow({ proto: 'tcp', source: '10.0.0.0/25' });
    const { lost } = computeDifference(guest([SSH, wide]), guest([wide]));
    expect(lost.rows.map(({ from }) => from?.networks)).toEqual([['10.0.0.128/25']]);
  });

  it('shows a switched off filter as everything gained that it did not allow', () => {
    const { gained, lost } = computeDifference(guest([WEB]), guest([WEB], { nic: { firewall: false } }));
    expect(lost).toEqual(NONE);
    const rest = gained.rows.find(
      ({ decided_before, direction }) => direction === 'in' && decided_before.kind === 'default',
    );
    expect(rest).toMatchObject({ after: 'accept', decided_after: { kind: 'not_enforced', reason: 'nic_flag_off' } });
  });

  it('shows what a blacklist and an address filter drop', () => {
    const listed = guest([WEB], { blacklist: [{ cidr: '192.0.2.0/24' }] });
    const { lost, gained } = computeDifference(guest([WEB]), listed);
    expect(gained).toEqual(NONE);
    // DHCP is accepted before all rules.
    const [dhcp, web] = [...lost.rows].sort((a, b) => (a.decided_before.kind < b.decided_before.kind ? -1 : 1));
    expect(dhcp?.decided_before).toEqual({ kind: 'builtin', name: 'dhcp' });
    expect([web]).toMatchObject([
      { direction: 'in', from: { networks: ['192.0.2.0/24'] }, decided_after: { kind: 'builtin', name: 'blacklist' } },
    ]);
    const ipsets = { 'ipfilter-net0': [{ cidr: '10.0.0.9' }] };
    const filtered = computeDifference(guest([WEB]), guest([WEB], { ipsets }));
    expect(filtered.lost.rows.every(({ direction }) => direction === 'out')).toBe(true);
    expect(filtered.lost.rows[0]?.from).toMatchObject({ networks: ['10.0.0.9'], except: true });
  });

  it('names packets that are undecided after a change', () => {
    const { gained, unknown } = computeDifference(
      guest([]),
      guest([allow({ proto: 'tcp', dport: '22', source: '+sdn/all' })]),
    );
    expect(gained).toEqual(NONE);
    expect(new Set(unknown.rows.map(({ ports, after }) => `${ports?.join()} ${after}`))).toEqual(
      new Set(['22 unknown']),
    );
  });

  it('tells addresses that may be broadcast addresses apart where the networks of the node are not known', () => {
    const node = { ...PLAIN_NODE, networks: null };
    const { gained, unknown } = computeDifference(guest([], { node }), guest([WEB], { node }));
    expect(gained.rows.filter(({ family }) => family === 4).every(({ from }) => from?.last_octet === 'other')).toBe(
      true,
    );
    expect(unknown.rows.every(({ from }) => from?.last_octet === '255')).toBe(true);
    expect(unknown.rows.length).toBeGreaterThan(0);
  });

  it('counts the rows and networks that are left out', () => {
    const rules = Array.from({ length: 30 }, (_, at) =>
      allow({ proto: 'tcp', dport: `${1000 + 2 * at}`, source: `10.0.1.${at}` }),
    );
    const { gained } = computeDifference(guest([]), guest(rules), 10);
    expect([gained.rows.length, gained.left_out]).toEqual([10, 20]);
    const many = Array.from({ length: 80 }, (_, at) => ({ cidr: `10.0.1.${2 * at}` }));
    const set = allow({ proto: 'tcp', dport: '22', source: '+many' });
    const [row] = computeDifference(guest([]), guest([set], { ipsets: { many } })).gained.rows;
    expect(row?.from).toMatchObject({ left_out: 30, except: false });
    expect(row?.from?.networks).toHaveLength(50);
  });
});
