import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import type { SearchKind, SearchResult, SearchTerms } from '@/domain/search/search';
import { db } from '../../db/client';
import { hasText, likePattern } from '../../db/declared-fields';
import { pgArray } from '../../db/pg-array';
import { ipAddresses } from '../../db/schema/addresses';
import { subnets } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
import { isSubnetInReach } from '../../inventory/queries/ipam-reach';
import {
  addressSource,
  listSearchSources,
  prefixSource,
  type SearchReach,
  type Source,
  vlanSource,
} from './search-kinds';

/** A result, and how well it matches: 0 is exact, higher is worse. */
export type Ranked = SearchResult & { rank: number };

type Match = { where: SQL | undefined; rank: SQL; matched?: SQL };

/** The best matches of one source, as a part of a UNION. */
const part = (source: Source, { where, rank, matched = sql`null` }: Match, limit: number): SQL => sql`(
  select ${source.kind}::text as kind, ${source.id} as id, ${source.name} as name, ${matched}::text as matched,
    ${source.place ?? sql`null`}::text as place, ${source.parent ?? sql`null`}::uuid as parent_id,
    ${source.address ?? sql`null`}::text as address, ${rank}::int as rank
  from ${source.from} where ${and(where, source.reach) ?? sql`true`}
  order by rank, length(${source.name}), name, id limit ${limit})`;

async function union(parts: readonly SQL[]): Promise<Ranked[]> {
  if (parts.length === 0) return [];
  return db.execute<Ranked>(sql.join([...parts], sql` union all `));
}

const beginsWith = (text: string) => likePattern(text).slice(1);
const EXACT = sql`0`;

/** 0 for the same name, 1 for its beginning, 2 for the beginning of one of its words, 3 within it, 4 for another field. */
function nameRank(name: Source['name'], text: string): SQL {
  const words = ['-', '.', '_', ' ', '/'].map((mark) => `%${likePattern(mark).slice(1, -1)}${beginsWith(text)}`);
  return sql`case when lower(${name}) = ${text} then 0 when lower(${name}) like ${beginsWith(text)} then 1
    when lower(${name}) like any (${pgArray('text', words)}) then 2 when lower(${name}) like ${likePattern(text)} then 3 else 4 end`;
}

/** Every word of the text is in one of the fields. */
function byText({ name, also = [], shown = [] }: Source, { text, words }: SearchTerms): Match {
  const fields = [name, ...also, ...shown];
  const inName = and(...words.map((word) => hasText(name, ...also)(word)));
  return {
    where: and(...words.map((word) => hasText(...fields)(word))),
    rank: nameRank(name, text),
    matched: shown.length === 0 ? sql`null` : sql`case when ${inName} then null else ${shown[0]} end`,
  };
}

const workloadsOn = (condition: SQL) =>
  sql`${workloads.id} in (select ${workloadInterfaces.workload_id} from ${workloadInterfaces} where ${condition})`;
const firstMac = (condition: SQL) =>
  sql`(select ${workloadInterfaces.mac}::text from ${workloadInterfaces}
    where ${eq(workloadInterfaces.workload_id, workloads.id)} and ${condition} order by ${workloadInterfaces.name} limit 1)`;

/** Workloads by VMID, MAC address or IP address. */
function workloadMatches({ ip, ipPart, mac, macPart, number }: SearchTerms): Match[] {
  const found: Match[] = [];
  if (number !== null) {
    found.push({
      where: sql`${workloads.vmid}::text = ${number}`,
      rank: EXACT,
      matched: sql`${workloads.external_id}`,
    });
  }
  const macIs =
    mac !== null
      ? sql`${workloadInterfaces.mac} = ${mac}::macaddr`
      : macPart !== null
        ? sql`${workloadInterfaces.mac}::text like ${likePattern(macPart)}`
        : null;
  if (macIs) found.push({ where: workloadsOn(macIs), rank: mac ? EXACT : sql`2`, matched: firstMac(macIs) });
  const addressIs =
    ip !== null
      ? sql`${ipAddresses.address} = ${ip}::inet`
      : ipPart !== null
        ? sql`host(${ipAddresses.address}) like ${beginsWith(ipPart)}`
        : null;
  if (addressIs) {
    const holding = sql`from ${ipAddresses} where ${addressIs}`;
    found.push({
      where: sql`${workloads.id} in (select ${ipAddresses.workload_id} ${holding})`,
      rank: ip ? EXACT : sql`2`,
      matched: sql`(select host(${ipAddresses.address}) ${holding} and ${eq(ipAddresses.workload_id, workloads.id)}
        order by ${ipAddresses.address} limit 1)`,
    });
  }
  return found;
}

/** Addresses by themselves, by their MAC address or by the beginning of their host name. */
function addressMatches(terms: SearchTerms): Match[] {
  const { ip, ipPart, cidr, mac, text } = terms;
  if (ip !== null) return [{ where: sql`${ipAddresses.address} = ${ip}::inet`, rank: sql`1` }];
  if (cidr !== null) return [{ where: sql`${ipAddresses.address} <<= ${cidr}::inet`, rank: sql`4` }];
  if (mac !== null) return [{ where: addressOfMac(mac), rank: sql`1`, matched: sql`${mac}` }];
  if (ipPart !== null) {
    return [{ where: sql`host(${ipAddresses.address}) like ${beginsWith(ipPart)}`, rank: sql`3` }];
  }
  const hostname = sql`lower(${ipAddresses.hostname})`;
  return [
    {
      where: sql`${hostname} like ${beginsWith(text)}`,
      rank: sql`case when ${hostname} = ${text} then 1 else 4 end`,
      matched: sql`${ipAddresses.hostname}`,
    },
  ];
}

