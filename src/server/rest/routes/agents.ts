import {
  enrolmentAnswerSchema,
  enrolmentRequestSchema,
  heartbeatAnswerSchema,
  heartbeatEnvelopeSchema,
} from '@fabric/agent-contract';
import { z } from 'zod';
import { readAgentFile } from '../../traffic/agents/agent-bundle';
import { enrolAgent } from '../../traffic/agents/enrol-agent';
import { renderInstallScript } from '../../traffic/agents/install';
import { recordHeartbeat } from '../../traffic/agents/record-heartbeat';
import { defineRoute, MAX_BODY_BYTES } from '../define-route';
import { baseUrlOf } from '../request-headers';

const tag = 'Agents';

const heartbeat = defineRoute({
  method: 'POST',
  path: '/agents/heartbeat',
  summary: 'What an agent saw on its node. Flows are judged one by one; the answer says what became of them.',
  tag,
  access: { agent: 'A node token reports for its own node only.' },
  body: heartbeatEnvelopeSchema,
  maxBodyBytes: MAX_BODY_BYTES,
  gzip: true,
  itemwise: 'flows',
  response: { status: 200, schema: heartbeatAnswerSchema, problems: ['too_many_requests'] },
  handler: ({ scope, body }) => recordHeartbeat(scope, body),
});

const installScript = defineRoute({
  method: 'GET',
  path: '/agents/install.sh',
  summary: 'The installer of the agent, a shell script.',
  tag,
  access: { open: 'A node that is being set up has no account; the script holds no secret.' },
  response: { status: 200, media: 'text/x-shellscript' },
  handler: async ({ request }) =>
    new Response(await renderInstallScript(baseUrlOf(request)), {
      headers: { 'content-type': 'text/x-shellscript; charset=utf-8', 'cache-control': 'no-store' },
    }),
});

const download = defineRoute({
  method: 'GET',
  path: '/agents/download/{file}',
  summary: 'A file of the agent; the installer knows its SHA-256.',
  tag,
  access: { open: 'A node that is being set up has no account; the files hold no secret.' },
  params: z.object({ file: z.string().max(100) }),
  response: { status: 200, media: 'application/octet-stream' },
  handler: async ({ params }) => {
    const { content, sha256 } = await readAgentFile(params.file);
    return new Response(content, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(content.byteLength),
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
  summary: 'Exchange the enrolment token of an install command for the token of the node, which is told once.',
  tag,
  access: { open: 'The enrolment token is the proof; it works once.' },
  body: enrolmentRequestSchema,
  response: { status: 200, schema: enrolmentAnswerSchema },
  handler: ({ scope, body }) => enrolAgent(scope, body),
});

export const agentRoutes = [heartbeat, installScript, download, enrol];
