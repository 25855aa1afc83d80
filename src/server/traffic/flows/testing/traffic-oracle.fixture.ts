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

/** The reports of one hour that count: of one thing between guests, those of the node that saw the most of it. */
function countOnce(reports: readonly Reported[]): Reported[] {
  const toReportKey = ({ cluster, source, destination, service, decision }: Reported) =>
    JSON.stringify([cluster, source, destination, service, decision]);
  return [...groupBy(reports, toReportKey).values()].flatMap((same) => {
    if (same.some(({ source, destination }) => source === null || destination === null)) return same;
    const [most] = (addUp(same, ['node'], [...FIELDS]) as Pick<Reported, 'node' | keyof Sums>[]).sort(
      (a, b) => b.bytes - a.bytes || b.packets - a.packets || b.flows - a.flows || (a.node < b.node ? -1 : 1),
    );
    return same.filter(({ node }) => node === most?.node);
  });
}

/** The job and its tables as the rule says, without SQL and without anything incremental. */
export class TrafficOracle {
  readonly reports: Reported[] = [];
  readonly owners = new Map<string, string | null>();
  #marks = new Set<string>();
  #counted = new Map<string, string | null>();
  readonly #made = new Map<string, number>();

  report(row: Reported): void {
    this.reports.push(row);
    this.#marks.add(`${row.cluster} ${floorTo(row.minute, HOUR)}`);
  }

  /** A run that is interrupted after some hours. */
  run(hours = Number.POSITIVE_INFINITY): void {
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
    }
  }

  /** What there is by bucket, when everything is made. */
  #buckets(seconds: number, now: number): (Reported & { at: number })[] {
    const hours = groupBy(this.reports, (row) => `${row.cluster} ${floorTo(row.minute, HOUR)}`);
    return [...hours].flatMap(([key, reports]) => {
      const at = Number(key.split(' ')[1]);
      if (seconds === 300 && at < minuteCutoff(now)) return [];
      return countOnce(reports).map((row) => ({
        ...row,
        at: seconds === 300 ? floorTo(row.minute, FIVE_MINUTES) : at,
      }));
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
    const findTenantId = (workload: string | null) => (workload === null ? null : (this.owners.get(workload) ?? null));
    const rows = this.#buckets(seconds, now).map((row) => ({
      ...row,
      source_tenant: findTenantId(row.source),
      destination_tenant: findTenantId(row.destination),
    }));
    return addUp(rows, ['at', 'cluster', 'decision', 'source_tenant', 'destination_tenant'], [...FIELDS]);
  }
}
