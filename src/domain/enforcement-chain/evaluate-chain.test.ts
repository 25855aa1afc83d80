import { describe, expect, it } from 'vitest';
import { ESCAPE_REASONS } from '../choices';
import { allCombinations, buildFacts, type Changes, ORACLE_LINKS } from './chain-oracle.fixture';
import { getEscapeFix } from './escaped';
import { type EvaluatedChain, evaluateChain } from './evaluate-chain';
import { CHAIN_LINKS, FIX_NAMES, LINK_DETAIL_NAMES, LINK_DETAILS } from './link-details';

const shown = (chain: EvaluatedChain) =>
  chain.links.map(({ link, detail }) => `${link} ${LINK_DETAILS[detail].state}`).join(', ');
const getLink = (changes: Changes, link: string) =>
  evaluateChain(buildFacts(changes)).links.find((found) => found.link === link)?.detail ?? 'absent';

/** Enforced only if all hold; the first broken link in the order of the packet's way decides. */
function expectAsWritten(chain: EvaluatedChain, links: readonly string[], states: readonly string[]): void {
  const first = (state: string) => links[states.indexOf(state)] ?? null;
  const expected = {
    enforced: states.includes('broken') ? 'no' : states.includes('unknown') ? 'unknown' : 'yes',
    first_broken: first('broken'),
    first_unknown: first('unknown'),
    links: links.map((link, at) => `${link} ${states[at]}`).join(', '),
  };
  const { enforced, first_broken, first_unknown } = chain;
  if (
    enforced !== expected.enforced ||
    first_broken !== expected.first_broken ||
    first_unknown !== expected.first_unknown ||
    shown(chain) !== expected.links
  ) {
    expect({ enforced, first_broken, first_unknown, links: shown(chain) }).toEqual(expected);
  }
}

