import { handleRequest } from '../rest/handle-request';
import { routes } from '../rest/routes';
import { handleTrpc } from './handle-trpc';
import { appRouter } from './root';

/**
 * Answers a request below `/api`, on either surface. Unknown paths are answered like an unknown address of the REST API, never with a
 * page. Never throws: every failure is an answer.
 */
export function answerApi(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/api/trpc/')) return handleTrpc(appRouter, request);
  return handleRequest(/^\/api\/v1(?=\/|$)/.test(pathname) ? routes : [], request);
}
