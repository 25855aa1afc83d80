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

/** Ends that were looked at; `book`, `board` and `guest` are what that was true of. */
type Known = {
  readonly ends: SuspiciousEnds;
  readonly service: SensitiveService;
  book: AddressBook | null;
  /** Whether the source is in no subnet. */
  outside: boolean;
  board: Board | null;
  guest: GuestContext | null;
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

/**
 * Suspicious traffic that was found before, and what was found about it. A dashboard asks again every few seconds, and
 * most of the answer is what it was: only what is new, or stands in a world that changed, is judged.
 */
export class KnownSuspicious {
  readonly #policies: TenantReach;
  readonly #known = new Map<string, Known | null>();
  readonly #entries = new Map<string, SuspiciousEntry>();
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
    this.#surroundings = { world, book, subnetOf };
    return this.#surroundings;
  }

  /** The entries of these rows. They hold these rows' sums until the next look. */
  look(rows: readonly SuspiciousRow[], board: Board, book: AddressBook): SuspiciousEntry[] {
    if (this.#known.size > MAX_KNOWN) this.#forget();
    this.#looks += 1;
    const { subnetOf } = this.surroundings(board.world, book);
    const guestOf = guests(board, this.#policies);
    const found: SuspiciousEntry[] = [];
    for (const { ends, sums } of rows) {
      const known = this.#knownOf(ends);
      if (!known) continue;
      if (known.book !== book) {
        known.book = book;
        known.outside = subnetOf(known.ends.source_ip) === null;
      }
      if (!known.outside) continue;
      const entry = known.board === board && known.entry ? known.entry : this.#judge(known, board, guestOf);
      if (entry.add(this.#looks, sums)) found.push(entry);
    }
    return found;
  }

  #forget(): void {
    this.#known.clear();
    this.#entries.clear();
    this.#surroundings = null;
  }

  #knownOf(text: string): Known | null {
    const before = this.#known.get(text);
    if (before !== undefined) return before;
    const ends = readSuspiciousEnds(text);
    const service = sensitiveServiceAt(ends.port);
    const known = service && { ends, service, book: null, outside: false, board: null, guest: null, entry: null };
    this.#known.set(text, known);
    return known;
  }

  #judge(known: Known, board: Board, guestOf: (workloadId: string) => GuestContext | null): SuspiciousEntry {
    const { ends, service } = known;
    const guest = ends.destination_workload_id === null ? null : guestOf(ends.destination_workload_id);
    known.board = board;
    if (known.entry && known.guest === guest) return known.entry;
    known.guest = guest;
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
