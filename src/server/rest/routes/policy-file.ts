import { z } from 'zod';
import { policyFileSchema, readClient } from '../../enforcement/policy-file/served-files';
import { defineRoute } from '../define-route';

const tag = 'Policy file';

/** What machines without an account fetch: the command line with its checksum, and the schema for editors. */
export const policyFileRoutes = [
  defineRoute({
    method: 'GET',
    path: '/client/fabric.mjs',
    summary: 'Get the command line as one file. It needs only Node.js.',
    tag,
    access: { open: 'Pipelines install it before they have a token, and the file contains no secret.' },
    response: { status: 200, media: 'text/javascript' },
    handler: async () => {
      const { content, sha256 } = await readClient();
      return new Response(content, {
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'content-length': String(content.byteLength),
          'cache-control': 'no-cache',
          etag: `"${sha256}"`,
        },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/client/fabric.mjs.sha256',
    summary: 'Get the SHA-256 of the command line, as sha256sum --check reads it.',
    tag,
    access: { open: 'Pipelines install it before they have a token, and the file contains no secret.' },
    response: { status: 200, media: 'text/plain' },
    handler: async () => {
      const { sha256 } = await readClient();
      return new Response(`${sha256}  fabric.mjs\n`, {
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/policy-file/schema.json',
    summary: 'Get the JSON Schema of policy files, for editors.',
    tag,
    access: { open: 'Editors fetch it without an account, and it contains nothing about this installation.' },
    response: { status: 200, schema: z.looseObject({ title: z.string() }) },
    handler: async () => Response.json(policyFileSchema(), { headers: { 'cache-control': 'no-cache' } }),
  }),
];
