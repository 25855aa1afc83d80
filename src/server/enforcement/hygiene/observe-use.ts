import { setImmediate } from 'node:timers/promises';
import { HOUR_MS } from '@/domain/durations';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowFacts } from '@/domain/flow-context/flow-context';
import { createPolicyUse, type PolicyUse } from '@/domain/hygiene/rule-use';
import type { ObservedPair } from '@/domain/suggestion/observed';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { storedSettings } from '../../settings/settings';
import { findFlowReach } from '../../traffic/queries/flow-reach';
import { flowStore } from '../../traffic/storage/flow-store';
import { findManagedRule } from '../coverage/coverage-tally';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { guestContext } from '../verdicts/guest-context';

/** Workloads whose conversations are read together, and the most kinds of conversations of them. */
const BATCH = 200;
const MOST_PAIRS = 50_000;

/** The window of conversations that are kept, at most some days. */
export async function findUseWindow(days: number): Promise<{ since: string; until: string; hours: number }> {
  const { flow_retention_hours } = await storedSettings(db);
  const hours = Math.min(days * 24, flow_retention_hours);
  const now = clock.now().getTime();
  return { since: new Date(now - hours * HOUR_MS).toISOString(), until: new Date(now).toISOString(), hours };
}

const toFacts = ({ client, server, protocol, service_port, icmp_type }: ObservedPair, isTurned: boolean): FlowFacts => {
  const [from, to] = isTurned ? [server, client] : [client, server];
  return {
    source_ip: from.ip,
    destination_ip: to.ip,
    protocol,
    source_port: from.port,
    destination_port: isTurned ? to.port : (service_port ?? to.port),
    decision: 'observed',
    initiator: 'source',
    icmp_type,
  };
};

/** Notes which rules conversations at a workload match; a rule that only may match counts as used. */
function noteUse(
  firewall: FirewallState,
  workloadId: string,
  facts: FlowFacts,
  end: 'source' | 'destination',
  use: Map<string, PolicyUse>,
): void {
  const workload = firewall.inputs.workloads.get(workloadId);
  const context = guestContext(firewall, workloadId);
  if (!workload || !context) return;
  const { decided_by: by, direction } = computeFlowContext(context, facts, end);
  const places = by.kind === 'rule' ? [by] : by.kind === 'unknown' ? by.places : [];
  for (const place of places) {
    const rule = findManagedRule({ context, vmid: workload.vmid }, place, firewall.inputs.instance);
    const desired =
      rule &&
      firewall
        .desiredAt(workloadId)
        ?.rules.find(({ rule_hash, policy_id }) => rule_hash === rule.rule_hash && policy_id === rule.policy_id);
    if (!desired) continue;
    const known = use.get(desired.policy_id) ?? createPolicyUse();
    use.set(desired.policy_id, known);
    const ports = known.ports.get(desired.rule_position) ?? new Set();
    known.ports.set(desired.rule_position, ports);
    if (facts.destination_port !== null) ports.add(facts.destination_port);
    const isOut = direction === null ? end === 'source' : direction === 'out';
    known[isOut ? 'source' : 'target'].workloads.add(workloadId);
    known.source.addresses.add(facts.source_ip);
    known.target.addresses.add(facts.destination_ip);
  }
}

/**
 * What conversations of a window used of policies, by policy, at some workloads.
 * @returns `cut` has workloads with more kinds of conversations than are read: what was not used there is not known
 */
export async function observeUse(
  firewall: FirewallState,
  workloadIds: readonly string[],
  { since, until }: { since: string; until: string },
  signal?: AbortSignal,
): Promise<{ use: ReadonlyMap<string, PolicyUse>; cut: ReadonlySet<string> }> {
  const use = new Map<string, PolicyUse>();
  const cut = new Set<string>();
  const selection = {
    ...(await findFlowReach('all', since)),
    cutoff: since,
    ...{ since, until, filter: {}, named: [], actions: undefined, condition: undefined },
    resolved: new Map(),
    now: until,
  };
  for (let from = 0; from < workloadIds.length; from += BATCH) {
    const at = workloadIds.slice(from, from + BATCH);
    const batch = new Set(at);
    const { pairs, left_out } = await flowStore().conversations.pairs(selection, {
      at,
      training_share: 1,
      most: MOST_PAIRS,
    });
    if (left_out > 0) for (const id of at) cut.add(id);
    for (const [index, pair] of pairs.entries()) {
      // Either end may have called: what any of them would use counts.
      for (const isTurned of pair.is_client_known ? [false] : [false, true]) {
        const facts = toFacts(pair, isTurned);
        const [source, destination] = isTurned ? [pair.server, pair.client] : [pair.client, pair.server];
        for (const [end, { workload_id }] of [
          ['source', source],
          ['destination', destination],
        ] as const) {
          if (workload_id !== null && batch.has(workload_id)) noteUse(firewall, workload_id, facts, end, use);
        }
      }
      if (index % 1_000 === 0) await setImmediate();
    }
    signal?.throwIfAborted();
  }
  return { use, cut };
}
