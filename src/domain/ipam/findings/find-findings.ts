import { parseIp } from '../../net/ip-address';
import { isHostAddress } from '../host-address';
import {
  type AddressEvidence,
  type AddressFinding,
  type AddressRegistration,
  type AddressSighting,
  FINDING_TIMES,
  getSegment,
  isClaim,
} from './address-evidence';
import { OnLink } from './on-link';

const RANK = ['agent', 'sdn', 'config', 'cloudinit', 'traffic'];
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const getPlace = ({ workload_id, nic }: Pick<AddressSighting, 'workload_id' | 'nic'>) => `${workload_id} ${nic}`;

/** The best evidence first: what the guest says, then what is newest; the ids decide the rest. */
const compareEvidence = (a: AddressSighting, b: AddressSighting): number =>
  RANK.indexOf(a.source) - RANK.indexOf(b.source) || b.last - a.last || compare(getPlace(a), getPlace(b));

const overlaps = (a: AddressSighting, b: AddressSighting): boolean => a.first <= b.last && b.first <= a.last;

function group<T>(items: Iterable<T>, keyOf: (item: T) => string | null): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const known = groups.get(key);
    if (known) known.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const toOther = ({ workload_id, nic, mac, source }: AddressSighting) => ({ workload_id, nic, mac, source });
const toHolder = ({ workload_id, nic }: AddressSighting) => ({ workload_id, nic });

class Findings {
  readonly #world: AddressEvidence;
  readonly #onLink: OnLink;
  readonly #registrations: ReadonlyMap<string, readonly AddressRegistration[]>;
  /** The segments of each workload. */
  readonly #segments: ReadonlyMap<string, ReadonlySet<string | null>>;
  /** Sightings by workload and address. */
  readonly #ofAddress: ReadonlyMap<string, readonly AddressSighting[]>;
  /** Interfaces and families for which the guest itself answers. */
  readonly #heard: ReadonlySet<string>;
  readonly #all: AddressFinding[] = [];

