import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** The last address of a network, as a host address. Together with the network itself it bounds an index range. */
export const lastAddress = (cidr: SQLWrapper): SQL =>
  sql`set_masklen(broadcast(${cidr}), case family(${cidr}) when 4 then 32 else 128 end)`;

/**
 * Whether `value` (address or network) lies in `cidr` or is it. Same as `<<=`, but in a form that uses a btree index also
 * when the network is not a constant: in the order of inet a network comes right before what lies in it.
 */
export const liesIn = (value: SQLWrapper, cidr: SQLWrapper): SQL =>
  sql`(${value} >= ${cidr} and ${value} <= ${lastAddress(cidr)})`;
