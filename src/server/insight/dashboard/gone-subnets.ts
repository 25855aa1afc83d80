import { parseCidr } from '@/domain/net/cidr';
import { objectCache } from '../../lib/cache';
import { type AddressBook, addressBook } from '../../traffic/flows/address-book';
import { flowStore } from '../../traffic/storage/flow-store';

/** Flows that were judged by an older inventory may still be stored for so long after it changed. */
const FRESH_MS = 30_000;

const found = objectCache<AddressBook, Promise<readonly string[]>, number>({
  name: 'gone_subnets',
  isFresh: (at, now) => now - at < FRESH_MS,
});

/** Whether a network is a known subnet today, or lies in one: its addresses then are inside. */
function isInside(book: AddressBook, text: string): boolean {
  const cidr = parseCidr(text);
  const holder = cidr && book.subnetOf(cidr.address);
  const outer = holder ? parseCidr(holder) : null;
  return cidr !== null && outer !== null && outer.prefix <= cidr.prefix;
}

/**
 * Today's address book, and the subnets that sources of flows to sensitive ports were in when they were stored but that are
 * no known subnets any more: their addresses may be outside now. At most one query besides those of the book.
 */
export async function goneSubnets(): Promise<{ book: AddressBook; gone: readonly string[] }> {
  const book = await addressBook();
  const gone = await found.load(book, performance.now(), async () =>
    (await flowStore().sensitiveSources()).filter((text) => !isInside(book, text)),
  );
  return { book, gone };
}
