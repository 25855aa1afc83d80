import type { Caller } from '../access/sign-in';
import type { SimClock } from '../clock';
import { PveError, parameterError, permissionError } from '../pve-error';
import { Reply, type Route } from '../routes/route';
import type { RouteMatch } from '../routes/router';
import { type Params, verifyParams } from '../schema/param-spec';
import type { ClusterState } from '../state/cluster-state';
import type { PveNode } from '../state/node';
import type { LoadMeter } from './load-meter';
import { type Answer, bareAnswer, failureAnswer, successAnswer } from './send-answer';
import type { Worker } from './workers';

/** Virtual ms after which the contacted node stops waiting for the process or node it forwarded to. */
const FORWARD_TIMEOUT = 30_000;
/** Virtual ms until the network reports that a powered-off node cannot be reached. */
const NO_ROUTE_DELAY = 3_000;

export type Latency = (call: { cluster: string; node: string; method: string; pattern: string }) => number;

export type ExecutionContext = {
  cluster: ClusterState;
  /** The contacted node. */
  entry: PveNode;
  /** The proxy worker that owns the client's connection. */
  worker: Worker;
  clock: SimClock;
  meter: LoadMeter;
  latency: Latency;
};

export type IncomingCall = {
  match: RouteMatch;
  /** Query and body parameters. */
  params: Params;
  caller: Caller;
  /** Virtual ms the executing worker needs on top, from a fault. */
  extraDelay: number;
};

/** The result, or undefined when the waiting process timed out; the task itself continues. */
function withTimeout<T>(clock: SimClock, task: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(FORWARD_TIMEOUT, () => resolve(undefined));
    task.then(resolve, reject).finally(cancel);
  });
}

/**
 * Executes a call as the contacted node would: rights first, then forwarding to another node or to the privileged
 * daemon, then parameter checks and the handler in the process that owns it.
 */
export async function executeCall(context: ExecutionContext, incoming: IncomingCall): Promise<Answer> {
  const { cluster, entry, clock } = context;
  const { route, pathParams } = incoming.match;
  try {
    const params = mergeParams(incoming.params, pathParams);
    checkPermission(cluster, route, incoming.caller, params);
    const targetName = route.proxied ? (pathParams.node ?? entry.name) : entry.name;
    if (targetName === 'localhost' || targetName === entry.name) {
      const here = runOnNode(context, entry, context.worker, route, params, incoming);
      // Only the privileged daemon is reached by forwarding; a proxy worker simply runs the handler.
      const result = route.handledBy === 'pvedaemon' ? await withTimeout(clock, here) : await here;
      return result ?? bareAnswer(596, 'Connection timed out');
    }
    return await forward(context, targetName, route, params, incoming);
  } catch (error) {
    return toAnswer(cluster, error);
  }
}

/** Path parameters win; a repeated one must be equal. */
function mergeParams(params: Params, pathParams: Params): Params {
  for (const [name, value] of Object.entries(pathParams)) {
    if (params[name] !== undefined && params[name] !== value) {
      throw parameterError({ [name]: 'duplicate parameter (already defined in URI) with conflicting values!' });
    }
  }
  return { ...params, ...pathParams };
}

function checkPermission(cluster: ClusterState, route: Route, caller: Caller, params: Params): void {
  if (route.permission === undefined) return;
  if (route.permission === 'root') {
    if (caller.subject !== 'root@pam') throw new PveError(403, 'Permission check failed (user != root@pam)');
    return;
  }
  const { anyOf } = route.permission;
  const privileges = typeof anyOf === 'function' ? anyOf(cluster.version.major) : anyOf;
  const path = route.permission.path.replace(/\{([a-z]+)\}/g, (_, name: string) => params[name] ?? '');
  if (!cluster.access.allows(caller.subject, path, privileges)) throw permissionError(path, privileges);
}

async function forward(
  context: ExecutionContext,
  targetName: string,
  route: Route,
  params: Params,
  incoming: IncomingCall,
): Promise<Answer> {
  const { cluster, clock } = context;
  const target = cluster.nodes.get(targetName);
  if (!target) {
    throw new PveError(
      500,
      `hostname lookup '${targetName}' failed - failed to get address info for: ${targetName}: Name or service not known`,
    );
  }
  switch (target.reachability) {
    case 'down':
      await clock.sleep(NO_ROUTE_DELAY);
      return bareAnswer(595, 'No route to host');
    case 'refusing':
      return bareAnswer(595, 'Connection refused');
    case 'silent':
      await clock.sleep(FORWARD_TIMEOUT);
      return bareAnswer(596, 'Connection timed out');
    case 'up': {
      const there = runOnNode(context, target, target.workers.acceptingProxy(), route, params, incoming);
      const result = await withTimeout(clock, there);
      return result ?? bareAnswer(596, 'Connection timed out');
    }
  }
}

/** Runs the handler in the worker that owns it. Keeps running when the caller has stopped waiting. */
function runOnNode(
  context: ExecutionContext,
  node: PveNode,
  proxy: Worker,
  route: Route,
  params: Params,
  incoming: IncomingCall,
): Promise<Answer> {
  const { cluster, clock, meter } = context;
  const labels = [`${route.handledBy}:${node.name}`];
  if (route.meter === 'agent') labels.push(`agent:${node.name}`);
  if (route.meter === 'firewall-write') labels.push('firewall-write');
  if (params.vmid !== undefined && route.method !== 'GET') labels.push(`guest-write:${params.vmid}`);
  const worker = route.handledBy === 'pveproxy' ? proxy : node.workers.acceptingDaemon();
  const run = async (): Promise<Answer> => {
    try {
      const latency = context.latency({
        cluster: cluster.name,
        node: node.name,
        method: route.method,
        pattern: route.pattern,
      });
      await clock.sleep(latency + incoming.extraDelay);
      verifyParams(route.params, params);
      const result = await route.handle({ cluster, node, caller: incoming.caller, params });
      return result instanceof Reply ? successAnswer(result.data, result.extra) : successAnswer(result);
    } catch (error) {
      return toAnswer(cluster, error);
    }
  };
  return meter.track(labels, () => worker.run(run));
}

/** A defect of the simulator must not look like an answer of the product, so it is marked. */
function toAnswer(cluster: ClusterState, error: unknown): Answer {
  const { messageInBody } = cluster.version;
  if (error instanceof PveError) return failureAnswer(error.status, error.message, error.errors, messageInBody);
  const text = error instanceof Error ? `${error.message} ${error.stack?.split('\n')[1]?.trim()}` : String(error);
  return failureAnswer(500, `simulator defect: ${text}`, undefined, true);
}
