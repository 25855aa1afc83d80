import { parseCidr } from '@/domain/net/cidr';
import { db } from '../../db/client';
import { type AddressBook, addressBook } from '../../traffic/flows/address-book';
import { findSensitiveSources } from '../../traffic/storage/postgres/suspicious';

/** Flows that were judged by an older inventory may still be stored for so long after it changed. */
const FRESH_MS = 30_000;

const found = new WeakMap<AddressBook, { at: number; cidrs: readonly string[] }>();

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
  const book = await addressBook(db);
  const known = found.get(book);
  const now = performance.now();
  if (known && now - known.at < FRESH_MS) return { book, gone: known.cidrs };
  const cidrs = (await findSensitiveSources()).filter((text) => !isInside(book, text));
  found.set(book, { at: now, cidrs });
  return { book, gone: cidrs };
}
