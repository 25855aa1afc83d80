import { SEVERITIES, type SensitiveService } from '@/domain/dashboard/sensitive-ports';
import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { formatFlowEnd } from '@/domain/flow/flow-end';
import { isWithinReach } from '@/domain/permissions';
import { mergeVerdicts, NO_VERDICT, type SummedVerdict } from '@/domain/summed-verdict';
import type { PolicyInputs } from '../../enforcement/policies/policy-inputs';
import { stableKey } from '../../lib/ids';
import { readSuspiciousSums, type SuspiciousEnds, type SuspiciousSums } from '../../traffic/storage/suspicious-row';
import type { SuspiciousVerdict } from './evaluate-suspicious';
import type { SuspiciousReader } from './known-suspicious';

const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

const merge = (a: SuspiciousSums, b: SuspiciousSums): SuspiciousSums => ({
  flows: a.flows + b.flows,
  bytes: sum(a.bytes, b.bytes),
  packets: sum(a.packets, b.packets),
  first_seen_ms: Math.min(a.first_seen_ms, b.first_seen_ms),
  last_seen_ms: Math.max(a.last_seen_ms, b.last_seen_ms),
});

/** What is shown about the ends besides their addresses. */
export type Surroundings = {
  readonly inputs: PolicyInputs;
  /** The longest known subnet of an address; null: outside. */
  readonly subnetOf: (address: string) => string | null;
  readonly reader: SuspiciousReader;
  /** Another number whenever one of these is another. */
  readonly version: number;
};

/** Instead of a subnet that the reader may not see, as in `cidrIfVisible`: the address is inside, but not where. */
const HIDDEN_SUBNET = '0.0.0.0/0';

/** An entry of the dashboard. What is read and reported about it is kept as long as it is unchanged. */
export class SuspiciousEntry {
  readonly #ends: SuspiciousEnds;
  readonly #service: SensitiveService;
  readonly #evaluated: SuspiciousVerdict;
  /** 0 is the worst. */
  readonly rank: number;
  #id: string | null = null;
  #text = '';
  #sums: SuspiciousSums | null = null;
  #verdict: SummedVerdict | null = null;
  #cached: {
    entry: SuspiciousTraffic;
    sums: SuspiciousSums;
    verdict: SummedVerdict | null;
    version: number;
  } | null = null;
  /** The look that found it last. */
  #look = 0;

  constructor(ends: SuspiciousEnds, service: SensitiveService, evaluated: SuspiciousVerdict) {
    this.#ends = ends;
    this.#service = service;
    this.#evaluated = evaluated;
    this.rank = SEVERITIES.indexOf(evaluated.severity);
  }

  get severity() {
    return this.#evaluated.severity;
  }

  /** Tells entries apart. */
  get key() {
    return this.#evaluated.key;
  }

  /** Adds conversations found in one pass. @returns whether they are the first of this pass */
  add(look: number, text: string, verdict: SummedVerdict | null): boolean {
    const first = this.#look !== look;
    this.#look = look;
    this.#verdict = first || this.#verdict === null ? verdict : verdict && mergeVerdicts(this.#verdict, verdict);
    if (!first) this.#sums = merge(this.sums, readSuspiciousSums(text));
    else if (this.#text !== text) this.#sums = null;
    // Merged totals correspond to no single text.
    this.#text = first ? text : '';
    return first;
  }

  get sums(): SuspiciousSums {
    this.#sums ??= readSuspiciousSums(this.#text);
    return this.#sums;
  }

  say(surroundings: Surroundings): SuspiciousTraffic {
    const { sums } = this;
    const { version } = surroundings;
    const verdict = this.#verdict;
    if (this.#cached?.sums !== sums || this.#cached.verdict !== verdict || this.#cached.version !== version) {
      this.#cached = { entry: this.#entry(sums, surroundings), sums, verdict, version };
    }
    return this.#cached.entry;
  }

  #entry(sums: SuspiciousSums, { inputs, subnetOf, reader }: Surroundings): SuspiciousTraffic {
    const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol } = this.#ends;
    const { key, severity, decision } = this.#evaluated;
    const workload = destination_workload_id === null ? undefined : inputs.workloads.get(destination_workload_id);
    const isOwn = workload !== undefined && isWithinReach(workload, reader.flows);
    const subnet = subnetOf(destination_ip);
    const isSubnetVisible = subnet === null || isOwn || reader.prefixes === 'all' || reader.prefixes.has(subnet);
    this.#id ??= stableKey([key]);
    return {
      id: this.#id,
      severity,
      cluster_id,
      cluster_name: inputs.clusters.get(cluster_id)?.name ?? null,
      source_ip,
      source_label: formatFlowEnd(source_ip, null),
      destination_ip,
      destination_label: formatFlowEnd(destination_ip, isSubnetVisible ? subnet : HIDDEN_SUBNET),
      // A workload that is gone has no page to lead to.
      destination_workload_id: workload?.id ?? null,
      destination_workload_name: (isOwn ? workload.name : workload && reader.former.get(workload.id)) ?? null,
      service: this.#service,
      port,
      protocol,
      decision,
      ...(this.#verdict ?? NO_VERDICT),
      flows: sums.flows,
      bytes: sums.bytes,
      packets: sums.packets,
      first_seen_at: new Date(sums.first_seen_ms).toISOString(),
      last_seen_at: new Date(sums.last_seen_ms).toISOString(),
    };
  }
}
