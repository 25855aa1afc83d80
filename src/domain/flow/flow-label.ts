const EVERYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];

/** The subnet of an end as it is told; null where the reader may know no more than that there is one. */
export const shownCidr = (cidr: string | null): string | null =>
  cidr !== null && EVERYWHERE.includes(cidr) ? null : cidr;

/**
 * How an address is classified: `internal (<CIDR>)` inside a known subnet (the longest wins), `internal` inside one that the
 * reader may not see, else `external`.
 */
export function classificationOf(cidr: string | null): string {
  if (cidr === null) return 'external';
  return shownCidr(cidr) === null ? 'internal' : `internal (${cidr})`;
}

/** The address with its classification: `10.0.0.5 internal (10.0.0.0/24)`, `203.0.113.9 external`. */
export const flowLabel = (address: string, cidr: string | null): string => `${address} ${classificationOf(cidr)}`;

/** Whether a label says that the address is outside. Without a subnet that may be named, only the label tells. */
export const isExternal = (label: string | null): boolean => label?.endsWith('external') ?? true;
