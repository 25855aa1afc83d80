import type { CountedFlow } from '../coverage-rows';
import type { RuleHits } from '../flow-store';
import { addressText, isNone } from './conditions';
import type { Connection } from './connection';
import { toIso } from './flow-list';
import { all, ch, NONE, raw, time, uuid } from './statement';
import { flowRows } from './visible-rows';

const PLAIN = [
  ...['protocol', 'source_port', 'destination_port', 'decision', 'state', 'initiator', 'icmp_type', 'icmp_code', 'nic'],
  ...['workload_id', 'source_workload_id', 'destination_workload_id', 'first_seen_at', 'observed_at'],
];

const orNull = (id: string | null): string | null => (id === NONE ? null : id);

/** Flows of a node with a known guest at an end, in parts, whatever their number; those that a log line decided come first. */
export const readUncountedFlows = (connection: Connection): RuleHits['uncounted'] =>
  async function* (_tx, { node_id, from, until, updated_from, observed_from }) {
    const where = all([
      ch`t.node_id = ${uuid(node_id)} and t.observed_at >= ${time(observed_from)} and t.created_at < ${time(until)}`,
      ch`t.updated_at >= ${time(updated_from ?? from)}`,
      ...(updated_from === null ? [ch`t.created_at >= ${time(from)}`] : []),
      ch`not (${isNone(raw('t.source_workload_id'))} and ${isNone(raw('t.destination_workload_id'))})`,
    ]);
    const selectTranslated = (name: string) => `nullIf(JSONExtractString(ifNull(t.raw, ''), '${name}'), '') as ${name}`;
    const rows = connection.stream<CountedFlow>(ch`
      select ${addressText(raw('t.source_ip'))} as source_ip, ${addressText(raw('t.destination_ip'))} as destination_ip,
        ${raw(PLAIN.map((name) => `t.${name} as ${name}`).join(', '))}, ${raw(selectTranslated('translated_source'))}, ${raw(selectTranslated('translated_destination'))},
        toBool(JSONHas(ifNull(t.raw, ''), 'first_seen_at')) as start_known, toBool(t.created_at >= ${time(from)}) as began
      from ${flowRows({ since: observed_from, until: null }, [])} as t where ${where} order by t.decision = 'observed'`);
    for await (const found of rows) {
      yield found.map((row) => ({
        ...row,
        ...{ first_seen_at: toIso(row.first_seen_at), observed_at: toIso(row.observed_at) },
        ...{ workload_id: orNull(row.workload_id), source_workload_id: orNull(row.source_workload_id) },
        destination_workload_id: orNull(row.destination_workload_id),
      }));
    }
  };
