/*
 * The same traffic for both engines, made by SQL that both understand: connections by their number, and what each node reports of them.
 * PostgreSQL gets functions with the names of ClickHouse's (`POSTGRES_FUNCTIONS`), inlined when they are planned.
 */

export const NODES = 8;
export const WORKLOADS = 600;
/** Pairs of workloads with traffic: each has four servers. A tenth of the pairs has a third of the traffic. */
const PEERS = 4;
const PAIRS = WORKLOADS * PEERS;
/** Networks outside, of which a few have most of the traffic. */
const NETWORKS = 32;

/** Connections of a span of time, spread evenly. */
export type Span = { connections: number; since: number; until: number };

type Dialect = {
  /** Numbers from and up to but not including, as `i`. */
  numbers: (from: number, to: number) => string;
  noId: string;
  noText: string;
  /** A network of the text that an expression is. */
  network: (text: string) => string;
};

export const POSTGRES: Dialect = {
  numbers: (from, to) => `(select i from generate_series(${from}::bigint, ${to - 1}::bigint) as i)`,
  noId: 'null::uuid',
  noText: 'null',
  network: (text) => `(${text})::cidr`,
};

export const CLICKHOUSE: Dialect = {
  numbers: (from, to) => `(select toInt64(number) as i from numbers(${from}, ${to - from}))`,
  noId: `toUUID('00000000-0000-0000-0000-000000000000')`,
  noText: `''`,
  network: (text) => `(${text})`,
};

export const POSTGRES_FUNCTIONS = `
  create function intdiv(bigint, bigint) returns bigint language sql immutable as 'select $1 / $2';
  create function toint64(bigint) returns bigint language sql immutable as 'select $1';
  create function fromunixtimestamp64milli(bigint, text) returns timestamptz language sql stable as 'select to_timestamp($1::float8 / 1000)';`;

/** The workloads by number, as both engines have them in `bench_guests`. */
export const describeGuest = (k: number) => ({
  address: `10.${Math.floor(k / 250)}.${k % 250}.9`,
  cidr: `10.${Math.floor(k / 250)}.0.0/16`,
});

/**
 * Connections: half between workloads, seven of sixteen to the internet, the others from there; of a thousand one comes from there to a
 * sensitive port. One in 25 is dropped, one in 50 lasts up to six hours and the others up to a minute.
 */
