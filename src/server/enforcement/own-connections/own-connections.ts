import {
  ENTRY_TO_WEB,
  type OWN_CONNECTIONS,
  type OwnConnection,
  type OwnRole,
} from '@/domain/own-connections/own-workloads';
import type { Reach } from '@/domain/permissions';
import { TEMPLATES } from '@/domain/policy-tests/protected-connection';
import { db } from '../../db/client';
import type { FirewallChange } from '../policies/planned-change';
import type { PolicyInputs } from '../policies/policy-inputs';
import { deciderView, packetView } from '../policy-tests/describe-test';
import { nodeEndpoints } from '../policy-tests/test-endpoints';
import { TestInputs } from '../policy-tests/test-inputs';
import { findProtectedTests } from '../queries/policy-tests';
import { type Cut, findCut } from './find-cut';
import { type KnownRole, type KnownRoles, readOwnRoles } from './own-workloads';
import { workloadEndpoint } from './propose-ends';

type Connection = (typeof OWN_CONNECTIONS)[number];

/** Addresses or workloads that take part in a connection. */
type End = {
  readonly role: OwnRole | null;
  readonly endpoints: readonly string[];
  readonly confirmed: boolean;
  /** False: one of several workloads may be the end. */
  readonly certain: boolean;
};

type Pair = {
  readonly connection: Connection;
  readonly from: End;
  readonly to: End;
  readonly ports: readonly string[];
  /** The clients are not known. */
  readonly anyClient: boolean;
};

/** The one that is no protected connection has a name of its own. */
const getConnectionName = (connection: Connection): string =>
  connection === 'entry_to_web' ? ENTRY_TO_WEB : TEMPLATES[connection].name;

/** What a role is taken for: the answer, else what was found; with what was found since where that differs. */
function resolveRoleEnd(inputs: PolicyInputs, known: KnownRole): End | null {
  const { role, status, answer, found, ambiguous, addresses } = known;
  const isAnswered = status === 'confirmed' || status === 'outside';
  const candidates = isAnswered ? [] : [...ambiguous.values()].flat();
  const ids = new Set([...(answer?.workload_ids ?? []), ...(isAnswered ? [] : found.keys()), ...candidates]);
  // The addresses that are used are more exact than all of the workload.
  const endpoints = [...ids].flatMap((id) => found.get(id) ?? workloadEndpoint(inputs, id));
  const held = new Set([...found.values()].flat());
  const elsewhere = status === 'confirmed' ? [] : addresses.filter((one) => !held.has(one) && !ambiguous.has(one));
  const all = status === 'outside' ? [...addresses] : [...endpoints, ...elsewhere];
  return all.length === 0 ? null : { role, endpoints: all, confirmed: isAnswered, certain: candidates.length === 0 };
}

const ANY: End = { role: null, endpoints: ['any'], confirmed: true, certain: true };
const toKnownEnd = (endpoints: readonly string[]): End | null =>
  endpoints.length === 0 ? null : { role: null, endpoints, confirmed: true, certain: true };

/** The connections of Fabric itself whose ends are known. */
async function listPairs({ inputs, snapshots }: FirewallChange['before'], { roles, api }: KnownRoles): Promise<Pair[]> {
  const ends = new Map(roles.map((one) => [one.role, resolveRoleEnd(inputs, one)]));
  const getRolePorts = (role: OwnRole, or: readonly string[]) => {
    const ports = roles.find((one) => one.role === role)?.ports ?? [];
    return ports.length > 0 ? ports.map(String) : or;
  };
  const [web, worker] = [ends.get('web') ?? null, ends.get('worker') ?? null];
  if ([...ends.values()].every((end) => end === null)) return [];
  const entry = ends.get('entry') ?? web;
  const entryPorts = getRolePorts('entry', getRolePorts('web', TEMPLATES.browsers_to_fabric.ports));
  const nodes = nodeEndpoints({ inputs, snapshots });
  const hypervisors = toKnownEnd([...nodes, ...api.addresses]);
  const apiPorts = api.ports.length > 0 ? api.ports.map(String) : TEMPLATES.fabric_to_api.ports;
  const browsers = (await findProtectedTests(db)).get('browsers_to_fabric')?.from;
  const pair = (connection: Connection, from: End | null, to: End | null, ports: readonly string[]): Pair[] =>
    from && to ? [{ connection, from, to, ports, anyClient: from === ANY }] : [];
  return [
    ...pair('browsers_to_fabric', browsers ? toKnownEnd(browsers) : ANY, entry, entryPorts),
    ...pair('agents_to_fabric', toKnownEnd(nodes), entry, entryPorts),
    ...(ends.get('entry') ? pair('entry_to_web', ends.get('entry') ?? null, web, getRolePorts('web', [])) : []),
    ...[web, worker].flatMap((from) => [
      ...pair('fabric_to_api', from, hypervisors, apiPorts),
      ...pair('fabric_to_database', from, ends.get('postgres') ?? null, getRolePorts('postgres', ['5432'])),
      ...pair('fabric_to_redis', from, ends.get('redis') ?? null, getRolePorts('redis', ['6379'])),
    ]),
  ];
}