describe('evaluateChain', () => {
  it('equals the oracle in every combination of link states under iptables', () => {
    let combinations = 0;
    for (const { states, facts } of allCombinations(ORACLE_LINKS.iptables)) {
      expectAsWritten(evaluateChain(facts), ORACLE_LINKS.iptables, states);
      combinations += 1;
    }
    expect(combinations).toBe(59_049);
  });

  it('equals the oracle in every combination of link states under nftables', () => {
    let combinations = 0;
    for (const bridge of ['own_firewall_bridge', 'other', 'none', null] as const) {
      for (const { states, facts } of allCombinations(ORACLE_LINKS.nftables, { implementations: ['nftables'] })) {
        const { report } = facts;
        if (typeof report === 'string') throw new Error('expected a report');
        const nic = report.interface && { ...report.interface, bridge };
        const chain = evaluateChain({ ...facts, report: { ...report, netfilter_ipv4: false, interface: nic } });
        expectAsWritten(chain, ORACLE_LINKS.nftables, states);
        combinations += 1;
      }
    }
    expect(combinations).toBe(4 * 6_561);
  });

  it('equals the oracle in every combination of link states while the implementation is unknown', () => {
    for (const { states, facts } of allCombinations(ORACLE_LINKS.iptables, {
      implementations: ['iptables', 'nftables'],
    })) {
      // What only iptables needs breaks nothing as long as nftables may filter.
      const expected = states.map((state, at) => {
        const link = ORACLE_LINKS.iptables[at];
        if (link === 'firewall_service') return 'unknown';
        const onlyIptables = link === 'firewall_bridge' || link === 'bridge_netfilter';
        return onlyIptables && state === 'broken' ? 'unknown' : state;
      });
      expectAsWritten(evaluateChain(facts), ORACLE_LINKS.iptables, expected);
    }
  });

  it('believes what the agent sees about the implementation', () => {
    const IMPLEMENTATIONS = ['iptables', 'nftables'] as const;
    for (const configured of [['iptables'], ['nftables'], IMPLEMENTATIONS] as const) {
      for (const seen of [...IMPLEMENTATIONS, null]) {
        const chain = evaluateChain(buildFacts({ implementations: configured, report: { implementation: seen } }));
        const agrees = seen !== null && configured.some((one) => one === seen);
        expect(chain.implementations).toEqual(agrees ? [seen] : seen === null ? configured : IMPLEMENTATIONS);
        const service = chain.links.find(({ link }) => link === 'firewall_service')?.detail;
        if (agrees) expect(service).toBe(`${seen}_running`);
        else if (seen !== null) expect(service).toBe('implementation_differs');
        else expect(service).toBe(configured.length === 1 ? `${configured[0]}_running` : 'implementation_unknown');
      }
    }
  });

  it.each(['no_agent', 'agent_stale'] as const)('leaves open what only the node sees: %s', (report) => {
    const chain = evaluateChain({ ...buildFacts({}), report });
    expect(chain).toMatchObject({ enforced: 'unknown', first_broken: null, first_unknown: 'firewall_service' });
    const open = chain.links.filter(({ detail }) => detail === report).map(({ link }) => link);
    expect(open).toEqual([
      'firewall_service',
      'firewall_bridge',
      'bridge_netfilter',
      'ruleset_compiled',
      'ruleset_current',
      'open_connections',
    ]);
    // What is certain without an agent settles it.
    expect(evaluateChain({ ...buildFacts({ nic: false }), report }).enforced).toBe('no');
    expect(evaluateChain({ ...buildFacts({ compile: 'failed' }), report }).first_broken).toBe('ruleset_compiled');
  });

  it.each([
    [{ nic: false, nic_pending: true }, 'nic_flag', 'nic_pending'],
    [{ nic: true, nic_pending: true }, 'nic_flag', 'nic_on'],
    [{ nic: null, nic_pending: true }, 'nic_flag', 'nic_unread'],
    [{ report: { interface: null } }, 'firewall_bridge', 'agent_outdated'],
    [{ report: { interface: null } }, 'ruleset_compiled', 'agent_outdated'],
    [{ report: { interface: null, rules_loaded: false } }, 'ruleset_compiled', 'nothing_loaded'],
    [{ report: { interface: { chains: true }, rules_loaded: null } }, 'ruleset_compiled', 'compiled'],
    [{ report: { interface: { bridge: 'none' } } }, 'firewall_bridge', 'bridge_missing'],
    [{ running: true, report: { interface: { present: false } } }, 'firewall_bridge', 'interface_absent'],
    [{ running: null, report: { interface: { present: false } } }, 'firewall_bridge', 'interface_absent'],
    [{ running: false, report: { interface: { present: false } } }, 'firewall_bridge', 'bridge_at_start'],
    [{ running: false, report: { interface: { bridge: 'other' } } }, 'firewall_bridge', 'bridge_missing'],
    [{ report: { netfilter_ipv6: false } }, 'bridge_netfilter', 'netfilter_off_ipv6'],
    [{ report: { netfilter_ipv4: null, netfilter_ipv6: false } }, 'bridge_netfilter', 'netfilter_off_ipv6'],
    [{ report: { netfilter_ipv4: null } }, 'bridge_netfilter', 'netfilter_unread'],
    [{ compile: 'doubt' }, 'ruleset_compiled', 'compile_doubt'],
    [{ age: 'unknown' }, 'ruleset_current', 'age_unknown'],
    [{ default_policy: 'accepts_everything' }, 'default_policy', 'accepts_everything'],
  ] as const)('finds for %j at %s: %s', (changes, link, detail) => {
    expect(getLink(changes, link)).toBe(detail);
  });
});

describe('link details', () => {
  it('have a remedy unless they hold, and each is used', () => {
    for (const name of LINK_DETAIL_NAMES) {
      const detail: { state: string; fix?: string } = LINK_DETAILS[name];
      expect([name, detail.fix !== undefined]).toEqual([name, detail.state !== 'ok']);
    }
    const used = new Set<string | null | undefined>([
      ...LINK_DETAIL_NAMES.map((name) => (LINK_DETAILS[name] as { fix?: string }).fix),
      ...ESCAPE_REASONS.map((reason) => getEscapeFix(reason, null)),
    ]);
    expect(FIX_NAMES.filter((fix) => !used.has(fix))).toEqual([]);
    expect(new Set(CHAIN_LINKS)).toEqual(new Set(ORACLE_LINKS.iptables));
  });
});
