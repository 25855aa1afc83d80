import { signIn } from '@fabric/simulator/access/sign-in';
import type { ClusterControl } from '@fabric/simulator/control/cluster-control';
import { PveError } from '@fabric/simulator/pve-error';
import { allRoutes } from '@fabric/simulator/routes/all-routes';
import { createRouter } from '@fabric/simulator/routes/router';
import type { StandardTokens } from '@fabric/simulator/scenarios/standard-access';
import { executeCall } from '@fabric/simulator/transport/execute-call';
import { LoadMeter } from '@fabric/simulator/transport/load-meter';
import { parseForm } from '@fabric/simulator/transport/request-body';
import { type Answer, bareAnswer } from '@fabric/simulator/transport/send-answer';
import { ProviderError } from '../../errors';
import type { HypervisorProvider } from '../../types';
import type { PveClient, PveRequest } from '../client';
import type { ClientOptions } from '../client-options';
import { isOutcomeUnknown } from '../failure-policy';
import { createFirewallWriter } from '../firewall/firewall-writer';
import { readClusterFirewall } from '../firewall/read-cluster-firewall';
import { readGuestFirewall } from '../firewall/read-guest-firewall';
import { encodeParams } from '../http/encode';
import { type Envelope, openEnvelope } from '../http/envelope';
import { createInventoryContext } from '../inventory/context';
import { createInventoryReader } from '../provider';

const route = createRouter(allRoutes);
const meter = new LoadMeter();

/** Sits between the provider and the cluster: it may execute the call, or not, and return any answer. */
export type Interference = (request: PveRequest, execute: () => Promise<Envelope>) => Promise<Envelope>;

async function execute(
  control: ClusterControl,
  token: string,
  { method, path, params }: PveRequest,
): Promise<Envelope> {
  const { state } = control;
  const [entry] = state.nodes.values();
  const match = route(method, decodeURIComponent(path));
  if (!entry || !match) throw new Error(`no route for ${method} ${path}`);
  const headers = { authorization: `PVEAPIToken=${token}`, cookie: undefined };
  let answer: Answer;
  try {
    const caller = signIn(state.access, state.version, headers, state.nowSeconds);
    answer = await executeCall(
      { cluster: state, entry, worker: entry.workers.acceptingProxy(), clock: state.clock, meter, latency: () => 0 },
      { match, params: parseForm(encodeParams(params)), caller, extraDelay: 0 },
    );
  } catch (error) {
    if (!(error instanceof PveError)) throw error;
    answer = bareAnswer(error.status, error.message);
  }
  return openEnvelope(
    {
      status: answer.status,
      statusText: answer.reason,
      contentType: answer.contentType ?? '',
      location: null,
      date: null,
      body: answer.body,
    },
    'no secret',
  );
}

/**
 * The provider over the simulator's API without the network in between: every call is the real one, and thousands of them
 * take a second.
 */
export function directProvider(
  control: ClusterControl,
  { token = 'manager', interfere }: { token?: keyof StandardTokens; interfere?: Interference } = {},
): HypervisorProvider {
  const request = async (call: PveRequest): Promise<Envelope> => {
    const run = () => execute(control, control.tokens[token], call);
    try {
      return await (interfere ? interfere(call, run) : run());
    } catch (error) {
      if (error instanceof ProviderError && call.method !== 'GET' && isOutcomeUnknown(error)) {
        error.detail.outcomeUnknown = true;
      }
      throw error;
    }
  };
  // What readers and writers use of the client.
  const client = {
    request,
    get: (path: PveRequest['path'], options = {}) => request({ ...options, method: 'GET', path }),
  } as unknown as PveClient;
  const options: ClientOptions = {
    access: { key: 'direct', api_url: '', api_token: '', tls_fingerprint: null, tls_ca: null, entry_points: [] },
    allowTargets: [],
    clock: { now: () => new Date(control.state.clock.now()) },
    logger: { info: () => {}, warn: () => {} },
  };
  const inventory = createInventoryReader(client, options);
  const context = createInventoryContext(client, options);
  return {
    inventory,
    preflight: {
      check: () => {
        throw new Error('there is no connection to check');
      },
    },
    firewallReader: {
      readClusterFirewall: () => readClusterFirewall(context),
      readGuestFirewall: (guest) => readGuestFirewall(client, guest),
    },
    firewallWriter: createFirewallWriter(client, inventory),
    get addresses(): HypervisorProvider['addresses'] {
      throw new Error('guests are not asked for addresses here');
    },
    close: () => {},
  };
}
