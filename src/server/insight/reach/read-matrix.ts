import { setImmediate as breathe } from 'node:timers/promises';
import { OUTSIDE } from '@/domain/choices';
import { belongsTo } from '@/domain/policy/acts-on';
import { formatEndpoint } from '@/domain/policy/endpoint';
import { resolveWorkloads } from '@/domain/policy/resolve';
import type { Service } from '@/domain/policy-tests/packet-set';
import { computeMatrix, type Segment, type SegmentMatrix, TooManyServices } from '@/domain/reach/matrix';
import { ANSWER_BITS } from '@/domain/reach/pairs';
import type { CellVerdict, Matrix, MatrixCell, MatrixGroup, MatrixGrouping, MatrixInput } from '@/domain/reach/reach';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import type { InputWorkload } from '../../enforcement/queries/policy-inputs';
import { objectCache } from '../../lib/cache';
import { AppError } from '../../lib/errors';
import { groupBy } from '../../lib/group-by';
import { listTopologyWorkloads } from '../queries/topology';
import { chooseViewpoint, ReachInputs } from './reach-inputs';
import { readSeen } from './seen-traffic';

/** Rows and columns; more cannot be read. */
const MAX_GROUPS = 100;
/** Workloads that are named one by one as an end of the path check. */
const MAX_NAMED = 50;

type Named = { readonly id: string; readonly name: string; readonly end: readonly string[] };

const byName = (a: Named, b: Named) => a.name.localeCompare(b.name, 'en', { numeric: true });

/** Groups that can be named by an endpoint, with what names them. */
function listNamedGroups(by: Exclude<MatrixGrouping, 'project'>, { firewall, owner }: ReachInputs): Named[] {
  const { index, groups, workloads } = firewall.inputs;
  if (by === 'tag') {
    const own = [...workloads.values()].filter((one) => !one.template && belongsTo(owner, one));
    const tags = new Set(own.flatMap(({ tags: list }) => list));
    return [...tags].map((tag) => ({ id: `tag:${tag}`, name: tag, end: [formatEndpoint({ kind: 'tag', tag })] }));
  }
  if (by === 'network') {
    const networks = new Map([...index.networks.values()].flat().map((network) => [network.id, network]));
    return [...networks.values()].flatMap(({ id, name, cluster_id, cidrs, cidrs_of_owners }) => {
      const seen = owner === null ? cidrs : (cidrs_of_owners?.[owner] ?? []);
      const cluster = firewall.inputs.clusters.get(cluster_id)?.name ?? null;
      return seen.length === 0 ? [] : [{ id, name, end: [formatEndpoint({ kind: 'network', cluster, name })] }];
    });
  }
  return groups
    .filter((group) => owner === null || (group.project_id ?? group.tenant_id) === owner)
    .map(({ id, name }) => {
      const named = formatEndpoint({ kind: 'security_group', reference: name });
      const resolved = resolveWorkloads(named, index, owner);
      const isClear = 'reason' in resolved ? resolved.reason === 'empty' : true;
      return { id, name, end: [isClear ? named : formatEndpoint({ kind: 'security_group', reference: id })] };
    });
}

function nameWorkloads({ firewall }: ReachInputs, list: readonly InputWorkload[]): string[] {
  if (list.length > MAX_NAMED) return [];
  return list.map(({ cluster_id, vmid }) => {
    const cluster = firewall.inputs.clusters.get(cluster_id)?.name ?? null;
    return formatEndpoint({ kind: 'vmid', cluster, vmid });
  });
}

type Group = Named & { readonly segment: Segment };

/** All groups of one kind with their workloads, and the workloads of none. */
async function listGroups(by: MatrixGrouping, inputs: ReachInputs, scope: Scope<'workload:read'>): Promise<Group[]> {
  const { places } = inputs.everything();
  const { workloads } = inputs.firewall.inputs;
  const findWorkload = (key: string) => workloads.get(key);
  const groups: Group[] = [];
  if (by === 'project') {
    const rows = await listTopologyWorkloads(scope.reach, undefined);
    const names = new Map(rows.map(({ project_id, project_name }) => [project_id ?? '', project_name]));
    for (const [id, members] of groupBy(places, ({ key }) => findWorkload(key)?.project_id ?? '')) {
      const name = names.get(id);
      if (!name) continue;
      const end = nameWorkloads(
        inputs,
        members.flatMap(({ key }) => findWorkload(key) ?? []),
      );
      groups.push({ id, name, end, segment: { id, places: members } });
    }
  } else {
    for (const named of listNamedGroups(by, inputs)) {
      groups.push({ ...named, segment: { id: named.id, places: inputs.endOf([...named.end]).places } });
    }
  }
  const grouped = new Set(groups.flatMap(({ segment }) => segment.places.map(({ key }) => key)));
  const rest = places.filter(({ key }) => !grouped.has(key));
  groups.sort(byName);
  if (rest.length === 0) return groups;
  const end = nameWorkloads(
    inputs,
    rest.flatMap(({ key }) => findWorkload(key) ?? []),
  );
  return [...groups, { id: 'none', name: '', end, segment: { id: 'none', places: rest } }];
}

