import { z } from 'zod';
import { cidrContains, parseCidr } from '../net/cidr';
import { formatIp, parseIp, unmapIp } from '../net/ip-address';
import { TestDecider, TestPacket } from '../policy-tests/definition';

/** Parts of Fabric that may be workloads of the clusters that it manages. `entry`: what has the public address, where that is not web itself. */
export const OWN_ROLES = ['web', 'worker', 'postgres', 'redis', 'entry'] as const;
export type OwnRole = (typeof OWN_ROLES)[number];

export const OWN_PROCESSES = ['web', 'worker'] as const;

const Port = z.int().min(1).max(65_535);
/** A connection as its own socket knows it. `local` null: the other end did not say. */
const Connection = z.object({ local: z.string().nullable(), remote: z.string(), port: Port });
const Listener = z.object({ addresses: z.array(z.string()), port: Port });

/** What a process knows of its connections. */
export const ProcessReport = z.object({
  /** Null: a socket of the same machine. */
  database: Connection.nullable(),
  /** Null: the queues are in the database. */
  redis: Connection.nullable(),
  /** To the API of each cluster whose address is known. */
  clusters: z.array(Connection),
  /** Where it accepts connections; null: nowhere. */
  listens: Listener.nullable(),
  /** Where browsers and agents reach it, by the configured address; null: none is configured, or its name does not resolve. */
  public: Listener.nullable(),
});
export type ProcessReport = z.output<typeof ProcessReport>;

/** Whether the role has addresses; if not, why. */
const ADDRESS_STATES = ['known', 'same_machine', 'unused', 'not_reported'] as const;

export type RoleAddresses = {
  readonly state: (typeof ADDRESS_STATES)[number];
  /** Canonical and sorted. */
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
};

/** Addresses that only the machine itself, or its link, has: they say nothing about where a process is. */
const LEFT_OUT = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '::/127', 'fe80::/10'].flatMap(
  (text) => parseCidr(text) ?? [],
);

/** The canonical text of an address that identifies a machine; null for loopback, link-local and unspecified ones. */
export function identifyingAddress(text: string | null): string | null {
  const parsed = parseIp((text ?? '').split('%')[0] ?? '');
  const ip = parsed && unmapIp(parsed);
  return ip === null || LEFT_OUT.some((cidr) => cidrContains(cidr, ip)) ? null : formatIp(ip);
}

