import { describe, expect, it } from 'vitest';
import { IMPACT_OUTCOMES } from '@/domain/choices';
import { english } from '@/lib/i18n/translator';
import { createConfidence, createImpact } from './impact.fixture';
import { addressesText, endName, getImpactFinding, knownTotal, ownerText, portsText } from './impact-labels';

describe('getImpactFinding', () => {
  it('reports nothing to cut only where everything was replayed and observed', () => {
    expect(getImpactFinding(createImpact(), true)).toBe('clean');
    const others = [
      createImpact({ traffic_visible: false, confidence: null }),
      createImpact({ traffic_visible: false }),
      createImpact({ confidence: null }),
      createImpact({ confidence: createConfidence('none') }),
      createImpact({ confidence: createConfidence('partial') }),
      createImpact({ totals: { unknown: 1 } }),
      createImpact({ status: 'running', traffic_visible: false, confidence: null }),
      createImpact({ status: 'failed' }),
    ];
    expect(others.map((impact) => getImpactFinding(impact, true))).toEqual([
      'not_replayed',
      'not_replayed',
      'no_evidence',
      'no_evidence',
      'incomplete',
      'undecided',
      'running',
      'failed',
    ]);
  });

  it('names blocked conversations first, while it runs and whatever the evidence', () => {
    for (const values of [{}, { status: 'running' as const }, { confidence: createConfidence('none') }]) {
      expect(getImpactFinding(createImpact({ ...values, totals: { newly_blocked: 2, unknown: 3 } }), true)).toBe(
        'blocked',
      );
    }
  });

  it('says whether the reader may not see flows, and whether no workload changes at all', () => {
    expect(getImpactFinding(createImpact({ traffic_visible: false, confidence: null }), false)).toBe('flows_hidden');
    expect(getImpactFinding(createImpact({ workloads_total: 0, traffic_visible: false, confidence: null }), true)).toBe(
      'unchanged',
    );
  });
});

describe('knownTotal', () => {
  it('returns zero only where conversations were replayed with some evidence', () => {
    const zeros = [
      createImpact(),
      createImpact({ confidence: createConfidence('partial') }),
      createImpact({ confidence: createConfidence('none') }),
      createImpact({ confidence: null }),
      createImpact({ traffic_visible: false }),
      createImpact({ status: 'running' }),
    ].map((impact) => IMPACT_OUTCOMES.map((outcome) => knownTotal(impact, outcome)));
    expect(zeros.map((totals) => new Set(totals))).toEqual([0, 0, null, null, null, null].map((one) => new Set([one])));
  });

  it('returns what was found, however little was observed', () => {
    expect(
      knownTotal(createImpact({ status: 'running', traffic_visible: false, totals: { unknown: 7 } }), 'unknown'),
    ).toBe(7);
  });
});

describe('texts of packet sets', () => {
  const some = { networks: ['10.0.0.0/8', '192.0.2.1'], except: false, left_out: 0, last_octet: null };
  it('name addresses, exceptions, what is left out and the last octet', () => {
    const text = (values: Partial<Parameters<typeof addressesText>[1]>) =>
      addressesText(english, { ...some, ...values });
    expect(addressesText(english, null)).toBe('any');
    expect(text({})).toBe('10.0.0.0/8, 192.0.2.1');
    expect(text({ left_out: 3 })).toBe('10.0.0.0/8, 192.0.2.1, and 3 more');
    expect(text({ except: true })).toBe('all except 10.0.0.0/8, 192.0.2.1');
    expect(text({ last_octet: '255' })).toBe('10.0.0.0/8, 192.0.2.1, ending in .255');
    expect(text({ last_octet: 'other', networks: [], except: true })).toBe('any, not ending in .255');
  });

  it('name ports, ICMP types and source ports', () => {
    const row = { ports: null, icmp: null, source_ports: null } as unknown as Parameters<typeof portsText>[1];
    expect(portsText(english, row)).toBe('any');
    expect(portsText(english, { ...row, ports: ['22', '80-90'] })).toBe('22, 80-90');
    expect(portsText(english, { ...row, icmp: ['echo-request'] })).toBe('echo-request');
    expect(portsText(english, { ...row, ports: ['22'], source_ports: ['53'] })).toBe('22, from port 53');
  });
});

it('names an end by its workload, else by its prefix, and its owners', () => {
  const named = (name: string) => ({ id: '01980000-0000-7000-8000-000000000001', name });
  const end = { workload: null, prefix: '10.0.0.0/24', addresses: 3, internal: true, tenant: null, project: null };
  expect([endName(end), ownerText(end)]).toEqual(['10.0.0.0/24', null]);
  const owned = { ...end, workload: named('web'), tenant: named('Nordwind'), project: named('Shop') };
  expect([endName(owned), ownerText(owned)]).toEqual(['web', 'Nordwind / Shop']);
});