const { accept, deny } = ANSWER_BITS;

function toCellVerdict(answers: number): CellVerdict {
  if (answers === 0) return 'none';
  if (answers === accept) return 'allowed';
  if (answers === deny) return 'denied';
  return (answers & accept) !== 0 ? 'partly' : 'unknown';
}

/** Matrices of the same rules that are kept. */
const MAX_MATRICES = 32;

/** By the effect of what was read: the same rules are not compared again, and readers at the same time share the answer. */
const matrices = objectCache<object, Map<string, Promise<SegmentMatrix>>>({ name: 'matrices' });

/** What passes between groups. Of one view and kind, the same ids have the same workloads as long as the effect is the same. */
function loadAnswers(
  effect: object,
  inputs: ReachInputs,
  by: MatrixGrouping,
  { groups, service }: { groups: readonly Group[]; service: Service },
) {
  const known = matrices.load(effect, null, () => new Map());
  const segments = groups.map(({ segment }) => segment);
  const key = JSON.stringify([inputs.owner, by, service, segments.map(({ id }) => id)]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = computeMatrix(segments, inputs.outside().outside, service, inputs.identify, { breathe }).catch(
    refuseTooMany,
  );
  known.set(key, made);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_MATRICES) break;
    known.delete(oldest);
  }
  made.catch(() => known.delete(key));
  return made;
}

/** @throws AppError `malformed` */
function refuseTooMany(error: unknown): never {
  if (!(error instanceof TooManyServices)) throw error;
  const message =
    'These workloads have too many different rules to compare all services. Choose a protocol and a port.';
  throw new AppError('malformed', message, { errors: [{ field: 'port', message }], cause: error });
}

/**
 * What passes between groups of workloads by the rules that were last read, and what was seen to.
 * @param flows evidence that traffic may be seen; null: it is left out
 * @throws AppError `malformed` when the view has to be named, or rules are too different to compare all services
 */
export async function readMatrix(
  scope: Scope<'workload:read'>,
  flows: Scope<'flow:read'> | null,
  { by, protocol, port, tenant_id, project_id }: MatrixInput,
): Promise<Matrix> {
  const owner = chooseViewpoint(scope.reach, { tenant_id, project_id });
  const firewall = await readFirewallState();
  const inputs = new ReachInputs(firewall, owner);
  const listed = await listGroups(by, inputs, scope);
  const all = listed.filter(({ segment }) => segment.places.length > 0);
  const shown = all.slice(0, MAX_GROUPS);
  const { workloads } = inputs.firewall.inputs;
  const members = new Map(shown.map(({ id, segment }) => [id, segment.places.map(({ key }) => key)]));
  const own = [...workloads.values()].filter((one) => belongsTo(owner, one)).map(({ id }) => id);
  const seen = await readSeen(flows, { service: { protocol, port }, groups: members, own });
  const service = { protocol, ports: port === undefined ? [] : [String(port)] };
  const answers = await loadAnswers(firewall.effect, inputs, by, { groups: shown, service });
  const groups: MatrixGroup[] = [
    ...shown.map(({ id, name, end, segment }) => ({ id, name, end: [...end], workloads: segment.places.length })),
    { id: OUTSIDE, name: '', end: [OUTSIDE], workloads: 0 },
  ];
  const findName = (id: string) => (id === OUTSIDE ? null : id);
  const cells = groups.flatMap(({ id: from }, row) =>
    groups.flatMap(({ id: to }, column): MatrixCell[] => {
      if (from === OUTSIDE && to === OUTSIDE) return [];
      const verdict = toCellVerdict(answers[row]?.[column] ?? 0);
      return [{ from, to, verdict, seen: seen?.between(findName(from), findName(to)) ?? null }];
    }),
  );
  const totals = { groups_total: all.length, groups_empty: listed.length - all.length };
  return { by, groups, ...totals, cells, seen_since: seen?.since ?? null };
}
