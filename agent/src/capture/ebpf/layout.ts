// Shapes of the kernel maps, shared by the program that fills them and the reader that empties them.

/** Key of a flow map. Addresses and ports stay in network order; IPv4 addresses are IPv4-mapped ones (::ffff:a.b.c.d). */
export const KEY = {
  source: 0,
  destination: 16,
  sourcePort: 32,
  destinationPort: 34,
  vlan: 36,
  protocol: 38,
  direction: 39,
  ifindex: 40,
  bytes: 44,
} as const;

/** Value of a flow map. Times are CLOCK_MONOTONIC nanoseconds. */
export const VALUE = { packets: 0, octets: 8, first: 16, last: 24, flags: 32, bytes: 40 } as const;

/** Direction in a key: `fromGuest` was received by the node on the guest's interface. */
export const DIRECTION = { fromGuest: 0, toGuest: 1 } as const;

/**
 * Flag word of a value: the low byte is the union of all TCP flags; two more bits keep what the union loses, namely
 * whether this end sent the first SYN or answered it.
 */
export const FLOW_FLAGS = { fin: 0x01, syn: 0x02, rst: 0x04, ack: 0x10, opened: 0x100, answered: 0x200 } as const;

/** Elements of the statistics map: {u64 packets, u64 bytes} per CPU each. */
export const STATISTICS = { notIp: 0, malformed: 1, full: 2, inserts: 3, count: 4, bytes: 16 } as const;
