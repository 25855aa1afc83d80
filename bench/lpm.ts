import { parseCidr } from '@/domain/net/cidr';
import { formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import { startBenchDatabase } from './database';
import { expectBar, printTable, summary } from './stats';

/*
 * Longest prefix match in memory against PostgreSQL: npx tsx bench/lpm.ts [addresses] [prefixes] [rounds]
 * Bars: every answer for 100,000 random addresses × 10,000 random nested prefixes of both families is that of `<<=`; at
 * least 1 M lookups/s; at least 10 × as many as SQL in one statement with an index.
 */
const [addresses = 100_000, prefixes = 10_000, rounds = 7] = process.argv.slice(2).map(Number);

let seed = 42;
/** Mulberry32: the same run every time. */
const random = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const bits = (n: number): bigint => {
  let value = 0n;
  for (let i = 0; i < n; i += 16) value = (value << 16n) | BigInt(Math.floor(random() * 65536));
  return value & ((1n << BigInt(n)) - 1n);
};

/** Prefixes that nest: most are made inside one that is there already. */
function makePrefixes(): { family: 4 | 6; value: bigint; prefix: number }[] {
  const made: { family: 4 | 6; value: bigint; prefix: number }[] = [];
  const seen = new Set<string>();
  while (made.length < prefixes) {
    const family = random() < 0.5 ? 4 : 6;
    const width = family === 4 ? 32 : 128;
    const around = random() < 0.7 ? made[Math.floor(random() * made.length)] : undefined;
    const outer = around?.family === family ? around : undefined;
    const least = (outer?.prefix ?? (family === 4 ? 6 : 14)) + 1;
    if (least > width) continue;
    const prefix = Math.min(width, least + Math.floor(random() * (family === 4 ? 8 : 24)));
    const free = BigInt(width - prefix);
    const value = (((outer?.value ?? 0n) | bits(outer ? width - outer.prefix : width)) >> free) << free;
    const key = `${family} ${value}/${prefix}`;
    if (seen.has(key)) continue;
    seen.add(key);
    made.push({ family, value, prefix });
  }
  return made;
}

const networks = makePrefixes();
const ips: IpAddress[] = Array.from({ length: addresses }, () => {
  const near = random() < 0.8 ? networks[Math.floor(random() * networks.length)] : undefined;
  const family = near?.family ?? (random() < 0.5 ? 4 : 6);
  const width = family === 4 ? 32 : 128;
  return { family, value: near ? near.value | bits(width - near.prefix) : bits(width) };
});
const texts = ips.map(formatIp);

const database = await startBenchDatabase();
const { closeDb, sqlClient } = await import('@/server/db/client');
const sql = sqlClient();
await sql`create unlogged table nets (cidr cidr primary key)`;
await sql`create index on nets using gist ((cidr::inet) inet_ops)`;
await sql`create unlogged table probes (i int primary key, ip inet)`;
const cidrs = networks.map(({ family, value, prefix }) => `${formatIp({ family, value })}/${prefix}`);
await sql`insert into nets select unnest(${cidrs}::text[]::cidr[])`;
await sql`insert into probes select i - 1, ip from unnest(${texts}::text[]::inet[]) with ordinality as p(ip, i)`;
await sql`analyze nets`;
await sql`analyze probes`;
const ask = () => sql<{ i: number; cidr: string | null }[]>`
  select p.i, (select n.cidr::text from nets n where n.cidr::inet >>= p.ip order by masklen(n.cidr) desc limit 1) as cidr
  from probes p order by p.i`;

// The same text of a network on both sides.
const table = new PrefixTable<string>();
for (const [i, text] of (await sql<{ cidr: string }[]>`select cidr::text as cidr from nets order by cidr`).entries()) {
  const cidr = parseCidr(text.cidr);
  if (!cidr) throw new Error(`row ${i}: ${text.cidr}`);
  table.set(cidr, text.cidr);
}

const samples: Record<'build' | 'memory' | 'words' | 'text' | 'sql', number[]> = {
  build: [],
  memory: [],
  words: [],
  text: [],
  sql: [],
};
const words = new Uint32Array(ips.length * 4);
for (const [i, { family, value }] of ips.entries()) {
  const shift = family === 4 ? [0n] : [96n, 64n, 32n, 0n];
  for (const [w, s] of shift.entries()) words[4 * i + w] = Number((value >> s) & 0xffffffffn);
}
let wrong = 0;
let internal = 0;
for (let round = 0; round < rounds; round++) {
  const started = performance.now();
  const fresh = new PrefixTable(
    networks.map(({ family, value, prefix }) => [{ address: { family, value }, prefix }, 1] as const),
  );
  fresh.match({ family: 4, value: 1n });
  fresh.match({ family: 6, value: 1n });
  const built = performance.now();
  let hits = 0;
  for (const ip of ips) if (table.match(ip) !== undefined) hits++;
  const matched = performance.now();
  for (let i = 0; i < ips.length; i++) {
    const at = 4 * i;
    table.matchWords(
      (ips[i] as IpAddress).family,
      words[at] as number,
      words[at + 1] as number,
      words[at + 2] as number,
      words[at + 3] as number,
    );
  }
  const worded = performance.now();
  for (const text of texts) {
    const ip = parseIp(text);
    if (ip) table.match(ip);
  }
  const parsed = performance.now();
  const rows = await ask();
  const asked = performance.now();
  internal = hits;
  for (const { i, cidr } of rows) if ((table.match(ips[i] as IpAddress) ?? null) !== cidr) wrong++;
  samples.build.push(built - started);
  samples.memory.push(matched - built);
  samples.words.push(worded - matched);
  samples.text.push(parsed - worded);
  samples.sql.push(asked - parsed);
}
const rate = (name: keyof typeof samples) => addresses / (summary(samples[name]).median / 1000);
const text = (value: number) => `${(value / 1e6).toFixed(2)} M/s`;
console.log(
  `${addresses} addresses (${internal} internal), ${networks.length} nested prefixes, median of ${rounds} rounds`,
);
printTable(
  ['way', 'lookups'],
  [
    ['in memory, address as a number', text(rate('memory'))],
    ['in memory, address as words', text(rate('words'))],
    ['in memory, from text', text(rate('text'))],
    ['SQL, one statement, GiST index', text(rate('sql'))],
  ],
);
console.log(`putting them in order: median ${summary(samples.build).median.toFixed(1)} ms`);
expectBar('every answer is that of PostgreSQL', wrong === 0);
expectBar('at least 1 M lookups/s', rate('memory') >= 1e6);
expectBar('at least 10 × SQL', rate('memory') >= 10 * rate('sql'));
await closeDb();
await database.stop();
