import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { computeSeverity } from '@/domain/dashboard/sensitive-ports';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { observedAction } from '@/domain/flow-verdict';
import type { SummedRulesSay } from '@/domain/summed-verdict';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import * as contexts from '../../enforcement/verdicts/guest-context';
import { AddressBook } from '../../traffic/flows/address-book';
import * as evaluation from './evaluate-suspicious';
import { KnownSuspicious } from './known-suspicious';

/**
 * What the rules of a guest say about all traffic that reaches it; guests are the same objects as long as that is
 * unchanged.
 */
type Guest = GuestContext & { says: string };
type Guests = { guests: Map<string, Guest> };
const guestContext = vi
  .spyOn(contexts, 'guestContext')
  .mockImplementation((firewall, id) => (firewall as unknown as Guests).guests.get(id) ?? null);
const evaluateSuspicious = vi.spyOn(evaluation, 'evaluateSuspicious').mockImplementation((ends, guest) => {
  const decision = ((guest?.context as Guest | undefined)?.says ?? ends.decision) as typeof ends.decision;
  const { source_ip, destination_workload_id, port } = ends;
  return {
    decision,
    severity: computeSeverity(port, decision),
    key: `${source_ip} ${destination_workload_id} ${port} ${decision}`,
    verdict: {
      action: observedAction({ decision: ends.decision, state: null }),
      rules_say: guest && ({ action: 'allowed', kind: 'default', read_at: guest.read_at } as SummedRulesSay),
      audit_say: [],
      differs: false,
    },
  };
});

const ALL = { flows: 'all', policies: 'all', rules: 'all', prefixes: 'all', former: new Map() } as const;
const CLUSTER = '01900000-0000-7000-8000-000000000001';
const book = (cidrs: string[]) => new AddressBook({ cidrs, workloads: [], addresses: [] });
const BOOKS = [book([]), book(['198.51.100.0/24']), book(['10.0.0.0/8']), book(['10.0.0.0/24', '10.0.0.0/8'])] as const;

const ENVIRONMENTS = ['web', 'renamed'].map((name) => ({
  workloads: new Map(['a', 'b'].map((id) => [id, { id, name: `${name} ${id}`, tenant_id: null }])),
  clusters: new Map([[CLUSTER, { name }]]),
}));
const GUESTS = ['accept', 'drop', 'audit_drop'].map((says) => ({ says }) as Guest);
const firewall = fc
  .record({
    read: fc.constantFrom('2026-01-01', '2026-01-02'),
    inputs: fc.constantFrom(...ENVIRONMENTS),
    a: fc.constantFrom(...GUESTS),
    b: fc.constantFrom(...GUESTS, null),
  })
  .map(({ read, inputs, a, b }) => {
    const guests = new Map(Object.entries({ a, b }));
    return { inputs, guests, readAt: () => read } as unknown as FirewallState;
  });

const row = fc
  .record({
    source: fc.constantFrom('198.51.100.7', '203.0.113.9', '10.0.0.9', '2001:db8::9'),
    workload: fc.constantFrom('a', 'b', ''),
    port: fc.constantFrom(22, 445, 5901, 80),
    decision: fc.constantFrom('accept', 'observed'),
    sourcePort: fc.constantFrom('', '40000'),
    flows: fc.integer({ min: 1, max: 3 }),
    bytes: fc.constantFrom('', '0', '700'),
    last: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_003 }),
  })
  .map(({ source, workload, port, decision, sourcePort, flows, bytes, last }) => ({
    ends: [CLUSTER, source, '10.0.0.5', workload, port, 'tcp', decision, sourcePort, ''].join('|'),
    sums: [flows, bytes, bytes, 1_789_000_000_000, last].join('|'),
  }));
/** The query tells each ends once. */
const rows = fc.uniqueArray(row, { selector: ({ ends }) => ends, maxLength: 20 });
const look = fc.record({ rows, firewall, book: fc.constantFrom(...BOOKS) });

const found = (
  known: KnownSuspicious,
  { rows, firewall, book }: { rows: never[]; firewall: FirewallState; book: AddressBook },
) => {
  const entries = known.look(rows, firewall, book);
  const surroundings = known.surroundings(firewall.inputs, book);
  return entries.map((entry) => entry.say(surroundings)).sort((a, b) => (a.id < b.id ? -1 : 1));
};

it('says after any looks what it would say at the first', () => {
  fc.assert(
    fc.property(fc.array(look, { minLength: 2, maxLength: 6 }), (looks) => {
      const known = new KnownSuspicious(ALL);
      for (const one of looks as never[]) expect(found(known, one)).toEqual(found(new KnownSuspicious(ALL), one));
    }),
    { numRuns: 500 },
  );
});

it('shows traffic from a source whose text is no address', () => {
  const entries = found(new KnownSuspicious(ALL), {
    rows: [{ ends: `${CLUSTER}|0:102:304|10.0.0.5|a|22|tcp|accept||`, sums: '1|5|5|1|2' }] as never[],
    firewall: { inputs: ENVIRONMENTS[0], guests: new Map(), readAt: () => null } as unknown as FirewallState,
    book: BOOKS[2],
  });
  expect(entries).toMatchObject([{ source_ip: '0:102:304', source_label: '0:102:304 external' }]);
});

it('rebuilds an entry only when part of it changed', () => {
  const known = new KnownSuspicious(ALL);
  const at = (inputs: object, sums: string, read = '2026-01-01') =>
    found(known, {
      rows: [{ ends: `${CLUSTER}|198.51.100.7|10.0.0.5|a|22|tcp|accept||`, sums }] as never[],
      firewall: { inputs, guests: new Map([['a', GUESTS[0]]]), readAt: () => read } as unknown as FirewallState,
      book: BOOKS[0],
    })[0];
  const first = at(ENVIRONMENTS[0] ?? {}, '1|5|5|1|2');
  expect(at(ENVIRONMENTS[0] ?? {}, '1|5|5|1|2')).toBe(first);
  expect(at(ENVIRONMENTS[0] ?? {}, '2|5|5|1|2')).toMatchObject({ flows: 2 });
  expect(at(ENVIRONMENTS[1] ?? {}, '2|5|5|1|2')).toMatchObject({ cluster_name: 'renamed' });
  expect(at(ENVIRONMENTS[1] ?? {}, '2|5|5|1|2', '2026-01-02')).toMatchObject({ rules_say: { read_at: '2026-01-02' } });
});

it('holds no inputs but the last, nor guests, however long rows are not found again', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const known = new KnownSuspicious(ALL);
  /** Looks once with inputs of its own, at rows of its own. */
  const lookAt = (i: number): WeakRef<object>[] => {
    const inputs = { ...ENVIRONMENTS[0] };
    const guest = { says: 'accept' };
    const one = { inputs, guests: new Map([['a', guest]]), readAt: () => null } as unknown as FirewallState;
    const ends = `${CLUSTER}|198.51.100.${i}|10.0.0.5|a|22|tcp|accept||`;
    const addresses = book([]);
    expect(
      found(known, { rows: [{ ends, sums: '1|5|5|1|2' }] as never[], firewall: one, book: addresses }),
    ).toHaveLength(1);
    return [inputs, guest, one, addresses].map((thing) => new WeakRef(thing));
  };
  const before = [1, 2, 3].flatMap(lookAt);
  lookAt(4);
  // The stand-ins keep what they were called with.
  guestContext.mockClear();
  evaluateSuspicious.mockClear();
  await new Promise((done) => setTimeout(done, 20));
  collect();
  expect(before.filter((thing) => thing.deref() !== undefined)).toEqual([]);
});
