import type { ProviderError } from '../../errors';
import type { Preflight, PreflightCheck, PreflightReport } from '../../types';
import { parseObject } from '../answers/parse-list';
import { readPermissions } from '../answers/permissions';
import type { PveClient } from '../client';
import type { ClientOptions } from '../client-options';
import { apiPath } from '../http/encode';
import { readClusterStatus } from '../inventory/cluster-status';
import { createInventoryContext } from '../inventory/context';
import { listGuests } from '../inventory/list-guests';
import { readNodeSummaries } from '../inventory/node-summaries';
import { readFirewallEnabled, VersionAnswer } from '../inventory/read-cluster';
import { type ConnectionReport, checkConnection } from './check-connection';
import { fromError, line, ok } from './check-line';
import { checkPrivileges, checkToken } from './check-privileges';
import {
  checkClock,
  checkFirewall,
  checkGuests,
  checkNodes,
  checkQuorum,
  checkVersion,
  parseMajorVersion,
} from './check-state';

const INSIST = { insist: true } as const;
/** When nothing about the version is known, the present one is assumed. */
const PRESENT_MAJOR = 9;

/** The lines of a check; when it could not be made, one line that says why under `name`. */
async function attempt(name: string, check: () => Promise<PreflightCheck[]>): Promise<PreflightCheck[]> {
  try {
    return await check();
  } catch (error) {
    return [fromError(name, 'unknown', error)];
  }
}

type SignIn = { check: PreflightCheck; version: string | null; date: string | null; at: number };

async function signIn(client: PveClient, { clock }: ClientOptions): Promise<SignIn> {
  try {
    const { data, date } = await client.get(apiPath`/version`, INSIST);
    const at = clock.now().getTime();
    const { version } = parseObject('the version', VersionAnswer, data);
    return { check: ok('sign_in', 'The cluster accepts the API token'), version, date, at };
  } catch (error) {
    return { check: fromError('sign_in', 'failed', error), version: null, date: null, at: 0 };
  }
}

/** What can be asked once the token is accepted. */
async function checkCluster(client: PveClient, options: ClientOptions, { version, date, at }: SignIn) {
  let clusterName: string | null = null;
  const groups = await Promise.all([
    attempt('version', async () => (version === null ? [] : [checkVersion(version)])),
    attempt('token', async () => {
      const permissions = await readPermissions(client, INSIST);
      return [
        checkToken(permissions),
        ...checkPrivileges(permissions, parseMajorVersion(version ?? '') ?? PRESENT_MAJOR),
      ];
    }),
    attempt('quorum', async () => {
      const status = await readClusterStatus(client, INSIST);
      clusterName = status?.name ?? null;
      return [checkQuorum(status)];
    }),
    attempt('nodes', async () => [await checkNodes(client, (await readNodeSummaries(client, INSIST)).items)]),
    attempt('guests', async () => [checkGuests(await listGuests(createInventoryContext(client, options)))]),
    attempt('firewall', async () => [checkFirewall(await readFirewallEnabled(client, INSIST))]),
    attempt('clock', async () => [checkClock(date, at)]),
  ]);
  return { checks: groups.flat(), clusterName };
}

/** The address does not answer, but another node of the cluster did. */
function replaceReachable({ checks }: ConnectionReport): PreflightCheck[] {
  return checks.map((check) =>
    check.name === 'reachable' && check.status === 'failed'
      ? line('reachable', 'warning', `${check.detail}; another node of the cluster responds instead`, check.remedy)
      : check,
  );
}

async function check(client: PveClient, options: ClientOptions): Promise<PreflightReport> {
  const connection = await checkConnection(client);
  const { fingerprint } = connection;
  const stops = (error: ProviderError | null) => error !== null && error.code !== 'unauthorized';
  if (!connection.connected && (!client.hasOthers || stops(client.stopped))) {
    const rest = line('sign_in', 'unknown', 'Not checked, because there is no connection', null);
    return { checks: [...connection.checks, rest], fingerprint, version: null, cluster_name: null };
  }
  const signedIn = await signIn(client, options);
  const accepted = signedIn.version !== null;
  const way = accepted ? replaceReachable(connection) : connection.checks;
  const { checks, clusterName } = accepted
    ? await checkCluster(client, options, signedIn)
    : { checks: [], clusterName: null };
  return {
    checks: [...way, signedIn.check, ...checks],
    fingerprint,
    version: signedIn.version,
    cluster_name: clusterName,
  };
}

/** Tries everything the service needs and says what works; the cluster's faults are lines of the report. */
export function createPreflight(client: PveClient, options: ClientOptions): Preflight {
  return { check: () => check(client, options) };
}
