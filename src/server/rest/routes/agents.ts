import {
  enrolmentAnswerSchema,
  enrolmentRequestSchema,
  heartbeatAnswerSchema,
  heartbeatEnvelopeSchema,
} from '@fabric/agent-contract';
import { z } from 'zod';
import { readAgentFile } from '../../traffic/agents/agent-bundle';
import { enrollAgent } from '../../traffic/agents/enroll-agent';
import { renderInstallScript } from '../../traffic/agents/install';
import { recordHeartbeat } from '../../traffic/agents/record-heartbeat';
import { defineRoute, MAX_BODY_BYTES } from '../define-route';
import { getBaseUrl } from '../request-headers';

const tag = 'Agents';

const heartbeat = defineRoute({
  method: 'POST',
  path: '/agents/heartbeat',
  summary:
    'Report what an agent observed on its node. Flows are validated one by one; the response contains the result.',
  tag,
  access: { agent: 'A node token can only report for its own node.' },
  body: heartbeatEnvelopeSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  gzip: true,
  itemwise: 'flows',
  response: { status: 200, schema: heartbeatAnswerSchema, problems: ['forbidden', 'too_many_requests'] },
  handler: ({ scope, body }) => recordHeartbeat(scope, body),
});

const installScript = defineRoute({
  method: 'GET',
  path: '/agents/install.sh',
  summary: 'Get the installer of the agent, a shell script.',
  tag,
  access: { open: 'A node has no account before its enrollment, and the script contains no secret.' },
  response: { status: 200, media: 'text/x-shellscript' },
  handler: async ({ request }) =>
    new Response(await renderInstallScript(getBaseUrl(request)), {
      headers: { 'content-type': 'text/x-shellscript; charset=utf-8', 'cache-control': 'no-store' },
    }),
});

const download = defineRoute({
  method: 'GET',
  path: '/agents/download/{file}',
  summary: 'Get a file of the agent. The installer contains its SHA-256.',
  tag,
  access: { open: 'A node has no account before its enrollment, and the files contain no secret.' },
  params: z.object({ file: z.string().max(100) }),
  response: { status: 200, media: 'application/octet-stream' },
  handler: async ({ params }) => {
    const { content, bytes, sha256 } = await readAgentFile(params.file);
    return new Response(content, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(bytes),
        'cache-control': 'no-cache',
        etag: `"${sha256}"`,
        'x-content-type-options': 'nosniff',
      },
    });
  },
});

const enrol = defineRoute({
  method: 'POST',
  path: '/agents/enrol',
  summary:
    'Exchange the enrollment token of an install command for the token of the node. The token is shown only in this response.',
  tag,
  access: { open: 'The enrollment token authenticates the request; its uses and its time are limited.' },
  body: enrolmentRequestSchema,
  response: { status: 200, schema: enrolmentAnswerSchema, problems: ['conflict', 'gone'] },
  handler: ({ scope, body }) => enrollAgent(scope, body),
});

export const agentRoutes = [heartbeat, installScript, download, enrol];
