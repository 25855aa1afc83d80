/** How an address is classified: `internal (<CIDR>)` inside a known subnet (the longest wins), else `external`. */
export const classificationOf = (cidr: string | null): string => (cidr === null ? 'external' : `internal (${cidr})`);

/** The address with its classification: `10.0.0.5 internal (10.0.0.0/24)`, `203.0.113.9 external`. */
export const flowLabel = (address: string, cidr: string | null): string => `${address} ${classificationOf(cidr)}`;
