import { isWithinReach } from '@/domain/permissions';
import { belongsTo } from '@/domain/policy/acts-on';
import { formatEndpoint } from '@/domain/policy/endpoint';
import type { TestEnd } from '@/domain/policy-tests/test-end';
import { describeService } from '@/domain/reach/describe-service';
import { findReached, findSources, type ReachedPlace, type ReachedPlaces } from '@/domain/reach/find-reached';
import { ANSWER_BITS } from '@/domain/reach/pairs';
import type { ReachableFromInput, Reached, ReachedList, ReachesInput } from '@/domain/reach/reach';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { deciderView } from '../../enforcement/policy-tests/describe-test';
import type { InputWorkload } from '../../enforcement/queries/policy-inputs';
import { notFound } from '../../lib/refusals';
import { hasClosedRules, toDecided } from './describe-reach';
import { findViewpoint, ReachInputs } from './reach-inputs';
import { readSeen } from './seen-traffic';

/** Entries that are shown. */
const MOST = 1_000;

type Reader = { readonly reach: Scope<'workload:read'>['reach']; readonly inputs: ReachInputs };
type Direction = 'from' | 'to';

const toService = ({ protocol, port }: ReachableFromInput) => ({
  protocol,
  ports: port === undefined ? [] : [String(port)],
});

const toNamed = ({ id, name }: { id: string; name: string }) => ({ id, name });

function describeReached(
  { reach, inputs }: Reader,
  { place, between, hops, via }: ReachedPlace,
  service: ReturnType<typeof toService>,
  seen: Reached['seen'],
): Reached {
  const { answers, accepted, unknown, open, proof } = between;
  const isAccepted = (answers & ANSWER_BITS.accept) !== 0;
  const stages = proof?.stages ?? [];
  const last = stages.at(-1);
  const { firewall } = inputs;
  const withheld = stages.some((stage) => hasClosedRules({ firewall, reach }, stage.place));
  const finding = last ? toDecided(last, stages.length > 1 ? stages[0] : undefined) : null;
  return {
    workload: place?.ref.kind === 'workload' ? toNamed(place.ref) : null,
    verdict: !isAccepted ? 'unknown' : answers === ANSWER_BITS.accept ? 'allowed' : 'partly',
    services: withheld ? [] : (isAccepted ? accepted : unknown).map((set) => describeService(set, service)),
    open_by_default: open,
    hops,
    via: via.flatMap(({ ref }) => (ref.kind === 'workload' ? [toNamed(ref)] : [])),
    seen,
    decided_by: finding && deciderView(firewall, reach, finding),
  };
}

const SEEN_RANK = { not_seen: 0, not_monitored: 1, seen: 2 } as const;

/** Surprises first: allowed and never seen, most of all what no rule allows. */
function compareSurprise(a: Reached, b: Reached): number {
  const rank = ({ verdict, seen, open_by_default, hops }: Reached) => [
    verdict === 'unknown' ? 1 : 0,
    seen ? SEEN_RANK[seen.state] : 0,
    open_by_default ? 0 : 1,
    hops,
  ];
  const [one, other] = [rank(a), rank(b)];
  const at = one.findIndex((value, index) => value !== other[index]);
  if (at >= 0) return (one[at] ?? 0) - (other[at] ?? 0);
  return (a.workload?.name ?? '').localeCompare(b.workload?.name ?? '', 'en', { numeric: true });
}

type Question = {
  readonly workload: InputWorkload;
  readonly direction: Direction;
  readonly input: ReachableFromInput;
  readonly find: (everything: TestEnd, end: TestEnd, service: ReturnType<typeof toService>) => ReachedPlaces;
};

async function listReached(
  { reach }: Scope<'workload:read'>,
  flows: Scope<'flow:read'> | null,
  inputs: ReachInputs,
  { workload, direction, input, find }: Question,
): Promise<ReachedList> {
  const { workloads, clusters } = inputs.firewall.inputs;
  const cluster = clusters.get(workload.cluster_id)?.name ?? null;
  const end = inputs.endOf([formatEndpoint({ kind: 'vmid', cluster, vmid: workload.vmid })]);
  // What is outside of the workload is no part of it, whatever else has its address.
  const itself = { ...end, places: end.places.filter(({ key }) => key === workload.id) };
  const service = toService(input);
  const { reached, denied } = find(inputs.everything(), itself, service);
  const pairs = reached.map(({ place, via }) => ({ near: via.at(-1)?.key ?? workload.id, other: place?.key ?? null }));
  const near = [...new Set(pairs.map((pair) => pair.near))];
  const named = new Set([...near, ...pairs.flatMap(({ other }) => other ?? [])]);
  const seen = await readSeen(flows, {
    service: input,
    groups: new Map([...named].map((id) => [id, [id]])),
    own: [...workloads.values()].filter((one) => belongsTo(inputs.owner, one)).map(({ id }) => id),
    at: near,
  });
  const findSeen = (index: number) => {
    const pair = pairs[index];
    if (!seen || !pair) return null;
    return direction === 'from' ? seen.between(pair.other, pair.near) : seen.between(pair.near, pair.other);
  };
  const items = reached
    .map((one, index) => describeReached({ reach, inputs }, one, service, findSeen(index)))
    .sort(compareSurprise);
  const [missing = null] = itself.missing;
  return {
    workload: toNamed(workload),
    items: items.slice(0, MOST),
    items_total: items.length,
    denied_total: denied,
    without_address_total: inputs.countWithoutAddress(),
    reason: itself.places.length > 0 ? null : { code: missing?.reason ?? 'no_pair', subject: workload.name },
    seen_since: seen?.since ?? null,
  };
}

/** The workload in question, and everything in the widest view that the reader has of it. @throws AppError `not_found` */
async function readWorkloadInputs({ reach }: Scope<'workload:read'>, id: string) {
  const firewall = await readFirewallState();
  const workload = firewall.inputs.workloads.get(id);
  if (!workload || !isWithinReach(workload, reach)) throw notFound('workload');
  return { workload, inputs: new ReachInputs(firewall, findViewpoint(reach, workload)) };
}

/**
 * What can send packets of a service to a workload by the rules that were last read, surprises first.
 * @param flows evidence that traffic may be seen; null: it is left out
 * @throws AppError `not_found`
 */
export async function listReachableFrom(
  scope: Scope<'workload:read'>,
  flows: Scope<'flow:read'> | null,
  id: string,
  input: ReachableFromInput,
): Promise<ReachedList> {
  const { workload, inputs } = await readWorkloadInputs(scope, id);
  const find: Question['find'] = (everything, end, service) => findSources(everything, end, service, inputs.identify);
  return listReached(scope, flows, inputs, { workload, direction: 'from', input, find });
}

/** What a workload can send packets of a service to, and what that can, and so on. @throws AppError `not_found` */
export async function listReaches(
  scope: Scope<'workload:read'>,
  flows: Scope<'flow:read'> | null,
  id: string,
  input: ReachesInput,
): Promise<ReachedList> {
  const { workload, inputs } = await readWorkloadInputs(scope, id);
  const find: Question['find'] = (everything, end, service) =>
    findReached(everything, end, service, inputs.identify, input.hops);
  return listReached(scope, flows, inputs, { workload, direction: 'to', input, find });
}