const sorted = <T extends string | number>(values: readonly T[]): T[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

type Reported = { readonly kind: (typeof OWN_PROCESSES)[number]; readonly report: ProcessReport };

/** The addresses and ports of the clusters' APIs, from what all processes report. */
export function apiAddresses(reports: readonly Reported[]): Pick<RoleAddresses, 'addresses' | 'ports'> {
  const known = reports.flatMap(({ report }) => report.clusters);
  return {
    addresses: sorted(known.flatMap(({ remote }) => identifyingAddress(remote) ?? [])),
    ports: sorted(known.map(({ port }) => port)),
  };
}

/** The addresses of each role, from what all processes report. */
export function roleAddresses(reports: readonly Reported[]): Record<OwnRole, RoleAddresses> {
  const toRoleAddresses = (
    known: readonly (string | null)[],
    ports: readonly number[],
    missing: RoleAddresses['state'],
  ) => {
    const addresses = sorted(known.flatMap((text) => identifyingAddress(text) ?? []));
    return { state: addresses.length > 0 ? ('known' as const) : missing, addresses, ports: sorted(ports) };
  };
  const getProcessAddresses = (kind: (typeof OWN_PROCESSES)[number]) => {
    const own = reports.filter((one) => one.kind === kind).map(({ report }) => report);
    const locals = own.flatMap(({ database, redis, clusters, listens }) => [
      ...[database, redis, ...clusters].map((one) => one?.local ?? null),
      ...(listens?.addresses ?? []),
    ]);
    const ports = own.flatMap(({ listens }) => listens?.port ?? []);
    return toRoleAddresses(locals, ports, own.length === 0 ? 'not_reported' : 'same_machine');
  };
  const getStoreAddresses = (kind: 'database' | 'redis') => {
    const known = reports.flatMap(({ report }) => report[kind] ?? []);
    const missing = known.length > 0 || kind === 'database' ? 'same_machine' : 'unused';
    return toRoleAddresses(
      known.map(({ remote }) => remote),
      known.map(({ port }) => port),
      reports.length === 0 ? 'not_reported' : missing,
    );
  };
  const web = getProcessAddresses('web');
  const entries = reports.flatMap(({ report }) => report.public ?? []);
  const entry = toRoleAddresses(
    entries.flatMap(({ addresses }) => addresses),
    entries.map(({ port }) => port),
    'unused',
  );
  const apart = entry.addresses.filter((address) => !web.addresses.includes(address));
  return {
    web,
    worker: getProcessAddresses('worker'),
    postgres: getStoreAddresses('database'),
    redis: getStoreAddresses('redis'),
    entry: { ...entry, state: apart.length > 0 ? 'known' : 'unused', addresses: apart },
  };
}

/** What an operator answered about one role, as it is stored. */
export const OwnAnswer = z.object({
  /** None: this part of Fabric runs outside the clusters. */
  workload_ids: z.array(z.uuid()),
  /** Workloads that had its addresses when it was answered: others are a reason to ask again. */
  found: z.array(z.uuid()),
  answered_by: z.string(),
  answered_at: z.string(),
  version: z.int().min(1).default(1),
});
export type OwnAnswer = z.output<typeof OwnAnswer>;
export const OwnAnswers = z.partialRecord(z.enum(OWN_ROLES), OwnAnswer);
export type OwnAnswers = z.output<typeof OwnAnswers>;

export const OWN_STATUSES = [
  /** An operator answered with workloads. */
  'confirmed',
  /** An operator answered that it runs outside the clusters. */
  'outside',
  /** To be answered. */
  'unanswered',
  /** Answered, but workloads have its addresses by now that had none of them then. */
  'changed',
  /** Reached within the machine of web and worker only. */
  'same_machine',
  /** Not part of this installation. */
  'unused',
  /** No process has reported. */
  'not_reported',
] as const;

const OwnPlace = z.object({ id: z.uuid(), name: z.string(), vmid: z.int(), cluster_name: z.string() });
export type OwnPlace = z.output<typeof OwnPlace>;

/** A part of Fabric, and the workloads that it runs on. */
export const OwnWorkload = z.object({
  role: z.enum(OWN_ROLES),
  status: z.enum(OWN_STATUSES),
  /** Of the answer; 0 until there is one. */
  version: z.int(),
  /** Under which it is reached, or from which it connects. */
  addresses: z.array(z.string()),
  ports: z.array(z.int()),
  /** Workloads that have one of the addresses, and no other workload has it. */
  found: z.array(OwnPlace),
  /** Addresses that several workloads have, or claim. */
  ambiguous: z.array(z.object({ address: z.string(), workloads: z.array(OwnPlace) })),
  answer: z.object({ workloads: z.array(OwnPlace), answered_by: z.string(), answered_at: z.string() }).nullable(),
});
export type OwnWorkload = z.output<typeof OwnWorkload>;

export const OwnWorkloads = z.object({
  items: z.array(OwnWorkload),
  /** Roles that wait for an answer. */
  open: z.int(),
  /** Who reported, and when last. */
  processes: z.array(z.object({ id: z.string(), kind: z.enum(OWN_PROCESSES), reported_at: z.string() })),
});
export type OwnWorkloads = z.output<typeof OwnWorkloads>;

/** An answer: the workloads of a role; none means that it runs outside the clusters. */
export const OwnWorkloadInput = z.strictObject({
  workload_ids: z.array(z.uuid(), 'A list of workload ids.').max(50, 'At most 50 workloads.'),
  /** The version that was read, 0 before an answer: when it is no longer current, nothing is changed. */
  version: z.int().min(0).optional(),
});
export type OwnWorkloadInput = z.output<typeof OwnWorkloadInput>;

/** Connections that Fabric itself depends on. All but the last are protected connections, too. */
export const OWN_CONNECTIONS = [
  'browsers_to_fabric',
  'agents_to_fabric',
  'fabric_to_api',
  'fabric_to_database',
  'fabric_to_redis',
  'entry_to_web',
] as const;

/** How the last is called; the others have the names of their templates. */
export const ENTRY_TO_WEB = 'Public address to the web process';

/** A connection of Fabric itself that a change would cut, or may cut. */
export const OwnConnection = z.object({
  /** Null, as all that names something: the reader does not see the installation. */
  role: z.enum(OWN_ROLES).nullable(),
  connection: z.enum(OWN_CONNECTIONS).nullable(),
  /** Whose firewall decides. */
  workload: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  /** The connection as text. */
  what: z.string(),
  effect: z.enum(['cut', 'unknown']),
  /** False: an operator has not confirmed the workloads of Fabric that take part. */
  confirmed: z.boolean(),
  packet: TestPacket.nullable(),
  by: TestDecider.nullable(),
  /** Once it is cut, Fabric cannot undo it: what to run on which node. It turns the workload's firewall off. */
  undo: z.object({ node: z.string(), command: z.string() }).nullable(),
});
export type OwnConnection = z.output<typeof OwnConnection>;
