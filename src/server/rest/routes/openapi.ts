import { createHash } from 'node:crypto';
import { z } from 'zod';
import { objectCache } from '../../lib/cache';
import { defineRoute, type Route } from '../define-route';
import { apiDocument } from '../openapi/api-document';

type Made = { text: string; etag: string };
const made = objectCache<readonly Route[], Made>({ name: 'api_document' });

/** The document of a table of routes, made once. */
function getDocument(routes: readonly Route[]): Made {
  return made.load(routes, null, () => {
    const text = JSON.stringify(apiDocument(routes));
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
  });
}

export const openapiRoutes = [
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document: every operation, as OpenAPI 3.1.',
    tag: 'System',
    access: { open: 'It describes the operations of the service and contains nothing about this installation.' },
    response: { status: 200, schema: z.looseObject({ openapi: z.literal('3.1.0') }), also: [{ status: 304 }] },
    handler: async ({ request, routes }) => {
      const { text, etag } = getDocument(routes);
      const headers = { etag, 'cache-control': 'no-cache' };
      if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
      return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
    },
  }),
];
