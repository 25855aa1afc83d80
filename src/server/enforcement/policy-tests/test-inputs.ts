import { createHash } from 'node:crypto';
import type { AddressSpan } from '@/domain/firewall/address-set';
import { allAddresses } from '@/domain/firewall/space/box';
import { joinSpans, spansHave, subtractSpans } from '@/domain/firewall/space/spans';
import { belongsTo, getOwnerId, type OwnerId, type PolicyOwner } from '@/domain/policy/acts-on';
import { resolvePeers, resolveWorkloads } from '@/domain/policy/resolve';
import { type Assertion, decideTest, type TestDecision } from '@/domain/policy-tests/decide';
import { PlaceIndex, pointSpans, type TestEnd } from '@/domain/policy-tests/test-end';
import { isExcepted, parseTestEndpoint, stripExcept } from '@/domain/policy-tests/test-endpoint';
import type { Readable } from '../policies/planned-change';
import { type KnownPlace, nodePlace, workloadPlace } from './test-endpoints';

type Spans = Readonly<Record<4 | 6, readonly AddressSpan[]>>;
const NOTHING: Spans = { 4: [], 6: [] };

/** What one endpoint resolves to: addresses, places that it names, and what of it is missing. */
type Part = { readonly spans: Spans; readonly places: readonly KnownPlace[]; readonly missing: TestEnd['missing'] };

/** An end with a text that changes with everything that its verdicts depend on. */
export type KnownEnd = { readonly end: TestEnd; readonly print: string; readonly workload_ids: readonly string[] };

export type TestDefinition = PolicyOwner &
  Assertion & { readonly from: readonly string[]; readonly to: readonly string[] };

const join = (a: Spans, b: Spans): Spans => ({ 4: joinSpans([...a[4], ...b[4]]), 6: joinSpans([...a[6], ...b[6]]) });
const FAMILIES = [4, 6] as const;

/** Workloads of one owner by their addresses. */
type AddressIndex = Readonly<Record<4 | 6, PlaceIndex<KnownPlace>>>;

/**
 * What tests are evaluated against: workloads with their addresses and what was last read of their firewalls. Ends are resolved
 * once for all tests that name them alike.
 */
export class TestInputs {
  readonly #places = new Map<string, KnownPlace>();
  readonly #indexes = new Map<OwnerId, AddressIndex>();
  readonly #parts = new Map<string, Part>();
  readonly #ends = new Map<string, KnownEnd>();

  constructor(readonly firewall: Readable) {}