export function selectConnections(dialect: Dialect, { connections, since, until }: Span, from: number, to: number) {
  return `
    select c.i as i, c.g as g, c.kind as kind, c.is_denied as is_denied, c.port as port, 32768 + c.g % 28000 as client_port,
      case when c.port = 53 then 'udp' else 'tcp' end as protocol, c.seen_ms as seen_ms, c.seen_ms - c.lasted_ms as first_ms,
      a.id as a_id, a.node_id as a_node, a.k as a_k, b.id as b_id, b.node_id as b_node, b.k as b_k,
      case when c.kind = 2 then c.outside else a.address end as client_ip,
      case when c.kind = 0 then b.address when c.kind = 1 then c.outside else a.address end as server_ip,
      case when c.kind = 2 then ${dialect.noId} else a.id end as client_id,
      case when c.kind = 0 then b.id when c.kind = 1 then ${dialect.noId} else a.id end as server_id,
      case when c.kind = 2 then ${dialect.noText} else a.cidr end as client_cidr,
      case when c.kind = 0 then b.cidr when c.kind = 1 then ${dialect.noText} else a.cidr end as server_cidr,
      case when c.kind = 2 then c.outside_prefix else a.cidr end as client_prefix,
      case when c.kind = 0 then b.cidr when c.kind = 1 then c.outside_prefix else a.cidr end as server_prefix,
      100 + c.g % 900 as sent, 200 + intDiv(2000000, 1 + intDiv(c.g, 11) % 5000) * (1 + intDiv(c.g, 13) % 20) as received
    from (
      select p.i as i, p.g as g, p.kind as kind, case when intDiv(p.g, 64) % 25 = 0 then 1 else 0 end as is_denied,
        case when p.kind = 0 then p.pair * 31 % ${WORKLOADS} else p.r % ${WORKLOADS} end as client_k,
        (p.pair * 31 % ${WORKLOADS} + 1 + 7 * intDiv(p.pair, ${WORKLOADS})) % ${WORKLOADS} as server_k,
        case
          when p.kind = 2 then case when p.g % 60 = 0 then case when intDiv(p.g, 60) % 2 = 0 then 22 else 3389 end else 443 end
          when p.kind = 1 then case intDiv(p.g, 5) % 4 when 0 then 53 when 1 then 80 else 443 end
          else case p.pair % 7 when 0 then 443 when 1 then 5432 when 2 then 53 when 3 then 80 when 4 then 22 when 5 then 6379 else 8080 end
        end as port,
        concat('203.0.', p.network, '.', 1 + intDiv(p.g, 448) % 250) as outside, concat('203.0.', p.network, '.0/24') as outside_prefix,
        ${since} + intDiv(p.i * ${until - since}, ${connections}) as seen_ms,
        case when p.g % 50 = 0 then intDiv(p.g, 50) % 21600000 else intDiv(p.g, 50) % 60000 end as lasted_ms
      from (
        select h.i as i, h.g as g, case when h.h % 16 < 8 then 0 when h.h % 16 < 15 then 1 else 2 end as kind,
          toInt64(intDiv(h.h, 16) % ${PAIRS}) as r,
          intDiv(toInt64(intDiv(h.h, 16) % ${PAIRS}) * toInt64(intDiv(h.h, 16) % ${PAIRS}), ${PAIRS}) as pair,
          intDiv(toInt64(intDiv(h.g, 7) % ${NETWORKS}) * toInt64(intDiv(h.g, 7) % ${NETWORKS}), ${NETWORKS}) as network
        from (
          select n.i as i, toInt64(n.i * 2654435761 % 4294967291) as h, toInt64(n.i * 1597334677 % 4294967291) as g
          from ${dialect.numbers(from, to)} as n) as h) as p) as c
    join bench_guests as a on a.k = c.client_k
    join bench_guests as b on b.k = c.server_k`;
}

/** What the nodes report: both directions of what was answered, and both nodes of what is between two of them. */
export function selectReports(dialect: Dialect, span: Span, from: number, to: number): string {
  const side = (name: string) => [
    `case when v.back = 1 then c.server_${name} else c.client_${name} end as source_${name}`,
    `case when v.back = 1 then c.client_${name} else c.server_${name} end as destination_${name}`,
  ];
  return `
    select c.i as i, v.back as back, c.seen_ms as seen_ms, c.first_ms as first_ms, c.protocol as protocol, c.port as service_port,
      ${['ip', 'id', 'cidr', 'prefix'].flatMap(side).join(', ')},
      case when v.back = 1 then c.port else c.client_port end as source_port,
      case when v.back = 1 then c.client_port else c.port end as destination_port,
      case when c.is_denied = 1 then 'drop' else 'observed' end as decision,
      case when c.is_denied = 1 then 'firewall_log' else 'ebpf' end as collector,
      case when c.is_denied = 1 then null when c.i % 2 = 0 then 'TIME_WAIT' else 'ESTABLISHED' end as state,
      case when v.back = 1 then 'destination' else 'source' end as initiator,
      case when v.far = 1 then c.b_id else c.a_id end as observer_id,
      case when v.far = 1 then c.b_node else c.a_node end as node_id,
      100 + case when v.far = 1 then c.b_k else c.a_k end as vmid,
      case when v.back = 1 then c.received else c.sent end - v.far * (c.g % 2) * 40 as bytes,
      case when v.back = 1 then 1 + intDiv(c.received, 900) else 1 + intDiv(c.sent, 300) end as packets,
      case when c.i % 3 = 0 then concat('{"zone": 0, "source_translated": "198.51.100.', c.g % 250, '", "excerpt": "tap', c.a_k, 'i0-IN policy ACCEPT"}') end as raw
    from (${selectConnections(dialect, span, from, to)}) as c
    cross join (select intDiv(i, 2) as far, i % 2 as back from ${dialect.numbers(0, 4)} as n) as v
    where (v.far = 0 or (c.kind = 0 and c.a_node <> c.b_node)) and (v.back = 0 or c.is_denied = 0)`;
}

/** Reports of a connection, on average. */
export const REPORTS_PER_CONNECTION = 2.78;
