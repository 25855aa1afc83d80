import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, signIn } from '../access/sign-in';
import { PveError } from '../pve-error';
import type { RouteMatch } from '../routes/router';
import type { Params } from '../schema/param-spec';
import { type ExecutionContext, executeCall } from './execute-call';
import type { Fault, FaultTable } from './faults';
import { parseForm, parseJsonBody, percentDecode, readBody } from './request-body';
import type { RequestLog } from './request-log';
import { type Answer, bareAnswer, failureAnswer, type SendOptions, sendAnswer } from './send-answer';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const BASE = '/api2/json';
const MAX_HEADER_LINES = 64;
const MAX_HEADER_BYTES = 8192;
const SIGN_IN_DELAY = 3_000;
/** A proxy worker exits after this many requests and takes its connections with it. */
const WORKER_LIFE = 1000;

export type RequestContext = ExecutionContext & {
  faults: FaultTable;
  log: RequestLog;
  router: (method: string, path: string) => RouteMatch | undefined;
};

/** What the log needs to know, filled in while the request is understood. */
type Progress = { path: string; pattern?: string; params: Params; caller?: Caller };

/** Answers one request of a client. Never rejects. */
export async function handleRequest(
  context: RequestContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock, cluster, entry, log, meter } = context;
  const startedAt = clock.now();
  const progress: Progress = { path: '', params: {} };
  await meter.track([`entry:${entry.name}`], async () => {
    const outcome = await answerRequest(context, request, progress, startedAt);
    if (outcome.cut) request.socket.destroy();
    else if (outcome.answer) {
      const options: SendOptions = { ...outcome.send, acceptEncoding: request.headers['accept-encoding'] };
      if (context.worker.served >= WORKER_LIFE) {
        context.worker.served = 0;
        options.closeAfter = true;
      }
      sendAnswer(response, outcome.answer, options);
    }
    log.add({
      at: startedAt,
      cluster: cluster.name,
      node: entry.name,
      method: request.method ?? '',
      path: progress.path,
      pattern: progress.pattern,
      params: progress.params,
      subject: progress.caller?.subject,
      status: outcome.cut ? 0 : (outcome.answer?.status ?? 0),
      reason: outcome.answer?.reason ?? '',
      durationMs: clock.now() - startedAt,
    });
  });
}

type Outcome = { answer?: Answer; cut?: boolean; send?: Pick<SendOptions, 'truncateAt'> };

async function answerRequest(
  context: RequestContext,
  request: IncomingMessage,
  progress: Progress,
  startedAt: number,
): Promise<Outcome> {
  const { cluster, entry, clock, faults } = context;
  if (entry.reachability === 'silent') return {};
  const method = request.method ?? '';
  const url = request.url ?? '/';
  const question = url.indexOf('?');
  const fullPath = percentDecode(question < 0 ? url : url.slice(0, question));
  progress.path = fullPath.startsWith(BASE) ? fullPath.slice(BASE.length) || '/' : fullPath;

  const match = context.router(method, progress.path);
  if (match) progress.pattern = match.route.pattern;
  const fault = faults.take({
    cluster: cluster.name,
    node: entry.name,
    method,
    path: progress.path,
    pattern: progress.pattern,
  });
  const early = await applyFaultBeforeCall(fault);
  if (early) return early;

  const refused = findHeadRefusal(request, method, fullPath);
  if (refused) return { answer: refused };

  try {
    progress.caller = signIn(
      cluster.access,
      cluster.version,
      { authorization: request.headers.authorization, cookie: request.headers.cookie },
      cluster.nowSeconds,
    );
  } catch (error) {
    if (!(error instanceof PveError)) throw error;
    await clock.sleep(SIGN_IN_DELAY - (clock.now() - startedAt));
    return { answer: bareAnswer(error.status, error.message) };
  }

  const body = await acceptBody(context, request, method);
  if ('status' in body) return { answer: body };
  if (question >= 0) Object.assign(body.params, parseForm(url.slice(question + 1)));
  progress.params = body.params;

  const answer = match
    ? await executeCall(context, {
        match,
        params: body.params,
        caller: progress.caller,
        extraDelay: fault?.kind === 'delay' ? fault.ms : 0,
      })
    : failureAnswer(
        501,
        `Method '${method} ${progress.path}' not implemented`,
        undefined,
        cluster.version.messageInBody,
      );
  return applyFaultAfterCall(fault, answer);
}

/** Refusals that need nothing but the head of the request. */
function findHeadRefusal(request: IncomingMessage, method: string, path: string): Answer | undefined {
  if (!METHODS.includes(method)) return bareAnswer(501, `method '${method}' not available`);
  if (request.rawHeaders.length / 2 >= MAX_HEADER_LINES) {
    return bareAnswer(501, `too many http header lines (> ${MAX_HEADER_LINES})`);
  }
  const headerBytes = request.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  if (headerBytes >= MAX_HEADER_BYTES) return bareAnswer(501, 'http header too large');
  if (!path.startsWith(`${BASE}/`) && path !== BASE) return bareAnswer(501, `no such file '${path}'`);
  const transfer = request.headers['transfer-encoding'];
  if (transfer?.toLowerCase() === 'chunked') return bareAnswer(501, 'chunked transfer encoding not supported');
  if (transfer !== undefined) return bareAnswer(501, `Unknown transfer encoding '${transfer}'`);
  return undefined;
}

async function acceptBody(
  context: RequestContext,
  request: IncomingMessage,
  method: string,
): Promise<{ params: Params } | Answer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length === 0) return { params: {} };
  if (method === 'GET' || method === 'DELETE') return bareAnswer(501, `Unexpected content for method '${method}'`);
  if (length > context.cluster.version.maxBodyBytes) return bareAnswer(501, 'for data too large');
  const contentType = request.headers['content-type'];
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'application/x-www-form-urlencoded' && type !== 'application/json') {
    return bareAnswer(506, `upload 'Content-Type '${contentType}' not implemented`);
  }
  const text = await readBody(request, length);
  try {
    return { params: type === 'application/json' ? parseJsonBody(text) : parseForm(text) };
  } catch (error) {
    if (!(error instanceof PveError)) throw error;
    return failureAnswer(error.status, error.message, error.errors, context.cluster.version.messageInBody);
  }
}

/** Faults that replace the call; undefined executes the call. */
async function applyFaultBeforeCall(fault: Fault | undefined): Promise<Outcome | undefined> {
  switch (fault?.kind) {
    case 'hang':
      return {};
    case 'reset':
      return fault.when === 'before' ? { cut: true } : undefined;
    case 'respond':
      return fault.apply ? undefined : { answer: buildFaultAnswer(fault) };
    case 'hook':
      await fault.before?.();
      return undefined;
    default:
      return undefined;
  }
}

/** Faults that strike after the call was executed. */
async function applyFaultAfterCall(fault: Fault | undefined, answer: Answer): Promise<Outcome> {
  switch (fault?.kind) {
    case 'reset':
      return { cut: true };
    case 'respond':
      return { answer: buildFaultAnswer(fault) };
    case 'truncate':
      return { answer, send: { truncateAt: fault.bytes ?? Math.floor(Buffer.byteLength(answer.body) / 2) } };
    case 'garbage':
      return { answer: { ...answer, body: '{"data":[{"vmid":10' } };
    case 'hook':
      await fault.after?.();
      return { answer };
    default:
      return { answer };
  }
}

const buildFaultAnswer = (fault: Extract<Fault, { kind: 'respond' }>): Answer => ({
  status: fault.status,
  reason: fault.reason ?? '',
  body: fault.body ?? '',
  contentType: fault.contentType,
});