  #placeOf(workloadId: string): KnownPlace | null {
    const known = this.#places.get(workloadId);
    if (known) return known;
    const workload = this.firewall.inputs.workloads.get(workloadId);
    if (!workload) return null;
    const place = workloadPlace(this.firewall, workload);
    this.#places.set(workloadId, place);
    return place;
  }

  /** Those of the owner only: what others have at an address is none of its business. */
  #indexOf(owner: OwnerId): AddressIndex {
    const known = this.#indexes.get(owner);
    if (known) return known;
    const places = [...this.firewall.inputs.workloads.values()]
      .filter((workload) => !workload.template && belongsTo(owner, workload))
      .flatMap(({ id }) => this.#placeOf(id) ?? []);
    const index = { 4: new PlaceIndex(places, 4), 6: new PlaceIndex(places, 6) };
    this.#indexes.set(owner, index);
    return index;
  }

  #node(clusterName: string, name: string, owner: OwnerId, endpoint: string): Part {
    const nothing = { reason: 'nothing_resolved' as const, endpoint };
    // Nodes belong to the installation.
    const ids = owner === null ? (this.firewall.inputs.index.clusters.get(clusterName) ?? []) : [];
    const [clusterId, ...others] = ids;
    if (clusterId === undefined || others.length > 0) return { spans: NOTHING, places: [], missing: [nothing] };
    const cluster = this.firewall.snapshots.clusters.get(clusterId)?.state;
    if (cluster?.nodes && !Object.hasOwn(cluster.nodes, name))
      return { spans: NOTHING, places: [], missing: [nothing] };
    const place = nodePlace(this.firewall, clusterId, name);
    if (!place) return { spans: NOTHING, places: [], missing: [{ reason: 'node_without_address', name }] };
    return {
      spans: { 4: pointSpans(place.addresses[4]), 6: pointSpans(place.addresses[6]) },
      places: [place],
      missing: [],
    };
  }

  #part(endpoint: string, owner: OwnerId): Part {
    const key = `${owner} ${endpoint}`;
    const known = this.#parts.get(key);
    if (known) return known;
    const part = this.#resolve(endpoint, owner);
    this.#parts.set(key, part);
    return part;
  }

  #resolve(endpoint: string, owner: OwnerId): Part {
    const { index } = this.firewall.inputs;
    const nothing = { spans: NOTHING, places: [], missing: [{ reason: 'nothing_resolved' as const, endpoint }] };
    const parsed = parseTestEndpoint(endpoint);
    if ('error' in parsed) return nothing;
    if (parsed.kind === 'node') return this.#node(parsed.cluster, parsed.name, owner, endpoint);
    const workloads = resolveWorkloads(endpoint, index, owner);
    if (!('reason' in workloads)) {
      const places = workloads.flatMap(({ id }) => this.#placeOf(id) ?? []);
      const without = places.filter(({ addresses }) => addresses[4].length + addresses[6].length === 0);
      const spans = places.reduce<Spans>(
        (sum, { addresses }) => join(sum, { 4: pointSpans(addresses[4]), 6: pointSpans(addresses[6]) }),
        NOTHING,
      );
      const missing = without.map(({ ref }) => ({ reason: 'workload_without_address' as const, name: ref.name }));
      return { spans, places, missing };
    }
    const peers = resolvePeers(endpoint, index, owner);
    if (peers === 'any') return { spans: { 4: allAddresses(4), 6: allAddresses(6) }, places: [], missing: [] };
    if ('reason' in peers) return nothing;
    return { spans: { 4: joinSpans(peers[4]), 6: joinSpans(peers[6]) }, places: [], missing: [] };
  }

  /** What the endpoints of one end resolve to, as the owner of the test sees them. */
  endOf(endpoints: readonly string[], owner: OwnerId): KnownEnd {
    const key = JSON.stringify([owner, endpoints]);
    const known = this.#ends.get(key);
    if (known) return known;
    const end = this.#makeEnd(endpoints, owner);
    this.#ends.set(key, end);
    return end;
  }

  #makeEnd(endpoints: readonly string[], owner: OwnerId): KnownEnd {
    const parts = endpoints.map((text) => ({ except: isExcepted(text), ...this.#part(stripExcept(text), owner) }));
    const sum = (except: boolean) =>
      parts.filter((part) => part.except === except).reduce<Spans>((spans, part) => join(spans, part.spans), NOTHING);
    const [included, excepted] = [sum(false), sum(true)];
    const spans: Spans = { 4: subtractSpans(included[4], excepted[4]), 6: subtractSpans(included[6], excepted[6]) };
    const named = new Map(parts.flatMap((part) => part.places.map((place) => [place.key, place] as const)));
    const index = this.#indexOf(owner);
    const found = new Map<string, { place: KnownPlace; addresses: Record<4 | 6, bigint[]> }>();
    const note = (place: KnownPlace, family: 4 | 6, value: bigint) => {
      const entry = found.get(place.key) ?? { place, addresses: { 4: [], 6: [] } };
      entry.addresses[family].push(value);
      found.set(place.key, entry);
    };
    for (const family of FAMILIES) {
      index[family].visit(spans[family], (place, value) => note(place, family, value));
      for (const place of named.values()) {
        if (place.ref.kind === 'workload') continue;
        for (const value of place.addresses[family]) if (spansHave(spans[family], value)) note(place, family, value);
      }
    }
    const places = [...found.values()].map(({ place, addresses }) => ({ ...place, addresses }));
    const inside = (family: 4 | 6) => joinSpans(pointSpans(places.flatMap(({ addresses }) => addresses[family])));
    const end: TestEnd = {
      places,
      outside: { 4: subtractSpans(spans[4], inside(4)), 6: subtractSpans(spans[6], inside(6)) },
      missing: parts.flatMap(({ missing }) => missing),
    };
    const hash = createHash('sha256').update(JSON.stringify(end.missing));
    for (const family of FAMILIES) {
      for (const { first, last } of spans[family]) hash.update(`${first.toString(36)}-${last.toString(36)} `);
    }
    for (const { print } of places) hash.update(print);
    return {
      end,
      print: hash.digest('base64url'),
      workload_ids: places.flatMap(({ ref }) => (ref.kind === 'workload' ? [ref.id] : [])),
    };
  }

  /** A text that changes with everything that the result of a test depends on. */
  printOf(test: TestDefinition): string {
    const owner = getOwnerId(test);
    return `${this.endOf(test.from, owner).print} ${this.endOf(test.to, owner).print}`;
  }

  /** Workloads of both ends. */
  workloadsOf(test: TestDefinition): string[] {
    const owner = getOwnerId(test);
    return [...new Set([...this.endOf(test.from, owner).workload_ids, ...this.endOf(test.to, owner).workload_ids])];
  }

  decide(test: TestDefinition): TestDecision {
    const owner = getOwnerId(test);
    return decideTest(test, this.endOf(test.from, owner).end, this.endOf(test.to, owner).end);
  }
}