type FoundCut = Cut & { readonly pair: Pair; readonly role: OwnRole | null; readonly workload_id: string };

/** What the change does to the connections at the guests that it concerns; of each connection once per guest, the worst. */
function findCuts({ before, after, changed, unreadable }: FirewallChange, pairs: readonly Pair[]): FoundCut[] {
  const [live, evaluated] = [new TestInputs(before), new TestInputs(after)];
  const found = new Map<string, FoundCut>();
  for (const pair of pairs) {
    const service = { protocol: 'tcp', ports: pair.ports } as const;
    for (const side of ['source', 'destination'] as const) {
      const [own, other] = side === 'source' ? [pair.from, pair.to] : [pair.to, pair.from];
      const otherEnd = evaluated.endOf(other.endpoints, null).end;
      const old = new Map(live.endOf(own.endpoints, null).end.places.map((place) => [place.key, place]));
      for (const place of evaluated.endOf(own.endpoints, null).end.places) {
        if (place.ref.kind !== 'workload' || own === ANY) continue;
        const { id } = place.ref;
        const was = old.get(place.key);
        const cut: Cut | null = unreadable.has(id)
          ? { effect: 'unknown', finding: null }
          : changed.has(id) && was
            ? findCut(service, side, was, place, otherEnd, pair.anyClient)
            : null;
        if (!cut) continue;
        const effect = pair.from.certain && pair.to.certain ? cut.effect : 'unknown';
        const key = `${pair.connection} ${id}`;
        if (found.get(key)?.effect === 'cut' || (found.has(key) && effect === 'unknown')) continue;
        found.set(key, { ...cut, effect, pair, role: own.role, workload_id: id });
      }
    }
  }
  const all = [...found.values()];
  return [...all.filter(({ effect }) => effect === 'cut'), ...all.filter(({ effect }) => effect === 'unknown')];
}

/** How to get a workload reachable again when Fabric cannot do it: on its node, its firewall off. */
function undoAt({ workloads }: PolicyInputs, id: string): OwnConnection['undo'] {
  const workload = workloads.get(id);
  if (!workload?.node_name) return null;
  const { node_name: node, kind, vmid } = workload;
  return { node, command: `pvesh set /nodes/${node}/${kind}/${vmid}/firewall/options --enable 0` };
}

const HIDDEN = "One of Fabric's own connections";

function toOwnConnection(
  { after }: FirewallChange,
  reach: Reach,
  { effect, finding, pair, role, workload_id }: FoundCut,
) {
  const shown = finding && packetView(finding);
  // A packet of unknown clients would have an arbitrary source.
  const source = pair.anyClient ? 'clients' : shown?.source;
  const path = shown ? `: ${source} to ${shown.destination}, tcp/${shown.destination_port}` : '';
  return {
    role,
    connection: pair.connection,
    workload: { id: workload_id, name: after.inputs.workloads.get(workload_id)?.name ?? '' },
    what: `${getConnectionName(pair.connection)}${path}`,
    effect,
    confirmed: pair.from.confirmed && pair.to.confirmed,
    packet: pair.anyClient ? null : shown,
    by: finding && deciderView(after, reach, finding),
    undo: undoAt(after.inputs, workload_id),
  };
}

/**
 * The connections of Fabric itself that an apply would cut, or of which that is not known, the worst first. They are evaluated on
 * what was found, whether or not it is confirmed. A reader who does not see the installation learns that there is one, and no more.
 * @param reach where the reader sees policy tests; null: nowhere
 */
export async function ownConnectionsAfter(firewall: FirewallChange, reach: Reach | null): Promise<OwnConnection[]> {
  if (firewall.changed.size === 0 && firewall.unreadable.size === 0) return [];
  const roles = await readOwnRoles(firewall.before.inputs);
  const cuts = findCuts(firewall, await listPairs(firewall.before, roles));
  if (reach === 'all') return cuts.map((cut) => toOwnConnection(firewall, reach, cut));
  const [worst] = cuts;
  const hidden = { role: null, connection: null, workload: null, packet: null, by: null, undo: null };
  return worst ? [{ ...hidden, what: HIDDEN, effect: worst.effect, confirmed: true }] : [];
}
