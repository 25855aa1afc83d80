import { findSensitiveService, type SensitiveService } from '@/domain/dashboard/sensitive-ports';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { parseIp } from '@/domain/net/ip-address';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { SummedVerdict } from '@/domain/summed-verdict';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import type { PolicyInputs } from '../../enforcement/policies/policy-inputs';
import { createContextView } from '../../enforcement/verdicts/describe-context';
import { guestContext } from '../../enforcement/verdicts/guest-context';
import type { AddressBook } from '../../traffic/flows/address-book';
import { readSuspiciousEnds, type SuspiciousEnds, type SuspiciousRow } from '../../traffic/storage/suspicious-row';
import { evaluateSuspicious, type ReachedGuest } from './evaluate-suspicious';
import { type Surroundings, SuspiciousEntry } from './suspicious-entry';

/**
 * Ends that were looked at, and in which inputs. The inputs themselves are not held: rows that are not found any more would keep every
 * board alive that there ever was, and guests beyond what may be kept of them.
 */
type Known = {
  readonly ends: SuspiciousEnds;
  readonly service: SensitiveService;
  /** Versions of the address book and of the board; 0: never looked at. */
  book: number;
  firewall: number;
  /** Whether the source is in no subnet. */
  outside: boolean;
  guest: WeakRef<GuestContext> | null;
  entry: SuspiciousEntry | null;
  verdict: SummedVerdict | null;
};

/** More than these are not kept from one look to the next: about 30 MB. */
const MAX_KNOWN = 20_000;

/** The longest known subnet of an address, each address looked up once. What is no address is in none. */
function createSubnetLookup(book: AddressBook): Surroundings['subnetOf'] {
  const known = new Map<string, string | null>();
  return (address) => {
    let subnet = known.get(address);
    if (subnet === undefined) {
      const ip = parseIp(address);
      subnet = ip && book.subnetOf(ip);
      known.set(address, subnet);
    }
    return subnet;
  };
}

/** Whose flows are shown, for which reach policies in audit mode are reported, and whose rules may be shown; null: none. */
export type SuspiciousReach = { readonly flows: Reach; readonly policies: Reach; readonly rules: Reach | null };

/** Guests made ready, each once for all that reached it. */
function createGuestLookup(
  firewall: FirewallState,
  { flows, policies, rules }: SuspiciousReach,
): (workloadId: string) => ReachedGuest | null {
  const { inputs } = firewall;
  const known = new Map<string, ReachedGuest | null>();
  const prepare = (workloadId: string): ReachedGuest | null => {
    const workload = inputs.workloads.get(workloadId);
    // A workload that went to another tenant is in the past of the reader, its present rules are not.
    const context = workload && isWithinReach(workload, flows) ? guestContext(firewall, workloadId, policies) : null;
    if (!workload || !context) return null;
    if (rules === null || !isWithinReach(workload, rules)) return { context, read_at: null, view: null };
    let view: ReturnType<typeof createContextView> | undefined;
    return {
      context,
      read_at: firewall.readAt([workloadId]),
      // Most guests that are looked at were described at the look before.
      view: (found) => {
        view ??= createContextView({ guest: context, inputs, workload, reach: rules });
        return view(found);
      },
    };
  };
  return (workloadId) => {
    let guest = known.get(workloadId);
    if (guest === undefined) {
      guest = prepare(workloadId);
      known.set(workloadId, guest);
    }
    return guest;
  };
}

/** The same verdict, dated by a newer snapshot that leads to the same result. */
function withReadAt(verdict: SummedVerdict, read_at: string | null): SummedVerdict {
  const { rules_say } = verdict;
  return rules_say === null || rules_say.read_at === read_at
    ? verdict
    : { ...verdict, rules_say: { ...rules_say, read_at } };
}

/** For whom traffic is shown, with the subnets that they may see, and the names that workloads had for them which have moved away. */
export type SuspiciousReader = SuspiciousReach & {
  readonly prefixes: 'all' | ReadonlySet<string>;
  readonly former: ReadonlyMap<string, string | null>;
};

/** Counts how often a thing was another one than before. Only the last one is held. */
class Versions<T extends object> {
  #last: T | null = null;
  #version = 0;