/** With this MAC address, or of an interface with it. Two index lookups, where an OR would read the whole table. */
const addressOfMac = (mac: string) => sql`${ipAddresses.id} in (
  select a.id from ${ipAddresses} a where a.mac = ${mac}::macaddr
  union select a.id from ${workloadInterfaces} i
    join ${ipAddresses} a on a.workload_id = i.workload_id and a.interface_id = i.id where i.mac = ${mac}::macaddr)`;

/** Prefixes by themselves, by an address in them (of each network the longest that is visible), or by description. */
function prefixMatches(terms: SearchTerms, source: Source, reach: Reach): Match[] {
  const { ip, ipPart, cidr } = terms;
  if (ip !== null) {
    const longest = sql`(select distinct on (s.network_id) s.id from ${subnets} s where s.cidr >>= ${ip}::inet
      and ${isSubnetInReach(sql.raw('s.id'), reach)} order by s.network_id, masklen(s.cidr) desc)`;
    return [{ where: sql`${subnets.id} in ${longest}`, rank: sql`2` }];
  }
  if (cidr !== null) {
    return [
      {
        where: sql`${subnets.cidr} && ${cidr}::inet`,
        rank: sql`case when ${subnets.cidr} = ${cidr}::cidr then 0 when ${subnets.cidr} << ${cidr}::inet then 1 else 2 end`,
      },
    ];
  }
  if (ipPart !== null) return [{ where: sql`${subnets.cidr}::text like ${beginsWith(ipPart)}`, rank: sql`1` }];
  return [byText(source, terms)];
}

function buildParts(terms: SearchTerms, within: SearchReach, limit: number): SQL[] {
  const isMeant = (kind: SearchKind) => terms.kinds === null || terms.kinds.includes(kind);
  const named = listSearchSources(within).filter(({ kind }) => isMeant(kind));
  const parts = named.map((source) => part(source, byText(source, terms), limit));
  const add = (source: Source, matches: readonly Match[]) => {
    if (isMeant(source.kind)) parts.push(...matches.map((match) => part(source, match, limit)));
  };
  const workload = named.find(({ kind }) => kind === 'workload');
  if (workload) add(workload, workloadMatches(terms));
  const { addresses } = within;
  if (addresses !== undefined) {
    add(addressSource(addresses), addressMatches(terms));
    add(prefixSource(addresses), prefixMatches(terms, prefixSource(addresses), addresses));
    if (terms.number !== null) {
      const vlan = vlanSource(addresses, terms.number);
      add(vlan, [{ where: undefined, rank: EXACT }]);
    }
  }
  return parts;
}

/** What matches one of the meanings of a search text, of each kind the best. One query. */
export const findMatches = (meanings: readonly SearchTerms[], within: SearchReach, limit: number): Promise<Ranked[]> =>
  union(meanings.flatMap((terms) => buildParts(terms, within, limit)));

/** Things by their ids; with `kinds` only things of these. One query. */
export function findByIds(
  ids: readonly string[],
  within: SearchReach,
  kinds?: ReadonlySet<SearchKind>,
): Promise<Ranked[]> {
  if (ids.length === 0) return Promise.resolve([]);
  const { addresses } = within;
  const sources = [
    ...listSearchSources(within),
    ...(addresses === undefined ? [] : [prefixSource(addresses), addressSource(addresses)]),
  ].filter(({ kind }) => kinds?.has(kind) ?? true);
  return union(
    sources.map((source) =>
      part(source, { where: sql`${source.id} = any (${pgArray('uuid', ids)})`, rank: EXACT }, ids.length),
    ),
  );
}

/** More names of a kind than this are not compared for typing errors. */
const MOST_NAMES = 20_000;

export type Named = { kind: SearchKind; id: string; name: string };

/** The names of all visible things that have one. One query, with a row for each kind: reading thousands of rows would take longer. */
export async function listNames(within: SearchReach): Promise<Named[]> {
  const sources = listSearchSources(within);
  if (sources.length === 0) return [];
  const parts = sources.map(
    ({ kind, from, id, name, reach }) =>
      sql`(select ${kind}::text as kind, json_agg(id) as ids, json_agg(name) as names from (select ${id} as id, ${name} as name
        from ${from} where ${reach ?? sql`true`} order by ${id} desc limit ${MOST_NAMES}) as named)`,
  );
  const kinds = await db.execute<{ kind: SearchKind; ids: string[] | null; names: string[] | null }>(
    sql.join(parts, sql` union all `),
  );
  return [...kinds].flatMap(({ kind, ids, names }) =>
    (ids ?? []).map((id, at) => ({ kind, id, name: names?.[at] ?? '' })),
  );
}