  constructor(world: AddressEvidence) {
    this.#world = world;
    this.#onLink = new OnLink(world);
    this.#registrations = group(world.registrations, ({ address }) => address);
    this.#segments = new Map(
      [...group(world.interfaces, ({ workload_id }) => workload_id)].map(([id, list]) => [
        id,
        new Set(list.map(getSegment)),
      ]),
    );
    this.#ofAddress = group(world.sightings, ({ workload_id, address }) => `${workload_id} ${address}`);
    this.#heard = new Set(
      world.sightings
        .filter(({ source, ended }) => source === 'agent' && !ended)
        .map((one) => `${getPlace(one)} ${one.address.includes(':')}`),
    );
  }

  find(): AddressFinding[] {
    const bySegment = group(this.#world.sightings, (one) => {
      const segment = getSegment(one);
      return segment && `${segment} ${one.address}`;
    });
    for (const sightings of bySegment.values()) this.#compareSightings(sightings);
    for (const registration of this.#world.registrations) this.#checkStale(registration);
    return this.#all;
  }

  #isRecent(...evidence: readonly AddressSighting[]): boolean {
    return evidence.every(({ last }) => last >= this.#world.now - FINDING_TIMES.recent);
  }

  #registeredTo({ workload_id, address }: AddressSighting): AddressRegistration | undefined {
    return this.#registrations.get(address)?.find((one) => one.workload_id === workload_id);
  }

  /** Registrations of the address on the segment of a sighting: networks of a cluster may use the same prefixes. */
  #registrationsOn(sighting: AddressSighting): AddressRegistration[] {
    return (this.#registrations.get(sighting.address) ?? []).filter((one) => this.#concerns(one, sighting));
  }

  #concerns({ network_id, workload_id }: AddressRegistration, sighting: AddressSighting): boolean {
    const segments = workload_id === null ? undefined : this.#segments.get(workload_id);
    return segments ? segments.has(getSegment(sighting)) : network_id === sighting.network_id;
  }

  /** Whether the workload of this traffic says that it has the address, or has it by registration. */
  #isOwn(traffic: AddressSighting): boolean {
    if (this.#registeredTo(traffic)) return true;
    return (this.#ofAddress.get(`${traffic.workload_id} ${traffic.address}`) ?? []).some(
      (one) => isClaim(one) && one.first <= traffic.last && (!one.ended || one.last >= traffic.first),
    );
  }

  /** A configured address that the guest itself does not have. */
  #isOverruled(one: AddressSighting): boolean {
    if (one.source !== 'config' && one.source !== 'cloudinit') return false;
    if (!this.#heard.has(`${getPlace(one)} ${one.address.includes(':')}`)) return false;
    return !(this.#ofAddress.get(`${one.workload_id} ${one.address}`) ?? []).some(
      ({ source, nic, ended }) => source === 'agent' && nic === one.nic && !ended,
    );
  }

  /** Everything that was seen of one address on one segment. */
  #compareSightings(sightings: readonly AddressSighting[]): void {
    const sorted = [...sightings].sort(compareEvidence);
    const foreign = sorted.filter((one) => !isClaim(one) && !this.#isOwn(one));
    const held = sorted.filter((one) => !foreign.includes(one));
    this.#findDuplicates(held.filter((one) => !this.#isOverruled(one)));
    const unexplained: AddressSighting[] = [];
    for (const traffic of sorted.filter((one) => !isClaim(one))) {
      const spoofed = this.#isRecent(traffic) && this.#checkSpoofed(traffic, foreign.includes(traffic) ? held : []);
      if (!spoofed && foreign.includes(traffic)) unexplained.push(traffic);
    }
    this.#findDuplicates(unexplained);
    this.#findMoves(sorted.filter(isClaim));
    this.#findUnmanaged(sorted.filter((one) => one.source === 'agent' || unexplained.includes(one)));
  }

  #findDuplicates(holders: readonly AddressSighting[]): void {
    const found = new Set<string>();
    for (const [i, first] of holders.entries()) {
      for (const second of holders.slice(i + 1)) {
        if (first.workload_id === second.workload_id || !overlaps(first, second) || !this.#isRecent(first, second))
          continue;
        const pair = [first, second].sort((a, b) => compare(a.workload_id, b.workload_id));
        const [one, other] = pair as [AddressSighting, AddressSighting];
        const key = `${one.workload_id} ${other.workload_id}`;
        if (found.has(key)) continue;
        found.add(key);
        this.#add('duplicate_address', other, {
          holder: toHolder(one),
          began: Math.max(one.first, other.first),
          last: Math.min(one.last, other.last),
        });
      }
    }
  }

  /** @returns whether someone else has the address, by what they say or by registration */
  #checkSpoofed(traffic: AddressSighting, held: readonly AddressSighting[]): boolean {
    const { workload_id } = traffic;
    const times = { began: traffic.first, last: traffic.last };
    const holder = held.find((one) => one.workload_id !== workload_id && overlaps(one, traffic) && this.#isRecent(one));
    if (holder) {
      this.#add('spoofed_address', traffic, { holder: toHolder(holder), reason: 'held', ...times });
      return true;
    }
    const registered = this.#isOwn(traffic)
      ? undefined
      : this.#registrationsOn(traffic).find((one) => one.workload_id !== null && one.since <= traffic.last);
    if (registered?.workload_id) {
      const party = { workload_id: registered.workload_id, nic: null };
      this.#add('spoofed_address', traffic, { holder: party, reason: 'registered', ...times });
      return true;
    }
    if (this.#world.forbids(traffic)) this.#add('spoofed_address', traffic, { reason: 'ip_filter', ...times });
    return false;
  }

  /** An interface has the address now that another one had before, which has it no more. */
  #findMoves(claims: readonly AddressSighting[]): void {
    const { now } = this.#world;
    const places = group(claims, getPlace);
    for (const [place, own] of places) {
      const others = claims.filter((one) => getPlace(one) !== place);
      if (others.length === 0 || !own.some(({ ended }) => !ended) || others.some(({ ended }) => !ended)) continue;
      const former = others.reduce((latest, one) =>
        one.last > latest.last || (one.last === latest.last && getPlace(one) < getPlace(latest)) ? one : latest,
      );
      const getUntil = ({ ended, last }: AddressSighting) => (ended ? last : now);
      if (own.some((one) => one.first <= former.last && getUntil(one) >= former.last)) continue;
      const after = own.filter((one) => one.first > former.last);
      const began = Math.min(...after.map(({ first }) => first));
      const current = after.find(({ ended }) => !ended);
      if (!current || now - began > FINDING_TIMES.moved) continue;
      this.#add('moved_address', current, { holder: toHolder(former), began, last: former.last });
    }
  }

  #findUnmanaged(seen: readonly AddressSighting[]): void {
    const { now } = this.#world;
    const found = new Set<string>();
    for (const one of seen) {
      const ip = parseIp(one.address);
      if (found.has(getPlace(one)) || one.ended || !this.#isRecent(one) || !ip || !isHostAddress(ip)) continue;
      if (now - one.first < FINDING_TIMES.unmanaged) continue;
      const isRegistered = (this.#registrations.get(one.address) ?? []).some(
        ({ network_id, workload_id }) => network_id === one.network_id || workload_id === one.workload_id,
      );
      if (isRegistered || this.#registrationsOn(one).length > 0) continue;
      const prefixes = this.#onLink.prefixesOf(one.address, one);
      if (prefixes.length === 0 || prefixes.some(({ gateway }) => gateway === one.address)) continue;
      found.add(getPlace(one));
      this.#add('unmanaged_address', one, { began: one.first, last: one.last });
    }
  }

  /** A registered address that no source has seen although its workload runs and was observed all the time. */
  #checkStale(registration: AddressRegistration): void {
    const { now, running } = this.#world;
    const { workload_id, address, state } = registration;
    const before = now - FINDING_TIMES.stale;
    if (workload_id === null || state === 'stale' || state === 'reserved' || registration.since > before) return;
    const runs = running.get(workload_id);
    if (runs === undefined || runs > before) return;
    const live = this.#observed(workload_id);
    if (!live || live.first > before || live.last < now - FINDING_TIMES.recent) return;
    let last: number | null = null;
    for (const one of this.#seenAs(registration)) if (last === null || one.last > last) last = one.last;
    if (last !== null && last >= before) return;
    this.#all.push({
      kind: 'stale_address',
      address,
      network_id: registration.network_id,
      ip_address_id: registration.id,
      holder: { workload_id, nic: null },
      other: null,
      reason: null,
      began: last ?? registration.since,
      last,
    });
  }

  #observedOf: Map<string, { first: number; last: number }> | null = null;

  /** From when to when a workload's guest agent or traffic was seen. */
  #observed(workloadId: string): { first: number; last: number } | undefined {
    if (!this.#observedOf) {
      this.#observedOf = new Map();
      for (const { workload_id, source, first, last } of this.#world.sightings) {
        if (source !== 'agent' && source !== 'traffic') continue;
        const known = this.#observedOf.get(workload_id);
        this.#observedOf.set(workload_id, {
          first: Math.min(known?.first ?? first, first),
          last: Math.max(known?.last ?? last, last),
        });
      }
    }
    return this.#observedOf.get(workloadId);
  }

  #byAddress: Map<string, AddressSighting[]> | null = null;

  /** Sightings of a registered address, at its workload or by anyone on its segment. */
  #seenAs(registration: AddressRegistration): AddressSighting[] {
    this.#byAddress ??= group(this.#world.sightings, (one) => one.address);
    return (this.#byAddress.get(registration.address) ?? []).filter(
      (one) => one.workload_id === registration.workload_id || this.#concerns(registration, one),
    );
  }

  #add(
    kind: AddressFinding['kind'],
    evidence: AddressSighting,
    more: Pick<AddressFinding, 'began' | 'last'> & Partial<AddressFinding>,
  ): void {
    const { address, network_id } = evidence;
    const registered =
      this.#registeredTo(evidence) ??
      this.#registrations.get(address)?.find((one) => one.workload_id === (more.holder?.workload_id ?? '')) ??
      this.#registrationsOn(evidence)[0];
    this.#all.push({
      kind,
      address,
      network_id,
      ip_address_id: registered?.id ?? null,
      holder: null,
      other: toOther(evidence),
      reason: null,
      ...more,
    });
  }
}

/**
 * Compares what the sources say about the addresses of a cluster. Nothing is found without evidence: what was not seen, is older than
 * a day, or is on another segment contradicts nothing.
 */
export const findAddressFindings = (world: AddressEvidence): AddressFinding[] => new Findings(world).find();
