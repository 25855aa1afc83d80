import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { formatIp, type IpAddress } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import { sqlClient } from '@/server/db/client';

const family = fc.constantFrom<4 | 6>(4, 6);
const bits = (of: 4 | 6) => (of === 4 ? 32 : 128);
const address = family.chain((of) =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: 7n }), fc.bigInt({ min: 0n, max: (1n << BigInt(bits(of) - 3)) - 1n }), fc.nat(3))
    .map(([head, tail, zeros]): IpAddress => {
      const width = BigInt(bits(of));
      // Some end in zeros, so that they are on the edges of networks.
      const shift = BigInt(zeros) * (width / 4n);
      return { family: of, value: (((head << (width - 3n)) | tail) >> shift) << shift };
    }),
);
const network = fc
  .tuple(address, fc.integer({ min: 0, max: 128 }))
  .map(([ip, length]) => toNetwork({ address: ip, prefix: length % (bits(ip.family) + 1) }));

it('agrees with PostgreSQL about the longest prefix, in both families', async () => {
  const sql = sqlClient();
  await fc.assert(
    fc.asyncProperty(
      fc.array(network, { minLength: 1, maxLength: 300 }),
      fc.array(address, { minLength: 1, maxLength: 500 }),
      async (networks, addresses) => {
        const rows = await sql<{ ip: string; cidr: string | null }[]>`
          with nets as (select distinct n::cidr as cidr from unnest(${networks.map(formatCidr)}::text[]) n)
          select p.ip, (select n.cidr::text from nets n where p.ip::inet <<= n.cidr order by masklen(n.cidr) desc limit 1) as cidr
          from unnest(${addresses.map(formatIp)}::text[]) with ordinality as p(ip, i) order by p.i`;
        const table = new PrefixTable(networks.map((cidr) => [cidr, formatCidr(cidr)] as const));
        for (const [i, ip] of addresses.entries()) {
          const theirs = parseCidr(rows[i]?.cidr ?? '');
          expect(table.match(ip) ?? null).toBe(theirs && formatCidr(theirs));
        }
      },
    ),
    { numRuns: 15 },
  );
});
