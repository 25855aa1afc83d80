import { type Bits, intersectBits, isSubset, uniteBits } from './bits';
import { DIMENSIONS, ENDS_IN_255, ENDS_OTHERWISE } from './dimensions';
import { OCTET_PLACES, type OctetClasses, type Piece } from './walk';

/** A piece, and the number of what is known about its packets: only pieces with the same number are merged. */
export type Labeled = { readonly piece: Piece; readonly label: number };

/** Numbers of equal sets. */
function internBits() {
  const known = new WeakMap<Bits, number>();
  const byContent = new Map<string, number>();
  return (bits: Bits): number => {
    const found = known.get(bits);
    if (found !== undefined) return found;
    const content = bits.join();
    const id = byContent.get(content) ?? byContent.size;
    byContent.set(content, id);
    known.set(bits, id);
    return id;
  };
}

/** Addresses first, so that rows are about services. The last octet is merged in another way. */
const ORDER = (['sources', 'destinations', 'source_ports', 'icmp', 'destination_ports', 'protocols'] as const).map(
  (name) => DIMENSIONS.indexOf(name),
);

/** Unites pieces that differ in one dimension only. */
export function mergePieces(pieces: readonly Labeled[], octets: OctetClasses): Labeled[] {
  const idOf = internBits();
  const toPieceKey = ({ piece, label }: Labeled, without: readonly number[]) =>
    `${label} ${piece.map((bits, at) => (without.includes(at) ? '' : idOf(bits))).join(' ')}`;

  const mergeAlong = (list: readonly Labeled[], at: number): Labeled[] => {
    const merged = new Map<string, Labeled>();
    for (const item of list) {
      const key = toPieceKey(item, [at]);
      const known = merged.get(key);
      const piece = known && item.piece.with(at, uniteBits(known.piece[at] as Bits, item.piece[at] as Bits));
      merged.set(key, piece ? { ...item, piece } : item);
    }
    return [...merged.values()];
  };

  /** Pieces of addresses that end in .255 and of others: their classes are the same as far as these have addresses of both. */
  const mergeOctets = (list: readonly Labeled[], place: (typeof OCTET_PLACES)[number]): Labeled[] => {
    const { octet, addresses, end } = place;
    const { in_255, other } = octets[end];
    const both = intersectBits(in_255, other);
    const limited = list.filter(
      ({ piece }) => !isSubset(ENDS_IN_255, piece[octet] as Bits) || !isSubset(ENDS_OTHERWISE, piece[octet] as Bits),
    );
    if (limited.length < 2) return [...list];
    const merged = new Set(list);
    const waiting = new Map<string, Labeled>();
    for (const item of limited) {
      const classes = item.piece[addresses] as Bits;
      const key = `${toPieceKey(item, [octet, addresses])} ${idOf(intersectBits(classes, both))}`;
      const known = waiting.get(key);
      waiting.set(key, item);
      if (!known || idOf(known.piece[octet] as Bits) === idOf(item.piece[octet] as Bits)) continue;
      const [ending, others] = isSubset(ENDS_IN_255, item.piece[octet] as Bits) ? [item, known] : [known, item];
      const all = uniteBits(ending.piece[addresses] as Bits, others.piece[addresses] as Bits);
      if (!isSubset(intersectBits(all, in_255), ending.piece[addresses] as Bits)) continue;
      if (!isSubset(intersectBits(all, other), others.piece[addresses] as Bits)) continue;
      waiting.delete(key);
      merged.delete(ending);
      merged.delete(others);
      const united = uniteBits(ENDS_IN_255, ENDS_OTHERWISE);
      merged.add({ ...item, piece: item.piece.with(octet, united).with(addresses, all) });
    }
    return [...merged];
  };

  for (let left = [...pieces]; ; ) {
    const count = left.length;
    for (const place of OCTET_PLACES) left = mergeOctets(left, place);
    for (const at of ORDER) left = mergeAlong(left, at);
    if (left.length === count) return left;
  }
}
