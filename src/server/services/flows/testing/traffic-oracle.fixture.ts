import { minuteCutoff } from '@/domain/flow/plan-range';

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/** Traffic that a node reported; ends are guests, null: unknown. */
export type Reported = {
  cluster: string;
  node: string;
  /** Start of its minute in milliseconds. */
  minute: number;
  source: string | null;
  destination: string | null;
  service: number;
  decision: string;
  bytes: number;
  packets: number;
  flows: number;
};
type Sums = { bytes: number; packets: number; flows: number };
type Counted = Sums & Pick<Reported, 'cluster' | 'source' | 'destination' | 'decision'>;

const floorTo = (time: number, step: number) => Math.floor(time / step) * step;
const FIELDS = ['bytes', 'packets', 'flows'] as const;

function groupBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Groups and adds up by brute force. */
function addUp<T extends object>(rows: readonly (T & Record<string, unknown>)[], keys: string[], sums: string[]) {
  const groups = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const key = JSON.stringify(keys.map((name) => row[name]));
    const group = groups.get(key) ?? Object.fromEntries(keys.map((name) => [name, row[name]]));
    groups.set(key, group);
    for (const name of sums) group[name] = ((group[name] as number | undefined) ?? 0) + (row[name] as number);
  }
  return [...groups.values()];
}

/** What is counted of one bucket: of the nodes that saw one thing the most, unless an end is unknown. */
function count(reports: readonly Reported[]): Counted[] {
  const keys = ['cluster', 'source', 'destination', 'service', 'decision'];
  const perNode = addUp(reports, [...keys, 'node'], [...FIELDS]) as Reported[];
  const seen = new Map<string, Counted>();
  for (const row of perNode) {
    const key = JSON.stringify([row.cluster, row.source, row.destination, row.service, row.decision]);
    const isShared = row.source !== null && row.destination !== null;
    const other = seen.get(key);
    const merged = { ...row };
    for (const name of FIELDS) {
      merged[name] = isShared ? Math.max(other?.[name] ?? 0, row[name]) : (other?.[name] ?? 0) + row[name];
    }
    seen.set(key, merged);
  }
  return [...seen.values()];
}

/** The job and its tables as the rule says, without SQL and without anything incremental. */
export class TrafficOracle {
  readonly reports: Reported[] = [];
  readonly owners = new Map<string, string | null>();
  /** Hours that were made when they had no minutes any more: what nodes saw is compared by the hour. */
  readonly #coarse = new Set<string>();
  #marks = new Set<string>();
  #counted = new Map<string, string | null>();
  readonly #made = new Map<string, number>();

  report(row: Reported): void {
    this.reports.push(row);
    this.#marks.add(`${row.cluster} ${floorTo(row.minute, HOUR)}`);
  }

  /** A run that is interrupted after some hours. */
  run(now: number, hours = Number.POSITIVE_INFINITY): void {
    for (const [workload, tenant] of this.owners) {
      if ((this.#counted.get(workload) ?? null) === tenant) continue;
      this.#counted.set(workload, tenant);
      for (const [hour, upTo] of this.#made) {
        const had = this.reports.slice(0, upTo).some((row) => {
          const isThere = `${row.cluster} ${floorTo(row.minute, HOUR)}` === hour;
          return isThere && (row.source === workload || row.destination === workload);
        });
        if (had) this.#marks.add(hour);
      }
    }
    const order = (key: string) => {
      const [cluster = '', hour = ''] = key.split(' ');
      return { cluster, hour: Number(hour) };
    };
    const newestFirst = [...this.#marks].sort((a, b) => {
      const [x, y] = [order(a), order(b)];
      return y.hour - x.hour || (x.cluster < y.cluster ? -1 : 1);
    });
    for (const key of newestFirst.slice(0, hours)) {
      this.#marks.delete(key);
      this.#made.set(key, this.reports.length);
      if (order(key).hour < minuteCutoff(now)) this.#coarse.add(key);
    }
  }

  /** What there is by bucket, when everything is made. */
  #buckets(seconds: number, now: number): (Counted & { at: number })[] {
    const hours = groupBy(this.reports, (row) => `${row.cluster} ${floorTo(row.minute, HOUR)}`);
    return [...hours].flatMap(([key, reports]) => {
      const at = Number(key.split(' ')[1]);
      if (seconds === 300 && at < minuteCutoff(now)) return [];
      const width = this.#coarse.has(key) ? HOUR : FIVE_MINUTES;
      const parts = groupBy(reports, (row) => floorTo(row.minute, width));
      return [...parts].flatMap(([start, part]) =>
        count(part).map((row) => ({ ...row, at: seconds === 300 ? start : at })),
      );
    });
  }

  byWorkload(seconds: number, now: number) {
    const rows = this.#buckets(seconds, now).flatMap(({ at, source, destination, decision, bytes, packets, flows }) => [
      { at, workload: source, decision, bytes_in: 0, bytes_out: bytes, packets_in: 0, packets_out: packets, flows },
      {
        ...{ at, workload: destination, decision, bytes_in: bytes, bytes_out: 0, packets_in: packets, packets_out: 0 },
        flows: source === destination ? 0 : flows,
      },
    ]);
    return addUp(
      rows.filter((row) => row.workload !== null),
      ['at', 'workload', 'decision'],
      ['bytes_in', 'bytes_out', 'packets_in', 'packets_out', 'flows'],
    );
  }

  totals(seconds: number, now: number) {
    const tenantOf = (workload: string | null) => (workload === null ? null : (this.owners.get(workload) ?? null));
    const rows = this.#buckets(seconds, now).map((row) => ({
      ...row,
      source_tenant: tenantOf(row.source),
      destination_tenant: tenantOf(row.destination),
    }));
    return addUp(rows, ['at', 'cluster', 'decision', 'source_tenant', 'destination_tenant'], [...FIELDS]);
  }
}