  of(thing: T): number {
    if (thing !== this.#last) this.#version += 1;
    this.#last = thing;
    return this.#version;
  }
}

/**
 * Suspicious traffic that was found before, and what was found about it. A dashboard asks again every few seconds,
 * and most of the answer is unchanged: only what is new, or has changed inputs, is evaluated.
 */
export class KnownSuspicious {
  readonly #reader: SuspiciousReader;
  readonly #known = new Map<string, Known | null>();
  readonly #entries = new Map<string, SuspiciousEntry>();
  readonly #books = new Versions<AddressBook>();
  readonly #states = new Versions<FirewallState>();
  #surroundings: (Surroundings & { readonly book: AddressBook }) | null = null;
  #looks = 0;

  constructor(reader: SuspiciousReader) {
    this.#reader = reader;
  }

  /** How many ends are known. */
  get size(): number {
    return this.#known.size;
  }

  /** Where entries are said in; the same object as long as it is the same. */
  surroundings(inputs: PolicyInputs, book: AddressBook): Surroundings {
    const before = this.#surroundings;
    if (before?.inputs === inputs && before.book === book) return before;
    const subnetOf = before?.book === book ? before.subnetOf : createSubnetLookup(book);
    this.#surroundings = { inputs, book, subnetOf, reader: this.#reader, version: (before?.version ?? 0) + 1 };
    return this.#surroundings;
  }

  /** The entries of these rows. They hold these rows' totals until the next call. */
  look(rows: readonly SuspiciousRow[], firewall: FirewallState, book: AddressBook): SuspiciousEntry[] {
    this.#looks += 1;
    const versions = { book: this.#books.of(book), firewall: this.#states.of(firewall) };
    const { subnetOf } = this.surroundings(firewall.inputs, book);
    const guestOf = createGuestLookup(firewall, this.#reader);
    const found: SuspiciousEntry[] = [];
    for (const { ends, sums } of rows) {
      const known = this.#knownOf(ends);
      if (!known) continue;
      if (known.book !== versions.book) {
        known.book = versions.book;
        known.outside = subnetOf(known.ends.source_ip) === null;
      }
      if (!known.outside) continue;
      const isSame = known.firewall === versions.firewall;
      known.firewall = versions.firewall;
      const evaluated = isSame ? known : this.#evaluate(known, guestOf);
      if (evaluated.entry?.add(this.#looks, sums, evaluated.verdict)) found.push(evaluated.entry);
    }
    if (this.#known.size > MAX_KNOWN || this.#entries.size > MAX_KNOWN) {
      this.#known.clear();
      this.#entries.clear();
    }
    return found;
  }

  #knownOf(text: string): Known | null {
    const before = this.#known.get(text);
    if (before !== undefined) return before;
    const ends = readSuspiciousEnds(text);
    const service = findSensitiveService(ends.port);
    const known = service && {
      ends,
      service,
      book: 0,
      firewall: 0,
      outside: false,
      guest: null,
      entry: null,
      verdict: null,
    };
    this.#known.set(text, known);
    return known;
  }

  /** Evaluates ends against the inputs of this call, unless nothing that affects them has changed. */
  #evaluate(known: Known, guestOf: (workloadId: string) => ReachedGuest | null): Known {
    const { ends, service } = known;
    const guest = ends.destination_workload_id === null ? null : guestOf(ends.destination_workload_id);
    // A guest that has been garbage-collected since counts as a different one.
    const before = known.guest?.deref();
    const isSame = known.guest === null ? guest === null : before !== undefined && before === guest?.context;
    if (known.entry && known.verdict && isSame) {
      if (guest) known.verdict = withReadAt(known.verdict, guest.read_at);
      return known;
    }
    known.guest = guest && new WeakRef(guest.context);
    const evaluated = evaluateSuspicious(ends, guest);
    known.verdict = evaluated.verdict;
    let entry = this.#entries.get(evaluated.key);
    if (!entry) {
      entry = new SuspiciousEntry(ends, service, evaluated);
      this.#entries.set(evaluated.key, entry);
    }
    known.entry = entry;
    return known;
  }
}
