import { type SensitiveService, sensitiveServiceAt } from '@/domain/dashboard/sensitive-ports';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { parseIp } from '@/domain/net/ip-address';
import type { TenantReach } from '@/domain/permissions';
import { readSuspiciousEnds, type SuspiciousEnds, type SuspiciousRow } from '../../repositories/suspicious-flows';
import type { AddressBook } from '../flows/address-book';
import { guestContext } from '../insights/guest-context';
import type { Board } from '../policies/board/board';
import type { PolicyWorld } from '../policies/world/load-policy-world';
import { judgeSuspicious } from './judge-suspicious';
import { type Surroundings, SuspiciousEntry } from './suspicious-entry';

/**
 * Ends that were looked at, and in which world. The world itself is not held: rows that are not found any more would keep every
 * board alive that there ever was, and guests beyond what may be kept of them.
 */
type Known = {
  readonly ends: SuspiciousEnds;
  readonly service: SensitiveService;
  /** Versions of the address book and of the board; 0: never looked at. */
  book: number;
  board: number;
  /** Whether the source is in no subnet. */
  outside: boolean;
  guest: WeakRef<GuestContext> | null;
  entry: SuspiciousEntry | null;
};

/** More than these are not kept from one look to the next: about 30 MB. */
const MAX_KNOWN = 20_000;

/** The longest known subnet of an address, each address looked up once. What is no address counts as a known one. */
function subnets(book: AddressBook): Surroundings['subnetOf'] {
  const known = new Map<string, string | null>();
  return (address) => {
    let subnet = known.get(address);
    if (subnet === undefined) {
      const ip = parseIp(address);
      subnet = ip ? book.subnetOf(ip) : address;
      known.set(address, subnet);
    }
    return subnet;
  };
}

/** Guests made ready, each once for all that reached it. */
function guests(board: Board, policies: TenantReach): (workloadId: string) => GuestContext | null {
  const known = new Map<string, GuestContext | null>();
  return (workloadId) => {
    let guest = known.get(workloadId);
    if (guest === undefined) {
      guest = guestContext(board, workloadId, policies);
      known.set(workloadId, guest);
    }
    return guest;
  };
}

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
 * Suspicious traffic that was found before, and what was found about it. A dashboard asks again every few seconds, and
 * most of the answer is what it was: only what is new, or stands in a world that changed, is judged.
 */
export class KnownSuspicious {
  readonly #policies: TenantReach;
  readonly #known = new Map<string, Known | null>();
  readonly #entries = new Map<string, SuspiciousEntry>();
  readonly #books = new Versions<AddressBook>();
  readonly #boards = new Versions<Board>();
  #surroundings: (Surroundings & { readonly book: AddressBook }) | null = null;
  #looks = 0;

  /** Policies in audit mode are told of as far as `policies` reaches. */
  constructor(policies: TenantReach) {
    this.#policies = policies;
  }

  /** Where entries are said in; the same object as long as it is the same. */
  surroundings(world: PolicyWorld, book: AddressBook): Surroundings {
    const before = this.#surroundings;
    if (before?.world === world && before.book === book) return before;
    const subnetOf = before?.book === book ? before.subnetOf : subnets(book);
    this.#surroundings = { world, book, subnetOf, version: (before?.version ?? 0) + 1 };
    return this.#surroundings;
  }

  /** The entries of these rows. They hold these rows' sums until the next look. */
  look(rows: readonly SuspiciousRow[], board: Board, book: AddressBook): SuspiciousEntry[] {
    this.#looks += 1;
    const versions = { book: this.#books.of(book), board: this.#boards.of(board) };
    const { subnetOf } = this.surroundings(board.world, book);
    const guestOf = guests(board, this.#policies);
    const found: SuspiciousEntry[] = [];
    for (const { ends, sums } of rows) {
      const known = this.#knownOf(ends);
      if (!known) continue;
      if (known.book !== versions.book) {
        known.book = versions.book;
        known.outside = subnetOf(known.ends.source_ip) === null;
      }
      if (!known.outside) continue;
      const isSame = known.board === versions.board;
      known.board = versions.board;
      const entry = isSame && known.entry ? known.entry : this.#judge(known, guestOf);
      if (entry.add(this.#looks, sums)) found.push(entry);
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
    const service = sensitiveServiceAt(ends.port);
    const known = service && { ends, service, book: 0, board: 0, outside: false, guest: null, entry: null };
    this.#known.set(text, known);
    return known;
  }

  #judge(known: Known, guestOf: (workloadId: string) => GuestContext | null): SuspiciousEntry {
    const { ends, service } = known;
    const guest = ends.destination_workload_id === null ? null : guestOf(ends.destination_workload_id);
    // A guest that was collected meanwhile is another one now.
    if (known.entry && (known.guest === null ? guest === null : known.guest.deref() === guest && guest !== null)) {
      return known.entry;
    }
    known.guest = guest && new WeakRef(guest);
    const judged = judgeSuspicious(ends, guest);
    let entry = this.#entries.get(judged.key);
    if (!entry) {
      entry = new SuspiciousEntry(ends, service, judged);
      this.#entries.set(judged.key, entry);
    }
    known.entry = entry;
    return entry;
  }
}
